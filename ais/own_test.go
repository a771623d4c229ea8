package ais

import (
	"fmt"
	"math"
	"testing"
	"time"
)

// TestOwn reads the sentences of receivers about themselves.
func TestOwn(t *testing.T) {
	d, b := NewDecoder(DecoderConfig{}), &Batch{}
	for _, body := range []string{
		"GPRMC,115959.50,A,5609.4080,N,01013.1520,E,5.2,221.3,201126,,,A",
		"GPGGA,120000,,,,,0,00,,,M,,M,,", // no fix: leaves the place as it is
		"AIALR,120000.00,025,A,V,AIS: external EPFS lost",
		"AIALR,120000.00,026,V,A,AIS: no sensor position in use",
		"AIALR,120001.00,025,V,V,AIS: external EPFS lost",
		"AITXT,01,01,25,AIS: internal GNSS in use",
		"AIVSI,r2190001,1,120000.00,1234,-98,12",
		"AIABK,219000111,A,6,2,0",
		"AIABK,,B,8,,3",
		"GPGSV,1,1,00", // of no interest
	} {
		d.Line(b, []byte("$"+sealed(body)), start)
	}
	own := d.Own()
	if math.Abs(own.Position.Lon-10.2192) > 1e-9 || math.Abs(own.Position.Lat-56.1568) > 1e-9 || own.SOG != 5.2 || own.COG != 221.3 ||
		!own.PositionAt.Equal(start) {
		t.Errorf("place %+v %v %v", own.Position, own.SOG, own.COG)
	}
	if want := time.Date(2026, 11, 20, 11, 59, 59, 5e8, time.UTC); !own.Clock.Equal(want) {
		t.Errorf("clock %v, want %v", own.Clock, want)
	}
	if want := "[{25 false false AIS: external EPFS lost " + fmt.Sprint(start) + "} {26 false true AIS: no sensor position in use " + fmt.Sprint(start) +
		"}]"; fmt.Sprint(own.Alarms) != want {
		t.Errorf("alarms %v, want %v", own.Alarms, want)
	}
	if len(own.Texts) != 1 || own.Texts[0].Text != "AIS: internal GNSS in use" || own.Texts[0].Number != 25 {
		t.Errorf("texts %v", own.Texts)
	}
	if want := (VSI{"r2190001", 1234, -98, 12}); own.Signal != want {
		t.Errorf("signal %+v, want %+v", own.Signal, want)
	}
	want := []OwnReceipt{{219000111, 'A', 6, 2, 0, start}, {0, 'B', 8, 0, 3, start}}
	if fmt.Sprint(own.Receipts) != fmt.Sprint(want) {
		t.Errorf("receipts %v, want %v", own.Receipts, want)
	}
	if c := d.Counters(); c.Other != 10 || c.TotalBad() != 0 {
		t.Errorf("%d other sentences, refused %v", c.Other, c.Bad)
	}
	own.Alarms[0].Text = "changed"
	if d.Own().Alarms[0].Text == "changed" {
		t.Error("Own shares its lists with the decoder")
	}
}

// TestOwnIsBounded sends more and more alarms and wants the newest.
func TestOwnIsBounded(t *testing.T) {
	d, b := NewDecoder(DecoderConfig{}), &Batch{}
	for i := range 3 * maxOwn {
		d.Line(b, []byte("$"+sealed(fmt.Sprintf("AIALR,120000.00,%03d,A,V,x", i))), start)
		d.Line(b, []byte("$"+sealed(fmt.Sprintf("AIABK,%d,A,6,2,0", 219000000+i))), start)
	}
	own := d.Own()
	if len(own.Alarms) != maxOwn || own.Alarms[maxOwn-1].Number != 3*maxOwn-1 || len(own.Receipts) != maxOwn {
		t.Errorf("%d alarms, %d receipts", len(own.Alarms), len(own.Receipts))
	}
}

// TestHashSentence takes '#' for '$' where a sentence follows, and for a comment elsewhere.
func TestHashSentence(t *testing.T) {
	d, b := NewDecoder(DecoderConfig{}), &Batch{}
	for _, line := range []string{
		"#" + sealed("GPRMC,120000,A,5609.4080,N,01013.1520,E,5.2,221.3,201126,,"),
		"# a comment, with a comma and !AIVDM,1,1,,A", "#       longitude:          -123.395383333", "#", "",
	} {
		d.Line(b, []byte(line), start)
	}
	if d.Own().PositionAt.IsZero() || d.Counters().TotalBad() != 0 {
		t.Errorf("own %+v, refused %v", d.Own(), d.Counters().Bad)
	}
}

// TestTwoDigitYear completes a year of two digits, and refuses a time before 1990.
func TestTwoDigitYear(t *testing.T) {
	for _, row := range []struct {
		body string
		want string // of the clock, "" when the time is refused
	}{
		{"GPZDA,120000.00,16,04,14,-02,00", "2014-04-16T12:00:00Z"},
		{"GPZDA,120000.00,16,04,2014,-02,00", "2014-04-16T12:00:00Z"},
		{"GPZDA,120000.00,16,04,95,00,00", "1995-04-16T12:00:00Z"},
		{"GPRMC,120000,A,5609.4080,N,01013.1520,E,5.2,221.3,160495,,", "1995-04-16T12:00:00Z"},
		{"GPZDA,120000.00,16,04,1980,00,00", ""},
		{"GPZDA,120000.00,16,04,114,00,00", ""},
	} {
		d, b := NewDecoder(DecoderConfig{Clock: LogClock}), &Batch{}
		d.Line(b, []byte("$"+sealed(row.body)), start)
		got, bad := "", uint64(1)
		if clock := d.Own().Clock; !clock.IsZero() {
			got, bad = clock.Format(time.RFC3339), 0
		}
		if got != row.want || d.Counters().Bad[ErrorClock] != bad {
			t.Errorf("%s: clock %q, refused %v; want %q", row.body, got, d.Counters().Bad, row.want)
		}
	}
	for _, old := range []string{`\c:200000000\` + position, position + ",200000000", "1985-01-01T00:00:00Z " + position} {
		d, b := NewDecoder(DecoderConfig{Clock: LogClock}), &Batch{}
		d.Line(b, []byte(old), start)
		d.Flush(b, start)
		if len(b.Reports) != 1 || !b.Reports[0].Received.Equal(start) || d.Counters().Bad[ErrorClock] != 1 {
			t.Errorf("%s: %+v, refused %v", old, b.Reports, d.Counters().Bad)
		}
	}
}
