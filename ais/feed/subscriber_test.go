package feed

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
	"quaywatch/internal/await"
)

// quay is outputs at work in a bubble of testing/synctest, whose clock moves only while all goroutines wait. What goes with a message is
// a number that tests choose.
type quay struct {
	*Outputs[int]
	t    *testing.T
	ctx  context.Context
	stop context.CancelFunc
}

func newQuay(t *testing.T) *quay {
	all, err := NewOutputs([]Output{{Name: "port", URL: "tcp-listen://127.0.0.1:0"}}, Options[int]{
		Latest: func(m ais.MMSI, about *int) bool { *about = int(m); return m%10 != 9 },
		Feeds:  func() []ais.FeedStatus { return []ais.FeedStatus{{Name: "roof"}, {Name: "attic"}} },
	})
	if err != nil {
		t.Fatal(err)
	}
	q := &quay{Outputs: all, t: t}
	q.ctx, q.stop = context.WithCancel(context.Background())
	go q.wakeLoop(q.ctx)
	return q
}

// connect makes a subscriber whose other end is given, and how it ended.
func (q *quay) connect(pass *Pass[int]) (far net.Conn, ended chan error) {
	near, far := net.Pipe()
	ended = make(chan error, 1)
	go func() { ended <- q.outputs[0].serveWire(q.ctx, pass, near, "pipe") }()
	synctest.Wait()
	return far, ended
}

// collect reads lines until the connection ends.
func collect(r io.Reader) <-chan []string {
	all := make(chan []string, 1)
	go func() {
		var lines []string
		for in := bufio.NewScanner(r); in.Scan(); {
			lines = append(lines, in.Text())
		}
		all <- lines
	}()
	return all
}

// sail publishes positions of ships, each twice a second, for so long.
func (q *quay) sail(ships int, long time.Duration) (messages int) {
	for at := time.Duration(0); at < long; at += 500 * time.Millisecond {
		for m := range ships {
			q.say(ais.MMSI(211000000+m), 1, "!position")
			messages++
		}
		time.Sleep(500 * time.Millisecond)
	}
	return messages
}

func (q *quay) say(m ais.MMSI, kind uint8, text string) {
	about := int(m)
	q.Publish(&format.Outgoing{Raw: []byte(text), Traits: ais.Traits{MMSI: m, Type: kind}, Received: time.Now(), Feed: "roof"}, &about)
}

// end stops everything; what a subscriber of test has read by then comes from collect.
func (q *quay) end() {
	q.stop()
	synctest.Wait()
}

func usualCongestion() Congestion {
	return Congestion{Factor: 150, Most: 1000, Every: 10 * time.Second}
}

// TestStalledSubscriberIsSlowedThenCut: and no other is.
func TestStalledSubscriberIsSlowedThenCut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		good, _ := q.connect(&Pass[int]{User: "good", Pace: StreamPace{Congestion: usualCongestion()}})
		lines := collect(good)
		far, ended := q.connect(&Pass[int]{User: "stalled", Pace: StreamPace{Congestion: usualCongestion()}})
		defer far.Close()
		messages := q.sail(50, 5*time.Second)
		st := q.Status()[0]
		if len(st.Subscribers) != 2 {
			t.Fatalf("%+v", st)
		}
		for _, s := range st.Subscribers {
			slowed := s.User == "stalled"
			if (s.Congestion == 1.5) != slowed || (s.Lag > 3*time.Second) != slowed {
				t.Errorf("after five seconds: %+v", s)
			}
		}
		messages += q.sail(50, 15*time.Second)
		if err := <-ended; !errors.Is(err, errStalled) {
			t.Errorf("the stalled one ended by %v", err)
		}
		st = q.Status()[0]
		if st.Cut != 1 || len(st.Subscribers) != 1 || st.Subscribers[0].Messages != uint64(messages) {
			t.Errorf("of %d messages: %+v", messages, st)
		}
		q.end()
		if got := len(<-lines); got != messages {
			t.Errorf("the other one got %d of %d messages", got, messages)
		}
	})
}

