package handlers

import (
	"context"
	"errors"
	"sync"
	"time"

	"quaywatch/access"
)

// What the interface says of jobs.
const (
	areaTimeout   = 2 * time.Minute
	unfetchedKeep = 15 * time.Minute // a result that nobody fetches
	fetchedKeep   = time.Hour        // a track after its first reading
	jobsOfOne     = 8                // jobs and results of one caller
	jobsAtOnce    = 2                // that run at the same time
)

// jobKind tells jobs apart: an id of the one is no id of the other.
type jobKind uint8

const (
	areaJob jobKind = iota
	trackJob
)

// job is one piece of work that a caller will ask for by its id.
type job struct {
	id     int64
	kind   jobKind
	owner  string
	begun  time.Time
	cancel context.CancelFunc

	// The rest is under jobs.mu.
	done    time.Time // zero while it runs
	fetched time.Time // zero until it was first read
	result  any
	err     error
}

// jobs holds all of them, in memory: a restart forgets them, as it does the callers' requests.
type jobs struct {
	now  func() time.Time
	line *waitingLine // for one of the few places of jobs that run
	ctx  context.Context
	stop context.CancelFunc
	wait sync.WaitGroup

	mu   sync.Mutex
	last int64
	byID map[int64]*job
}

func newJobs(now func() time.Time) *jobs {
	ctx, stop := context.WithCancel(context.Background())
	return &jobs{now: now, line: newWaitingLine(jobsAtOnce), ctx: ctx, stop: stop, last: now().UnixMilli(), byID: map[int64]*job{}}
}

var errTooManyJobs = errors.New("too many jobs")

// start begins work for a caller and gives its id. Of the jobs that wait the one with the highest priority runs first.
func (j *jobs) start(owner string, kind jobKind, priority access.Priority, work func(context.Context) (any, error)) (int64, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.expire()
	own := 0
	for _, other := range j.byID {
		if other.owner == owner && other.fetched.IsZero() {
			own++
		}
	}
	if own >= jobsOfOne {
		return 0, errTooManyJobs
	}
	j.forgetRead(owner)
	j.last++
	ctx, cancel := context.WithCancel(j.ctx)
	one := &job{id: j.last, kind: kind, owner: owner, begun: j.now(), cancel: cancel}
	j.byID[one.id] = one
	j.wait.Go(func() { j.run(ctx, one, priority, work) })
	return one.id, nil
}

// run waits for its turn, works, and keeps the result.
func (j *jobs) run(ctx context.Context, one *job, priority access.Priority, work func(context.Context) (any, error)) {
	defer one.cancel()
	if j.line.enter(ctx, priority) != nil {
		return
	}
	defer j.line.leave()
	result, err := work(ctx)
	j.mu.Lock()
	defer j.mu.Unlock()
	one.result, one.err, one.done = result, err, j.now()
}

// Errors of asking for a result.
var (
	errNoJob    = errors.New("no such job")
	errRunning  = errors.New("still running")
	errTimedOut = errors.New("not done in time")
)

// take gives the result of an area job, once.
func (j *jobs) take(owner string, id int64) (any, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	one, err := j.find(owner, areaJob, id)
	if err != nil {
		return nil, err
	}
	if one.done.IsZero() {
		if j.now().Sub(one.begun) <= areaTimeout {
			return nil, errRunning
		}
		j.drop(one)
		return nil, errTimedOut
	}
	j.drop(one)
	return one.result, one.err
}

// read gives the result of a track job, which stays; id 0 is the caller's latest.
func (j *jobs) read(owner string, id int64) (*job, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	one, err := j.find(owner, trackJob, id)
	if err != nil {
		return nil, err
	}
	if one.done.IsZero() {
		return one, errRunning
	}
	if one.fetched.IsZero() {
		one.fetched = j.now()
	}
	return one, one.err
}

// find gives a job of that caller and kind.
func (j *jobs) find(owner string, kind jobKind, id int64) (*job, error) {
	j.expire()
	if id == 0 {
		for _, other := range j.byID {
			if other.owner == owner && other.kind == kind {
				id = max(id, other.id)
			}
		}
	}
	one := j.byID[id]
	if one == nil || one.owner != owner || one.kind != kind {
		return nil, errNoJob
	}
	return one, nil
}

// expire drops the results whose time is over.
func (j *jobs) expire() {
	now := j.now()
	for _, one := range j.byID {
		switch {
		case one.done.IsZero():
			if one.kind == areaJob && now.Sub(one.begun) > areaTimeout+unfetchedKeep {
				j.drop(one)
			}
		case one.fetched.IsZero() && now.Sub(one.done) > unfetchedKeep,
			!one.fetched.IsZero() && now.Sub(one.fetched) > fetchedKeep:
			j.drop(one)
		}
	}
}

// forgetRead makes room for a caller who reads many tracks: of those that were read, only the latest few are kept.
func (j *jobs) forgetRead(owner string) {
	for {
		count, oldest := 0, (*job)(nil)
		for _, one := range j.byID {
			if one.owner == owner && !one.fetched.IsZero() {
				count++
				if oldest == nil || one.id < oldest.id {
					oldest = one
				}
			}
		}
		if count < jobsOfOne {
			return
		}
		j.drop(oldest)
	}
}

func (j *jobs) drop(one *job) {
	one.cancel()
	delete(j.byID, one.id)
}
