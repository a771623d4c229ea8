package watchdogs

import (
	"context"
	"encoding/json"

	"quaywatch/engine/watchdogs"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// mostTold is how many events a stream tells at once. The others come with the next look.
const mostTold = 200

// Stream returns the event of one live stream about what watchdogs raised: a function that gives nil while there is no news for the user. Its first call
// only notes where the client begins.
func (s *Server) Stream() func(ctx context.Context, v *sight.Viewer, user *access.User) ([]byte, error) {
	c := client{server: s}
	return c.next
}

// client is a live client that is told of events.
type client struct {
	server *Server
	news   *telling.EventNews // nil before the client began
}

// told is the event of a live stream.
type told struct {
	Records []record `json:"records"`
	Gone    []uint64 `json:"gone,omitempty"`  // events that were deleted
	Again   bool     `json:"again,omitempty"` // more events changed than are remembered: what the client has may be old
}

func (c *client) next(ctx context.Context, v *sight.Viewer, user *access.User) (text []byte, err error) {
	if !user.May(right.ViewWatchdog) {
		c.news = nil
		return nil, nil
	}
	l := c.server.deps.Desk.ListenerOf(user, v)
	if c.news == nil {
		c.news, err = c.server.deps.Events.News(ctx, l)
		return nil, err
	}
	news := told{Records: []record{}}
	news.Again, err = c.news.Tell(ctx, l, mostTold, telling.News{
		Changed: func(e *watchdogs.Event) { news.Records = append(news.Records, c.server.eventRecord(l, e)) },
		Gone:    func(id uint64) { news.Gone = append(news.Gone, id) },
	})
	if err != nil || len(news.Records)+len(news.Gone) == 0 && !news.Again {
		return nil, err
	}
	return json.Marshal(news)
}
