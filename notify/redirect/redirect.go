// Package redirect forwards by mail the texts that are addressed to the own ships of a user.
//
// It promises that a user gets a text as it may be told of it, when it may, and each once in an hour. It keeps nothing over a restart: what a user that
// is told late was still to get then is on the page of messages alone. From the outbox of notify on a letter outlives a restart.
package redirect

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"quaywatch/ais"
	"quaywatch/engine/messages"
	"quaywatch/internal/wake"
	"quaywatch/notify"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// What is forwarded at most, and waits for its time.
const (
	lettersInHour = 20  // to one user
	mostWaiting   = 100 // for one user
	mostOfShip    = 100 // texts to one ship that were heard and not looked at
	mostHeard     = 4096
	lookEvery     = time.Second
)

// Config is what a Forwarder is made of. All but Log must be given.
type Config struct {
	Users  *access.Users
	Sight  *sight.Sight
	Outbox *notify.Outbox
	Log    *slog.Logger // nil logs nothing
}

// Forwarder forwards texts.
type Forwarder struct {
	config  Config
	news    wake.Kick // there is something in heard
	waiting []letter
	sent    map[copyTo]time.Time // within the last hour

	mu     sync.Mutex
	heard  []*messages.KeptMessage
	ofShip map[ais.MMSI]int // how many of them are for it
}

// copyTo is a text for a user.
type copyTo struct {
	uid string
	id  uint64
}

// letter is a text that a user is still to be judged for.
type letter struct {
	copyTo
	text  *messages.KeptMessage
	since int64 // Unix milliseconds, when it was first heard; it may be heard again while it waits
}

// New makes a forwarder.
func New(c Config) *Forwarder {
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return &Forwarder{config: c, news: wake.NewKick(), sent: map[copyTo]time.Time{}, ofShip: map[ais.MMSI]int{}}
}

// Hear takes a text that was heard. It waits for nothing: of a flood to one ship it leaves out what it cannot look at. Each ship has room of its own.
func (f *Forwarder) Hear(m *messages.KeptMessage) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ofShip[m.To] >= mostOfShip || len(f.heard) >= mostHeard {
		return
	}
	f.heard = append(f.heard, m)
	f.ofShip[m.To]++
	f.news.Wake()
}

// takeHeard takes out what was heard.
func (f *Forwarder) takeHeard() []*messages.KeptMessage {
	f.mu.Lock()
	defer f.mu.Unlock()
	heard := f.heard
	f.heard = nil
	clear(f.ofShip)
	return heard
}

// Run forwards texts until ctx is done.
func (f *Forwarder) Run(ctx context.Context) error {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-f.news:
			for _, m := range f.takeHeard() {
				f.addText(m)
			}
		case <-look.C:
		}
		f.forward(ctx)
	}
}

// addText notes for which users a text is.
func (f *Forwarder) addText(m *messages.KeptMessage) {
	for _, user := range f.config.Users.List() {
		copied := letter{copyTo{user.UID, m.ID}, m, m.Heard[len(m.Heard)-1].Heard}
		if !user.May(right.MessageRedirection) || !slices.Contains(user.OwnShips(), m.To) {
			continue
		}
		f.addLetter(copied)
	}
}

// addLetter notes a letter. A letter that waits already keeps the time at which it was first heard. So a text that is repeated again and again comes at last.
func (f *Forwarder) addLetter(copied letter) {
	count := 0
	for i := range f.waiting {
		was := &f.waiting[i]
		if was.copyTo == copied.copyTo {
			was.text, was.since = copied.text, min(was.since, copied.since) // the clock may have been set back
			return
		}
		if was.uid == copied.uid {
			count++
		}
	}
	if count < mostWaiting {
		f.waiting = append(f.waiting, copied)
	}
}

// forward sends what its users may be told by now.
func (f *Forwarder) forward(ctx context.Context) {
	if len(f.waiting) == 0 {
		return
	}
	now := f.config.Sight.Now()
	for done, at := range f.sent {
		if now.Sub(at).Abs() >= time.Hour { // or the clock was wrong then
			delete(f.sent, done)
		}
	}
	// Time goes on while letters are judged. The latest is judged first, so that none is told before an earlier one.
	senders := make([]*ship.State, len(f.waiting))
	over := make([]bool, len(f.waiting))
	for i := range slices.Backward(f.waiting) {
		senders[i], over[i] = f.judgeLetter(ctx, &f.waiting[i], now)
	}
	var still []letter
	for i, l := range f.waiting {
		if !over[i] && (senders[i] == nil || !f.post(l, senders[i], now)) {
			still = append(still, l)
		}
	}
	f.waiting = still
}

// judgeLetter returns the sender of a letter as its user may be told of it, nil while it may not. Over is a letter that the user never gets.
func (f *Forwarder) judgeLetter(ctx context.Context, l *letter, now time.Time) (sender *ship.State, over bool) {
	if _, again := f.sent[l.copyTo]; again {
		return nil, true
	}
	user, known := f.config.Users.User(l.uid)
	if !known || user.UID != l.uid || !user.Active(now) || !user.May(right.MessageRedirection) {
		return nil, true
	}
	v, err := f.config.Sight.Of(ctx, user, "user "+l.uid)
	if err != nil {
		return nil, false // it is busy
	}
	for i := range slices.Backward(l.text.Heard) {
		heard := &l.text.Heard[i]
		if heard.Heard < l.since {
			break
		}
		if told, may := v.Then(heard, l.text.Traits); may {
			return &told, false
		}
	}
	last := l.text.Heard[len(l.text.Heard)-1].Heard
	return nil, !v.Late() || v.Now().Sub(ship.Time(last)) > telling.LongestLater
}

// post puts a letter into the outbox. It is false where that is to be tried again.
func (f *Forwarder) post(l letter, sender *ship.State, now time.Time) (done bool) {
	count := 0
	for sent := range f.sent {
		if sent.uid == l.uid {
			count++
		}
	}
	if count >= lettersInHour {
		f.config.Log.Warn("a text is not forwarded: the user had too many in an hour", "user", l.uid, "max", lettersInHour)
		return true
	}
	err := f.config.Outbox.Post(letterOf(l, sender))
	if errors.Is(err, notify.ErrNoChannel) {
		return true
	}
	if err == nil {
		f.sent[l.copyTo] = now
	}
	return err == nil
}

func letterOf(l letter, sender *ship.State) notify.Letter {
	from := fmt.Sprintf("%09d", sender.MMSI)
	if sender.Static != nil && sender.Static.Name != "" {
		from = fmt.Sprintf("%s (%s)", printableName(sender.Static.Name), from)
	}
	at := ship.Time(sender.Heard).UTC().Format(time.RFC3339)
	return notify.Letter{Channel: notify.Mail, User: l.uid, Right: right.MessageRedirection, Subject: fmt.Sprintf("Safety message to %09d", l.text.To),
		Text: fmt.Sprintf("%s\n\nTo: %09d\nFrom: %s\nTime: %s\n", l.text.Text, l.text.To, from, at)}
}

// printableName returns a name in one line. No radio can send such a name; whoever writes the register can.
func printableName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, name)
}
