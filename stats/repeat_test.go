package stats

import (
	"errors"
	"testing"
	"time"

	"quaywatch/await"
	"quaywatch/rule"
	"quaywatch/ship/statistic"
)

// at reads a time of a table.
func at(t *testing.T, text string) time.Time {
	t.Helper()
	layout := "2006-01-02 15:04"
	if len(text) == len(time.DateOnly) {
		layout = time.DateOnly
	}
	moment, err := time.Parse(layout, text)
	if err != nil {
		t.Fatal(err)
	}
	return moment
}

// TestThePeriodsOfARepeat: what runs again, and for which period, over the ends of months, a leap day, and a week in which the box was off.
func TestThePeriodsOfARepeat(t *testing.T) {
	for _, c := range []struct {
		name                  string
		repeat                Repeat
		begin, end, last, now string // last is the end of the last run
		wantBegin, wantEnd    string // "" where nothing is due
		next                  string // the end of the period after the last run
	}{
		{"a day is not over", Daily, "2026-11-20", "2026-11-21", "2026-11-21", "2026-11-21 23:59", "", "", "2026-11-22"},
		{"a day is over", Daily, "2026-11-20", "2026-11-21", "2026-11-21", "2026-11-22", "2026-11-21", "2026-11-22", "2026-11-22"},
		{"off for a week: the latest alone", Daily, "2026-11-20", "2026-11-21", "2026-11-21", "2026-11-29 07:30", "2026-11-28", "2026-11-29", "2026-11-22"},
		{"hours of a day", Daily, "2026-11-20 06:00", "2026-11-20 14:00", "2026-11-20 14:00", "2026-11-21 14:00", "2026-11-21 06:00", "2026-11-21 14:00", "2026-11-21 14:00"},
		{"over the leap day", Daily, "2028-02-28", "2028-02-29", "2028-02-29", "2028-03-01", "2028-02-29", "2028-03-01", "2028-03-01"},
		{"a week", Weekly, "2026-11-16", "2026-11-23", "2026-11-23", "2026-11-30", "2026-11-23", "2026-11-30", "2026-11-30"},
		{"a week that is not over", Weekly, "2026-11-16", "2026-11-23", "2026-11-23", "2026-11-29 23:59", "", "", "2026-11-30"},
		{"a day of each week, months later", Weekly, "2026-01-05", "2026-01-06", "2026-01-06", "2026-03-31", "2026-03-30", "2026-03-31", "2026-01-13"},
		{"a calendar month", Monthly, "2026-01-01", "2026-02-01", "2026-02-01", "2026-03-01", "2026-02-01", "2026-03-01", "2026-03-01"},
		{"a month that is not over", Monthly, "2026-01-01", "2026-02-01", "2026-02-01", "2026-02-28 23:59", "", "", "2026-03-01"},
		{"into a leap year", Monthly, "2028-01-01", "2028-02-01", "2028-02-01", "2028-03-01", "2028-02-01", "2028-03-01", "2028-03-01"},
		{"over the end of the year", Monthly, "2026-12-01", "2027-01-01", "2027-01-01", "2027-02-01", "2027-01-01", "2027-02-01", "2027-02-01"},
		{"from the 31st: February has none", Monthly, "2025-12-31", "2026-01-31", "2026-01-31", "2026-02-28", "2026-01-31", "2026-02-28", "2026-02-28"},
		{"and March has one again", Monthly, "2025-12-31", "2026-01-31", "2026-02-28", "2026-03-31", "2026-02-28", "2026-03-31", "2026-03-31"},
		{"30 days of each month keep their length", Monthly, "2026-01-01", "2026-01-31", "2026-01-31", "2026-03-04", "2026-02-01", "2026-03-03", "2026-03-03"},
		{"the last day of a month is a day", Monthly, "2026-01-31", "2026-02-01", "2026-02-01", "2026-03-01", "2026-02-28", "2026-03-01", "2026-03-01"},
		{"two months, each month", Monthly, "2026-01-01", "2026-03-01", "2026-03-01", "2026-04-01", "2026-02-01", "2026-04-01", "2026-04-01"},
		{"off for three months", Monthly, "2026-01-01", "2026-02-01", "2026-02-01", "2026-05-15", "2026-04-01", "2026-05-01", "2026-03-01"},
		{"the clock went back", Daily, "2026-11-20", "2026-11-21", "2026-11-25", "2026-11-23", "", "", "2026-11-26"},
		{"never", Never, "2026-11-20", "2026-11-21", "2026-11-21", "2027-11-21", "", "", ""},
	} {
		first := statistic.Period{Begin: at(t, c.begin), End: at(t, c.end)}
		last := statistic.Period{End: at(t, c.last)}
		due, ok := c.repeat.Due(first, last, at(t, c.now))
		if ok != (c.wantBegin != "") || ok && (!due.Begin.Equal(at(t, c.wantBegin)) || !due.End.Equal(at(t, c.wantEnd))) {
			t.Errorf("%s: %v, %v to %v", c.name, ok, due.Begin, due.End)
		}
		if c.next != "" {
			if next := c.repeat.After(first, last).End; !next.Equal(at(t, c.next)) {
				t.Errorf("%s: the next one at %v", c.name, next)
			}
		}
	}
}

