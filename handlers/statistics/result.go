package statistics

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"unsafe"

	"quaywatch/engine/stats"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight/telling"
	"quaywatch/users/access/right"
)

// resultBytes is the memory that an answer in parts takes: some parts of the result.
const resultBytes = 8 << 20

// unready is the answer about a result that is still to come.
type unready struct {
	ID       int64  `json:"id"`
	Status   string `json:"status"`
	Progress int    `json:"progress"`
}

// head is what a result says before its records.
type head struct {
	ID       int64        `json:"id"`
	Type     string       `json:"type"`
	Begin    string       `json:"begin"`
	End      string       `json:"end"`
	Warnings []*rule.Rule `json:"warnings,omitempty"`
}

// result returns a result, as far as the caller may have it.
func (s *Server) result(c *request.Request) error {
	word, err := c.PathText("type")
	if err != nil {
		return err
	}
	if _, ok := stats.NameOf(word); !ok { // a client may ask by another kind than that of the statistic
		return noStatistic()
	}
	j, err := s.askedJob(c)
	if err != nil {
		return err
	}
	places, err := placesOf(c)
	if err != nil {
		return err
	}
	if err := request.Entitled(c.Caller.User, needs(j.Kind)...); err != nil {
		return err
	}
	l, err := layoutOf(c, j.Kind)
	if err != nil {
		return err
	}
	tracks, err := s.tracksOf(c, &j)
	if err != nil {
		return err
	}
	if done, err := complete(c, &j); !done {
		return err
	}
	return s.sendResult(c, &j, places, tracks, l)
}

// complete reports whether the result of a statistic is there. If it is not, it sends how far the statistic is, or returns the problem that ended it.
func complete(c *request.Request, j *stats.Job) (bool, error) {
	switch j.State {
	case stats.Completed:
		return true, nil
	case stats.Aborted:
		return false, request.Conflict(request.CodeConflict, j.Error.Rule())
	}
	c.Writer.Header().Set("Retry-After", "60")
	return false, c.SendJSON(http.StatusAccepted, unready{j.ID, string(j.State), j.Progress})
}

// layoutOf returns how the caller wants the result. A track as a file needs a right of its own, as elsewhere.
func layoutOf(c *request.Request, kind string) (request.Layout, error) {
	layouts := request.ShipLayouts()
	switch kind {
	case "density":
		layouts = append(layouts, request.Layout{Name: "tiff", ContentType: "image/tiff", Extension: "tif"})
	case "historicaltrack":
		layouts = append(layouts, request.Layout{Name: "iwrap", ContentType: "text/csv", Extension: "csv"})
	}
	l, err := c.Choose(layouts)
	if err == nil && l.Extension != "" && kind == "historicaltrack" {
		err = request.Entitled(c.Caller.User, right.DownloadHistoricalTracks)
	}
	return l, err
}

// places tells where the data of a ship stand: in the record itself, in its entry ship, or in both.
type places struct{ root, entry bool }

// placesOf reads by which release of the interface the result is to be written.
func placesOf(c *request.Request) (places, error) {
	switch c.Query("release") {
	case "", "133.5":
		return places{true, true}, nil
	case "133":
		return places{root: true}, nil
	case "134":
		return places{entry: true}, nil
	}
	return places{}, request.BadField("release", rule.New("one_of", "must be one of {words}", "words", "133, 133.5, 134"))
}

// reader reads a result for a caller.
type reader struct {
	wire.Telling
	server  *Server
	job     *stats.Job
	places  places
	tracks  bool    // the caller is given those beside the records
	measure measure // of a raster
	bare    bool    // the records of a density have no cells
	apart   bool    // tracks are not written into the records, but given with them
	records *telling.ToldResult
}

// sendResult writes a result.
func (s *Server) sendResult(c *request.Request, j *stats.Job, p places, tracks bool, l request.Layout) error {
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	if err := c.HoldResult(resultBytes + sumBytes(j, l)); err != nil {
		return err
	}
	if l.Name != "json" {
		p = places{entry: true}
	}
	of := &cursor{reader: s.reader(c.Caller.User, j, v, p)}
	if of.measure, err = measureOf(c); err != nil {
		return err
	}
	if of.bare, err = bareOf(c, j, l); err != nil {
		return err
	}
	of.tracks = tracks && l.Extension == "" // a table has no cell for them
	before, err := json.Marshal(head{j.ID, j.Kind, timeText(j.Begin), timeText(j.End), s.toldRecord(c.Caller.User, v, j).Warnings})
	if err != nil {
		return err
	}
	ctx := c.HTTP.Context()
	first, err := of.next(ctx)
	if err != nil {
		return goneProblem(err)
	}
	err = c.SendReading(l, fmt.Sprintf("%s-%d", j.Kind, j.ID), func(w io.Writer) error {
		if l.Name == "json" {
			return of.write(ctx, w, before, first)
		}
		return (&source{of, first}).write(ctx, w, l)
	})
	return goneProblem(err)
}

