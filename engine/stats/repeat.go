package stats

import (
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"

	"quaywatch/engine/stats/repeat"
	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/ship/statistic"
	"quaywatch/store/records"
)

// RunSeries is what a repeated statistic was asked first. The periods of all its runs are counted from there, so that no short month moves those behind it.
type RunSeries struct {
	Name       string `json:"name,omitempty"`
	Begin, End time.Time
}

// series returns the first name and period of a statistic that repeats.
func (j *Job) series() RunSeries {
	if j.Series != nil {
		return *j.Series
	}
	return RunSeries{j.Name, j.Begin, j.End}
}

// repeats says how often a statistic runs again from now on. Its period is the first one where that changes.
func (j *Job) repeats(r repeat.Interval) {
	if r == j.Repeat {
		return
	}
	first := RunSeries{j.plainName(), j.Begin, j.End}
	if j.Repeat, j.Series, j.Stuck = r, nil, nil; r != repeat.Never {
		j.Series = &first
	}
}

// plainName returns the name that the owner gave, without the period.
func (j *Job) plainName() string {
	if s := j.series(); j.Name == titled(s.Name, j.Begin) {
		return s.Name
	}
	return j.Name
}

// titled returns the name of a run: that of the first, and when its period begins, in UTC. One without a name stays so.
func titled(name string, begin time.Time) string {
	if name == "" {
		return ""
	}
	layout := "2006-01-02 15:04"
	if begin = begin.UTC(); begin.Equal(begin.Truncate(24 * time.Hour)) {
		layout = time.DateOnly
	}
	at := begin.Format(layout)
	runes := []rune(name)
	return string(runes[:min(len(runes), form.MaxName-1-len(at))]) + " " + at
}

// Next returns when a statistic runs again: at the end of the period that follows its own. It is the zero time where it does not.
func (j *Job) Next() time.Time {
	if j.Repeat == repeat.Never {
		return time.Time{}
	}
	first := j.series()
	return j.Repeat.After(statistic.Period{Begin: first.Begin, End: first.End}, statistic.Period{Begin: j.Begin, End: j.End}).End
}

// duePeriod returns the period for which a statistic is to run again now.
func (j *Job) duePeriod(now time.Time) (statistic.Period, bool) {
	if !j.isOver() || j.Gone {
		return statistic.Period{}, false
	}
	first := j.series()
	return j.Repeat.Due(statistic.Period{Begin: first.Begin, End: first.End}, statistic.Period{Begin: j.Begin, End: j.End}, now)
}

// Judge takes what says how a statistic runs again for a period, or gives the rule that refuses it. It is called once, before anything runs.
func (s *Statistics) Judge(may func(*Job) (When, error)) { s.mayAgain = may }

// retrying is the time between two tries of a repeat that was refused.
const retrying = time.Minute

// repeatDue lets those statistics run again whose next period is over.
func (s *Statistics) repeatDue(now time.Time) {
	for _, id := range s.repeating(now) {
		if err := s.makeNextRun(id, now); err != nil && !errors.Is(err, ErrUnknown) {
			s.stuck(id, err)
		}
	}
}

// repeating returns the statistics whose next period is over.
func (s *Statistics) repeating(now time.Time) (ids []int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil
	}
	for id, j := range s.jobs {
		if _, due := j.duePeriod(now); due && now.Sub(j.tried).Abs() >= retrying {
			j.tried = now
			ids = append(ids, id)
		}
	}
	return ids
}

// makeNextRun makes the next run of a statistic, with what it asks. Both are one commit: the repeat goes on to the new one, and is made once whatever happens.
func (s *Statistics) makeNextRun(id int64, now time.Time) error {
	of, err := s.Get(id)
	if err != nil {
		return err
	}
	when, asked := When{Priority: of.Priority, Most: of.Most}, of
	if period, due := of.duePeriod(now); due && s.mayAgain != nil {
		asked.Begin, asked.End = period.Begin, period.End
		if when, err = s.mayAgain(&asked); err != nil {
			return err
		}
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if of, err = s.Get(id); err != nil {
		return err
	}
	period, due := of.duePeriod(now)
	if !due {
		return nil
	}
	row, err := s.bodies.Get(uint64(id))
	if err != nil {
		return err
	}
	first, name := of.series(), of.plainName()
	first.Name = name
	next := &kept{Job: Job{UID: uuid.NewString(), Kind: of.Kind, Owned: of.Owned, Shared: of.Shared, Priority: when.Priority, Most: when.Most, Bytes: of.Bytes,
		Definition: Definition{Name: titled(name, period.Begin), Begin: period.Begin, End: period.End, Filter: of.Filter},
		State:      Idle, Created: now.UTC(), Repeat: of.Repeat, Series: &first, MailTo: of.MailTo}}
	if err := s.checkRoom(&next.Job); err != nil {
		return err
	}
	return s.handOn(&of, next, row.Value)
}

// handOn keeps the next run of a statistic, to which its repeat goes. The caller holds writing.
func (s *Statistics) handOn(of *Job, next *kept, asked body) error {
	s.mu.Lock()
	next.ID = max(s.last+1, next.Created.UnixMilli())
	s.last = next.ID
	s.mu.Unlock()
	was := *of
	was.Repeat, was.Series, was.Stuck = repeat.Never, nil, nil
	err := s.config.DB.Together(func(tx *records.Tx) error {
		if err := s.rows.PutIn(tx, uint64(of.ID), "", was); err != nil {
			return err
		}
		if _, err := s.rows.SetIn(tx, uint64(next.ID), "", next.Job); err != nil {
			return err
		}
		_, err := s.bodies.SetIn(tx, uint64(next.ID), "", asked)
		return err
	})
	if err != nil {
		return fmt.Errorf("repeat statistic %d: %w", of.ID, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.jobs[of.ID]; j != nil {
		j.Repeat, j.Series, j.Stuck = repeat.Never, nil, nil
	}
	s.jobs[next.ID] = next
	s.version++
	return nil
}

// stuck notes on a statistic why it does not run again for now, and tells the log once.
func (s *Statistics) stuck(id int64, err error) {
	why := rule.Of(err)
	var said *rule.Rule
	if errors.As(err, &said) {
		why = said
	}
	note := noteOf(rule.New("stat_repeat", "it does not run again for now: {problem}", "problem", why))
	of, unknown := s.Get(id)
	if unknown != nil || of.Stuck != nil && of.Stuck.Text == note.Text && of.Stuck.Rule().Error() == note.Rule().Error() {
		return
	}
	s.config.Log.Warn("a repeated statistic does not run again for now", "id", id, "name", of.Name, "error", err)
	if err := s.changeJob(id, func(j *Job) error { j.Stuck = note; return nil }); err != nil && !errors.Is(err, ErrUnknown) {
		s.config.Log.Error("keep why a statistic does not run again", "id", id, "error", err)
	}
}
