package ais_test

import (
	"bytes"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"quaywatch/ais"
)

// bitsOf returns random armoured characters of a message of a type, with a length that the type may have.
func bitsOf(t *rapid.T) (chars []byte, fill int) {
	lengths := map[int][]int{
		1: {168}, 2: {168}, 3: {168}, 4: {168}, 5: {424}, 6: {88, 96, 135, 1008}, 7: {72, 104, 136, 168}, 8: {56, 57, 368, 1008},
		9: {168}, 10: {72}, 11: {168}, 12: {72, 78, 1008}, 13: {72, 168}, 14: {40, 46, 1006}, 15: {88, 110, 160}, 16: {96, 144},
		17: {80, 120, 816}, 18: {168}, 19: {312}, 20: {72, 104, 136, 160}, 21: {272, 280, 360}, 22: {168}, 23: {160}, 24: {160, 168},
		25: {88, 168}, 26: {120, 1004}, 27: {96},
	}
	kind := rapid.IntRange(1, 27).Draw(t, "type")
	bits := rapid.SampledFrom(lengths[kind]).Draw(t, "bits")
	raw := rapid.SliceOfN(rapid.Byte(), (bits+5)/6, (bits+5)/6).Draw(t, "payload")
	raw[0] = byte(kind)
	fill = len(raw)*6 - bits
	raw[len(raw)-1] &^= 1<<fill - 1
	for i, six := range raw {
		if six &= 63; six < 40 {
			raw[i] = six + 48
		} else {
			raw[i] = six + 56
		}
	}
	return raw, fill
}

// payloadOf joins the payload of sentences, as a receiver's software does.
func payloadOf(t testing.TB, sentences []byte) (chars []byte, fill int) {
	t.Helper()
	for line := range bytes.Lines(sentences) {
		field := bytes.Split(line, []byte(","))
		if len(field) != 7 || len(line) > 82 {
			t.Fatalf("sentence %q", line)
		}
		chars = append(chars, field[5]...)
		fill = int(field[6][0] - '0')
	}
	return chars, fill
}

// A decoded message that is encoded decodes to the same: no field of any type is lost, moved or rounded.
func TestEncodeIsTheInverseOfDecode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		chars, fill := bitsOf(t)
		first, err := ais.Decode(chars, fill)
		if err != nil {
			t.Skip(err)
		}
		sentences, err := ais.NewEncoder("AIVDM").Sentences(nil, first, 'B')
		if err != nil {
			t.Fatalf("encode %+v: %v", first, err)
		}
		var again []byte
		for line := range bytes.Lines(sentences) {
			field := bytes.Split(line, []byte(","))
			again = append(again, field[5]...)
			fill = int(field[6][0] - '0')
		}
		second, err := ais.Decode(again, fill)
		if err != nil {
			t.Fatalf("decode what was encoded of %+v: %v", first, err)
		}
		if diff := cmp.Diff(first, second, cmpopts.EquateEmpty(), cmp.Exporter(exportAll)); diff != "" {
			t.Fatal(diff)
		}
	})
}

