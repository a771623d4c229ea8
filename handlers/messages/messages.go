// Package messages answers with the latest texts of ships and stations, and with what changed of ships. Each caller gets those of senders that
// it may see, as it may be told of them.
package messages

import (
	"context"
	"hash/fnv"
	"math"
	"net/http"
	"time"

	"quaywatch/access"
	"quaywatch/access/right"
	"quaywatch/ais"
	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
	"quaywatch/messages"
	"quaywatch/ship"
	"quaywatch/sight"
)

// Path is that of the messages.
const Path = "/api/messages"

// most is how many messages one answer has; all that are kept fit.
const most = messages.MostMessages + messages.MostChanges

// Server answers about messages.
type Server struct {
	list  *messages.List
	sight *sight.Sight
}

// New makes the server.
func New(list *messages.List, of *sight.Sight) *Server { return &Server{list, of} }

// Routes are the calls about messages.
func (s *Server) Routes() []call.Route {
	return []call.Route{{Method: "GET", Path: Path, Right: right.MessageService, Read: true, Handle: s.answer}}
}

// page is the part of the messages that a caller asks for.
type page struct {
	since         time.Time
	offset, limit int
}

func pageOf(c *call.Call) (p page, err error) {
	if p.since, err = c.QueryTime("since"); err != nil {
		return p, err
	}
	p.offset, p.limit, err = c.QueryPage(call.Page{Most: most, Usual: most, Farthest: most})
	return p, err
}

// answer gives the messages that the caller may have, the latest first.
func (s *Server) answer(c *call.Call) error {
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
	all, _ := s.list.All()
	total, first := 0, len(o.B)
	err = v.InTurns(c.Request.Context(), len(all), func(i int) {
		t, ok := tell(v, all[i])
		if !ok || t.last <= p.since.UnixMilli() && !p.since.IsZero() {
			return
		}
		if total++; total > p.offset && total <= p.offset+p.limit {
			o.Key(",")
			t.write(&o)
		}
	})
	if err != nil {
		return err
	}
	records := append([]byte(nil), o.B[first:]...)
	o.B = o.B[:first]
	o.Integer(`,"total":`, int64(total))
	o.Key(`,"records":[`)
	if len(records) > 0 {
		o.B = append(o.B, records[1:]...)
	}
	o.Key("]}")
	c.Send(http.StatusOK, "application/json", o.B)
	return nil
}

// told is a message as a caller may have it.
type told struct {
	*messages.Message
	ship        ship.State // the sender at the latest of the times
	first, last int64      // at which it was heard, as far as the caller may know
	count       int
	to          ship.State // the station that the text is for; its number is 0 where that is hidden
}

// tell gives a message as a viewer may have it: with those of the times at which it was heard that the viewer may know.
func tell(v *sight.Viewer, m *messages.Message) (t told, ok bool) {
	t = told{Message: m, first: math.MaxInt64, last: math.MinInt64}
	for i := range m.Heard {
		if one, shown := v.Then(&m.Heard[i], m.Traits); shown {
			t.ship, t.count = one, t.count+1
			t.first, t.last = min(t.first, one.Heard), max(t.last, one.Heard)
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

// write appends the message.
func (t *told) write(o *wire.Object) {
	o.Integer(`{"id":`, int64(t.ID))
	o.Text(`,"kind":`, t.Kind.String())
	o.Time(`,"time":`, t.last)
	if t.count > 1 {
		o.Time(`,"first":`, t.first)
		o.Integer(`,"count":`, int64(t.count))
	}
	o.Key(",")
	name(o, &t.ship)
	o.Text(`,"class":`, t.ship.Class.String())
	switch t.Kind {
	case messages.Addressed:
		if t.to.MMSI != 0 {
			o.Key(`,"to":{`)
			name(o, &t.to)
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

// name appends the number of a ship, and its name where that is known.
func name(o *wire.Object, s *ship.State) {
	o.Integer(`"mmsi":`, int64(s.MMSI))
	if s.Static != nil && s.Static.Name != "" {
		o.Text(`,"name":`, s.Static.Name)
	}
}

// Stream gives for one live client a function that gives the data of its next event, nil when there is nothing new for it. With again it looks at
// all messages, because time, a name or what users keep may have changed what the client may have. With whole it gives all that the client may have.
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
		t, ok := tell(v, m)
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
	return c.finish(&o, len(o.B) == empty, has), nil
}

// finish appends what the client has no more, and gives nil for an event that says nothing.
func (c *client) finish(o *wire.Object, empty bool, has map[uint64]uint64) []byte {
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
