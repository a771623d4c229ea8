package sight

import (
	"context"
	"iter"
	"slices"

	"quaywatch/ais"
	"quaywatch/internal/fairshare"
	"quaywatch/ship"
)

// Work is cut into turns at these numbers.
const (
	lookAtOnce = 16  // ships or fixes that are looked at: less than a millisecond's work with the most costly filter
	readAtOnce = 256 // ships that are read from the store
)

// work looks at ships in turns with other callers.
type work struct {
	*fairshare.Turn
	viewer *Viewer
	looked int
}

// beginWork waits for a turn. It fails when ctx ends. Whoever has begun must End it, and begin nothing else meanwhile.
func (v *Viewer) beginWork(ctx context.Context) (*work, error) {
	turn, err := v.sight.places.Take(ctx, v.caller)
	return &work{Turn: turn, viewer: v}, err
}

// countLook counts a ship or a fix, and lets others have their turns after some. When it fails the work has ended.
func (w *work) countLook(ctx context.Context) error {
	if w.looked++; w.looked%lookAtOnce == 0 {
		return w.Rest(ctx)
	}
	return nil
}

// each hands ships on until one fails.
func (w *work) each(ctx context.Context, ships iter.Seq[*ship.State], fn func(*ship.State) error) error {
	for s := range ships {
		if err := w.countLook(ctx); err != nil {
			return err
		}
		if err := fn(s); err != nil {
			return err
		}
	}
	return nil
}

// read reads the store, in turns with other callers that read it. Those that look at ships go on meanwhile, however slow the disk is.
func (w *work) read(ctx context.Context, fn func() error) error {
	return w.Away(ctx, func() error { return w.viewer.read(ctx, fn) })
}

// read is work.read where no work has begun.
func (v *Viewer) read(ctx context.Context, fn func() error) error {
	turn, err := v.sight.reading.Take(ctx, v.caller)
	if err != nil {
		return err
	}
	defer turn.End()
	return fn()
}

// departed hands on, of these ships that are not in the user's picture, what the store has and the user may be told. wanted is asked of the
// last state, and of what is told where that differs.
func (w *work) departed(ctx context.Context, numbers []ais.MMSI, wanted func(*ship.State) bool, fn func(*ship.State) error) error {
	var states []ship.State
	for some := range slices.Chunk(numbers, readAtOnce) {
		err := w.read(ctx, func() (err error) {
			states, err = w.viewer.readShips(states[:0], some, wanted)
			return err
		})
		if err != nil {
			return err
		}
		err = w.each(ctx, each(states), func(s *ship.State) error {
			s.Age = ship.Removed // what the picture no longer holds is no longer live, whatever was written last
			return fn(s)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// readShips appends to dst, of these ships, what departed hands on.
func (v *Viewer) readShips(dst []ship.State, numbers []ais.MMSI, wanted func(*ship.State) bool) ([]ship.State, error) {
	kept := len(dst)
	states, err := v.sight.config.DB.Ships(dst, numbers)
	if err != nil {
		return nil, err
	}
	dst = states[:kept]
	for i := range states[kept:] {
		if s := &states[kept+i]; wanted(s) && v.limitState(s) && wanted(s) {
			dst = append(dst, *s)
		}
	}
	return dst, nil
}

// each hands over ships one by one.
func each(ships []ship.State) iter.Seq[*ship.State] {
	return func(yield func(*ship.State) bool) {
		for i := range ships {
			if !yield(&ships[i]) {
				return
			}
		}
	}
}
