package jobs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// bench is a runner inside a bubble of its own time, with a kind that is fetched once and one that is fetched several times.
type bench struct {
	*Runner
	once, often *Kind[string]
	stop        context.CancelFunc
	order       []string // of the jobs, as they began
}

func inBubble(t *testing.T, atOnce int, test func(t *testing.T, b *bench)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		r := NewRunner(ctx, time.Now, Limits{AtOnce: atOnce, PerOwner: 8, InAll: 20})
		b := &bench{Runner: r, stop: stop}
		b.once = NewKind[string](r, Policy{Name: "areas", Limit: 2 * time.Minute, Unfetched: 15 * time.Minute})
		b.often = NewKind[string](r, Policy{Name: "tracks", Unfetched: 15 * time.Minute, Fetched: time.Hour})
		test(t, b)
		stop()
		r.Wait()
	})
}

// begin starts a job that takes a while; its result is its name.
func (b *bench) begin(t *testing.T, k *Kind[string], owner, name string, priority int, takes time.Duration) int64 {
	t.Helper()
	id, err := k.Start(owner, priority, func(ctx context.Context) (string, error) {
		b.mu.Lock()
		b.order = append(b.order, name)
		b.mu.Unlock()
		select {
		case <-time.After(takes):
			return name, nil
		case <-ctx.Done():
			return "", ctx.Err()
		}
	})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return id
}

// at fetches with so much patience.
func at(t *testing.T, k *Kind[string], owner string, id int64, patience time.Duration) (string, int64, error) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	return k.Fetch(ctx, owner, id, func(string) error { return nil })
}

func TestFetchWaitsForAQuickJob(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, b *bench) {
		began := time.Now()
		id := b.begin(t, b.once, "anna", "quick", 0, time.Second)
		if got, found, err := at(t, b.once, "anna", id, 2*time.Second); got != "quick" || found != id || err != nil {
			t.Errorf("a job of one second: %q %d %v", got, found, err)
		}
		if took := time.Since(began); took != time.Second {
			t.Errorf("waited %v", took)
		}
		id = b.begin(t, b.once, "anna", "slow", 0, time.Minute)
		if _, _, err := at(t, b.once, "anna", id, 2*time.Second); !errors.Is(err, ErrRunning) {
			t.Errorf("a job of a minute: %v", err)
		}
	})
}

// A result for which its caller has no room yet can be fetched later, also one of a kind that is fetched once.
func TestAResultThatIsNotAcceptedStays(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, b *bench) {
		id := b.begin(t, b.once, "anna", "area", 0, 0)
		full := errors.New("no room")
		for range 2 {
			if got, _, err := b.once.Fetch(t.Context(), "anna", id, func(string) error { return full }); got != "" || !errors.Is(err, full) {
				t.Errorf("it was not accepted: %q %v", got, err)
			}
		}
		if got, _, err := at(t, b.once, "anna", id, time.Second); got != "area" || err != nil {
			t.Errorf("later: %q %v", got, err)
		}
		failed, err := b.once.Start("anna", 0, func(context.Context) (string, error) { return "half", full })
		if err != nil {
			t.Fatal(err)
		}
		if _, _, err := b.once.Fetch(t.Context(), "anna", failed, func(string) error { return errors.New("asked") }); !errors.Is(err, full) {
			t.Errorf("a job that failed: %v", err)
		}
	})
}

func TestOnceAndOften(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, b *bench) {
		once, often := b.begin(t, b.once, "anna", "area", 0, 0), b.begin(t, b.often, "anna", "track", 0, 0)
		for _, row := range []struct {
			kind  *Kind[string]
			owner string
			id    int64
			want  error
		}{
			{b.once, "bert", once, ErrNone}, {b.often, "anna", once, ErrNone}, {b.once, "anna", often, ErrNone}, {b.once, "anna", once + 5, ErrNone},
			{b.once, "anna", once, nil}, {b.once, "anna", once, ErrNone}, {b.once, "anna", 0, ErrNone},
			{b.often, "anna", often, nil}, {b.often, "anna", 0, nil},
		} {
			if _, _, err := at(t, row.kind, row.owner, row.id, time.Second); !errors.Is(err, row.want) {
				t.Errorf("%s %d of %s: %v, want %v", row.kind.policy.Name, row.id, row.owner, err, row.want)
			}
		}
	})
}

