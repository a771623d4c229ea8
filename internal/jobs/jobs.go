// Package jobs runs work that a caller starts now and fetches later by its number.
//
// It promises that few jobs run at once, that one owner keeps nobody else waiting, and that each kind of job keeps its Policy. The number
// of jobs and results is bounded. Jobs live in memory: a restart forgets them.
//
// Dangerous: a result is handed out as it is. A kind that is fetched several times gives the same value each time, so nobody may change
// it.
package jobs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// Policy is what one kind of job promises.
type Policy struct {
	Name      string        // of the kind, in the plural: Reassign counts by it
	Limit     time.Duration // how long a job may take, its time in the queue included; 0 is as long as it wants
	Unfetched time.Duration // how long a result is kept that was never fetched
	Fetched   time.Duration // how long a result is kept after it was first fetched; 0 drops it then
}

// Limits bound the jobs of all kinds together.
type Limits struct {
	AtOnce   int // jobs that run at the same time; of one owner one fewer, and at least one
	PerOwner int // jobs and results not yet fetched of one owner; as many fetched results are kept beside them
	InAll    int // jobs and results of all owners

	// Bytes bounds the results that are kept, of all owners; 0 is no bound. Where there are more, the owner with the most loses its oldest. The
	// result of the job that ended last stays.
	Bytes int64
}

// Errors of Start and Fetch.
var (
	ErrOwnerFull = errors.New("the owner has too many jobs")
	ErrFull      = errors.New("there are too many jobs")
	ErrNone      = errors.New("no such job")
	ErrRunning   = errors.New("still running")
	ErrTimedOut  = errors.New("not done in time")
)

// Runner holds and runs the jobs of all kinds.
type Runner struct {
	ctx     context.Context
	now     func() time.Time
	limits  Limits
	working sync.WaitGroup

	mu    sync.Mutex
	kinds []*Policy
	last  int64 // number of the latest job
	byID  map[int64]*job
	queue queue
	busy  int            // jobs that run
	holds map[string]int // of them, by the owner that they began for
}

// job is one piece of work. All but id, begun, ended, cancel and progress is under Runner.mu.
type job struct {
	id       int64
	kind     *Policy
	owner    string
	priority int
	share    int64 // place among the owners, see queue
	begun    time.Time
	work     func() (any, error)
	cancel   context.CancelFunc
	progress *progress

	ended   chan struct{} // closed when the work is done, or dropped before it began
	done    time.Time     // zero while it waits or runs
	fetched time.Time     // of the first time; zero before
	result  any
	bytes   int64 // of the result
	err     error
}

// Sized is a result that counts in Limits.Bytes.
type Sized interface{ Bytes() int64 }

// NewRunner makes a runner whose jobs end with ctx. Job numbers begin at the time of now, so that a number of an earlier run means nothing.
func NewRunner(ctx context.Context, now func() time.Time, limits Limits) *Runner {
	return &Runner{ctx: ctx, now: now, limits: limits, last: now().UnixMilli(), byID: map[int64]*job{}, holds: map[string]int{}}
}

// Limits returns the limits that the runner was made with.
func (r *Runner) Limits() Limits { return r.limits }

// Wait returns when no job runs any more. Jobs that begin meanwhile count too; end the context of the runner first to stop that.
func (r *Runner) Wait() { r.working.Wait() }

// Kind is a kind of job with results of type T.
type Kind[T any] struct {
	runner *Runner
	policy *Policy
}

// NewKind adds a kind of job to a runner.
func NewKind[T any](r *Runner, p Policy) *Kind[T] {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kinds = append(r.kinds, &p)
	return &Kind[T]{r, &p}
}

// Start queues work for an owner and returns its number. Work of a higher priority runs first. The work's context ends with the
// runner, with the kind's limit, and when the job is dropped. It fails with ErrOwnerFull or ErrFull.
func (k *Kind[T]) Start(owner string, priority int, work func(context.Context) (T, error)) (int64, error) {
	r := k.runner
	r.mu.Lock()
	defer r.mu.Unlock()
	own, err := r.makeRoom(owner)
	if err != nil {
		return 0, err
	}
	var ctx context.Context
	j := &job{kind: k.policy, owner: owner, priority: priority, begun: r.now(), ended: make(chan struct{}), progress: new(progress)}
	if k.policy.Limit > 0 {
		ctx, j.cancel = context.WithTimeout(r.ctx, k.policy.Limit)
	} else {
		ctx, j.cancel = context.WithCancel(r.ctx)
	}
	ctx = context.WithValue(ctx, progressKey{}, j.progress)
	j.work = func() (any, error) { return work(ctx) }
	r.last++
	j.id = r.last
	r.byID[j.id] = j
	r.queue.push(j, own)
	r.dispatch()
	return j.id, nil
}

