package health

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/ais"
	"quaywatch/box/backups"
	"quaywatch/store"
)

// How often the box is looked at, and how long a part may stand still.
const (
	lookEvery    = 500 * time.Millisecond
	askEvery     = 5 * time.Second
	stillLimit   = 30 * time.Second // a part that has not moved for so long is stuck
	diskPatience = 5 * time.Minute  // but a store that waits for the disk may wait for so long: the picture goes on without it
)

// Parts are what a Monitor looks at. All functions but Behind, Backups, Doubt, Clear, CertEnd, Watch, Outbox and Told must be given, and none may wait for the disk.
type Parts struct {
	Store    func() store.Status
	Feeds    func() []ais.FeedStatus
	Picture  func() time.Time                   // when the picture moved last; zero before the first time
	Behind   func() time.Duration               // how far the picture is behind the feeds; nil is not known
	Server   func(context.Context) error        // asks the server through a connection of its own
	Backups  func() (b backups.Status, ok bool) // scheduled ones; nil is none
	Doubt    func(wrong bool)                   // told whether the clock is wrong, at each look
	Patient  bool                               // the picture waits for the store: nothing that comes in is lost
	Clear    func(time.Time) []string           // the users whose passwords came in clear in the last day; nil for none
	CertEnd  func() time.Time                   // of the certificate of HTTPS; nil without one
	LogClock bool                               // recorded logs rule the clock of the picture
	Watch    func() Watchdogs                   // nil for none
	Outbox   func() OutboxHealth                // the notices that watchdogs send; nil for none
	Built    time.Time                          // when the program was built; zero when that is not known
	Log      *slog.Logger

	Told func(now time.Time, feeds []ais.FeedStatus, notices []Notice) // what was seen, at each look; nil for nobody
}

// Monitor looks at the parts of the box again and again.
type Monitor struct {
	Board
	parts Parts
	judge Assessor
	began time.Time

	answered atomic.Pointer[time.Time] // when the server answered last
	asking   atomic.Bool

	mu     sync.Mutex
	stuck  []string
	moving chan struct{} // closed when all parts have moved once
}

// NewMonitor makes a monitor; Run looks.
func NewMonitor(p Parts) *Monitor {
	return &Monitor{parts: p, judge: Assessor{Built: p.Built}, moving: make(chan struct{})}
}

// Run looks at the box until ctx is done.
func (m *Monitor) Run(ctx context.Context) error {
	look, ask := time.NewTicker(lookEvery), time.NewTicker(askEvery)
	defer look.Stop()
	defer ask.Stop()
	m.began = time.Now()
	m.askServer(ctx)
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ask.C:
			m.askServer(ctx)
		case now := <-look.C:
			m.checkFigures(now)
		}
	}
}

// askServer asks the server in a goroutine of its own, one at a time: it may never answer.
func (m *Monitor) askServer(ctx context.Context) {
	if m.asking.Swap(true) {
		return
	}
	go func() {
		defer m.asking.Store(false)
		if err := m.parts.Server(ctx); err == nil {
			now := time.Now()
			m.answered.Store(&now)
		}
	}()
}

func (m *Monitor) checkFigures(now time.Time) {
	f := Figures{Now: now, Store: m.parts.Store(), Feeds: m.parts.Feeds(), LogClock: m.parts.LogClock}
	if m.parts.Backups != nil {
		if b, ok := m.parts.Backups(); ok {
			f.Backups = &b
		}
	}
	if m.parts.Clear != nil {
		f.Clear = m.parts.Clear(now)
	}
	if m.parts.CertEnd != nil {
		f.CertEnd = m.parts.CertEnd()
	}
	if m.parts.Watch != nil {
		f.Watchdogs = m.parts.Watch()
	}
	if m.parts.Outbox != nil {
		f.Outbox = m.parts.Outbox()
	}
	if m.parts.Behind != nil {
		f.Behind = m.parts.Behind()
	}
	f.Stuck = m.still(now, f.Store)
	m.mu.Lock()
	m.stuck = f.Stuck
	m.mu.Unlock()
	m.tellMoving()
	m.Hold(m.parts.Log, now, m.judge.Notices(f))
	if m.parts.Told != nil {
		m.parts.Told(now, f.Feeds, m.Notices())
	}
	if m.parts.Doubt != nil {
		m.parts.Doubt(m.judge.isClockWrong(f))
	}
}

// still returns the parts that stand still. The times of a picture or an answer have a monotonic reading: no clock that is set counts.
func (m *Monitor) still(now time.Time, s store.Status) (parts []string) {
	waits := s.Stalled > 0 && s.Stalled < diskPatience
	storeMoves := s.Idle < stillLimit || waits
	if !storeMoves {
		parts = append(parts, "store")
	}
	if m.timeSince(now, m.parts.Picture()) >= stillLimit && !(m.parts.Patient && storeMoves) {
		parts = append(parts, "picture")
	}
	var answered time.Time
	if at := m.answered.Load(); at != nil {
		answered = *at
	}
	if m.timeSince(now, answered) >= stillLimit {
		parts = append(parts, "server")
	}
	return parts
}

// timeSince returns how long ago a part moved. One that has not moved yet counts from the beginning.
func (m *Monitor) timeSince(now, moved time.Time) time.Duration {
	if moved.IsZero() {
		moved = m.began
	}
	return now.Sub(moved)
}

func (m *Monitor) tellMoving() {
	select {
	case <-m.moving:
	default:
		if m.answered.Load() != nil && !m.parts.Picture().IsZero() {
			close(m.moving)
		}
	}
}

// Moving returns a channel that is closed when the picture runs and the server has answered: the service is ready for work.
func (m *Monitor) Moving() <-chan struct{} { return m.moving }

// Stuck returns the parts that no longer move, none when all is well: of picture, store and server.
func (m *Monitor) Stuck() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.stuck)
}
