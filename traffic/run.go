package traffic

import (
	"context"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
)

// Run takes batches from in, releases them, and tells the observers every step in the order given. It is the one writer of the picture
// and returns nil when in is closed or ctx is done. Seconds pass by the wall clock, or by the reports where Config.Clock is LogClock.
func (p *Picture) Run(ctx context.Context, in <-chan *ais.Batch, observers ...Observer) error {
	p.manual.running.Store(true)
	defer p.manual.running.Store(false)
	seconds := time.NewTicker(time.Second)
	defer seconds.Stop()
	for {
		select {
		case b, ok := <-in:
			if !ok {
				p.applyEdits(observers)
				return nil
			}
			if p.config.Clock != ais.LogClock {
				p.waited(b)
			}
			p.Apply(b, observers...)
			b.Release()
		case now := <-seconds.C:
			if p.config.Clock != ais.LogClock {
				p.Tick(now, observers...)
			}
			if p.moved.Store(&now); len(in) == 0 {
				p.behind.Store(0)
			}
		case <-p.manual.wake:
			p.applyEdits(observers)
		case <-ctx.Done():
			return nil
		}
	}
}

// Apply does with one batch what Run does. It is for the goroutine that writes the picture and leaves the batch to its
// owner.
func (p *Picture) Apply(b *ais.Batch, observers ...Observer) {
	p.applyEdits(observers)
	for i := range b.Reports {
		p.takeReport(&b.Reports[i], observers)
	}
}

// takeReport takes one report: duplicates only refresh, the rest is merged and told. Of a copy that comes later than a duplicate the outputs alone take
// more than that the ship was heard.
func (p *Picture) takeReport(r *ais.Report, observers []Observer) {
	if p.config.Clock == ais.LogClock {
		p.followLog(r.Received, observers)
	}
	r.WrongClock = p.doubtClock.Load()
	at := p.sinceBase(r.Received)
	feed := p.feedOf(r.Feed)
	e := p.ships[r.Message.Head().MMSI]
	h, again := p.recent.seenBefore(r.Hash, at)
	if again {
		p.refresh(e, r, at, feed, h.feeds != ais.FeedBit(feed))
		p.tellAgain(h, e, r, feed, observers)
		return
	}
	p.mergeReport(e, r, at, feed, p.copies.has(e, r, at))
	if u := &p.update; h != nil {
		h.feeds, h.refused, h.placed = ais.FeedBit(feed), u.Refused, u.Change&(ship.ChangedFix|ship.LateFix|ship.Copied) != 0
	}
	p.tellGone(observers)
	if p.update.Now.MMSI != 0 {
		tellObservers(observers, &p.update)
	}
	p.update.Report = nil
}

// refresh notes that a message was heard again; elsewhere tells that another feed heard it before.
func (p *Picture) refresh(e *entry, r *ais.Report, at time.Duration, feed int, elsewhere bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.feeds[feed].heardAgain(r.Received, elsewhere)
	p.counts.duplicates++
	if e == nil {
		return
	}
	if e.state.ByHand {
		return // what was heard of the ship before is forgotten
	}
	e.heard = max(e.heard, at)
	e.state.Heard = max(e.state.Heard, r.Received.UnixMilli())
	was := countingFeeds(&e.state)
	p.hears(e, &e.state, feed, at)
	p.countFeeds(was, countingFeeds(&e.state))
	if w := e.manual; w != nil {
		w.heard.Heard, w.heard.Feeds = e.state.Heard, e.state.Feeds
	}
	if e.state.HasFix {
		p.measureRange(feed, r.Message, e.state.Fix)
	}
}

// tellAgain tells of a message that another feed heard before: the outcome of then, and the ship as it is now. A feed beyond
// ais.MostFeeds has no bit, so a repeat could not be told once for it; it is not told at all.
func (p *Picture) tellAgain(h *heardHash, e *entry, r *ais.Report, feed int, observers []Observer) {
	before := h.feeds
	h.feeds |= ais.FeedBit(feed)
	if e == nil || h.feeds == before || before == 0 {
		return
	}
	told := false
	for _, o := range observers {
		listener, ok := o.(RepeatObserver)
		if !ok || !listener.TakesAgain(r.Message) {
			continue
		}
		if !told {
			p.repeat(h, e, r)
			told = true
		}
		listener.ObserveAgain(&p.update, ais.Feeds{Set: before, Names: p.names})
	}
	p.update.Report = nil
}

