package notify

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
)

// ends are far ends by their names: some hang until they are let go or the context ends, some fail. They keep what each took.
type ends struct {
	mu   sync.Mutex
	hang map[string]chan struct{}
	fail map[string]func(m *Delivery) bool
	took map[string][]uint64
	busy map[string]int
	most map[string]int
}

func newEnds() *ends {
	return &ends{hang: map[string]chan struct{}{}, fail: map[string]func(*Delivery) bool{}, took: map[string][]uint64{}, busy: map[string]int{}, most: map[string]int{}}
}

func (f *ends) begins(to string, n int) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.busy[to] += n
	f.most[to] = max(f.most[to], f.busy[to])
	return f.hang[to]
}

func (f *ends) send(ctx context.Context, m *Delivery) error {
	hang := f.begins(m.To, 1)
	defer f.begins(m.To, -1)
	if hang != nil {
		select {
		case <-hang:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if fails := f.fail[m.To]; fails != nil && fails(m) {
		return errBusy
	}
	f.took[m.To] = append(f.took[m.To], m.Event.ID)
	return nil
}

func (f *ends) got(to string) []uint64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.took[to])
}

func (f *ends) set(to string, fails func(*Delivery) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail[to] = fails
}

const dead, alive = "dead@port.example", "alive@port.example"

// TestATargetThatHangsDelaysNoOther: while a target does not answer, and more notices wait for it than there are tries at once, each other target gets all
// of its own; the one that hangs gets them later, one at a time and in order.
func TestATargetThatHangsDelaysNoOther(t *testing.T) {
	far := newEnds()
	let := make(chan struct{})
	far.hang[dead] = let
	b := newBox(t, far.send, func(c *Config) { c.Channels[0].Width, c.Channels[0].Limit = 2, time.Hour })
	b.define(`"mail_to":["` + dead + `","` + alive + `"]`)
	b.run()
	const ships = 6
	want := []uint64{}
	for i := range ships {
		b.enters(nordic+ais.MMSI(i), noon().Add(time.Duration(i)*time.Second))
		want = append(want, uint64(i)+1)
	}
	b.until("all that is for the other", func() bool { return len(far.got(alive)) == ships })
	if got := far.got(dead); len(got) != 0 {
		t.Fatalf("the one that hangs took %v", got)
	}
	close(let)
	b.until("all that hung", func() bool { return len(far.got(dead)) == ships })
	for _, to := range []string{dead, alive} {
		if got := far.got(to); !slices.Equal(got, want) || far.most[to] != 1 {
			t.Errorf("%s took %v, %d at once", to, got, far.most[to])
		}
	}
}

// TestSlowTargetsLeaveTheirPlaces: what hangs for some seconds leaves its place to others, while there are spare ones. A target that failed never takes the last
// place, and people in distress find one where all are taken.
func TestSlowTargetsLeaveTheirPlaces(t *testing.T) {
	far := newEnds()
	let := make(chan struct{})
	for i := range 6 {
		far.hang[fmt.Sprintf("dead%d@port.example", i)] = let
	}
	b := newBox(t, far.send, func(c *Config) { c.Channels[0].Width, c.Channels[0].Spare, c.Channels[0].Limit = 2, 3, time.Hour })
	b.chief("bert")
	b.define(`"mail_to":["dead0@port.example","dead1@port.example","dead2@port.example","dead3@port.example","dead4@port.example","dead5@port.example"]`)
	b.tells(`{"mail_to":["bert"]}`, nil)
	b.run()
	busy := func(n int) func() bool {
		return func() bool {
			b.outbox.mu.Lock()
			defer b.outbox.mu.Unlock()
			return len(b.outbox.taken) == n
		}
	}
	b.enters(nordic, noon())
	b.until("two hang", busy(2))
	b.rescueAt(noon().Add(6*time.Minute), overboard)
	b.until("the notice of people in distress", func() bool { return len(far.got("bert@port.example")) == 1 })
	b.pass(slowTry)
	b.until("two others get their places", busy(4))
	b.pass(slowTry)
	b.until("all spare places are taken, and one of the others", busy(5))
	b.outbox.mu.Lock()
	c := &b.outbox.config.Channels[0]
	for free, want := range map[int]bool{2: true, 1: false} {
		b.outbox.failing[aim{Mail, dead}] = failing{tries: 1}
		if got := hasPlace(b.outbox, c, &row{Channel: Mail, To: dead}, free); got != want || !hasPlace(b.outbox, c, &row{Channel: Mail, To: alive}, free) {
			t.Errorf("one that failed takes one of %d places: %t", free, got)
		}
	}
	b.outbox.mu.Unlock()
	close(let)
	b.becomes("[sent sent sent sent sent sent sent]")
}