// TestEachRunFollowsTheLast: for years of days, whatever the repeat, each period ends after the one before, and none is passed over or comes twice.
func TestEachRunFollowsTheLast(t *testing.T) {
	for _, r := range []Repeat{Daily, Weekly, Monthly} {
		for day := range 40 {
			first := statistic.Period{Begin: at(t, "2026-12-20").AddDate(0, 0, day)}
			for _, first.End = range []time.Time{first.Begin.Add(time.Hour), first.Begin.AddDate(0, 0, 30), months(first.Begin, 1)} {
				last := first
				for range 30 {
					next := r.After(first, last)
					early, no := r.Due(first, last, next.End.Add(-time.Millisecond))
					due, ok := r.Due(first, last, next.End)
					if no || !ok || due != next || !next.Begin.Before(next.End) || !last.End.Before(next.End) {
						t.Fatalf("%s of %v: after %v comes %v; due %v %v, before that %v %v", r, first, last, next, due, ok, early, no)
					}
					last = next
				}
			}
		}
	}
}

// repeated waits for the run that follows a statistic.
func (b *bench) repeated(id int64) (next Job) {
	b.t.Helper()
	await.That(b.t, "the statistic runs again", func() bool {
		b.Step()
		for _, next = range b.All() {
			if next.ID > id && next.over() {
				return true
			}
		}
		return false
	})
	return next
}

// pass moves the clock of the bench by opening it anew.
func (b *bench) pass(now time.Time) {
	b.end()
	b.now = now
	b.open()
}

// TestARepeatRunsAgain: once for each period, also where the program ended between, and only the last run goes on.
func TestARepeatRunsAgain(t *testing.T) {
	b := newBench(t, legsOf("area", nil, func(*legs) {}))
	b.fleet()
	id := b.add("area", "anna", `,"name":"Bay","filter":"sog > 0"`, 0)
	b.over(id)
	daily := Daily
	if j, err := b.Execute(id, Order{Repeat: &daily}); err != nil || j.Repeat != Daily || !j.Next().Equal(noon().Add(24*time.Hour-30*time.Minute)) {
		t.Fatalf("%+v %v", j, err)
	}
	if b.Step(); len(b.All()) != 1 {
		t.Fatal("it ran before its period was over")
	}
	b.pass(noon().Add(3 * 24 * time.Hour))
	next := b.repeated(id)
	if next.Name != "Bay 2026-11-23" || !next.End.Equal(noon().Add(3*24*time.Hour-30*time.Minute)) || next.Filter != "sog > 0" || next.Owner != "anna" || next.Repeat != Daily {
		t.Errorf("%+v", next)
	}
	if was, _ := b.Get(id); was.Repeat != Never || was.Series != nil || !was.Next().IsZero() {
		t.Errorf("the first one still repeats: %+v", was)
	}
	for range 3 {
		b.pass(b.now)
		b.Step()
	}
	if all := b.All(); len(all) != 2 {
		t.Fatalf("%d statistics after restarts", len(all))
	}
	b.pass(noon().Add(4 * 24 * time.Hour))
	if third := b.repeated(next.ID); third.Name != "Bay 2026-11-24" || third.Repeat != Daily {
		t.Errorf("%+v", third)
	}
	third := b.All()[2]
	stop := Never
	if j, err := b.Execute(third.ID, Order{Repeat: &stop}); err != nil || j.Repeat != Never || !j.Next().IsZero() {
		t.Errorf("%+v %v", j, err)
	}
	b.pass(noon().Add(9 * 24 * time.Hour))
	if b.Step(); len(b.All()) != 3 {
		t.Error("it ran after its owner had stopped it")
	}
}

