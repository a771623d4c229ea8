package stats

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"quaywatch/engine/stats/past"
	"quaywatch/internal/jobs"
	"quaywatch/internal/rule"
)

// errCut ends a run that has as many records as it may.
var errCut = errors.New("the result is full")

// run runs a statistic that got its turn.
func (s *Statistics) run(ctx context.Context, id int64) {
	r, err := s.beginRun(ctx, id)
	s.noteBegin(err)
	if r == nil {
		s.leaveQueue(id)
		return
	}
	err = jobs.Guarded(func() error { return r.answerJob(ctx) })
	if errors.Is(err, errCut) {
		r.Warn(rule.New("stat_cut", "the result has {max} records, which is as many as it may have; there are more: ask for a shorter period", "max", r.out.most))
		err = nil
	}
	if err == nil {
		err = r.out.writeHeld()
	}
	if wrong := r.out.waitForDisk(); err == nil {
		err = wrong
	}
	s.keepOutcome(ctx, r, err)
	s.leaveQueue(id)
	s.kick.Wake() // it may be mailed
}

// noteBegin tells the log once that no statistic can begin: what is due is tried again and again.
func (s *Statistics) noteBegin(err error) {
	if errors.Is(err, ErrUnknown) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.outage.Note(s.config.Log, err, "statistics cannot begin: they wait for the store", "statistics begin again")
}

// leaveQueue notes that a statistic is in the queue no more.
func (s *Statistics) leaveQueue(id int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.jobs[id]; j != nil {
		j.queued, j.place, j.going = false, 0, nil
		if j.Gone {
			s.kick.Wake() // which removes it
		}
	}
}