func TestResultsAreKeptAsThePolicySays(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, b *bench) {
		unfetched := b.begin(t, b.once, "anna", "area", 0, 0)
		track := b.begin(t, b.often, "anna", "track", 0, 0)
		synctest.Wait()
		time.Sleep(15 * time.Minute)
		if _, _, err := at(t, b.often, "anna", track, time.Second); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Second)
		if _, _, err := at(t, b.once, "anna", unfetched, time.Second); !errors.Is(err, ErrNone) {
			t.Errorf("a result that nobody fetched for 15 minutes: %v", err)
		}
		time.Sleep(time.Hour - time.Second)
		if _, _, err := at(t, b.often, "anna", track, time.Second); err != nil {
			t.Errorf("an hour after the first fetch: %v", err)
		}
		time.Sleep(time.Second)
		if _, _, err := at(t, b.often, "anna", track, time.Second); !errors.Is(err, ErrNone) {
			t.Errorf("more than an hour after the first fetch: %v", err)
		}
	})
}

func TestLimitEndsAJob(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, b *bench) {
		running, waiting := b.begin(t, b.once, "anna", "running", 0, time.Hour), b.begin(t, b.once, "anna", "waiting", 0, time.Second)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if b.busy != 0 {
			t.Error("a job goes on after its limit")
		}
		for _, id := range []int64{running, waiting} {
			if _, _, err := at(t, b.once, "anna", id, time.Second); !errors.Is(err, ErrTimedOut) {
				t.Errorf("past its limit: %v", err)
			}
			if _, _, err := at(t, b.once, "anna", id, time.Second); !errors.Is(err, ErrNone) {
				t.Errorf("told already: %v", err)
			}
		}
		long := b.begin(t, b.often, "anna", "long", 0, 24*time.Hour)
		time.Sleep(24 * time.Hour)
		if got, _, err := at(t, b.often, "anna", long, time.Second); got != "long" || err != nil {
			t.Errorf("a kind without a limit: %q, %v", got, err)
		}
	})
}

func TestOwnersTakeTurns(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, b *bench) {
		for i := range 6 {
			b.begin(t, b.once, "anna", fmt.Sprint("anna", i), 0, time.Second)
		}
		b.begin(t, b.once, "carl", "low", -1, time.Second)
		b.begin(t, b.once, "bert", "bert0", 0, time.Second)
		b.begin(t, b.often, "bert", "bert1", 0, time.Second)
		b.begin(t, b.once, "dora", "high", 1, time.Second)
		time.Sleep(1500 * time.Millisecond) // anna0 is done, the one of high priority runs
		b.begin(t, b.once, "emil", "emil", 0, time.Second)
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, want := strings.Join(b.order, " "), "anna0 high bert0 emil anna1 bert1 anna2 anna3 anna4 anna5 low"; got != want {
			t.Errorf("the order is\n%s, want\n%s", got, want)
		}
	})
}

func TestTheHighestPriorityIsNext(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, b *bench) {
		for i, priority := range []int{-1, -1, 0, 1, 0, 1} {
			b.begin(t, b.once, "anna", fmt.Sprint(i), priority, time.Second)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got := strings.Join(b.order, " "); got != "0 3 5 2 4 1" {
			t.Errorf("they run as %s", got)
		}
	})
}

// An owner that comes back at once after each job does not keep the others waiting.
func TestComingBackIsNoShortCut(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, b *bench) {
		for i := range 4 {
			b.begin(t, b.once, "anna", fmt.Sprint("anna", i), 0, time.Second)
		}
		for i := range 4 {
			id := b.begin(t, b.once, "bert", fmt.Sprint("bert", i), 0, time.Second)
			if _, _, err := at(t, b.once, "bert", id, time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if got, want := strings.Join(b.order, " "), "anna0 bert0 anna1 bert1 anna2 bert2 anna3 bert3"; got != want {
			t.Errorf("the order is\n%s, want\n%s", got, want)
		}
	})
}

