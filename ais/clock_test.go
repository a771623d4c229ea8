package ais

import (
	"fmt"
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
		{"two that agree on a jump", []string{base(8, 0, 0), base(9, 0, 0), base(9, 0, 1), position}, []time.Time{day(8, 0, 0), day(8, 0, 0), day(9, 0, 1), day(9, 0, 1)}},
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
		got := nearestSecond(row.second, start.Add(row.received))
		if !got.Equal(start.Add(row.want)) {
			t.Errorf("second %d heard at %v: %v, want %v", row.second, row.received, got.Sub(start), row.want)
		}
	}
	before := time.Date(1969, 12, 31, 23, 59, 50, 0, time.UTC)
	if got := nearestSecond(45, before); !got.Equal(before.Add(-5 * time.Second)) {
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
