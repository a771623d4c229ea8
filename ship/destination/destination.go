// Package destination reads the destination that a crew typed into its AIS as a port of the list.
//
// It promises at most one port, and none where the text can mean several. It understands the format of IMO SN.1/Circ.244 (`AE DXB>NL RTM`),
// names and other names of ports with or without a country, and what crews write beside them. It opens nothing, and a reader is never changed.
//
// It does not promise that the ship goes there: crews forget to type a new destination. docs/voyage.md has the rules and how often they are
// right.
package destination

import (
	"sync/atomic"

	"quaywatch/geo/chart"
	"quaywatch/internal/fold"
)

// longest is how many bytes of text are read. AIS has 20 characters; a destination that was entered by hand may have more.
const longest = 120

// aisLength is how many characters AIS has for a destination. A text of this length may have been cut off.
const aisLength = 20

// Reader reads destinations with one list of ports. Making one takes some milliseconds, a reading some microseconds.
type Reader struct {
	ports *chart.Ports
	words map[string]meaning
	lands map[string][]string // codes of countries by the key of their name
	index
}

// NewReader makes a reader for the ports.
func NewReader(ports *chart.Ports) *Reader {
	r := &Reader{ports: ports, words: vocabulary(), lands: countries()}
	r.index = newIndex(ports)
	return r
}

// Port returns the port that a destination names. It returns nil for none, for a place that is not in the list, and for a name of several ports.
func (r *Reader) Port(text string) *chart.Port {
	if len(text) > longest {
		return nil
	}
	plain := fold.Plain(fold.Name(text))
	if port := r.ofObject(plain); port != nil {
		return port
	}
	legs, shuttle := splitLegs(plain)
	if shuttle || len(legs) == 0 {
		return nil
	}
	last := r.portOfLeg(legs[len(legs)-1], len(plain) >= aisLength)
	if last == nil || len(legs) > 2 && r.portOfLeg(legs[0], false) == last {
		return nil // a ship that goes to and fro is now on the one way, now on the other
	}
	return last
}

// ofObject reads the code of a lock, quay or bridge of inland navigation (ISRS): a LOCODE, then 15 letters and digits.
func (r *Reader) ofObject(plain string) *chart.Port {
	digits := 0
	for i := range len(plain) {
		switch c := plain[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c < 'a' || c > 'z':
			return nil
		}
	}
	if len(plain) < aisLength-1 || digits < 5 {
		return nil
	}
	return r.code(plain[:5])
}

// code returns the port of a LOCODE in small letters, nil when there is none.
func (r *Reader) code(text string) *chart.Port {
	code, ok := chart.ParseLOCODE(text)
	if !ok {
		return nil
	}
	port, _ := r.ports.ByLOCODE(code)
	return port
}

// Current reads with the ports as they are now. A change of them makes a new reader, when the next destination is read.
type Current struct {
	ports  func() *chart.Ports
	reader atomic.Pointer[Reader]
}

// NewCurrent makes a reader for what ports gives. Ports must give the same pointer until they change.
func NewCurrent(ports func() *chart.Ports) *Current { return &Current{ports: ports} }

// Port is Reader.Port with the ports of now.
func (c *Current) Port(text string) *chart.Port {
	if text == "" {
		return nil
	}
	ports, reader := c.ports(), c.reader.Load()
	if reader == nil || reader.ports != ports {
		reader = NewReader(ports)
		c.reader.Store(reader)
	}
	return reader.Port(text)
}
