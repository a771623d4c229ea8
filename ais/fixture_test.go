package ais

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files of testdata anew")

// inventedMessages are messages of all 27 types with field values of our own invention.
func inventedMessages() []Message {
	head := func(kind uint8, mmsi MMSI) Header { return Header{Type: kind, Repeat: kind % 4, MMSI: mmsi} }
	harbour := Place{Lon: 6131520, Lat: 33694080}
	dateLine := Place{Lon: -107999999, Lat: -9712345}
	data := []byte{0xca, 0xfe, 0xba, 0xbe, 0x80}
	return []Message{
		&PositionReport{Header: head(1, 219000111), Status: StatusUnderWayEngine, ROT: RawROT(-12), SOG: SOGTenths(143), Accuracy: true, Place: harbour, COG: COGTenths(2213), Heading: HeadingDegrees(220), Second: 41, Maneuver: 1, RAIM: true, Radio: 81932},
		&PositionReport{Header: head(2, 538000222), Status: StatusUndefined, Place: Place{Lon: 108600000, Lat: 54600000}, Second: 60},
		&PositionReport{Header: head(3, 512000333), Status: StatusMoored, ROT: RawROT(127), SOG: SOGTenths(0), Place: dateLine, COG: COGTenths(3599), Heading: HeadingDegrees(0), Second: 0, Spare: 5, Radio: 524287},
		&BaseStationReport{Header: head(4, 2190001), Year: 2026, Month: 11, Day: 20, Hour: 12, Minute: 0, Second: 5, Accuracy: true, Place: harbour, EPFD: 7, LongRange: true, Spare: 3, Radio: 49200},
		&StaticVoyage{Header: head(5, 219000111), Version: 2, IMO: 9074729, CallSign: "OXAB2", Name: "GRAY HERON", ShipType: 71, Dimensions: Dimensions{Bow: 110, Stern: 25, Port: 9, Starboard: 11}, EPFD: 1, ETA: ETA{11, 21, 18, 30}, Draught: 74, Destination: "DK AAR", DTE: true},
		&StaticVoyage{Header: head(5, 538000222), ETA: ETA{0, 0, 24, 60}},
		&AddressedBinary{Header: head(6, 2190001), Sequence: 2, Destination: 219000111, Retransmit: true, Application: Application{DAC: 669, FI: 11, Bits: 37, Data: data}},
		&Acknowledge{Header: head(7, 219000111), Receipts: []Receipt{{MMSI: 2190001, Sequence: 2}, {MMSI: 2190002, Sequence: 1}}},
		&BroadcastBinary{Header: head(8, 2190002), Application: Application{DAC: 366, FI: 56, Bits: 40, Data: data}},
		&SARAircraftReport{Header: head(9, 111219501), Altitude: 303, SOG: SOGTenths(1020), Place: harbour, COG: COGTenths(1545), Second: 15, Regional: 65, DTE: true, Assigned: true, Radio: 917510, Barometer: true},
		&SARAircraftReport{Header: head(9, 111219502), Altitude: 4095, Place: Place{Lon: 108600000, Lat: 54600000}, Second: 62},
		&UTCInquiry{Header: head(10, 219000111), Destination: 2190001},
		&BaseStationReport{Header: head(11, 219000111), Hour: 24, Minute: 60, Second: 60, Place: Place{Lon: 108600000, Lat: 54600000}},
		&AddressedSafety{Header: head(12, 2190001), Sequence: 3, Destination: 219000111, Text: "KEEP CLEAR OF \"RED 4\" \\ BUOY"},
		&Acknowledge{Header: head(13, 219000111), Receipts: []Receipt{{MMSI: 2190001, Sequence: 3}}},
		&BroadcastSafety{Header: head(14, 972000123), Text: "MOB TEST"},
		&Interrogation{Header: head(15, 2190001), Destination1: 219000111, Type1_1: 5},
		&Interrogation{Header: head(15, 2190001), Destination1: 219000111, Type1_1: 3, Offset1_1: 516, Type1_2: 5, Offset1_2: 617, Destination2: 219000112, Type2_1: 24, Offset2_1: 4, HasSecond: true, HasStation2: true},
		&AssignedMode{Header: head(16, 2190001), Destination1: 219000111, Offset1: 200, Increment1: 6, Destination2: 219000112, Offset2: 2049, Increment2: 681, HasSecond: true},
		&DGNSSBroadcast{Header: head(17, 2190003), Place: Place{Lon: 6132000, Lat: 33695000}, Bits: 40, Data: data},
		&ClassBReport{Header: head(18, 219000444), SOG: SOGTenths(51), Place: harbour, COG: COGTenths(349), Second: 17, CS: true, DSC: true, Band: true, Message22: true, RAIM: true, Radio: 917510},
		&ExtendedClassBReport{Header: head(19, 219000555), Reserved: 248, SOG: SOGTenths(87), Place: dateLine, COG: COGTenths(3359), Second: 46, Regional: 4, Name: "SEA FOX", ShipType: 36, Dimensions: Dimensions{5, 7, 2, 2}, EPFD: 1, Assigned: true},
		&DataLinkManagement{Header: head(20, 2190001), Reservations: []Reservation{{47, 1, 7, 250}, {2250, 1, 7, 1125}}},
		&AidToNavigation{Header: head(21, 992190001), AidType: 20, Name: "SPIT OF THE LONG SAND NORTH EAST", Accuracy: true, Place: harbour, Dimensions: Dimensions{1, 1, 1, 1}, EPFD: 1, Second: 50, Regional: 165, OffPosition: true, Virtual: true},
		&ChannelManagement{Header: head(22, 2190001), ChannelA: 2087, ChannelB: 2088, NorthEast: Place{Lon: 6600000, Lat: 33900000}, SouthWest: Place{Lon: 6000000, Lat: 33300000}, ZoneSize: 4},
		&ChannelManagement{Header: head(22, 2190001), ChannelA: 2087, ChannelB: 2088, TxRx: 1, LowPower: true, Destination1: 219000111, Destination2: 219000112, Addressed: true, BandB: true},
		&GroupAssignment{Header: head(23, 2190001), NorthEast: Place{Lon: 6600000, Lat: 33900000}, SouthWest: Place{Lon: 6000000, Lat: 33300000}, StationType: 6, ShipType: 80, TxRx: 1, Interval: 9, Quiet: 3},
		&StaticReport{Header: head(24, 219000444), Name: "LITTLE EGRET"},
		&StaticReport{Header: head(24, 219000444), Part: 1, ShipType: 37, VendorID: "QWT", Model: 3, Serial: 654321, CallSign: "XPC1234", Dimensions: Dimensions{6, 8, 2, 2}, EPFD: 1},
		&StaticReport{Header: head(24, 982190011), Part: 1, ShipType: 52, VendorID: "QWT", CallSign: "XPC1", MotherShip: 219000111},
		&SingleSlotBinary{Header: head(25, 219000444), Addressed: true, Structured: true, Destination: 219000111, Application: Application{DAC: 1, FI: 60, Bits: 40, Data: data}},
		&SingleSlotBinary{Header: head(25, 219000444), Application: Application{Bits: 40, Data: data}},
		&MultiSlotBinary{Header: head(26, 219000444), Structured: true, Application: Application{DAC: 1, FI: 60, Bits: 40, Data: data}, Radio: 27732},
		&LongRangeReport{Header: head(27, 219000111), Accuracy: true, RAIM: true, Status: StatusAtAnchor, Place: Place{Lon: -6132000, Lat: 33695000}, SOG: SOGTenths(570), COG: COGTenths(1670), GNSS: true},
		&LongRangeReport{Header: head(27, 219000112), Status: StatusUndefined, Place: Place{Lon: 108600000, Lat: 54600000}},
	}
}

