package wms

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"unsafe"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/render"
	"quaywatch/ship"
)

// Bounds of the ships of a picture, and how large one is drawn, in pixels.
const (
	mostShips  = 100_000
	hullRadius = 8
	dotRadius  = 4
)

// slowest is the speed in knots from which a ship makes way, as the client has it.
const slowest = 0.5

// drawnShip is what a picture needs of a ship.
type drawnShip struct {
	at      geo.Point
	mmsi    ais.MMSI
	name    string // "" is none
	bearing float64
	hull    bool // it makes way towards the bearing
	faint   bool // it was silent for long
	class   render.ColorClass
	shape   render.MarkShape // where it has no hull
}

// shipsBytes is the memory of all ships of a picture.
const shipsBytes = mostShips * int64(unsafe.Sizeof(drawnShip{}))

// drawShips draws the ships of now, as the caller sees them. They are drawn by their number, so that a picture is the same while no ship moves; those in
// distress lie on top. They have names where those fit and few are shown.
func drawShips(ctx context.Context, w *work) error {
	view := w.frame.Bounds(nearby)
	var all []drawnShip
	more := false
	err := w.viewer.Ships(ctx, &view, func(s *ship.State) bool {
		if !s.HasFix {
			return true
		}
		if len(all) == mostShips {
			more = true
			return false
		}
		all = append(all, drawnOf(s))
		return true
	})
	if err != nil {
		return err
	}
	slices.SortFunc(all, func(a, b drawnShip) int {
		return cmp.Or(cmp.Compare(a.drawLayer(), b.drawLayer()), cmp.Compare(a.mmsi, b.mmsi))
	})
	for i := range all {
		all[i].draw(w.canvas)
	}
	if len(all) <= mostNamed {
		for i := range all {
			w.canvas.Name(all[i].at, all[i].title(), hullRadius+4, -8)
		}
	}
	if more { // a picture that lacks ships says so
		k := sketch{german: w.german}
		w.canvas.Message(k.formatText("More than %d ships: not all of them are drawn.", mostShips))
	}
	return nil
}

// drawnOf returns what a picture needs of a ship, which may change afterwards.
func drawnOf(s *ship.State) drawnShip {
	d := drawnShip{at: s.Fix.Point(), mmsi: s.MMSI, faint: s.Age != ship.Live}
	d.class, d.shape = looksOf(s)
	if s.Static != nil {
		d.name = s.Static.Name
	}
	knots, known := s.Fix.SOG.Knots()
	if d.shape != render.Disc || !known || knots < slowest || s.AtRest() {
		return d
	}
	if degrees, ok := s.Fix.Heading.Degrees(); ok {
		d.bearing, d.hull = float64(degrees), true
	} else if degrees, ok := s.Fix.COG.Degrees(); ok {
		d.bearing, d.hull = degrees, true
	}
	return d
}

// drawLayer reports whether the ship lies over others: one in distress does.
func (d *drawnShip) drawLayer() int {
	if d.shape == render.Cross {
		return 1
	}
	return 0
}

// title returns what stands beside the ship: its name, else its number.
func (d *drawnShip) title() string {
	return cmp.Or(d.name, fmt.Sprintf("%09d", d.mmsi))
}

// draw draws the ship.
func (d *drawnShip) draw(on *render.Canvas) {
	switch {
	case d.hull:
		on.Vessel(d.at, d.bearing, d.class, hullRadius, d.faint)
	case d.faint:
		on.FaintMark(d.at, d.shape, d.class, dotRadius)
	default:
		on.Mark(d.at, d.shape, d.class, dotRadius+2*d.drawLayer())
	}
}

// looksOf returns the colour of a ship, and the mark of one that makes no way, in the manner of the client.
func looksOf(s *ship.State) (render.ColorClass, render.MarkShape) {
	switch s.Class {
	case ship.ClassSART, ship.ClassMOB, ship.ClassEPIRB:
		return render.Second, render.Cross
	case ship.ClassBase, ship.ClassCoast:
		return render.Other, render.Square
	case ship.ClassAtoN:
		return render.Fourth, render.Diamond
	case ship.ClassSAR:
		return render.Fishing, render.Disc
	}
	if s.Static == nil {
		return render.Other, render.Disc
	}
	return classOf(s.Static.Type), render.Disc
}

// classOf returns the colour of a type of ship (ITU-R M.1371-5, table 53).
func classOf(code ais.ShipType) render.ColorClass {
	switch code {
	case 30:
		return render.Fishing
	case 31, 32, 33, 34, 50, 52, 53, 54, 58:
		return render.Service
	case 35, 51, 55:
		return render.Authority
	case 36, 37:
		return render.Leisure
	}
	switch code / 10 {
	case 2, 4:
		return render.Fourth // fast craft
	case 6:
		return render.Passenger
	case 7:
		return render.Cargo
	case 8:
		return render.Tanker
	}
	return render.Other
}
