package portcalls

import (
	"context"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship/berthing"
	"quaywatch/ship/portcall"
	"quaywatch/store"
	"quaywatch/store/records"
)

// Bounds of what places are found in, and how long they are given again.
const (
	mostPlaceCalls = 30_000 // the latest calls of all ports
	placesKept     = 10 * time.Minute
)

// LyingPlaces are where ships lay again and again in the calls at a port.
type LyingPlaces struct {
	Berths, Anchorages []berthing.LyingPlace
	Stays              int // in which they were looked for
}

// Lain are the calls at a port, as places are found in them. It is not changed any more.
type Lain struct {
	Found time.Time   // by the picture
	All   LyingPlaces // that three ships or more used: they tell of none
	calls []LainCall
	stays [2]lainStays // alongside, and at anchor
}

// LainCall is a call as far as it decides which caller may know of its stays.
type LainCall struct {
	MMSI        ais.MMSI
	First, Last time.Time // when the ship was first and last seen at rest
	Place       geo.Point // where it was first seen at rest
	Feeds       []string  // that heard the ship then
}

// lainStays are stays, each with the index of its call.
type lainStays struct {
	stays []berthing.BerthStay
	calls []int32
}

// Few returns the places that fewer than three ships used, in the stays of the calls that may lets pass. They may tell of a single ship.
func (l *Lain) Few(may func(*LainCall) bool) LyingPlaces {
	passed := make([]bool, len(l.calls))
	for i := range l.calls {
		passed[i] = may(&l.calls[i])
	}
	alongside, anchored := l.stays[0].staysOf(passed), l.stays[1].staysOf(passed)
	return LyingPlaces{
		berthing.FewAlongside(alongside, l.All.Berths), berthing.FewAnchorages(anchored, l.All.Anchorages), len(alongside) + len(anchored),
	}
}

func (l *lainStays) staysOf(passed []bool) (some []berthing.BerthStay) {
	for i, call := range l.calls {
		if passed[call] {
			some = append(some, l.stays[i])
		}
	}
	return some
}

// places are those of all ports, as they were found last. They are found with all that is known now, and as it was known at the end of a day.
type places struct {
	turn      chan struct{} // holds one while they are looked for or read
	now, days foundPlaces
}

// foundPlaces is what was found at one time.
type foundPlaces struct {
	at    time.Time // of the picture; zero for never
	ports map[uint64]*Lain
}

// dayOf returns the end of a day, in UTC: as long ago as the longest delay of a user, or longer.
func dayOf(now time.Time) time.Time { return now.Add(-24 * time.Hour).Truncate(24 * time.Hour) }

// LainAt returns where ships lay in the latest calls at a port, as they are known now. With dayKnown it is as they were known at the end of a day that is over
// for 24 hours. That is for callers that may not learn what ships did since. They are found at most each ten minutes, for all ports at once, by one caller at a
// time. It fails when ctx ends.
func (v *Calls) LainAt(ctx context.Context, port uint64, dayKnown bool) (*Lain, error) {
	select {
	case v.places.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-v.places.turn }()
	now := v.pictureTime()
	kept, until := &v.places.now, time.Time{}
	if dayKnown {
		kept, until = &v.places.days, dayOf(now)
	}
	if kept.ports == nil || now.Sub(kept.at).Abs() >= placesKept {
		ports, err := v.findPlaces(ctx, until)
		if err != nil {
			return nil, err
		}
		for _, l := range ports {
			l.Found = now
		}
		*kept = foundPlaces{now, ports}
	}
	if l := kept.ports[port]; l != nil {
		return l, nil
	}
	return &Lain{Found: kept.at}, nil
}

// findPlaces reads the latest calls, as they were known at a time, the zero time for now.
func (v *Calls) findPlaces(ctx context.Context, until time.Time) (map[uint64]*Lain, error) {
	g := gathering{ports: map[uint64]*Lain{}, sizes: map[ais.MMSI]ais.Dimensions{}, feeds: map[string][]string{}, db: v.config.DB}
	calls, newest := 0, records.EndKey()
	if !until.IsZero() {
		newest = records.KeyAt(until)
	}
	for e, err := range v.calls.Backward(records.Key{}, newest) {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if calls++; calls > mostPlaceCalls {
			break
		}
		if err != nil || e.Value.Gone { // damaged, and counted by the store
			continue
		}
		c, known := e.Value.call(e.Key), true
		if !until.IsZero() {
			c, known = c.AsOf(until, "")
		}
		if known {
			g.addStays(&c)
		}
	}
	for _, l := range g.ports {
		alongside, anchored := l.stays[0].stays, l.stays[1].stays
		l.All = LyingPlaces{berthing.Alongside(alongside), berthing.Anchorages(anchored), len(alongside) + len(anchored)}
	}
	return g.ports, nil
}

// gathering takes the stays of calls.
type gathering struct {
	ports map[uint64]*Lain
	sizes map[ais.MMSI]ais.Dimensions
	feeds map[string][]string // one list for all calls that these feeds heard
	db    *store.DB
}

// addStays adds the stays of a call that count, as long as there is room.
func (g *gathering) addStays(c *KeptCall) {
	l := g.ports[c.Found.Port]
	if l == nil {
		l = &Lain{}
		g.ports[c.Found.Port] = l
	}
	taken := false
	for i := range c.Found.Stays {
		s, into := &c.Found.Stays[i], &l.stays[0]
		if s.Kind == portcall.Anchored {
			into = &l.stays[1]
		}
		if s.Last.Since(s.Seen) < berthing.LeastStay || len(into.stays) >= berthing.MostStays {
			continue
		}
		if !taken {
			first := &c.Found.Stays[0]
			l.calls = append(l.calls, LainCall{c.MMSI, first.Seen.Time(), c.Found.Stays[len(c.Found.Stays)-1].Last.Time(),
				geo.Point{Lon: first.Lon, Lat: first.Lat}, g.feedsOf(c.Feeds)})
			taken = true
		}
		into.stays = append(into.stays, stayOf(c.MMSI, g.sizeOf(c.MMSI), s))
		into.calls = append(into.calls, int32(len(l.calls)-1))
	}
}

func (g *gathering) feedsOf(names []string) []string {
	key := strings.Join(names, "\x00")
	if _, known := g.feeds[key]; !known {
		g.feeds[key] = names
	}
	return g.feeds[key]
}

// sizeOf returns the dimensions of a ship, the zero ones when they are not known.
func (g *gathering) sizeOf(m ais.MMSI) ais.Dimensions {
	size, known := g.sizes[m]
	if !known {
		if state, err := g.db.Ship(m); err == nil && state.Static != nil {
			size = state.Static.Dimensions
		}
		g.sizes[m] = size
	}
	return size
}

func stayOf(m ais.MMSI, size ais.Dimensions, s *portcall.Stay) berthing.BerthStay {
	heading := s.Heading()
	return berthing.BerthStay{
		MMSI: m, Middle: berthing.Middle(geo.Point{Lon: s.Lon, Lat: s.Lat}, heading, size), Direction: heading,
		Length: float64(size.Length()), Lasted: s.Last.Since(s.Seen),
	}
}