// TestATargetThatFailsIsLeftAlone: what waits for it is not tried one after another, and goes in order when it works again.
func TestATargetThatFailsIsLeftAlone(t *testing.T) {
	far := newEnds()
	tries := 0
	far.set(dead, func(*Delivery) bool { tries++; return true })
	b := newBox(t, far.send)
	b.define(`"mail_to":["` + dead + `"]`)
	b.run()
	b.enters(nordic, noon())
	b.until("a first try", func() bool { r, ok := b.outbox.findRow(1); return ok && r.Tries == 1 })
	for i := 1; i < 5; i++ {
		b.enters(nordic+ais.MMSI(i), noon().Add(time.Duration(i)*time.Second))
	}
	b.becomes("[waiting waiting waiting waiting waiting]")
	if _, r, pause := b.outbox.dueNotice(&b.outbox.config.Channels[0]); r != nil || pause != firstRetry {
		t.Errorf("%+v is due, or in %v", r, pause)
	}
	far.set(dead, nil)
	b.pass(firstRetry)
	b.becomes("[sent sent sent sent sent]")
	if got := fmt.Sprint(far.got(dead)); got != "[1 2 3 4 5]" || tries != 1 {
		t.Errorf("%s after %d tries", got, tries)
	}
}

// TestANoticeThatNeverGoesHoldsUpTheOthersForAWhile: a target that fails with one notice alone gets the others after some tries.
func TestANoticeThatNeverGoesHoldsUpTheOthersForAWhile(t *testing.T) {
	far := newEnds()
	far.set(dead, func(m *Delivery) bool { return m.Event.ID == 1 })
	b := newBox(t, far.send)
	b.define(`"mail_to":["` + dead + `"]`)
	b.run()
	b.enters(nordic, noon())
	b.enters(nordic+1, noon().Add(time.Second))
	for tries := 1; tries <= patience+1; tries++ {
		b.until("a try", func() bool { r, ok := b.outbox.findRow(1); return ok && r.Tries == tries })
		if got := far.got(dead); len(got) != 0 {
			t.Fatalf("after %d tries it took %v", tries, got)
		}
		b.pass(backoff(tries))
	}
	b.becomes("[waiting sent]")
}

// TestAFarEndOfItsOwn: where each target is one, one that works does not hide another that does not.
func TestAFarEndOfItsOwn(t *testing.T) {
	for _, apart := range []bool{true, false} {
		far := newEnds()
		far.set(dead, func(*Delivery) bool { return true })
		b := newBox(t, far.send, func(c *Config) { c.Channels[0].Apart = apart })
		b.define(`"mail_to":["` + dead + `"]`)
		b.run()
		b.enters(nordic, noon())
		b.until("a first try", func() bool { r, ok := b.outbox.findRow(1); return ok && r.Tries == 1 })
		b.must(b.outbox.Tell(1, Mail, alive))
		b.becomes("[waiting sent]")
		if s := b.outbox.Status(); (len(s.Trouble) == 1) != apart {
			t.Errorf("apart %t: %+v", apart, s)
		}
	}
}

// noServer is the error of a server that is away.
type noServer struct{ error }

func (noServer) Unreached() bool { return true }

// TestAServerThatIsBackServesAll: a notice that it takes ends the wait of the targets that failed because it was away, and of no other.
func TestAServerThatIsBackServesAll(t *testing.T) {
	far := newEnds()
	far.set(dead, func(*Delivery) bool { return true })
	down := map[string]bool{alive: true}
	b := newBox(t, func(ctx context.Context, m *Delivery) error {
		far.mu.Lock()
		away := down[m.To]
		far.mu.Unlock()
		if away {
			return noServer{errBusy}
		}
		return far.send(ctx, m)
	})
	b.define(`"mail_to":["` + alive + `","` + dead + `"]`)
	b.run()
	b.enters(nordic, noon())
	failed := func(id uint64) func() bool {
		return func() bool { r, ok := b.outbox.findRow(id); return ok && r.Tries == 1 }
	}
	b.until("the server is away", failed(1))
	b.until("a mailbox refuses", failed(2))
	far.mu.Lock()
	down[alive] = false
	far.mu.Unlock()
	b.must(b.outbox.Tell(1, Mail, "other@port.example"))
	b.becomes("[sent waiting sent]")
	b.outbox.mu.Lock()
	defer b.outbox.mu.Unlock()
	if f := b.outbox.failing[aim{Mail, dead}]; f.tries != 1 {
		t.Errorf("the one that refused waits no longer: %+v", f)
	}
}
