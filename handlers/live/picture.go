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

// sendPicture sends every ship that the client wants. It keeps the numbers of the ships, and asks for each ship when its turn comes. So a client
// that reads slowly costs a few bytes for each ship, and what changes meanwhile comes as a change.
func (st *stream) sendPicture() error {
	st.at = st.asked.viewer.Latest()
	clear(st.has)
	now := st.asked.viewer.Now()
	var numbers []ais.MMSI
	err := st.asked.viewer.Ships(st.call.Request.Context(), st.asked.bounds, func(s *ship.State) bool {
		if st.asked.takes(s, now) {
			numbers = append(numbers, s.MMSI)
		}
		return true
	})
	if err != nil {
		return err
	}
	st.swept = time.Now()
	o := st.event("picture")
	o.B = append(o.B, '{')
	o.Time(`"time":`, now.UnixMilli())
	o.Key(`,"records":`)
	o.B = append(o.B, '[')
	present := st.asked.viewer.Present(numbers)
	err = st.sendParts(o, &present, func(c *sight.Change) {
		if c.Ship == nil || !st.asked.takes(c.Ship, now) {
			return
		}
		if len(st.has) > 0 {
			o.B = append(o.B, ',')
		}
		o.AreaRecord(c.Ship)
		st.has[c.MMSI] = st.sweeps
	})
	if err != nil {
		return err
	}
	return st.write(append(o.B, "]}\n\n"...))
}

// sendParts hands ships to add, which makes them ready in an event, and writes the event between two parts of them. So no other caller waits
// for the client, and what is ready and not taken is small.
func (st *stream) sendParts(o *wire.Object, ships *sight.Changes, add func(*sight.Change)) error {
	began := time.Now()
	for part, ok := ships.First(atOnce); ok; part, ok = ships.First(atOnce) {
		if err := part.Each(st.call.Request.Context(), st.knows, add); err != nil {
			return err
		}
		if len(o.B) < chunkSize {
			continue
		}
		if time.Since(began) >= PictureWithin {
			return errSlow
		}
		if _, welcome := st.server.deps.Base.StillWelcome(st.who); !welcome {
			return errEnded
		}
		if err := st.write(o.B); err != nil {
			return err
		}
		o.B = append(o.B[:0], ' ')
	}
	return nil
}

// sweep asks the question again about every ship, because time, or what users keep, may have changed the answer.
func (st *stream) sweep() error {
	st.swept = time.Now()
	st.sweeps++
	now := st.asked.viewer.Now()
	var came []ais.MMSI
	err := st.asked.viewer.Ships(st.call.Request.Context(), nil, func(s *ship.State) bool {
		if !st.asked.takes(s, now) {
			return true
		}
		if st.knows(s.MMSI) {
			st.has[s.MMSI] = st.sweeps
		} else {
			came = append(came, s.MMSI)
		}
		return true
	})
	if err != nil {
		return err
	}
	e := st.changeEvent()
	for m, seen := range st.has {
		if seen != st.sweeps {
			e.add(&sight.Change{MMSI: m})
		}
	}
	present := st.asked.viewer.Present(came)
	if err := st.sendParts(e.Object, &present, e.add); err != nil {
		return err
	}
	return e.send()
}
