package ais

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestLogClock follows the clock of the log: once a better source was heard, the others are ignored.
func TestLogClock(t *testing.T) {
	day := func(hour, minute, second int) time.Time {
		return time.Date(2013, 7, 31, hour, minute, second, 0, time.UTC)
	}
	rmc := func(at string) string {
		return "$" + sealed("GPRMC,"+at+",A,5442.1,N,01223.2,E,5.0,10.0,310713,,")
	}
	zda := func(at string) string { return "$" + sealed("GPZDA,"+at+",31,07,2013,00,00") }
	pghp := func(hour, minute, second int) string {
		return "$" + sealed(fmt.Sprintf("PGHP,1,2013,7,31,%d,%d,%d,0,219,,2190067,1,69", hour, minute, second))
	}
	base := func(hour, minute, second int) string {
		m := &BaseStationReport{Header: Header{Type: 4, MMSI: 2190001}, Year: 2013, Month: 7, Day: 31, Hour: hour, Minute: minute, Second: second}
		return string(sentencesOf(t, []Message{m}))
	}
	for _, row := range []struct {
		name  string
		lines []string
		want  []time.Time // of each report
	}{
		{"RMC", []string{rmc("083731"), position, rmc("083732"), position}, []time.Time{day(8, 37, 31), day(8, 37, 32)}},
		{"ZDA and small steps back", []string{zda("083732"), position, zda("083731"), position}, []time.Time{day(8, 37, 32), day(8, 37, 31)}},
		{"what comes before the first time has it", []string{position, position, rmc("083731"), position}, []time.Time{day(8, 37, 31), day(8, 37, 31), day(8, 37, 31)}},
		{"a base station's clock, for itself too", []string{position, base(8, 0, 0), position}, []time.Time{day(8, 0, 0), day(8, 0, 0), day(8, 0, 0)}},
		{"RMC silences base stations", []string{rmc("083731"), base(9, 0, 0), position}, []time.Time{day(8, 37, 31), day(8, 37, 31)}},
		{"PGHP silences RMC", []string{pghp(8, 0, 0), position, rmc("083731"), position}, []time.Time{day(8, 0, 0), day(8, 0, 0)}},
		{"one base station with a wrong clock", []string{base(8, 0, 0), base(19, 0, 0), base(8, 0, 1), position}, []time.Time{day(8, 0, 0), day(8, 0, 0), day(8, 0, 1), day(8, 0, 1)}},
		{"two that agree on a jump", []string{base(8, 0, 0), base(8, 0, 1), base(9, 0, 0), base(9, 0, 1), position},
			[]time.Time{day(8, 0, 0), day(8, 0, 1), day(8, 0, 1), day(9, 0, 1), day(9, 0, 1)}},
		{"no time at all: ours", []string{position}, []time.Time{start}},
		{"RMC without a fix says nothing", []string{"$" + sealed("GPRMC,083731,V,,,,,,,310713,,"), position}, []time.Time{start}},
	} {
		d, b := NewDecoder(DecoderConfig{Clock: LogClock}), &Batch{}
		for _, line := range row.lines {
			d.Datagram(b, []byte(line), start)
		}
		d.Flush(b, start)
		var got []time.Time
		for _, r := range b.Reports {
			got = append(got, r.Received)
		}
		if fmt.Sprint(got) != fmt.Sprint(row.want) {
			t.Errorf("%s:\n got %v\nwant %v", row.name, got, row.want)
		}
	}
}

