package logtime

import (
	"bytes"
	"slices"
	"strconv"

	"quaywatch/ais"
)

// place is where a time stands.
type place uint8

const (
	inTag    place = iota // TAG c:
	inPGHP                // the sentence before
	inMember              // a member of JSON
	before                // the sentence, on its line
	behind                // the sentence, on its line
	ownLine               // a line without a sentence
)

// key names a column of times: what stands there line by line is written in one way.
type key struct {
	place place
	n     int    // which time of its form it is between two sentences, from 1 on
	name  string // of a member
	form  form
}

// found is a time in a line.
type found struct {
	key
	at, end int // in the line
	moment  moment
	day     span // where the date stands when it stands apart
}

// The most that is looked at in a line. A receiver may post some thousand sentences at once, each with its times.
const (
	mostTimes = 1 << 14
	mostInGap = 24 // between two sentences of a line that is not JSON
	mostName  = 40
)

// span is where a sentence stands in a line.
type span struct{ from, to int }

// parts are the sentences of AIS in a line, and the times around them. They are used anew for each line.
type parts struct {
	sentences []span
	times     []found
	json      bool
	gap       int // where the text begins that is looked at
	days      []half
	clocks    []half // of JSON
}

// cutLine finds the sentences and the times of a line.
func (p *parts) cutLine(line []byte) {
	p.sentences, p.times = p.sentences[:0], p.times[:0]
	for at := 0; at < len(line); at++ {
		if line[at] == '!' && ais.IsAIS(line[at:]) {
			end := endOf(line[at:]) + at
			p.sentences = append(p.sentences, span{at, end})
			at = end - 1
		}
	}
	if p.json = isJSON(line); p.json {
		p.scanMembers(line)
		return
	}
	if len(p.sentences) == 0 {
		p.alone(line)
		return
	}
	p.scanText(line, before, 0, p.sentences[0].from)
	for i, s := range p.sentences {
		to, where := len(line), behind
		if i+1 < len(p.sentences) {
			to = p.sentences[i+1].from
			if len(p.times) > 0 && p.times[0].place == before {
				where = before // of the next
			}
		}
		p.scanText(line, where, s.to, to)
	}
}

// endOf returns where the sentence ends that text begins with: behind its checksum, or where no checksum comes, at the end of the line.
func endOf(text []byte) int {
	if star := bytes.IndexByte(text, '*'); star >= 0 && star+3 <= len(text) {
		return star + 3
	}
	return len(text)
}

// isJSON reports whether the line is an object of JSON, or a list of them.
func isJSON(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	return len(line) > 2 && (line[0] == '{' || line[0] == '[' && (line[1] == '{' || line[1] == ' ')) && bytes.Contains(line, []byte(`":`))
}

// alone finds the times of a line without a sentence of AIS: in $PGHP, in a TAG block, or in a remark. Other sentences have their own.
func (p *parts) alone(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("$PGHP,1,")):
		if at, _, ok := ais.ReadPGHP(line); ok {
			p.add(found{key: key{inPGHP, 1, "", counted}, end: len(line), moment: moment{form: counted, zoned: true, ms: at.UnixMilli()}})
		}
	case bytes.IndexByte(line, '$') < 0:
		p.scanText(line, ownLine, 0, len(line))
	}
}

// scanText finds the times in text that is not JSON.
func (p *parts) scanText(line []byte, where place, from, to int) {
	p.gap, p.days = from, p.days[:0]
	first := len(p.times)
	for at := from; at < to && len(p.times) < min(mostTimes, first+mostInGap); {
		if line[at] == '\\' {
			if end := bytes.IndexByte(line[at+1:to], '\\'); end >= 0 {
				p.tag(line, at+1, at+1+end)
				at += end + 2
				continue
			}
		}
		if !isWord(line[at]) || at > from && isWord(line[at-1]) {
			at++
			continue
		}
		n := p.addTime(line, where, "", at, to)
		if n == 0 {
			n = p.noteDate(line, "", at, to)
		}
		at += max(1, n)
	}
	p.dateClocks(where)
}

// tag finds the c: of a TAG block.
func (p *parts) tag(line []byte, from, to int) {
	at := from
	for field := range bytes.SplitSeq(line[from:to], []byte(",")) {
		if len(field) > 10 && field[0] == 'c' && field[1] == ':' {
			p.addTime(line, inTag, "", at+2, to)
			return
		}
		at += len(field) + 1
	}
}

// addTime notes the time that begins at a place of the line, and returns how long it is; 0 for none.
func (p *parts) addTime(line []byte, where place, name string, at, to int) int {
	moments, length := parse(line[at:to])
	if length == 0 || at+length < to && isWord(line[at+length]) {
		return 0
	}
	for _, m := range moments {
		k := key{where, 1, name, m.form}
		for _, other := range slices.Backward(p.times) {
			if other.at < p.gap {
				break
			}
			if other.place == where && other.form == m.form {
				k.n++
			}
		}
		p.add(found{key: k, at: at, end: at + length, moment: m})
	}
	return length
}

func (p *parts) add(f found) {
	if len(p.times) < mostTimes {
		p.times = append(p.times, f)
	}
}

// scanMembers finds the times among the members of JSON, in objects of any depth.
func (p *parts) scanMembers(line []byte) {
	p.days, p.clocks = p.days[:0], p.clocks[:0]
	defer p.joinMembers()
	for at := 0; at < len(line) && len(p.times) < mostTimes; at++ {
		if line[at] != '"' {
			continue
		}
		end := closing(line, at)
		name := line[at+1 : end]
		at = end
		value := at + 1
		for value < len(line) && (line[value] == ' ' || line[value] == ':') {
			value++
		}
		if value >= len(line) || bytes.IndexByte(line[min(at+1, value):value], ':') < 0 || len(name) > mostName {
			continue
		}
		if line[value] == '"' {
			at = closing(line, value)
			p.member(line, string(name), value+1, at)
		} else {
			p.member(line, string(name), value, value+leadingNumber(line[value:]))
		}
	}
}

// member notes the value of a member if all of it is a time with a date.
func (p *parts) member(line []byte, name string, from, to int) {
	switch moments, length := parse(line[from:to]); {
	case length == 0:
		p.noteDate(line, name, from, to)
	case length < to-from:
	case moments[0].form == dateless && len(p.clocks) < mostInGap:
		p.clocks = append(p.clocks, half{span{from, to}, name, moments})
	default:
		p.gap = from
		p.addTime(line, inMember, name, from, to)
	}
}

// closing returns where the text in quotation marks ends that begins at a place of the line.
func closing(line []byte, at int) int {
	for at++; at < len(line); at++ {
		switch line[at] {
		case '\\':
			at++
		case '"':
			return at
		}
	}
	return len(line)
}

// leadingNumber returns how many bytes of text are digits and a point.
func leadingNumber(text []byte) (n int) {
	for n < len(text) && (text[n] >= '0' && text[n] <= '9' || text[n] == '.') {
		n++
	}
	return n
}

// plainSentence takes the escapes of JSON out of a sentence.
func plainSentence(sentence []byte) []byte {
	if bytes.IndexByte(sentence, '\\') < 0 {
		return sentence
	}
	var out []byte
	for at := 0; at < len(sentence); at++ {
		c := sentence[at]
		if c == '\\' && at+1 < len(sentence) {
			at++
			c = sentence[at]
			if c == 'u' && at+4 < len(sentence) {
				if v, err := strconv.ParseUint(string(sentence[at+1:at+5]), 16, 8); err == nil {
					c, at = byte(v), at+4
				}
			}
		}
		out = append(out, c)
	}
	return out
}
