package feed

import (
	"sync"
	"time"

	"quaywatch/ais"
)

// ledger is the status of a source while it works. Its intakes write when they send a batch; any goroutine may read.
type ledger struct {
	mu     sync.Mutex
	now    ais.FeedStatus
	rate   meter
	closed ais.Counters             // sum over the intakes that have ended
	open   map[*intake]ais.Counters // as of each intake's last hand-over
	long   map[*intake]uint64
}

func newLedger(s Source) *ledger {
	return &ledger{
		now:  ais.FeedStatus{Name: s.Name, URL: s.URL, Position: s.Position, Tags: s.Tags, Clock: s.Clock, Transmits: s.Transmit},
		open: map[*intake]ais.Counters{},
		long: map[*intake]uint64{},
	}
}

// feedStatus returns a copy of everything.
func (l *ledger) feedStatus() ais.FeedStatus {
	l.mu.Lock()
	defer l.mu.Unlock()
	s := l.now
	s.Counters = l.counters()
	s.MessagesPerSecond, s.BytesPerSecond = l.rate.perSecond(time.Now(), total(s.Counters))
	return s
}

func (l *ledger) counters() ais.Counters {
	sum := l.closed
	for _, c := range l.open {
		sum = plus(sum, c)
	}
	return sum
}

// total returns what the rates are made of.
func total(c ais.Counters) sums {
	return sums{c.TotalMessages(), c.Bytes}
}

// updateStatus lets fn alter the plain fields of the status.
func (l *ledger) updateStatus(fn func(s *ais.FeedStatus)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fn(&l.now)
}

// recordCounts takes over what the intake has counted so far.
func (l *ledger) recordCounts(in *intake, heard bool, now time.Time) {
	counters := in.decoder.Counters()
	counters.Bytes += in.split.dropped // a feed without line ends, as at a wrong baud rate, hears bytes too
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now.LongLines += in.split.long - l.long[in]
	l.long[in] = in.split.long
	l.open[in] = counters
	if heard {
		l.now.LastMessage = now
	}
	if l.rate.isSampleDue(now) {
		l.rate.add(now, total(l.counters()))
		l.now.Own = in.decoder.Own()
	}
}

// endIntake ends an intake: its counts stay.
func (l *ledger) endIntake(in *intake) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = plus(l.closed, l.open[in])
	l.now.Own = in.decoder.Own()
	delete(l.open, in)
	delete(l.long, in)
}

// sums are running totals.
type sums struct{ messages, bytes uint64 }

// meter keeps totals of the last ten seconds, one a second, and gives their slope. It uses monotonic time.
type meter struct {
	at   [meterSamples]time.Time
	sum  [meterSamples]sums
	last int // index of the newest sample
}

const (
	meterSamples = 12
	meterSpan    = 10 * time.Second
)

// isSampleDue reports whether the newest sample is a second old.
func (m *meter) isSampleDue(now time.Time) bool { return now.Sub(m.at[m.last]) >= time.Second }

func (m *meter) add(now time.Time, s sums) {
	m.last = (m.last + 1) % meterSamples
	m.at[m.last], m.sum[m.last] = now, s
}

// perSecond returns the mean growth since the sample that is ten seconds old, or since the oldest when all are younger.
func (m *meter) perSecond(now time.Time, s sums) (messages, bytes float64) {
	for back := range meterSamples {
		i := (m.last + meterSamples - back) % meterSamples
		if m.at[i].IsZero() {
			break
		}
		from, age := m.sum[i], now.Sub(m.at[i])
		over := max(age, time.Second).Seconds() // what came just after the start is no rate yet
		messages = float64(s.messages-from.messages) / over
		bytes = float64(s.bytes-from.bytes) / over
		if age >= meterSpan {
			break
		}
	}
	return messages, bytes
}

// plus adds what two decoders counted.
func plus(a, b ais.Counters) ais.Counters {
	a.Lines += b.Lines
	a.Bytes += b.Bytes
	a.Sentences += b.Sentences
	a.Other += b.Other
	for i, n := range b.Messages {
		a.Messages[i] += n
	}
	for i, n := range b.Bad {
		a.Bad[i] += n
	}
	return a
}
