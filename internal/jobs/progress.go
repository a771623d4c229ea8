package jobs

import (
	"context"
	"math"
	"sync/atomic"
)

// progress is how far a job is, as the bits of the share plus 1; 0 before the job told it.
type progress struct{ bits atomic.Uint64 }

type progressKey struct{}

// Progress tells how far the work of a context is, as a share from 0 to 1. Outside of a job it does nothing.
func Progress(ctx context.Context, share float64) {
	if p, ok := ctx.Value(progressKey{}).(*progress); ok {
		p.bits.Store(math.Float64bits(1 + max(0, min(1, share))))
	}
}

// Progress returns how far a job of an owner is, as a share from 0 to 1; false where it does not tell.
func (k *Kind[T]) Progress(owner string, id int64) (share float64, told bool) {
	k.runner.mu.Lock()
	defer k.runner.mu.Unlock()
	j := k.runner.byID[id]
	if j == nil || j.owner != owner || j.kind != k.policy {
		return 0, false
	}
	bits := j.progress.bits.Load()
	return max(0, math.Float64frombits(bits)-1), bits != 0
}
