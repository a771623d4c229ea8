package portcalls

import (
	"context"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
)

// Voyage is what the positions tell of the way between two calls.
type Voyage struct {
	Metres float64       `json:"metres"`            // along the positions; over times without any the great circle
	MaxSOG float64       `json:"max_sog,omitempty"` // knots
	AvgSOG float64       `json:"avg_sog"`           // knots: the way by the time
	Gap    time.Duration `json:"gap,omitempty"`     // the times of more than ship.GapLimit without a position, in all
	Shift  bool          `json:"shift,omitempty"`   // too short to be a trip: the ship came back to the port that it had left
}

// The least that a trip back to the port of its departure takes. Below both the ship only shifted.
const (
	leastTrip = 10 * time.Minute
	leastWay  = 500.0 // metres
)

// passage reads the way of a ship between two times, day by day.
func passage(ctx context.Context, db *store.DB, m ais.MMSI, from, to time.Time) (p Voyage, err error) {
	var last ship.Fix
	for begin := from; begin.Before(to); begin = begin.Add(24 * time.Hour) {
		end := begin.Add(24 * time.Hour)
		if !end.Before(to) {
			end = to.Add(time.Millisecond) // the position at the end is of the way
		}
		part, err := db.Track(ctx, m, begin, end)
		if err != nil {
			return p, err
		}
		for _, f := range part.Within(begin, end).Trusted() {
			p.addLeg(last, f)
			last = f
		}
	}
	if hours := to.Sub(from).Hours(); hours > 0 {
		p.AvgSOG = p.Metres / 1852 / hours
	}
	return p, nil
}

// addLeg adds the way from one position to the next.
func (p *Voyage) addLeg(from, to ship.Fix) {
	if knots, ok := to.SOG.Knots(); ok && to.Mark&ship.NewSegment == 0 {
		p.MaxSOG = max(p.MaxSOG, knots)
	}
	if from.At == 0 {
		return
	}
	leg := ship.Leg{From: from, To: to}
	p.Metres += leg.Length()
	if leg.Duration() > ship.GapLimit {
		p.Gap += leg.Duration()
	}
}