// sentencesOf encodes messages on channels A and B in turn.
func sentencesOf(t testing.TB, messages []Message) []byte {
	t.Helper()
	encoder := NewEncoder("AIVDM")
	var out []byte
	for i, m := range messages {
		var err error
		if out, err = encoder.Sentences(out, m, "AB"[i%2]); err != nil {
			t.Fatalf("message %d: %v", i, err)
		}
	}
	return out
}

// TestInvented encodes each invented message and decodes it again. It wants the same message, and its JSON as in testdata.
func TestInvented(t *testing.T) {
	messages := inventedMessages()
	spoken := sentencesOf(t, messages)
	golden(t, "invented.nmea", spoken)
	d, b := decodeAll(spoken, DecoderConfig{Feed: "roof"})
	if c := d.Counters(); c.TotalBad() != 0 {
		t.Errorf("refused: %v", c.Bad)
	}
	if len(b.Reports) != len(messages) {
		t.Fatalf("%d reports of %d messages", len(b.Reports), len(messages))
	}
	var scaled, raw []byte
	for i := range b.Reports {
		heard := b.Reports[i].Message
		if diff := cmp.Diff(messages[i], heard); diff != "" {
			t.Errorf("message %d (type %d), spoken and heard:\n%s", i, heard.Head().Type, diff)
		}
		scaled = append(new(JSONPrinter).Append(scaled, &b.Reports[i], false), '\n')
		raw = append(new(JSONPrinter).Append(raw, &b.Reports[i], true), '\n')
	}
	golden(t, "invented.json", scaled)
	golden(t, "invented_raw.json", raw)
	for line := range SplitLines(append(scaled, raw...)) {
		parseObject(t, line)
	}
}

// golden compares with a file of testdata, or writes it under -update.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(want, got) {
		t.Errorf("%s: %s", name, cmp.Diff(string(want), string(got)))
	}
}
