// Package messages answers with the latest texts of ships and stations, and with what changed of ships. It also answers with the texts that we sent and what
// became of them. It takes texts to send. Each caller gets those of ships that it may see, as it may be told of them.
package messages

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"iter"
	"math"
	"net/http"
	"strings"
	"time"

	"quaywatch/access"
	"quaywatch/access/right"
	"quaywatch/ais"
	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
	"quaywatch/messages"
	"quaywatch/rule"
	"quaywatch/safety"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/telling"
	"quaywatch/watch"
)

// Path is that of the messages.
const Path = "/api/messages"

// most is how many messages one answer has; all that are kept in memory fit. farthest is how many may be left out before them.
const (
	most     = messages.MostMessages + messages.MostChanges + messages.MostSent
	farthest = 10_000
)

// Server answers about messages.
type Server struct {
	list   *messages.List
	sender *safety.Service
	sight  *sight.Sight
	raised func(uint64) (watch.Event, error)
}

// New makes the server. Without a sender nothing can be sent. raised gives the event that a text was sent for.
func New(list *messages.List, sender *safety.Service, of *sight.Sight, raised func(uint64) (watch.Event, error)) *Server {
	return &Server{list, sender, of, raised}
}

// Routes are the calls about messages.
func (s *Server) Routes() []call.Route {
	return []call.Route{
		{Method: "GET", Path: Path, Right: right.MessageService, Read: true, Handle: s.listMessages},
		{Method: "POST", Path: Path, Right: right.SendMessages, Audit: "message", Handle: s.sendText},
	}
}

// page is the part of the messages that a caller asks for.
type page struct {
	since       time.Time
	from, until time.Time // of the texts that are kept; both zero for the latest messages
	mmsi        int64     // of the sender or the addressee; 0 for any
	heard, sent bool

	offset, limit int
}

func pageOf(c *call.Call) (p page, err error) {
	for name, at := range map[string]*time.Time{"since": &p.since, "from": &p.from, "until": &p.until} {
		if *at, err = c.QueryTime(name); err != nil {
			return p, err
		}
	}
	if p.mmsi, err = c.QueryNumber("mmsi"); err != nil {
		return p, err
	}
	switch c.Query("direction") {
	case "":
		p.heard, p.sent = true, true
	case "heard":
		p.heard = true
	case "sent":
		p.sent = true
	default:
		return p, call.BadField("direction", rule.New("one_of", "must be one of {words}", "words", "heard, sent"))
	}
	p.offset, p.limit, err = c.QueryPage(call.Page{Most: most, Usual: most, Farthest: farthest})
	return p, err
}

// wantsMessage reports whether a message as the caller may have it is one that it asks for.
func (p *page) wantsMessage(t *told) bool {
	if t.Kind == messages.Sent && !p.sent || t.Kind != messages.Sent && !p.heard {
		return false
	}
	return (p.since.IsZero() || t.last > p.since.UnixMilli()) && (p.mmsi == 0 || int64(t.ship.MMSI) == p.mmsi || int64(t.to.MMSI) == p.mmsi)
}

// listMessages returns the messages that the caller may have, the latest first.
func (s *Server) listMessages(c *call.Call) error {
	p, err := pageOf(c)
	if err != nil {
		return err
	}
	v, err := s.sight.Of(c.Request.Context(), c.Caller.User, c.Caller.Key)
	if err != nil {
		return err
	}
	o := wire.Object{B: []byte{'{'}}
	o.Time(`"time":`, v.Now().UnixMilli())
	records, total, more := wire.Object{}, 0, false
	if p.from.IsZero() && p.until.IsZero() {
		total, err = s.writeLatest(c.Request.Context(), v, c.Caller.User, p, &records)
		o.Integer(`,"total":`, int64(total))
	} else {
		if more, err = s.writeKept(c.Request.Context(), v, c.Caller.User, p, &records); more {
			o.Key(`,"more":true`)
		}
	}
	if err != nil {
		return err
	}
	o.Key(`,"records":[`)
	if len(records.B) > 0 {
		o.B = append(o.B, records.B[1:]...)
	}
	o.Key("]}")
	c.Send(http.StatusOK, "application/json", o.B)
	return nil
}