// Fetch returns the result of the owner's job, or of the latest of this kind when id is 0, with its number. It waits for the job until ctx
// is done; then it fails with ErrRunning. It fails with ErrNone, with ErrTimedOut, and with the error of the work itself. Before a result is
// handed out, accept is asked: where that fails so does Fetch, and the result stays.
func (k *Kind[T]) Fetch(ctx context.Context, owner string, id int64, accept func(T) error) (result T, found int64, err error) {
	found, ended, err := k.runner.findJob(k.policy, owner, id)
	if err != nil {
		return result, 0, err
	}
	select {
	case <-ended:
	case <-ctx.Done():
	}
	if value, ok := k.runner.peek(found).(T); ok {
		if err := accept(value); err != nil {
			return result, found, err
		}
	}
	value, err := k.runner.takeResult(k.policy, owner, found)
	if value != nil {
		result = value.(T)
	}
	return result, found, err
}

// Drop ends a job of an owner, and frees its place and its result. It is false where there is none.
func (k *Kind[T]) Drop(owner string, id int64) bool {
	k.runner.mu.Lock()
	defer k.runner.mu.Unlock()
	j := k.runner.byID[id]
	there := j != nil && j.owner == owner && j.kind == k.policy
	if there {
		k.runner.dropJob(j)
	}
	return there
}

// Free returns how long an owner that has too many jobs waits until a place is free by itself, at the latest. It is until the first of the jobs and results is
// dropped that nobody fetches. It is 0 when there is a place, or when no job has a limit.
func (r *Runner) Free(owner string) (wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, open := r.now(), 0
	for _, j := range r.byID {
		if j.owner != owner || !j.fetched.IsZero() {
			continue
		}
		open++
		left := j.done.Add(j.kind.Unfetched).Sub(now)
		switch {
		case j.done.IsZero() && j.kind.Limit == 0:
			continue
		case j.done.IsZero():
			left = j.begun.Add(j.kind.Limit + j.kind.Unfetched).Sub(now)
		}
		if wait == 0 || left < wait {
			wait = max(left, 1)
		}
	}
	if open < r.limits.PerOwner {
		return 0
	}
	return wait
}

// Forget drops all jobs and results of an owner.
func (r *Runner) Forget(owner string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, j := range r.byID {
		if j.owner == owner {
			r.dropJob(j)
		}
	}
}

// Reassign returns the jobs and results of an owner to another, and tells how many of each kind.
func (r *Runner) Reassign(from, to string) map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	count := map[string]int{}
	for _, kind := range r.kinds {
		count[kind.Name] = 0
	}
	for _, j := range r.byID {
		if j.owner == from {
			j.owner = to
			count[j.kind.Name]++
		}
	}
	return count
}

// dispatch begins jobs of the queue while there are free places.
func (r *Runner) dispatch() {
	for r.busy < r.limits.AtOnce && r.ctx.Err() == nil {
		j := r.queue.pop(r.mayRun)
		if j == nil {
			return
		}
		owner := j.owner // another owner may get the job meanwhile
		r.busy++
		r.holds[owner]++
		r.working.Go(func() { r.run(j, owner) })
	}
}

// mayRun reports whether an owner may have one more place. No owner has them all, so a job of another owner waits for no long one.
func (r *Runner) mayRun(owner string) bool { return r.holds[owner] < max(1, r.limits.AtOnce-1) }

