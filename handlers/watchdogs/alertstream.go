package watchdogs

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"hash/maphash"
	"maps"
	"slices"
	"time"

	"quaywatch/engine/alert"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// sweepEvery is how often all alerts are looked at for a client that may see them change by time alone.
const sweepEvery = 5 * time.Second

// AlertStream returns the alert event of one live stream: a function that gives nil while there is no news for the user. Its first event has all alerts
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
	due    map[uint64]int64 // when time alone may change an alert to a client that is told late, in Unix milliseconds of its time
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
	c.count = count
	if again := !c.begun || !whole; again || v.Key() != c.viewer {
		all, err := c.server.open(ctx, v)
		if err != nil {
			return nil, err
		}
		return c.tellAlerts(ctx, v, user, all, again)
	}
	if !v.Everything() && time.Since(c.swept) >= sweepEvery {
		return c.tellAlerts(ctx, v, user, c.server.deps.Alerts.Current(), false)
	}
	if ids = c.withDue(v, ids); len(ids) == 0 {
		return nil, nil
	}
	return c.some(ctx, v, user, ids)
}

// withDue returns these alerts and those whose time has come.
func (c *alertClient) withDue(v *sight.Viewer, ids []uint64) []uint64 {
	told := v.Now().UnixMilli()
	for id, at := range c.due {
		if at <= told && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// tellAlerts looks at these alerts and at those that the client has, and tells those that are others than they were. With whole it tells all of them.
func (c *alertClient) tellAlerts(ctx context.Context, v *sight.Viewer, user *access.User, all []alert.Standing, whole bool) ([]byte, error) {
	news := toldAlerts{Records: []json.RawMessage{}, Whole: whole}
	was := c.sent
	c.begun, c.sent, c.swept = true, map[uint64]uint64{}, time.Now()
	if whole || v.Key() != c.viewer {
		c.due = map[uint64]int64{}
	}
	c.viewer = v.Key()
	var records []alertRecord
	l := c.server.deps.Desk.ListenerOf(user, v)
	err := v.InTurns(ctx, len(all), func(i int) {
		a := c.server.lookAtAlert(l, all[i])
		if c.noteDue(v, a); len(a.Seen) > 0 && a.State(a.reader) != alert.Normal {
			records = append(records, a.makeRecord(c.server, v, user.UID != ""))
		}
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(records, func(a, b alertRecord) int { return cmp.Compare(a.ID, b.ID) })
	for i := range records {
		if err := c.add(&news, &records[i], was, whole); err != nil {
			return nil, err
		}
	}
	for _, id := range slices.Sorted(maps.Keys(was)) {
		if _, there := c.sent[id]; !there && !whole {
			c.sent[id] = was[id]
			if err := c.left(ctx, v, user, id, &news); err != nil {
				return nil, err
			}
		}
	}
	return c.newsEvent(&news)
}

// noteDue notes when time alone may change an alert.
func (c *alertClient) noteDue(v *sight.Viewer, a *seenAlert) {
	if v.Late() && a.Next != 0 {
		c.due[a.ID] = a.Next
	} else {
		delete(c.due, a.ID)
	}
}

// some tells what became of alerts.
func (c *alertClient) some(ctx context.Context, v *sight.Viewer, user *access.User, ids []uint64) ([]byte, error) {
	news := toldAlerts{Records: []json.RawMessage{}}
	for _, id := range ids {
		if err := c.left(ctx, v, user, id, &news); err != nil {
			return nil, err
		}
	}
	return c.newsEvent(&news)
}

// left tells how an alert is now; one that the user does not see any more is gone.
func (c *alertClient) left(ctx context.Context, v *sight.Viewer, user *access.User, id uint64, news *toldAlerts) error {
	var r alertRecord
	a, _, err := c.server.standing(ctx, v, id)
	seen := false
	switch {
	case isUnknown(err):
		delete(c.due, id)
	case err != nil:
		return err
	default:
		err := v.InTurns(ctx, 1, func(int) {
			now := c.server.lookAtAlert(c.server.deps.Desk.ListenerOf(user, v), a)
			if c.noteDue(v, now); len(now.Seen) > 0 {
				r, seen = now.makeRecord(c.server, v, user.UID != ""), true
			}
		})
		if err != nil {
			return err
		}
	}
	if !seen {
		if _, told := c.sent[id]; told {
			news.Gone = append(news.Gone, id)
			delete(c.sent, id)
		}
		return nil
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
	same := text
	if lasting := *r; r.SilencedFor != "" { // which is another each second
		lasting.SilencedFor = ""
		if same, err = json.Marshal(&lasting); err != nil {
			return err
		}
	}
	sum := maphash.Bytes(c.seed, same)
	if had, told := was[r.ID]; !told || had != sum || anyway {
		news.Records = append(news.Records, text)
	}
	if c.sent == nil {
		c.sent = map[uint64]uint64{}
	}
	c.sent[r.ID] = sum
	return nil
}

// newsEvent returns the event, nil without news.
func (c *alertClient) newsEvent(news *toldAlerts) ([]byte, error) {
	if len(news.Records)+len(news.Gone) == 0 && !news.Whole {
		return nil, nil
	}
	b, err := json.Marshal(news)
	return bytes.TrimSpace(b), err
}
