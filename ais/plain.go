package ais

import (
	"encoding/binary"
	"time"
)

// decodePlain decodes a line that is one sentence with a whole message and nothing around it, as nearly all lines are. It works by
// our clock only. For any other line, or one with an error, it does nothing and returns false; Line then goes on.
func (d *Decoder) decodePlain(b *Batch, line []byte, received time.Time) bool {
	if d.config.Clock != ReceiverClock || d.hasPending || !isPlain(line) {
		return false
	}
	end := len(line) - len(",0*hh")
	if !ChecksumIs(line[1:end+2], line[end+3], line[end+4]) {
		return false
	}
	d.bits.reset()
	if d.bits.add(line[plainStart:end], int(line[end+1]-'0')) != nil {
		return false
	}
	message, err := d.bits.decodeMessage(b)
	if err != nil {
		return false
	}
	d.counters.Sentences++
	d.counters.Messages[d.bits.fieldAt(0, 6)]++
	raw := b.keepSentence(line)
	hash, sent := d.bits.hash(), sentAt(message, received)
	r := b.addReport()
	r.Message, r.Raw, r.Received, r.Sent, r.Feed, r.BySatellite, r.Station = message, raw, received, sent, d.config.Feed, d.config.BySatellite, ""
	r.Hash, r.Channel, r.Own = hash, line[plainStart-2], line[5] == 'O'
	return true
}

// plainStart is where the characters of the message begin in a plain sentence.
const plainStart = len("!AIVDM,1,1,,A,")

// The start of a plain sentence as two little-endian numbers that overlap in ",1". They have zeros where sentences differ:
// talker, 'M' or 'O', and channel.
const (
	plainHead  = '!' | 'V'<<24 | 'D'<<32 | ','<<48 | '1'<<56
	plainMore  = ',' | '1'<<8 | ','<<16 | '1'<<24 | ','<<32 | ','<<40 | ','<<56
	differHead = 0xff<<8 | 0xff<<16 | 0xff<<40
	differMore = 0xff << 48
)

// isPlain reports whether the line has the form "!--VDM,1,1,,A,characters,0*hh" with channel A or B. It does not check the
// characters.
func isPlain(line []byte) bool {
	if len(line) <= plainStart+len(",0*hh") {
		return false
	}
	head, more := binary.LittleEndian.Uint64(line), binary.LittleEndian.Uint64(line[6:])
	kind, channel, tail := line[5], line[plainStart-2], line[len(line)-5:]
	return head&^differHead == plainHead && more&^differMore == plainMore &&
		(kind == 'M' || kind == 'O') && channel-'A' <= 'B'-'A' && line[1]-' ' <= '~'-' ' && line[2]-' ' <= '~'-' ' &&
		tail[0] == ',' && tail[1]-'0' <= 5 && tail[2] == '*'
}
