package statistics

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"quaywatch/engine/stats"
	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/notify"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// mostMailed bounds the table of a mail, in bytes. Of a longer one the first rows are sent.
const mostMailed = 5 << 20

// mailNeeds returns the rights that the owner of a statistic needs, and whoever names the target, to mail its table to a target.
func mailNeeds(owner *access.User, target string) []right.Name {
	return append(notify.Needs(owner, notify.Mail, target), right.AllowMailAttachments)
}

// mailTo reads to whom the result of a statistic is mailed. What stays as it was needs no right.
func (s *Server) mailTo(c *request.Request, f *form.Fields, owner *access.User, j *stats.Job) ([]string, error) {
	if !f.Given("mail_to") {
		return j.MailTo, nil
	}
	find := form.Finder(s.deps.Box.Find)
	var texts []string
	trial := form.Of(form.Keys{"mail_to": f.Raw("mail_to")})
	trial.Into("mail_to", &texts, rule.New("texts", "must be an array of strings"))
	had := library.MailNames(j.MailTo, find)
	for _, text := range texts { // before the caller learns which users there are
		if strings.EqualFold(text, c.Caller.User.Name) {
			text = c.Caller.User.UID
		}
		if slices.Contains(had, text) {
			continue
		}
		if err := request.Entitled(c.Caller.User, mailNeeds(c.Caller.User, text)...); err != nil {
			return nil, err
		}
	}
	now := library.MailTargets(f, j.MailTo, find)
	if f.Err() != nil {
		return now, nil
	}
	for i, target := range now {
		if slices.Contains(j.MailTo, target) {
			continue
		}
		if !s.deps.Notices.Has(notify.Mail) {
			f.Refuse("mail_to", rule.New("no_channel", "cannot be: the configuration of this box has no {channel}", "channel", notify.Mail))
			break
		}
		for _, who := range []*access.User{c.Caller.User, owner} {
			if err := request.Entitled(who, mailNeeds(who, target)...); err != nil {
				return nil, err
			}
		}
		if _, err := s.reads(owner, j, target); err != nil {
			f.Check(fmt.Sprintf("mail_to/%d", i), err)
		}
	}
	return now, nil
}

// reads returns for whom the result is cut that goes to a target. It is a user that may see the statistic, or its owner for an address. It fails with a rule.
func (s *Server) reads(owner *access.User, j *stats.Job, target string) (*access.User, error) {
	reader := owner
	if !strings.Contains(target, "@") {
		user, err := s.deps.Notices.Addressed(target)
		if err != nil {
			return nil, err
		}
		if reader = user; !s.shares(user, j) {
			return nil, rule.New("reader_gone", "the user is gone or disabled, or may not see the statistic")
		}
	}
	need := needs(j.Kind)
	if j.Kind == "historicaltrack" { // a track as a file
		need = append(need, right.DownloadHistoricalTracks)
	}
	for _, r := range need {
		if !reader.May(r) {
			return nil, rule.New("reader_lacks", "the user {name} lacks the right {right}", "name", reader.Name, "right", r)
		}
	}
	return reader, nil
}

// Deliver has the result of a statistic mailed to its targets. It fails with the rule that says why nothing is.
func (s *Server) Deliver(j *stats.Job) error {
	err := s.deps.Notices.Mail(j.ID, j.MailTo)
	if errors.Is(err, notify.ErrNoChannel) {
		return rule.New("no_channel", "cannot be: the configuration of this box has no {channel}", "channel", notify.Mail)
	}
	return err
}

