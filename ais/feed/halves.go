package feed

import (
	"bytes"
	"context"
	"slices"
	"time"

	"quaywatch/ais"
)

const (
	halfLimit = time.Second // so long a sentence that a datagram cut waits for its rest
	maxHalves = 64          // of one host
)

// half is the start of a sentence that its datagram cut.
type half struct {
	port   uint16
	steady bool
	at     time.Time
	text   []byte
}

// lately is the ports of a host that sent lately. A port that sends again within them is steady: a program keeps it.
type lately struct {
	ports [64]uint16
	next  int
	last  uint16
}

// steady reports whether the port sent before, and notes that it sends now.
func (l *lately) steady(port uint16) bool {
	if port == 0 || port == l.last || slices.Contains(l.ports[:], port) {
		l.last = port
		return port != 0
	}
	l.ports[l.next], l.last = port, port
	l.next = (l.next + 1) % len(l.ports)
	return false
}

// datagram takes a datagram from a port of the host. Its last line needs no line end, and may go on in the next datagram.
func (s *sender) datagram(ctx context.Context, port uint16, p []byte, now time.Time) {
	steady := s.ports.steady(port)
	s.intake.decoder.From(port, steady)
	if len(s.halves) > 0 {
		s.expireHalves(ctx, now)
		p = s.goOn(ctx, port, steady, p, now)
	}
	if start := ais.CutSentence(p); start >= 0 && len(p)-start <= maxLine {
		s.holdHalf(ctx, half{port, steady, now, bytes.Clone(p[start:])})
		p = p[:start]
	}
	s.intake.datagram(ctx, p, now)
}

// goOn puts the half that waits for p before it. A half that p does not go on with is a line of its own, unless p is of another port.
func (s *sender) goOn(ctx context.Context, port uint16, steady bool, p []byte, now time.Time) []byte {
	i := s.findHalf(port, steady)
	if i < 0 || len(p) == 0 {
		return p
	}
	h := s.halves[i]
	line, _, more := bytes.Cut(p, []byte{'\n'})
	joined := slices.Concat(h.text, line)
	begins := p[0] == '!' || p[0] == '$'
	fits := len(joined) <= maxLine && !begins && (ais.IsSentence(joined) || !more && ais.CutSentence(joined) == 0)
	if !fits && h.port != port {
		return p
	}
	s.halves = slices.Delete(s.halves, i, i+1)
	if fits {
		return slices.Concat(h.text, p)
	}
	s.intake.addLine(ctx, h.text, now)
	return p
}

// findHalf returns the half that the datagram may belong to, and -1 when there is none. That of another port can only be meant when neither
// is steady and no other waits.
func (s *sender) findHalf(port uint16, steady bool) int {
	found := -1
	for i, h := range s.halves {
		switch {
		case h.port == port:
			return i
		case steady || h.steady:
		case found >= 0:
			return -1
		default:
			found = i
		}
	}
	return found
}

// holdHalf keeps a half. Where too many wait, the oldest is a line of its own.
func (s *sender) holdHalf(ctx context.Context, h half) {
	if len(s.halves) >= maxHalves {
		s.intake.addLine(ctx, s.halves[0].text, h.at)
		s.halves = slices.Delete(s.halves, 0, 1)
	}
	s.halves = append(s.halves, h)
}

// expireHalves takes the halves that waited for too long for lines of their own.
func (s *sender) expireHalves(ctx context.Context, now time.Time) {
	for len(s.halves) > 0 && now.Sub(s.halves[0].at) > halfLimit {
		s.intake.addLine(ctx, s.halves[0].text, now)
		s.halves = slices.Delete(s.halves, 0, 1)
	}
}
