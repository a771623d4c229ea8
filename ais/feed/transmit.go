package feed

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/ais"
)

// writeWithin is how long a transponder may take for what is written to it. The longest message is 0.7 s at 4,800 baud.
const writeWithin = 5 * time.Second

// Errors of Transmit. After either of them nothing was written.
var (
	ErrNoTransmitter = errors.New("there is no transmitter of this name")
	ErrNotOpen       = errors.New("the transmitter is not open")
)

var errTransmit = errors.New("transmit: only serial:///dev/name and tcp:// lead to a transponder; serial://auto might find another device")

// outlet is the way to a transponder: the connection that its feed reads.
type outlet struct {
	open   atomic.Pointer[link]
	within time.Duration
	writer sync.Mutex // is held while something is written
}

// link is an open connection to a transponder.
type link struct {
	to     wire
	broken bool // what was written last is not whole; for the holder of outlet.writer
}

// linked tells that a connection is open, until unlinked is called.
func (in *inlet) linked(to wire) (unlinked func()) {
	if !in.source.Transmit {
		return func() {}
	}
	in.outlet.open.Store(&link{to: to})
	return func() { in.outlet.open.Store(nil) }
}

// Transmitters returns the names of the feeds that can transmit, and whether each is open now.
func (f *Sources) Transmitters() (names []string, open []bool) {
	for _, in := range f.inlets {
		if in.source.Transmit {
			names, open = append(names, in.source.Name), append(open, in.outlet.open.Load() != nil)
		}
	}
	return names, open
}

// Transmit writes sentences to the transponder of a feed, and returns how many bytes the port took. It waits for five seconds at most, and no reading
// waits for it. With fewer bytes than all of them the message is not whole, and the transponder sends nothing.
func (f *Sources) Transmit(name string, sentences []byte) (n int, err error) {
	for _, in := range f.inlets {
		if in.source.Transmit && in.source.Name == name {
			return in.sendSentences(sentences)
		}
	}
	return 0, fmt.Errorf("feed %q: %w", name, ErrNoTransmitter)
}

func (in *inlet) sendSentences(sentences []byte) (n int, err error) {
	n, err = in.outlet.write(sentences)
	if err == nil {
		in.ledger.updateStatus(func(s *ais.FeedStatus) { s.Transmitted++ })
		return n, nil
	}
	in.log.Warn("the transmitter did not take a message", "bytes", n, "of", len(sentences), "error", err)
	return n, fmt.Errorf("write to %s: %w", in.source.Name, err)
}

// write writes all of it, or returns an error.
func (o *outlet) write(sentences []byte) (n int, err error) {
	o.writer.Lock()
	defer o.writer.Unlock()
	l := o.open.Load()
	if l == nil {
		return 0, ErrNotOpen
	}
	if err := l.to.SetWriteDeadline(time.Now().Add(o.within)); err != nil {
		return 0, err
	}
	if l.broken { // end the sentence that was cut off
		if _, err := io.WriteString(l.to, "\r\n"); err != nil {
			return 0, err
		}
	}
	n, err = l.to.Write(sentences)
	l.broken = n > 0 && n < len(sentences)
	if n == len(sentences) {
		err = nil
	}
	return n, err
}
