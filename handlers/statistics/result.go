package statistics

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"quaywatch/access/right"
	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
	"quaywatch/sight"
	"quaywatch/stats"
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

// result gives a result, as far as the caller may have it.
func (s *Server) result(c *call.Call) error {
	word, err := c.PathText("type")
	if err != nil {
		return err
	}
	if _, ok := stats.NameOf(word); !ok { // a client may ask by another kind than that of the statistic
		return noStatistic()
	}
	j, err := s.one(c)
	if err != nil {
		return err
	}
	places, err := placesOf(c)
	if err != nil {
		return err
	}
	if err := call.Entitled(c.Caller.User, needs(j.Kind)...); err != nil {
		return err
	}
	l, err := layoutOf(c, j.Kind)
	if err != nil {
		return err
	}
	switch j.State {
	case stats.Completed:
		return s.send(c, &j, places, l)
	case stats.Aborted:
		return call.Conflict(call.CodeConflict, j.Error.Rule())
	}
	c.Writer.Header().Set("Retry-After", "60")
	return c.SendJSON(http.StatusAccepted, unready{j.ID, string(j.State), j.Progress})
}

// layoutOf gives how the caller wants the result. A track as a file needs a right of its own, as elsewhere.
func layoutOf(c *call.Call, kind string) (call.Layout, error) {
	l, err := c.Choose(call.ShipLayouts())
	if err == nil && l.Extension != "" && kind == "historicaltrack" {
		err = call.Entitled(c.Caller.User, right.DownloadHistoricalTracks)
	}
	return l, err
}

// places tells where the data of a ship stand: in the record itself, in its entry ship, or in both.
type places struct{ root, entry bool }

// placesOf reads by which release of the interface the result is to be written.
func placesOf(c *call.Call) (places, error) {
	switch c.Query("release") {
	case "", "133.5":
		return places{true, true}, nil
	case "133":
		return places{root: true}, nil
	case "134":
		return places{entry: true}, nil
	}
	return places{}, call.BadField("release", rule.New("one_of", "must be one of {words}", "words", "133, 133.5, 134"))
}

// reader reads a result for a caller.
type reader struct {
	wire.Telling
	server *Server
	job    *stats.Job
	viewer *sight.Viewer
	places places
	tracks bool                     // the caller may have those beside the records
	ships  map[ais.MMSI]*ship.State // that were asked for; nil for one that is hidden
}

// send writes a result.
func (s *Server) send(c *call.Call, j *stats.Job, p places, l call.Layout) error {
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	if err := c.HoldResult(resultBytes); err != nil {
		return err
	}
	if l.Name != "json" {
		p = places{entry: true}
	}
	r := s.reader(c, j, v, p)
	before, err := json.Marshal(head{j.ID, j.Kind, text(j.Begin), text(j.End), s.told(v, j).Warnings})
	if err != nil {
		return err
	}
	ctx := c.Request.Context()
	first, next, more, err := r.part(ctx, stats.Place{})
	if err != nil {
		return gone(err)
	}
	err = c.SendReading(l, fmt.Sprintf("%s-%d", j.Kind, j.ID), func(w io.Writer) error {
		if l.Name == "json" {
			return r.write(ctx, w, before, first, next, more)
		}
		return (&source{r, first, next, more}).write(ctx, w, l)
	})
	return gone(err)
}

// write writes the records part by part.
func (r *reader) write(ctx context.Context, w io.Writer, before []byte, part [][]byte, next stats.Place, more bool) (err error) {
	comma := append(before[:len(before)-1], `,"records":[`...)
	for {
		for _, one := range part {
			if _, err := w.Write(append(comma, one...)); err != nil {
				return nil // the client went away
			}
			comma = []byte{','}
		}
		if !more {
			break
		}
		if part, next, more, err = r.part(ctx, next); err != nil {
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

// part gives some records as the caller has them. It reads and looks in turns with other callers.
func (r *reader) part(ctx context.Context, from stats.Place) (texts [][]byte, next stats.Place, more bool, err error) {
	var part []stats.Record
	err = r.viewer.Read(ctx, func() (err error) {
		part, next, more, err = r.server.deps.Stats.Part(r.job.ID, from)
		return err
	})
	if err != nil {
		return nil, next, false, err
	}
	wrong := r.viewer.InTurns(ctx, len(part), func(i int) {
		if err != nil {
			return
		}
		var text []byte
		if text, err = r.text(&part[i]); text != nil {
			texts = append(texts, text)
		}
	})
	return texts, next, more, errors.Join(err, wrong)
}

// text writes a record as the caller has it; nil for one that it has not.
func (r *reader) text(one *stats.Record) ([]byte, error) {
	if !one.Shows(func(m statistic.Moment) bool { return r.viewer.MayFix(m.MMSI, m.Fix) }) {
		return nil, nil
	}
	if one.Bare && (!r.viewer.Everything() || r.viewer.Late()) {
		return nil, nil
	}
	var keys form.Keys
	if err := json.Unmarshal(one.Data, &keys); err != nil {
		return nil, err
	}
	if shown, err := r.calls(one, keys); !shown || err != nil {
		return nil, err
	}
	if one.Track != nil {
		if keys["track"] = r.track(one.Track); keys["track"] == nil {
			return nil, nil
		}
		if !r.tracks && r.job.Kind != "historicaltrack" {
			delete(keys, "track")
		}
	}
	r.place(keys)
	return json.Marshal(keys)
}

// track gives a piece of a track as far as the caller might have seen it; nil for nothing.
func (r *reader) track(p *statistic.TrackPiece) json.RawMessage {
	shown := slices.DeleteFunc(p.Track, func(f ship.Fix) bool { return !r.viewer.MayFix(p.MMSI, f) })
	if len(shown) == 0 {
		return nil
	}
	return wire.Line(shown)
}

// place puts the data of the ship where the release has them. What the record itself says stays.
func (r *reader) place(keys form.Keys) {
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

// ship gives a ship as the caller sees it by now; nil for one that is hidden. Calls outlive what else is known of a ship: it is then its number alone, for a
// caller that sees all.
func (r *reader) ship(m ais.MMSI) *ship.State {
	if found, asked := r.ships[m]; asked {
		return found
	}
	var of *ship.State
	found, err := r.viewer.Ship(m)
	switch {
	case err == nil:
		of = &found
	case errors.Is(err, sight.ErrUnknown) && r.viewer.Everything() && !r.viewer.Late():
		of = &ship.State{MMSI: m}
	}
	r.ships[m] = of
	return of
}