// writeLatest writes a page of the latest messages, and returns how many there are on all pages.
func (s *Server) writeLatest(ctx context.Context, v *sight.Viewer, who *access.User, p page, o *wire.Object) (total int, err error) {
	all, _ := s.list.All()
	err = v.InTurns(ctx, len(all), func(i int) {
		t, ok := s.tellMessage(v, who, all[i])
		if !ok || !p.wantsMessage(&t) {
			return
		}
		if total++; total > p.offset && total <= p.offset+p.limit {
			o.Key(",")
			t.write(o)
		}
	})
	return total, err
}

// atOnce is how many texts are read at once.
const atOnce = 256

// writeKept writes a page of the texts that are kept; more tells that others follow.
func (s *Server) writeKept(ctx context.Context, v *sight.Viewer, who *access.User, p page, o *wire.Object) (more bool, err error) {
	next, stop := iter.Pull2(s.list.Past(p.from, p.until, p.heard, p.sent))
	defer stop()
	for found, end := 0, false; !end && !more; {
		var part []*messages.Message
		err := v.Read(ctx, func() error {
			for len(part) < atOnce {
				m, err, ok := next()
				if end = !ok; end || err != nil {
					return err
				}
				part = append(part, m)
			}
			return nil
		})
		if err != nil {
			return false, err
		}
		err = v.InTurns(ctx, len(part), func(i int) {
			t, ok := s.tellMessage(v, who, part[i])
			if !ok || !p.wantsMessage(&t) {
				return
			}
			if found++; found > p.offset+p.limit {
				more = true
			} else if found > p.offset {
				o.Key(",")
				t.write(o)
			}
		})
		if err != nil {
			return false, err
		}
	}
	return more, nil
}

// sendText takes a text to send, to one ship or to all.
func (s *Server) sendText(c *call.Call) error {
	f, err := c.Bind(call.MaxBody)
	if err != nil {
		return err
	}
	m := safety.Message{To: ais.MMSI(f.Integer("mmsi", 0, math.MaxInt64)), Text: f.Text("text"), Feed: f.Text("feed"), By: c.Caller.Name()}
	f.Require("text")
	if all := f.Boolean("broadcast", false); all == (m.To != 0) {
		f.Refuse("mmsi", rule.New("one_or_all", "must be given, or broadcast be true, and not both"))
	}
	if err := f.Err(); err != nil {
		return err
	}
	if m.To != 0 {
		v, err := s.sight.Of(c.Request.Context(), c.Caller.User, c.Caller.Key)
		if err != nil {
			return err
		}
		if _, err := v.Ship(m.To); err != nil { // a hidden one is like one that is not known
			return call.NotFound(rule.New("unknown_ship", "no ship {mmsi} is known", "mmsi", int64(m.To)))
		}
	}
	c.Object = cmp.Or(strings.TrimPrefix(fmt.Sprint(int64(m.To)), "0"), "all")
	sent, err := s.sender.Send(m, s.sight.Now(), c.Line())
	var wrong *safety.FieldError
	var limit *safety.LimitError
	switch {
	case errors.As(err, &wrong):
		return call.BadField(wrong.Field, wrong.Rule)
	case errors.As(err, &limit):
		return call.TooMany(limit.Rule, limit.Wait)
	case err != nil:
		return err
	}
	return c.SendJSON(http.StatusOK, struct {
		ID    uint64 `json:"id"`
		State string `json:"state"`
	}{sent.ID(), string(sent.Last().State)})
}

// told is a message as a caller may have it.
type told struct {
	*messages.Message
	ship        ship.State // the sender at the latest of the times
	first, last int64      // at which it was heard, as far as the caller may know
	count       int
	to          ship.State // the station that the text is for; its number is 0 where that is hidden

	step safety.Step // of a text that we sent
	by   string      // the user that did, where the caller may know it
	feed string      // the feed by which it went, where the caller sees that
}

