package ais

import (
	"bytes"
	"encoding/binary"
	"iter"
)

// fragment is the content of one VDM or VDO sentence: a message or a part of one.
type fragment struct {
	own      bool // VDO
	total    byte // parts, 1..9
	number   byte // of this part, 1..total
	sequence byte // the character that tells multi-part messages apart, 0 when empty
	channel  byte // 'A', 'B' or 0
	fill     int
	surplus  bool // fields stand behind the fill bits
	chars    []byte
	sentence []byte // from '!' to the last digit of the checksum
}

// longestSentence bounds the search for the end of a sentence. IEC 61162-1 has 82 characters; receivers send up to about
// 250.
const longestSentence = 2048

// oneSlot is how many characters a message of one slot has, as most are: 168 bits.
const oneSlot = 28

// IsAIS reports whether the sentence that begins at line[0] is a VDM or VDO, by any talker.
func IsAIS(line []byte) bool {
	return len(line) > 7 && line[6] == ',' && line[3] == 'V' && line[4] == 'D' && (line[5] == 'M' || line[5] == 'O')
}

// parseFragment reads a VDM or VDO sentence at the start of line and returns what follows it:
//
//	!AIVDM,total,number,sequence,channel,payload,fill*hh
//
// err is ErrorFormat or ErrorChecksum; rest then begins behind the next checksum.
func parseFragment(f *fragment, line []byte) (rest []byte, err error) {
	if len(line) < 14 || line[8] != ',' || line[10] != ',' {
		return afterSentence(line), ErrorFormat
	}
	f.own = line[5] == 'O'
	f.total, f.number = line[7]-'0', line[9]-'0'
	at, before := 11, 12
	if line[11] == ',' && line[13] == ',' { // no sequence, a channel: nearly always
		f.sequence, f.channel, at = 0, line[12], 14
	} else {
		f.sequence, before = shortField(line, at)
		f.channel, at = shortField(line, before)
	}
	if at < 0 || f.total < 1 || f.total > 9 || f.number < 1 || f.number > f.total {
		return afterSentence(line), ErrorFormat
	}
	f.channel = channelLetter(f.channel)
	end := oneSlot
	if len(line) < at+oneSlot+3 || line[at+oneSlot] != ',' || line[at+oneSlot+2] != '*' {
		end = bytes.IndexByte(line[at:], ',')
	}
	if end < 0 {
		return afterSentence(line), ErrorFormat
	}
	f.chars = line[at : at+end]
	rest, err = f.readEnding(line, at+end+1)
	switch {
	case err != nil:
	case !isChannel(line[before : at-1]):
		err = ErrorChannel
	case !isPrintable(line[:before]) || f.surplus && !isPrintable(f.sentence[at+end:]):
		err = ErrorFormat
	}
	return rest, err
}

// isChannel reports whether the channel of a sentence is empty, or letters and digits. Receivers send A, B, 1 and 2. Another letter or digit
// is a channel that is not known, and the ship is heard all the same.
func isChannel(field []byte) bool {
	for _, c := range field {
		if (c|0x20)-'a' > 'z'-'a' && c-'0' > 9 {
			return false
		}
	}
	return true
}

// isPrintable reports whether all bytes are printable ASCII. Others steer terminals, and end lines where the sentence goes.
func isPrintable(text []byte) bool {
	for _, c := range text {
		if c-' ' > '~'-' ' {
			return false
		}
	}
	return true
}

// readEnding reads fill bits and checksum, which begin at line[at].
func (f *fragment) readEnding(line []byte, at int) (rest []byte, err error) {
	f.fill, f.surplus = 0, false
	if at < len(line) && line[at] >= '0' && line[at] <= '5' {
		f.fill = int(line[at] - '0')
		at++
	}
	if at+3 > len(line) {
		return nil, ErrorChecksum
	}
	if line[at] == ',' {
		at = surplusEnd(line, at)
		f.surplus = true
	}
	if at+3 > len(line) || line[at] != '*' {
		return resume(line[at:]), ErrorFormat
	}
	if !ChecksumIs(line[1:at], line[at+1], line[at+2]) {
		return line[at+3:], ErrorChecksum
	}
	f.sentence = line[:at+3]
	return line[at+3:], nil
}

// surplusEnd returns where the fields end that begin at line[at]: at the checksum, at the next sentence or at the end of line.
func surplusEnd(line []byte, at int) int {
	if end := bytes.IndexAny(line[at:], "*!$\\"); end >= 0 {
		return at + end
	}
	return len(line)
}

// shortField returns the first character of the field that begins at line[at], or 0 when it is empty, and where the next field
// begins. That is -1 when the line ends first or the field has more than two characters.
func shortField(line []byte, at int) (byte, int) {
	if at < 0 {
		return 0, -1
	}
	for i := at; i < len(line) && i <= at+2; i++ {
		if line[i] != ',' {
			continue
		}
		if i == at {
			return 0, i + 1
		}
		return line[at], i + 1
	}
	return 0, -1
}

