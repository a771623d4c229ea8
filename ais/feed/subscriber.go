package feed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
	"quaywatch/internal/wake"
)

// Pass is what one subscriber gets, as of now. It is not changed after it is made.
type Pass[K any] struct {
	User         string
	Style        format.LineStyle
	Priority     OutputPriority
	Pace         StreamPace
	CachedStatic bool // first the static data that are known
	Peep         bool // also what failed a check of plausibility

	May      func(o *format.Outgoing, about *K) bool // whether the subscriber may see a message; nil is all
	Every    func(about *K) time.Duration            // between two positions of a ship; nil is all of them
	SeesFeed func(name string) bool                  // whose state it may be told; nil is all
	Renew    func() (*Pass[K], error)                // the pass of now; the error says why there is none any more. nil is for ever
}

// Times of a subscriber's life.
const (
	stalled    = 10 * time.Second       // a subscriber that takes nothing for so long is cut
	writeSlice = 250 * time.Millisecond // of waiting for a slow peer, until other things are looked at
	renewEvery = 500 * time.Millisecond
)

// Bounds of one turn.
const (
	turnReads  = 4   // pages of the ring
	turnCached = 256 // ships whose static data are sent first
	cachedRest = 50 * time.Millisecond
)

var (
	errStalled = fmt.Errorf("took nothing for %v", stalled)
	errRevoked = errors.New("no longer allowed")
)

// subscriber is one reader of the ring: it chooses, paces, formats and writes, at its own speed.
type subscriber[K any] struct {
	all    *Outputs[K]
	output *output[K]
	user   string
	from   string       // the other side
	quiet  atomic.Bool  // the other side will say no more; it may have gone, or not
	delay  atomic.Int64 // nanoseconds, as of now
	since  time.Time
	wire   wire
	fill   int  // bytes made ready at once
	units  bool // each message in a write of its own

	pass      *Pass[K]
	formatter *format.Formatter
	pacer     *pacer
	place     place
	cached    int    // ships whose static data are still to be sent
	early     bucket // how many of them a second
	known     described
	about     K // of the ship at hand
	take      func(*item[K]) bool
	wake      wake.Kick

	now     time.Time
	due     time.Duration // when the next message may go out, since the ring began; 0 is unknown
	buffer  []byte
	ends    []int // of messages in buffer
	renewed time.Time
	ticked  time.Time
	tally   tally

	mu    sync.Mutex
	shown ais.SubscriberStatus
}

// tally is what is counted.
type tally struct {
	messages, bytes uint64
	dropped         fates
}

// fates counts messages by what became of them.
type fates [fateCount]uint64

func (f *fates) droppedCounts() ais.DroppedMessages {
	return ais.DroppedMessages{Behind: f[behind], Rate: f[overRate], Interval: f[thinned], Congestion: f[congested]}
}

func (t *tally) add(more *tally) {
	t.messages += more.messages
	t.bytes += more.bytes
	for i, n := range more.dropped {
		t.dropped[i] += n
	}
}

// newSubscriber makes a subscriber with a place in the ring. From then on it misses nothing, however late its goroutine runs.
func (o *output[K]) newSubscriber(pass *Pass[K], w wire, from string, now time.Time) *subscriber[K] {
	s := &subscriber[K]{
		all: o.all, output: o, user: pass.User, from: from, since: now, wire: w, fill: streamFill, wake: wake.NewKick(),
		pacer: newPacer(pass.Pace, now), now: now, renewed: now, ticked: now, place: o.all.ring.endPlace(),
	}
	s.take = s.takeMessage
	switch o.target.kind {
	case kindUDP:
		s.units = true
	case kindSerial:
		s.fill = serialFill
	}
	s.followPass(pass)
	s.show()
	return s
}

