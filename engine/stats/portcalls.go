package stats

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/ship/statistic"
)

// entered is how long before the ship was first seen at rest a user may say that a call began.
const entered = 24 * time.Hour

// portCalls are the calls of ships at ports that overlap the period.
func portCalls() Kind {
	return Kind{Name: "portcalls", Keys: []string{"shape", "mmsi", "ports", "shiplist"}, Check: checkPortCalls, Open: openPortCalls}
}

// callsPlan is what is asked: one of its fields is set.
type callsPlan struct {
	Shape    *AreaShape `json:"shape,omitempty"`
	Ships    []ais.MMSI `json:"ships,omitempty"`
	Ports    []uint64   `json:"ports,omitempty"`
	ShipList string     `json:"shiplist,omitempty"`
}

func checkPortCalls(f *form.Fields, who Asker) (any, error) {
	var p callsPlan
	given := OneOf(f, "shape", "mmsi", "ports", "shiplist")
	switch given {
	case "shape":
		p.Shape = ReadArea(f, "shape", who)
	case "mmsi":
		p.Ships = ReadShips(f, "mmsi")
	case "ports":
		p.Ports = readPorts(f, "ports", who)
	case "shiplist":
		p.ShipList = ReadShipList(f, "shiplist", who)
	}
	return p, nil
}

// callsAsked is a question about calls.
type callsAsked struct {
	run    *Run
	plan   callsPlan
	ports  map[uint64]bool        // nil for all
	listed func(*ship.State) bool // nil for all
}

func openPortCalls(r *Run) (Question, error) {
	q := &callsAsked{run: r}
	if err := r.Plan(&q.plan); err != nil {
		return Question{}, err
	}
	switch {
	case q.plan.Shape != nil:
		var err error
		if q.ports, err = r.portsIn(q.plan.Shape); err != nil {
			return Question{}, err
		}
	case q.plan.Ports != nil:
		q.ports = map[uint64]bool{}
		for _, id := range q.plan.Ports {
			q.ports[id] = true
		}
	case q.plan.ShipList != "":
		var err error
		if q.listed, err = r.shipList(q.plan.ShipList); err != nil {
			return Question{}, err
		}
	}
	return Question{Ask: q.findCalls, Callers: q.plan.Ships, Ports: q.ports}, nil
}

// portsIn returns the ports whose position lies in an area. It warns where there is none.
func (r *Run) portsIn(a *AreaShape) (map[uint64]bool, error) {
	area, err := a.Open(r.Names)
	if err != nil {
		return nil, err
	}
	ports := map[uint64]bool{}
	for _, p := range r.stats.config.Ports().All() {
		if area.Contains(p.Position) {
			ports[p.ID] = true
		}
	}
	if len(ports) == 0 {
		r.Warn(rule.New("stat_no_ports", "no port lies in the shape"))
	}
	return ports, nil
}

// findCalls looks through the calls. Those of a ship are kept one after the other. Those of all are in the order of their beginnings, from the first on, because a
// ship may have lain in port for years.
func (q *callsAsked) findCalls(ctx context.Context) error {
	voyages, period := q.run.stats.config.Calls, q.run.Period
	if q.plan.Ships == nil {
		return q.each(func(take func(*portcalls.KeptCall) bool) error {
			return voyages.InTime(ctx, time.UnixMilli(0), period.End.Add(entered), take)
		})
	}
	for _, m := range q.plan.Ships {
		err := q.each(func(take func(*portcalls.KeptCall) bool) error {
			var all []*portcalls.KeptCall
			err := voyages.OfShip(ctx, m, period.Begin, period.End, func(c *portcalls.KeptCall) bool {
				all = append(all, c)
				return len(all) < MostRecords
			})
			for _, c := range slices.Backward(all) {
				if err != nil || !take(c) {
					break
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each takes the calls that a reading hands over.
func (q *callsAsked) each(read func(take func(*portcalls.KeptCall) bool) error) (err error) {
	wrong := read(func(c *portcalls.KeptCall) bool {
		q.run.Tell(c.Found.Stays[0].Seen.Time())
		err = q.addCall(c)
		return err == nil
	})
	if err == nil {
		err = wrong
	}
	return err
}

// addCall keeps a call that is asked for.
func (q *callsAsked) addCall(c *portcalls.KeptCall) error {
	if q.ports != nil && !q.ports[c.Found.Port] || !overlaps(c, q.run.Period) {
		return nil
	}
	first := &c.Found.Stays[0]
	at := fixOf(first, int64(first.Seen))
	then, err := q.run.Past.At(c.MMSI, at)
	if err != nil {
		return err
	}
	if q.listed != nil && !q.listed(then) {
		return nil
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
	return q.run.Emit(Record{Call: c, Data: data})
}

// fixOf returns a ship at rest at a time in Unix milliseconds.
func fixOf(s *portcall.Stay, ms int64) ship.Fix {
	return ship.Fix{At: ms, Lon: int32(math.Round(s.Lon / ais.PlaceUnit)), Lat: int32(math.Round(s.Lat / ais.PlaceUnit)), Status: ais.StatusUndefined}
}

// overlaps reports whether the ship lay in port in the period.
func overlaps(c *portcalls.KeptCall, period statistic.Period) bool {
	came, left := c.Arrived(), c.Departed()
	if came.IsZero() {
		came = c.Found.Stays[0].Seen.Time()
	}
	if left.IsZero() {
		left = c.Found.Left.Time()
	}
	return came.Before(period.End) && (left.IsZero() || !left.Before(period.Begin))
}