// TestWrongClocks wants that no source leads the clock astray: not one stamp, not a GPS that falls silent or stands still, not a base station
// with a wrong clock.
func TestWrongClocks(t *testing.T) {
	at := time.Date(2011, 1, 21, 18, 0, 0, 0, time.UTC)
	station := func(mmsi MMSI, t time.Time) Message {
		return &BaseStationReport{Header: Header{Type: 4, MMSI: mmsi}, Year: t.Year(), Month: int(t.Month()), Day: t.Day(), Hour: t.Hour(), Minute: t.Minute(),
			Second: t.Second(), Place: Place{Lon: 6000000, Lat: 33600000}}
	}
	ship := func(t time.Time) Message {
		return &PositionReport{Header: Header{Type: 1, MMSI: 219000111}, Place: Place{Lon: 6000000, Lat: 33600000}, Second: Second(t.Second())}
	}
	rmc := func(t time.Time) string {
		return "$" + sealed("GPRMC,"+t.Format("150405")+",A,5442.1,N,01223.2,E,5.0,10.0,"+t.Format("020106")+",,") + "\r\n"
	}
	const suffix = ",d-106,S9999,r14xkaa1,1264100667"
	for _, row := range []struct {
		name string
		bad  uint64
		line func(second int, now time.Time) string
	}{
		{"one suffix of another year", 1, func(second int, now time.Time) string {
			text := strings.TrimSpace(string(sentencesOf(t, []Message{ship(now)})))
			if second == 200 {
				text += suffix
			}
			return rmc(now) + text
		}},
		{"a suffix of another year at the start", 1, func(second int, now time.Time) string {
			text := strings.TrimSpace(string(sentencesOf(t, []Message{ship(now)})))
			if second == 0 {
				return text + suffix
			}
			return rmc(now) + text
		}},
		{"RMC falls silent", 0, func(second int, now time.Time) string {
			text := string(sentencesOf(t, []Message{ship(now)}))
			if second%10 == 0 {
				text += string(sentencesOf(t, []Message{station(2190001, now)}))
			}
			if second < 300 {
				text = rmc(now) + text
			}
			return text
		}},
		{"RMC stands still", 0, func(second int, now time.Time) string {
			text := string(sentencesOf(t, []Message{ship(now)}))
			if second%10 == 0 {
				text += string(sentencesOf(t, []Message{station(2190001, now)}))
			}
			return rmc(at.Add(time.Duration(min(second, 300))*time.Second)) + text
		}},
		{"one of three base stations at 411 s", 120, func(second int, now time.Time) string {
			text := string(sentencesOf(t, []Message{ship(now)}))
			if second%5 == 0 {
				off := []time.Duration{0, 0, 411 * time.Second}[second/5%3]
				text += string(sentencesOf(t, []Message{station(MMSI(2190001+second/5%3), now.Add(off))}))
			}
			return text
		}},
	} {
		d, b := NewDecoder(DecoderConfig{Clock: LogClock}), &Batch{}
		for second := range 1800 {
			d.Datagram(b, []byte(row.line(second, at.Add(time.Duration(second)*time.Second))), start)
		}
		d.Flush(b, start)
		second, worst := 0, time.Duration(0)
		for _, r := range b.Reports {
			if _, ok := r.Message.(*PositionReport); ok {
				worst = max(worst, r.Sent.Sub(at.Add(time.Duration(second)*time.Second)).Abs())
				second++
			}
		}
		if second != 1800 || worst > 2*time.Second || d.Counters().Bad[ErrorClock] != row.bad {
			t.Errorf("%s: %d positions, one off by %v, %d times refused; want 1800, 2s, %d", row.name, second, worst, d.Counters().Bad[ErrorClock], row.bad)
		}
	}
}

// TestHeldIsBounded releases reports when a log gives no time for too long.
func TestHeldIsBounded(t *testing.T) {
	d, b := NewDecoder(DecoderConfig{Clock: LogClock}), &Batch{}
	for range maxHeld + 5 {
		d.Line(b, []byte(position), start)
	}
	if len(b.Reports) != maxHeld+5 || !b.Reports[0].Received.Equal(start) {
		t.Errorf("%d reports", len(b.Reports))
	}
}

// TestNearestSecond places a report's UTC second within the 45 s before and the 15 s after reception.
func TestNearestSecond(t *testing.T) {
	for _, row := range []struct {
		received time.Duration // after a full minute
		second   int
		want     time.Duration
	}{
		{30 * time.Second, 30, 30 * time.Second}, {30 * time.Second, 28, 28 * time.Second}, {5 * time.Second, 55, -5 * time.Second},
		{59 * time.Second, 13, 73 * time.Second}, {59 * time.Second, 15, 15 * time.Second}, {0, 0, 0}, {900 * time.Millisecond, 59, -time.Second},
	} {
		got := nearestSecond(row.second, start.Add(row.received), 15)
		if !got.Equal(start.Add(row.want)) {
			t.Errorf("second %d heard at %v: %v, want %v", row.second, row.received, got.Sub(start), row.want)
		}
	}
	before := time.Date(1969, 12, 31, 23, 59, 50, 0, time.UTC)
	if got := nearestSecond(45, before, 15); !got.Equal(before.Add(-5 * time.Second)) {
		t.Errorf("before 1970: %v", got)
	}
}

// TestDate compares the count of days with that of package time, for each day of four centuries.
func TestDate(t *testing.T) {
	for day := time.Date(1895, 1, 1, 23, 59, 58, 7, time.UTC); day.Year() < 2310; day = day.AddDate(0, 0, 1) {
		got, ok := date(day.Year(), int(day.Month()), day.Day(), 23, 59, 58, 7)
		if !ok || !got.Equal(day) {
			t.Fatalf("%v: %v %v", day, got, ok)
		}
	}
	for _, none := range [][3]int{{2026, 2, 29}, {2100, 2, 29}, {2024, 2, 30}, {2026, 4, 31}, {2026, 13, 1}, {2026, 0, 1}, {2026, 1, 0}, {2026, 1, 32},
		{0, 1, 1}, {10196, 1, 1}} {
		if got, ok := date(none[0], none[1], none[2], 0, 0, 0, 0); ok {
			t.Errorf("%v is %v", none, got)
		}
	}
}

