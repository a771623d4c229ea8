package ais

import (
	"encoding/binary"
	"math/bits"
)

// maxPayloadBytes bounds a message: five slots hold 1,280 bits on the air (ITU-R M.1371-5, annex 2, 3.2), nine sentences
// of the usual 62 characters 3,348; what is longer is no AIS.
const maxPayloadBytes = 1024

// payload holds the bits of one message, the first at the top of byte 0. Eight bytes of slack let every field be read
// as one 64-bit load; what lies behind the last bit is zero as far as a field that begins before it can reach.
type payload struct {
	data [maxPayloadBytes + 8]byte
	bits int
}

// field gives width bits (1..56) from bit from on, as an unsigned number. With constant arguments it is a load and two
// shifts.
func (p *payload) field(from, width uint) uint64 {
	return binary.BigEndian.Uint64(p.data[from>>3:]) << (from & 7) >> (64 - width)
}

// signed gives width bits from bit from on as a two's complement number.
func (p *payload) signed(from, width uint) int64 {
	return int64(binary.BigEndian.Uint64(p.data[from>>3:])<<(from&7)) >> (64 - width)
}

func (p *payload) flag(from uint) bool { return p.data[from>>3]>>(7-from&7)&1 != 0 }

func (p *payload) reset() {
	p.bits = 0
	clear(p.data[:8])
}

// add appends the bits of armoured characters (6 each, ITU-R M.1371-5 and IEC 61162-1), less the fill bits at the end.
func (p *payload) add(chars []byte, fill int) error {
	if len(chars)*6-fill < 0 || p.bits+len(chars)*6 > maxPayloadBytes*8 {
		return ErrorPayload
	}
	var err error
	if p.bits%8 == 0 {
		err = p.addAligned(chars)
	} else {
		err = p.addUnaligned(chars)
	}
	p.bits -= fill
	p.trim()
	return err
}

// addAligned takes eight characters at a time: 48 bits, six whole bytes.
func (p *payload) addAligned(chars []byte) error {
	out := p.bits / 8
	p.bits += len(chars) * 6
	bad := uint64(0)
	for len(chars) >= 8 {
		six, wrong := dearmour(binary.BigEndian.Uint64(chars))
		bad |= wrong
		binary.BigEndian.PutUint64(p.data[out:], six<<16)
		out += 6
		chars = chars[8:]
	}
	if len(chars) > 0 {
		six, wrong := dearmour(lastChars(chars))
		bad |= wrong
		binary.BigEndian.PutUint64(p.data[out:], six<<16)
	}
	if bad != 0 {
		return ErrorPayload
	}
	return nil
}

// lastChars gives up to seven characters as eight, filled up with '0'.
func lastChars(chars []byte) uint64 {
	word, n := uint64(0), len(chars)
	if n >= 4 {
		word = uint64(binary.BigEndian.Uint32(chars)) << 32
		chars = chars[4:]
	}
	shift := 64 - 8*(n-len(chars))
	for _, c := range chars {
		shift -= 8
		word |= uint64(c) << shift
	}
	return word | zeroChars>>(8*n)
}

const (
	zeroChars = 0x3030303030303030 // "00000000", eight times the value 0
	highBits  = 0x8080808080808080
	lowBits   = 0x7f7f7f7f7f7f7f7f
	eachByte  = 0x0101010101010101
)

// dearmour turns eight armoured characters, the first in the top byte, into 48 bits, all at once within one register.
// bad is not zero when one of them is outside '0'..'W' and '`'..'w'.
func dearmour(chars uint64) (six, bad uint64) {
	reached := (chars | highBits) - zeroChars // the top bit of a byte stays set unless it would borrow: below '0'
	bad = chars&highBits | ^reached&highBits
	v := reached & lowBits
	above39 := (v + (0x80-40)*eachByte) & highBits
	above47 := (v + (0x80-48)*eachByte) & highBits
	above71 := (v + (0x80-72)*eachByte) & highBits
	bad |= above39&^above47 | above71
	v -= above47 >> 4 // '`' and above continue after 'W' without a gap: 8 less
	v = v>>2&0x0fc00fc00fc00fc0 | v&0x003f003f003f003f
	v = v>>4&0x00fff00000fff000 | v&0x00000fff00000fff
	return v>>8&0xffffff000000 | v&0xffffff, bad
}

// addUnaligned does the same for what follows a sentence that did not end on a byte.
func (p *payload) addUnaligned(chars []byte) error {
	for len(chars) > 0 {
		n := min(8, len(chars))
		word := lastChars(chars[:n&7])
		if n == 8 {
			word = binary.BigEndian.Uint64(chars)
		}
		six, bad := dearmour(word)
		if bad != 0 {
			return ErrorPayload
		}
		p.addBits(six>>(48-6*n), 6*n)
		chars = chars[n:]
	}
	return nil
}

// addBits appends the low width bits (at most 48) of v, over whatever an earlier message left there.
func (p *payload) addBits(v uint64, width int) {
	at := p.data[p.bits/8:]
	word := binary.BigEndian.Uint64(at)&^(^uint64(0)>>(p.bits%8)) | v<<(64-width)>>(p.bits%8)
	binary.BigEndian.PutUint64(at, word)
	p.bits += width
}

// trim clears what is behind the last bit, so that a field that is cut short reads zeros there.
func (p *payload) trim() {
	at := p.data[p.bits/8 : p.bits/8+8]
	word := binary.BigEndian.Uint64(at)
	binary.BigEndian.PutUint64(at, word&^(^uint64(0)>>(p.bits%8)))
}

// copyBits appends to dst the bits from..p.bits, left-aligned, the last byte filled with zeros.
func (p *payload) copyBits(dst []byte, from, to int) []byte {
	for ; from+8 <= to; from += 8 {
		dst = append(dst, byte(p.field(uint(from), 8)))
	}
	if rest := to - from; rest > 0 {
		dst = append(dst, byte(p.field(uint(from), uint(rest)))<<(8-rest))
	}
	return dst
}

// hash mixes all bits and their count to 64 bits, the same on every machine and in every run. It tells messages apart,
// it does not protect: whoever wants to can make two messages of one hash.
func (p *payload) hash() uint64 {
	h := uint64(p.bits)
	end := (p.bits + 7) / 8
	for i := 0; i < end; i += 8 { // behind the end there are zeros
		h = fold(h^binary.BigEndian.Uint64(p.data[i:]), 0x9e3779b97f4a7c15)
	}
	return fold(h, 0xbf58476d1ce4e5b9)
}

// fold multiplies to 128 bits and lays the halves over each other.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a^0x94d049bb133111eb, b)
	return high ^ low
}
