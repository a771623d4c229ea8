package logtime

import (
	"bytes"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/stationclock"
)

// led is the beginning of a log in which RMC and ZDA tell a wrong time, before the first message 4 that could show it.
type led struct {
	decoder *ais.Decoder
	bytes   int           // up to the first message 4
	off     time.Duration // by which RMC and ZDA are behind message 4
}

// Bounds on what is looked at for that.
const (
	leadStations = 8 // messages 4
	era          = stationclock.Era
)

// wronglyLed finds out whether the messages 4 in the first lines agree that RMC and ZDA are off by whole hours or eras.
func wronglyLed(head []byte) led {
	var l led
	if !bytes.Contains(head, []byte("RMC,")) && !bytes.Contains(head, []byte("ZDA,")) {
		return l
	}
	d, b := ais.NewDecoder(ais.DecoderConfig{Clock: ais.NoClock}), &ais.Batch{}
	heard := 0
	for rest := head; len(rest) > 0 && heard < leadStations; {
		line, after, _ := bytes.Cut(rest, []byte("\n"))
		b.Reset()
		d.Line(b, line, time.Time{})
		for i := range b.Reports {
			t, own := stationTime(b.Reports[i].Message), d.Own().Clock
			if t.IsZero() || own.IsZero() && heard == 0 {
				continue
			}
			if heard++; heard == 1 {
				l.bytes, l.off = len(head)-len(rest), wholly(t.Sub(own))
			}
			if off := wholly(t.Sub(own)); off == 0 || off != l.off {
				return led{}
			}
		}
		rest = after
	}
	if heard < 2 {
		return led{}
	}
	l.decoder = ais.NewDecoder(ais.DecoderConfig{Clock: ais.NoClock})
	return l
}

// stationTime returns the time that a message 4 tells, and the zero Time where none is told.
func stationTime(m ais.Message) time.Time {
	if station, ok := m.(*ais.BaseStationReport); ok {
		if t, ok := station.Time(); ok && t.Year() >= 1990 {
			return t
		}
	}
	return time.Time{}
}

// wholly returns a difference of clocks by a fault that is known, and 0 for any other.
func wholly(off time.Duration) time.Duration {
	if fault, ok := stationclock.Fault(off); ok {
		return fault
	}
	return 0
}

// mend returns the line of ZDA that takes the place of a line with RMC or ZDA, and nil for other lines.
func (l *led) mend(line []byte) []byte {
	l.bytes -= len(line)
	if !bytes.Contains(line, []byte("RMC,")) && !bytes.Contains(line, []byte("ZDA,")) {
		return nil
	}
	l.decoder.Line(&ais.Batch{}, line, time.Time{})
	own := l.decoder.Own().Clock
	if own.IsZero() {
		return nil
	}
	return ais.EndSentence(own.Add(l.off).AppendFormat(nil, "$GPZDA,150405.00,02,01,2006,00,00"), 0)
}
