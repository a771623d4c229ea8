//go:build !race

package stats

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// within returns the same world, asked for another period.
func (x *sailed) within(t *testing.T, begin, end time.Time) *sailed {
	part := *x
	part.t, part.begin, part.end = t, begin, end
	return &part
}

// tripsByHand finds trips in the slow way: it sorts all calls and looks at each two in a row.
func (x *sailed) tripsByHand(ports map[uint64]bool) (all []string) {
	ships := map[ais.MMSI][]portcalls.KeptCall{}
	err := x.config.Calls.InTime(x.t.Context(), x.begin.AddDate(-1, 0, 0), x.end.AddDate(1, 0, 0), func(c *portcalls.KeptCall) bool {
		if slices.ContainsFunc(c.Found.Stays, func(s portcall.Stay) bool { return s.Kind == portcall.Berthed }) {
			ships[c.MMSI] = append(ships[c.MMSI], *c)
		}
		return true
	})
	if err != nil {
		x.t.Fatal(err)
	}
	for m, calls := range ships {
		slices.SortFunc(calls, func(a, b portcalls.KeptCall) int { return int(a.Found.Stays[0].Seen - b.Found.Stays[0].Seen) })
		for i, from := range calls {
			left := from.Departed()
			switch {
			case left.IsZero() || !left.Before(x.end) || !ports[from.Found.Port]:
			case i+1 == len(calls):
				if from.Found.Left != 0 {
					all = append(all, fmt.Sprint(m, left.UnixMilli(), 0))
				}
			default:
				to := calls[i+1]
				came := to.Arrived()
				if came.IsZero() || came.Before(x.begin) || !ports[to.Found.Port] {
					continue
				}
				back := from.Found.Port == to.Found.Port && (came.Sub(left) < 10*time.Minute || x.metres(m, left, came) < 500)
				if !back {
					all = append(all, fmt.Sprint(m, left.UnixMilli(), came.UnixMilli()))
				}
			}
		}
	}
	slices.Sort(all)
	return all
}

// metres returns the way of a ship between two times, both included.
func (x *sailed) metres(m ais.MMSI, from, to time.Time) (sum float64) {
	track, err := x.config.DB.Track(x.t.Context(), m, from, to.Add(time.Millisecond))
	if err != nil {
		x.t.Fatal(err)
	}
	var last *ship.Fix
	for i := range track {
		if f := &track[i]; f.At >= from.UnixMilli() && f.At <= to.UnixMilli() {
			if last != nil {
				sum += geo.Distance(last.Point(), f.Point())
			}
			last = f
		}
	}
	return sum
}

// tripsAgainstHand compares trips with the slow way, for the whole time, for parts of it, and for periods that begin or end at the moment of an end of a trip, and
// a millisecond beside it. It asks for both ports and for one.
func (x *sailed) tripsAgainstHand(t *testing.T) {
	both, one := map[uint64]bool{}, map[uint64]bool{x.ports["DKAAR"]: true}
	for _, id := range x.ports {
		both[id] = true
	}
	const aarhus = `"shape":{"type":"Polygon","coordinates":[[[9.5,55.8],[11.2,55.8],[11.2,56.5],[9.5,56.5],[9.5,55.8]]]}`
	r := rand.New(rand.NewPCG(5, 6))
	whole := slices.DeleteFunc(x.ask("trip", world), func(r *Record) bool { return r.Next == nil })
	total := 0
	for n := range 24 {
		moment, other := x.begin.Add(time.Duration(r.Int64N(int64(x.end.Sub(x.begin))))).Truncate(time.Second), x.end
		if way := whole[r.IntN(len(whole))]; n%4 == 1 {
			moment = way.Next.Arrived().Add(time.Duration(r.IntN(2)) * time.Millisecond) // a trip that ends at begin counts
		} else if n%4 == 2 {
			moment, other = x.begin, way.Call.Departed().Add(time.Duration(r.IntN(2))*time.Millisecond) // one that begins at end does not
		} else if n%4 == 3 {
			other = moment.Add(time.Hour)
		}
		part := x.within(t, moment, other)
		ports, shape := both, world
		if n%5 == 4 {
			ports, shape = one, aarhus
		}
		var got []string
		for _, r := range part.ask("trip", shape) {
			came := int64(0)
			if r.Next != nil {
				came = r.Next.Arrived().UnixMilli()
			}
			got = append(got, fmt.Sprint(r.Call.MMSI, r.Call.Departed().UnixMilli(), came))
		}
		slices.Sort(got)
		want := part.tripsByHand(ports)
		if total += len(want); !slices.Equal(got, want) {
			t.Errorf("from %v to %v: %d trips, by hand %d", part.begin, part.end, len(got), len(want))
		}
	}
	if t.Logf("%d trips by hand", total); total < 200 {
		t.Errorf("only %d trips", total)
	}
}

// inParts asks the same of parts of the time, cut where something was found, and wants what the whole gives.
func (x *sailed) inParts(t *testing.T) {
	for kind, more := range map[string]string{"pilotboat": world, "transitpilot": x.twoShapes()} {
		whole := x.operations(kind, more)
		r := rand.New(rand.NewPCG(7, 8))
		cuts := []time.Time{x.begin, x.end}
		for range 5 { // at the moment of an operation, and a millisecond later
			at := whole[r.IntN(len(whole))].at
			cuts = append(cuts, at.Add(time.Duration(r.IntN(2))*time.Millisecond))
		}
		slices.SortFunc(cuts, time.Time.Compare)
		var parts []told
		for i, begin := range slices.Compact(cuts) {
			if i+1 < len(slices.Compact(cuts)) && cuts[i+1].After(begin) {
				parts = append(parts, x.within(t, begin, cuts[i+1]).operations(kind, more)...)
			}
		}
		if got, want := texts(parts), texts(whole); !slices.Equal(got, want) || len(want) < 30 {
			t.Errorf("%s: %d operations in parts, %d in the whole", kind, len(got), len(want))
		}
	}
}

// told is a work of pilots in a result.
type told struct {
	at   time.Time
	text string
}

// texts returns the works in order.
func texts(all []told) (list []string) {
	for _, one := range all {
		list = append(list, one.text)
	}
	slices.Sort(list)
	return list
}

// operations returns the operations of outings, or the pilotages.
func (x *sailed) operations(kind, more string) (all []told) {
	x.t.Helper()
	for _, r := range x.ask(kind, more) {
		var one struct {
			Ship       struct{ MMSI ais.MMSI }
			Operations []served
			Pilot      []served
		}
		if err := json.Unmarshal(r.Data, &one); err != nil {
			x.t.Fatal(err)
		}
		for _, o := range one.Operations {
			all = append(all, told{o.At, fmt.Sprint(one.Ship.MMSI, o)})
		}
		if len(one.Pilot) > 0 {
			all = append(all, told{one.Pilot[0].At, fmt.Sprint(one.Ship.MMSI, one.Pilot)})
		}
	}
	return all
}