// run does the work and keeps its result.
func (r *Runner) run(j *job, owner string) {
	defer j.cancel()
	var result any
	err := Guarded(func() (err error) {
		result, err = j.work()
		return err
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.holds[owner]--; r.holds[owner] == 0 {
		delete(r.holds, owner)
	}
	j.result, j.err, j.done = result, err, r.now()
	if sized, ok := result.(Sized); ok {
		j.bytes = sized.Bytes()
	}
	close(j.ended)
	r.busy--
	r.shed(j)
	r.dispatch()
}

// shed drops results while all together have too many bytes, but not that of the latest job.
func (r *Runner) shed(latest *job) {
	if r.limits.Bytes == 0 {
		return
	}
	r.dropExpired()
	for all, of := r.countBytes(); all > r.limits.Bytes; all, of = r.countBytes() {
		var goes *job
		for _, j := range r.byID {
			if j == latest || j.bytes == 0 {
				continue
			}
			if goes == nil || cmp.Or(cmp.Compare(of[goes.owner], of[j.owner]), j.done.Compare(goes.done)) < 0 {
				goes = j
			}
		}
		if goes == nil {
			return
		}
		r.dropJob(goes)
	}
}

// countBytes returns how much the results of all owners hold, and those of each.
func (r *Runner) countBytes() (all int64, of map[string]int64) {
	of = map[string]int64{}
	for _, j := range r.byID {
		all += j.bytes
		of[j.owner] += j.bytes
	}
	return all, of
}

// Guarded makes an error of a panic, so that one broken job does not end the program.
func Guarded(work func() error) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("panic: %v\n%s", fault, debug.Stack())
		}
	}()
	return work()
}

// findJob returns the number of a job and what is closed when it ends.
func (r *Runner) findJob(kind *Policy, owner string, id int64) (int64, <-chan struct{}, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dropExpired()
	if id == 0 {
		for _, j := range r.byID {
			if j.owner == owner && j.kind == kind {
				id = max(id, j.id)
			}
		}
	}
	j := r.byID[id]
	if j == nil || j.owner != owner || j.kind != kind {
		return 0, nil, ErrNone
	}
	return id, j.ended, nil
}

// peek returns the result of a job, nil when there is none yet or it failed.
func (r *Runner) peek(id int64) any {
	r.mu.Lock()
	defer r.mu.Unlock()
	if j := r.byID[id]; j != nil && j.err == nil {
		return j.result
	}
	return nil
}

// takeResult returns the result of a job, and drops it when its kind is fetched once.
func (r *Runner) takeResult(kind *Policy, owner string, id int64) (any, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	j := r.byID[id]
	switch {
	case j == nil || j.owner != owner:
		return nil, ErrNone // fetched or dropped meanwhile
	case j.done.IsZero() && !r.isOverdue(j, 0):
		return nil, ErrRunning
	}
	if j.fetched.IsZero() {
		j.fetched = r.now()
	}
	if j.done.IsZero() || kind.Limit > 0 && errors.Is(j.err, context.DeadlineExceeded) {
		r.dropJob(j)
		return nil, ErrTimedOut
	}
	if kind.Fetched == 0 {
		r.dropJob(j)
	}
	return j.result, j.err
}

// isOverdue reports whether a job has passed its limit by more than grace.
func (r *Runner) isOverdue(j *job, grace time.Duration) bool {
	return j.kind.Limit > 0 && r.now().Sub(j.begun) > j.kind.Limit+grace
}

// makeRoom drops what may be dropped, and refuses one more job of an owner beyond the limits. It returns the jobs of the owner that wait or
// run.
func (r *Runner) makeRoom(owner string) (going []*job, err error) {
	r.dropExpired()
	var open int
	var fetched []*job
	for _, j := range r.byID {
		if j.owner != owner {
			continue
		}
		if j.done.IsZero() {
			going = append(going, j)
		}
		if j.fetched.IsZero() {
			open++
		} else {
			fetched = append(fetched, j)
		}
	}
	if open >= r.limits.PerOwner {
		return nil, ErrOwnerFull
	}
	slices.SortFunc(fetched, func(a, b *job) int { return int(b.id - a.id) })
	for _, old := range fetched[min(len(fetched), r.limits.PerOwner-1):] {
		r.dropJob(old)
	}
	if len(r.byID) >= r.limits.InAll {
		return nil, ErrFull
	}
	return going, nil
}

// dropExpired drops the jobs and results whose time is over.
func (r *Runner) dropExpired() {
	now := r.now()
	for _, j := range r.byID {
		switch {
		case j.done.IsZero():
			if r.isOverdue(j, j.kind.Unfetched) {
				r.dropJob(j)
			}
		case j.fetched.IsZero() && now.Sub(j.done) > j.kind.Unfetched,
			!j.fetched.IsZero() && now.Sub(j.fetched) > j.kind.Fetched:
			r.dropJob(j)
		}
	}
}

// dropJob forgets a job. The work of one that runs is told to end, and holds its place until it does.
func (r *Runner) dropJob(j *job) {
	j.cancel()
	delete(r.byID, j.id)
	if r.queue.remove(j) {
		close(j.ended)
	}
}
