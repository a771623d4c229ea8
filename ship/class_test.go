package ship

import (
	"testing"

	"quaywatch/ais"
)

// TestWhatIsSentDecidesTheClass: the class of a station after the messages that it sent, in order. The numbers are of a ship, a coast station, a
// group of ships, a search and rescue aircraft, an aid to navigation, and devices of those in distress.
func TestWhatIsSentDecidesTheClass(t *testing.T) {
	const boat, coast, group, aircraft, aid, sart, mob, epirb = 219000001, 2190001, 21900001, 111219001, 992190001, 970219001, 972219001, 974219001
	for _, tt := range []struct {
		number ais.MMSI
		sent   []uint8
		want   Class
		odd    bool
	}{
		{boat, []uint8{1}, ClassA, false}, {boat, []uint8{5}, ClassA, false}, {boat, []uint8{27}, ClassA, false},
		{boat, []uint8{18}, ClassB, false}, {boat, []uint8{24}, ClassB, false}, {boat, []uint8{24, 3}, ClassA, false},
		{boat, []uint8{8}, ClassUnknown, false}, {boat, []uint8{1, 24, 27, 14}, ClassA, false},
		{coast, []uint8{4}, ClassBase, false}, {coast, []uint8{20}, ClassBase, false}, {coast, []uint8{8}, ClassCoast, false},
		{group, []uint8{14}, ClassGroup, false}, {aircraft, []uint8{9}, ClassSAR, false}, {aircraft, []uint8{5}, ClassSAR, false},
		{aircraft, []uint8{24}, ClassSAR, false}, {aircraft, []uint8{9, 5}, ClassSAR, false},
		{aid, []uint8{21}, ClassAtoN, false}, {aid, []uint8{8}, ClassAtoN, false}, {aid, []uint8{24}, ClassAtoN, false},

		// Boats with other numbers are boats.
		{coast, []uint8{1}, ClassA, true}, {group, []uint8{2}, ClassA, true}, {aid, []uint8{3}, ClassA, true}, {aircraft, []uint8{1}, ClassA, true},
		{coast, []uint8{18}, ClassB, true}, {group, []uint8{19}, ClassB, true}, {aid, []uint8{18, 24}, ClassB, true}, {aid, []uint8{24, 18}, ClassB, true},
		{group, []uint8{24, 1, 5, 14, 8}, ClassA, true}, {aid, []uint8{5, 1}, ClassA, true},
		// A ship that sends a base station's message too stays a ship, and becomes it when its positions are heard.
		{boat, []uint8{1, 4}, ClassA, false}, {boat, []uint8{4, 1}, ClassA, false}, {boat, []uint8{4, 1, 4, 1, 4}, ClassA, false}, {coast, []uint8{18, 4, 20}, ClassB, true},
		{boat, []uint8{4}, ClassBase, true}, {boat, []uint8{20}, ClassUnknown, false},
		// Aircraft and aids with the numbers of ships.
		{233200001, []uint8{9}, ClassSAR, true}, {233200001, []uint8{9, 5, 24}, ClassSAR, true}, {233200001, []uint8{5, 9}, ClassSAR, true},
		{663000001, []uint8{21}, ClassAtoN, true}, {663000001, []uint8{21, 24, 8}, ClassAtoN, true}, {coast, []uint8{21}, ClassAtoN, true},
		// Whatever a device of those in distress sends.
		{sart, []uint8{1}, ClassSART, false}, {mob, []uint8{18}, ClassMOB, false}, {epirb, []uint8{4, 14, 21}, ClassEPIRB, false},
	} {
		s := State{MMSI: tt.number}
		for _, sent := range tt.sent {
			s.Class = ClassAfter(s.Class, s.MMSI, sent)
		}
		if s.Class != tt.want || s.OddNumber() != tt.odd {
			t.Errorf("%d after %v: class %s, odd %v; want %s, %v", tt.number, tt.sent, s.Class, s.OddNumber(), tt.want, tt.odd)
		}
	}
}

// TestAnAidHasAFlagBehind99Alone: the first digits of another number say nothing of an aid.
func TestAnAidHasAFlagBehind99Alone(t *testing.T) {
	for number, want := range map[ais.MMSI]string{992190001: "DK", 663000001: "", 219000001: ""} {
		if _, code := (&State{MMSI: number, Class: ClassAtoN}).Country(); code != want {
			t.Errorf("the aid %d is of %q, want %q", number, code, want)
		}
	}
	if _, code := (&State{MMSI: 219000001, Class: ClassA}).Country(); code != "DK" {
		t.Errorf("the ship is of %q", code)
	}
}
