package traffic

import (
	"container/heap"
	"context"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/wake"
	"quaywatch/ship"
)

// Bounds of a paced picture.
const (
	finest       = 300     // parts into which a delay is cut, while there is room
	mostWaiting  = 1 << 21 // steps that wait in all paced pictures together, 64 bytes each; beyond it the parts of a delay are longer
	mostBehind   = 1 << 19 // steps that a paced picture may be behind; beyond that it is given up
	mostAhead    = 120     // seconds that a fix may be ahead of our clock
	clockSetBack = 10      // seconds that a step may be older than the tick before it

	recalledTwice = 60000 // milliseconds within which a step may come that Backfill has already brought
)

// Paced is a traffic picture that follows another one at a pace. One goroutine writes it (Run) and tells its observers. To read it is to
// read its Picture, whose time is that much earlier.
//
// Two locks: mu guards the inbox, and the picture has its own. Neither is taken while the other is held.
type Paced struct {
	of        *Picture
	pace      Pace
	picture   *Picture
	observers []Observer

	// What follows belongs to the writer alone.
	vessels map[ais.MMSI]*vessel
	order   sampleOrder
	queue   paceQueue
	present int64 // the latest second that came

	limit  atomic.Int64 // steps that may wait
	behind atomic.Bool  // given up
	mu     sync.Mutex
	inbox  []*second
	length int       // steps in inbox
	wake   wake.Kick // something came
}

// second is what one second brought. Nothing changes it after it was handed over.
type second struct {
	now   int64
	steps []step
}

// step is one step of a ship.
type step struct {
	state ship.State
	timed bool // by a report: it is of the time when that was received
	aged  bool // only time moved, or the ship was taken out
}

// NewPaced makes a picture that follows another one at a pace, empty as yet; now is the time of the other. The observers are told each
// step when it is shown.
func NewPaced(of *Picture, p Pace, now time.Time, observers ...Observer) *Paced {
	picture := New(of.config)
	picture.departed = nil
	picture.setBase(now)
	d := &Paced{
		of: of, pace: p, picture: picture, observers: observers, vessels: map[ais.MMSI]*vessel{},
		queue: paceQueue{every: p.finest()}, present: now.Unix(), wake: wake.NewKick(),
	}
	d.limit.Store(mostWaiting)
	picture.setNow(p.Latest(now))
	return d
}

func (p Pace) finest() int64 { return max(1, int64(p.Delay/time.Second)/finest) }

func (p *Picture) setNow(now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = ship.Later(p.now, now)
}

// Picture returns the picture to read.
func (d *Paced) Picture() *Picture { return d.picture }

// Behind reports whether the picture was given up because its goroutine did not keep up. Nothing more comes then.
func (d *Paced) Behind() bool { return d.behind.Load() }

// Run takes what comes until ctx is done.
func (d *Paced) Run(ctx context.Context) {
	for {
		select {
		case <-d.wake:
		case <-ctx.Done():
			return
		}
		d.CatchUp()
	}
}

// CatchUp takes what came until now. It is for the goroutine that writes the picture.
func (d *Paced) CatchUp() {
	for _, second := range d.came() {
		d.processSecond(second)
	}
}

// hand gives a second to the goroutine of Run.
func (d *Paced) hand(second *second) {
	d.mu.Lock()
	if d.length+len(second.steps) > mostBehind {
		d.behind.Store(true)
		d.inbox, d.length = nil, 0
	}
	if !d.behind.Load() {
		d.inbox = append(d.inbox, second)
		d.length += len(second.steps)
	}
	d.mu.Unlock()
	d.wake.Wake()
}

func (d *Paced) came() []*second {
	d.mu.Lock()
	defer d.mu.Unlock()
	came := d.inbox
	d.inbox, d.length = nil, 0
	return came
}

// processSecond processes a second: it takes the steps, tells the samples that are due, and shows what is old enough.
func (d *Paced) processSecond(second *second) {
	before := d.present
	d.present = max(d.present, second.now)
	for i := range second.steps {
		step := &second.steps[i]
		at := d.present
		if step.timed {
			at = min(max(ceilSecond(step.state.Heard), before-clockSetBack), d.present+mostAhead)
		}
		d.offerStep(step, at)
	}
	d.tellDue(d.present)
	d.fitBuckets()
	d.giveOut()
}

