// Package stats answers questions to the past that take long: statistics. A user defines one, it waits in a queue, runs, and its result stays until
// it is deleted or too old.
//
// It promises that what it acknowledged outlives a restart, and that no owner keeps the others waiting. It also promises that a run holds a bounded part of
// what it reads and of what it finds. It is not the place that decides what a reader may see. Each record has the moments that it is made of, and the reader
// asks sight for each of them.
package stats

import (
	"context"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/geo/chart"
	"quaywatch/internal/jobs"
	"quaywatch/internal/rule"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/store/outage"
	"quaywatch/store/records"
	"quaywatch/users/document"
)

// What is kept and done at most.
const (
	Keep        = 14 * 24 * time.Hour // of a result
	MostKept    = 200                 // statistics of one owner that are over, or that wait until the owner says so
	MostPending = 20                  // of one owner that wait for their turn, or run
	MostBody    = 2 << 20             // bytes of one definition
	MostBodies  = 16 << 20            // bytes of all definitions of one owner
	MostRecords = 1_000_000           // of one result, whatever its owner may

	atOnce   = 2                // runs
	stepping = time.Second      // between two looks at what is due
	tidying  = 10 * time.Minute // between two looks at what is too old
)

// Config is what Statistics are made of. All but Now, Clock, Log and Kinds must be given.
type Config struct {
	DB    *store.DB
	Calls *portcalls.Calls
	Ports func() *chart.Ports            // the ports of now
	Names func(owner string) ship.Lookup // what an owner may name by now
	Now   func() time.Time               // of the ships; nil is the wall clock
	Clock func() time.Time               // by which a result gets old, whatever time the ships have; nil is the wall clock
	Log   *slog.Logger                   // nil logs nothing
	Kinds []Kind                         // nil are those of this program
	Still bool                           // nothing runs: it is for documents alone
}

// Statistics are the statistics of all users.
//
// Locks: writing is held while the database writes. What readers need is guarded by mu, which is taken after it and held for a moment.
type Statistics struct {
	config Config
	kinds  map[string]*Kind
	rows   *records.Table[Job]
	bodies *records.Table[body]
	chunks *records.Series[chunk]
	box    *document.Box // nil before Join
	runner *jobs.Runner
	work   *jobs.Kind[struct{}]
	ctx    context.Context
	end    context.CancelFunc
	kick   wake.Kick

	mayAgain func(*Job) (When, error) // nil lets all run again as before
	mail     func(*Job) error         // nil mails nothing

	writing sync.Mutex

	mu      sync.Mutex
	jobs    map[int64]*kept
	last    int64  // number of the latest
	version uint64 // grows where a statistic comes, goes, or is another's
	tidied  time.Time
	purging bool
	outage  outage.Logger
}

// kept is a statistic with what is going on about it.
type kept struct {
	Job
	queued bool  // it waits for a place, or runs
	place  int64 // its number in the runner
	going  *going
	tried  time.Time // when it was last to run again
	asked  time.Time // when it was last to be mailed
}

// going is how far a run is.
type going struct {
	share   atomic.Uint64 // bits of a float
	records atomic.Int64
}

func (g *going) setShare(share float64) { g.share.Store(math.Float64bits(max(0, min(1, share)))) }

func (g *going) progress() int { return int(100 * math.Float64frombits(g.share.Load())) }

// body is what a user wrote of a statistic beside the common fields, and what a kind made of it.
type body struct {
	Posted map[string]raw `json:"posted,omitempty"`
	Plan   raw            `json:"plan,omitempty"`
}

// Open reads the statistics that are kept. One that ran when the program ended waits again, once.
func Open(c Config) (*Statistics, error) {
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Clock == nil {
		c.Clock = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Kinds == nil {
		c.Kinds = Kinds()
	}
	s := &Statistics{config: c, kinds: map[string]*Kind{}, jobs: map[int64]*kept{}, kick: wake.NewKick()}
	for i := range c.Kinds {
		s.kinds[c.Kinds[i].Name] = &c.Kinds[i]
	}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.runner = jobs.NewRunner(s.ctx, c.Now, jobs.Limits{AtOnce: atOnce, PerOwner: math.MaxInt, InAll: math.MaxInt})
	s.work = jobs.NewKind[struct{}](s.runner, jobs.Policy{Name: "statistics"})
	return s, s.read()
}

// read reads what is stored.
func (s *Statistics) read() (err error) {
	var rows []records.Record[Job]
	if s.rows, rows, err = records.ReadTable[Job](s.config.DB.Database, "statistics"); err != nil {
		return err
	}
	if s.bodies, err = records.OpenTable[body](s.config.DB.Database, "statbodies"); err != nil {
		return err
	}
	if s.chunks, err = records.OpenSeries[chunk](s.config.DB.Database, "statresults", records.Keep{}); err != nil {
		return err
	}
	for _, row := range rows {
		j := &kept{Job: row.Value}
		j.ID = int64(row.ID)
		s.jobs[j.ID] = j
		s.last = max(s.last, j.ID)
		if j.UID == "" {
			j.UID = uidOf(&j.Job)
		}
		if j.State != Running || j.Gone || s.config.Still {
			continue
		}
		if j.interrupted(); j.isOver() {
			s.finish(&j.Job)
		}
		if err := s.rows.Put(row.ID, "", j.Job); err != nil {
			s.config.Log.Error("keep a statistic that was interrupted", "id", j.ID, "error", err)
		}
	}
	return nil
}

// interrupted puts a run that a crash ended back among those that wait, and gives it up at the second time.
func (j *kept) interrupted() {
	if j.Crashes++; j.Crashes > 1 {
		j.State, j.Mail = Aborted, len(j.MailTo) > 0
		j.Error = noteOf(rule.New("interrupted", "interrupted: the program ended twice while it ran"))
		return
	}
	j.State, j.Started = Idle, time.Time{}
}

// Run lets statistics run until ctx ends. Those that run then wait for the next start.
func (s *Statistics) Run(ctx context.Context) error {
	defer s.Stop()
	look := time.NewTicker(stepping)
	defer look.Stop()
	for {
		s.Step()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-s.kick:
		case <-look.C:
		}
	}
}

// Stop ends what runs, and waits for it. It may be called twice.
func (s *Statistics) Stop() {
	s.end()
	s.runner.Wait()
}