// TestSlowSubscriberIsThinnedUntilItKeepsUp: it is behind, gets fewer positions, and is neither cut nor for ever behind.
func TestSlowSubscriberIsThinnedUntilItKeepsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		far, ended := q.connect(&Pass[int]{User: "slow", Pace: StreamPace{Congestion: usualCongestion()}})
		go func() { // 100 bytes a second, where the stream has 1,100
			for buffer := make([]byte, 10); ; time.Sleep(100 * time.Millisecond) {
				if _, err := far.Read(buffer); err != nil {
					return
				}
			}
		}()
		q.sail(50, 5*time.Minute)
		s := q.Status()[0].Subscribers[0]
		if s.Congestion < 2 || s.Dropped.Congestion == 0 || s.Lag > 20*time.Second || s.Interval < 4*time.Second {
			t.Errorf("%+v", s)
		}
		q.sail(2, 5*time.Minute) // the port has gone to sleep
		if s := q.Status()[0].Subscribers[0]; s.Congestion != 1 || s.Lag > keepsUp {
			t.Errorf("when little is said: %+v", s)
		}
		q.end()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("ended by %v", err)
		}
		far.Close()
	})
}

// TestSubscriberLosesTheOldest: without congestion control a subscriber that is too slow falls out of the ring, and what it
// lost is counted to the message.
func TestSubscriberLosesTheOldest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		q.ring.most.Store(3)
		far, _ := q.connect(&Pass[int]{User: "slow"})
		read := make(chan int)
		go func() {
			total := 0
			for buffer := make([]byte, 11); ; time.Sleep(10 * time.Millisecond) {
				n, err := far.Read(buffer)
				if total += n; err != nil {
					read <- total / len("!position\r\n")
					return
				}
			}
		}()
		messages := 0
		for range 40 { // before a second has passed and the size is what it should be
			for m := range 50 {
				q.say(ais.MMSI(211000000+m), 1, "!position")
				messages++
			}
			time.Sleep(20 * time.Millisecond)
		}
		time.Sleep(time.Minute)
		st := q.Status()[0]
		if lost := int(st.Dropped.Behind); lost == 0 || lost+int(st.Messages) != messages {
			t.Errorf("%d messages: %+v", messages, st)
		}
		q.end()
		if got := <-read; got != int(st.Messages) {
			t.Errorf("read %d, sent %d", got, st.Messages)
		}
	})
}

// TestNothingIsMissedOnceAdmitted: a subscriber that the status names gets all messages from then on, however late its goroutine runs.
func TestNothingIsMissedOnceAdmitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		near, far := net.Pipe()
		lines := collect(far)
		s := q.outputs[0].newSubscriber(&Pass[int]{User: "anna"}, near, "pipe", time.Now())
		if err := q.admitSubscriber(s); err != nil {
			t.Fatal(err)
		}
		if st := q.Status()[0].Subscribers; len(st) != 1 || st[0].User != "anna" || st[0].Since.IsZero() || st[0].Lag != 0 {
			t.Errorf("before it runs: %+v", st)
		}
		q.say(211000001, 1, "!position")
		ended := make(chan error, 1)
		go func() { ended <- q.outputs[0].attend(q.ctx, s) }()
		synctest.Wait()
		q.end()
		<-ended
		if got := <-lines; len(got) != 1 {
			t.Errorf("got %q", got)
		}
	})
}

