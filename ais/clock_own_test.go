package ais

import (
	"strings"
	"testing"
	"time"

	"quaywatch/ais/stationclock"
)

// TestAWrongOwnClockDoesNotLead reads logs whose RMC is eras, hours or days off beside one base station. The times are those of the station.
func TestAWrongOwnClockDoesNotLead(t *testing.T) {
	const week = 7 * 24 * time.Hour
	begin := time.Date(2026, 11, 24, 4, 0, 0, 0, time.UTC)
	for name, off := range map[string]time.Duration{
		"right": 0, "an era behind": -1024 * week, "two eras behind": -2048 * week, "an hour behind": -time.Hour, "an hour ahead": time.Hour,
		"a day behind": -24 * time.Hour, "a day ahead": 24 * time.Hour, "an era behind and an hour ahead": -1024*week + time.Hour,
	} {
		if begin.Add(off).Unix() < firstMoment {
			continue
		}
		for _, before := range []int{0, 1, 30} { // so many RMC come before the first message 4
			var log strings.Builder
			for i := range 200 {
				at := begin.Add(time.Duration(5*i) * time.Second)
				own := at.Add(off)
				log.WriteString("$" + sealed("GPRMC,"+own.Format("150405.00")+",A,5606.000,N,01018.000,E,0.0,0.0,"+own.Format("020106")+",,,A") + "\r\n")
				messages := []Message{&PositionReport{Header: Header{Type: 1, MMSI: 219000111}, Place: Place{Lon: 6131520 + int32(i), Lat: 33694080}, Second: Second(at.Second())}}
				if i >= before && i%2 == 0 {
					year, month, day := at.Date()
					messages = append(messages, &BaseStationReport{Header: Header{Type: 4, MMSI: 2190001}, Year: year, Month: int(month), Day: day,
						Hour: at.Hour(), Minute: at.Minute(), Second: at.Second(), Place: Place{Lon: 6131520, Lat: 33694080}})
				}
				log.Write(sentencesOf(t, messages))
			}
			d, b := NewDecoder(DecoderConfig{Clock: LogClock}), &Batch{}
			d.Datagram(b, []byte(log.String()), start)
			d.Flush(b, start)
			n, wrong := 0, 0
			for i := range b.Reports {
				if r := &b.Reports[i]; r.Message.Head().Type == 1 {
					want := begin.Add(time.Duration(5*n) * time.Second)
					if !isWithin(r.Received, want, 15*time.Second) {
						wrong++
					}
					n++
				}
			}
			most := 0
			if off != 0 && before > 0 {
				most = before + 2 // nothing but the RMC told the time of these
			}
			if n != 200 || wrong > most {
				t.Errorf("%s, %d before: %d of %d reports at a wrong time, at most %d", name, before, wrong, n, most)
			}
			if said, alone := d.OwnClock(); alone || (said != 0) != (off != 0) || said != 0 && said != -off {
				t.Errorf("%s: it is said to be %v behind", name, said)
			}
		}
	}
}

// TestAWrongStationDoesNotTurnTheOwnClock reads logs whose RMC is right, beside base stations of which fewer than half, or the first alone, are wrong by hours or
// eras.
func TestAWrongStationDoesNotTurnTheOwnClock(t *testing.T) {
	begin := time.Date(2026, 11, 24, 4, 0, 0, 0, time.UTC)
	for _, off := range []time.Duration{time.Hour, -time.Hour, 2 * time.Hour, -24 * time.Hour, -stationclock.Era} {
		for _, phase := range []int{0, 1, 2} { // the place of the wrong station among three
			var log strings.Builder
			for i := range 300 {
				at := begin.Add(time.Duration(2*i) * time.Second)
				log.WriteString("$" + sealed("GPRMC,"+at.Format("150405.00")+",A,5606.000,N,01018.000,E,0.0,0.0,"+at.Format("020106")+",,,A") + "\r\n")
				messages := []Message{&PositionReport{Header: Header{Type: 1, MMSI: 219000111}, Place: Place{Lon: 6131520 + int32(i), Lat: 33694080}, Second: Second(at.Second())}}
				if n := i % 5; n < 3 {
					said := at
					if n == phase {
						said = at.Add(off)
					}
					year, month, day := said.Date()
					messages = append(messages, &BaseStationReport{Header: Header{Type: 4, MMSI: 2190001 + MMSI(n)}, Year: year, Month: int(month), Day: day,
						Hour: said.Hour(), Minute: said.Minute(), Second: said.Second(), Place: Place{Lon: 6131520, Lat: 33694080}})
				}
				log.Write(sentencesOf(t, messages))
			}
			d, b := NewDecoder(DecoderConfig{Clock: LogClock}), &Batch{}
			d.Datagram(b, []byte(log.String()), start)
			d.Flush(b, start)
			n, wrong := 0, 0
			for i := range b.Reports {
				if r := &b.Reports[i]; r.Message.Head().Type == 1 {
					if want := begin.Add(time.Duration(2*n) * time.Second); !isWithin(r.Received, want, 15*time.Second) {
						wrong++
					}
					n++
				}
			}
			if n != 300 || wrong > 2 { // until a second station speaks
				t.Errorf("station %d of three is off by %v: %d of %d reports at a wrong time", phase, off, wrong, n)
			}
			if said, _ := d.OwnClock(); said != 0 {
				t.Errorf("station %d of three is off by %v: RMC is said to be %v behind", phase, off, said)
			}
		}
	}
}
