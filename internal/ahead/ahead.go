// Package ahead reads what comes next while the caller works on what it has.
//
// It promises that everything arrives in order, that the reader has ended when Each returns, and that a few hundred things at most are held.
package ahead

import (
	"context"
	"fmt"
	"runtime/debug"
)

// Things are handed over in batches: to wake a goroutine for each costs more than to read it.
const (
	batch   = 128 // things
	waiting = 2   // batches that were read and not taken
)

// Each calls take with everything that read hands out, in order, while read goes on in a goroutine of its own. The context of read ends when take fails, and hand
// fails from then on. Each returns the error of take, else that of read. A panic of read is one of Each.
func Each[T any](ctx context.Context, read func(ctx context.Context, hand func(T) error) error, take func(T) error) error {
	ctx, stop := context.WithCancel(ctx)
	r := &reader[T]{batches: make(chan []T, waiting)}
	go r.run(ctx, read)
	defer func() { // also where take panics
		stop()
		for range r.batches { // closed when the reader has ended
		}
	}()
	for things := range r.batches {
		for _, thing := range things {
			if err := take(thing); err != nil {
				return err
			}
		}
	}
	if r.fault != "" {
		panic(r.fault)
	}
	return r.failed
}

// reader is what reads. Its fields but batches are for the caller only once batches is closed.
type reader[T any] struct {
	batches chan []T
	next    []T
	failed  error
	fault   string // of a panic, with its stack
}

// run reads, and hands on what it read before an error too.
func (r *reader[T]) run(ctx context.Context, read func(context.Context, func(T) error) error) {
	defer close(r.batches)
	defer func() {
		if fault := recover(); fault != nil {
			r.fault = fmt.Sprintf("%v\n%s", fault, debug.Stack())
		}
	}()
	r.failed = read(ctx, func(thing T) error {
		if r.next = append(r.next, thing); len(r.next) < batch {
			return nil
		}
		return r.sendBatch(ctx)
	})
	if err := r.sendBatch(ctx); r.failed == nil {
		r.failed = err
	}
}

// sendBatch hands on the batch that was read.
func (r *reader[T]) sendBatch(ctx context.Context) error {
	select {
	case r.batches <- r.next:
		r.next = make([]T, 0, batch)
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
