package watchdogs

import (
	"bytes"
	"context"
	"encoding/json"
	"hash/maphash"
	"time"

	"quaywatch/access"
	"quaywatch/access/right"
	"quaywatch/alert"
	"quaywatch/sight"
)

// sweepEvery is how often all alerts are looked at for a client that may see them change by time alone.
const sweepEvery = 5 * time.Second

// AlertStream gives the alert event of one live stream: a function that gives nil while there is no news for the user. Its first event has all alerts
// that are not normal.
func (s *Server) AlertStream() func(ctx context.Context, v *sight.Viewer, user *access.User) ([]byte, error) {
	c := alertClient{server: s, seed: maphash.MakeSeed()}
	return c.next
}

// alertClient is what a live client was told of alerts.
type alertClient struct {
	server *Server
	seed   maphash.Seed
	begun  bool
	count  uint64 // of the changes that were looked at
	sent   map[uint64]uint64
	swept  time.Time
	viewer sight.Key
}

// toldAlerts is the alert event of a live stream.
type toldAlerts struct {
	Records []json.RawMessage `json:"records"`
	Gone    []uint64          `json:"gone,omitempty"`
	Whole   bool              `json:"whole,omitempty"` // all that are not normal: others are
}

func (c *alertClient) next(ctx context.Context, v *sight.Viewer, user *access.User) ([]byte, error) {
	if !user.May(right.ViewWatchdog) {
		*c = alertClient{server: c.server, seed: c.seed}
		return nil, nil
	}
	ids, count, whole := c.server.deps.Alerts.Since(c.count)
	plain := v.Everything() && !v.Late()
	c.count = count
	if again := !c.begun || !whole; again || v.Key() != c.viewer || v.Late() || !plain && time.Since(c.swept) >= sweepEvery {
		return c.all(ctx, v, user, again)
	}
	if len(ids) == 0 {
		return nil, nil
	}
	return c.some(ctx, v, user, ids)
}

// all looks at all alerts, and tells those that are others than they were. With whole it tells all of them.
func (c *alertClient) all(ctx context.Context, v *sight.Viewer, user *access.User, whole bool) ([]byte, error) {
	records, err := c.server.current(ctx, v, user)
	if err != nil {
		return nil, err
	}
	news := toldAlerts{Records: []json.RawMessage{}, Whole: whole}
	was := c.sent
	c.begun, c.sent, c.swept, c.viewer = true, map[uint64]uint64{}, time.Now(), v.Key()
	for i := range records {
		if err := c.add(&news, &records[i], was, whole); err != nil {
			return nil, err
		}
	}
	for id, sum := range was {
		if _, there := c.sent[id]; !there && !whole {
			c.sent[id] = sum
			if err := c.left(ctx, v, user, id, &news); err != nil {
				return nil, err
			}
		}
	}
	return c.event(&news)
}

// some tells what became of alerts.
func (c *alertClient) some(ctx context.Context, v *sight.Viewer, user *access.User, ids []uint64) ([]byte, error) {
	news := toldAlerts{Records: []json.RawMessage{}}
	for _, id := range ids {
		if err := c.left(ctx, v, user, id, &news); err != nil {
			return nil, err
		}
	}
	return c.event(&news)
}

// left tells how an alert is now; one that the user does not see any more is gone.
func (c *alertClient) left(ctx context.Context, v *sight.Viewer, user *access.User, id uint64, news *toldAlerts) error {
	a, _, err := c.server.oneAlert(ctx, v, user, id)
	if isUnknown(err) {
		if _, told := c.sent[id]; told {
			news.Gone = append(news.Gone, id)
			delete(c.sent, id)
		}
		return nil
	}
	if err != nil {
		return err
	}
	var r alertRecord
	if err := v.InTurns(ctx, 1, func(int) { r = a.record(c.server, v, user.UID != "") }); err != nil {
		return err
	}
	if err := c.add(news, &r, c.sent, false); err != nil {
		return err
	}
	if r.State == string(alert.Normal) {
		delete(c.sent, id)
	}
	return nil
}

// add tells an alert, unless the client has it so.
func (c *alertClient) add(news *toldAlerts, r *alertRecord, was map[uint64]uint64, anyway bool) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	sum := maphash.Bytes(c.seed, text)
	if had, told := was[r.ID]; !told || had != sum || anyway {
		news.Records = append(news.Records, text)
	}
	if c.sent == nil {
		c.sent = map[uint64]uint64{}
	}
	c.sent[r.ID] = sum
	return nil
}

// event gives the event, nil without news.
func (c *alertClient) event(news *toldAlerts) ([]byte, error) {
	if len(news.Records)+len(news.Gone) == 0 && !news.Whole {
		return nil, nil
	}
	b, err := json.Marshal(news)
	return bytes.TrimSpace(b), err
}