// TestWhatWasCountedStays: also the counts of subscribers that have gone, once and from the same moment on.
func TestWhatWasCountedStays(t *testing.T) {
	all := newQuay(t)
	defer all.stop()
	s := &subscriber[int]{output: all.outputs[0], tally: tally{messages: 3}}
	s.shown.Messages = 3
	if err := all.admitSubscriber(s); err != nil {
		t.Fatal(err)
	}
	here := all.Status()[0]
	all.dismiss(s, errStalled)
	if gone := all.Status()[0]; here.Messages != 3 || gone.Messages != 3 || len(gone.Subscribers) != 0 || here.Cut != 0 || gone.Cut != 1 {
		t.Errorf("%+v, then %+v", here, gone)
	}
}

// TestNoneIsCountedAsCutWhileItIsListed: whoever looks sees a subscriber in the list or in the count, never in both or in neither.
func TestNoneIsCountedAsCutWhileItIsListed(t *testing.T) {
	all := newQuay(t)
	defer all.stop()
	const came = 2000
	var going []*subscriber[int]
	for i := range came {
		s := &subscriber[int]{output: all.outputs[0], user: fmt.Sprint(i)}
		all.mu.Lock()
		all.subscribers[s] = struct{}{} // admit lets not so many in
		all.mu.Unlock()
		all.open.Add(1)
		going = append(going, s)
	}
	var work sync.WaitGroup
	for part := range slices.Chunk(going, 50) { // many at once, so that they wait for one another
		work.Go(func() {
			for i, s := range part {
				all.dismiss(s, []error{errStalled, errRevoked}[i%2])
			}
		})
	}
	for gone := 0; gone < came; {
		st := all.Status()[0]
		if gone = int(st.Cut + st.Revoked); gone+len(st.Subscribers) != came {
			t.Errorf("%d are listed, %d cut, %d revoked", len(st.Subscribers), st.Cut, st.Revoked)
			break
		}
	}
	work.Wait()
}

// TestEachShipInAnIntervalOfItsOwn: what goes with a message says how often, and static data are not thinned.
func TestEachShipInAnIntervalOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		far, _ := q.connect(&Pass[int]{Every: func(m *int) time.Duration { return time.Duration(*m%2) * time.Minute }})
		lines := collect(far)
		for range 3 {
			q.say(211000000, 1, "!any")
			q.say(211000001, 1, "!seldom")
			q.say(211000001, 5, "!static")
			time.Sleep(20 * time.Second)
		}
		q.say(211000001, 1, "!seldom")
		time.Sleep(time.Second)
		st := q.Status()[0]
		q.end()
		got := map[string]int{}
		for _, line := range <-lines {
			got[line]++
		}
		if got["!any"] != 3 || got["!seldom"] != 2 || got["!static"] != 3 || st.Dropped.Interval != 2 {
			t.Errorf("%v, %+v", got, st.Dropped)
		}
	})
}

// TestNothingKnownOfShipsNotInThePicture: also for a subscriber that may see everything.
func TestNothingKnownOfShipsNotInThePicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		q.say(211000008, 5, "!here")
		q.say(211000009, 5, "!gone")
		far, _ := q.connect(&Pass[int]{CachedStatic: true})
		lines := collect(far)
		time.Sleep(time.Second)
		q.end()
		if got := strings.Join(<-lines, " "); got != "!here" {
			t.Errorf("got %q", got)
		}
	})
}

// TestDelay: everything comes so many seconds late, in order, and nothing is lost for it.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		const delay = 90 * time.Second
		far, _ := q.connect(&Pass[int]{User: "late", Pace: StreamPace{Delay: delay, Congestion: usualCongestion()}})
		late := make(chan time.Duration, 1000)
		go func() {
			for in := bufio.NewScanner(far); in.Scan(); {
				said, err := time.Parse(time.RFC3339Nano, strings.TrimPrefix(in.Text(), "!"))
				if err != nil {
					t.Error(err)
				}
				late <- time.Since(said)
			}
			close(late)
		}()
		for range 300 {
			q.say(211000001, 1, "!"+time.Now().Format(time.RFC3339Nano))
			time.Sleep(time.Second)
		}
		time.Sleep(2 * delay)
		q.end()
		n := 0
		for d := range late {
			if n++; d < delay || d > delay+100*time.Millisecond {
				t.Errorf("message %d came %v late", n, d)
			}
		}
		if n != 300 {
			t.Errorf("%d of 300 messages", n)
		}
	})
}