// beginRun notes that a statistic runs, and removes what an earlier run left. There is no Run where it was deleted, or where that cannot be written.
func (s *Statistics) beginRun(ctx context.Context, id int64) (*Run, error) {
	if err := s.removeChunks(id); err != nil {
		return nil, err
	}
	progress := &going{}
	err := s.changeJob(id, func(j *Job) error {
		j.State, j.Started, j.Records, j.Warnings, j.Error = Running, s.config.Now().UTC(), 0, nil, nil
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	j := s.jobs[id]
	if j == nil || j.Gone {
		return nil, ErrUnknown
	}
	j.going = progress
	r := &Run{stats: s, job: j.copyOf(), going: progress, Past: past.New(ctx, s.config.DB)}
	r.Period = r.job.period(s.config.Now())
	r.out = writer{stats: s, id: id, going: progress, most: MostRecords}
	if j.Most > 0 {
		r.out.most = int64(min(j.Most, MostRecords))
	}
	return r, nil
}

// answerJob asks the question.
func (r *Run) answerJob(ctx context.Context) error {
	s := r.stats
	row, err := s.bodies.Get(uint64(r.job.ID))
	if err != nil {
		return err
	}
	r.plan = row.Value.Plan
	kind, ok := s.kinds[r.job.Kind]
	if !ok {
		return Unknown(r.job.Kind)
	}
	r.Names = s.config.Names(r.job.Owner)
	asker := Asker{Names: r.Names}
	if r.Filter, err = asker.filter(r.job.Filter); err != nil {
		return rule.New("stat_filter", "the filter no longer works: {problem}", "problem", rule.Of(err))
	}
	if r.job.End.After(r.Period.End) {
		r.Warn(rule.New("stat_future", "the end lies in the future: the result tells what was known up to {time}", "time", timeText(r.Period.End.UnixMilli())))
	}
	if !r.Period.Begin.Before(r.Period.End) {
		return nil
	}
	q, err := kind.Open(r)
	if err != nil {
		return err
	}
	if err := r.askQuestion(ctx, q); err != nil {
		return err
	}
	r.explainNothing()
	return nil
}

func (r *Run) askQuestion(ctx context.Context, q Question) error {
	if q.Ask != nil {
		return q.Ask(ctx)
	}
	return r.scanTracks(ctx, q)
}

// Unknown is the rule of a kind that there is not.
func Unknown(kind string) *rule.Rule {
	return rule.New("stat_unknown", "there are no statistics of the kind {kind}", "kind", kind)
}

// Warn notes what a reader of the result has to know, each only once.
func (r *Run) Warn(why *rule.Rule) {
	for _, had := range r.warned {
		if had.Word == why.Word {
			return
		}
	}
	r.warned = append(r.warned, *noteOf(why))
}

// Tell tells how far the run is, by a time of the period.
func (r *Run) Tell(at time.Time) {
	whole := r.Period.End.Sub(r.Period.Begin)
	r.going.setShare(float64(at.Sub(r.Period.Begin)) / float64(whole))
}

// Emit keeps a record. It fails when the result is full, or cannot be written; then the run ends, whether the kind asks for the error or not.
func (r *Run) Emit(record Record) error {
	if r.out.failed == nil {
		r.out.failed = r.out.add(record)
	}
	return r.out.failed
}

// keepRecord keeps a record with its data.
func (r *Run) keepRecord(record Record, data any) {
	var err error
	if record.Data, err = json.Marshal(data); err != nil {
		r.failRun(err)
		return
	}
	_ = r.Emit(record) // a failure ends the run
}

// failRun ends the run.
func (r *Run) failRun(err error) {
	if r.out.failed == nil {
		r.out.failed = err
	}
}

// Looked counts what the kind looked at, and whether the filter let it pass: an empty result says why it is empty.
func (r *Run) Looked(passed bool) {
	if r.counted.read++; passed {
		r.counted.passed++
	}
}

// explainNothing says why nothing was found.
func (r *Run) explainNothing() {
	switch {
	case r.out.recordCount() > 0:
	case r.counted.read == 0:
		r.Warn(rule.New("stat_nothing", "nothing is recorded that this asks for: no report, or no call, of these ships or places in the period"))
	case r.counted.passed == 0:
		r.Warn(rule.New("stat_filtered", "the filter lets none of what is recorded pass"))
	default:
		r.Warn(rule.New("stat_none", "there was traffic, but nothing that this asks for"))
	}
}

// keepOutcome keeps how a run ended. One that the end of the program stopped waits for the next start.
func (s *Statistics) keepOutcome(ctx context.Context, r *Run, failed error) {
	err := s.changeJob(r.job.ID, func(j *Job) error {
		if failed != nil && s.ctx.Err() != nil {
			j.State, j.Started = Idle, time.Time{}
			return nil
		}
		s.finish(j)
		j.State, j.Latest, j.Crashes = Completed, time.Time{}, 0
		if r.out.latest != 0 {
			j.Latest = time.UnixMilli(r.out.latest).UTC()
		}
		j.Records, j.Warnings, j.Mail = r.going.records.Load(), r.warned, len(j.MailTo) > 0
		if failed != nil {
			j.State, j.Error = Aborted, s.errorNote(r.job.ID, failed)
		}
		return nil
	})
	if err != nil && !errors.Is(err, ErrUnknown) {
		s.config.Log.Error("keep how a statistic ended", "id", r.job.ID, "error", err)
		s.failed(r.job.ID, err)
	}
}

// finish notes when a run ended, by the time of the ships and by our clock.
func (s *Statistics) finish(j *Job) {
	j.Finished, j.Ended = s.config.Now().UTC(), s.config.Clock().UTC()
}

// failed notes in memory that the end of a run could not be written; the next start lets it run again.
func (s *Statistics) failed(id int64, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if j := s.jobs[id]; j != nil {
		s.finish(&j.Job)
		j.State, j.Error = Aborted, noteOf(rule.Of(why))
	}
}

// errorNote returns what the owner is told of an error: its rule, and nothing of one of ours.
func (s *Statistics) errorNote(id int64, err error) *Note {
	var why *rule.Rule
	if errors.As(err, &why) {
		return noteOf(why)
	}
	s.config.Log.Error("statistic failed", "id", id, "error", err)
	return noteOf(rule.New("stat_failed", "the run failed; the log says why"))
}
