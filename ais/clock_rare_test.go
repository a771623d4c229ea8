package ais

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestAClockThatTicksRarely: the log tells the time each 10 to 60 seconds. Each report is sent at its own UTC second, none a minute too early or late, and the time
// goes on between.
func TestAClockThatTicksRarely(t *testing.T) {
	begin := time.Date(2026, 11, 24, 4, 0, 0, 0, time.UTC)
	for name, tell := range map[string]func(time.Time) string{
		"RMC": func(at time.Time) string {
			return "$" + sealed("GPRMC,"+at.Format("150405.00")+",A,5606.000,N,01018.000,E,0.0,0.0,"+at.Format("020106")+",,,A") + "\r\n"
		},
		"ZDA": func(at time.Time) string {
			return "$" + sealed("GPZDA,"+at.Format("150405.00,02,01,2006")+",00,00") + "\r\n"
		},
		"TAG of its own": func(at time.Time) string { return string(AppendTag(nil, "", at.UnixMilli())) + "\r\n" },
	} {
		for _, every := range []int{10, 20, 30, 60} {
			var log strings.Builder
			for i := range 600 {
				at := begin.Add(time.Duration(i) * time.Second)
				if i%every == 0 {
					log.WriteString(tell(at))
				}
				log.Write(sentencesOf(t, []Message{&PositionReport{Header: Header{Type: 1, MMSI: 219000111 + MMSI(i%4)},
					Place: Place{Lon: 6131520 + int32(i), Lat: 33694080}, Second: Second(at.Second())}}))
			}
			d, b := NewDecoder(DecoderConfig{Clock: LogClock}), &Batch{}
			d.Datagram(b, []byte(log.String()), start)
			d.Flush(b, start)
			var wrong []string
			for i := range b.Reports {
				want := begin.Add(time.Duration(i) * time.Second)
				if r := &b.Reports[i]; !r.Sent.Equal(want) || !isWithin(r.Received, want, 15*time.Second) && i >= 2*every {
					wrong = append(wrong, fmt.Sprint(want.Format("15:04:05 "), r.Sent.Format("15:04:05 "), r.Received.Format("15:04:05")))
				}
			}
			if len(b.Reports) != 600 || len(wrong) > 0 {
				t.Errorf("%s each %d s: %d of %d reports at a wrong time: %v", name, every, len(wrong), len(b.Reports), wrong[:min(5, len(wrong))])
			}
		}
	}
}