// TestFiltersDecide: a message goes to the subscribers whose filter lets it pass; what failed a check goes only to those that want it.
func TestFiltersDecide(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		even := func(_ *format.Outgoing, m *int) bool { return *m%2 == 0 }
		far, _ := q.connect(&Pass[int]{May: even})
		near, _ := q.connect(&Pass[int]{Peep: true})
		evens, all := collect(far), collect(near)
		for m := range ais.MMSI(10) {
			q.say(m, 1, "!position")
		}
		about := 4
		q.Publish(&format.Outgoing{Raw: []byte("!jump"), Traits: ais.Traits{MMSI: 4, Type: 1}, Received: time.Now(), Refused: "jump"}, &about)
		time.Sleep(time.Second)
		q.end()
		if got := <-evens; len(got) != 5 {
			t.Errorf("%q", got)
		}
		if got := <-all; len(got) < 11 || !strings.Contains(strings.Join(got[10:], "\n"), "!jump") {
			t.Errorf("%q", got)
		}
	})
}

// TestCachedStaticComesFirst: the latest of each ship that the subscriber may see comes first, none of a ship that was forgotten. With a
// ceiling it comes no faster than that, while the stream goes on.
func TestCachedStaticComesFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		for _, text := range []string{"!old", "!name"} {
			for m := range ais.MMSI(2000) {
				q.say(m, 5, text)
				about := int(m)
				q.Publish(&format.Outgoing{Raw: []byte("!sign"), Part: 'B', Traits: ais.Traits{MMSI: m, Type: 24}, Received: time.Now()}, &about)
			}
		}
		q.say(1, 1, "!position") // is none
		for m := range ais.MMSI(1000) {
			q.Forget(m)
		}
		for m := ais.MMSI(1000); m < 2000; m++ { // the last ship takes the slot of one that goes; each keeps its own data
			q.say(m, 5, "!name")
			q.say(m, 21, fmt.Sprintf("!aid %d", m))
		}
		pass := &Pass[int]{CachedStatic: true, May: func(_ *format.Outgoing, m *int) bool { return *m%2 == 0 }}
		far, _ := q.connect(pass)
		all := collect(far)
		slow := *pass
		slow.Pace.MaxRate = 100
		narrow, _ := q.connect(&slow)
		some := collect(narrow)
		bare, _ := q.connect(&Pass[int]{})
		none := collect(bare)
		delayed := *pass
		delayed.Pace.Delay = time.Hour
		later, _ := q.connect(&delayed)
		nothing := collect(later)
		live := q.sail(1, 5*time.Second)
		q.end()
		count := func(lines []string, text string) (n int) {
			for _, line := range lines {
				if line == text {
					n++
				}
			}
			return n
		}
		lines := <-all
		// 500 even ships are left, and those ending in 9 are odd.
		if count(lines, "!name") != 0 || count(lines, "!aid 1000") != 1 || count(lines, "!aid 1998") != 1 || len(lines) != 1000+live ||
			count(lines, "!sign") != 500 || count(lines, "!old") != 0 || count(lines, "!position") != live {
			t.Errorf("%d lines: %d names, %d signs, %d positions of %d", len(lines), count(lines, "!name"), count(lines, "!sign"), count(lines, "!position"), live)
		}
		if lines := <-some; len(lines) > 600 || count(lines, "!sign") < 100 || count(lines, "!position") != live {
			t.Errorf("with a ceiling of 100/s for five seconds: %d lines, %d names, %d positions of %d", len(lines), count(lines, "!name"),
				count(lines, "!position"), live)
		}
		if lines := <-none; len(lines) != live {
			t.Errorf("without asking: %d lines, %d positions", len(lines), live)
		}
		if lines := <-nothing; len(lines) != 0 {
			t.Errorf("an hour late: %q", lines)
		}
	})
}

