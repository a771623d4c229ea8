// Package health is how the box fares: what an operator must know of it, and whether its parts still move.
//
// It promises that a notice stands from the moment at which its cause is seen until the cause is gone. It also promises that nothing here waits for the disk.
// It decides nothing and repairs nothing.
package health

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"quaywatch/internal/rule"
)

// Severity says how soon an operator must look.
type Severity string

// The severities.
const (
	Warning Severity = "warning" // something will fail, or works less well than it should
	Alarm   Severity = "alarm"   // something is being lost
)

// Notice is one thing that an operator must know: a word that never changes, its sentence, and the values in it.
type Notice struct {
	*rule.Rule
	Severity Severity
	Since    time.Time // when it was seen first
	Feed     string    // of the feed that it is about, "" for the whole box
}

// sameSubject reports whether two notices are about one thing.
func (n *Notice) sameSubject(other *Notice) bool { return n.Word == other.Word && n.Feed == other.Feed }

// Board holds the notices of now. The zero Board is empty.
type Board struct {
	mu   sync.Mutex
	list []Notice
}

// Notices returns what an operator must know now, what began first before the rest.
func (b *Board) Notices() []Notice {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.list)
}

// Hold makes a list the notices of now. Those that stood before keep the time since when; the log is told of each that begins or ends.
func (b *Board) Hold(log *slog.Logger, now time.Time, list []Notice) {
	begun, ended := b.putNotices(now, list)
	for _, n := range begun {
		level := slog.LevelWarn
		if n.Severity == Alarm {
			level = slog.LevelError
		}
		log.Log(context.Background(), level, n.Error(), "notice", n.Word)
	}
	for _, n := range ended {
		log.Info("this is over: "+n.Error(), "notice", n.Word, "took", now.Sub(n.Since).Round(time.Second).String())
	}
}

// putNotices replaces the list, and returns what is new in it and what is no longer there.
func (b *Board) putNotices(now time.Time, list []Notice) (begun, ended []Notice) {
	b.mu.Lock()
	defer b.mu.Unlock()
	var kept []Notice
	for _, was := range b.list {
		i := slices.IndexFunc(list, func(n Notice) bool { return n.sameSubject(&was) })
		if i < 0 {
			ended = append(ended, was)
			continue
		}
		n := list[i]
		n.Since = was.Since
		kept = append(kept, n)
	}
	for _, n := range list {
		if slices.ContainsFunc(kept, func(was Notice) bool { return was.sameSubject(&n) }) {
			continue
		}
		n.Since = now
		begun = append(begun, n)
	}
	b.list = append(kept, begun...)
	return begun, ended
}
