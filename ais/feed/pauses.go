package feed

import "time"

const (
	shortPause = 5 * time.Millisecond   // when much came; also where the kernel can keep little meanwhile
	longPause  = 100 * time.Millisecond // when little came
	muchBytes  = 1024                   // is much
	largePiece = 2048                   // a stream that gives so many bytes at once needs no pauses
)

// pauses lets small pieces gather while many of them come. To wake for each of 30,000 datagrams a second costs more than to read them.
// Even at 90 a second, waking would be nearly all the work of a small station.
//
// What came was sent on before the pause, so a pause delays only what follows closely. After a silence there is no pause. So the first
// sentence goes on at once, and the one after it too, which is often the second half of its message.
type pauses struct {
	quiet time.Duration // the pause when little came
	ended time.Time     // when the last pause ended, or when the last bytes came if no pause followed them
}

// pauseAfter returns the pause that follows n bytes, read at now.
func (p *pauses) pauseAfter(n int, now time.Time) (pause time.Duration) {
	switch {
	case n == 0:
		return 0
	case now.Sub(p.ended) >= longPause: // silence
	case n >= muchBytes:
		pause = shortPause
	default:
		pause = p.quiet
	}
	p.ended = now.Add(pause)
	return pause
}
