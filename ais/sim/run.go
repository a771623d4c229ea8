package sim

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// LogClock is how a log of the harbour tells its time.
type LogClock int

// The clocks.
const (
	TagClock  LogClock = iota // a TAG block before each sentence, unless the harbour sails at the pace of the clock
	BaseClock                 // messages 4 of the base station alone, each 10 s
	RMCClock                  // a sentence RMC of the receiver each second, and messages 4
)

// Clocks are the names of the clocks, in their order.
var Clocks = [...]string{"tag", "base", "rmc"}

// Run sails the harbour at speed times the pace of the clock until ctx ends. Each write gets the NMEA sentence or sentences
// of one message, ended by CR LF. Options.Clock says how they tell the simulated time. With speed 0
// the ships sail as fast as write takes their sentences. If truth is not nil it gets one line of JSON for each event. Run
// returns the first error of write or truth, and nil when ctx ended.
func (h *Harbour) Run(ctx context.Context, speed float64, write func([]byte) error, truth io.Writer) error {
	r := &run{encoder: ais.NewEncoder("AIVDM"), write: write, tag: speed != 1 && h.stamps == TagClock}
	if truth != nil {
		r.truth = bufio.NewWriter(truth)
		defer r.truth.Flush()
	}
	begun, from := time.Now(), h.Now()
	for r.err == nil && ctx.Err() == nil {
		if h.stamps == RMCClock {
			r.own(h.Now().Add(time.Second), h.areas[0].water.at)
		}
		h.Step(h.Now().Add(time.Second), r.writeMessage, r.writeEvent)
		if h.now%60 == 0 && r.truth != nil && r.err == nil {
			r.err = r.truth.Flush()
		}
		if speed > 0 {
			due := begun.Add(time.Duration(float64(h.Now().Sub(from)) / speed))
			sleep(ctx, time.Until(due))
		}
	}
	return r.err
}

// run is the state of one Run.
type run struct {
	encoder *ais.Encoder
	write   func([]byte) error
	truth   *bufio.Writer
	tag     bool
	plain   []byte // the sentences of one message
	buf     []byte // with their TAG blocks
	err     error
}

// writeMessage turns a message into sentences and writes them. Each sentence has its own TAG block, so a receiver can read it even
// when the sentences of a message arrive apart.
func (r *run) writeMessage(at time.Time, m ais.Message, channel byte) {
	if r.err != nil {
		return
	}
	if r.plain, r.err = r.encoder.Sentences(r.plain[:0], m, channel); r.err != nil {
		return
	}
	if !r.tag {
		r.err = r.write(r.plain)
		return
	}
	r.buf = r.buf[:0]
	for line := range bytes.Lines(r.plain) {
		r.buf = append(ais.AppendTag(r.buf, "", at.Unix()), line...)
	}
	r.err = r.write(r.buf)
}

// own writes what the receiver's satellite navigation says: a place and the time.
func (r *run) own(at time.Time, place geo.Point) {
	if r.err != nil {
		return
	}
	lat, lon := math.Abs(place.Lat), math.Abs(place.Lon)
	north, east := "N", "E"
	if place.Lat < 0 {
		north = "S"
	}
	if place.Lon < 0 {
		east = "W"
	}
	line := fmt.Appendf(nil, "$GPRMC,%s,A,%02d%07.4f,%s,%03d%07.4f,%s,0.0,0.0,%s,,,A", at.UTC().Format("150405"), int(lat), (lat-math.Floor(lat))*60, north,
		int(lon), (lon-math.Floor(lon))*60, east, at.UTC().Format("020106"))
	r.err = r.write(ais.EndSentence(line, 0))
}

func (r *run) writeEvent(t Truth) {
	if r.err != nil || r.truth == nil {
		return
	}
	line, err := json.Marshal(t)
	if err != nil {
		r.err = fmt.Errorf("write the truth of %s: %w", t.Kind, err)
		return
	}
	if _, err := r.truth.Write(append(line, '\n')); err != nil {
		r.err = fmt.Errorf("write the truth: %w", err)
	}
}

// sleep waits for d or the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	if d <= 0 {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
