package ais

import "time"

// Report is a message with where it came from and when. Message and Raw point into the Batch that holds the report: copy
// what must outlive Batch.Release.
type Report struct {
	Message  Message
	Raw      []byte    // the AIS sentences as received ("!AIVDM,…*hh"), joined by CRLF, without tag block or wrapper
	Hash     uint64    // of the message bits, for finding duplicates
	Received time.Time // our clock, or the log's where the feed's clock is the log; it orders
	Sent     time.Time // by the tag block, wrapper or the report's own UTC second; zero when unknown
	Feed     string    // name of the feed
	Station  string    // the receiving station that the sentence itself names, "" when none
	Channel  byte      // 'A', 'B' or 0
	Own      bool      // VDO: said by the own transponder
}

// Batch carries reports from a feed to the traffic picture and keeps the memory behind them, so that a position report
// costs no allocation. A Batch is filled by one goroutine, handed over, read by one goroutine and then released.
type Batch struct {
	Reports []Report

	raw       []byte
	positions []PositionReport
	classB    []ClassBReport
	recycle   chan *Batch
}

// Pool hands out batches and takes them back.
type Pool struct {
	free chan *Batch
}

// NewPool makes a pool that keeps at most n batches for use again.
func NewPool(n int) *Pool { return &Pool{free: make(chan *Batch, n)} }

// Get gives an empty batch.
func (p *Pool) Get() *Batch {
	select {
	case b := <-p.free:
		return b
	default:
		return &Batch{recycle: p.free}
	}
}

// Release gives the batch back to its pool; nothing of it may be used afterwards.
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
	b.positions = b.positions[:0]
	b.classB = b.classB[:0]
}
