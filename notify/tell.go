package notify

import (
	"cmp"
	"context"
	"slices"
	"time"

	"quaywatch/users/access/right"
)

// Record is a notice as the record of its event has it.
type Record struct {
	Channel string
	To      string // a uid of a user, or what the watchdog says
	State   NoticeState
	Time    time.Time // of the state; of one that waits the last try, or when it was made
	Error   string    // of the last try
}

// Of returns the notices of an event, in the order in which they were made.
func (o *Outbox) Of(event uint64) []Record {
	return recordsOf(o, o.rowsFor(event))
}

// recordsOf returns rows as records.
func recordsOf(o *Outbox, rows []*row) (records []Record) {
	for _, r := range rows {
		to := r.To
		if user, known := o.config.Users.User(to); known && user.UID == to {
			to = user.Name
		}
		records = append(records, Record{r.Channel, to, r.State, time.UnixMilli(r.At).UTC(), r.Error})
	}
	return records
}

func (o *Outbox) rowsFor(event uint64) (rows []*row) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range o.byEvent[event] {
		rows = append(rows, o.rows[id])
	}
	return rows
}

// Has reports whether a channel is configured.
func (o *Outbox) Has(channel string) bool {
	return slices.ContainsFunc(o.config.Channels, func(c Channel) bool { return c.Kind == channel })
}

// Tell has a channel tell of an event further targets, which its watchdog need not name; those that it tells already are left out. It fails with
// ErrNoChannel, and where the notices cannot be stored.
func (o *Outbox) Tell(event uint64, channel string, targets ...string) error {
	if !o.Has(channel) {
		return ErrNoChannel
	}
	e, err := o.config.Watch.Get(event)
	if err != nil {
		return err
	}
	var rows []*row
	for _, to := range targets {
		if !slices.ContainsFunc(o.rowsFor(event), func(r *row) bool { return r.Channel == channel && r.To == to }) {
			r := o.makeNotice(&e, channel, to)
			r.Extra = true
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return o.add(rows, 0)
}

// Letter is a notice of something else than an event, to a user.
type Letter struct {
	Channel string
	User    string     // uid: the owner of the notice, and the target
	Right   right.Name // that the user must have when it is sent
	Subject string     // in one line; the whole text of an SMS
	Text    string
}

// note is what a letter says, as it is stored.
type note struct {
	Right   right.Name `json:"right"`
	Subject string     `json:"subject"`
	Text    string     `json:"text,omitempty"`
}

// Post puts a letter into the outbox. It fails with ErrNoChannel, and where it cannot be stored.
func (o *Outbox) Post(l Letter) error {
	if !o.Has(l.Channel) {
		return ErrNoChannel
	}
	now := o.config.Now().UnixMilli()
	r := &row{Channel: l.Channel, To: l.User, State: Waiting, Made: now, At: now,
		Letter: &note{l.Right, printableLine(l.Subject, mostSubject), cleanLines(l.Text, mostText)}}
	if o.config.Silent {
		r.State = Suppressed
	}
	return o.add([]*row{r}, 0)
}

// letter makes a message of a letter.
func (o *Outbox) letter(ctx context.Context, m *Delivery, l *note) error {
	m.letter = l
	if err := o.owned(ctx, m, m.To, l.Right); err != nil {
		return err
	}
	var err error
	if m.To, err = o.addressOf(m.Owner, m.Channel); err != nil {
		return &RefusedNotice{err}
	}
	return nil
}

// Trouble is a channel whose notices do not go out.
type Trouble struct {
	Channel string
	Since   time.Time // of the first try that failed, or since when a notice waits for the limit of an hour
	Error   string    // of the last one, or that limit
}

// Status is how the notices are.
type Status struct {
	Waiting int
	Pushed  uint64    // notices that gave way to others unsent, since the start
	Trouble []Trouble // by channel
}

// Status returns how the notices are now. Of the far ends of a channel it tells the one that has failed for longest.
func (o *Outbox) Status() Status {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := Status{Pushed: o.pushed}
	for _, ids := range o.waiting {
		s.Waiting += len(ids)
	}
	for of, t := range o.trouble {
		i := slices.IndexFunc(s.Trouble, func(other Trouble) bool { return other.Channel == of.channel })
		if i < 0 {
			s.Trouble = append(s.Trouble, t)
		} else if t.Since.Before(s.Trouble[i].Since) {
			s.Trouble[i] = t
		}
	}
	for i := range o.config.Channels {
		c := &o.config.Channels[i]
		t, waits := limitedSince(o, c, o.config.Now().UnixMilli())
		if waits && !slices.ContainsFunc(s.Trouble, func(other Trouble) bool { return other.Channel == c.Kind }) {
			s.Trouble = append(s.Trouble, t)
		}
	}
	slices.SortFunc(s.Trouble, func(a, b Trouble) int { return cmp.Compare(a.Channel, b.Channel) })
	return s
}

// judged notes whether a target and its far end work. What one target alone refuses says nothing of that, and nor does a test that fails: it may go to a wrong
// address. Where the server of the channel was not reached, the next notice that it takes ends the wait of all targets that failed for that.
func (o *Outbox) judged(c *Channel, now *row, unreached bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	target, end := aim{c.Kind, now.To}, aim{channel: c.Kind}
	if c.Apart {
		end = target
	}
	switch {
	case now.State == Sent:
		delete(o.failing, target)
		delete(o.trouble, end)
		if !c.Apart {
			endWaits(o, c, now.At)
		}
	case now.State == Failed && now.Test == "":
		delete(o.failing, target)
	case now.State == Waiting && now.Error != "" && now.Tries > 0:
		f, t := o.failing[target], o.trouble[end]
		if f.tries++; len(o.failing) < mostFailing || f.tries > 1 {
			o.failing[target] = failing{f.tries, now.At + backoff(f.tries).Milliseconds(), unreached}
		}
		if t.Since.IsZero() {
			t = Trouble{Channel: c.Kind, Since: o.config.Now()}
		}
		t.Error = now.Error
		o.trouble[end] = t
	}
}
