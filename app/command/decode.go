package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/ais/logtime"
)

// longestLine is the most bytes of a line of a log. A longer line is no sentence and is cut.
const longestLine = 1 << 16

// decodeCommand prints every message that is whole as one JSON object a line, duplicates included.
func decodeCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "decode", false)
	raw := f.Bool("raw", false, "print the integers of the air interface, not-available codes included")
	live := f.Bool("live", false, "what comes on standard input is received now: print when")
	if err := f.parse(args, 0, 1); err != nil {
		return err
	}
	// A file holds its own time. Its first reports wait until that time is known. Nobody can tell whether a pipe comes from a receiver or from a recording. So
	// what it holds has only the times that it says itself.
	in, name, clock := c.in, "stdin", ais.NoClock
	switch {
	case *live && f.NArg() == 1:
		return f.wrong("--live is for standard input")
	case *live:
		clock = ais.ReceiverClock
	case f.NArg() == 1:
		file, err := feed.OpenLog(f.Arg(0))
		if err != nil {
			return fmt.Errorf("decode: %w", err)
		}
		defer file.Close()
		in, name, clock = logtime.NewReader(file, writtenBy(f.Arg(0), time.Now())), filepath.Base(f.Arg(0)), ais.LogClock
	}
	out := bufio.NewWriterSize(c.out, 1<<16)
	decoder := ais.NewDecoder(ais.DecoderConfig{Feed: name, Clock: clock})
	var printer ais.JSONPrinter
	return decodeAll(ctx, in, decoder, clock != ais.LogClock, func(b *ais.Batch) error {
		var line []byte
		for i := range b.Reports {
			line = append(printer.Append(line[:0], &b.Reports[i], *raw), '\n')
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		return out.Flush()
	})
}

// decodeAll reads in to its end, line by line. It hands each batch with at least one report to take, which must not keep it. Without live,
// our clock does not count, and reports of which the log tells no time have none.
func decodeAll(ctx context.Context, in io.Reader, decoder *ais.Decoder, live bool, take func(*ais.Batch) error) error {
	reader := bufio.NewReaderSize(in, longestLine)
	batch := ais.NewPool(1).Get()
	for ctx.Err() == nil {
		line, err := reader.ReadSlice('\n')
		if line = bytes.TrimRight(line, "\r\n"); len(line) > 0 {
			decoder.Line(batch, line, ourTime(live))
		}
		end := err != nil && !errors.Is(err, bufio.ErrBufferFull)
		// Nothing more is there yet: what a slow pipe has said so far must come out now.
		pause := end || reader.Buffered() == 0
		if end {
			decoder.Flush(batch, ourTime(live))
		}
		if len(batch.Reports) >= 256 || pause && len(batch.Reports) > 0 {
			if err := take(batch); err != nil {
				return err
			}
			batch.Reset()
		}
		if end {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return fmt.Errorf("read: %w", err)
		}
	}
	return ctx.Err()
}

// ourTime returns the time by our clock, and zero where that does not count.
func ourTime(live bool) time.Time {
	if live {
		return time.Now()
	}
	return time.Time{}
}