// TestCeiling: max_message_rate holds, and what is above it is counted.
func TestCeiling(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		far, _ := q.connect(&Pass[int]{Pace: StreamPace{MaxRate: 10}})
		lines := collect(far)
		messages := q.sail(50, 10*time.Second)
		st := q.Status()[0]
		q.end()
		got := len(<-lines)
		if got < 90 || got > 110 || int(st.Dropped.Rate) != messages-got {
			t.Errorf("%d of %d in ten seconds, %d dropped", got, messages, st.Dropped.Rate)
		}
	})
}

// TestRevokedWithinASecond: a subscriber that is no longer allowed is cut, also while no message comes, and while it does not read.
func TestRevokedWithinASecond(t *testing.T) {
	for name, ships := range map[string]int{"quiet": 0, "stalled": 50} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQuay(t)
				var revoked atomic.Bool
				pass := &Pass[int]{User: "anna"}
				pass.Renew = func() (*Pass[int], error) {
					if revoked.Load() {
						return nil, Refusal("disabled")
					}
					return pass, nil
				}
				far, ended := q.connect(pass)
				defer far.Close()
				q.sail(ships, 3*time.Second)
				synctest.Wait()
				revoked.Store(true)
				then := time.Now()
				if err := <-ended; !errors.Is(err, errRevoked) || time.Since(then) > time.Second {
					t.Errorf("%v after %v", err, time.Since(then))
				}
				if st := q.Status()[0]; st.Revoked != 1 || st.Cut != 0 || len(st.Subscribers) != 0 {
					t.Errorf("%+v", st)
				}
				q.end()
			})
		})
	}
}

// lookingWire looks when it is closed.
type lookingWire struct {
	net.Conn
	look func()
}

func (w lookingWire) Close() error {
	w.look()
	return w.Conn.Close()
}

// TestACutIsCountedBeforeItIsSeen: when a connection ends, the status has why, and its place is free.
func TestACutIsCountedBeforeItIsSeen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		pass := &Pass[int]{User: "anna", Renew: func() (*Pass[int], error) { return nil, Refusal("disabled") }}
		near, far := net.Pipe()
		defer far.Close()
		var seen ais.OutputStatus
		err := q.outputs[0].serveWire(q.ctx, pass, lookingWire{near, func() { seen = q.Status()[0] }}, "pipe")
		if !errors.Is(err, errRevoked) || seen.Revoked != 1 || len(seen.Subscribers) != 0 {
			t.Errorf("%v; at the end of the connection: %+v", err, seen)
		}
		q.end()
	})
}

