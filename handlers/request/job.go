package request

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/internal/jobs"
	"quaywatch/internal/rule"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
)

// Desk is where calls leave jobs and take their results.
type Desk struct {
	Runner *jobs.Runner
	Sight  *sight.Sight
	Wait   time.Duration // how long a GET waits for its job
}

// Viewer returns what the caller sees.
func (d *Desk) Viewer(c *Request) (*sight.Viewer, error) {
	return d.Sight.Of(c.HTTP.Context(), c.Caller.User, c.Caller.Key)
}

// Listener returns the caller, with what it sees.
func (d *Desk) Listener(c *Request) (*telling.Listener, error) {
	v, err := d.Viewer(c)
	if err != nil {
		return nil, err
	}
	return d.ListenerOf(c.Caller.User, v), nil
}

// ListenerOf returns the listener that a user is, whose Viewer it is.
func (d *Desk) ListenerOf(who *access.User, v *sight.Viewer) *telling.Listener {
	return telling.ListenerOf(who, v, d.Sight.Now())
}

// PlaceOf returns where a ship is, as far as the caller may know; false where it knows no place.
func (d *Desk) PlaceOf(c *Request, m ais.MMSI) (at geo.Point, known bool) {
	v, err := d.Viewer(c)
	if err != nil {
		return at, false
	}
	s, err := v.Ship(m)
	if err != nil || !s.HasFix {
		return at, false
	}
	return s.Fix.Point(), true
}

// LookBack refuses times further back than the user's web_max_lookback_time.
func (d *Desk) LookBack(who *access.User, begin time.Time) error {
	reach := who.Lookback()
	if reach > 0 && begin.Before(d.Sight.Now().Add(-reach)) {
		return Forbidden(rule.New("lookback", "the setting web_max_lookback_time reaches {hours} h back", "hours", int64(reach/time.Hour)))
	}
	return nil
}

// Jobs is a kind of job about what a caller sees.
type Jobs[T any] struct {
	desk  *Desk
	kind  *jobs.Kind[paced[T]]
	retry time.Duration // Retry-After of a job that still runs
}

// paced is a result, with the pace of the caller when the job began, and the token by which it called.
type paced[T any] struct {
	result T
	pace   string
	token  uint64
}

// Bytes tells how much memory the result holds, where it knows.
func (p paced[T]) Bytes() int64 {
	if sized, ok := any(p.result).(jobs.Sized); ok {
		return sized.Bytes()
	}
	return 0
}

// NewJobs adds a kind of job.
func NewJobs[T any](d *Desk, p jobs.Policy, retry time.Duration) *Jobs[T] {
	return &Jobs[T]{d, jobs.NewKind[paced[T]](d.Runner, p), retry}
}

// startedJob tells the number of a job, and how it is doing if it runs.
type startedJob struct {
	ID     int64  `json:"id"`
	Status string `json:"status,omitempty"`

	Progress *float64 `json:"progress,omitempty"` // from 0 to 1, of a kind that tells it
}

// Start starts a job that asks the Viewer, and answers its number, with 202 also when to ask for the result. When it cannot be started the error is a problem.
func (j *Jobs[T]) Start(c *Request, status int, v *sight.Viewer, work func(context.Context) (T, error)) error {
	id, err := j.startJob(c, v, work)
	if err != nil {
		return err
	}
	if status == http.StatusAccepted {
		c.Writer.Header().Set("Retry-After", Seconds(j.retry))
	}
	return c.SendJSON(status, startedJob{ID: id})
}

// Execute starts a job and returns its result, with what the caller sees by then. It waits as long as the job may take. When the
// caller goes, the job ends.
func (j *Jobs[T]) Execute(c *Request, v *sight.Viewer, work func(context.Context) (T, error)) (result T, now *sight.Viewer, err error) {
	id, err := j.startJob(c, v, work)
	if err != nil {
		return result, nil, err
	}
	result, _, now, err = j.fetchResult(c.HTTP.Context(), c, id)
	if gone := context.Cause(c.HTTP.Context()); gone != nil { // nobody knows the number of the job
		j.kind.Drop(c.Caller.Key, id)
		err = cmp.Or(err, gone)
	}
	if errors.Is(err, jobs.ErrRunning) {
		err = context.Cause(c.HTTP.Context())
	}
	return result, now, err
}

