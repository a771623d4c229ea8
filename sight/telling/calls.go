package telling

import (
	"context"
	"errors"
	"iter"
	"maps"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/store/records"
)

// CallReader reads the calls of ships at ports as listeners are told of them. Whoever answers users has no other way to them.
type CallReader struct{ calls *portcalls.Calls }

// NewCallReader makes the reader of the calls that are kept.
func NewCallReader(kept *portcalls.Calls) *CallReader { return &CallReader{kept} }

// ToldCall is a call as a listener is told of it.
type ToldCall struct {
	portcalls.KeptCall
	listener *Listener
}

// Shown reports whether the listener sees the ship, and could have seen it there and then. Of a call that is not shown nothing is told.
func (c *ToldCall) Shown() bool { return c.listener.Viewer.May(firstSeen(&c.KeptCall)) }

// Call returns a call as the listener is told of it by now. It is false where the listener is told nothing of it as yet. What the listener wrote itself is told
// at once. Without view_ata_atd it is told what was known at the last quarter of an hour. Else whoever asked each second would learn when a ship came.
func (l *Listener) Call(of *ship.State, c *portcalls.KeptCall) (told ToldCall, known bool) {
	until, late := l.toldUntil(of)
	if !late {
		return ToldCall{*c, l}, true
	}
	then, known := c.AsOf(until, l.User.Name)
	return ToldCall{then, l}, known
}

// firstSeen tells where and when the ship of a call was first seen in it.
func firstSeen(c *portcalls.KeptCall) sight.Sighting {
	first := &c.Found.Stays[0]
	return sight.Sighting{MMSI: c.MMSI, Time: first.Seen.Time(), Place: geo.Point{Lon: first.Lon, Lat: first.Lat}, Feeds: c.Feeds}
}

// OfShip hands the calls of a ship that overlap begin <= time < end to take, the latest first. take gets them as the listener is told of them. Those of which
// it is told nothing as yet are left out. It ends when take wants no more.
func (c *CallReader) OfShip(ctx context.Context, l *Listener, of *ship.State, begin, end time.Time, take func(told *ToldCall) (more bool)) error {
	return c.calls.OfShip(ctx, of.MMSI, begin, end, func(found *portcalls.KeptCall) bool {
		told, known := l.Call(of, found)
		return !known || take(&told)
	})
}

// ByID returns a call by its number as a listener is told of it, and its ship. It fails with portcalls.ErrUnknown where the listener may know of no such call.
func (c *CallReader) ByID(ctx context.Context, l *Listener, id int64) (told ToldCall, of ship.State, err error) {
	var found portcalls.KeptCall
	err = l.Viewer.Read(ctx, func() (err error) {
		found, err = c.calls.Call(id)
		return err
	})
	if err == nil {
		of, err = l.Ship(found.MMSI)
	}
	if errors.Is(err, sight.ErrUnknown) {
		err = portcalls.ErrUnknown
	}
	if err != nil {
		return told, of, err
	}
	told, known := l.Call(&of, &found)
	if !known || !told.Shown() {
		return ToldCall{}, of, portcalls.ErrUnknown
	}
	return told, of, nil
}

// Change confirms a call of a ship, or corrects its times, in one commit with also. It returns the call as the listener is told of it then, and fails as
// portcalls.Change does.
func (c *CallReader) Change(l *Listener, of *ship.State, id int64, e portcalls.Edit, also ...records.CommitPart) (ToldCall, error) {
	changed, err := c.calls.Change(id, e, also...)
	if err != nil {
		return ToldCall{}, err
	}
	told, known := l.Call(of, &changed)
	if !known {
		return told, portcalls.ErrUnknown
	}
	return told, nil
}

// Delete takes away a call that was none, in one commit with also. It fails as portcalls.Delete does.
func (c *CallReader) Delete(id int64, by string, also ...records.CommitPart) error {
	return c.calls.Delete(id, by, also...)
}

// Visitors are ships with calls. A listener gets those that it sees.
type Visitors struct{ numbers []ais.MMSI }

// Len returns how many there are, of which a listener may see some.
func (v Visitors) Len() int { return len(v.numbers) }

// atOnce is how many ships are handed on at once.
const atOnce = 256

// Seen yields the ships that a listener sees, by number, some at a time. It reads in turns with other callers.
func (v Visitors) Seen(ctx context.Context, l *Listener) iter.Seq2[[]ship.State, error] {
	return func(yield func([]ship.State, error) bool) {
		for some := range slices.Chunk(v.numbers, atOnce) {
			if ships, err := l.ships(ctx, some); !yield(ships, err) || err != nil {
				return
			}
		}
	}
}

// ships returns those of some ships that the listener sees.
func (l *Listener) ships(ctx context.Context, numbers []ais.MMSI) (seen []ship.State, err error) {
	err = l.Viewer.Read(ctx, func() error {
		for _, m := range numbers {
			found, err := l.Ship(m)
			if errors.Is(err, sight.ErrUnknown) {
				continue
			}
			if err != nil {
				return err
			}
			seen = append(seen, found)
		}
		return nil
	})
	return seen, err
}

// Visitors returns the ships that are in a port, and those that left it in the last portcalls.VisitorsKept.
func (c *CallReader) Visitors(port uint64) Visitors { return Visitors{c.calls.Visitors(port)} }

// InPort returns the ships that are in any port by what a listener is told, and some that have left. What is stored may be a few minutes older than what
// filters know. now is the time of the picture.
func (c *CallReader) InPort(l *Listener, now time.Time) Visitors {
	return Visitors{portcalls.InPort(c.calls, now.Add(-sight.Awaits(l.Viewer, now)-2*portcalls.Quarter))}
}

// FoundCalls are calls that were read, and of which nobody is told as yet.
type FoundCalls struct {
	byShip map[ais.MMSI][]*portcalls.KeptCall
}

// AtPort reads the calls at a port in which the ship was first seen at rest in from <= time < to. It reads most calls of all ports, and returns how many it
// read. It reads in turns with other callers.
func (c *CallReader) AtPort(ctx context.Context, l *Listener, port uint64, from, to time.Time, most int) (found FoundCalls, read int, err error) {
	found.byShip = map[ais.MMSI][]*portcalls.KeptCall{}
	err = l.Viewer.Read(ctx, func() error {
		return c.calls.InTime(ctx, from, to, func(c *portcalls.KeptCall) bool {
			if read++; c.Found.Port == port {
				found.byShip[c.MMSI] = append(found.byShip[c.MMSI], c)
			}
			return read < most
		})
	})
	return found, read, err
}

// Ships returns the ships of the calls.
func (f *FoundCalls) Ships() Visitors { return Visitors{slices.Sorted(maps.Keys(f.byShip))} }

// OfShip hands the calls of a ship to take, as Calls.OfShip does.
func (f *FoundCalls) OfShip(l *Listener, of *ship.State, take func(told *ToldCall) (more bool)) {
	for _, c := range f.byShip[of.MMSI] {
		if told, known := l.Call(of, c); known && !take(&told) {
			return
		}
	}
}