// tellMessage returns a message as a viewer may have it: with those of the times at which it was heard that the viewer may know.
func (s *Server) tellMessage(v *sight.Viewer, who *access.User, m *messages.Message) (t told, ok bool) {
	if m.Kind == messages.Sent {
		return s.tellSent(v, who, m)
	}
	t = told{Message: m, first: math.MaxInt64, last: math.MinInt64}
	for i := range m.Heard {
		if then, shown := v.Then(&m.Heard[i], m.Traits); shown {
			t.ship, t.count = then, t.count+1
			t.first, t.last = min(t.first, then.Heard), max(t.last, then.Heard)
		}
	}
	whole := v.Everything() && !v.Late()
	if whole {
		t.count = m.Count
	}
	if m.To != 0 {
		t.to, ok = v.Here(m.To)
		if !ok && whole { // to any other caller a hidden station is like one that is not known
			t.to = ship.State{MMSI: m.To}
		}
	}
	return t, t.count > 0 && t.last != math.MinInt64
}

// tellSent returns a text that we sent as a viewer may have it. A text to a ship is for those that see the ship, and might have seen it then. A text to all
// that a watchdog sent may name the ships of its event, so it is for those that see them.
func (s *Server) tellSent(v *sight.Viewer, who *access.User, m *messages.Message) (t told, ok bool) {
	t = told{Message: m, count: 1}
	if t.step = m.Sent.Last(); v.Late() {
		if t.step, ok = m.Sent.Until(v.Now()); !ok {
			return t, false
		}
	}
	t.first, t.last = m.Sent.Steps[0].At, t.step.At
	if who.UID != "" {
		t.by = m.Sent.By
	}
	if v.SeesFeed(m.Sent.Feed) {
		t.feed = m.Sent.Feed
	}
	if m.To == 0 {
		return t, m.Sent.Event == 0 || s.seesEvent(v, m.Sent.Event)
	}
	now, err := v.Ship(m.To)
	if err != nil && v.Everything() && !v.Late() {
		now, err = ship.State{MMSI: m.To}, nil
	}
	t.to = now
	return t, err == nil && maySee(v, m.Sent)
}

// seesEvent reports whether a viewer may know of the ships of an event. Of one that is gone that is not known.
func (s *Server) seesEvent(v *sight.Viewer, number uint64) bool {
	if v.Everything() && !v.Late() {
		return true
	}
	e, err := s.raised(number)
	return err == nil && telling.SeesShips(v, &e)
}

// maySee reports whether a viewer might have seen the ship when a text was sent to it.
func maySee(v *sight.Viewer, m *safety.Sent) bool {
	if v.Everything() && !v.Late() {
		return true
	}
	at := time.UnixMilli(m.Steps[0].At)
	return m.Fix != nil && v.May(sight.Sighting{MMSI: m.To, Time: at, Place: m.Fix.Point(), Feeds: m.Feeds})
}

// write appends the message.
func (t *told) write(o *wire.Object) {
	o.Integer(`{"id":`, int64(t.ID))
	o.Text(`,"kind":`, t.Kind.String())
	o.Time(`,"time":`, t.last)
	if t.Kind == messages.Sent {
		t.writeSent(o)
		return
	}
	if t.count > 1 {
		o.Time(`,"first":`, t.first)
		o.Integer(`,"count":`, int64(t.count))
	}
	o.Key(",")
	appendShip(o, &t.ship)
	o.Text(`,"class":`, t.ship.Class.String())
	switch t.Kind {
	case messages.Addressed:
		if t.to.MMSI != 0 {
			o.Key(`,"to":{`)
			appendShip(o, &t.to)
			o.Key("}")
		}
		o.Text(`,"text":`, t.Text)
	case messages.Broadcast:
		o.Text(`,"text":`, t.Text)
	case messages.Destination:
		o.Text(`,"was":`, t.Was.Text)
		o.Text(`,"now":`, t.Now.Text)
	case messages.Status:
		o.Integer(`,"was":`, int64(t.Was.Number))
		o.Integer(`,"now":`, int64(t.Now.Number))
		o.Text(`,"text":`, ais.NavStatus(t.Now.Number).String())
	case messages.Draught:
		o.Hundredths(`,"was":`, t.Was.Number)
		o.Hundredths(`,"now":`, t.Now.Number)
	}
	o.Key("}")
}

