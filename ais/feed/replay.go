package feed

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"quaywatch/ais"
	"quaywatch/ais/logtime"
)

// replay plays a log file to its end.
func (in *inlet) replay(ctx context.Context) error {
	log, err := OpenLog(in.target.address)
	if err != nil {
		return err
	}
	defer log.Close()
	in.opened(in.target.address)
	intake := in.newIntake()
	defer intake.close(ctx)
	p := newPace(in.target.speed)
	if err := p.playLines(ctx, intake, logtime.NewReader(log, time.Now())); err != nil {
		return fmt.Errorf("%s: %w", in.target.address, err)
	}
	return nil
}

// Log is a recorded log. It is unpacked as it is read when it begins like a file of gzip (RFC 1952) or Zstandard (RFC 8878), whatever its
// name.
type Log struct {
	io.Reader
	file *os.File
	end  func()
}

// OpenLog opens a log. It fails when the path is no regular file, since anything else could block for ever. It also fails when the file is an archive of
// another kind.
func OpenLog(path string) (*Log, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is no regular file; for a pipe use standard input", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	unpacked, end, err := unpack(bufio.NewReaderSize(file, readBuffer))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), file.Close())
	}
	return &Log{unpacked, file, end}, nil
}

// Close closes the file.
func (l *Log) Close() error {
	l.end()
	return l.file.Close()
}

// Position returns how many bytes of the file have been read, and how many there are.
func (l *Log) Position() (read, all int64) {
	read, _ = l.file.Seek(0, io.SeekCurrent) // of a regular file
	if info, err := l.file.Stat(); err == nil {
		all = info.Size()
	}
	return read, all
}

// pace lets the lines of a log go at the speed of the log's own clock. To know a line's time before it is due, a scout
// reads it first.
type pace struct {
	speed    float64
	scout    *ais.Decoder
	scratch  *ais.Batch
	log      time.Time // of the line that the pace was last begun with
	wall     time.Time // when that was
	now      time.Time // as of the line; at no speed, where no line waits, as of the read that gave it
	previous time.Time // log time of the line before
	messages uint64    // that the scout has read
}

// logGap is the longest step of the log's clock that a replay waits for. Beyond it the receiver was off, or the stamp is wrong.
const logGap = time.Hour

func newPace(speed float64) *pace {
	return &pace{
		speed:   speed,
		scout:   ais.NewDecoder(ais.DecoderConfig{Clock: ais.LogClock}),
		scratch: ais.NewPool(1).Get(),
	}
}

// playLines hands all lines of r to the intake, each when it is due.
func (p *pace) playLines(ctx context.Context, t *intake, r io.Reader) error {
	buffer := make([]byte, readBuffer)
	for {
		n, err := r.Read(buffer)
		p.now = time.Now()
		for rest, line, ok := buffer[:n], []byte(nil), true; ok; {
			if line, rest, ok = t.split.next(rest); ok {
				p.waitForLine(ctx, t, line)
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
		if err == nil {
			continue
		}
		p.waitForLine(ctx, t, t.split.lastLine())
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}
}

// waitForLine waits until the line is due. What came before it is handed over first.
func (p *pace) waitForLine(ctx context.Context, t *intake, line []byte) {
	if p.speed > 0 {
		p.now = time.Now()
		if wait := p.timeUntilDue(line, p.now); wait > 0 {
			t.handOver(ctx)
			sleep(ctx, wait)
			p.now = time.Now()
		}
	}
	t.addLine(ctx, line, p.now)
	t.doDueWork(p.now)
}

// timeUntilDue tells how long to wait before the line is due. Only lines that carry a message are waited for.
func (p *pace) timeUntilDue(line []byte, now time.Time) time.Duration {
	p.scratch.Reset()
	p.scout.Line(p.scratch, line, time.Time{})
	messages := p.scout.Counters().TotalMessages()
	if messages == p.messages {
		return 0
	}
	p.messages = messages
	at := p.scout.LogTime()
	if at.IsZero() {
		return 0 // the log has not told the time yet
	}
	step := at.Sub(p.previous)
	p.previous = at
	if step < 0 || step > logGap {
		p.log, p.wall = at, now
		return 0
	}
	due := time.Duration(float64(at.Sub(p.log)) / p.speed)
	return due - now.Sub(p.wall)
}

// standardInput reads standard input to its end.
func (in *inlet) standardInput(ctx context.Context) error {
	in.opened("stdin")
	intake := in.newIntake()
	defer intake.close(ctx)
	err := intake.readStream(ctx, pollReader{in.stdin})
	if errors.Is(err, io.EOF) {
		intake.addLine(ctx, intake.split.lastLine(), time.Now())
		return nil
	}
	return err
}

// pollReader reads any open file without staying blocked in it: pipes, terminals and files alike, of which Go's own
// poller can interrupt only some.
type pollReader struct{ file *os.File }

// Read waits for bytes for readWait at most and returns nothing when none came.
func (r pollReader) Read(p []byte) (int, error) {
	fds := []unix.PollFd{{Fd: int32(r.file.Fd()), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, int(readWait/time.Millisecond))
	if n == 0 || errors.Is(err, unix.EINTR) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return r.file.Read(p)
}
