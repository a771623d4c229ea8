// Package aistest is a second opinion on sentences, for tests and benchmarks of other packages.
package aistest

import goais "github.com/BertoldVdb/go-ais"

// SecondOpinion decodes sentences with go-ais, framed by the plainest reader that is right.
type SecondOpinion struct {
	codec *goais.Codec
	parts map[[2]byte][]byte
	bits  []byte
}

// NewSecondOpinion makes a reader without a half message.
func NewSecondOpinion() *SecondOpinion {
	return &SecondOpinion{codec: goais.CodecNewFast(true, true, true), parts: map[[2]byte][]byte{}}
}

// Line returns the packet that the sentence makes whole, or nil. It shares no code with ours.
func (s *SecondOpinion) Line(line []byte) goais.Packet {
	star := len(line) - 3
	if star < 14 || line[star] != '*' {
		return nil
	}
	sum := byte(0)
	for _, c := range line[1:star] {
		sum ^= c
	}
	const hex = "0123456789ABCDEF"
	if line[star+1] != hex[sum>>4] || line[star+2] != hex[sum&15] {
		return nil
	}
	var commas [6]int
	n := 0
	for i, c := range line[:star] {
		if c == ',' && n < len(commas) {
			commas[n] = i
			n++
		}
	}
	if n != 6 || commas[5] != star-2 {
		return nil
	}
	chars, fill := line[commas[4]+1:commas[5]], int(line[star-1]-'0')
	total, number := line[commas[0]+1], line[commas[1]+1]
	if total > '1' {
		key := [2]byte{line[commas[2]+1], line[commas[3]+1]}
		if number == '1' {
			s.parts[key] = append(s.parts[key][:0], chars...)
		} else {
			s.parts[key] = append(s.parts[key], chars...)
		}
		if number < total {
			return nil
		}
		chars = s.parts[key]
	}
	return s.Decode(chars, fill)
}

// Decode spreads the characters to one byte a bit, as go-ais wants them.
func (s *SecondOpinion) Decode(chars []byte, fill int) goais.Packet {
	s.bits = s.bits[:0]
	for _, c := range chars {
		six := c - '0'
		if six > 40 {
			six -= 8
		}
		s.bits = append(s.bits, six>>5&1, six>>4&1, six>>3&1, six>>2&1, six>>1&1, six&1)
	}
	if len(s.bits) < fill {
		return nil
	}
	return s.codec.DecodePacket(s.bits[:len(s.bits)-fill])
}
