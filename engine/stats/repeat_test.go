package stats

import (
	"errors"
	"testing"
	"time"

	"quaywatch/engine/stats/repeat"
	"quaywatch/internal/await"
	"quaywatch/internal/rule"
)

// repeated waits for the run that follows a statistic.
func (b *bench) repeated(id int64) (next Job) {
	b.t.Helper()
	await.That(b.t, "the statistic runs again", func() bool {
		b.Step()
		for _, next = range b.All() {
			if next.ID > id && next.isOver() {
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
	daily := repeat.Daily
	if j, err := b.Execute(id, ChangeOrder{Repeat: &daily}); err != nil || j.Repeat != repeat.Daily || !j.Next().Equal(noon().Add(24*time.Hour-30*time.Minute)) {
		t.Fatalf("%+v %v", j, err)
	}
	if b.Step(); len(b.All()) != 1 {
		t.Fatal("it ran before its period was over")
	}
	b.pass(noon().Add(3 * 24 * time.Hour))
	next := b.repeated(id)
	if next.Name != "Bay 2026-11-23" || !next.End.Equal(noon().Add(3*24*time.Hour-30*time.Minute)) || next.Filter != "sog > 0" || next.Owner != "anna" || next.Repeat != repeat.Daily {
		t.Errorf("%+v", next)
	}
	if was, _ := b.Get(id); was.Repeat != repeat.Never || was.Series != nil || !was.Next().IsZero() {
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
	if third := b.repeated(next.ID); third.Name != "Bay 2026-11-24" || third.Repeat != repeat.Daily {
		t.Errorf("%+v", third)
	}
	third := b.All()[2]
	stop := repeat.Never
	if j, err := b.Execute(third.ID, ChangeOrder{Repeat: &stop}); err != nil || j.Repeat != repeat.Never || !j.Next().IsZero() {
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
	monthly := repeat.Monthly
	if _, err := b.Execute(id, ChangeOrder{Repeat: &monthly}); err != nil {
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
	if err != nil || j.Stuck == nil || j.Stuck.Word != "stat_repeat" || j.Repeat != repeat.Monthly {
		t.Fatalf("%+v %v", j, err)
	}
	refusal = nil
	b.Statistics.mu.Lock()
	b.jobs[id].tried = time.Time{}
	b.Statistics.mu.Unlock()
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
	daily := repeat.Daily
	if _, err := b.Execute(id, ChangeOrder{Repeat: &daily}); err != nil {
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
	if _, err := b.Execute(id, ChangeOrder{MailTo: &to}); err != nil {
		t.Fatal(err)
	}
	asked := 0
	refusal := errors.New("the disk is full")
	take := func(j *Job) error {
		if asked++; j.ID != id || len(j.MailTo) != 1 || !j.isOver() {
			t.Errorf("%+v", j)
		}
		return refusal
	}
	b.Deliver(take)
	if b.Step(); asked > 0 {
		t.Fatal("it was mailed before it ran")
	}
	if _, err := b.Execute(id, ChangeOrder{When: &When{}}); err != nil {
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