// followPass takes over what a pass says.
func (s *subscriber[K]) followPass(pass *Pass[K]) {
	if s.formatter == nil || pass.Style != s.pass.Style {
		s.formatter = format.New(pass.Style)
	}
	s.pass, s.pacer.pace = pass, pass.Pace
	s.delay.Store(int64(pass.Pace.Delay))
	s.shareCeiling()
}

// shareCeiling gives the stream, and the static data that are still to be sent, their parts of the ceiling.
func (s *subscriber[K]) shareCeiling() {
	rate := float64(s.pass.Pace.MaxRate)
	if s.cached > 0 {
		rate /= 2
	}
	s.early.rate, s.pacer.ceiling.rate = rate, rate
}

// run serves the subscriber until it is lost, no longer allowed, stalled, or ctx is done.
func (s *subscriber[K]) run(ctx context.Context) error {
	timer := time.NewTimer(renewEvery)
	defer timer.Stop()
	if s.pass.CachedStatic {
		s.cached = s.all.static.len() // after the place in the ring was taken: what is said from there on comes with the stream
		s.shareCeiling()
	}
	s.now = time.Now()
	if err := s.flushBuffer(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		s.now = time.Now()
		if err := s.renew(); err != nil {
			return err
		}
		more := s.gather()
		s.appendDue()
		if err := s.flushBuffer(ctx); err != nil {
			return err
		}
		s.adjust()
		s.show()
		if more {
			continue
		}
		timer.Reset(s.restTime())
		select {
		case <-s.wake:
		case <-timer.C:
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// restTime returns how long there is nothing to do, unless something new comes.
func (s *subscriber[K]) restTime() time.Duration {
	switch {
	case s.cached > 0:
		return cachedRest
	case s.due == 0:
		return renewEvery
	}
	return max(time.Millisecond, min(renewEvery, s.due-time.Since(s.all.ring.began)))
}

// renew asks whether the subscriber may go on, and follows changed settings.
func (s *subscriber[K]) renew() error {
	if s.pass.Renew == nil || s.now.Sub(s.renewed) < renewEvery {
		return nil
	}
	s.renewed = s.now
	now, err := s.pass.Renew()
	if err != nil {
		return fmt.Errorf("%w: %w", errRevoked, err)
	}
	if now == s.pass {
		return nil
	}
	s.followPass(now)
	return nil
}

// gather makes ready what may go out now, within one turn. It reports whether there is more.
func (s *subscriber[K]) gather() (more bool) {
	s.all.scheduler.acquire(s.pass.Priority)
	defer s.all.scheduler.endSlot()
	s.buffer, s.ends, s.due = s.buffer[:0], s.ends[:0], 0
	s.gatherCached()
	for range turnReads {
		var lost uint64
		s.place, lost, more = s.all.ring.read(s.place, s.take)
		s.tally.dropped[behind] += lost
		if !more || s.due != 0 {
			return s.cached > 0 && s.early.any(s.now)
		}
		if len(s.buffer) >= s.fill {
			return true
		}
	}
	return true
}

// takeMessage takes a message of the ring, unless its time has not come or there is no room.
func (s *subscriber[K]) takeMessage(it *item[K]) bool {
	if len(s.buffer) >= s.fill {
		return false
	}
	if due := it.at + s.pass.Pace.Delay; s.pass.Pace.Delay > 0 && s.now.Sub(s.all.ring.began) < due {
		s.due = due
		return false
	}
	if it.Refused != "" && !s.pass.Peep || s.pass.May != nil && !s.pass.May(&it.Outgoing, &it.about) {
		return true
	}
	if it.echo != "" && (s.pass.SeesFeed == nil || s.pass.SeesFeed(it.echo)) {
		return true // it was sent before
	}
	var every time.Duration
	if s.pass.Every != nil {
		every = s.pass.Every(&it.about)
	}
	if f := s.pacer.judgeMessage(&it.Outgoing, every, s.now); f != sent {
		s.tally.dropped[f]++
		return true
	}
	s.sayMessage(&it.Outgoing)
	return true
}

// flushBuffer writes what was made ready.
func (s *subscriber[K]) flushBuffer(ctx context.Context) error {
	if len(s.buffer) == 0 {
		return nil
	}
	if !s.units {
		return s.write(ctx, s.buffer)
	}
	from := 0
	for _, end := range s.ends {
		if err := s.writeUnits(ctx, s.buffer[from:end]); err != nil {
			return err
		}
		from = end
	}
	return nil
}

// writeUnits writes a message whole where it fits into a datagram, else as many whole lines at once as do.
func (s *subscriber[K]) writeUnits(ctx context.Context, b []byte) error {
	for len(b) > 0 {
		n := len(b)
		if n > mostDatagram {
			n = bytes.LastIndexByte(b[:mostDatagram], '\n') + 1
			if n == 0 {
				n = mostDatagram
			}
		}
		if err := s.write(ctx, b[:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// write sends bytes to the other side, however slowly it takes them, unless it takes none at all for too long. Meanwhile it checks
// whether the subscriber may go on.
func (s *subscriber[K]) write(ctx context.Context, b []byte) error {
	taken := s.now
	for len(b) > 0 {
		if err := s.wire.SetWriteDeadline(time.Now().Add(writeSlice)); err != nil {
			return err
		}
		n, err := s.wire.Write(b)
		b = b[n:]
		s.tally.bytes += uint64(n)
		switch {
		case err == nil:
			continue
		case errors.Is(err, os.ErrDeadlineExceeded):
		case s.units && errors.Is(err, syscall.ECONNREFUSED): // no program listens yet
			return nil
		default:
			return err
		}
		s.now = time.Now()
		if n > 0 {
			taken = s.now
		}
		if err := s.checkPeer(ctx, taken); err != nil {
			return err
		}
	}
	return nil
}

// checkPeer does while a peer is slow what run does else.
func (s *subscriber[K]) checkPeer(ctx context.Context, taken time.Time) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := s.renew(); err != nil {
		return err
	}
	s.adjust()
	s.show()
	if s.now.Sub(taken) >= stalled {
		return errStalled
	}
	return nil
}

// lag returns how far the subscriber is behind what it should have by now.
func (s *subscriber[K]) lag() time.Duration {
	return max(0, s.all.ring.behind(s.place, s.now)-s.pass.Pace.Delay)
}

// adjust thins positions while the subscriber is too slow.
func (s *subscriber[K]) adjust() { s.pacer.adjust(s.lag(), s.now) }

// show leaves what Status tells of the subscriber.
func (s *subscriber[K]) show() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shown = ais.SubscriberStatus{
		User: s.pass.User, From: s.from, Since: s.since, Lag: s.lag(), Messages: s.tally.messages, Bytes: s.tally.bytes,
		Dropped: s.tally.dropped.droppedCounts(), Congestion: s.pacer.factor,
	}
	if s.pacer.factor > 1 || s.pass.Pace.DownSample > 0 {
		s.shown.Interval = s.pacer.slowed(s.pass.Pace.DownSample)
	}
}

// shownStatus returns what show left.
func (s *subscriber[K]) shownStatus() ais.SubscriberStatus {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.shown
}

// cutWire closes a connection without sending what still waits in the kernel.
func cutWire(w wire) {
	if conn, ok := w.(*net.TCPConn); ok {
		_ = conn.SetLinger(0)
	}
	w.Close()
}

// discard reads and forgets what the other side says, so that a connection that breaks is noticed.
func (s *subscriber[K]) discard(conn *net.TCPConn, broken func(error)) {
	if err := conn.SetReadDeadline(time.Time{}); err != nil {
		broken(err)
		return
	}
	for buffer := make([]byte, 512); ; {
		_, err := conn.Read(buffer)
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			s.quiet.Store(true)
			return
		default:
			broken(err)
			return
		}
	}
}