// TestSettingsAreFollowed: a changed pass counts from then on, without a new connection.
func TestSettingsAreFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		var now atomic.Pointer[Pass[int]]
		renew := func() (*Pass[int], error) { return now.Load(), nil }
		now.Store(&Pass[int]{User: "anna", Renew: renew})
		far, _ := q.connect(now.Load())
		lines := collect(far)
		before := q.sail(10, 5*time.Second)
		now.Store(&Pass[int]{User: "anna", Style: format.LineStyle{Form: format.TagNMEA}, Pace: StreamPace{DownSample: time.Hour}, Renew: renew})
		time.Sleep(time.Second)
		q.sail(10, 5*time.Second)
		q.end()
		got := <-lines
		if len(got) != before+10 || strings.HasPrefix(got[before-1], `\`) || !strings.HasPrefix(got[before], `\s:roof`) {
			t.Errorf("%d lines, %d before, then %q", len(got), before, got[min(before, len(got)-1)])
		}
	})
}

// TestStatesOfFeeds: a subscriber is told only of the feeds that it may know.
func TestStatesOfFeeds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQuay(t)
		far, _ := q.connect(&Pass[int]{Style: format.LineStyle{SystemInfo: true}, SeesFeed: func(name string) bool { return name == "attic" }})
		lines := collect(far)
		time.Sleep(2 * time.Minute)
		q.end()
		text := strings.Join(<-lines, "\n")
		if !strings.Contains(text, "attic") || strings.Contains(text, "roof") {
			t.Errorf("%q", text)
		}
	})
}

// harbour is outputs that really listen. Passes by name of user; an address in direct needs no name.
type harbour struct {
	*Outputs[int]
	address []string
	direct  sync.Map // netip.Addr to the name of the user
}

func openHarbour(t *testing.T, list ...Output) *harbour {
	t.Helper()
	h := &harbour{}
	var err error
	h.Outputs, err = NewOutputs(list, Options[int]{
		SignIn: func(_ context.Context, _, name, password string, _ netip.Addr) (*Pass[int], error) {
			if password != "right" {
				return nil, Refusal("wrong name or password")
			}
			return &Pass[int]{User: name}, nil
		},
		Direct: func(_ string, from netip.Addr) (*Pass[int], error) {
			if name, ok := h.direct.Load(from); ok {
				return &Pass[int]{User: name.(string)}, nil
			}
			return nil, nil
		},
		Named:  func(_, user string) (*Pass[int], error) { return &Pass[int]{User: user}, nil },
		Latest: func(ais.MMSI, *int) bool { return true },
		Feeds:  func() []ais.FeedStatus { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- h.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		began := time.Now()
		if err := <-done; err != nil || time.Since(began) > loginTime/2 { // they wait for no time-out of a peer
			t.Errorf("the outputs ended with %v after %v", err, time.Since(began))
		}
		noneLeft(t)
	})
	h.until(t, "every output is open", func(all []ais.OutputStatus) bool {
		h.address = nil
		for _, o := range all {
			if !o.Open {
				return false
			}
			h.address = append(h.address, o.Address)
		}
		return true
	})
	return h
}

func (h *harbour) until(t *testing.T, what string, ok func([]ais.OutputStatus) bool) {
	t.Helper()
	var last []ais.OutputStatus
	for range await.Looks(await.Limit) {
		if last = h.Status(); ok(last) {
			return
		}
	}
	t.Fatalf("waited in vain: %s: %+v", what, last)
}

func (h *harbour) dial(t *testing.T, says string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", h.address[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if _, err := conn.Write([]byte(says)); err != nil {
		t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

func line(t *testing.T, r *bufio.Reader) string {
	t.Helper()
	text, err := r.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func publish(h *harbour, m ais.MMSI, text string) {
	about := int(m)
	h.Publish(&format.Outgoing{Raw: []byte(text), Traits: ais.Traits{MMSI: m, Type: 1}, Received: time.Now()}, &about)
}

// TestSigningIn: what each first line is answered.
func TestSigningIn(t *testing.T) {
	h := openHarbour(t, Output{Name: "port", URL: "tcp-listen://127.0.0.1:0"})
	for says, want := range map[string]string{
		"LOGIN anna wrong\r\n":             "$PQWA,refused,wrong name or password*27\r\n",
		"GET / HTTP/1.1\r\n":               "$PQWA,refused,expected LOGIN name password*04\r\n",
		strings.Repeat("x", loginBytes):    "$PQWA,refused,expected LOGIN name password*04\r\n",
		"LOGIN anna right\r\nand more\r\n": "$PQWA,ok,anna*",
		"login anna right\n":               "$PQWA,ok,anna*",
	} {
		_, in := h.dial(t, says)
		if got := line(t, in); !strings.HasPrefix(got, want) {
			t.Errorf("%.20q: %q, want %q", says, got, want)
		}
	}
	h.until(t, "two of them subscribe", func(all []ais.OutputStatus) bool { return len(all[0].Subscribers) == 2 && all[0].Refused == 3 })
}

// TestSubscribersOverTCP: both get all messages, also one that has closed its sending side; a subscriber that goes is noticed.
func TestSubscribersOverTCP(t *testing.T) {
	h := openHarbour(t, Output{Name: "port", URL: "tcp-listen://127.0.0.1:0"})
	first, in1 := h.dial(t, "LOGIN anna right\r\n")
	second, in2 := h.dial(t, "LOGIN bert right\r\n")
	line(t, in1)
	line(t, in2)
	if err := second.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	h.until(t, "both subscribe", func(all []ais.OutputStatus) bool { return len(all[0].Subscribers) == 2 })
	publish(h, 211000001, "!one")
	for _, in := range []*bufio.Reader{in1, in2} {
		got := line(t, in)
		for in == in2 && got == "\r\n" { // each second it is tried whether the second one has gone
			got = line(t, in)
		}
		if got != "!one\r\n" {
			t.Errorf("%q", got)
		}
	}
	first.Close()
	second.Close()
	h.until(t, "both have gone", func(all []ais.OutputStatus) bool { return len(all[0].Subscribers) == 0 && all[0].Messages == 2 })
}

// TestDirectAccess: an address that needs no password is not asked for one.
func TestDirectAccess(t *testing.T) {
	h := openHarbour(t, Output{Name: "port", URL: "tcp-listen://127.0.0.1:0"})
	h.direct.Store(netip.MustParseAddr("127.0.0.1"), "gpsd")
	_, in := h.dial(t, "")
	h.until(t, "it subscribes", func(all []ais.OutputStatus) bool { return len(all[0].Subscribers) == 1 })
	publish(h, 211000001, "!one")
	if got := line(t, in); got != "!one\r\n" {
		t.Errorf("%q", got)
	}
	if s := h.Status()[0].Subscribers[0]; s.User != "gpsd" {
		t.Errorf("%+v", s)
	}
}

// TestTooMany: of one user, and of connections that have not signed in; the others are not affected.
func TestTooMany(t *testing.T) {
	h := openHarbour(t, Output{Name: "port", URL: "tcp-listen://127.0.0.1:0"})
	for range mostOfUser {
		_, in := h.dial(t, "LOGIN anna right\r\n")
		line(t, in)
	}
	h.until(t, "all subscribe", func(all []ais.OutputStatus) bool { return len(all[0].Subscribers) == mostOfUser })
	_, in := h.dial(t, "LOGIN anna right\r\n")
	if got := line(t, in); !strings.Contains(got, "refused,too many") {
		t.Errorf("one more of anna: %q", got)
	}
	from := func(last byte) *bufio.Reader {
		dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, last)}}
		conn, err := dialer.Dial("tcp", h.address[0])
		if errors.Is(err, syscall.EADDRNOTAVAIL) {
			t.Skipf("no second address of loopback: %v", err)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		return bufio.NewReader(conn)
	}
	waiting := func() int {
		n, _ := h.gate.waiting.Figures()
		return n
	}
	h.direct.Store(netip.MustParseAddr("127.0.0.99"), "gpsd")
	first := from(2)
	for i := range 2 * mostWaiting {
		from(byte(2 + i/mostWaitingOf))
		if n := waiting(); n > mostWaiting {
			t.Fatalf("%d wait", n)
		}
	}
	if said, err := io.ReadAll(first); errors.Is(err, os.ErrDeadlineExceeded) { // a slow machine may have told it that its time is over
		t.Errorf("the one that was silent for longest: %q, %v, want its end", said, err)
	}
	from(99)
	h.until(t, "a client that need not sign in is let in", func(all []ais.OutputStatus) bool { return len(all[0].Subscribers) == mostOfUser+1 })
}

// TestDatagrams: a message is a datagram, also one of several sentences. It is no error if no program listens.
func TestDatagrams(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		t.Run(address, func(t *testing.T) { sendDatagrams(t, address) })
	}
}

func sendDatagrams(t *testing.T, address string) {
	far, err := net.ListenPacket("udp", address)
	if noSuchNetwork(err) {
		t.Skipf("%s cannot be opened here: %v", address, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	h := openHarbour(t, Output{Name: "up", URL: "udp://" + far.LocalAddr().String(), User: "anna"})
	long := bytes.Repeat([]byte("!"+strings.Repeat("y", 68)+"\r\n"), 25)
	texts := []string{"!one", "!part one\r\n!part two", strings.TrimRight(string(long), "\r\n")}
	h.until(t, "it sends", func(all []ais.OutputStatus) bool { return len(all[0].Subscribers) == 1 })
	for _, text := range texts {
		publish(h, 211000001, text)
	}
	want := []string{"!one\r\n", "!part one\r\n!part two\r\n", string(long[:1400/71*71]), string(long[1400/71*71:])}
	buffer := make([]byte, 4096)
	for i := range want {
		if err := far.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		n, _, err := far.ReadFrom(buffer)
		if err != nil || string(buffer[:n]) != want[i] {
			t.Fatalf("%s: datagram %d: %v %q", address, i, err, buffer[:n])
		}
	}
	far.Close()
	for range 10 { // each is a write of its own, so that the second one meets the refusal of the first
		before := h.Status()[0].Messages
		publish(h, 211000001, "!nobody")
		h.until(t, "it is sent", func(all []ais.OutputStatus) bool { return all[0].Messages > before })
	}
	if st := h.Status()[0]; !st.Open || st.Connects != 1 {
		t.Errorf("when no program listens: %+v", st)
	}
}

// TestSenderReconnects: a tcp output whose other side went away comes back.
func TestSenderReconnects(t *testing.T) {
	far, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	h := openHarbour(t, Output{Name: "up", URL: "tcp://" + far.Addr().String(), User: "anna"})
	for round := range 2 {
		conn, err := far.Accept()
		if err != nil {
			t.Fatal(err)
		}
		h.until(t, "it sends", func(all []ais.OutputStatus) bool {
			return len(all[0].Subscribers) == 1 && all[0].Connects == uint64(round+1)
		})
		publish(h, 211000001, "!one")
		if got := line(t, bufio.NewReader(conn)); got != "!one\r\n" {
			t.Errorf("%q", got)
		}
		if err := conn.(*net.TCPConn).SetLinger(0); err != nil {
			t.Fatal(err)
		}
		conn.Close()
	}
	h.until(t, "it is open again", func(all []ais.OutputStatus) bool { return all[0].Connects >= 2 })
}

func TestOutputURLs(t *testing.T) {
	for _, tt := range []struct {
		o    Output
		want string // of the error; "" for none
	}{
		{Output{URL: "tcp-listen://:10120"}, ""},
		{Output{URL: "tcp-listen://:10120", User: "anna"}, "signs in"},
		{Output{URL: "udp://192.0.2.1:10110"}, "user"},
		{Output{URL: "udp://192.0.2.1:10110", User: "anna"}, ""},
		{Output{URL: "udp://239.192.0.4:60004?interface=eth0", User: "anna"}, ""},
		{Output{URL: "tcp://192.0.2.1:10110", User: "anna"}, ""},
		{Output{URL: "serial:///dev/ttyUSB1?baud=4800", User: "anna"}, ""},
		{Output{URL: "serial://auto", User: "anna"}, "name its port"},
		{Output{URL: "file:///tmp/x", User: "anna"}, `unknown scheme "file"; known are tcp-listen, tcp, udp, serial`},
		{Output{URL: "stdin://", User: "anna"}, `unknown scheme "stdin"; known are tcp-listen, tcp, udp, serial`},
		{Output{URL: "http://x", User: "anna"}, "unknown scheme"},
	} {
		err := ParseOutput(tt.o)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%+v: %v, want %q", tt.o, err, tt.want)
		}
	}
}
