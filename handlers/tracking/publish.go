package tracking

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"quaywatch/engine/tracking"
	"quaywatch/ship/portcall"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// Publisher says where the changes of tracks are told to other programs, and as which user.
type Publisher struct {
	// As returns the user that they are told as, and what it sees now. While it fails nothing is told.
	As func(ctx context.Context) (*access.User, *sight.Viewer, error)
	// Tell takes a change: its kind, and the track as the interface has it. A track that is gone has no data. It is asked again after it failed.
	Tell func(ctx context.Context, id int64, kind string, data []byte) error
}

// The kinds of changes.
const (
	kindKnown    = "track"          // it is new, or the service has started
	kindETA      = "track.eta"      // its ETA moved
	kindArrived  = "track.arrived"  // its ship arrived
	kindDeparted = "track.departed" // its ship left the destination
	kindGone     = "track.gone"     // it was deleted, or the user may not see it any more
)

// movedBy is by how much an ETA must differ from the one that was told.
const movedBy = portcall.Millis(10 * time.Minute / time.Millisecond)

// The pauses of a publisher whose changes are not taken.
const (
	firstPause = 5 * time.Second
	lastPause  = 5 * time.Minute
)

// said is what was told of a track last.
type said struct {
	eta    portcall.Millis
	status tracking.Status
}

// publishing is a publisher at work.
type publishing struct {
	Publisher
	server *Server
	news   *telling.TrackNews // nil before the first
	said   map[int64]said
	due    []int64 // tracks that are to be looked at
}

// Publish tells a publisher of each track that the user can read. Then it tells it when its ETA has moved by more than ten minutes, its ship arrives or
// departs, or it is gone. It returns when ctx is done.
func (s *Server) Publish(ctx context.Context, to Publisher) {
	p := publishing{Publisher: to, server: s}
	pause := time.Second
	for {
		err := p.tellNews(ctx)
		if pause = min(2*pause, lastPause); err == nil {
			pause = time.Second
		} else {
			pause = max(pause, firstPause)
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
	}
}

// tellNews tells what is new. What is not taken stays due.
func (p *publishing) tellNews(ctx context.Context) error {
	user, v, err := p.As(ctx)
	if err != nil {
		return err
	}
	if !user.May(right.PCSAccess) {
		*p = publishing{Publisher: p.Publisher, server: p.server}
		return nil
	}
	desk := p.server.deps.Desk
	if p.news == nil { // all is new
		p.said, p.news = map[int64]said{}, p.server.deps.Tracks.AllNews(desk.Sight.Now)
	}
	l := desk.ListenerOf(user, v)
	ids, err := p.news.Due(l)
	if err != nil {
		return err
	}
	p.due = append(p.due, ids...)
	slices.Sort(p.due)
	p.due = slices.Compact(p.due)
	for len(p.due) > 0 {
		if err := p.publishTrack(ctx, l, p.due[0]); err != nil {
			return err
		}
		p.due = p.due[1:]
	}
	return nil
}

// publishTrack tells of one track, if there is something to tell.
func (p *publishing) publishTrack(ctx context.Context, l *telling.Listener, id int64) error {
	was, known := p.said[id]
	seen, err := p.server.trackByID(l, id)
	if err != nil {
		return err
	}
	if seen == nil {
		if known {
			err = p.Tell(ctx, id, kindGone, nil)
		}
		if !known || err == nil {
			delete(p.said, id)
			return nil
		}
		return err
	}
	now := said{seen.track.Now.ETA, seen.track.Now.Status}
	kind := was.changeKind(now)
	if !known {
		kind = kindKnown
	}
	if kind == "" {
		return nil
	}
	data, err := json.Marshal(seen.trackRecord(false))
	if err != nil {
		return err
	}
	if err := p.Tell(ctx, id, kind, data); err != nil {
		return err
	}
	p.said[id] = now
	return nil
}

// changeKind returns the kind of a change, "" for one that is not told.
func (was said) changeKind(now said) string {
	switch {
	case now.status == tracking.Arrived && was.status != tracking.Arrived:
		return kindArrived
	case now.status == tracking.Departed && was.status != tracking.Departed:
		return kindDeparted
	case max(now.eta-was.eta, was.eta-now.eta) > movedBy:
		return kindETA
	}
	return ""
}