// Pack makes the mail of a statistic for a target. Its table is cut for its reader, as the reader may have it by now.
func (s *Server) Pack(ctx context.Context, id int64, target string) (p notify.Parcel, err error) {
	j, err := s.deps.Stats.Get(id)
	if err != nil {
		return p, &notify.RefusedNotice{Reason: rule.New("no_statistic", "there is no such statistic")}
	}
	owner, ok := s.deps.Users.User(j.Owner)
	if !ok || owner.UID != j.Owner || !owner.Active(s.deps.Desk.Sight.Now()) {
		return p, &notify.RefusedNotice{Reason: rule.New("owner_gone", "the owner is gone or disabled")}
	}
	for _, r := range mailNeeds(owner, target) {
		if !owner.May(r) {
			return p, &notify.RefusedNotice{Reason: rule.New("owner_lacks", "the owner lacks the right {right}", "right", r)}
		}
	}
	reader, err := s.reads(owner, &j, target)
	if err != nil {
		return p, &notify.RefusedNotice{Reason: err}
	}
	v, err := s.deps.Desk.Sight.Of(ctx, reader, request.OwnerKey(reader.UID))
	if err != nil {
		return p, cmp.Or(ctx.Err(), notify.Later(time.Second))
	}
	if wait := awaits(s.deps.Desk.ListenerOf(reader, v), &j); wait > 0 { // a reader that is told late gets the whole, later
		return p, notify.Later(wait)
	}
	p.Subject = "Statistic " + cmp.Or(j.Name, j.Kind)
	body := fmt.Sprintf("%s\nKind: %s\nPeriod: %s to %s\n", cmp.Or(j.Name, j.Kind), j.Kind, timeText(j.Begin), timeText(j.End))
	if j.State == stats.Aborted {
		p.Text = body + "\nIt failed: " + j.Error.Rule().Error() + ".\n"
		return p, nil
	}
	of := &cursor{reader: s.reader(reader, &j, v, places{entry: true})}
	table, rows, more, err := s.mailed(ctx, of, reader, &j)
	if err != nil {
		return p, err
	}
	switch {
	case rows == 0:
		body += "\nNothing that you may see fits the question, so there is no table.\n"
	case more:
		body += fmt.Sprintf("\nThe table is attached. It has the first %d rows alone: a mail has at most %d MiB. The others are in the program.\n", rows, mostMailed>>20)
	case rows == 1:
		body += "\nThe table is attached. It has one row.\n"
	default:
		body += fmt.Sprintf("\nThe table is attached. It has %d rows.\n", rows)
	}
	for _, warning := range s.toldRecord(reader, v, &j).Warnings {
		body += warning.Error() + ".\n"
	}
	if p.Text = body; rows > 0 {
		p.File = &notify.AttachedFile{Name: fmt.Sprintf("%s-%d.csv", j.Kind, j.ID), Type: "text/csv; charset=utf-8", Bytes: table}
	}
	return p, nil
}

// awaits returns how long a reader still waits until it is told all that the run of a statistic knew, 0 where it is.
func awaits(l *telling.Listener, j *stats.Job) time.Duration {
	if !ofCalls(j.Kind) {
		known := j.Latest // a record may tell of reports after the period
		if end := earlier(j.End, j.Finished); known.Before(end) {
			known = end
		}
		return sight.Awaits(l.Viewer, known)
	}
	return l.AwaitsCalls(j.Finished, j.Kind == "portcalls") // calls of the period, and their times, are known after it
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

// busyMail is how long a mail waits where there is no memory for its table now.
const busyMail = time.Minute

// mailed returns the table of a result as far as a mail holds it, and how many rows it has below its head. more tells that there are others. The memory for it
// counts as that of an answer to its reader does. Where there is none the mail waits.
func (s *Server) mailed(ctx context.Context, of *cursor, reader *access.User, j *stats.Job) (table []byte, rows int, more bool, err error) {
	ctx, cut := context.WithCancel(ctx)
	defer cut()
	hold := s.deps.Answers.Hold(request.OwnerKey(reader.UID), false, cut)
	if !hold.Take(min(resultBytes+sumBytes(j, request.Layout{Name: "csv"}), s.deps.Answers.Share())) {
		return nil, 0, false, notify.Later(busyMail)
	}
	defer hold.Release()
	first, err := of.next(ctx)
	to := &bounded{most: mostMailed}
	if err == nil {
		err = (&source{of, first}).csv(ctx, to)
	}
	if hold.Lost() {
		return nil, 0, false, notify.Later(busyMail)
	}
	if err != nil {
		return nil, 0, false, err
	}
	table, rows = wholeRows(to.Bytes())
	return table, max(rows-1, 0), to.full, nil
}

// errFull ends the writing of what is longer than a mail holds.
var errFull = errors.New("the mail is full")

// bounded keeps so many bytes.
type bounded struct {
	bytes.Buffer
	most int
	full bool
}

// Write keeps what fits, and fails where that is not all.
func (b *bounded) Write(p []byte) (int, error) {
	n := min(len(p), b.most-b.Len())
	_, _ = b.Buffer.Write(p[:n]) // it never fails
	if n < len(p) {
		b.full = true
		return n, errFull
	}
	return n, nil
}

// wholeRows returns the lines of a table that are whole, and how many these are.
func wholeRows(table []byte) (whole []byte, rows int) {
	quoted, end := false, 0
	for i, c := range table {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '\n' && !quoted:
			rows, end = rows+1, i+1
		}
	}
	return table[:end], rows
}
