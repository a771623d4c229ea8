package live

import (
	"errors"
	"strconv"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/wire"
	"quaywatch/ship"
	"quaywatch/sight"
)

// stepChanges sends what changed, when changes may be looked at again.
func (st *stream) stepChanges() error {
	if time.Now().Before(st.next) {
		return nil
	}
	n, wait, err := st.news()
	if err != nil {
		return err
	}
	if wait > 0 {
		st.next = time.Now().Add(wait)
		return nil
	}
	changes, ok := st.viewer.Changes(st.at)
	if !ok {
		return st.sendPictures()
	}
	return st.sendChanges(&changes, n)
}

// news returns what is told of the whole picture to all, where a part of the stream asks for it. It is nil where the stream has to work out its own changes,
// which is also where it is behind. A wait above 0 says that nothing is due before.
func (st *stream) news() (n *news, wait time.Duration, err error) {
	for _, p := range st.parts {
		if p.whole && p.begun {
			return st.cast.next(st.call.HTTP.Context(), st.at, st.viewer, st.server.deps.Register)
		}
	}
	return nil, 0, nil
}

// sendChanges sends each begun part the latest of the ships that changed, and which ones are gone for it. A part with the whole picture is sent the news
// where there are some. Events have the new number from the last part on: with it a client says that it got all of them.
func (st *stream) sendChanges(changes *sight.ChangedShips, n *news) error {
	if changes.Next == st.at {
		return nil
	}
	st.next = time.Now().Add(lookAgain)
	number := changes.Next
	if n != nil {
		number = n.next // not later: the other parts may be told twice of what came after it
	}
	for i, p := range st.parts {
		if i == len(st.parts)-1 {
			st.at = number
		}
		if !p.begun {
			continue
		}
		if err := p.sendChanges(*changes, n); err != nil {
			return err
		}
	}
	return nil
}

// sendChanges sends the part its change event, unless that says nothing.
func (p *part) sendChanges(changes sight.ChangedShips, n *news) error {
	if n != nil && p.whole {
		p.next = n.made.Add(ChangeEvery)
		return p.sendNews(n)
	}
	e := p.changeEvent()
	if err := p.sendParts(e.Object, &changes, e.add); err != nil {
		return err
	}
	return e.sendEvent()
}

// sendNews sends what is told to all as an event of the part.
func (p *part) sendNews(n *news) error {
	began := time.Now()
	return p.out.shareNews(p.open("change").B, n, func(write func() error) error {
		if time.Since(began) >= PictureWithin {
			return errSlow
		}
		if _, welcome := p.server.deps.Base.StillWelcome(p.who); !welcome {
			return errEnded
		}
		return p.inTime(write)
	})
}

// records are those of a change event in the making, and the ships that are gone.
type records struct {
	*wire.Object
	told int
	gone []ais.MMSI
}

// beginRecords begins the records, in an event that was opened.
func (r *records) beginRecords(now time.Time) {
	r.Time(`"time":`, now.UnixMilli())
	r.Key(`,"records":`)
	r.B = append(r.B, '[')
}

// putShip adds a ship: what changed of one that the client knows, else all that is known of it.
func (r *records) putShip(c *sight.ChangedShip, knows bool) {
	if r.told++; r.told > 1 {
		r.B = append(r.B, ',')
	}
	if knows {
		r.ChangeRecord(c)
	} else {
		r.AreaRecord(c.Ship)
	}
}

// endEvent ends the event.
func (r *records) endEvent() []byte {
	r.B = append(r.B, `],"gone":[`...)
	for i, m := range r.gone {
		if i > 0 {
			r.B = append(r.B, ',')
		}
		r.B = strconv.AppendInt(r.B, int64(m), 10)
	}
	return append(r.B, "]}\n\n"...)
}

// changeEvent is a change event of one part in the making.
type changeEvent struct {
	*part
	records
	now time.Time
}

// changeEvent begins a change event.
func (p *part) changeEvent() *changeEvent {
	e := &changeEvent{part: p, records: records{Object: p.open("change")}, now: p.viewer.Now()}
	e.beginRecords(e.now)
	return e
}

// open begins an event with the name of the question, where the client gave it one.
func (p *part) open(event string) *wire.Object {
	o := p.beginEvent(event)
	o.B = append(o.B, '{')
	if p.name != "" {
		o.B = append(o.B, `"filter":"`...)
		o.B = append(append(o.B, p.name...), `",`...)
	}
	return o
}

// add takes a ship that changed.
func (e *changeEvent) add(c *sight.ChangedShip) {
	knows := e.knowsShip(c.MMSI)
	if c.Ship == nil || !e.wantsShip(c.Ship, e.now) {
		if knows {
			e.gone = append(e.gone, c.MMSI)
			delete(e.has, c.MMSI)
		}
		return
	}
	e.putShip(c, knows)
	e.keepShip(c.MMSI)
}

// sendEvent sends the event unless it says nothing.
func (e *changeEvent) sendEvent() error {
	if e.told == 0 && len(e.gone) == 0 {
		return nil
	}
	e.next = time.Now().Add(ChangeEvery)
	return e.write(e.endEvent())
}

// knowsShip reports whether the client knows the ship. A client that is told of every ship may know any. Of a ship that appeared it is told all that may have
// changed, and that the rest is unknown.
func (p *part) knowsShip(m ais.MMSI) bool {
	_, ok := p.has[m]
	return ok || p.whole
}

// keepShip notes that the client knows the ship. Of one that is told of every ship nothing has to be kept.
func (p *part) keepShip(m ais.MMSI) {
	if !p.whole {
		p.has[m] = p.sweeps
	}
}

// recallShips works out which ships a returning client knows. Those that it wanted then are those that it would get now, but for the ships that changed since. Of
// these it is told anew.
func (p *part) recallShips(since *sight.ChangedShips) error {
	if p.whole {
		return nil
	}
	ctx := p.call.HTTP.Context()
	now := p.viewer.Now()
	moved := map[ais.MMSI]struct{}{}
	err := since.Each(ctx, always, func(c *sight.ChangedShip) {
		moved[c.MMSI] = struct{}{}
		if c.Ship == nil || !p.wantsShip(c.Ship, now) {
			p.has[c.MMSI] = 0 // so that the client is told that the ship is gone, if it knew it
		}
	})
	return errors.Join(err, p.viewer.Ships(ctx, nil, func(s *ship.State) bool {
		if _, ok := moved[s.MMSI]; !ok && p.wantsShip(s, now) {
			p.has[s.MMSI] = 0
		}
		return true
	}))
}

// rememberShips notes which ships a client may know that was told of every ship that a viewer saw: from now on some may be hidden.
func (p *part) rememberShips(was *sight.Viewer) error {
	ctx := p.call.HTTP.Context()
	changes, _ := was.Changes(p.at)
	err := changes.Each(ctx, always, func(c *sight.ChangedShip) { p.keepShip(c.MMSI) })
	return errors.Join(err, was.Ships(ctx, nil, func(s *ship.State) bool {
		p.keepShip(s.MMSI)
		return true
	}))
}

func always(ais.MMSI) bool { return true }
