package command

import (
	"bytes"
	"context"
	"io"
	"log/slog"
	"sync"

	"quaywatch/form"
)

// mostLine bounds a line of the log, in bytes. The stack of a fault of the program is not cut.
const mostLine = 1024

// boundedLog writes records as lines of at most mostLine bytes: texts are cut, and attributes left out where that is not enough.
type boundedLog struct {
	shared *boundedWriter
	lines  slog.Handler // writes into the buffer of shared
}

// boundedWriter is shared by a handler and those that With makes of it.
type boundedWriter struct {
	mu  sync.Mutex
	buf bytes.Buffer
	to  io.Writer
}

// newBoundedLog returns a handler over the one that lines makes for a writer.
func newBoundedLog(to io.Writer, lines func(io.Writer) slog.Handler) *boundedLog {
	shared := &boundedWriter{to: to}
	return &boundedLog{shared, lines(&shared.buf)}
}

// Enabled is that of the handler below.
func (l *boundedLog) Enabled(ctx context.Context, level slog.Level) bool {
	return l.lines.Enabled(ctx, level)
}

// WithAttrs returns a handler whose lines have the attributes, each cut to the length of a name.
func (l *boundedLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	short := make([]slog.Attr, len(attrs))
	for i, a := range attrs {
		short[i] = cutAttr(a, form.MaxName)
	}
	return &boundedLog{l.shared, l.lines.WithAttrs(short)}
}

// WithGroup returns a handler whose attributes stand in a group.
func (l *boundedLog) WithGroup(name string) slog.Handler {
	return &boundedLog{l.shared, l.lines.WithGroup(name)}
}

// Handle writes a record. It cuts ever more of the texts until the line fits.
func (l *boundedLog) Handle(ctx context.Context, r slog.Record) error {
	l.shared.mu.Lock()
	defer l.shared.mu.Unlock()
	for most := mostLine; ; most /= 2 {
		l.shared.buf.Reset()
		if err := l.lines.Handle(ctx, cutRecord(r, most)); err != nil {
			return err
		}
		if l.shared.buf.Len() <= mostLine || most == 0 || hasStack(r) {
			_, err := l.shared.buf.WriteTo(l.shared.to)
			return err
		}
	}
}

func hasStack(r slog.Record) (has bool) {
	r.Attrs(func(a slog.Attr) bool {
		has = has || a.Key == "stack"
		return !has
	})
	return has
}

// cutRecord returns a record whose texts have at most so many characters; with fewer than eight the attributes are left out.
func cutRecord(r slog.Record, most int) slog.Record {
	short := slog.NewRecord(r.Time, r.Level, form.Cut(r.Message, max(most, form.MaxName)), r.PC)
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == "stack" {
			short.AddAttrs(a)
		} else if most >= 8 {
			short.AddAttrs(cutAttr(a, most))
		}
		return true
	})
	return short
}

// cutAttr cuts a text, an error and whatever else is written as text.
func cutAttr(a slog.Attr, most int) slog.Attr {
	v := a.Value.Resolve()
	text, isText := "", v.Kind() == slog.KindString
	if isText {
		text = v.String()
	} else if err, is := v.Any().(error); is && v.Kind() == slog.KindAny {
		text, isText = err.Error(), true
	}
	if !isText || len(text) <= most {
		return a
	}
	return slog.String(a.Key, form.Cut(text, most))
}
