package feed

import "bytes"

// maxLine is how long a line may be in bytes. NMEA 0183 allows 82 for a sentence and IEC 61162-450 as many for its tag block. What
// receivers add is never ten times that.
const maxLine = 1024

// splitter cuts a stream of bytes into lines that end in CR, LF or both. It holds at most one unfinished line of
// maxLine bytes; a longer one is dropped and counted.
type splitter struct {
	held     []byte
	skipping bool // within a line that was too long
	long     uint64
	dropped  uint64 // bytes of the lines that were too long
}

// next returns the first line of p without its end, and what follows it. Not ok means that p held no whole line and is now
// kept for later. The line is valid until the following call.
func (s *splitter) next(p []byte) (line, rest []byte, ok bool) {
	end := bytes.IndexByte(p, '\n')
	before := p
	if end >= 0 {
		before = p[:end]
	}
	if cr := bytes.IndexByte(before, '\r'); cr >= 0 {
		end = cr
	}
	if end < 0 {
		s.holdBytes(p)
		return nil, nil, false
	}
	return s.complete(p[:end]), p[end+1:], true
}

// complete joins the tail of a line with what is held of it. It returns nil for a line that is too long.
func (s *splitter) complete(tail []byte) []byte {
	if len(s.held) == 0 && !s.skipping {
		if len(tail) > maxLine {
			s.long++
			s.dropped += uint64(len(tail))
			return nil
		}
		return tail
	}
	s.holdBytes(tail)
	line := s.held
	if s.skipping {
		line = nil
	}
	s.reset()
	return line
}

func (s *splitter) holdBytes(p []byte) {
	if s.skipping {
		s.dropped += uint64(len(p))
		return
	}
	if len(s.held)+len(p) > maxLine {
		s.skipping = true
		s.long++
		s.dropped += uint64(len(s.held) + len(p))
		s.held = s.held[:0]
		return
	}
	s.held = append(s.held, p...)
}

// lastLine returns the line that ends with the stream or datagram instead of a line end.
func (s *splitter) lastLine() []byte { return s.complete(nil) }

// reset forgets the unfinished line.
func (s *splitter) reset() { s.held, s.skipping = s.held[:0], false }
