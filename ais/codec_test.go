package ais

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// TestFastReaders compares the readers of messages 1 to 4, 11 and 18 with the layouts of these messages, for random bits.
func TestFastReaders(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 20000 {
		var p payload
		kind := []uint8{1, 2, 3, 4, 11, 18}[random.IntN(6)]
		p.put(0, 6, uint64(kind))
		for at := uint(6); at < 168; at += 6 {
			p.put(at, 6, []uint64{random.Uint64(), 0, 0x3f}[random.IntN(3)]&0x3f)
		}
		p.bits = []int{168, 168, 168, 163, 174}[random.IntN(5)]
		if p.trim(); kind > 3 {
			p.bits = 168
		}
		fast, err := p.message(&Batch{})
		if err != nil {
			t.Fatal(err)
		}
		b := &Batch{}
		slow := b.empty(kind)
		*slow.Head() = *fast.Head()
		if err := b.codec.read(&p, slow); err != nil || !reflect.DeepEqual(fast, slow) {
			t.Fatalf("%+v by hand, %+v by layout, error %v", fast, slow, err)
		}
	}
}