func TestLimitsOfNumbers(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, b *bench) {
		nothing := func(context.Context) (string, error) { return "", nil }
		for range 20 {
			b.begin(t, b.often, "anna", "track", 0, 0)
			if _, _, err := at(t, b.often, "anna", 0, time.Second); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(b.byID); n != 8 {
			t.Errorf("%d fetched results of one owner are kept, want 8", n)
		}
		b.Forget("anna")
		for range 8 {
			b.begin(t, b.once, "anna", "area", 0, time.Minute)
		}
		if _, err := b.often.Start("anna", 0, nothing); !errors.Is(err, ErrOwnerFull) {
			t.Errorf("the ninth of one owner: %v", err)
		}
		for i := range 12 {
			b.begin(t, b.once, fmt.Sprint("owner", i), "area", 0, 0)
		}
		if _, err := b.once.Start("bert", 0, nothing); !errors.Is(err, ErrFull) {
			t.Errorf("the 21st of all: %v", err)
		}
	})
}

// sized is a result that says how large it is.
type sized int64

func (s sized) Bytes() int64 { return int64(s) }

// Where results together hold too many bytes, the owner with the most loses its oldest. Nobody loses the result of the latest job.
func TestResultsHoldNoMoreThanTheirBytes(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, b *bench) {
		b.limits.Bytes = 100
		large := NewKind[sized](b.Runner, Policy{Name: "large", Unfetched: time.Hour, Fetched: time.Hour})
		end := func(owner string, bytes sized) int64 {
			id, err := large.Start(owner, 0, func(context.Context) (sized, error) { return bytes, nil })
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Second)
			return id
		}
		kept := func(want string, of map[string]int64) {
			t.Helper()
			var names []string
			for name, id := range of {
				if _, _, err := large.Fetch(t.Context(), strings.Fields(name)[0], id, func(sized) error { return nil }); err == nil {
					names = append(names, name)
				}
			}
			slices.Sort(names)
			if got := strings.Join(names, ", "); got != want {
				t.Errorf("kept are %s, want %s", got, want)
			}
		}
		all := map[string]int64{"anna 1": end("anna", 30), "anna 2": end("anna", 30), "bert 1": end("bert", 40)}
		kept("anna 1, anna 2, bert 1", all)
		all["bert 2"] = end("bert", 10) // 110: anna has the most
		kept("anna 2, bert 1, bert 2", all)
		all["carl 1"] = end("carl", 60) // 140, then 100: bert has the most of the others
		kept("anna 2, bert 2, carl 1", all)
		all["anna 3"] = end("anna", 500)
		kept("anna 3", all)
		all["bert 3"] = end("bert", 1)
		kept("bert 3", all)
	})
}

func TestForgetAndReassign(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, b *bench) {
		running, waiting := b.begin(t, b.once, "anna", "running", 0, time.Minute), b.begin(t, b.often, "anna", "waiting", 0, time.Second)
		if got := fmt.Sprint(b.Reassign("anna", "bert"), b.Reassign("anna", "bert")); got != "map[areas:1 tracks:1] map[areas:0 tracks:0]" {
			t.Errorf("reassigned %s", got)
		}
		if _, _, err := at(t, b.once, "anna", running, time.Second); !errors.Is(err, ErrNone) {
			t.Errorf("no longer anna's: %v", err)
		}
		asked := make(chan error)
		go func() {
			_, _, err := at(t, b.often, "bert", waiting, time.Hour)
			asked <- err
		}()
		synctest.Wait()
		b.Forget("bert")
		if err := <-asked; !errors.Is(err, ErrNone) {
			t.Errorf("forgotten while somebody waits for it: %v", err)
		}
		synctest.Wait()
		if len(b.byID) != 0 || b.busy != 0 || strings.Join(b.order, " ") != "running" {
			t.Errorf("%d jobs are left, %d run, %v began", len(b.byID), b.busy, b.order)
		}
	})
}

