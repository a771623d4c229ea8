package feed

import (
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
)

// StreamPace is how much of a stream a subscriber gets, and how late.
type StreamPace struct {
	Delay           time.Duration // every message is sent so much later
	DownSample      time.Duration // at most one position of a ship in this time; 0 is all
	FixedDownSample time.Duration // the same on the ticks of the clock; 0 is all
	MaxRate         int           // messages a second; 0 is no ceiling
	Congestion      Congestion
}

// Congestion says how a subscriber that is slower than its stream is helped. The time between two positions of a ship is multiplied,
// again while that does not help. It goes back the same way.
type Congestion struct {
	Factor int           // percent of the time before; 0 switches it off
	Most   int           // percent of the time without congestion
	Every  time.Duration // between two steps
}

// A subscriber is too slow from the first of these, and keeps up again below the second. Congestion begins with the third where no
// interval is set: no ship reports its place more often than every two seconds.
const (
	tooSlow         = time.Second
	keepsUp         = 250 * time.Millisecond
	congestionBegin = 2 * time.Second
)

// fate is what becomes of a message on its way to one subscriber.
type fate uint8

const (
	sent      fate = iota
	behind         // dropped: the ring was not long enough for so slow a subscriber
	overRate       // dropped: more than max_message_rate
	thinned        // dropped: a position within the interval that was asked for
	congested      // dropped: a position within what congestion made of the interval
	fateCount
)

// pacer decides of each message whether it goes out now. It belongs to one subscriber.
type pacer struct {
	pace     StreamPace
	factor   float64            // what congestion makes of the interval; 1 is nothing
	adjusted time.Time          // when the factor changed last
	last     map[ais.MMSI]int64 // Unix milliseconds of the last position that went out
	swept    int64              // the same, of the last message when last was tidied up
	ceiling  bucket
}

func newPacer(p StreamPace, now time.Time) *pacer {
	return &pacer{pace: p, factor: 1, last: map[ais.MMSI]int64{}, ceiling: bucket{rate: float64(p.MaxRate), tokens: float64(p.MaxRate), filled: now}}
}

// isPosition tells the messages that report a place: those that come again, and may be thinned. Those of a device in distress are not
// thinned.
func isPosition(o *format.Outgoing) bool {
	if o.Traits.MMSI.IsDistress() {
		return false
	}
	switch o.Traits.Type {
	case 1, 2, 3, 4, 9, 11, 18, 19, 21, 27:
		return true
	}
	return false
}

// judgeMessage decides about a message of a ship of which one may be sent in every interval. now is our time, for the ceiling. What a device in distress
// says passes the ceiling, and takes nothing of it from ships.
func (p *pacer) judgeMessage(o *format.Outgoing, every time.Duration, now time.Time) fate {
	every = max(every, p.pace.DownSample)
	counts := isPosition(o) && (every > 0 || p.pace.FixedDownSample > 0 || p.factor > 1)
	at := o.Received.UnixMilli()
	if counts {
		if last, before := p.last[o.Traits.MMSI]; before && at >= last {
			if f := p.tooSoon(last, at, every); f != sent {
				return f
			}
		}
	}
	if !o.Traits.MMSI.IsDistress() && !p.ceiling.spend(now) {
		return overRate
	}
	if counts {
		p.last[o.Traits.MMSI] = at
		p.forgetShips(at, every)
	}
	return sent
}

// tooSoon judges a position by the time of the one before.
func (p *pacer) tooSoon(last, at int64, every time.Duration) fate {
	if at-last < every.Milliseconds() {
		return thinned
	}
	if tick := p.pace.FixedDownSample.Milliseconds(); tick > 0 && at/tick == last/tick {
		return thinned
	}
	if at-last < p.slowed(every).Milliseconds() {
		return congested
	}
	return sent
}

// slowed returns the interval that congestion makes of one.
func (p *pacer) slowed(every time.Duration) time.Duration {
	if p.factor <= 1 {
		return every
	}
	return time.Duration(p.factor * float64(max(every, congestionBegin)))
}

// bucket is a ceiling in messages a second. What one second leaves may be saved up for the next, and no more than that. The zero bucket is no ceiling.
type bucket struct {
	rate   float64
	tokens float64 // messages that may go out at once
	filled time.Time
}

// any reports whether one message may go out.
func (b *bucket) any(now time.Time) bool {
	if b.rate <= 0 {
		return true
	}
	b.tokens = min(max(b.rate, 1), b.tokens+b.rate*max(0, now.Sub(b.filled).Seconds()))
	b.filled = now
	return b.tokens >= 1
}

// spend takes one message out of the bucket.
func (b *bucket) spend(now time.Time) bool {
	if !b.any(now) {
		return false
	}
	b.tokens--
	return true
}

// forgetShips forgets ships whose last position no longer matters, once a minute and at most each few intervals.
func (p *pacer) forgetShips(at int64, every time.Duration) {
	span := max(time.Minute, 4*p.slowed(every), 2*p.pace.FixedDownSample).Milliseconds()
	if age := at - p.swept; age >= 0 && age < span {
		return
	}
	p.swept = at
	for m, last := range p.last {
		if at-last > span || last > at {
			delete(p.last, m)
		}
	}
}

// adjust moves the factor of congestion by how far the subscriber is behind its stream. It reports whether it did.
func (p *pacer) adjust(lag time.Duration, now time.Time) bool {
	c := p.pace.Congestion
	if c.Factor <= 100 || c.Most <= 100 {
		changed := p.factor != 1
		p.factor = 1
		return changed
	}
	if !p.adjusted.IsZero() && now.Sub(p.adjusted) < c.Every {
		return false
	}
	factor := p.factor
	switch step := float64(c.Factor) / 100; {
	case lag > tooSlow:
		factor = min(factor*step, float64(c.Most)/100)
	case lag < keepsUp:
		factor = max(factor/step, 1)
	}
	if factor == p.factor {
		return false
	}
	p.factor, p.adjusted = factor, now
	return true
}
