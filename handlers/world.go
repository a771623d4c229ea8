package handlers

import (
	"context"
	"fmt"
	"sync"
	"time"

	"quaywatch/access"
	"quaywatch/traffic"
)

// Bounds of the worlds that are not the present.
const (
	mostWorlds = 32               // paces in use at once
	worldIdle  = 10 * time.Minute // how long one is kept that nobody asks
	worldMade  = 10 * time.Second // how long a caller waits for a new one to be made
	worldRetry = 5 * time.Second
)

// world is what ships are read from: the traffic picture and its changes, as they are or as they are given out at a pace.
type world struct {
	picture *traffic.Picture
	live    *Live
	pace    traffic.Pace
	key     string         // of the pace; "" for the present
	paced   *traffic.Paced // nil for the present
	stop    func()         // ends it
	made    chan struct{}  // closed when it is filled; nil for the present
	failed  error          // to be read after made

	// Under worlds.mu.
	used    time.Time
	readers int // open streams
}

// over tells that nothing comes any more: the world has to be made anew.
func (w *world) over() bool { return w.paced != nil && w.paced.Behind() }

// present gives the time of the picture that a paced one follows.
func (w *world) present() time.Time { return w.picture.Now().Add(w.pace.Delay) }

// worlds are those of all paces in use. Users with the same pace share one. It is a traffic.Observer.
type worlds struct {
	traffic.Paces
	now func() time.Time

	mu    sync.Mutex
	byKey map[string]*world
}

// Tick hands over what a second brought, and lets go of worlds that nobody asks any more.
func (w *worlds) Tick(now time.Time) {
	w.Paces.Tick(now)
	for _, idle := range w.idle() {
		idle.stop()
	}
}

// idle takes out the worlds that were not used for long, or are over.
func (w *worlds) idle() []*world {
	w.mu.Lock()
	defer w.mu.Unlock()
	var idle []*world
	for key, one := range w.byKey {
		if one.over() || one.readers == 0 && w.now().Sub(one.used) > worldIdle {
			delete(w.byKey, key)
			idle = append(idle, one)
		}
	}
	return idle
}

// count gives how many worlds there are beside the present.
func (w *worlds) count() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.byKey)
}

// read notes that a stream reads the world, or with -1 that it no longer does.
func (w *worlds) read(one *world, streams int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	one.readers += streams
	one.used = w.now()
}

// worldAt gives the world at a pace, made now if nobody has used it lately.
func (s *Server) worldAt(ctx context.Context, pace access.Pace) (*world, error) {
	if pace.Zero() {
		return s.present, nil
	}
	w, err := s.findWorld(pace)
	if err != nil {
		return nil, err
	}
	patience := time.NewTimer(worldMade)
	defer patience.Stop()
	select {
	case <-w.made:
		return w, w.failed
	case <-patience.C:
		return nil, tooMany("the picture at your delay is still being made", worldRetry)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// findWorld gives the world at a pace, which may still be in the making.
func (s *Server) findWorld(pace access.Pace) (*world, error) {
	now := s.pictureNow()
	ws := s.worlds
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if w := ws.byKey[pace.Key()]; w != nil && !w.over() {
		w.used = ws.now()
		return w, nil
	}
	if len(ws.byKey) >= mostWorlds {
		return nil, tooMany(fmt.Sprintf("more than %d different delays and update intervals are in use", mostWorlds), worldIdle)
	}
	w := s.newWorld(pace, now)
	ws.byKey[w.key] = w
	w.used = ws.now()
	return w, nil
}

// newWorld begins a world at a pace.
func (s *Server) newWorld(pace access.Pace, now time.Time) *world {
	at := traffic.Pace{Delay: pace.Delay}
	if pace.Thins() {
		at.Interval = pace.Interval
	}
	live := newLive(s.config.Now, 0)
	paced := traffic.NewPaced(s.deps.Picture, at, now, live)
	ctx, cancel := context.WithCancel(s.ctx)
	w := &world{picture: paced.Picture(), live: live, pace: at, key: pace.Key(), paced: paced, stop: cancel, made: make(chan struct{})}
	s.background.Go(func() {
		s.worlds.Add(paced)
		defer s.worlds.Remove(paced)
		began := time.Now()
		w.failed = paced.Recall(ctx, traffic.History{Track: s.deps.DB.Track, Static: s.deps.DB.StaticAt})
		close(w.made)
		if w.failed != nil {
			s.dropWorld(w)
			return
		}
		s.deps.Log.Info("made a picture at a pace", "delay", pace.Delay, "ships", w.picture.Len(), "took", time.Since(began))
		paced.Run(ctx)
	})
	return w
}

// dropWorld lets go of a world that could not be made, so that the next caller tries again.
func (s *Server) dropWorld(w *world) {
	s.worlds.mu.Lock()
	defer s.worlds.mu.Unlock()
	if s.worlds.byKey[w.key] == w {
		delete(s.worlds.byKey, w.key)
	}
	w.stop()
}
