package tracking

import (
	"context"
	"encoding/json"

	"quaywatch/engine/tracking"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// Stream returns for a live client a function that returns the data of its next event. The data are the numbers of the tracks that changed, came or went. They
// are nil when there is nothing new for it.
func (s *Server) Stream() func(ctx context.Context, v *sight.Viewer, user *access.User) ([]byte, error) {
	c := client{server: s}
	return c.next
}

// client is a live client that is told of tracks.
type client struct {
	server *Server
	news   *telling.TrackNews // nil before the client began
}

func (c *client) next(ctx context.Context, v *sight.Viewer, user *access.User) ([]byte, error) {
	if !user.May(right.PCSAccess) {
		c.news = nil
		return nil, nil
	}
	desk := c.server.deps.Desk
	l := desk.ListenerOf(user, v)
	if c.news == nil {
		return nil, c.begin(ctx, l)
	}
	ids, err := c.news.Due(l)
	if len(ids) == 0 || err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		IDs []int64 `json:"ids"`
	}{ids})
}

// begin notes which tracks the client can read.
func (c *client) begin(ctx context.Context, l *telling.Listener) error {
	news := c.server.deps.Tracks.News(c.server.deps.Desk.Sight.Now) // before the list, so that what changes meanwhile is told
	all, err := c.server.listTracks(ctx, l, func(*tracking.TrackedShip) bool { return true })
	if err != nil {
		return err
	}
	news.Know(all)
	c.news = news
	return nil
}