// TestARepeatThatIsRefused says why on the statistic, and goes on when it may. The last run of a repeat is kept until then, however old it is.
func TestARepeatThatIsRefused(t *testing.T) {
	b := newBench(t, legsOf("area", nil, func(*legs) {}))
	b.fleet()
	id := b.add("area", "anna", `,"name":"Bay"`, 0)
	b.over(id)
	monthly := Monthly
	if _, err := b.Execute(id, Order{Repeat: &monthly}); err != nil {
		t.Fatal(err)
	}
	b.pass(noon().Add(31 * 24 * time.Hour))
	var refusal error = rule.New("owner_gone", "the owner is gone or disabled")
	b.Judge(func(j *Job) (When, error) {
		if !j.End.Equal(noon().AddDate(0, 1, 0).Add(-30 * time.Minute)) {
			return When{}, errors.New("asked of another period")
		}
		return When{Priority: 3, Most: 7}, refusal
	})
	b.Step()
	j, err := b.Get(id)
	if err != nil || j.Stuck == nil || j.Stuck.Word != "stat_repeat" || j.Repeat != Monthly {
		t.Fatalf("%+v %v", j, err)
	}
	refusal = nil
	b.Stats.mu.Lock()
	b.jobs[id].tried = time.Time{}
	b.Stats.mu.Unlock()
	if next := b.repeated(id); next.Priority != 3 || next.Most != 7 || next.Stuck != nil || next.Records != 0 && next.Records > 7 {
		t.Errorf("%+v", next)
	}
	if was, err := b.Get(id); err == nil && was.Stuck != nil {
		t.Errorf("%+v", was)
	}
}

// TestARepeatCountsForItsOwner: one that has as many as it may have gets no further one, and is told so.
func TestARepeatCountsForItsOwner(t *testing.T) {
	b := newBench(t, legsOf("area", nil, func(*legs) {}))
	id := b.add("area", "anna", "", 0)
	b.over(id)
	daily := Daily
	if _, err := b.Execute(id, Order{Repeat: &daily}); err != nil {
		t.Fatal(err)
	}
	for range MostKept - 1 {
		b.add("area", "anna", `,"execute":false`, 0)
	}
	b.pass(noon().Add(24 * time.Hour))
	b.Step()
	if j, _ := b.Get(id); j.Stuck == nil || j.Stuck.Params["problem"].(*rule.Rule).Word != "stats_kept" {
		t.Errorf("%+v", j.Stuck)
	}
}

// TestAResultIsMailedWhenItIsDone: it is asked for until it is taken, also after a kill, and not again. A rule that refuses it is told in the warnings.
func TestAResultIsMailedWhenItIsDone(t *testing.T) {
	b := newBench(t, legsOf("area", nil, func(*legs) {}))
	b.fleet()
	id := b.add("area", "anna", `,"execute":false`, 0)
	to := []string{"watch@port.example"}
	if _, err := b.Execute(id, Order{MailTo: &to}); err != nil {
		t.Fatal(err)
	}
	asked := 0
	refusal := errors.New("the disk is full")
	take := func(j *Job) error {
		if asked++; j.ID != id || len(j.MailTo) != 1 || !j.over() {
			t.Errorf("%+v", j)
		}
		return refusal
	}
	b.Deliver(take)
	if b.Step(); asked > 0 {
		t.Fatal("it was mailed before it ran")
	}
	if _, err := b.Execute(id, Order{When: &When{}}); err != nil {
		t.Fatal(err)
	}
	b.over(id)
	for count := range 2 {
		b.pass(b.now.Add(time.Minute))
		b.Deliver(take)
		if b.Step(); asked != count+1 {
			t.Fatalf("asked %d times", asked)
		}
	}
	refusal = rule.New("no_channel", "cannot be: the configuration of this box has no {channel}", "channel", "mail")
	b.pass(b.now.Add(time.Minute))
	b.Deliver(take)
	b.Step()
	if j, _ := b.Get(id); j.Mail || len(j.Warnings) == 0 || j.Warnings[len(j.Warnings)-1].Word != "stat_unsent" {
		t.Errorf("%+v", j)
	}
	b.pass(b.now.Add(time.Minute))
	b.Deliver(take)
	if b.Step(); asked != 3 {
		t.Errorf("asked %d times", asked)
	}
}
