package stats

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"quaywatch/engine/stats/repeat"
	"quaywatch/internal/rule"
	"quaywatch/store/records"
)

// ErrUnknown says that there is no such statistic.
var ErrUnknown = errors.New("no such statistic")

// Full refuses one more statistic of an owner. Oldest are those that it may delete to make room.
type Full struct {
	Rule   *rule.Rule
	Oldest []Job
}

// Error returns the sentence.
func (f *Full) Error() string { return f.Rule.Error() }

// Unwrap returns the rule.
func (f *Full) Unwrap() error { return f.Rule }

// Add keeps a statistic, in one commit with also, and lets it run when it is due. The job says whose it is, with which priority, and how many records
// it may have. It fails with *Full.
func (s *Statistics) Add(a ParsedDefinition, of Job, also ...records.CommitPart) (Job, error) {
	j := &kept{Job: of}
	j.UID = uuid.NewString()
	j.Kind, j.Definition, j.State, j.Bytes = a.kind.Name, a.Definition, Idle, a.definitionBytes()
	now := s.config.Now().UTC()
	j.Created = now
	if j.Repeat != repeat.Never {
		j.Series = &RunSeries{j.Name, j.Begin, j.End}
	}
	id, err := s.add(j, &a, also)
	if err != nil {
		return Job{}, err
	}
	s.launchDue(now)
	return s.Get(id)
}

// add keeps a job under a number. From then on it may run, and be changed: the caller looks at j no more.
func (s *Statistics) add(j *kept, a *ParsedDefinition, also []records.CommitPart) (id int64, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.checkRoom(&j.Job); err != nil {
		return 0, err
	}
	s.mu.Lock()
	id = max(s.last+1, j.Created.UnixMilli())
	j.ID, s.last = id, id
	s.mu.Unlock()
	err = s.config.DB.Together(func(tx *records.Tx) error {
		if _, err := s.rows.SetIn(tx, uint64(j.ID), "", j.Job); err != nil {
			return err
		}
		_, err := s.bodies.SetIn(tx, uint64(j.ID), "", a.body)
		return err
	}, also...)
	if err != nil {
		return 0, fmt.Errorf("keep a statistic: %w", err)
	}
	s.mu.Lock()
	s.jobs[id] = j
	s.version++
	s.mu.Unlock()
	return id, nil
}

// checkRoom refuses one more statistic of an owner that has enough. The caller holds writing.
func (s *Statistics) checkRoom(of *Job) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var kept []Job
	pending, bytes := 0, of.Bytes
	for _, j := range s.jobs {
		if j.Owner != of.Owner || j.Gone || j.ID == of.ID {
			continue
		}
		if bytes += j.Bytes; j.pending() {
			pending++
		} else {
			kept = append(kept, j.copyOf())
		}
	}
	slices.SortFunc(kept, func(a, b Job) int { return cmp.Compare(a.ID, b.ID) })
	switch oldest := kept[:min(len(kept), 10)]; {
	case of.pending() && pending >= MostPending:
		return &Full{rule.New("stats_pending", "at most {max} statistics wait or run; wait for one, or delete one", "max", MostPending), nil}
	case of.ID == 0 && len(kept) >= MostKept:
		return &Full{rule.New("stats_kept", "at most {max} statistics are kept; delete some, as those named here", "max", MostKept), oldest}
	case of.ID == 0 && bytes > MostBodies:
		return &Full{rule.New("stats_bytes", "the definitions of one user may have at most {max} bytes together; delete some, as those named here", "max", MostBodies), oldest}
	}
	return nil
}

// Get returns a statistic as it is now.
func (s *Statistics) Get(id int64) (Job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[id]
	if j == nil || j.Gone {
		return Job{}, ErrUnknown
	}
	return j.copyOf(), nil
}