// TestBeginOfALog: when a user says when a log without any time began, its clock goes on by the UTC seconds of the reports, or by a rate. No
// other time in the log counts.
func TestBeginOfALog(t *testing.T) {
	begin := time.Date(2016, 4, 14, 2, 0, 0, 0, time.UTC)
	report := func(second int) Message {
		return &PositionReport{Header: Header{Type: 1, MMSI: 219000111}, Place: Place{Lon: 6000000, Lat: 33600000}, Second: Second(second)}
	}
	voyage := &StaticVoyage{Header: Header{Type: 5, MMSI: 219000111}, Name: "NORDIC HAV"}
	base := &BaseStationReport{Header: Header{Type: 4, MMSI: 2190001}, Year: 2015, Month: 1, Day: 1, Place: Place{Lon: 6000000, Lat: 33600000}}
	for _, row := range []struct {
		name     string
		rate     float64
		messages []Message
		stamp    string
		want     []int // seconds after the begin
	}{
		{"the seconds of the reports", 0, []Message{report(50), report(55), report(5), report(15), report(25)}, "", []int{50, 55, 65, 75, 85}},
		{"a wrong second moves only its own report", 0, []Message{report(10), report(12), report(50), report(13), report(14)}, "", []int{10, 12, 50, 13, 14}},
		{"a report without a second goes by the clock", 0, []Message{report(10), report(10), voyage}, "", []int{10, 10, 10}},
		{"base stations and stamps do not count", 0, []Message{report(10), report(10), base, report(12)}, string(AppendTag(nil, "", 1420070400)), []int{10, 10, 10, 12}},
		{"a rate", 0.5, []Message{report(10), voyage, base, report(9), report(9)}, "", []int{0, 4, 6, 8, 10}}, // the voyage has two sentences
	} {
		d, b := NewDecoder(DecoderConfig{Clock: LogClock, Begin: begin, Rate: row.rate}), &Batch{}
		for _, m := range row.messages {
			for line := range SplitLines(sentencesOf(t, []Message{m})) {
				d.Line(b, append([]byte(row.stamp), line...), time.Time{})
			}
		}
		d.Flush(b, time.Time{})
		var got []int
		for _, r := range b.Reports {
			at := r.Received
			if !r.Sent.IsZero() {
				at = r.Sent
			}
			got = append(got, int(at.Sub(begin).Seconds()))
		}
		if fmt.Sprint(got) != fmt.Sprint(row.want) || d.Counters().TotalBad() != 0 {
			t.Errorf("%s: %v, want %v; %v", row.name, got, row.want, d.Counters().Bad)
		}
	}
}

// TestNoTime: reports of which nothing tells the time have none, and no day is invented from their seconds.
func TestNoTime(t *testing.T) {
	for name, clock := range map[string]Clock{"a log": LogClock, "a pipe": NoClock} {
		received := start
		if clock == LogClock {
			received = time.Time{}
		}
		d, b := NewDecoder(DecoderConfig{Clock: clock}), &Batch{}
		for range maxHeld + 1 {
			d.Line(b, []byte(position), received)
		}
		d.Flush(b, received)
		for i, r := range b.Reports {
			if !r.Received.IsZero() || !r.Sent.IsZero() {
				t.Fatalf("%s: report %d of %v, sent %v", name, i, r.Received, r.Sent)
			}
		}
		if len(b.Reports) != maxHeld+1 {
			t.Errorf("%s: %d reports", name, len(b.Reports))
		}
	}
}

// TestBeginOfARecordedLog: without its RMC a log of 25,032 messages has nearly the times that it has with it.
func TestBeginOfARecordedLog(t *testing.T) {
	data := realData(t, "nmea/kadetrenden_2013-07-31.nmea.gz")
	_, told := decodeAll(data, DecoderConfig{Clock: LogClock})
	_, begun := decodeAll(data, DecoderConfig{Clock: LogClock, Begin: told.Reports[0].Received})
	if len(told.Reports) != len(begun.Reports) {
		t.Fatalf("%d and %d reports", len(told.Reports), len(begun.Reports))
	}
	wide, off := 0, time.Duration(0)
	for i := range told.Reports {
		off = begun.Reports[i].Received.Sub(told.Reports[i].Received).Abs()
		if off > 5*time.Second {
			wide++
		}
	}
	if t.Logf("%d of %d off by more than 5 s, the last by %v", wide, len(told.Reports), off); wide*20 > len(told.Reports) || off > 5*time.Second {
		t.Error("too many")
	}
}
