package live

import (
	"errors"
	"fmt"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/wire"
	"quaywatch/ship"
	"quaywatch/sight"
)

// PictureWithin is how long a client may take for the whole picture. One that takes longer never catches up with the changes.
const PictureWithin = 2 * time.Minute

// atOnce is how many ships are made ready before the client has to take them.
const atOnce = 128

// Errors that end a stream in the middle of an event.
var (
	errSlow  = fmt.Errorf("the client did not take an event within %s", PictureWithin)
	errEnded = errors.New("the user or the session has ended")
)

// sendPictures sends the pictures of all parts anew.
func (st *stream) sendPictures() error {
	st.at = st.viewer.Latest()
	for _, p := range st.parts {
		p.begun = false
	}
	for _, p := range st.parts {
		if err := p.sendPicture(); err != nil {
			return err
		}
	}
	return nil
}

// sendPicture sends every ship that the client wants. It keeps the numbers of the ships, and asks for each ship when its turn comes. So a client
// that reads slowly costs a few bytes for each ship, and what changes meanwhile comes as a change.
func (p *part) sendPicture() error {
	clear(p.has)
	told := 0
	now := p.viewer.Now()
	var numbers []ais.MMSI
	err := p.viewer.Ships(p.call.HTTP.Context(), p.bounds, func(s *ship.State) bool {
		if p.wantsShip(s, now) {
			numbers = append(numbers, s.MMSI)
		}
		return true
	})
	if err != nil {
		return err
	}
	p.swept, p.begun = time.Now(), true
	o := p.open("picture")
	o.Time(`"time":`, now.UnixMilli())
	o.Key(`,"records":`)
	o.B = append(o.B, '[')
	present := p.viewer.Present(numbers)
	err = p.sendParts(o, &present, func(c *sight.ChangedShip) {
		if c.Ship == nil || !p.wantsShip(c.Ship, now) {
			return
		}
		if told++; told > 1 {
			o.B = append(o.B, ',')
		}
		o.AreaRecord(c.Ship)
		p.keepShip(c.MMSI)
	})
	if err != nil {
		return err
	}
	return p.write(append(o.B, "]}\n\n"...))
}

// sendParts hands ships to add, which makes them ready in an event, and writes the event between two parts of them. So no other caller waits
// for the client, and what is ready and not taken is small.
func (p *part) sendParts(o *wire.Object, ships *sight.ChangedShips, add func(*sight.ChangedShip)) error {
	began := time.Now()
	for part, ok := ships.First(atOnce); ok; part, ok = ships.First(atOnce) {
		if err := part.Each(p.call.HTTP.Context(), p.knowsShip, add); err != nil {
			return err
		}
		if len(o.B) < chunkSize {
			continue
		}
		if time.Since(began) >= PictureWithin {
			return errSlow
		}
		if _, welcome := p.server.deps.Base.StillWelcome(p.who); !welcome {
			return errEnded
		}
		if err := p.write(o.B); err != nil {
			return err
		}
		o.B = append(o.B[:0], ' ')
	}
	return nil
}

// sweepShips asks the question again about every ship, because time, or what users keep, may have changed the answer.
func (p *part) sweepShips() error {
	p.swept = time.Now()
	p.sweeps++
	now := p.viewer.Now()
	var came []ais.MMSI
	err := p.viewer.Ships(p.call.HTTP.Context(), nil, func(s *ship.State) bool {
		if !p.wantsShip(s, now) {
			return true
		}
		if _, ok := p.has[s.MMSI]; ok {
			p.has[s.MMSI] = p.sweeps
		} else {
			came = append(came, s.MMSI)
		}
		return true
	})
	if err != nil {
		return err
	}
	e := p.changeEvent()
	for m, seen := range p.has {
		if seen != p.sweeps {
			e.add(&sight.ChangedShip{MMSI: m})
		}
	}
	present := p.viewer.Present(came)
	if err := p.sendParts(e.Object, &present, e.add); err != nil {
		return err
	}
	if p.whole {
		clear(p.has)
	}
	return e.sendEvent()
}
