package portcalls

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
	"quaywatch/store"
	"quaywatch/store/records"
)

// settling is how long before the asked time the past is read, so that the ships in port then are known.
const settling = 48 * time.Hour

// Detection tells what a search of the past gave.
type Detection struct {
	Ships int `json:"ships"` // that were read
	Calls int `json:"calls"` // that were found
	New   int `json:"new"`   // of them, those that were not known
}

// Detect looks for calls that began in from <= time < to in what is recorded, and keeps those that are not known. Calls that users
// confirmed, corrected or deleted stay as they are. Progress is told of the time up to which the past is read. What is found stays when ctx
// ends the search.
func (v *Calls) Detect(ctx context.Context, from, to time.Time, progress func(time.Time)) (Detection, error) {
	s := search{voyages: v, from: from, to: to, progress: progress, ships: map[ais.MMSI]*past{}}
	s.engine = portcall.NewEngine(portcall.NewPorts(v.config.Ports(), v.config.coast()), s.addCall)
	_, recorded, err := v.config.DB.Recorded(0)
	if err != nil {
		return Detection{}, err
	}
	s.whole = !to.Before(recorded)
	begin := from
	if !from.IsZero() {
		begin = from.Add(-settling)
	}
	err = v.config.DB.Passing(ctx, world, begin, to, s.addHour)
	if err == nil {
		err = s.keepRest(ctx)
	}
	s.result.Ships = len(s.ships)
	return s.result, err
}

// searchPast looks once for calls in what was recorded before calls were kept.
func (v *Calls) searchPast(ctx context.Context) {
	found, err := v.Detect(ctx, time.Time{}, endOfTime, nil)
	if err == nil {
		err = v.config.DB.Together(func(tx *records.Tx) error {
			_, err := v.rows.SetIn(tx, searchedRow, "searched", shipRow{})
			return err
		})
	}
	switch {
	case ctx.Err() != nil:
	case err != nil:
		v.config.Log.Error("calls were not looked for in all that is recorded; the next start does it again", "error", err)
	case found.Ships > 0:
		v.config.Log.Info("looked for calls in what was recorded", "ships", found.Ships, "calls", found.Calls, "new", found.New)
	}
}

// search is one reading of the past.
type search struct {
	voyages  *Calls
	engine   *portcall.Engine
	from, to time.Time
	whole    bool // to is the end of what is recorded
	progress func(time.Time)
	reached  time.Time // up to which progress was told
	ships    map[ais.MMSI]*past
	current  *past // whose position the engine takes
	pass     *pass // for ships of which the past knows more than the live engine
	result   Detection
}

// past is a ship in the past.
type past struct {
	last     ship.Fix
	other    bool // a station that calls nowhere
	asked    bool // whether other and named are known
	named    bool // it has sent static data
	follower *portcall.Follower
	typed    typed            // of the time in which the ship is followed
	feeds    []string         // that heard the ship at the position that the engine takes
	said     *ship.VoyageData // what the crew had typed by then
	calls    []found
	known    history
}

// typed is what a crew typed, the earliest first.
type typed []store.StaticChange

// sendTyped hands an engine what the crew typed up to a time, in Unix milliseconds. It returns the latest of it, or what was said before.
func (t *typed) sendTyped(at int64, e *portcall.Engine, f *portcall.Follower, said *ship.VoyageData) *ship.VoyageData {
	for len(*t) > 0 && (*t)[0].At.UnixMilli() <= at {
		first := (*t)[0]
		e.Typed(f, first.At, draughtOf(first.Voyage))
		said, *t = first.Voyage, (*t)[1:]
	}
	return said
}

// history is where the calls of a ship stand, the latest first, as it was when the search first met them.
type history struct {
	read bool
	keys []records.Key
}

// callAfter returns the first of the calls that begins after a time, false for none.
func (h *history) callAfter(end portcall.Millis) (records.Key, bool) {
	n, _ := slices.BinarySearchFunc(h.keys, int64(end), func(k records.Key, end int64) int {
		if k.At > end {
			return -1
		}
		return 1
	})
	if n == 0 {
		return records.Key{}, false
	}
	return h.keys[n-1], true
}

