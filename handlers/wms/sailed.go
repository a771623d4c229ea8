package wms

import (
	"context"
	"errors"
	"strings"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/render"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// Bounds of the layers of the past.
const (
	usualHours  = 3 * time.Hour  // that are drawn where the request names no begin
	longestTime = 24 * time.Hour // that one may name
	mostFixes   = 500_000
	tracksBytes = 48 << 20 // of memory for the fixes of an hour, which sight bounds
)

// resolution is that of the times of these layers.
const resolution = "PT1S"

// tracksLayer is the layer of the ships of before.
const tracksLayer = "tracks"

// period is a time of the past that is asked: without a begin the usual hours before its end, without an end those before now.
type period struct{ begin, end time.Time }

// readTime reads the time of the layers of the past: an interval, a date, a moment that the usual hours lead to, or current. Other layers are of now.
func (m *mapRequest) readTime(p params) (err error) {
	text := p["time"]
	if text == "" || strings.EqualFold(text, "current") {
		return nil
	}
	from, to, interval := strings.Cut(text, "/")
	begin, wrong := form.ParseTime(from)
	if !interval && wrong == nil {
		m.period = period{end: begin}
		if len(from) == len(time.DateOnly) {
			m.period = period{begin, begin.AddDate(0, 0, 1)}
		}
		return nil
	}
	end, also := form.ParseTime(strings.TrimSuffix(to, "/"+resolution))
	switch {
	case wrong != nil || also != nil:
		return makeException(codeDimension, "time must be begin/end, a date, a moment or current, in ISO 8601 and UTC")
	case !begin.Before(end) || end.Sub(begin) > longestTime:
		return makeException(codeDimension, "time must begin before its end, and span 24 hours at most")
	}
	m.period = period{begin, end}
	return nil
}

// mayLookBack refuses the past to a caller that may not have the tracks of that time as JSON either.
func (s *Server) mayLookBack(c *request.Request, m *mapRequest) error {
	who := c.Caller.User
	if !who.MayReport(access.ReportTrack) {
		return request.Forbidden(rule.New("report_kind", "the setting report_permissions does not allow the kind {kind}", "kind", access.ReportTrack))
	}
	asked := m.period.begin
	if asked.IsZero() {
		asked = m.period.end
	}
	if asked.IsZero() {
		return nil
	}
	return s.deps.Desk.LookBack(who, asked)
}

// tracksRights are the rights of the calls about the past, and of tracks among them.
func tracksRights() []right.Name { return []right.Name{right.ViewHistory, right.ViewHistoricalTracks} }

// errEnough says that as much is drawn as may be.
var errEnough = errors.New("a picture has no more fixes")

// drawSailed draws where the ships that came near the picture sailed, by their speed, as far as the caller might have seen them.
func drawSailed(ctx context.Context, w *work) error {
	of, looks := w.askedPeriod(), bands()
	return w.readPassing(ctx, of, func(_ *ship.State, part ship.Track) {
		w.drawTrackPart(part.Within(of.begin, of.end), looks)
	})
}

// askedPeriod returns the period of the request, or else the usual hours, as far back as the caller may look.
func (w *work) askedPeriod() period {
	of := w.period
	if of.end.IsZero() {
		of.end = w.viewer.Now()
	}
	if of.begin.IsZero() {
		of.begin = of.end.Add(-usualHours)
		if first := w.who.Earliest(of.end); of.begin.Before(first) {
			of.begin = first
		}
	}
	return of
}

// readPassing reads the tracks of the ships that came near the picture in a period, as far as the caller might have seen them. A part of a track may overlap
// that before it. Where there are too many positions the picture says so.
func (w *work) readPassing(ctx context.Context, of period, fn func(*ship.State, ship.Track)) error {
	view := w.frame.Bounds(nearby)
	left := mostFixes
	if limit := w.who.ReportLimit(); limit > 0 {
		left = min(left, limit)
	}
	err := w.viewer.Passing(ctx, func(_, _ time.Time) (geo.Rect, bool) { return view, true }, of.begin, of.end, func(s *ship.State, part ship.Track) error {
		if left -= len(part.Within(of.begin, of.end)); left < 0 {
			return errEnough
		}
		fn(s, part)
		return ctx.Err()
	}, func(time.Time) error { return ctx.Err() })
	if errors.Is(err, errEnough) || errors.Is(err, sight.ErrCrowded) { // a picture that lacks tracks says so
		k := sketch{german: w.german}
		w.canvas.Message(k.formatText("Too many positions: not all tracks are drawn."))
		return nil
	}
	return err
}

// drawTrackPart draws a part of a track, open where the ship jumped.
func (w *work) drawTrackPart(part ship.Track, looks []band) {
	unknown := render.Stroke{Class: render.Sixth, Width: 1, Pattern: render.Dashed()}
	for from, i := 0, 1; i <= len(part); i++ {
		if i < len(part) && part[i].Mark&ship.NewSegment == 0 {
			continue
		}
		cutTrack(part[from:i], looks, func(way []geo.Point, band int) {
			look := unknown
			if band >= 0 && band < len(looks) {
				look = looks[band].look
			}
			w.canvas.Line(way, look)
		})
		from = i
	}
}