// offerStep takes a step of a second.
func (d *Paced) offerStep(step *step, at int64) {
	s := &step.state
	v := d.vessels[s.MMSI]
	switch {
	case v == nil && step.aged:
		return // nothing of the ship was told, nor will be
	case v == nil && !s.ByHand && !s.Confirmed() && d.queue.waiting >= int(d.limit.Load()):
		return // a number that was hardly heard must not cost the memory of ships
	case v == nil:
		v = &vessel{sampler: newSampler(s), bucket: noBucket}
		d.vessels[s.MMSI] = v
	case step.timed && s.Heard < v.recalled && v.recalled-s.Heard < recalledTwice:
		return
	}
	waited := v.waits
	if waited && v.due < at {
		d.tellSample(v)
		d.vessels[s.MMSI] = v // to tell that the ship was gone removed it from the map
		waited = false
	}
	if step.aged {
		d.offerAge(v, s, at)
		return
	}
	v.next = *s
	v.awaitSample(at, d.pace.sampleInterval(s))
	d.order.putShip(v, waited)
}

// offerAge tells at once that a ship is lost or removed, but not what else is new.
func (d *Paced) offerAge(v *vessel, s *ship.State, at int64) {
	if v.waits {
		v.next.Age = s.Age
	}
	if v.told.MMSI != 0 && s.Age > v.told.Age {
		now := v.told
		now.Age = s.Age
		d.delayStep(v, &now, at)
	}
}

// tellDue tells of the ships whose turn has come.
func (d *Paced) tellDue(now int64) {
	for len(d.order) > 0 && d.order[0].due <= now {
		d.tellSample(d.order[0])
	}
}

func (d *Paced) tellSample(v *vessel) {
	heap.Remove(&d.order, v.rank)
	v.passed(v.due)
	d.delayStep(v, &v.next, v.last)
}

// delayStep lets a step wait until it is old enough; a fix that is ahead of our clock waits for its own time.
func (d *Paced) delayStep(v *vessel, s *ship.State, at int64) {
	if s.HasFix {
		at = max(at, min(ceilSecond(s.Fix.At), d.present+mostAhead))
	}
	v.latest = max(v.latest, at)
	v.told = *s
	if v.latest > d.latestTime().Unix() || v.bucket != noBucket {
		d.queue.putStep(v.waiting(s), v.latest)
		return
	}
	d.show(v, s)
}

// show puts a step that is old enough into the picture. After it, a removed ship with nothing waiting is forgotten. If it is heard again, it is told at its
// next sample time, also where its interval there is longer than what has passed since.
func (d *Paced) show(v *vessel, s *ship.State) {
	d.picture.putShip(s, d.observers)
	if s.Age == ship.Removed && v.bucket == noBucket && !v.waits {
		delete(d.vessels, s.MMSI)
	}
}

// latestTime is the time of the picture: nothing younger is shown.
func (d *Paced) latestTime() time.Time { return d.pace.Latest(time.Unix(d.present, 0)) }

// fitBuckets makes the buckets longer while too much waits, and shorter again when there is room.
func (d *Paced) fitBuckets() {
	limit := int(d.limit.Load())
	delay := int64(d.pace.Delay / time.Second)
	for d.queue.waiting > limit && d.queue.every < delay {
		d.queue.rescale(2 * d.queue.every)
	}
	if d.queue.waiting < limit/8 && d.queue.every > d.pace.finest() {
		d.queue.rescale(max(d.pace.finest(), d.queue.every/2))
	}
}

// giveOut shows what is old enough, and tells the time.
func (d *Paced) giveOut() {
	now := d.latestTime()
	for {
		steps, ok := d.queue.takeBucket(now.Unix())
		if !ok {
			break
		}
		for i := range steps {
			s := steps[i].fullState()
			d.show(steps[i].vessel, &s)
		}
		clear(steps)
	}
	d.picture.setNow(now)
	for _, o := range d.observers {
		o.Tick(now)
	}
}

// putShip puts a ship into the picture as it is in another one.
func (p *Picture) putShip(s *ship.State, observers []Observer) {
	u := ship.Update{Now: *s, Fix: s.Fix}
	p.mu.Lock()
	e := p.ships[s.MMSI]
	if e == nil {
		if !s.ByHand && !s.Confirmed() && p.unconfirmed.length >= p.config.MaxUnconfirmed {
			p.mu.Unlock()
			return
		}
		e = p.add(s.MMSI)
	} else {
		u.Was = e.state
	}
	u.Change = ship.Differences(&u.Was, s)
	e.kept = s.ByHand
	e.heard = time.UnixMilli(s.Heard).Sub(p.base)
	p.putState(e, s)
	if s.ByHand && s.Age == ship.Removed {
		p.remove(e) // nothing else is known of the ship
	}
	p.mu.Unlock()
	p.tellGone(observers)
	tellObservers(observers, &u)
}