// found is a call and the feeds that heard the ship when it began.
type found struct {
	call  *portcall.Call
	feeds []string
	typed *ship.VoyageData
}

func (s *search) addCall(c *portcall.Call) {
	p := s.current
	if !slices.ContainsFunc(p.calls, func(f found) bool { return f.call == c }) {
		p.calls = append(p.calls, found{c, p.feeds, p.said})
	}
}

// addHour takes the positions of a ship in an hour.
func (s *search) addHour(m ais.MMSI, track ship.Track) error {
	p := s.ships[m]
	if p == nil {
		p = &past{}
		s.ships[m] = p
	}
	if p.other {
		return nil
	}
	for _, f := range track {
		if f.At <= p.last.At || f.At >= s.to.UnixMilli() || !f.Trusted() {
			continue
		}
		if err := s.addPosition(m, p, f); err != nil || p.other {
			return err
		}
		p.last = f
	}
	if n := len(track); n > 0 && s.progress != nil {
		if hour := track[n-1].Time().Truncate(time.Hour); hour.After(s.reached) {
			s.reached = hour
			s.progress(hour)
		}
	}
	return s.keepCalls(m, p, false)
}

// addPosition takes one position.
func (s *search) addPosition(m ais.MMSI, p *past, f ship.Fix) error {
	if p.follower == nil {
		if !s.engine.Enters(f) {
			return nil
		}
		if err := s.followShip(m, p, f); err != nil || p.other {
			return err
		}
	}
	s.current, p.feeds = p, feedNames(s.voyages.config.DB.Feeds(f.Feeds))
	p.said = p.typed.sendTyped(f.At, s.engine, p.follower, p.said)
	s.engine.Step(p.follower, f)
	if p.follower.Done() {
		p.follower, p.typed = nil, nil
	}
	return nil
}

// followShip begins to follow a ship that enters a port. It reads what the crew typed from then on.
func (s *search) followShip(m ais.MMSI, p *past, f ship.Fix) (err error) {
	if !p.asked {
		state, err := s.voyages.config.DB.Ship(m)
		p.asked, p.other = true, err == nil && !callsAtPorts(state.Class)
		p.named = err == nil && state.Static != nil
		if p.other {
			return nil
		}
	}
	p.typed, err = s.voyages.config.DB.StaticChanges(context.Background(), m, f.Time(), s.to)
	if err != nil {
		return err
	}
	p.follower = portcall.Begin(p.last, 0)
	p.follower.Named = p.named
	return nil
}

// keepRest keeps what is left at the end of the time. A call that is open then is kept when the end is now: the ship is followed from there on.
// Of an earlier time it is left out, because it goes on.
func (s *search) keepRest(ctx context.Context) error {
	now := s.voyages.pictureTime()
	s.pass = newPass(s.voyages, s.voyages.config.Ports(), nil)
	for _, m := range sorted(s.ships) {
		p := s.ships[m]
		if p.follower != nil && !now.IsZero() && s.whole {
			s.current = p
			s.engine.Pass(p.follower, now)
		}
		if err := s.tellLiveEngine(ctx, m, p); err != nil {
			return err
		}
		if err := s.keepCalls(m, p, true); err != nil {
			return err
		}
		if s.whole {
			p.forgetUnstored()
			s.voyages.adopt(m, p.follower)
		}
	}
	return nil
}

// pictureTime returns the time of the picture, zero before it has one.
func (v *Calls) pictureTime() time.Time {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.now
}

// adopt follows a ship on from the past that was not heard since.
func (v *Calls) adopt(m ais.MMSI, f *portcall.Follower) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if f == nil || v.ships[m] != nil || f.Call != nil && f.Call.Ref == 0 || !v.makeRoom(f.Named) {
		return
	}
	v.ships[m] = f
	if f.Call != nil {
		v.present.addStoredCall(&KeptCall{MMSI: m, Found: *f.Call, Entered: f.Call.Stays[0].Seen}, f.Call)
	}
	v.changeOf(m)
}

