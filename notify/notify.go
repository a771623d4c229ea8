// Package notify tells the activations of watchdogs to those that do not look at the board: by mail, by SMS, to webhooks, by MQTT. It mails the results of
// statistics too, and sends the tests that users ask for.
//
// It promises that an event is never delayed by it, and that nothing is made twice or lost by a kill. It also promises that nothing is dropped silently. It
// follows the stored events with a cursor of its own. What an activation is to send stands in a durable outbox, in one commit with the moved cursor. One
// goroutine for each channel takes the notices from there, tries again what fails, for up to three days, and keeps what became of each. A target gets one at a
// time, in the order in which they were made, and one that does not answer holds up no other. A notice goes out twice only where the far end took it and the
// box went down before it could note that.
//
// # A channel
//
// A further way out is a Channel, a row of the list that app hands over in Config.Channels. Its Targets gives those that a watchdog names, and each of them
// becomes a notice. Its Send gets one notice at a time, and answers:
//
//   - nil: it is sent.
//   - an error: it is tried again, after 10 s, then after twice as long each time up to 1 h.
//   - the same with Unreached() bool that is true: its server serves nobody. The next notice that goes out ends the wait.
//   - an error with Permanent() bool that is true: it has failed, and is not tried again.
//   - a *RefusedNotice: whoever it is for may not have it. It is refused, and is not tried again.
//   - an error with Wait() time.Duration: it is not its turn, as where a channel has a limit of its own. That counts as no try.
//
// Send is asked only when the owner of the watchdog may be told of the event by now (telling.Judge). The owner must also have the rights for the target
// (Needs). So Send asks neither again. Delivery has the texts of the templates. Its ID is the same in each try, so that a far end can see that it had a
// notice already. Send must end when its context does.
package notify

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"quaywatch/engine/watchdogs"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/store/records"
	"quaywatch/users/access"
	"quaywatch/users/library"
)

// Channel is a way out. Kind, Targets and Send must be given.
type Channel struct {
	Kind    string                                                  // its word: mail, sms, webhook, mqtt
	Targets func(of *library.Resource, e *watchdogs.Event) []string // those that a watchdog tells of an event, as the notices name them
	Send    func(ctx context.Context, m *Delivery) error            // delivers one notice
	Names   []string                                                // the targets that there are, where the configuration names them; nil for any
	PerHour int                                                     // most notices that are sent in an hour, the others wait; 0 is no limit
	Limit   time.Duration                                           // how long one try may take; 0 is half a minute
	Width   int                                                     // most tries at once, each to another target; 0 is a few
	Spare   int                                                     // further tries beside those, of such as have lasted for some seconds
	Apart   bool                                                    // each target is a far end of its own: that one works says nothing of the others
}

// RefusedNotice is the error of a notice that whoever it is for may not have.
type RefusedNotice struct{ Reason error }

// Error returns why.
func (r *RefusedNotice) Error() string { return r.Reason.Error() }

// Unwrap returns why.
func (r *RefusedNotice) Unwrap() error { return r.Reason }

// NoticeState is what became of a notice.
type NoticeState string

// The states.
const (
	Waiting    NoticeState = "waiting"
	Sent       NoticeState = "sent"
	Failed     NoticeState = "failed"     // it is not tried again
	Refused    NoticeState = "refused"    // it may not be sent
	Suppressed NoticeState = "suppressed" // a demo or a replay sends nothing out
)

// The bounds of the outbox.
const (
	MostWaiting = 10_000
	MostRows    = 20_000 // those that are done included
	keep        = 30 * 24 * time.Hour
	firstRetry  = 10 * time.Second
	lastRetry   = time.Hour
	givenUp     = 3 * 24 * time.Hour
	usualLimit  = 30 * time.Second
	usualWidth  = 4
	slowTry     = 5 * time.Second // after it a try takes a spare place, and leaves its own to others
	patience    = 6               // failed tries after which a notice no longer holds up the others for its target
	mostFailing = 10_000          // targets that are remembered because they fail
	mostError   = 300             // bytes
	mostSubject = 250
	mostText    = 16_000
)

// Config is what an Outbox is made of. All but Record, Silent, Now, Most and Log must be given.
type Config struct {
	DB       *records.Database
	Watch    *watchdogs.Watch
	Library  *library.Library
	Users    *access.Users
	Sight    *sight.Sight
	Channels []Channel
	Record   func(v *sight.Viewer, e *watchdogs.Event) any // an event as the API writes it, for Delivery.Record
	Silent   bool                                          // nothing goes out: what would is noted as suppressed
	Now      func() time.Time                              // nil is the wall clock
	Most     int                                           // waiting notices; 0 is MostWaiting
	Log      *slog.Logger                                  // nil logs nothing
}

// eventJudge decides what users are told.
func (o *Outbox) eventJudge() telling.Judge {
	return telling.Judge{Library: o.config.Library, Sight: o.config.Sight}
}

// ErrNoChannel says that the configuration has no such channel.
var ErrNoChannel = errors.New("no such channel is configured")
