package sight

import (
	"context"
	"sync"
	"time"

	"quaywatch/internal/rule"
	"quaywatch/traffic"
	"quaywatch/users/access/filter"
)

// Bounds of the pictures that are not the present.
const (
	mostPaces = 32               // paces in use at once
	paceIdle  = 10 * time.Minute // how long a picture is kept that nobody asks
	paceMade  = 10 * time.Second // how long a caller waits for a new one to be made
	paceRetry = 5 * time.Second
)

// pacedPicture is what ships are read from. It is the traffic picture and its latest changes, as they are or as they are given out at a pace.
type pacedPicture struct {
	picture *traffic.Picture
	changes *changeList
	pace    traffic.Pace
	key     string         // of the pace; "" for the present
	paced   *traffic.Paced // nil for the present
	stop    func()         // ends it
	made    chan struct{}  // closed when it is filled; nil for the present
	failed  error          // to be read after made

	// Under pacedPictures.mu.
	used    time.Time
	readers int // open streams
}

// isOver tells that nothing comes any more: the picture has to be made anew.
func (p *pacedPicture) isOver() bool { return p.paced != nil && p.paced.Behind() }

// present returns the time of the picture that a paced one follows.
func (p *pacedPicture) present() time.Time { return p.picture.Now().Add(p.pace.Delay) }

// pacedPictures are those of all paces in use. Users with the same pace share one. It is a traffic.Observer.
type pacedPictures struct {
	traffic.PacedSet
	now func() time.Time

	mu    sync.Mutex
	byKey map[string]*pacedPicture
}

// Tick hands over what a second brought, and lets go of pictures that nobody asks any more.
func (p *pacedPictures) Tick(now time.Time) {
	p.PacedSet.Tick(now)
	for _, idle := range p.idle() {
		idle.stop()
	}
}

// idle takes out the pictures that were not used for long, or are over.
func (p *pacedPictures) idle() []*pacedPicture {
	p.mu.Lock()
	defer p.mu.Unlock()
	var idle []*pacedPicture
	for key, picture := range p.byKey {
		if picture.isOver() || picture.readers == 0 && p.now().Sub(picture.used) > paceIdle {
			delete(p.byKey, key)
			idle = append(idle, picture)
		}
	}
	return idle
}

// Lags returns for each paced picture how far it is behind what it may tell. One that is still being made is behind by its delay and a
// second at least.
func (s *Sight) Lags() []time.Duration {
	now := s.Now()
	s.paced.mu.Lock()
	defer s.paced.mu.Unlock()
	var lags []time.Duration
	for _, p := range s.paced.byKey {
		lag := max(0, p.pace.Latest(now).Sub(p.picture.Now()))
		select {
		case <-p.made:
		default:
			lag += p.pace.Delay + time.Second
		}
		lags = append(lags, lag)
	}
	return lags
}

// read notes that a stream reads the picture, or with -1 that it no longer does.
func (p *pacedPictures) read(picture *pacedPicture, streams int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	picture.readers += streams
	picture.used = p.now()
}

// Hold keeps the picture of the user from being let go until release is called, once.
func (v *Viewer) Hold() (release func()) {
	v.sight.paced.read(v.from, 1)
	return func() { v.sight.paced.read(v.from, -1) }
}

// pictureAt returns the picture at a pace, made now if nobody has used it lately.
func (s *Sight) pictureAt(ctx context.Context, pace filter.ShipPace) (*pacedPicture, error) {
	if pace.Zero() {
		return s.present, nil
	}
	p, err := s.findPicture(pace)
	if err != nil {
		return nil, err
	}
	patience := time.NewTimer(paceMade)
	defer patience.Stop()
	select {
	case <-p.made:
		return p, p.failed
	case <-patience.C:
		return nil, &BusyError{rule.New("picture_in_making", "the picture at your delay is still being made"), paceRetry}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// findPicture returns the picture at a pace, which may still be in the making.
func (s *Sight) findPicture(pace filter.ShipPace) (*pacedPicture, error) {
	now := s.Now()
	all := s.paced
	all.mu.Lock()
	defer all.mu.Unlock()
	if p := all.byKey[pace.Key()]; p != nil && !p.isOver() {
		p.used = all.now()
		return p, nil
	}
	if len(all.byKey) >= mostPaces {
		return nil, &BusyError{rule.New("too_many_paces", "more than {max} different delays and update intervals are in use", "max", mostPaces), paceIdle}
	}
	p := s.newPicture(pace, now)
	all.byKey[p.key] = p
	p.used = all.now()
	return p, nil
}

// paceOf returns the pace of a user as pictures know it.
func paceOf(pace filter.ShipPace) traffic.Pace {
	at := traffic.Pace{Delay: pace.Delay}
	if pace.Thins() {
		at.Interval = pace.Interval
	}
	return at
}

// newPicture begins a picture at a pace.
func (s *Sight) newPicture(pace filter.ShipPace, now time.Time) *pacedPicture {
	at := paceOf(pace)
	changes := newChangeList(s.config.Now)
	paced := traffic.NewPaced(s.config.Picture, at, now, changes)
	ctx, cancel := context.WithCancel(s.ctx)
	p := &pacedPicture{picture: paced.Picture(), changes: changes, pace: at, key: pace.Key(), paced: paced, stop: cancel, made: make(chan struct{})}
	s.wait.Go(func() {
		s.paced.Add(paced)
		defer s.paced.Remove(paced)
		began := time.Now()
		p.failed = paced.Backfill(ctx, traffic.History{Track: s.config.DB.Track, Static: s.config.DB.StaticAt})
		close(p.made)
		if p.failed != nil {
			s.dropPicture(p)
			return
		}
		s.config.Log.Info("made a picture at a pace", "delay", pace.Delay, "ships", p.picture.Len(), "took", time.Since(began))
		paced.Run(ctx)
	})
	return p
}

// dropPicture lets go of a picture that could not be made, so that the next caller tries again.
func (s *Sight) dropPicture(p *pacedPicture) {
	s.paced.mu.Lock()
	defer s.paced.mu.Unlock()
	if s.paced.byKey[p.key] == p {
		delete(s.paced.byKey, p.key)
	}
	p.stop()
}