// keepCalls stores the calls of a ship that change no more, or all of them.
func (s *search) keepCalls(m ais.MMSI, p *past, all bool) error {
	for len(p.calls) > 0 {
		f := p.calls[0]
		if still := p.follower != nil && (f.call == p.follower.Call || f.call == p.follower.Before); still && !all {
			return nil
		}
		p.calls = p.calls[1:]
		if began := f.call.Stays[0].Seen.Time(); began.Before(s.from) || f.call.Open() && !s.whole {
			continue
		}
		s.result.Calls++
		fresh, err := s.voyages.mergeCall(m, p, f)
		if err != nil {
			return err
		}
		if fresh {
			s.result.New++
		}
	}
	return nil
}

// mergeCall keeps a call that was found in the past, unless it is known. Of a known call whose arrival was not seen it keeps the beginning.
func (v *Calls) mergeCall(m ais.MMSI, p *past, f found) (fresh bool, err error) {
	v.writing.Lock()
	defer v.writing.Unlock()
	entered := portcall.Millis(p.last.At)
	if v.precede(m, f.call) || f.call.Open() && v.follows(m) {
		return false, nil // of a call that goes on, the live engine knows better
	}
	from, err := v.callBeyond(m, &p.known, f.call)
	if err != nil {
		return false, err
	}
	for c, err := range v.callChain(context.Background(), m, from) {
		if err != nil {
			return false, err
		}
		if c.gone && c.By == "" { // it was none by the borders of now
			continue
		}
		if !overlap(&c.Found, f.call) {
			if !c.Found.Open() && c.Found.Left < f.call.Stays[0].Seen {
				break
			}
			continue
		}
		if c.gone || !c.Found.Precede(f.call) {
			return false, nil
		}
		c.updateFound(c.Found, entered)
		c.Trip = v.trip(v.callBefore(c), c)
		return false, v.putCalls([]*KeptCall{c}, nil)
	}
	id, err := v.insertCall(m, from, f, entered)
	f.call.Ref = uint64(id)
	if err == nil {
		v.present.notePastCall(m, f.call)
	}
	if c, missing := v.get(id); err == nil && missing == nil {
		v.config.tellCalls([]*KeptCall{&c})
	}
	return true, err
}

// callBeyond returns the call of a ship from which on backward one of the past has its place. So a search does not read all calls of a ferry for
// each of them.
func (v *Calls) callBeyond(m ais.MMSI, h *history, c *portcall.Call) (records.Key, error) {
	newest := v.newestKey(m)
	if c.Open() || newest.At <= int64(c.Left) {
		return newest, nil
	}
	if !h.read {
		for known, err := range v.callChain(context.Background(), m, newest) {
			if err != nil {
				h.keys = nil
				return newest, err
			}
			h.keys = append(h.keys, known.key)
		}
		h.read = true
	}
	if key, ok := h.callAfter(c.Left); ok {
		return key, nil
	}
	return newest, nil
}

// precede puts the beginning of a call before the open call of the engine, when both are one. It reports whether they are.
func (v *Calls) precede(m ais.MMSI, c *portcall.Call) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	f := v.ships[m]
	if f == nil || f.Call == nil || !overlap(f.Call, c) {
		return false
	}
	if f.Call.Precede(c) {
		v.number = m
		v.noteCall(f.Call)
	}
	return true
}

// follows reports whether the live engine follows a ship.
func (v *Calls) follows(m ais.MMSI) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.ships[m] != nil
}

// overlap reports whether two calls of a ship are the same. A ship has one call at a time, also when ports were drawn anew between two findings.
func overlap(a, b *portcall.Call) bool {
	return (b.Open() || a.Stays[0].Seen <= b.Left) && (a.Open() || b.Stays[0].Seen <= a.Left)
}

func rowName(m ais.MMSI) string { return strconv.Itoa(int(m)) }

// sorted returns the numbers of ships in order.
func sorted[T any](ships map[ais.MMSI]T) []ais.MMSI { return slices.Sorted(maps.Keys(ships)) }
