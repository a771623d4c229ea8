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

	"quaywatch/ais"
	"quaywatch/engine/messages"
	"quaywatch/engine/safety"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
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
	texts  *telling.TextReader
	sender *safety.Service
	desk   *request.Desk
}

// New makes the server. Without a sender nothing can be sent.
func New(of *telling.TextReader, sender *safety.Service, desk *request.Desk) *Server {
	return &Server{of, sender, desk}
}

// Routes are the calls about messages.
func (s *Server) Routes() []request.Route {
	return []request.Route{
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

func pageOf(c *request.Request) (p page, err error) {
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
		return p, request.BadField("direction", rule.New("one_of", "must be one of {words}", "words", "heard, sent"))
	}
	p.offset, p.limit, err = c.QueryPage(request.Page{Most: most, Usual: most, Farthest: farthest})
	return p, err
}

// wantsMessage reports whether a message as the caller may have it is one that it asks for.
func (p *page) wantsMessage(t *telling.ToldText) bool {
	if sent := t.Said.Kind == messages.Sent; sent && !p.sent || !sent && !p.heard {
		return false
	}
	return (p.since.IsZero() || t.Last > p.since.UnixMilli()) && (p.mmsi == 0 || int64(t.Ship.MMSI) == p.mmsi || int64(t.To.MMSI) == p.mmsi)
}

// listMessages returns the messages that the caller may have, the latest first.
func (s *Server) listMessages(c *request.Request) error {
	p, err := pageOf(c)
	if err != nil {
		return err
	}
	l, err := s.desk.Listener(c)
	if err != nil {
		return err
	}
	o := wire.Object{B: []byte{'{'}}
	o.Time(`"time":`, l.Viewer.Now().UnixMilli())
	records, total, more := wire.Object{}, 0, false
	if p.from.IsZero() && p.until.IsZero() {
		total, err = s.writeLatest(c.HTTP.Context(), l, p, &records)
		o.Integer(`,"total":`, int64(total))
	} else {
		if more, err = s.writeKept(c.HTTP.Context(), l, p, &records); more {
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
func (s *Server) writeLatest(ctx context.Context, l *telling.Listener, p page, o *wire.Object) (total int, err error) {
	all, _ := s.texts.All()
	err = l.Viewer.InTurns(ctx, all.Len(), func(i int) {
		t, ok := s.texts.Tell(l, all.At(i))
		if !ok || !p.wantsMessage(&t) {
			return
		}
		if total++; total > p.offset && total <= p.offset+p.limit {
			o.Key(",")
			writeText(o, &t)
		}
	})
	return total, err
}

// atOnce is how many texts are read at once.
const atOnce = 256

// writeKept writes a page of the texts that are kept; more tells that others follow.
func (s *Server) writeKept(ctx context.Context, l *telling.Listener, p page, o *wire.Object) (more bool, err error) {
	next, stop := iter.Pull2(s.texts.Past(p.from, p.until, p.heard, p.sent))
	defer stop()
	for found, end := 0, false; !end && !more; {
		var part []telling.KeptText
		err := l.Viewer.Read(ctx, func() error {
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
		err = l.Viewer.InTurns(ctx, len(part), func(i int) {
			t, ok := s.texts.Tell(l, part[i])
			if !ok || !p.wantsMessage(&t) {
				return
			}
			if found++; found > p.offset+p.limit {
				more = true
			} else if found > p.offset {
				o.Key(",")
				writeText(o, &t)
			}
		})
		if err != nil {
			return false, err
		}
	}
	return more, nil
}

// sendText takes a text to send, to one ship or to all.
func (s *Server) sendText(c *request.Request) error {
	f, err := c.Bind(request.MaxBody)
	if err != nil {
		return err
	}
	m := safety.SafetyMessage{To: ais.MMSI(f.Integer("mmsi", 0, math.MaxInt64)), Text: f.Text("text"), Feed: f.Text("feed"), By: c.Caller.Name()}
	f.Require("text")
	if all := f.Boolean("broadcast", false); all == (m.To != 0) {
		f.Refuse("mmsi", rule.New("one_or_all", "must be given, or broadcast be true, and not both"))
	}
	if err := f.Err(); err != nil {
		return err
	}
	if m.To != 0 {
		v, err := s.desk.Viewer(c)
		if err != nil {
			return err
		}
		if _, err := v.Ship(m.To); err != nil { // a hidden one is like one that is not known
			return request.NotFound(rule.New("unknown_ship", "no ship {mmsi} is known", "mmsi", int64(m.To)))
		}
	}
	c.Object = cmp.Or(strings.TrimPrefix(fmt.Sprint(int64(m.To)), "0"), "all")
	sent, err := s.sender.Send(m, s.desk.Sight.Now(), c.Line())
	var wrong *safety.MessageError
	var limit *safety.LimitError
	switch {
	case errors.As(err, &wrong):
		return request.BadField(wrong.Field, wrong.Rule)
	case errors.As(err, &limit):
		return request.TooMany(limit.Rule, limit.Wait)
	case err != nil:
		return err
	}
	return c.SendJSON(http.StatusOK, struct {
		ID    uint64 `json:"id"`
		State string `json:"state"`
	}{sent.ID(), string(sent.Last().State)})
}

// writeText appends a message.
func writeText(o *wire.Object, t *telling.ToldText) {
	o.Integer(`{"id":`, int64(t.ID))
	o.Text(`,"kind":`, t.Said.Kind.String())
	o.Time(`,"time":`, t.Last)
	if t.Said.Kind == messages.Sent {
		writeSent(o, t)
		return
	}
	if t.Count > 1 {
		o.Time(`,"first":`, t.First)
		o.Integer(`,"count":`, int64(t.Count))
	}
	o.Key(",")
	appendShip(o, &t.Ship)
	o.Text(`,"class":`, t.Ship.Class.String())
	switch t.Said.Kind {
	case messages.Addressed:
		if t.To.MMSI != 0 {
			o.Key(`,"to":{`)
			appendShip(o, &t.To)
			o.Key("}")
		}
		o.Text(`,"text":`, t.Said.Text)
	case messages.Broadcast:
		o.Text(`,"text":`, t.Said.Text)
	case messages.Destination:
		o.Text(`,"was":`, t.Said.Was.Text)
		o.Text(`,"now":`, t.Said.Now.Text)
	case messages.Status:
		o.Integer(`,"was":`, int64(t.Said.Was.Number))
		o.Integer(`,"now":`, int64(t.Said.Now.Number))
		o.Text(`,"text":`, ais.NavStatus(t.Said.Now.Number).String())
	case messages.Draught:
		o.Hundredths(`,"was":`, t.Said.Was.Number)
		o.Hundredths(`,"now":`, t.Said.Now.Number)
	}
	o.Key("}")
}

// writeSent appends the rest of a text that we sent.
func writeSent(o *wire.Object, t *telling.ToldText) {
	o.Time(`,"first":`, t.First)
	if t.To.MMSI != 0 {
		o.Key(`,"to":{`)
		appendShip(o, &t.To)
		o.Key("}")
	}
	o.Text(`,"text":`, t.Said.Text)
	o.Text(`,"state":`, string(t.Step.State))
	for _, each := range []struct{ key, text string }{{`,"reason":`, string(t.Step.Reason)}, {`,"by":`, t.By}, {`,"feed":`, t.Feed}} {
		if each.text != "" {
			o.Text(each.key, each.text)
		}
	}
	if t.Automatic {
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
	var all telling.KeptTexts
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
	} else if again = again || !c.begun; again || c.server.texts.Number() != was {
		all, c.number = c.server.texts.All()
	} else {
		return nil, nil
	}
	o := wire.Object{B: []byte{'{'}}
	o.Time(`"time":`, v.Now().UnixMilli())
	if whole {
		o.Key(`,"whole":true`)
	}
	o.Key(`,"records":[`)
	empty, has, l := len(o.B), make(map[uint64]uint64, all.Len()), c.server.desk.ListenerOf(user, v)
	err := v.InTurns(ctx, all.Len(), func(i int) {
		m := all.At(all.Len() - 1 - i) // the latest last, as they came
		sum, known := c.has[m.ID()]
		if !again && !m.IsNewer(was) {
			if known {
				has[m.ID()] = sum
			}
			return
		}
		t, ok := c.server.texts.Tell(l, m)
		if !ok {
			return
		}
		begin := len(o.B)
		if begin > empty {
			o.Key(",")
		}
		writeText(&o, &t)
		if has[m.ID()] = sumOf(o.B[begin:]); known && has[m.ID()] == sum {
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
