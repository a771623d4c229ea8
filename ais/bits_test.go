package ais

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestSixBits compares eight characters at once with one after the other: all 256 at each place, beside any others.
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

// TestChecksum compares the checksum by words with the one by bytes, at each length.
func TestChecksum(t *testing.T) {
	data := make([]byte, 100)
	for i := range data {
		data[i] = byte(i*i + 7*i + 3)
	}
	sum := byte(0)
	for n := range data {
		if got := Checksum(data[:n]); got != sum {
			t.Errorf("%d bytes: %02x, want %02x", n, got, sum)
		}
		sum ^= data[n]
	}
}

// TestCodecBits reads fields of each width from each bit on and compares them with the bits one by one. Bits behind the end
// are zeros. A field that is written reads back, and so do its neighbours.
func TestCodecBits(t *testing.T) {
	var p payload
	for i := range 168 {
		p.addBit(i*i*13%31 < 14)
	}
	for end := 161; end <= 168; end++ {
		p.bits = end
		p.trimBits()
		for from := range end + 1 {
			for n := range 65 {
				c := codec{bits: &p, at: from, end: end}
				got, want := c.readBits(n), uint64(0)
				for i := from; i < from+n; i++ {
					want = want<<1 | p.words[i/64]>>(63-i%64)&1
				}
				if got != want || c.short != (from+n > end) || c.at != from+n {
					t.Fatalf("%d bits from %d of %d: %x, short %v, want %x", n, from, end, got, c.short, want)
				}
				twice := payload{}
				c = codec{direction: encoding, bits: &twice}
				c.writeBits(^uint64(0), from%64)
				c.writeBits(want, n)
				c.writeBits(^uint64(0), 9)
				c = codec{bits: &twice, end: twice.bits}
				if a, b, d := c.readBits(from%64), c.readBits(n), c.readBits(9); a != 1<<(from%64)-1 || b != want || d != 1<<9-1 || c.short {
					t.Fatalf("%d bits from %d: %x, %x, %x, want %x", n, from, a, b, d, want)
				}
			}
		}
	}
}

// TestText reads texts of every length with every character, the '@' that ends them and blanks.
func TestText(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 20000 {
		var p payload
		from, chars := random.IntN(70), random.IntN(40)
		for range from {
			p.addBit(random.IntN(2) == 1)
		}
		want, ended := "", false
		for range chars {
			v := byte(random.IntN(64))
			if random.IntN(4) == 0 {
				v = "\x20\x20\x00"[random.IntN(3)]
			}
			for i := range 6 {
				p.addBit(v>>(5-i)&1 == 1)
			}
			if ended = ended || v == 0; !ended {
				want += string(rune(textByte(v)))
			}
		}
		p.addBit(true) // what is behind the text does not belong to it
		if got := p.textAt(from, chars); got != strings.TrimRight(want, " ") {
			t.Fatalf("%d characters from bit %d: %q, want %q", chars, from, got, want)
		}
	}
}

// TestHash wants another hash for each bit that is changed, and for each length.
func TestHash(t *testing.T) {
	met := map[uint64]string{}
	meet := func(p *payload, what string) {
		if was, ok := met[p.hash()]; ok {
			t.Fatalf("%s has the hash of %s", what, was)
		}
		met[p.hash()] = what
	}
	for bits := range 300 {
		p := &payload{bits: bits}
		meet(p, fmt.Sprint(bits, " zeros"))
		for i := range bits {
			p.words[i/64] ^= 1 << (63 - i%64)
			meet(p, fmt.Sprintf("%d bits with bit %d", bits, i))
			p.words[i/64] ^= 1 << (63 - i%64)
		}
	}
}
