package wms

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"slices"

	"quaywatch/handlers/request"
	"quaywatch/handlers/statistics"
	"quaywatch/handlers/wire"
	"quaywatch/ship"
	"quaywatch/sight"
)

// askedShipsBytes is the memory of the ships near a place, and of their answer.
const askedShipsBytes = 4 << 20

// askShips tells which ships are drawn at a pixel of a picture, as the caller sees them.
func (s *Server) askShips(c *request.Request, r *infoRequest) error {
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	err = s.inTurn(c, askedShipsBytes, func(ctx context.Context) error {
		ships, err := r.shipsAt(ctx, v)
		if err != nil {
			return err
		}
		return s.writeShips(&body, r.layout, ships)
	})
	if err != nil {
		return err
	}
	sendInfo(c, r.layout, body.Bytes())
	return nil
}

// shipsAt returns the ships that are drawn at the place, the nearest first. Where more than a thousand lie round it, those are looked at that are drawn first.
func (r *infoRequest) shipsAt(ctx context.Context, v *sight.Viewer) ([]ship.State, error) {
	at := newProbe(r.frame, r.x, r.y, r.most)
	view := r.frame.Around(r.x, r.y, reach).Bounds(2 * hullRadius)
	var near []ship.State
	err := v.Ships(ctx, &view, func(s *ship.State) bool {
		if s.HasFix {
			near = append(near, *s)
		}
		return len(near) < mostHeld
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(near, func(a, b ship.State) int { return cmp.Compare(a.MMSI, b.MMSI) })
	for i := range near {
		at.beginRecord(nil, nil)
		drawn := drawnOf(&near[i])
		drawn.draw(at.canvas)
		at.drawn()
	}
	ships := make([]ship.State, len(at.hits))
	for i, hit := range at.hits {
		ships[i] = near[hit.number-1]
	}
	return ships, nil
}

// writeShips writes ships as those of an area are written.
func (s *Server) writeShips(to *bytes.Buffer, l statistics.ExportLayout, ships []ship.State) error {
	switch l {
	case statistics.JSON:
		wire.List(to, ships, s.deps.Register, (*wire.Object).AreaRecord)
		return nil
	case statistics.GeoJSON:
		wire.ShipsGeoJSON(to, ships)
		return nil
	}
	var table bytes.Buffer
	wire.ShipsCSV(&table, ships)
	return wire.Plain(to, &table)
}

// sendInfo sends what lies at a pixel.
func sendInfo(c *request.Request, l statistics.ExportLayout, body []byte) {
	kind := string(l)
	if l == statistics.Plain {
		kind += "; charset=utf-8"
	}
	c.Writer.Header().Set("Cache-Control", "private, no-cache")
	c.Send(http.StatusOK, kind, body)
}
