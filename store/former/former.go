// Package former remembers which ships had another IMO number, call sign or name than they have now. So a question by one of them finds the
// ships without a walk over the store. What was valid when stands in the store: here is only where to look.
package former

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
)

// mostMarks is how many marks are remembered, about 100 bytes each. A port of 20,000 ships has a few thousand in ten years.
const mostMarks = 300_000

// Index finds the ships that had a mark: an IMO number, a call sign or a name. It is a traffic.Observer.
//
// Locks: mu is held for a step of a ship and for a look. Nothing is locked under it.
type Index struct {
	db   *store.DB
	log  *slog.Logger
	most int
	read chan struct{} // closed when all that the store has is known

	mu    sync.RWMutex
	had   map[string][]ais.MMSI // by mark
	marks int
	full  bool
}

// New returns an Index of the ships of a store. It knows what was stored before once Read has returned.
func New(db *store.DB, log *slog.Logger) *Index {
	return &Index{db: db, log: log, most: mostMarks, read: make(chan struct{}), had: map[string][]ais.MMSI{}}
}

// Observe notes what a ship is called when that changes, and what it was called before. A ship with an entry in the register is noted from its
// first name on: its state before is that of the entry.
func (x *Index) Observe(u *ship.Update) {
	if u.Change&ship.ChangedStatic == 0 || u.Change&ship.Entered != 0 {
		return
	}
	now := ship.IdentityOf(u.AsHeard().Static)
	if u.Heard == nil {
		if u.Was.MMSI == 0 || u.Was.Static == nil || ship.IdentityOf(u.Was.Static) == now {
			return
		}
		x.noteMarks(u.Now.MMSI, ship.IdentityOf(u.Was.Static))
	}
	x.noteMarks(u.Now.MMSI, now)
}

// Tick does nothing: no time matters here.
func (x *Index) Tick(time.Time) {}

// Run reads the store, and then waits for the end.
func (x *Index) Run(ctx context.Context) error {
	if err := x.Read(ctx); err != nil {
		return err
	}
	<-ctx.Done()
	return ctx.Err()
}

// Read learns what the store has of the past. It is called once, reads ship by ship, and fails when ctx ends.
func (x *Index) Read(ctx context.Context) error {
	err := x.db.EachShip(func(s ship.State) error {
		if s.Static == nil {
			return ctx.Err()
		}
		changes, err := x.db.StaticChanges(ctx, s.MMSI, time.UnixMilli(0), endOfTime)
		if err != nil {
			return err
		}
		x.learnNames(&s, changes)
		return nil
	})
	if err != nil {
		return fmt.Errorf("what ships were called: %w", err)
	}
	close(x.read)
	return nil
}

// endOfTime is after all that is stored.
var endOfTime = time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC)

// learnNames notes what a ship was called, when that was ever anything else than now.
func (x *Index) learnNames(now *ship.State, changes []store.StaticChange) {
	last := ship.IdentityOf(now.Static)
	for _, c := range changes {
		if was := ship.IdentityOf(c.Static); was != last {
			x.noteMarks(now.MMSI, was)
			x.noteMarks(now.MMSI, last)
		}
	}
}

// noteMarks remembers that a ship had marks.
func (x *Index) noteMarks(m ais.MMSI, was ship.Identity) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, mark := range was.Marks() {
		had := x.had[mark]
		if slices.Contains(had, m) {
			continue
		}
		if x.marks >= x.most {
			x.tellFull()
			return
		}
		x.had[mark] = append(had, m)
		x.marks++
	}
}

// tellFull says once that there is no more room. The caller holds the lock.
func (x *Index) tellFull() {
	if !x.full {
		x.full = true
		x.log.Warn("ships changed their names too often to remember all: questions by former names may miss some", "names", x.most)
	}
}

// Like returns the ships that may have had a mark of the question, in no order. It fails when ctx ends before the store was read.
func (x *Index) Like(ctx context.Context, q ship.Identity) (ships []ais.MMSI, err error) {
	select {
	case <-x.read:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, mark := range q.Marks() {
		ships = append(ships, x.had[mark]...)
	}
	slices.Sort(ships)
	return slices.Compact(ships), nil
}
