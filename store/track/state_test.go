package track

import (
	"testing"

	"quaywatch/ship"
)

// FuzzState: the decoders of the buckets ships and static take any bytes, and give back what was encoded.
func FuzzState(f *testing.F) {
	s := ship.State{MMSI: 219000001, Class: ship.ClassA, HasFix: true, Fix: sail(at0, 1, 0)[0], First: at0, Heard: at0, Reports: 10, Feed: "roof"}
	s.Static, s.Voyage = &ship.Static{Name: "ANNA"}, &ship.VoyageData{Destination: "DKAAR"}
	b := EncodeState(nil, &s)
	f.Add(b)
	f.Add([]byte{staticVersion, flagStatic | flagVoyage, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		if s, err := DecodeState(1, body); err == nil {
			again, err := DecodeState(1, EncodeState(nil, &s))
			if err != nil || again.Fix != s.Fix || !SameKnown(again.Static, s.Static, again.Voyage, s.Voyage) {
				t.Fatalf("%+v became %+v: %v", s, again, err)
			}
		}
		if st, v, err := DecodeStatic(body); err == nil {
			st2, v2, err := DecodeStatic(EncodeStatic(st, v))
			if err != nil || !SameKnown(st, st2, v, v2) {
				t.Fatalf("%+v %+v became %+v %+v: %v", st, v, st2, v2, err)
			}
		}
	})
}