// startJob starts a job. When it cannot be started the error is a problem.
func (j *Jobs[T]) startJob(c *Request, v *sight.Viewer, work func(context.Context) (T, error)) (int64, error) {
	id, err := j.kind.Start(c.Caller.Key, int(c.Caller.User.ReportPriority()), func(ctx context.Context) (paced[T], error) {
		result, err := work(ctx)
		return paced[T]{result, v.Key().Pace, v.Key().Token}, err
	})
	switch {
	case errors.Is(err, jobs.ErrOwnerFull):
		most := j.desk.Runner.Limits().PerOwner
		wait := max(j.desk.Runner.Free(c.Caller.Key), j.retry)
		err = TooMany(rule.New("too_many_jobs", "at most {max} jobs and results that were not fetched; fetch one, or wait {seconds} s", "max", most,
			"seconds", int64((wait+time.Second-1)/time.Second)), wait)
	case errors.Is(err, jobs.ErrFull):
		err = TooMany(rule.New("jobs_full", "the server has too many jobs"), time.Minute)
	}
	return id, err
}

// Result returns the result of a job of the caller, or of its latest one when id is 0. It also gives the job's number, and what the caller
// sees by now. It waits for the job. When the job still runs it says so to the caller, and the Viewer is nil. A result of another pace or
// token is gone.
func (j *Jobs[T]) Result(c *Request, id int64) (result T, found int64, v *sight.Viewer, err error) {
	ctx, cancel := context.WithTimeout(c.HTTP.Context(), j.desk.Wait)
	defer cancel()
	result, found, v, err = j.fetchResult(ctx, c, id)
	if errors.Is(err, jobs.ErrRunning) {
		c.Writer.Header().Set("Retry-After", Seconds(j.retry))
		going := startedJob{ID: found, Status: "running"}
		if share, told := j.kind.Progress(c.Caller.Key, found); told {
			going.Progress = &share
		}
		return result, found, nil, c.SendJSON(http.StatusAccepted, going)
	}
	return result, found, v, err
}

// Drop ends a job of the caller, and frees its place and its result. It is false where there is none.
func (j *Jobs[T]) Drop(c *Request, id int64) bool { return j.kind.Drop(c.Caller.Key, id) }

// fetchResult returns the result of a job, for which it waits until ctx is done; then it fails with jobs.ErrRunning.
func (j *Jobs[T]) fetchResult(ctx context.Context, c *Request, id int64) (result T, found int64, v *sight.Viewer, err error) {
	room := func(got paced[T]) (err error) {
		if v, err = j.desk.Viewer(c); err != nil {
			return err
		}
		bytes := got.Bytes()
		if !v.Everything() {
			bytes *= 2 // what the caller sees of it is a copy
		}
		return c.HoldResult(bytes)
	}
	got, found, err := j.kind.Fetch(ctx, c.Caller.Key, id, room)
	switch {
	case errors.Is(err, jobs.ErrTimedOut):
		err = &Problem{Status: http.StatusRequestTimeout, Code: CodeTimeout, Rule: rule.New("job_timeout", "not done within two minutes; the job is gone")}
	case errors.Is(err, jobs.ErrNone):
		err = NoJob()
	}
	if err != nil {
		return result, found, nil, err
	}
	if v == nil { // the job ended between two looks at it
		v, err = j.desk.Viewer(c)
	}
	if err == nil && (got.pace != v.Key().Pace || got.token != v.Key().Token) {
		err = NoJob()
	}
	return got.result, found, v, err
}

// NoJob is the answer about a job that is not there, or not there for this caller.
func NoJob() error {
	return NotFound(rule.New("no_job", "no such job, or its result was fetched or dropped"))
}
