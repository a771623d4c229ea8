package handlers

import (
	"log/slog"

	"quaywatch/handlers/watchdogs"
	"quaywatch/notify"
	"quaywatch/users/library"
)

// openOutbox opens the outbox of notices, which tell events as the API writes them.
func (s *site) openOutbox(own *library.Library, log *slog.Logger) {
	s.t.Helper()
	outbox, err := notify.Open(notify.Config{DB: s.db.Database, Watch: s.watch, Library: own, Users: s.users, Sight: s.sight, Channels: s.channels,
		Record: watchdogs.Record, Now: s.clock.now, Log: log})
	if err != nil {
		s.t.Fatal(err)
	}
	s.outbox = outbox
}
