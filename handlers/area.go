package handlers

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"quaywatch/access"
	"quaywatch/geo"
	"quaywatch/jobs"
	"quaywatch/ship"
)

// areaDuration is how far an area request looks back when it does not say.
const areaDuration = 24 * time.Hour

// nowWithin is how far from now a time may lie that still means now.
const nowWithin = time.Minute

// areaFound is the result of an area job.
type areaFound struct {
	ships []ship.State
	pace  string // at which the caller was told
}

// startArea begins looking for the ships in an area.
func (s *Server) startArea(c *call) error {
	f, err := bind(c.Writer, c.Request, maxShapeBody)
	if err != nil {
		return err
	}
	area := f.polygon("area")
	who := c.caller.user
	usual := areaDuration
	if reach := who.Lookback(); reach > 0 {
		usual = min(usual, reach)
	}
	lookBack := f.duration("duration", usual)
	if text := f.text("time"); text != "" && !strings.EqualFold(text, "now") {
		if at := f.time("time", time.Time{}); !at.IsZero() && !s.isNow(at) {
			return &problem{status: http.StatusBadRequest, code: codeUnsupported, detail: "/time only now is supported",
				fields: []fieldError{{"/time", "must be now, or within 60 s of it"}}}
		}
	}
	if err := f.err(); err != nil {
		return err
	}
	if err := errors.Join(mayReport(who, access.ReportArea), s.lookback(who, s.pictureNow().Add(-lookBack))); err != nil {
		return err
	}
	d, err := s.door(c)
	if err != nil {
		return err
	}
	since := d.now().Add(-lookBack)
	id, err := s.areas.Start(c.caller.key, int(who.ReportPriority()), func(ctx context.Context) (areaFound, error) {
		ships, err := d.shipsIn(ctx, area, since)
		if err != nil {
			return areaFound{}, err
		}
		return areaFound{ships, d.world.key}, tooLarge(len(ships), who.ReportLimit(), "ask for a smaller area or a shorter duration")
	})
	if err != nil {
		return tooManyJobs(err)
	}
	return s.sendJSON(c, http.StatusOK, jobAnswer{id})
}

// polygon gives the shape of a field, which must be a polygon.
func (f *fields) polygon(key string) geo.Polygon {
	if !f.given(key) {
		f.refuse(key, "is required")
		return nil
	}
	shape, err := geo.ParseShape(f.raw[key])
	var broken *geo.ShapeError
	switch {
	case errors.As(err, &broken):
		f.refuse(key+broken.Pointer, broken.Rule)
		return nil
	case err != nil:
		f.refuse(key, err.Error())
		return nil
	}
	area, ok := shape.(geo.Polygon)
	if !ok {
		f.refuse(key+"/type", "must be Polygon")
	}
	return area
}

// isNow tells whether a time means now, by our clock or by that of a log that is played.
func (s *Server) isNow(at time.Time) bool {
	near := func(now time.Time) bool {
		return math.Abs(float64(at.Sub(now))) <= float64(nowWithin)
	}
	return near(s.config.Now()) || near(s.pictureNow())
}

// pictureNow is the picture's time, ours before it has one.
func (s *Server) pictureNow() time.Time {
	if now := s.deps.Picture.Now(); !now.IsZero() {
		return now
	}
	return s.config.Now()
}

// shipsIn gives the ships whose latest position is not older than since and lies in the area.
func (d *door) shipsIn(ctx context.Context, area geo.Polygon, since time.Time) ([]ship.State, error) {
	bounds := area.Bounds()
	oldest := since.UnixMilli()
	near := func(state *ship.State) bool {
		return state.HasFix && state.Fix.At >= oldest && bounds.Contains(state.Fix.Point())
	}
	var ships []ship.State
	d.world.picture.Remembered(bounds, func(state *ship.State) bool {
		if near(state) {
			ships = append(ships, *state)
		}
		return true
	})
	err := d.eachStored(func(state *ship.State) bool { return ctx.Err() == nil && near(state) }, func(state *ship.State) {
		if near(state) {
			ships = append(ships, *state)
		}
	})
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return nil, fmt.Errorf("ships in an area: %w", err)
	}
	ships = d.shownOf(ships)
	inside := ships[:0]
	for i := range ships {
		if area.Contains(ships[i].Fix.Point()) {
			inside = append(inside, ships[i])
		}
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
	}
	return inside, nil
}

// areaResult gives the ships, once.
func (s *Server) areaResult(c *call) error {
	id, err := pathNumber(c, "id")
	if err != nil {
		return err
	}
	f, err := chooseForm(c, shipForms())
	if err != nil {
		return err
	}
	found, _, err := fetchJob(s, c, s.areas, id)
	if errors.Is(err, jobs.ErrRunning) {
		return s.sendRunning(c, id, areaRetry)
	}
	if err != nil {
		return err
	}
	d, err := s.door(c) // filter and pace may have changed since
	if err != nil {
		return err
	}
	if found.pace != d.world.key {
		return noJob()
	}
	ships := d.shownOf(found.ships)
	switch f.name {
	case "geojson":
		return s.sendForm(c, f, "", shipsGeoJSON(ships))
	case "csv":
		return s.sendForm(c, f, fmt.Sprintf("area-%d", id), shipsCSV(ships))
	}
	return s.sendList(c, f, ships, (*object).areaRecord)
}