// History is what a paced picture asks of the past when it is made.
type History struct {
	Track  func(ctx context.Context, m ais.MMSI, from, to time.Time) (ship.Track, error)
	Static func(m ais.MMSI, at time.Time) (*ship.Static, *ship.VoyageData, error) // an error is taken as not known
}

// Backfill fills the picture as if it had been there before: with what may be shown by now, and with what waits. It takes the ships as
// they are now and the fixes in the store. A ship without a stored fix is shown when the newest that is known of it is old enough. Call it
// from the goroutine of Run, before Run and after PacedSet.Add.
func (d *Paced) Backfill(ctx context.Context, past History) error {
	now := time.Unix(d.present, 0)
	var all []ship.State // as they are now, and not when their turn comes
	for s := range d.of.walkShips() {
		all = append(all, *s)
	}
	for _, s := range all {
		if err := d.recallShip(ctx, &s, now, past); err != nil {
			return err
		}
	}
	d.tellDue(d.present)
	d.fitBuckets()
	d.giveOut()
	return nil
}

// recallShip takes the past of one ship.
func (d *Paced) recallShip(ctx context.Context, s *ship.State, now time.Time, past History) error {
	if !s.ByHand && !d.pace.Released(s, now) {
		return d.recallTrack(ctx, s, now, past)
	}
	d.recallLatest(s, newestSecond(s))
	return nil
}

// recallTrack takes the fixes of a ship about which more is known now than may be shown.
func (d *Paced) recallTrack(ctx context.Context, s *ship.State, now time.Time, past History) error {
	latest, limits := d.latestTime(), d.picture.config.ages(s)
	back := limits.Removed + time.Duration(d.pace.sampleInterval(s))*time.Second
	from, to := latest.Add(-back), now.Add(mostAhead*time.Second)
	track, err := past.Track(ctx, s.MMSI, from, to)
	if err != nil {
		return err
	}
	if track = track.Within(from, to); len(track) == 0 {
		d.recallLatest(s, newestSecond(s))
		return nil
	}
	was := *s
	was.HasFix, was.Altitude, was.OffPlace = true, 0, false
	if was.Static, was.Voyage, err = past.Static(s.MMSI, latest); err != nil {
		was.Static, was.Voyage = nil, nil
	}
	for i, f := range track {
		if i > 0 {
			d.recallSilence(&was, track[i-1].At, f.At, ship.Removed)
		}
		was.Fix, was.Heard, was.Age = f, f.At, ship.Live
		if s.Static != nil && s.Static.At <= f.At {
			was.Static = s.Static
		}
		if s.Voyage != nil && s.Voyage.At <= f.At {
			was.Voyage = s.Voyage
		}
		d.offerStep(&step{state: was}, ceilSecond(f.At))
	}
	d.recallLatest(s, newestSecond(s))
	return nil
}

// recallLatest takes what is known of a ship, of a second.
func (d *Paced) recallLatest(s *ship.State, known int64) {
	then := *s
	if !s.ByHand {
		then.Age = ship.Live
	}
	d.offerStep(&step{state: then}, known)
	if then.Age != s.Age {
		d.recallSilence(s, s.Heard, math.MaxInt64, s.Age) // the other picture will not tell it again
	}
	if v := d.vessels[s.MMSI]; v != nil {
		v.recalled = s.Heard
	}
}

// recallSilence makes a ship lost or removed when it was silent from one time to another, in Unix milliseconds. most is the highest age
// that it may get.
func (d *Paced) recallSilence(s *ship.State, from, to int64, most ship.Age) {
	limits := d.picture.config.ages(s)
	step := step{state: *s, aged: true}
	for age, limit := range []time.Duration{ship.Lost: limits.Lost, ship.Removed: limits.Removed} {
		at := from + limit.Milliseconds()
		if age > 0 && ship.Age(age) <= most && at <= to {
			step.state.Age = ship.Age(age)
			d.offerStep(&step, min(ceilSecond(at), d.present))
		}
	}
}