// repeat leaves in p.update what a message that was heard again tells.
func (p *Picture) repeat(h *heardHash, e *entry, r *ais.Report) {
	u := &p.update
	*u = ship.Update{Report: r, Was: e.state, Now: e.state, Refused: h.refused}
	u.Now.Feed = r.Feed
	if h.placed {
		u.Change = ship.LateFix // the picture does not move
		placeless := e.state
		placeless.HasFix = false // so that nothing speaks against the place
		u.Fix = ship.Merge(&placeless, ship.Gate{}, r, &p.config.Limits).Fix
	}
}

// mergeReport puts what r tells into the picture and leaves the step in p.update.
func (p *Picture) mergeReport(e *entry, r *ais.Report, at time.Duration, feed int, copied bool) {
	u := &p.update
	*u = ship.Update{Report: r}
	var gate ship.Gate
	if e != nil {
		u.Was = *e.asHeard()
		if e.gate != nil {
			gate = *e.gate
		}
	}
	out := ship.Merge(&u.Was, gate, r, &p.config.Limits)
	if copied {
		out.AsCopy(&u.Was, gate)
	}
	if u.Was.MMSI == 0 && out.Reason != ship.BadMMSI {
		out.Now.Reports += p.strangers.takeCount(out.Now.MMSI)
	}
	u.Now, u.Fix, u.Change, u.Refused, u.Late = out.Now, out.Fix, out.Change, out.Reason, out.Late
	p.mu.Lock()
	defer p.mu.Unlock()
	p.now = ship.Later(p.now, r.Received)
	if copied {
		p.counts.duplicates++
	} else {
		p.counts.countOutcome(&out)
	}
	p.feeds[feed].countReport(r.Received)
	if out.Reason == ship.BadMMSI {
		return
	}
	if e == nil {
		e = p.add(out.Now.MMSI)
	}
	e.heard = max(e.heard, at)
	e.keepGate(out.Gate)
	p.hears(e, &u.Now, feed, at)
	if !copied && (out.Reason == ship.Jump || e.rival != nil) {
		e.witness(r, ais.Feeds{Set: ais.FeedBit(feed), Names: p.names}, &u.Was, &out, &u.Now, &p.config.Limits)
	}
	e.trust(u)
	e.overlay(u)
	p.putState(e, &u.Now)
	p.counts.noteTrust(u)
	if out.Change&ship.ChangedFix != 0 {
		p.measureRange(feed, r.Message, u.Fix)
	}
}

// trust marks the fix of a step that a receiver told which lies.
func (e *entry) trust(u *ship.Update) {
	switch {
	case u.Now.Class != ship.ClassA && u.Now.Class != ship.ClassB:
	case u.Change&ship.ChangedFix != 0:
		before := ship.Fix{}
		if u.Was.HasFix {
			before = u.Was.Fix
		}
		u.Now.Fix = e.receiver.Take(before, u.Now.Fix)
		u.Fix = u.Now.Fix
	case u.Change&ship.LateFix != 0:
		u.Fix = e.receiver.Late(u.Fix)
	}
}

// keepGate stores the gate; hardly any ship has one.
func (e *entry) keepGate(g ship.Gate) {
	switch {
	case g.Empty():
		e.gate = nil
	case e.gate == nil:
		e.gate = new(ship.Gate)
		*e.gate = g
	default:
		*e.gate = g
	}
}

func tellObservers(observers []Observer, u *ship.Update) {
	for _, o := range observers {
		o.Observe(u)
	}
}

// tellGone tells of the ships that had to make room.
func (p *Picture) tellGone(observers []Observer) {
	for _, was := range p.gone {
		now := was
		now.Age = ship.Removed
		tellObservers(observers, &ship.Update{Was: was, Now: now, Change: ship.ChangedAge})
	}
	p.gone = p.gone[:0]
}
