// Package outage tells the log of writes that fail, once and not with each write.
package outage

import "log/slog"

// Logger tells the log once when what a keeper writes cannot be stored, and once when it can again. The zero Logger has seen no failure.
// It is for one goroutine at a time.
type Logger struct{ failing bool }

// Note takes the result of a write. The log gets the text broken when writes begin to fail, and mended when they work again.
func (n *Logger) Note(log *slog.Logger, err error, broken, mended string) {
	failing := err != nil
	if failing == n.failing {
		return
	}
	n.failing = failing
	if failing {
		log.Error(broken, "error", err)
	} else {
		log.Info(mended)
	}
}
