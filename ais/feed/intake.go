package feed

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/admission"
)

const (
	batchReports = 256                    // a batch is handed over when it holds so many
	batchAge     = 50 * time.Millisecond  // or when its first report is so old
	tickEvery    = time.Second            // how often fragments are aged and the status is brought up to date
	readWait     = 250 * time.Millisecond // how long a read may wait before ctx is looked at again
	readBuffer   = 64 << 10
)

// intake is one stream of lines on its way into batches: a connection, a port or a file. It belongs to one goroutine.
type intake struct {
	inlet   *inlet
	decoder *ais.Decoder
	split   splitter
	batch   *ais.Batch
	begun   time.Time // when the first report of batch came
	ticked  time.Time
	sender  *Sender // the sender that signed in, nil where none does
	renewed time.Time
	guest   *admission.Guest // the place of a sender to tcp-listen
	proven  time.Time        // when it was told last that the sender sends valid sentences
}

// newIntake makes an intake with a decoder of its own, so that fragments of different senders cannot be mixed.
func (in *inlet) newIntake() *intake {
	c := ais.DecoderConfig{Feed: in.source.Name, BySatellite: ais.HasSatelliteTag(in.source.Tags), Clock: in.source.Clock}
	if in.source.Transmit {
		c.Receipt = in.source.Receipt
	}
	return &intake{inlet: in, decoder: ais.NewDecoder(c), batch: in.pool.Get()}
}

// close sends what is left, also what a log without a clock held back. It adds the counts to those of the source for good.
func (t *intake) close(ctx context.Context) {
	held := len(t.batch.Reports)
	t.decoder.Flush(t.batch, time.Now())
	t.sift(held)
	t.handOver(ctx)
	t.inlet.ledger.recordCounts(t, false, time.Now())
	t.inlet.ledger.endIntake(t)
	t.batch.Release()
}

// chunk takes a piece of a stream.
func (t *intake) chunk(ctx context.Context, p []byte, now time.Time) {
	for {
		line, rest, ok := t.split.next(p)
		if !ok {
			return
		}
		t.addLine(ctx, line, now)
		p = rest
	}
}

// datagram takes a whole datagram: its last line needs no line end.
func (t *intake) datagram(ctx context.Context, p []byte, now time.Time) {
	t.chunk(ctx, p, now)
	t.addLine(ctx, t.split.lastLine(), now)
}

// addLine takes one line, and sends the batch when it is full or old.
func (t *intake) addLine(ctx context.Context, line []byte, now time.Time) {
	if len(line) == 0 {
		return
	}
	before := len(t.batch.Reports)
	t.decoder.Line(t.batch, line, now)
	t.sift(before)
	switch after := len(t.batch.Reports); {
	case after == before:
	case before == 0:
		t.begun = now
	case after >= batchReports || now.Sub(t.begun) >= batchAge:
		t.handOver(ctx)
	}
}

// handOver sends the batch to the reader if there is anything in it. A finite source waits until the reader takes it; a live source drops
// it when there is no room.
func (t *intake) handOver(ctx context.Context) {
	now := time.Now()
	if len(t.batch.Reports) == 0 {
		t.doDueWork(now)
		return
	}
	if t.guest != nil && now.Sub(t.proven) >= tickEvery {
		t.guest.Prove(now)
		t.proven = now
	}
	t.inlet.ledger.recordCounts(t, true, now)
	if t.sendBatch(ctx) {
		t.batch = t.inlet.pool.Get()
		return
	}
	t.batch.Reset()
}

// sendBatch reports whether the batch was taken.
func (t *intake) sendBatch(ctx context.Context) bool {
	select {
	case t.inlet.out <- t.batch:
		return true
	default:
	}
	if t.inlet.target.kind.finite() {
		select {
		case t.inlet.out <- t.batch:
			return true
		case <-ctx.Done():
			return false
		}
	}
	lost := sentences(t.batch)
	t.inlet.ledger.updateStatus(func(s *ais.FeedStatus) {
		s.Overflow.Batches++
		s.Overflow.Sentences += lost
	})
	return false
}

// sentences counts the sentences behind a batch's reports.
func sentences(b *ais.Batch) (n uint64) {
	for i := range b.Reports {
		n += 1 + uint64(bytes.Count(b.Reports[i].Raw, []byte("\r\n")))
	}
	return n
}

// doDueWork does what is due once a second.
func (t *intake) doDueWork(now time.Time) {
	if now.Sub(t.ticked) < tickEvery {
		return
	}
	t.ticked = now
	t.decoder.Expire(now)
	t.inlet.ledger.recordCounts(t, false, now)
}

// readStream reads r until it fails, has ended (io.EOF) or ctx is done. A read must return within about readWait, with nothing or
// os.ErrDeadlineExceeded when there was nothing. Batches are sent after each read.
func (t *intake) readStream(ctx context.Context, r io.Reader) error {
	buffer := make([]byte, readBuffer)
	pauses := pauses{quiet: longPause}
	for ctx.Err() == nil {
		n, err := r.Read(buffer)
		now := time.Now()
		if err := t.renew(now); err != nil {
			return err
		}
		if n > 0 {
			t.chunk(ctx, buffer[:n], now)
		}
		if n < len(buffer) {
			t.handOver(ctx)
		}
		t.doDueWork(now)
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			return err
		}
		if n < largePiece && !t.inlet.target.kind.isSerial() {
			time.Sleep(pauses.pauseAfter(n, now))
		}
	}
	return ctx.Err()
}