// writeSent appends the rest of a text that we sent.
func (t *told) writeSent(o *wire.Object) {
	o.Time(`,"first":`, t.first)
	if t.to.MMSI != 0 {
		o.Key(`,"to":{`)
		appendShip(o, &t.to)
		o.Key("}")
	}
	o.Text(`,"text":`, t.Text)
	o.Text(`,"state":`, string(t.step.State))
	for _, each := range []struct{ key, text string }{{`,"reason":`, string(t.step.Reason)}, {`,"by":`, t.by}, {`,"feed":`, t.feed}} {
		if each.text != "" {
			o.Text(each.key, each.text)
		}
	}
	if t.Sent.Event != 0 {
		o.Key(`,"automatic":true`)
	}
	o.Key("}")
}

// appendShip appends the number of a ship, and its name where that is known.
func appendShip(o *wire.Object, s *ship.State) {
	o.Integer(`"mmsi":`, int64(s.MMSI))
	if s.Static != nil && s.Static.Name != "" {
		o.Text(`,"name":`, s.Static.Name)
	}
}

// Stream returns for one live client a function that gives the data of its next event, nil when there is nothing new for it. With again it looks at
// all messages, because time, a name or what users keep may have changed what the client may have. With whole it returns all that the client may have.
func (s *Server) Stream() func(ctx context.Context, v *sight.Viewer, user *access.User, again, whole bool) ([]byte, error) {
	c := client{server: s, has: map[uint64]uint64{}}
	return c.next
}

// client is what a live client has.
type client struct {
	server *Server
	begun  bool
	number uint64            // of the list, when the client was told last
	has    map[uint64]uint64 // messages by ID, each as a sum of what was sent
}

func (c *client) next(ctx context.Context, v *sight.Viewer, user *access.User, again, whole bool) ([]byte, error) {
	var all []*messages.Message
	if whole {
		c.begun = false
		clear(c.has)
	}
	was := c.number
	if !user.May(right.MessageService) {
		if !c.begun {
			return nil, nil
		}
		again = true // the right is gone: so are the messages
	} else if again = again || !c.begun; again || c.server.list.Number() != was {
		all, c.number = c.server.list.All()
	} else {
		return nil, nil
	}
	o := wire.Object{B: []byte{'{'}}
	o.Time(`"time":`, v.Now().UnixMilli())
	if whole {
		o.Key(`,"whole":true`)
	}
	o.Key(`,"records":[`)
	empty, has := len(o.B), make(map[uint64]uint64, len(all))
	err := v.InTurns(ctx, len(all), func(i int) {
		m := all[len(all)-1-i] // the latest last, as they came
		sum, known := c.has[m.ID]
		if !again && m.Number <= was {
			if known {
				has[m.ID] = sum
			}
			return
		}
		t, ok := c.server.tellMessage(v, user, m)
		if !ok {
			return
		}
		begin := len(o.B)
		if begin > empty {
			o.Key(",")
		}
		t.write(&o)
		if has[m.ID] = sumOf(o.B[begin:]); known && has[m.ID] == sum {
			o.B = o.B[:begin]
		}
	})
	if err != nil {
		return nil, err
	}
	return c.finishEvent(&o, len(o.B) == empty, has), nil
}

// finishEvent appends what the client has no more, and returns nil for an event that says nothing.
func (c *client) finishEvent(o *wire.Object, empty bool, has map[uint64]uint64) []byte {
	o.Key(`],"gone":[`)
	gone := len(o.B)
	for id := range c.has {
		if _, still := has[id]; !still {
			if len(o.B) > gone {
				o.Key(",")
			}
			o.Integer("", int64(id))
		}
	}
	nothing := c.begun && empty && len(o.B) == gone
	c.begun, c.has = true, has
	if nothing {
		return nil
	}
	o.Key("]}")
	return o.B
}

// sumOf sums up a record, without the comma before it.
func sumOf(record []byte) uint64 {
	if record[0] == ',' {
		record = record[1:]
	}
	h := fnv.New64a()
	h.Write(record)
	return h.Sum64()
}