// channelLetter maps the names in use to A (161.975 MHz) and B (162.025 MHz); 0 is none or another.
func channelLetter(c byte) byte {
	switch c {
	case 'A', 'a', '1':
		return 'A'
	case 'B', 'b', '2':
		return 'B'
	}
	return 0
}

// Checksum returns the exclusive or of all bytes (IEC 61162-1, 7.2).
func Checksum(data []byte) byte {
	var wide uint64
	if len(data) < 8 {
		for _, c := range data {
			wide ^= uint64(c)
		}
		return byte(wide)
	}
	for i := 8; i <= len(data); i += 8 {
		wide ^= binary.LittleEndian.Uint64(data[i-8 : i])
	}
	last := binary.LittleEndian.Uint64(data[len(data)-8:]) // the first of these are in wide already: shifted out
	wide ^= last >> (8 * (8 - len(data)&7))
	wide ^= wide >> 32
	wide ^= wide >> 16
	return byte(wide ^ wide>>8)
}

// ChecksumIs reports whether the two hexadecimal digits are the checksum of data.
func ChecksumIs(data []byte, high, low byte) bool {
	const digits = "0123456789ABCDEF"
	sum := Checksum(data)
	if high == digits[sum>>4] && low == digits[sum&15] {
		return true
	}
	given, ok := hexByte(high, low) // small letters
	return ok && given == sum
}

// hexByte reads two hexadecimal digits.
func hexByte(high, low byte) (byte, bool) {
	h, ok := hexDigit(high)
	l, ok2 := hexDigit(low)
	return h<<4 | l, ok && ok2
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	}
	return 0, false
}

// resume returns line when a sentence begins there, else what follows the next checksum.
func resume(line []byte) []byte {
	if len(line) > 0 && bytes.IndexByte([]byte("!$\\"), line[0]) >= 0 {
		return line
	}
	return afterSentence(line)
}

// cutAt returns what follows a broken sentence. Where a character within it begins a sentence or TAG block, that is all from the first such character on. None
// of them stands in a sentence, so there a sentence was cut and the next one followed at once.
func cutAt(line, rest []byte) []byte {
	broken := line[:len(line)-len(rest)]
	if len(broken) < 2 {
		return rest
	}
	if next := bytes.IndexAny(broken[1:], "!$\\"); next >= 0 {
		return line[1+next:]
	}
	return rest
}

// afterSentence returns what follows the next checksum. It serves to go on after a broken sentence.
func afterSentence(line []byte) []byte {
	end := bytes.IndexByte(line, '*')
	if end < 0 || end+3 > len(line) {
		return nil
	}
	return line[end+3:]
}

// checkedSentence splits off a '$' or '!' sentence at the start of line, without its checksum. ok tells that the checksum
// is there and right.
func checkedSentence(line []byte) (sentence, rest []byte, ok bool) {
	end := bytes.IndexByte(line, '*')
	if end < 1 || end+3 > len(line) {
		return nil, nil, false
	}
	return line[:end], line[end+3:], ChecksumIs(line[1:end], line[end+1], line[end+2])
}

// SplitLines returns the lines of a datagram or file, without line ends; empty ones are left out.
func SplitLines(data []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for len(data) > 0 {
			end := bytes.IndexByte(data, '\n')
			line := data
			if end >= 0 {
				line, data = data[:end], data[end+1:]
			} else {
				data = nil
			}
			line = bytes.TrimRight(line, "\r")
			if len(line) > 0 && !yield(line) {
				return
			}
		}
	}
}

// CutSentence returns where the last line of a datagram begins when that is a sentence without a checksum at its end. The sentence may stand behind a TAG
// block. Else it returns -1. A line that ends in a line end is whole.
func CutSentence(datagram []byte) int {
	start := bytes.LastIndexAny(datagram, "\r\n") + 1
	line := datagram[start:]
	if len(line) == 0 || line[0] != '!' && line[0] != '$' && line[0] != '\\' {
		return -1
	}
	last := max(bytes.LastIndexByte(line, '!'), bytes.LastIndexByte(line, '$'), 0)
	star := bytes.IndexByte(line[last:], '*')
	if star >= 0 && last+star+3 <= len(line) && line[last] != '\\' {
		return -1
	}
	return start
}

// IsSentence reports whether the line ends in a sentence with a right checksum.
func IsSentence(line []byte) bool {
	line = trimLine(line)
	start := max(bytes.LastIndexByte(line, '!'), bytes.LastIndexByte(line, '$'))
	if start < 0 {
		return false
	}
	_, _, ok := checkedSentence(line[start:])
	return ok
}
