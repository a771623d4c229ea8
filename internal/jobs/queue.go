package jobs

import "slices"

// queue holds the jobs that wait, the next one first: the highest priority, then the lowest share, then the oldest.
//
// Shares make it fair (start-time fair queueing with jobs of equal cost). The jobs of one owner have consecutive shares, and the first
// of them has the share that is served at that time. So an owner with one job waits for few jobs of any other owner, however many wait.
type queue struct {
	waiting []*job
	served  int64 // the highest share of a job that began
}

// push adds a job; own are the owner's jobs that wait or run.
func (q *queue) push(j *job, own []*job) {
	j.share = q.served
	for _, o := range own {
		j.share = max(j.share, o.share+1)
	}
	at := slices.IndexFunc(q.waiting, func(o *job) bool {
		return o.priority < j.priority || o.priority == j.priority && o.share > j.share
	})
	if at < 0 {
		at = len(q.waiting)
	}
	q.waiting = slices.Insert(q.waiting, at, j)
}

// pop takes out the next job whose owner may have one more place, nil when there is none.
func (q *queue) pop(may func(owner string) bool) *job {
	at := slices.IndexFunc(q.waiting, func(j *job) bool { return may(j.owner) })
	if at < 0 {
		return nil
	}
	j := q.waiting[at]
	q.waiting = slices.Delete(q.waiting, at, at+1)
	q.served = max(q.served, j.share)
	return j
}

// remove takes a job out; it reports whether the job waited.
func (q *queue) remove(j *job) bool {
	before := len(q.waiting)
	q.waiting = slices.DeleteFunc(q.waiting, func(o *job) bool { return o == j })
	return len(q.waiting) < before
}