// Messages as the simulator and the notices send them go through a Decoder unchanged.
func TestSentencesThroughTheDecoder(t *testing.T) {
	head := func(t uint8) ais.Header { return ais.Header{Type: t, MMSI: 219000001} }
	place := ais.Place{Lon: 6150007, Lat: -33684001}
	size := ais.Dimensions{Bow: 200, Stern: 31, Port: 12, Starboard: 20}
	messages := []ais.Message{
		&ais.PositionReport{Header: head(3), Status: 5, ROT: ais.RawROT(-12), SOG: ais.SOGTenths(0), Place: place, COG: ais.COGTenths(0),
			Heading: ais.HeadingDegrees(0), Second: 59},
		&ais.PositionReport{Header: head(1), Place: ais.Place{Lon: 181 * 600000, Lat: 91 * 600000}, Second: 60},
		&ais.BaseStationReport{Header: head(4), Year: 2026, Month: 2, Day: 28, Hour: 23, Minute: 59, Second: 58, Place: place, EPFD: 7},
		&ais.StaticVoyage{Header: head(5), IMO: 1900003, CallSign: "OXAB2", Name: "A SHIP, \"QUOTED\"", ShipType: 89, Dimensions: size, EPFD: 1,
			ETA: ais.ETA{Month: 12, Day: 31, Hour: 24, Minute: 60}, Draught: 255, Destination: "DK AAR"},
		&ais.StaticReport{Header: head(24), Name: "LITTLE TEAPOT"},
		&ais.AidToNavigation{Header: head(21), AidType: 28, Name: "ISOLATED DANGER FORGOTTEN WRECK", Place: place, Virtual: true},
		&ais.BroadcastSafety{Header: head(14), Text: "MOB ACTIVE"},
		&ais.BroadcastBinary{Header: head(8), Application: ais.Application{DAC: 366, FI: 56, Bits: 11, Data: []byte{0xAB, 0xE0}}},
	}
	e, d, b := ais.NewEncoder("AIVDM"), ais.NewDecoder(ais.DecoderConfig{Feed: "test"}), ais.NewPool(1).Get()
	for _, m := range messages {
		sentences, err := e.Sentences(nil, m, 'A')
		if err != nil {
			t.Fatal(err)
		}
		chars, fill := payloadOf(t, sentences)
		alone, err := ais.Decode(chars, fill)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, alone, cmpopts.EquateEmpty(), cmp.Exporter(exportAll)); diff != "" {
			t.Error(diff)
		}
		for line := range bytes.Lines(sentences) {
			d.Line(b, bytes.TrimRight(line, "\r\n"), begin)
		}
	}
	if len(b.Reports) != len(messages) {
		t.Fatalf("%d reports of %d messages: %+v", len(b.Reports), len(messages), d.Counters())
	}
	for i, r := range b.Reports {
		if diff := cmp.Diff(messages[i], r.Message, cmpopts.EquateEmpty(), cmp.Exporter(exportAll)); diff != "" {
			t.Error(diff)
		}
	}
}

// TestAddressedSlotBinary wants the two spare bits that follow the destination of types 25 and 26 (ITU-R M.1371-5, tables 80 and
// 83), when it is read and when it is written.
func TestAddressedSlotBinary(t *testing.T) {
	m, err := ais.Decode([]byte("I3@on3Ll=c<40501D0"), 4)
	if err != nil {
		t.Fatal(err)
	}
	got := m.(*ais.SingleSlotBinary)
	if got.DAC != 1 || got.FI != 16 || got.Destination != 219000001 {
		t.Errorf("DAC %d, FI %d to %d; want 1, 16 to 219000001", got.DAC, got.FI, got.Destination)
	}
	application := ais.Application{DAC: 1, FI: 16, Bits: 11, Data: []byte{0xAB, 0xE0}}
	for _, m := range []ais.Message{
		&ais.SingleSlotBinary{Header: ais.Header{Type: 25, MMSI: 1}, Addressed: true, Structured: true, Destination: 2, Application: application},
		&ais.MultiSlotBinary{Header: ais.Header{Type: 26, MMSI: 1}, Addressed: true, Structured: true, Destination: 2, Application: application, Radio: 7},
	} {
		sentences, err := ais.NewEncoder("AIVDM").Sentences(nil, m, 'A')
		if err != nil {
			t.Fatal(err)
		}
		chars, fill := payloadOf(t, sentences)
		const upToData = 6 + 2 + 30 + 1 + 1 + 30 + 2 + 10 + 6
		want := upToData + 11
		if m.Head().Type == 26 {
			want += 20
		}
		if bits := len(chars)*6 - fill; bits != want {
			t.Errorf("type %d has %d bits, want %d", m.Head().Type, bits, want)
		}
		again, err := ais.Decode(chars, fill)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again, cmpopts.EquateEmpty(), cmp.Exporter(exportAll)); diff != "" {
			t.Error(diff)
		}
	}
}

func exportAll(reflect.Type) bool { return true }

var begin = time.Date(2026, 6, 1, 6, 0, 0, 0, time.UTC)
