package stats

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/form"
)

// trips are the ways of ships from one call at a port to the next that overlap the period.
func trips() Kind {
	return Kind{Name: "trip", Keys: []string{"shape", "a_team"}, Check: checkSailed, Open: openTrips}
}

// sailedPlan is what is asked of trips and of the outings of pilot boats: those of Ships, or those between the ports in the shape.
type sailedPlan struct {
	Shape *AreaShape `json:"shape"`
	Ships []ais.MMSI `json:"ships,omitempty"`
}

// checkSailed reads what trips and outings have in common. With a_team the shape means nothing, and is required all the same.
func checkSailed(f *form.Fields, who Asker) (any, error) {
	f.Require("shape")
	return sailedPlan{Shape: ReadArea(f, "shape", who), Ships: ReadShips(f, "a_team")}, nil
}

// tripsAsked is a question about trips.
type tripsAsked struct {
	run   *Run
	ships []ais.MMSI      // nil for all
	ports map[uint64]bool // at both ends of a trip; nil for all
}

func openTrips(r *Run) (Question, error) {
	var p sailedPlan
	if err := r.Plan(&p); err != nil {
		return Question{}, err
	}
	q := &tripsAsked{run: r, ships: p.Ships}
	if q.ships == nil {
		var err error
		if q.ports, err = r.portsIn(p.Shape); err != nil {
			return Question{}, err
		}
	}
	return Question{Ask: q.findTrips, Callers: q.ships, Ports: q.ports}, nil
}

// findTrips looks through the calls ship by ship.
func (q *tripsAsked) findTrips(ctx context.Context) error {
	ships := q.ships
	if ships == nil {
		ships = q.run.stats.config.Calls.Callers()
	}
	for i, m := range ships {
		q.run.going.setShare(float64(i) / float64(len(ships)))
		if err := q.keepTrips(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// way is the way from one call of a ship to the next; to is nil where none is known yet.
type way struct{ from, to *portcalls.KeptCall }

// keepTrips keeps the trips of a ship, the earliest first.
func (q *tripsAsked) keepTrips(ctx context.Context, m ais.MMSI) error {
	var found []way
	var next *portcalls.KeptCall
	err := q.run.stats.config.Calls.OfShip(ctx, m, time.Time{}, endOfTime(), func(c *portcalls.KeptCall) bool {
		if !c.Found.Alongside() { // an anchorage on the way ends no trip
			return true
		}
		if trip := (way{c, next}); q.isAsked(trip) {
			found = append(found, trip)
		}
		next = c
		left := c.Departed()
		return len(found) < MostRecords && (left.IsZero() || !left.Before(q.run.Period.Begin))
	})
	for _, trip := range slices.Backward(found) {
		if err != nil {
			break
		}
		err = q.addTrip(trip)
	}
	return err
}

// endOfTime is after every call.
func endOfTime() time.Time { return time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC) }

// isAsked reports whether a way is a trip that overlaps the period, between ports that are asked for.
func (q *tripsAsked) isAsked(w way) bool {
	left := w.from.Departed()
	if left.IsZero() || !left.Before(q.run.Period.End) || q.ports != nil && !q.ports[w.from.Found.Port] {
		return false
	}
	if w.to == nil {
		return !w.from.Found.Open()
	}
	came := w.to.Arrived()
	return w.to.Trip != nil && !w.to.Trip.Shift && !came.IsZero() && !came.Before(q.run.Period.Begin) && (q.ports == nil || q.ports[w.to.Found.Port])
}

// addTrip keeps a trip, with the ship as it was when it left.
func (q *tripsAsked) addTrip(w way) error {
	stays := w.from.Found.Stays
	at := fixOf(&stays[len(stays)-1], w.from.Departed().UnixMilli())
	then, err := q.run.Past.At(w.from.MMSI, at)
	if err != nil {
		return err
	}
	passed := q.run.Filter == nil || q.run.Filter.Match(then, at.Time())
	if q.run.Looked(passed); !passed {
		return nil
	}
	data, err := json.Marshal(struct {
		Ship ResultShip `json:"ship"`
	}{Described(then)})
	if err != nil {
		return err
	}
	return q.run.Emit(Record{Call: w.from, Next: w.to, Data: data})
}
