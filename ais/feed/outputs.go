package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
	"quaywatch/internal/wake"
)

// Bounds of subscribers, over all outputs.
const (
	mostSubscribers = 256
	mostWaiting     = 64 // connections that have not signed in yet
	mostWaitingOf   = 16 // of them from one address
	mostOfUser      = 8
)

// gatherFor is how long messages gather before subscribers are woken again: each wake costs as much as some messages do. The first
// message after a silence wakes them at once.
const gatherFor = 20 * time.Millisecond

// Refusal is an error whose words the other side may read: why it is refused.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// Output is one configured outgoing stream.
type Output struct {
	Name   string         // unique
	URL    string         // see ParseOutput
	Format string         // for the status alone: the name of the format, "" where the user's settings choose it
	User   string         // the user whose rights the stream has, where no subscriber signs in
	Allow  []netip.Prefix // tcp-listen: from where subscribers may come; nil is everywhere
}

// ParseOutput reports whether the output's URL is one of those that this package sends to:
//
//	tcp-listen://host:port             subscribers connect and sign in
//	tcp://host:port                    connects and sends, again and again
//	udp://host:port                    one datagram a message; of a multicast group with ?interface=eth0 by that one
//	serial:///dev/ttyUSB0?baud=38400   8 data bits, no parity, 1 stop bit
func ParseOutput(o Output) error {
	_, err := parseOutput(o)
	return err
}

func parseOutput(o Output) (target, error) {
	t, err := parseURL(o.URL, outputSchemes)
	if err != nil {
		return t, fmt.Errorf("url %q: %w", o.URL, err)
	}
	if len(o.Allow) > 0 && t.kind != kindTCPListen {
		return t, errors.New("allow: for tcp-listen alone")
	}
	switch t.kind {
	case kindTCPListen:
		if o.User != "" {
			return t, errors.New("user: not for tcp-listen, where each subscriber signs in")
		}
		return t, nil
	case kindTCP, kindUDP, kindSerial:
		if o.User == "" {
			return t, errors.New("user: must name the user for the filters and settings of the stream")
		}
		return t, nil
	}
	return t, fmt.Errorf("url %q: an output needs to name its port: serial:///dev/name", o.URL)
}

// Options are what outputs need from the rest of the program. None of them may be nil but Log.
type Options[K any] struct {
	SignIn func(ctx context.Context, output, name, password string, from netip.Addr) (*Pass[K], error)
	Direct func(output string, from netip.Addr) (*Pass[K], error) // a nil Pass: the address needs to sign in
	Named  func(output, user string) (*Pass[K], error)
	Latest func(m ais.MMSI, about *K) bool // what is known of a ship now; false when there is no such ship
	Feeds  func() []ais.FeedStatus
	Log    *slog.Logger
}

// Outputs sends messages to subscribers. K is what goes with each message, copied: with it the caller decides which subscribers may see
// it. This package does not look at it.
type Outputs[K any] struct {
	options   Options[K]
	ring      *ring[K]
	static    cachedStatic
	echoes    echoes
	scheduler *scheduler
	outputs   []*output[K]
	news      wake.Kick
	open      atomic.Int32 // subscribers
	gate      *signInGate

	mu          sync.Mutex
	subscribers map[*subscriber[K]]struct{}
}

// NewOutputs makes outputs without opening anything. It fails when a name is empty or given twice, or when ParseOutput
// does.
func NewOutputs[K any](list []Output, options Options[K]) (*Outputs[K], error) {
	all := &Outputs[K]{
		options: options, ring: newRing[K](time.Now()), scheduler: newScheduler(runtime.GOMAXPROCS(0) - 1), news: wake.NewKick(),
		static: cachedStatic{slots: map[ais.MMSI]int{}}, subscribers: map[*subscriber[K]]struct{}{}, gate: newSignInGate(mostWaiting),
	}
	if all.options.Log == nil {
		all.options.Log = slog.New(slog.DiscardHandler)
	}
	names, ports := map[string]bool{}, newClaims()
	for _, o := range list {
		if o.Name == "" || names[o.Name] {
			return nil, fmt.Errorf("output %q (%s): needs a name of its own", o.Name, o.URL)
		}
		names[o.Name] = true
		t, err := parseOutput(o)
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", o.Name, err)
		}
		all.outputs = append(all.outputs, &output[K]{
			all: all, config: o, target: t, ports: ports, log: all.options.Log.With("output", o.Name),
			now: ais.OutputStatus{Name: o.Name, URL: o.URL, Format: o.Format, User: o.User},
		})
	}
	return all, nil
}

// Publish copies a message and what goes with it into the ring. It never waits for a subscriber. It is for one goroutine.
func (all *Outputs[K]) Publish(o *format.Outgoing, about *K) {
	now := time.Now()
	if o.Refused == "" {
		all.static.keepMessage(o, now.Sub(all.ring.began))
	}
	if all.open.Load() == 0 {
		if all.ring.current != nil {
			all.ring.dropPages()
		}
		return
	}
	all.ring.putMessage(o, about, all.echoes.earlierFeed(o, now.Sub(all.ring.began)), now)
	all.news.Wake()
}

// Forget drops the static data of a ship that are kept for new subscribers.
func (all *Outputs[K]) Forget(m ais.MMSI) { all.static.dropShip(m) }

// Run serves all outputs until ctx is done, and returns when its goroutines have ended.
func (all *Outputs[K]) Run(ctx context.Context) error {
	var group sync.WaitGroup
	for _, o := range all.outputs {
		group.Go(func() { o.run(ctx) })
	}
	group.Go(func() { all.wakeLoop(ctx) })
	group.Wait()
	return nil
}

// wakeLoop wakes the subscribers when there is something new. It keeps as much of the ring as the subscriber with the longest delay
// needs.
func (all *Outputs[K]) wakeLoop(ctx context.Context) {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-second.C:
			all.ring.setDelay(all.longestDelay())
		case <-all.news:
			all.wakeAll()
			sleep(ctx, gatherFor)
		}
	}
}

func (all *Outputs[K]) wakeAll() {
	all.mu.Lock()
	defer all.mu.Unlock()
	for s := range all.subscribers {
		s.wake.Wake()
	}
}

func (all *Outputs[K]) longestDelay() time.Duration {
	all.mu.Lock()
	defer all.mu.Unlock()
	var longest time.Duration
	for s := range all.subscribers {
		longest = max(longest, time.Duration(s.delay.Load()))
	}
	return longest
}

// admitSubscriber adds a subscriber, unless there are too many. Those that the configuration names always have room.
func (all *Outputs[K]) admitSubscriber(s *subscriber[K]) error {
	all.mu.Lock()
	defer all.mu.Unlock()
	of := 0
	for other := range all.subscribers {
		if other.user == s.user {
			of++
		}
	}
	switch signed := s.output.target.kind == kindTCPListen; {
	case signed && len(all.subscribers) >= mostSubscribers:
		return Refusal("too many subscribers")
	case signed && of >= mostOfUser:
		return Refusal("too many subscribers of this user")
	}
	all.subscribers[s] = struct{}{}
	all.open.Add(1)
	return nil
}

// dismiss removes a subscriber, and keeps its counts and why it ended: at once, so that no status has it twice or not at all.
func (all *Outputs[K]) dismiss(s *subscriber[K], why error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	delete(all.subscribers, s)
	gone := &s.output.gone
	gone.add(&s.tally)
	switch {
	case errors.Is(why, errStalled):
		gone.cut++
	case errors.Is(why, errRevoked):
		gone.revoked++
	}
	all.open.Add(-1)
}
