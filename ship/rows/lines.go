package rows

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// longest is the most bytes of a line.
const longest = 1 << 16

// errLong tells that a line was longer than that. It was passed over.
var errLong = errors.New("line is too long")

// lines reads lines without their ends, and numbers them from 1 on.
type lines struct {
	in        *bufio.Reader
	number    uint64
	delimiter byte
}

func newLines(in io.Reader) lines { return lines{in: bufio.NewReaderSize(in, longest+2)} }

// next returns a line, valid until the next call; at the end io.EOF.
func (l *lines) next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		l.number++
		return nil, l.skipLine()
	}
	if len(line) == 0 && err != nil {
		return nil, err
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	l.number++
	return bytes.TrimRight(line, "\r\n"), nil
}

// skipLine reads to the end of a line that is too long.
func (l *lines) skipLine() error {
	for {
		_, err := l.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
		case err == nil, errors.Is(err, io.EOF):
			return errLong
		default:
			return err
		}
	}
}

// peekHead returns what can be seen of the file without reading on, at most so many bytes.
func (l *lines) peekHead() []byte {
	head, _ := l.in.Peek(longest)
	return head
}

// splitLine cuts a line into fields, into the memory of dst. Quotation marks go, and a doubled one inside is one. It fails when a quotation
// mark is not closed, or text follows it. It may write over the line.
func splitLine(dst [][]byte, line []byte, delimiter byte) ([][]byte, bool) {
	dst = dst[:0]
	for {
		if len(line) > 0 && line[0] == '"' {
			field, rest, ok := quoted(line)
			if !ok || len(rest) > 0 && rest[0] != delimiter {
				return dst, false
			}
			dst = append(dst, field)
			if len(rest) == 0 {
				return dst, true
			}
			line = rest[1:]
			continue
		}
		end := bytes.IndexByte(line, delimiter)
		if end < 0 {
			return append(dst, trimBlanks(line)), true
		}
		dst = append(dst, trimBlanks(line[:end]))
		line = line[end+1:]
	}
}

// quoted cuts off a field in quotation marks.
func quoted(line []byte) (field, rest []byte, ok bool) {
	end := bytes.IndexByte(line[1:], '"')
	if end < 0 {
		return nil, nil, false
	}
	end++
	if end+1 == len(line) || line[end+1] != '"' {
		return trimBlanks(line[1:end]), line[end+1:], true
	}
	out := 1
	for at := 1; at < len(line); at++ {
		if line[at] == '"' {
			if at+1 == len(line) || line[at+1] != '"' {
				return trimBlanks(line[1:out]), line[at+1:], true
			}
			at++
		}
		line[out] = line[at]
		out++
	}
	return nil, nil, false
}

// trimBlanks drops blanks at both ends.
func trimBlanks(b []byte) []byte {
	for len(b) > 0 && b[0] == ' ' {
		b = b[1:]
	}
	for len(b) > 0 && b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return b
}
