package ais

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"
)

// partsOfType5 encodes a type 5 of that sender in two parts under a sequence number.
func partsOfType5(t testing.TB, mmsi MMSI, sequence byte) [2]string {
	t.Helper()
	m := &StaticVoyage{Header: Header{Type: 5, MMSI: mmsi}, Name: fmt.Sprint("SHIP ", int(mmsi)), ETA: ETA{0, 0, 24, 60}}
	said := strings.Fields(string(sentencesOf(t, []Message{m})))
	var out [2]string
	for i, line := range said {
		field := strings.Split(line[1:strings.IndexByte(line, '*')], ",")
		field[3] = string(sequence)
		out[i] = "!" + sealed(strings.Join(field, ","))
	}
	return out
}

func tag(body string) string { return `\` + sealed(body) + `\` }

// TestParts joins the parts of several messages that come in mixed order.
func TestParts(t *testing.T) {
	x, y, x2 := partsOfType5(t, 219000001, '1'), partsOfType5(t, 219000002, '2'), partsOfType5(t, 219000003, '1')
	for _, row := range []struct {
		name  string
		lines []string
		want  []MMSI
		lost  uint64
	}{
		{"one after the other", []string{x[0], x[1], y[0], y[1]}, []MMSI{219000001, 219000002}, 0},
		{"interleaved", []string{x[0], y[0], x[1], y[1]}, []MMSI{219000001, 219000002}, 0},
		{"on one line", []string{x[0] + x[1]}, []MMSI{219000001}, 0},
		{"on one line with tags", []string{tag("s:a") + x[0] + tag("s:a") + x[1]}, []MMSI{219000001}, 0},
		{"the second first: its start is lost", []string{x[1], x[0]}, nil, 2},
		{"a start is lost", []string{x[0], x[1], x2[1]}, []MMSI{219000001}, 1},
		{"an end is lost", []string{x[0], x2[0], x2[1]}, []MMSI{219000003}, 1},
		{"the end again, from a second receiver", []string{x[0], x[1], x[1]}, []MMSI{219000001}, 1},
		{"two stations, one number", []string{tag("s:a") + x[0], tag("s:b") + x2[0], tag("s:a") + x[1], tag("s:b") + x2[1]}, []MMSI{219000001, 219000003}, 0},
		{"the second without a station", []string{tag("s:a") + x[0], x[1]}, []MMSI{219000001}, 0},
		{"groups, the second without a station", []string{tag("g:1-2-7,s:a") + x[0], tag("g:1-2-8,s:b") + x2[0], tag("g:2-2-8") + x2[1], tag("g:2-2-7") + x[1]}, []MMSI{219000003, 219000001}, 0},
		{"groups in any order", []string{tag("g:2-2-7") + x[1], tag("g:1-2-7,s:a") + x[0]}, []MMSI{219000001}, 0},
	} {
		d, b := NewDecoder(DecoderConfig{}), &Batch{}
		for _, line := range row.lines {
			d.Line(b, []byte(line), start)
		}
		d.Expire(start.Add(11 * time.Second))
		var got []MMSI
		for _, r := range b.Reports {
			got = append(got, r.Message.Head().MMSI)
			name := fmt.Sprint("SHIP ", int(r.Message.Head().MMSI))
			if r.Message.(*StaticVoyage).Name != name || bytes.Count(r.Raw, []byte("\r\n")) != 1 {
				t.Errorf("%s: %q in %q", row.name, r.Message.(*StaticVoyage).Name, r.Raw)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(row.want) || d.Counters().Bad[ErrorFragment] != row.lost {
			t.Errorf("%s: %v, want %v; %d lost, want %d", row.name, got, row.want, d.Counters().Bad[ErrorFragment], row.lost)
		}
	}
}

// TestPartsExpire waits 10 s for the rest of a message, not longer.
func TestPartsExpire(t *testing.T) {
	x := partsOfType5(t, 219000001, '1')
	for wait, want := range map[time.Duration]int{10 * time.Second: 1, 10*time.Second + 1: 0, -time.Minute: 0} {
		d, b := NewDecoder(DecoderConfig{}), &Batch{}
		d.Line(b, []byte(x[0]), start)
		d.Line(b, []byte(x[1]), start.Add(wait))
		if len(b.Reports) != want {
			t.Errorf("after %v: %d reports, want %d", wait, len(b.Reports), want)
		}
	}
}

// TestPartsAreBounded sends first parts from more and more stations.
func TestPartsAreBounded(t *testing.T) {
	for _, row := range []struct {
		payload  string
		parts, n int
	}{{"5", 1, 2 * maxSets}, {strings.Repeat("8", 1900), 2, 3000}} { // the second comes to 12 MB
		d, b := NewDecoder(DecoderConfig{}), &Batch{}
		for i := range row.n {
			for part := range row.parts {
				d.Line(b, []byte(tag(fmt.Sprintf("s:r%d", i))+"!"+sealed(fmt.Sprintf("AIVDM,9,%d,1,A,%s,0", part+1, row.payload))), start)
			}
			if len(d.assembler.sets) > maxSets || d.assembler.bytes > maxSetBytes || len(d.interned) > 4096 {
				t.Fatalf("%d sets, %d bytes, %d names", len(d.assembler.sets), d.assembler.bytes, len(d.interned))
			}
		}
		if row.parts == 2 && d.assembler.bytes < maxSetBytes/2 {
			t.Errorf("%d bytes: the bound was not put to the test", d.assembler.bytes)
		}
		d.Expire(start.Add(time.Minute))
		if got := d.Counters().Bad[ErrorFragment]; got != uint64(row.n) || d.assembler.bytes != 0 {
			t.Errorf("%d given up of %d, %d bytes left", got, row.n, d.assembler.bytes)
		}
	}
}

// TestFillWithinMessage joins parts of which the first has fill bits.
func TestFillWithinMessage(t *testing.T) {
	whole, err := Decode([]byte("13@ngj@11G0fj22P8RLDlSsN00S9"), 0)
	if err != nil {
		t.Fatal(err)
	}
	// The first 9 characters less 2 bits, and the bits behind them moved up by 2.
	var all, second payload
	if err := all.add([]byte("13@ngj@11G0fj22P8RLDlSsN00S9"), 0); err != nil {
		t.Fatal(err)
	}
	var rest []byte
	for at := uint(52); at < 168; at += 6 {
		six := byte(all.fieldAt(at, min(6, 168-at))) << (6 - min(6, 168-at))
		if six < 40 {
			rest = append(rest, six+'0')
		} else {
			rest = append(rest, six+'0'+8)
		}
	}
	if err := second.add([]byte("13@ngj@11"), 2); err != nil {
		t.Fatal(err)
	}
	if err := second.add(rest, len(rest)*6-116); err != nil {
		t.Fatal(err)
	}
	got, err := second.decodeMessage(&Batch{})
	if err != nil || *got.(*PositionReport) != *whole.(*PositionReport) {
		t.Errorf("%+v, %v, want %+v", got, err, whole)
	}
}
