package ais

import (
	"encoding/binary"
	"math/bits"
)

// maxPayloadBytes bounds a message; longer ones are not AIS. Five slots hold 1,280 bits on the air (ITU-R M.1371-5, annex 2,
// 3.2), and nine sentences of the usual 62 characters hold 3,348.
const maxPayloadBytes = 1024

// payload holds the bits of one message, the first at the top of word 0. It has words and not bytes, so the processor reads
// a field that was just written in one piece. The bits behind the last one are zero in its word and in the next word.
type payload struct {
	words [maxPayloadBytes/8 + 2]uint64
	bits  int
}

// fieldAt returns width bits (1..64) from bit from on, as an unsigned number. With constant arguments it takes one or two loads
// and shifts.
func (p *payload) fieldAt(from, width uint) uint64 {
	at, shift := from/64, from%64
	if shift+width <= 64 {
		return p.words[at] << shift >> (64 - width)
	}
	return (p.words[at]<<shift | p.words[at+1]>>(64-shift)) >> (64 - width)
}

// variable is field for a width and a place that are not constant. It has no branch.
func (p *payload) variable(from, width uint) uint64 {
	at, shift := from/64, from%64
	pair := p.words[at:][:2:2]
	return (pair[0]<<shift | pair[1]>>1>>(63-shift)) >> (64 - width)
}

func (p *payload) flag(from uint) bool { return p.words[from/64]>>(63-from%64)&1 != 0 }

// putBits writes the low width bits of v from bit from on, where zeros must be.
func (p *payload) putBits(from, width uint, v uint64) {
	at, shift := from/64, from%64
	v <<= 64 - width
	p.words[at] |= v >> shift
	p.words[at+1] |= v << (64 - shift)
}

// clearWords empties the payload and clears what was in it, for writing.
func (p *payload) clearWords() {
	clear(p.words[:min(p.bits/64+2, len(p.words))])
	p.bits = 0
}

func (p *payload) reset() {
	p.bits = 0
	p.words[0] = 0
}

// add appends the bits of armoured characters (6 each, ITU-R M.1371-5 and IEC 61162-1), without the fill bits at the end. It
// takes eight characters at a time.
func (p *payload) add(chars []byte, fill int) error {
	if len(chars) == oneSlot && fill == 0 && p.bits == 0 {
		return p.addSlot((*[oneSlot]byte)(chars))
	}
	total := p.bits + len(chars)*6
	if len(chars)*6 < fill || total > maxPayloadBytes*8 {
		return ErrorPayload
	}
	at, used := p.bits/64, uint(p.bits%64)
	word, bad := p.words[at], uint64(0)
	for len(chars) > 0 {
		eight, n := uint64(0), min(8, len(chars))
		if n == 8 {
			eight = binary.BigEndian.Uint64(chars)
		} else {
			eight = lastChars(chars)
		}
		six, wrong := sixBits(eight)
		bad |= wrong
		six <<= 16
		word |= six >> (used & 63)
		used += 48
		if used >= 64 {
			p.words[at] = word
			at++
			used -= 64
			word = six << ((48 - used) & 63)
		}
		chars = chars[n:]
	}
	p.words[at], p.words[at+1] = word, 0
	p.bits = total - fill
	p.trimBits()
	if bad&highBits != 0 {
		return ErrorPayload
	}
	return nil
}

// addSlot is add for a whole message of one slot, as most are: 28 characters, no fill, and an empty payload.
func (p *payload) addSlot(chars *[oneSlot]byte) error {
	a, b := binary.BigEndian.Uint64(chars[:]), binary.BigEndian.Uint64(chars[8:])
	c, d := binary.BigEndian.Uint64(chars[16:]), uint64(binary.BigEndian.Uint32(chars[24:]))<<32|zeroChars>>32
	first, bad1 := sixBits(a)
	second, bad2 := sixBits(b)
	third, bad3 := sixBits(c)
	fourth, bad4 := sixBits(d)
	bad := bad1 | bad2 | bad3 | bad4
	p.words[0] = first<<16 | second>>32
	p.words[1] = second<<32 | third>>16
	p.words[2] = third<<48 | fourth
	p.words[3] = 0
	p.bits = 6 * oneSlot
	if bad&highBits != 0 {
		return ErrorPayload
	}
	return nil
}

// lastChars returns one to seven characters as eight, filled up with '0'.
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

// trimBits clears the bits behind the last one, so that a field beyond it reads as zeros.
func (p *payload) trimBits() {
	at := p.bits / 64
	p.words[at] &^= ^uint64(0) >> (p.bits % 64)
	p.words[at+1] = 0
}

const (
	eachByte  = 0x0101010101010101
	zeroChars = 0x30 * eachByte // "00000000", eight times the value 0
	highBits  = 0x80 * eachByte
)

// sixBits turns eight armoured characters, the first in the top byte, into 48 bits, all at once within one register.
// Characters '0'..'W' are 0..39 and '`'..'w' are 40..63. For any other character bad has the top bit of its byte set; the
// other bits of bad have no meaning. Only such a character changes its neighbours.
func sixBits(chars uint64) (bits, bad uint64) {
	high := chars + 0x28*eachByte // top bit: from 0x58 on
	v := chars - zeroChars - high>>4&(0x08*eachByte)
	bad = v | v<<1 | high&^(v+0x58*eachByte) // above 0x3f; below '`' though from 0x58 on
	v = v>>2&0x0fc00fc00fc00fc0 | v&0x003f003f003f003f
	v = v>>4&0x00fff00000fff000 | v&0x00000fff00000fff
	return v>>8&0xffffff000000 | v&0xffffff, bad
}

// copyBits appends the bits from..to to dst, left-aligned, the last byte filled with zeros.
func (p *payload) copyBits(dst []byte, from, to int) []byte {
	for ; from+64 <= to; from += 64 {
		dst = binary.BigEndian.AppendUint64(dst, p.fieldAt(uint(from), 64))
	}
	for ; from+8 <= to; from += 8 {
		dst = append(dst, byte(p.fieldAt(uint(from), 8)))
	}
	if rest := to - from; rest > 0 {
		dst = append(dst, byte(p.fieldAt(uint(from), uint(rest)))<<(8-rest))
	}
	return dst
}

// hash mixes all bits and their count to 64 bits, the same on each machine and in each run. It tells messages apart. It is no
// protection: an attacker can make two messages with one hash.
func (p *payload) hash() uint64 {
	h := uint64(p.bits+1) * 0x9e3779b97f4a7c15 // spread, so that it does not stand for low bits of the second word
	for at := 0; at*64 < p.bits; at += 2 {     // behind the last word is a zero
		h = fold(p.words[at]^0x94d049bb133111eb, p.words[at+1]^h)
	}
	return h
}

// fold multiplies to 128 bits and combines the two halves with exclusive or.
func fold(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}