// All returns all statistics as they are now, the oldest first.
func (s *Statistics) All() []Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := []Job{}
	for _, j := range s.jobs {
		if !j.Gone {
			all = append(all, j.copyOf())
		}
	}
	slices.SortFunc(all, func(a, b Job) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// ErrOver says that a statistic has run, or runs.
var ErrOver = rule.New("stat_over", "has run already, or runs: it runs once")

// When says when a statistic is to run, and how: a definition of a document does not say it.
type When struct {
	Held     bool      // until its owner says otherwise
	Start    time.Time // it waits until then
	Priority int
	Most     int // records; 0 is MostRecords
}

// ChangeOrder is what an owner says of a statistic that is there. What is nil stays.
type ChangeOrder struct {
	When   *When
	Repeat *repeat.Interval
	MailTo *[]string
}

// Execute says when a statistic is to run, how often again, and to whom it is mailed, in one commit with also. It fails with ErrUnknown, ErrOver and *Full.
func (s *Statistics) Execute(id int64, o ChangeOrder, also ...records.CommitPart) (Job, error) {
	err := s.changeJob(id, func(j *Job) error {
		if o.Repeat != nil {
			j.repeats(*o.Repeat)
		}
		if o.MailTo != nil {
			j.MailTo = *o.MailTo
		}
		if o.When == nil {
			return nil
		}
		if j.State != Idle {
			return ErrOver
		}
		j.Held, j.Start, j.Priority, j.Most = o.When.Held, o.When.Start, o.When.Priority, o.When.Most
		return s.checkRoom(j)
	}, also...)
	if err != nil {
		return Job{}, err
	}
	s.launchDue(s.config.Now())
	s.kick.Wake() // its next period may be over
	return s.Get(id)
}

// changeJob changes a job as it is kept.
func (s *Statistics) changeJob(id int64, edit func(*Job) error, also ...records.CommitPart) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	j := s.jobs[id]
	if j == nil || j.Gone {
		s.mu.Unlock()
		return ErrUnknown
	}
	now := j.Job
	s.mu.Unlock()
	if err := edit(&now); err != nil {
		return err
	}
	err := s.config.DB.Together(func(tx *records.Tx) error { return s.rows.PutIn(tx, uint64(id), "", now) }, also...)
	if err != nil {
		return fmt.Errorf("keep statistic %d: %w", id, err)
	}
	s.mu.Lock()
	if j.Gone != now.Gone {
		s.version++
	}
	j.Job = now
	s.mu.Unlock()
	return nil
}

// Delete removes a statistic, in one commit with also. One that runs is aborted. Its result goes soon after.
func (s *Statistics) Delete(id int64, also ...records.CommitPart) error {
	if err := s.changeJob(id, func(j *Job) error { j.Gone = true; return nil }, also...); err != nil {
		return err
	}
	s.mu.Lock()
	j := s.jobs[id]
	owner, place := "", int64(0)
	if j != nil {
		owner, place = j.Owner, j.place
	}
	s.mu.Unlock()
	if place != 0 && s.work.Drop(owner, place) {
		s.released(id, place)
	}
	s.kick.Wake()
	return nil
}

// released takes a job that never got its turn out of the queue.
func (s *Statistics) released(id, place int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.jobs[id]; j != nil && j.place == place && j.going == nil {
		j.queued, j.place = false, 0
	}
}

// Step lets run what is due, and removes what is too old and what was deleted.
func (s *Statistics) Step() {
	now := s.config.Now()
	s.mailDue(now)
	s.repeatDue(now)
	s.launchDue(now)
	for _, id := range s.outdated(s.config.Clock()) {
		if err := s.Delete(id); err != nil && !errors.Is(err, ErrUnknown) {
			s.config.Log.Error("drop an old statistic", "id", id, "error", err)
		}
	}
	s.purge()
}

// launchDue puts the statistics whose time has come into the queue.
func (s *Statistics) launchDue(now time.Time) {
	for _, id := range s.dueJobs(now) {
		s.launch(id)
	}
}

// dueJobs returns the statistics whose time has come, the oldest first, and notes that they are in the queue.
func (s *Statistics) dueJobs(now time.Time) (ids []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil
	}
	for id, j := range s.jobs {
		if j.State == Idle && !j.Held && !j.Gone && !j.queued && !j.Start.After(now) {
			j.queued = true
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// launch puts a statistic into the queue.
func (s *Statistics) launch(id int64) {
	j, err := s.Get(id)
	if err != nil {
		return
	}
	place, err := s.work.Start(j.Owner, j.Priority, func(ctx context.Context) (struct{}, error) {
		s.run(ctx, id)
		return struct{}{}, nil
	})
	s.mu.Lock()
	now := s.jobs[id]
	gone := now == nil || now.Gone
	if now != nil {
		now.queued, now.place = now.queued && err == nil, place
	}
	s.mu.Unlock()
	if gone && place != 0 && s.work.Drop(j.Owner, place) {
		s.released(id, place)
	}
}

// outdated returns the results that are too old by our clock, now and then. The time of the ships may be that of an old log: by it a result would be
// years old at the next start. One that runs again stays until then.
func (s *Statistics) outdated(now time.Time) (ids []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if now.Sub(s.tidied).Abs() < tidying {
		return nil
	}
	s.tidied = now
	for id, j := range s.jobs {
		if j.isOver() && !j.Gone && j.Repeat == repeat.Never && now.Sub(cmp.Or(j.Ended, j.Finished)) > Keep {
			ids = append(ids, id)
		}
	}
	return ids
}

// Owns reports whether a user has statistics.
func (s *Statistics) Owns(uid string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, j := range s.jobs {
		if j.Owner == uid && !j.Gone {
			return true
		}
	}
	return false
}
