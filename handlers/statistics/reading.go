package statistics

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"quaywatch/engine/stats"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// ReadingBytes is the memory that a ResultReading takes while its records are read.
const ReadingBytes = resultBytes

// ErrNone says that there is no such statistic, or none that the caller may see.
var ErrNone = errors.New("no such statistic")

// ResultReading is a statistic as one caller may have it: its records are cut as those of the JSON result are.
type ResultReading struct {
	Job   stats.Job
	Asked map[string]json.RawMessage // the fields of its kind, as they were posted
	Names ship.Lookup                // what the caller may name, as a saved shape

	reader *reader
}

// Reading returns a statistic by its number. It fails with ErrNone, with a problem where the caller lacks a right, or with an error of ours.
func (s *Server) Reading(c *request.Request, id int64) (*ResultReading, error) {
	if c.Caller.Token != "" {
		if err := request.Entitled(c.Caller.User, right.WebReportAccess); err != nil {
			return nil, err
		}
	}
	j, err := s.deps.Stats.Get(id)
	if err != nil || !s.shares(c.Caller.User, &j) {
		return nil, ErrNone
	}
	if err := request.Entitled(c.Caller.User, needs(j.Kind)...); err != nil {
		return nil, err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return nil, err
	}
	asked, err := s.deps.Stats.Posted(id)
	if err != nil {
		return nil, err
	}
	r := s.reader(c.Caller.User, &j, v, places{entry: true})
	r.apart = true
	_, tracks := hasTracks(j.Kind, asked)
	r.tracks = tracks && j.Kind != "passageline" && // whose picture has none
		request.Entitled(c.Caller.User, withTracks()...) == nil
	return &ResultReading{j, asked, s.deps.Lookup(c.Caller.User), r}, nil
}

// Memory returns how much memory a picture of the statistic takes while its records are read.
func (r *ResultReading) Memory() int64 {
	if r == nil {
		return ReadingBytes
	}
	return ReadingBytes + sumBytes(&r.Job, request.Layout{})
}

// reader returns what reads the result of a statistic for a user.
func (s *Server) reader(who *access.User, j *stats.Job, v *sight.Viewer, p places) *reader {
	l := s.deps.Desk.ListenerOf(who, v)
	return &reader{Telling: wire.TellingTo(l, s.deps.Ports.Current()), server: s, job: j, places: p, records: telling.ResultOf(s.deps.Stats, j.ID, l)}
}

// Each calls fn with each record that the caller may have. The data of the ship are in its entry ship alone, and the track, which the record has not, comes
// beside it. It reads in turns with other callers, until ctx is done. An error of fn ends it.
func (r *ResultReading) Each(ctx context.Context, fn func(record []byte, track ship.Track) error) error {
	if r.Job.State != stats.Completed {
		return nil
	}
	for of := (&cursor{reader: r.reader}); !of.isOver(); {
		part, err := of.next(ctx)
		if err != nil {
			return err
		}
		for _, row := range part {
			if err := fn(row.text, row.track); err != nil {
				return err
			}
		}
	}
	return nil
}

// ExportLayout is a form in which some records of a ResultReading are written.
type ExportLayout string

// The layouts.
const (
	JSON    ExportLayout = "application/json"
	GeoJSON ExportLayout = "application/geo+json"
	Plain   ExportLayout = "text/plain"
)

// Layouts returns all of them.
func Layouts() []ExportLayout { return []ExportLayout{JSON, GeoJSON, Plain} }

// With returns a record of historicaltrack with one position as its track. Other records stay as they are.
func (r *ResultReading) With(record []byte, fix *ship.Fix) ([]byte, error) {
	if fix == nil || r.Job.Kind != "historicaltrack" {
		return record, nil
	}
	var keys form.Keys
	if err := json.Unmarshal(record, &keys); err != nil {
		return nil, err
	}
	keys["track"] = wire.Line(ship.Track{*fix})
	return json.Marshal(keys)
}

// Write writes some records that Each gave.
func (r *ResultReading) Write(ctx context.Context, w io.Writer, l ExportLayout, records [][]byte) error {
	of := &source{cursor: &cursor{reader: r.reader, ended: true}}
	for _, record := range records {
		of.part = append(of.part, row{text: record})
	}
	switch l {
	case JSON:
		before, err := json.Marshal(struct {
			ID   int64  `json:"id"`
			Type string `json:"type"`
		}{r.Job.ID, r.Job.Kind})
		if err != nil {
			return err
		}
		return of.cursor.write(ctx, w, before, of.part)
	case GeoJSON:
		return of.geoJSON(ctx, w)
	}
	var table bytes.Buffer
	if err := of.csv(ctx, &table); err != nil {
		return err
	}
	return wire.Plain(w, &table)
}
