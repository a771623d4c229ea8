package notify

import (
	"context"
	"strings"
	"time"

	"quaywatch/internal/rule"
	"quaywatch/users/access"
)

// Parcel is the mail of a statistic to one target, as its reader may have it.
type Parcel struct {
	Subject string // in one line
	Text    string
	File    *AttachedFile // nil for none
}

// AttachedFile is what is attached to a mail.
type AttachedFile struct {
	Name  string
	Type  string // of its content
	Bytes []byte
}

// Packer makes the parcel of a statistic for a target, a uid or an address. It is asked in each try, so it tells what the reader may have by then. It fails
// with a *RefusedNotice where that is nothing, and with Later where it may be something later.
type Packer func(ctx context.Context, statistic int64, to string) (Parcel, error)

// Later is the error of what has to wait.
func Later(d time.Duration) error { return pausing(min(max(d, lookLater), mostLater)) }

// Pack takes what makes the parcels of statistics. It is called once, before Run.
func (o *Outbox) Pack(p Packer) { o.packer = p }

// Mail puts a parcel of a statistic for each target into the outbox, in one commit. One whose parcels it knows is not sent again. It fails with
// ErrNoChannel, and where it cannot be stored.
func (o *Outbox) Mail(statistic int64, targets []string) error {
	if !o.Has(Mail) {
		return ErrNoChannel
	}
	now := o.config.Now().UnixMilli()
	var rows []*row
	for _, to := range targets {
		r := &row{Channel: Mail, To: to, State: Waiting, Made: now, At: now, Statistic: statistic}
		if o.config.Silent {
			r.State = Suppressed
		}
		rows = append(rows, r)
	}
	o.writing.Lock()
	defer o.writing.Unlock()
	if len(rows) == 0 || len(parcelsOf(o, statistic)) > 0 {
		return nil
	}
	return o.write(rows, 0)
}

// Parcels returns what became of the parcels of a statistic, in the order in which they were made.
func (o *Outbox) Parcels(statistic int64) []Record { return recordsOf(o, parcelsOf(o, statistic)) }

// Addressed returns a user that is reached by mail, and fails with the rule that says why it is not.
func (o *Outbox) Addressed(uid string) (*access.User, error) {
	user, known := o.user(uid)
	if !known {
		return nil, rule.New("reader_gone", "the user is gone or disabled, or may not see the statistic")
	}
	_, err := o.addressOf(user, Mail)
	return user, err
}

// parcel makes a message of a parcel.
func (o *Outbox) parcel(ctx context.Context, m *Delivery, r *row) error {
	if o.packer == nil {
		return pausing(lookLater)
	}
	p, err := o.packer(ctx, r.Statistic, r.To)
	if err != nil {
		return err
	}
	m.letter, m.File = &note{Subject: printableLine(p.Subject, mostSubject), Text: cleanLines(p.Text, mostText)}, p.File
	if strings.Contains(r.To, "@") {
		return nil
	}
	user, err := o.Addressed(r.To)
	if err != nil {
		return &RefusedNotice{err}
	}
	m.To, err = o.addressOf(user, Mail)
	return err
}