// TestADroppedJobIsGone frees the place of a running job, and leaves those of others.
func TestADroppedJobIsGone(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, b *bench) {
		id := b.begin(t, b.once, "anna", "running", 0, time.Hour)
		b.once.Drop("bert", id)
		b.often.Drop("anna", id)
		if len(b.byID) != 1 {
			t.Error("a job was dropped by another owner, or as one of another kind")
		}
		b.once.Drop("anna", id)
		if _, _, err := at(t, b.once, "anna", id, time.Second); !errors.Is(err, ErrNone) || len(b.byID) != 0 {
			t.Errorf("the job is there still: %v", err)
		}
	})
}

func TestErrorsAndPanicsAreResults(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, b *bench) {
		broken := errors.New("broken")
		for _, work := range []func(context.Context) (string, error){
			func(context.Context) (string, error) { return "", broken },
			func(context.Context) (string, error) { panic(broken) },
		} {
			id, err := b.once.Start("anna", 0, work)
			if err != nil {
				t.Fatal(err)
			}
			if _, _, err := at(t, b.once, "anna", id, time.Second); err == nil || !strings.Contains(err.Error(), "broken") {
				t.Errorf("got %v", err)
			}
		}
		if got, _, err := at(t, b.once, "anna", b.begin(t, b.once, "anna", "next", 0, 0), time.Second); got != "next" || err != nil {
			t.Errorf("the next job: %q, %v", got, err)
		}
	})
}

func TestJobsEndWithTheRunner(t *testing.T) {
	inBubble(t, 1, func(t *testing.T, b *bench) {
		b.begin(t, b.often, "anna", "running", 0, time.Hour)
		b.begin(t, b.often, "anna", "waiting", 0, time.Second)
		synctest.Wait()
		b.stop()
		b.Wait()
		if strings.Join(b.order, " ") != "running" {
			t.Errorf("%v began", b.order)
		}
	})
}

// TestOneOwnerLeavesAPlace: eight long jobs of one owner keep nobody else waiting, and a second owner's jobs go in turn with them.
func TestOneOwnerLeavesAPlace(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, b *bench) {
		for i := range 8 {
			b.begin(t, b.often, "greedy", fmt.Sprintf("long%d", i), 1, time.Hour)
		}
		began := time.Now()
		for range 3 {
			id := b.begin(t, b.once, "modest", "short", 0, time.Second)
			if _, _, err := at(t, b.once, "modest", id, time.Minute); err != nil {
				t.Fatal(err)
			}
		}
		if took := time.Since(began); took != 3*time.Second {
			t.Errorf("three jobs of a second took %v", took)
		}
		if b.Reassign("greedy", "heir")["tracks"] != 8 {
			t.Error("the jobs stay")
		}
		time.Sleep(9 * time.Hour)
		synctest.Wait()
		if b.busy != 0 || len(b.holds) != 0 {
			t.Errorf("%d jobs run, places are held by %v", b.busy, b.holds)
		}
	})
}

// TestFreeSaysWhenAPlaceIsFree: not before it says, and then.
func TestFreeSaysWhenAPlaceIsFree(t *testing.T) {
	inBubble(t, 2, func(t *testing.T, b *bench) {
		for i := range 8 {
			if wait := b.Free("anna"); wait != 0 {
				t.Errorf("with %d jobs: %v", i, wait)
			}
			b.begin(t, b.once, "anna", "area", 0, 0)
			time.Sleep(time.Second)
		}
		wait := b.Free("anna")
		if wait <= 14*time.Minute || wait > 15*time.Minute {
			t.Errorf("eight results of which the first is eight seconds old: %v", wait)
		}
		time.Sleep(wait)
		if _, err := b.once.Start("anna", 0, func(context.Context) (string, error) { return "", nil }); !errors.Is(err, ErrOwnerFull) {
			t.Errorf("at the end of the time: %v", err)
		}
		time.Sleep(time.Millisecond)
		b.begin(t, b.once, "anna", "area", 0, 0)
	})
}
