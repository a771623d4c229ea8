package ais

import "time"

// Report is a message with its source and its times. Message and Raw point into the Batch that holds the report: copy
// what must outlive Batch.Release.
type Report struct {
	Message     Message
	Raw         []byte    // the AIS sentences as received ("!AIVDM,…*hh"), joined by CRLF, without tag block or wrapper
	Hash        uint64    // of the message bits, for finding duplicates
	Received    time.Time // by our clock, or by the log for a feed with LogClock; reports are ordered by it
	Sent        time.Time // by the tag block, wrapper or the report's own UTC second; zero when unknown
	Feed        string    // name of the feed
	Station     string    // the receiving station that the sentence itself names, "" when none
	Channel     byte      // 'A', 'B' or 0
	Own         bool      // VDO: sent by the own transponder
	BySatellite bool      // heard by a feed of satellites
	WrongClock  bool      // our clock was known to be wrong when it was received
}

// Batch carries reports from a feed to the traffic picture and keeps the memory behind them, so that a position report
// costs no allocation. A Batch is filled by one goroutine, handed over, read by one goroutine and then released.
type Batch struct {
	Reports []Report

	raw       []byte
	positions arena[PositionReport]
	classB    arena[ClassBReport]
	base      arena[BaseStationReport]
	static    arena[StaticVoyage]
	parts     arena[StaticReport]
	sar       arena[SARAircraftReport]
	longRange arena[LongRangeReport]
	inquiry   arena[Interrogation]
	codec     codec // decodes what goes into the arenas
	recycle   chan *Batch
}

// arena hands out slots of one slice. When the slice is full, a larger one is begun; the full one stays with the reports that
// point into it. So a slot never moves.
type arena[T any] struct{ slots []T }

func (a *arena[T]) next() *T {
	n := len(a.slots)
	if n == cap(a.slots) {
		a.slots, n = make([]T, 0, max(16, 2*n)), 0
	}
	a.slots = a.slots[:n+1]
	return &a.slots[n]
}

// emptySlot returns a slot with nothing in it.
func (a *arena[T]) emptySlot() *T {
	slot := a.next()
	clear(a.slots[len(a.slots)-1:])
	return slot
}

// Position returns a slot for a class A position report. It may hold an old one: the caller sets each field.
func (b *Batch) Position() *PositionReport { return b.positions.next() }

// ClassB returns a slot for a class B position report. It may hold an old one: the caller sets each field.
func (b *Batch) ClassB() *ClassBReport { return b.classB.next() }

// addReport returns an empty report at the end of the batch.
func (b *Batch) addReport() *Report {
	n := len(b.Reports)
	if n < cap(b.Reports) {
		b.Reports = b.Reports[:n+1] // Reset left it empty
	} else {
		b.Reports = append(b.Reports, Report{})
	}
	return &b.Reports[n]
}

// keepSentence copies a sentence into the batch's memory.
func (b *Batch) keepSentence(sentence []byte) []byte {
	b.reserve(len(sentence))
	start := len(b.raw)
	b.raw = append(b.raw, sentence...)
	return b.raw[start:len(b.raw):len(b.raw)]
}

// keepAll copies sentences, joined by CRLF.
func (b *Batch) keepAll(sentences [][]byte) []byte {
	need := 0
	for _, s := range sentences {
		need += len(s) + 2
	}
	b.reserve(need)
	start := len(b.raw)
	for i, s := range sentences {
		if i > 0 {
			b.raw = append(b.raw, '\r', '\n')
		}
		b.raw = append(b.raw, s...)
	}
	return b.raw[start:len(b.raw):len(b.raw)]
}

// reserve begins a new piece of memory when the current one has no room for n bytes. The old one stays with its reports.
func (b *Batch) reserve(n int) {
	if cap(b.raw)-len(b.raw) < n {
		b.raw = make([]byte, 0, max(4096, 2*cap(b.raw), n))
	}
}

// Pool hands out batches and takes them back.
type Pool struct {
	free chan *Batch
}

// NewPool makes a pool that keeps at most n batches for use again.
func NewPool(n int) *Pool { return &Pool{free: make(chan *Batch, n)} }

// Get returns an empty batch.
func (p *Pool) Get() *Batch {
	select {
	case b := <-p.free:
		return b
	default:
		return &Batch{recycle: p.free}
	}
}

// Release gives the batch back to its pool. Nothing of it may be used afterwards.
func (b *Batch) Release() {
	b.Reset()
	select {
	case b.recycle <- b:
	default:
	}
}

// Reset empties the batch and keeps its memory.
func (b *Batch) Reset() {
	clear(b.Reports)
	b.Reports = b.Reports[:0]
	b.raw = b.raw[:0]
	b.positions.slots = b.positions.slots[:0]
	b.classB.slots = b.classB.slots[:0]
	b.base.slots = b.base.slots[:0]
	clear(b.static.slots) // they hold texts
	b.static.slots = b.static.slots[:0]
	clear(b.parts.slots)
	b.parts.slots = b.parts.slots[:0]
	b.sar.slots = b.sar.slots[:0]
	b.longRange.slots = b.longRange.slots[:0]
	b.inquiry.slots = b.inquiry.slots[:0]
}
