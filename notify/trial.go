package notify

import (
	"context"
	"slices"
	"time"

	"quaywatch/internal/rule"
	"quaywatch/store/records"
	"quaywatch/users/access/right"
)

// The bounds of tests.
const (
	MostTests = 30        // of one user in an hour, each target counts
	testsKept = time.Hour // how long the user is told of a test; one that could not be sent by then is given up
)

// Target is where a notice goes: a channel, and whom a watchdog would name there.
type Target struct{ Channel, To string }

// TestRequest is who asked for a test, and when.
type TestRequest struct {
	By string // the name of the user as it is now
	At time.Time
}

// TooManyTests is the error of a user that asked for more tests than one may in an hour.
type TooManyTests struct {
	Rule *rule.Rule
	Wait time.Duration // until there is room; 0 where there never is, because there are too many at once
}

// Error returns the sentence.
func (e *TooManyTests) Error() string { return e.Rule.Error() }

// Ways lists what can be tested: the channels that are configured, each target of one whose targets the configuration names. To is "" for any other.
func Ways(o *Outbox) (ways []Target) {
	for _, c := range o.config.Channels {
		if c.Names == nil && c.Kind != Ship {
			ways = append(ways, Target{Channel: c.Kind})
		}
		for _, name := range c.Names {
			ways = append(ways, Target{c.Kind, name})
		}
	}
	return ways
}

// Test puts a test of each target into the outbox, in one commit with also, and returns what became of them by then. A test is tried once. It needs no
// watchdog, and the user that asks, a uid, answers for it. It fails with ErrNoChannel, also for what goes on air, with *TooManyTests, and where the tests
// cannot be stored.
func Test(o *Outbox, by string, targets []Target, also ...records.CommitPart) ([]Record, error) {
	now := o.config.Now()
	var rows []*row
	for _, t := range targets {
		if t.Channel == Ship || !o.Has(t.Channel) {
			return nil, ErrNoChannel
		}
		r := &row{Channel: t.Channel, To: t.To, State: Waiting, Made: now.UnixMilli(), At: now.UnixMilli(), Test: by}
		if o.config.Silent {
			r.State = Suppressed
		}
		rows = append(rows, r)
	}
	o.writing.Lock()
	defer o.writing.Unlock()
	if err := roomForTests(testsOf(o, by, now), len(rows), now); err != nil {
		return nil, err
	}
	if err := o.write(rows, 0, also...); err != nil {
		return nil, err
	}
	return recordsOf(o, rows), nil
}

// roomForTests fails with *TooManyTests where a user that made some tests, the newest first, may not make others.
func roomForTests(made []*row, coming int, now time.Time) error {
	over := len(made) + coming - MostTests
	if over <= 0 {
		return nil
	}
	e := &TooManyTests{Rule: rule.New("too_many_tests", "one user tests at most {max} targets in an hour", "max", MostTests)}
	if coming <= MostTests {
		last := made[len(made)-over] // of those that have to be an hour old
		e.Wait = max(time.UnixMilli(last.Made).Add(testsKept).Sub(now), time.Second)
	}
	return e
}

// Tests returns what became of the tests that a user asked for in the last hour, the newest first.
func Tests(o *Outbox, by string) []Record { return recordsOf(o, testsOf(o, by, o.config.Now())) }

// testsOf returns the rows of the tests of a user in the last hour, the newest first. What is of the future is of a clock that was wrong.
func testsOf(o *Outbox, by string, now time.Time) (rows []*row) {
	o.mu.Lock()
	defer o.mu.Unlock()
	var ids []uint64
	for _, id := range o.byEvent[0] {
		r := o.rows[id]
		if age := now.Sub(time.UnixMilli(r.Made)); r.Test != "" && r.Test == by && age >= 0 && age < testsKept {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	for _, id := range slices.Backward(ids) {
		rows = append(rows, o.rows[id])
	}
	return rows
}

// late is the error of a test that nobody waits for any more.
type late struct{ *rule.Rule }

func (late) Permanent() bool { return true }

// testTo makes a message of a test. The user that asked must have the rights for the target still.
func testTo(ctx context.Context, o *Outbox, m *Delivery, r *row) error {
	at := time.UnixMilli(r.Made).UTC()
	if o.config.Now().Sub(at) >= testsKept {
		return late{rule.New("test_late", "it could not be sent within an hour")}
	}
	if err := o.owned(ctx, m, r.Test, right.SendMail); err != nil {
		return err
	}
	if lack, lacks := lacking(m.Owner, Needs(m.Owner, r.Channel, r.To)); lacks {
		return refusalOf(ownerLacks(lack))
	}
	var err error
	if m.To, err = o.Reach(r.Channel, r.To); err != nil {
		return &RefusedNotice{err}
	}
	m.Asked = &TestRequest{printableLine(m.Owner.Name, mostSubject), at}
	m.letter = m.Asked.letter(r.Channel)
	return nil
}

// letter returns the texts of a test.
func (a *TestRequest) letter(channel string) *note {
	subject, at := "Test of Quaywatch by "+a.By, a.At.Format(time.RFC3339)
	if channel == SMS {
		return &note{Subject: printableLine(subject+", "+at, mostSMS)}
	}
	return &note{Subject: printableLine(subject, mostSubject),
		Text: cleanLines(a.By+" asked at "+at+" whether notices of Quaywatch come here. They do. Nothing has happened, and there is nothing to answer.\n", mostText)}
}
