package ais

import (
	"fmt"
	"strconv"
)

// Encoder turns messages into sentences. It counts the sequence numbers of messages in several parts. A position
// report costs no allocation. One goroutine at a time may use it.
type Encoder struct {
	talker string
	codec  codec
	bits   payload
	next   int // sequence number of the next message in several parts, 0..9
}

// NewEncoder makes an Encoder for a talker and a sentence formatter together. These are "AIVDM" (received), "AIVDO" (sent by the own transponder), "BSVDM"
// (received by a base station) and so on.
func NewEncoder(talker string) *Encoder { return &Encoder{talker: talker} }

// Sentences appends the sentence or sentences of m, each ended by CR LF and at most 82 characters long (IEC 61162-1).
// Channel is 'A', 'B' or 0 when it is not known. On an error dst comes back as it was.
func (e *Encoder) Sentences(dst []byte, m Message, channel byte) ([]byte, error) {
	e.bits.clearWords()
	if err := e.codec.write(&e.bits, m); err != nil {
		return dst, err
	}
	parts := partsOf(e.bits.bits, 60)
	sequence := -1
	if parts > 1 {
		sequence, e.next = e.next, (e.next+1)%10
	}
	for part := range parts {
		begin := len(dst)
		dst = append(append(dst, '!'), e.talker...)
		dst = appendPart(dst, parts, part+1, sequence)
		if channel != 0 {
			dst = append(dst, channel)
		}
		dst = appendArmoured(append(dst, ','), &e.bits, part*60, 60)
		dst = EndSentence(dst, begin)
	}
	return dst, nil
}

// AppendABM appends the `!AIABM` sentences that ask a transponder to send m, an *AddressedSafety or an *AddressedBinary
// (IEC 61162-1). The transponder puts 72 bits before the data, of message 14 or 8 it puts 40: what is left of five slots may be used. Channel is 0 for the transponder's choice, 1 for A, 2 for B, 3 for both. The receipt (ABK) names the
// message's sequence number, 0..3.
func AppendABM(dst []byte, m Message, channel int) ([]byte, error) {
	w := codec{direction: encoding, bits: &payload{}}
	var destination MMSI
	var sequence uint8
	switch m := m.(type) {
	case *AddressedSafety:
		w.putText(m.Text, len(m.Text))
		destination, sequence = m.Destination, m.Sequence
	case *AddressedBinary:
		m.application(&w, true, 0)
		destination, sequence = m.Destination, m.Sequence
	default:
		return dst, fmt.Errorf("abm sentence: a %T is not addressed", m)
	}
	if destination < 0 || destination > 1<<30-1 {
		return dst, fmt.Errorf("abm sentence: mmsi %d does not fit the 30 bits on the air", destination)
	}
	head := fmt.Sprintf(",%09d,%d,%d,", destination, channel, m.Head().Type)
	return appendTransmit(dst, "!AIABM", &w, int(sequence&3), head, maxMessageBits-72)
}

// AppendBBM appends the `!AIBBM` sentences that ask a transponder to send m, a *BroadcastSafety or a *BroadcastBinary,
// to all (IEC 61162-1). Sequence is 0..9; channel as for AppendABM.
func AppendBBM(dst []byte, m Message, sequence, channel int) ([]byte, error) {
	w := codec{direction: encoding, bits: &payload{}}
	switch m := m.(type) {
	case *BroadcastSafety:
		w.putText(m.Text, len(m.Text))
	case *BroadcastBinary:
		m.application(&w, false, 0)
	default:
		return dst, fmt.Errorf("bbm sentence: a %T is not broadcast", m)
	}
	head := fmt.Sprintf(",%d,%d,", channel, m.Head().Type)
	return appendTransmit(dst, "!AIBBM", &w, sequence%10, head, maxMessageBits-40)
}

// appendTransmit appends the parts of an ABM or BBM sentence. head stands between the sequence number and the payload.
func appendTransmit(dst []byte, start string, w *codec, sequence int, head string, most int) ([]byte, error) {
	if w.err != nil {
		return dst, w.err
	}
	if w.at > most {
		return dst, fmt.Errorf("%s sentence: %d bits of data, at most %d fit five slots", start[3:], w.at, most)
	}
	const characters = 47 // what 82 leave beside the longest head
	parts := partsOf(w.at, characters)
	for part := range parts {
		begin := len(dst)
		dst = appendPart(append(dst, start...), parts, part+1, sequence)
		dst = append(dst[:len(dst)-1], head...)
		dst = appendArmoured(dst, w.bits, part*characters, characters)
		dst = EndSentence(dst, begin)
	}
	return dst, nil
}

// partsOf tells how many sentences bits need when each holds so many armoured characters.
func partsOf(bits, characters int) int { return max(1, (bits+6*characters-1)/(6*characters)) }

// appendPart appends `,parts,part,sequence,`; no number for a sequence below 0.
func appendPart(dst []byte, parts, part, sequence int) []byte {
	dst = strconv.AppendInt(append(dst, ','), int64(parts), 10)
	dst = append(strconv.AppendInt(append(dst, ','), int64(part), 10), ',')
	if sequence >= 0 {
		dst = strconv.AppendInt(dst, int64(sequence), 10)
	}
	return append(dst, ',')
}

// appendArmoured appends up to most six-bit characters from character first on, and `,fill`.
func appendArmoured(dst []byte, p *payload, first, most int) []byte {
	end := min(p.bits, 6*(first+most))
	bit := 6 * first
	for ; bit < end; bit += 6 {
		dst = append(dst, armour(byte(p.fieldAt(uint(bit), 6))))
	}
	return append(dst, ',', '0'+byte(max(0, bit-end)))
}

// armour returns the character of six bits: 0..39 are '0'..'W', 40..63 are '`'..'w' (IEC 61162-1).
func armour(six byte) byte {
	if six < 40 {
		return six + 48
	}
	return six + 56
}

// EndSentence ends the sentence that begins at begin with its checksum, CR and LF.
func EndSentence(dst []byte, begin int) []byte { return append(AppendChecksum(dst, begin), '\r', '\n') }

// AppendChecksum appends the checksum of the sentence or TAG block that begins at begin: `*hh`, of all behind its first byte (IEC 61162-1, 7.2).
func AppendChecksum(dst []byte, begin int) []byte {
	const hex = "0123456789ABCDEF"
	sum := Checksum(dst[begin+1:])
	return append(dst, '*', hex[sum>>4], hex[sum&15])
}

// AppendTag appends a TAG block `\s:station,c:time*hh\` (NMEA 0183, 7): a source and a Unix time, in seconds or milliseconds, for the sentence
// that follows. An empty station and a zero time are left out.
func AppendTag(dst []byte, station string, unix int64) []byte {
	begin := len(dst)
	dst = append(dst, '\\')
	if station != "" {
		dst = append(append(dst, "s:"...), station...)
	}
	if unix != 0 {
		if station != "" {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(append(dst, "c:"...), unix, 10)
	}
	return append(AppendChecksum(dst, begin), '\\')
}