// bareOf reads whether the caller wants the records of a density without their cells, which are most of them.
func bareOf(c *request.Request, j *stats.Job, l request.Layout) (bool, error) {
	cells, err := c.QueryTruth("cells", true)
	return !cells && j.Kind == "density" && l.Name == "json", err
}

// cursor is where the reading of a result for a caller stands.
type cursor struct {
	*reader
	held  []telling.FoundRecord // read from the store and not given yet
	place stats.ReadingPlace    // of those after them
	ended bool                  // there are none after them
}

// isOver reports whether all records were given.
func (c *cursor) isOver() bool { return c.ended && len(c.held) == 0 }

// row is a record as the caller has it, and its track where that is given apart. Without a text there is none.
type row struct {
	text  []byte
	track ship.Track
}

// next returns some records more as the caller has them. It reads and looks in turns with other callers.
func (c *cursor) next(ctx context.Context) (rows []row, err error) {
	if len(c.held) == 0 {
		err := c.Viewer.Read(ctx, func() (err error) {
			more := false
			c.held, c.place, more, err = c.records.Part(c.place)
			c.ended = !more
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	if c.tracks {
		return c.withTracks(ctx)
	}
	wrong := c.Viewer.InTurns(ctx, len(c.held), func(i int) {
		if err != nil {
			return
		}
		told, shown, wrong := c.records.Record(&c.held[i])
		if err = wrong; err != nil || !shown {
			return
		}
		var made row
		if made, err = c.recordRow(&told, nil, false); made.text != nil {
			rows = append(rows, made)
		}
	})
	c.held = nil
	return rows, errors.Join(err, wrong)
}

// withTracks returns records of those that are held, each with its track, until they fill a part.
func (c *cursor) withTracks(ctx context.Context) (rows []row, err error) {
	for bytes := 0; len(c.held) > 0 && bytes < rowsBytes; c.held = c.held[1:] {
		shown, err := c.withTrack(ctx, &c.held[0])
		if err != nil {
			return nil, err
		}
		if shown.text != nil {
			rows = append(rows, shown)
			bytes += len(shown.text) + len(shown.track)*int(unsafe.Sizeof(ship.Fix{}))
		}
	}
	return rows, nil
}

// write writes the records part by part.
func (c *cursor) write(ctx context.Context, w io.Writer, before []byte, part []row) (err error) {
	comma := append(before[:len(before)-1], `,"records":[`...)
	for {
		for _, record := range part {
			if _, err := w.Write(append(comma, record.text...)); err != nil {
				return nil // the client went away
			}
			comma = []byte{','}
		}
		if c.isOver() {
			break
		}
		if part, err = c.next(ctx); err != nil {
			return err
		}
	}
	end := []byte("]}")
	if len(comma) > 1 {
		end = append(comma, end...)
	}
	_, _ = w.Write(end) // what fails was noted
	return nil
}

// recordRow writes a record as the caller has it, with its track or with the one that it is about.
func (r *reader) recordRow(told *telling.ToldRecord, track ship.Track, thinned bool) (to row, err error) {
	var keys form.Keys
	if err := json.Unmarshal(told.Data, &keys); err != nil {
		return row{}, err
	}
	if shown, err := r.calls(told, keys); !shown || err != nil {
		return row{}, err
	}
	if told.Track != nil {
		track = told.Track
	}
	switch {
	case r.apart:
		to.track = track
	case len(track) > 0:
		keys["track"] = wire.Line(track)
	}
	if r.bare {
		delete(keys, "cells")
	}
	if thinned {
		keys["track_thinned"] = json.RawMessage("true")
	}
	r.placeShip(keys)
	to.text, err = json.Marshal(keys)
	return to, err
}

// placeShip puts the data of the ship where the release has them. What the record itself says stays.
func (r *reader) placeShip(keys form.Keys) {
	entry := bytes.TrimSpace(keys["ship"])
	var of form.Keys
	if len(entry) == 0 || entry[0] != '{' || json.Unmarshal(entry, &of) != nil {
		return // no ship, or several
	}
	if r.places.root {
		for key, value := range of {
			if _, there := keys[key]; !there {
				keys[key] = value
			}
		}
	}
	if !r.places.entry {
		delete(keys, "ship")
	}
}
