package ais

import (
	"math/rand/v2"
	"testing"
)

// TestSixBits holds the eight characters at once against one after the other: all 256 at every place, beside any others.
func TestSixBits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for place := range 8 {
		for c := range 256 {
			for range 50 {
				var eight, want uint64
				good := true
				for i := range 8 {
					v := byte(random.IntN(256))
					if random.IntN(8) > 0 {
						v = "0159:AVW`aw"[random.IntN(11)]
					}
					if i == place {
						v = byte(c)
					}
					good = good && (v >= '0' && v <= 'W' || v >= '`' && v <= 'w')
					eight = eight<<8 | uint64(v)
					if v -= '0'; v > 40 {
						v -= 8
					}
					want = want<<6 | uint64(v)
				}
				got, bad := sixBits(eight)
				if bad&highBits == 0 != good || good && got != want {
					t.Fatalf("%016x: %012x, refused %v, want %012x, refused %v", eight, got, bad&highBits != 0, want, !good)
				}
			}
		}
	}
}

// TestChecksum holds the checksum by words against the one by bytes, at every length.
func TestChecksum(t *testing.T) {
	data := make([]byte, 100)
	for i := range data {
		data[i] = byte(i*i + 7*i + 3)
	}
	sum := byte(0)
	for n := range data {
		if got := checksum(data[:n]); got != sum {
			t.Errorf("%d bytes: %02x, want %02x", n, got, sum)
		}
		sum ^= data[n]
	}
}
