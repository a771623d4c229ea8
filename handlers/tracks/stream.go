package tracks

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"quaywatch/access"
	"quaywatch/access/right"
	"quaywatch/sight"
	"quaywatch/tracking"
	"quaywatch/voyage"
)

// Stream returns for a live client a function that returns the data of its next event. The data are the numbers of the tracks that changed, came or went. They
// are nil when there is nothing new for it.
func (s *Server) Stream() func(ctx context.Context, v *sight.Viewer, user *access.User) ([]byte, error) {
	c := client{server: s}
	return c.next
}

// client is what a live client knows of.
type client struct {
	server  *Server
	changed <-chan struct{} // nil before the client began
	number  uint64          // of the change up to which all is told
	knows   map[int64]bool  // tracks that it could read
	pending []news
}

// news are tracks that changed at a time. A client that is told late hears of them when it may know.
type news struct {
	at  time.Time
	ids []int64
}

// mostPending bounds what waits for a client that is told late: one entry each second of ten minutes. Beyond it entries become one.
const mostPending = 600

func (c *client) next(ctx context.Context, v *sight.Viewer, user *access.User) ([]byte, error) {
	if !user.May(right.PCSAccess) {
		*c = client{server: c.server}
		return nil, nil
	}
	if c.changed == nil {
		return nil, c.noteTracks(ctx, v, user)
	}
	select {
	case <-c.changed:
		c.readChanges()
	default:
	}
	ids, err := c.dueTracks(v, user)
	if len(ids) == 0 || err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		IDs []int64 `json:"ids"`
	}{ids})
}

// noteTracks notes which tracks the client can read.
func (c *client) noteTracks(ctx context.Context, v *sight.Viewer, user *access.User) error {
	changed := c.server.deps.Tracks.Changed()
	_, c.number = c.server.deps.Tracks.Since(^uint64(0))
	all, err := c.server.listTracks(ctx, v, user, func(*tracking.Track) bool { return true })
	if err != nil {
		return err
	}
	c.changed, c.knows = changed, map[int64]bool{}
	for _, t := range all {
		c.knows[t.track.ID] = true
	}
	return nil
}

// readChanges takes the tracks that changed.
func (c *client) readChanges() {
	c.changed = c.server.deps.Tracks.Changed() // before looking, so that what changes meanwhile wakes
	ids, latest := c.server.deps.Tracks.Since(c.number)
	c.number = latest
	if len(ids) == 0 {
		return
	}
	fresh := news{c.server.deps.Desk.Sight.Now(), ids}
	if n := len(c.pending); n >= mostPending {
		fresh.ids = append(c.pending[n-1].ids, ids...)
		slices.Sort(fresh.ids)
		fresh.ids = slices.Compact(fresh.ids)
		c.pending = c.pending[:n-1]
	}
	c.pending = append(c.pending, fresh)
}

// dueTracks returns the tracks of which the client is to hear now.
func (c *client) dueTracks(v *sight.Viewer, user *access.User) (ids []int64, err error) {
	n, until := 0, v.Now()
	coarse := !user.May(right.ViewATAATD)
	if coarse { // the moment would tell when a ship came
		until = voyage.AtQuarter(until)
	}
	for n < len(c.pending) && (!v.Late() && !coarse || !c.pending[n].at.After(until)) {
		ids = append(ids, c.pending[n].ids...)
		n++
	}
	c.pending = c.pending[n:]
	slices.Sort(ids)
	var told []int64
	for _, id := range slices.Compact(ids) {
		sees, err := c.seesTrack(v, user, id)
		if err != nil {
			return nil, err
		}
		if sees || c.knows[id] {
			told = append(told, id)
		}
		if delete(c.knows, id); sees {
			c.knows[id] = true
		}
	}
	return told, nil
}

// seesTrack reports whether the user can read a track.
func (c *client) seesTrack(v *sight.Viewer, user *access.User, id int64) (bool, error) {
	t, err := c.server.deps.Tracks.Get(id)
	if errors.Is(err, tracking.ErrUnknown) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	_, sees, err := c.server.toldTrack(v, user, t)
	return sees, err
}
