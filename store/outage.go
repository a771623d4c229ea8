package store

import "log/slog"

// Outage tells the log once when what a keeper writes cannot be stored, and once when it can again. The zero Outage is none. It is for one goroutine at a
// time.
type Outage struct{ failing bool }

// Note takes the result of a write. The log gets the text broken when writes begin to fail, and mended when they work again.
func (o *Outage) Note(log *slog.Logger, err error, broken, mended string) {
	failing := err != nil
	if failing == o.failing {
		return
	}
	o.failing = failing
	if failing {
		log.Error(broken, "error", err)
	} else {
		log.Info(mended)
	}
}
