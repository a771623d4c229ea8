package ais

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestFastReaders compares the readers of messages 1 to 5, 11, 18 and 24 with the layouts of these messages, for random bits.
func TestFastReaders(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 30000 {
		var p payload
		kind := []uint8{1, 2, 3, 4, 5, 11, 18, 24, 27}[random.IntN(9)]
		p.putBits(0, 6, uint64(kind))
		for at := uint(6); at < 430; at += 6 {
			p.putBits(at, 6, []uint64{random.Uint64(), 0, 0x3f}[random.IntN(3)]&0x3f)
		}
		if kind == 24 && random.IntN(2) == 0 { // a craft of a mother ship
			p.words[0] = p.words[0]>>56<<56 | 982190011<<26 | p.words[0]&(1<<26-1)
		}
		p.bits = []int{leastBits[kind], max(168, leastBits[kind]), 424}[random.IntN(3)]
		p.trimBits()
		fast, err := p.decodeMessage(&Batch{})
		b := &Batch{}
		slow := b.emptyMessage(kind)
		*slow.Head() = Header{Type: kind, Repeat: uint8(p.fieldAt(6, 2)), MMSI: MMSI(p.fieldAt(8, 30))}
		slowErr := b.codec.read(&p, slow)
		if err != slowErr || err == nil && !reflect.DeepEqual(fast, slow) {
			t.Fatalf("%+v, error %v by hand; %+v, error %v by layout", fast, err, slow, slowErr)
		}
	}
}
