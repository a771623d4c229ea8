package ships

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"
	"unsafe"

	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/users/access"
)

// areaDuration is how far an area looks back when the caller does not say.
const areaDuration = 24 * time.Hour

// nowWithin is how far from now a time may lie that still means now.
const nowWithin = time.Minute

// startArea starts a job that finds the ships in an area.
func (s *Server) startArea(c *request.Request) error {
	f, err := c.Bind(request.MaxShapeBody)
	if err != nil {
		return err
	}
	area := f.Polygon("area")
	who := c.Caller.User
	usual := areaDuration
	if reach := who.Lookback(); reach > 0 {
		usual = min(usual, reach)
	}
	lookBack := f.Duration("duration", usual)
	if text := f.Text("time"); text != "" && !strings.EqualFold(text, "now") {
		if at := f.Time("time", time.Time{}); !at.IsZero() && !s.isNow(at) {
			return &request.Problem{Status: http.StatusBadRequest, Code: request.CodeUnsupported, Rule: rule.New("only_now", "/time only now is supported"),
				Fields: form.Errors{{Pointer: "/time", Rule: rule.New("now", "must be now, or within {seconds} s of it", "seconds", 60)}}}
		}
	}
	if err := f.Err(); err != nil {
		return err
	}
	if err := errors.Join(request.MayReport(who, access.ReportArea), s.deps.Desk.LookBack(who, s.deps.Desk.Sight.Now().Add(-lookBack))); err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	since := v.Now().Add(-lookBack)
	return s.areas.Start(c, http.StatusOK, v, func(ctx context.Context) (*found, error) {
		ships, ok := s.states.Get().(*found)
		if !ok {
			ships = new(found)
		}
		inside, err := v.Inside(ctx, (*ships)[:0], area, since)
		if err != nil {
			return nil, err
		}
		*ships = inside
		return ships, tooLarge(len(inside), who.ReportLimit())
	})
}

// found is the result of an area.
type found []ship.State

// Bytes tells how much memory the result holds, but for what the picture holds anyway.
func (f *found) Bytes() int64 {
	if f == nil {
		return 0
	}
	return bytesOf(cap(*f))
}

// bytesOf tells how much memory so many ships take, but for what the picture holds anyway.
func bytesOf(ships int) int64 { return int64(ships) * int64(unsafe.Sizeof(ship.State{})) }

// isNow reports whether a time means now, by our clock or by that of a log that is played.
func (s *Server) isNow(at time.Time) bool {
	near := func(now time.Time) bool {
		return math.Abs(float64(at.Sub(now))) <= float64(nowWithin)
	}
	return near(s.deps.Now()) || near(s.deps.Desk.Sight.Now())
}

// areaResult returns the ships of an area job, once.
func (s *Server) areaResult(c *request.Request) error {
	id, err := c.PathNumber("id")
	if err != nil {
		return err
	}
	f, err := c.Choose(request.ShipLayouts())
	if err != nil {
		return err
	}
	inside, _, v, err := s.areas.Result(c, id)
	if v == nil || err != nil {
		return err
	}
	defer s.states.Put(inside)
	ships, err := v.Shown(c.HTTP.Context(), *inside) // the filter may have changed since the start
	if err != nil {
		return err
	}
	return sendShips(c, f, fmt.Sprintf("area-%d", id), ships, func(w io.Writer) {
		wire.List(w, ships, s.deps.Register.Get, (*wire.Object).AreaRecord)
	})
}

// sendShips sends ships in a layout, as a file of that name where it is one. list writes them as JSON.
func sendShips(c *request.Request, f request.Layout, file string, ships []ship.State, list func(io.Writer)) error {
	return c.SendParts(f, file, func(w io.Writer) {
		switch f.Name {
		case "geojson":
			wire.ShipsGeoJSON(w, ships)
		case "csv":
			wire.ShipsCSV(w, ships)
		default:
			list(w)
		}
	})
}
