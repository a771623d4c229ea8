package traffic

import (
	"container/heap"
	"slices"

	"quaywatch/ship"
)

// vessel is one ship on its way into a paced picture.
type vessel struct {
	sampler
	recalled int64          // Unix milliseconds up to which the past was recalled
	next     ship.State     // while the ship waits for a sample time: what will be told then
	told     ship.State     // what was told last, and waits to be old enough or is given out; MMSI 0 when nothing was
	latest   int64          // second of told
	bucket   int64          // of the queue, where told waits
	place    int            // in that bucket
	rank     int            // in sampleOrder, while the ship waits
	rest     [2]*ship.State // of the steps that wait: what seldom changes
}

// noBucket is where nothing waits.
const noBucket = never

// sampleOrder is a heap of the ships that wait for a turn, the next one first.
type sampleOrder []*vessel

func (o sampleOrder) Len() int           { return len(o) }
func (o sampleOrder) Less(i, k int) bool { return o[i].due < o[k].due }

func (o sampleOrder) Swap(i, k int) {
	o[i], o[k] = o[k], o[i]
	o[i].rank, o[k].rank = i, k
}

// Push is for the package heap.
func (o *sampleOrder) Push(v any) {
	if added, ok := v.(*vessel); ok {
		added.rank = len(*o)
		*o = append(*o, added)
	}
}

// Pop is for the package heap.
func (o *sampleOrder) Pop() any {
	last := len(*o) - 1
	v := (*o)[last]
	(*o)[last] = nil
	*o = (*o)[:last]
	return v
}

// putShip brings the order up to the sample time of a ship.
func (o *sampleOrder) putShip(v *vessel, waited bool) {
	if waited {
		heap.Fix(o, v.rank)
	} else {
		heap.Push(o, v)
	}
}

// paceQueue holds steps until they are old enough. They lie in buckets of some seconds, of each ship only the latest step of a bucket. So
// a long delay costs no more memory than a short one. A bucket is given out when its last second is old enough.
type paceQueue struct {
	every   int64 // seconds of a bucket
	first   int64 // number of buckets[0]; bucket n ends with the second n*every
	buckets [][]waitingStep
	spare   []waitingStep // memory of a bucket that was given out
	waiting int
}

// waitingStep is a step in the queue: what changes with each report, and the rest that many steps share.
type waitingStep struct {
	vessel  *vessel
	rest    *ship.State
	fix     ship.Fix
	heard   int64
	reports uint32
	age     ship.Age
}

func (w *waitingStep) fullState() ship.State {
	s := *w.rest
	s.Fix, s.Heard, s.Reports, s.Age = w.fix, w.heard, w.reports, w.age
	return s
}

// waiting returns the state as it waits. The last two versions of what seldom changes are kept, because two feeds may alternate.
func (v *vessel) waiting(s *ship.State) waitingStep {
	rest := *s
	rest.Fix, rest.Heard, rest.Reports, rest.Age = ship.Fix{}, 0, 0, 0
	if v.rest[0] == nil || *v.rest[0] != rest {
		v.rest[0], v.rest[1] = v.rest[1], v.rest[0]
	}
	if v.rest[0] == nil || *v.rest[0] != rest {
		kept := rest
		v.rest[0] = &kept
	}
	return waitingStep{v, v.rest[0], s.Fix, s.Heard, s.Reports, s.Age}
}

// putStep lets a step wait that is of a second.
func (q *paceQueue) putStep(step waitingStep, at int64) {
	v := step.vessel
	n := max(ceilDivide(at, q.every), v.bucket) // never before what already waits of the ship
	if len(q.buckets) == 0 {
		q.first = n
	}
	if n < q.first {
		q.buckets = slices.Insert(q.buckets, 0, make([][]waitingStep, q.first-n)...)
		q.first = n
	}
	for q.first+int64(len(q.buckets)) <= n {
		q.buckets = append(q.buckets, nil)
	}
	b := &q.buckets[n-q.first]
	if v.bucket == n {
		(*b)[v.place] = step
		return
	}
	if *b == nil {
		*b, q.spare = q.spare[:0], nil
	}
	v.bucket, v.place = n, len(*b)
	*b = append(*b, step)
	q.waiting++
}

// takeBucket returns the oldest bucket when all of it is of that second or older. It is valid until the next take.
func (q *paceQueue) takeBucket(latest int64) ([]waitingStep, bool) {
	if len(q.buckets) == 0 || q.first*q.every > latest {
		return nil, false
	}
	b := q.buckets[0]
	q.buckets[0] = nil
	q.buckets = q.buckets[1:]
	for i := range b {
		if b[i].vessel.bucket == q.first {
			b[i].vessel.bucket = noBucket
		}
	}
	q.first++
	q.waiting -= len(b)
	if cap(b) > cap(q.spare) {
		q.spare = b
	}
	return b, true
}

// rescale sorts everything into buckets of another length.
func (q *paceQueue) rescale(every int64) {
	old := *q
	*q = paceQueue{every: every}
	for _, b := range old.buckets {
		for i := range b {
			b[i].vessel.bucket = noBucket
		}
	}
	for i, b := range old.buckets {
		for k := range b {
			q.putStep(b[k], (old.first+int64(i))*old.every)
		}
		old.buckets[i] = nil
	}
}
