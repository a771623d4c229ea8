// Package feed is where AIS comes in. It opens what the configuration names: serial ports, UDP, TCP, files, standard input. It cuts the
// bytes into lines, lets ais.Decoder read them, and sends batches of reports. A source that is lost is opened again while Run runs. A
// live source never blocks on a slow reader: it drops batches and counts them.
//
// Feeds.Transmit writes to a transponder, on the port that its feed reads. Outputs is the way out: one ring of messages from which each subscriber reads at its own pace.
//
// Not promised: that no datagram and no sentence is lost. The losses that can be seen stand in ais.FeedStatus.
//
// Dangerous: Run must be the only user of a batch until it is sent on out, and the receiver of a batch must release it.
//
// Locks: the status of a feed and the status of an output have a lock each. So have the list of subscribers and the figures of each subscriber. The cached
// static data, the serial ports in use, the scheduler and the places of senders have a lock too. So have the sign-in gate and the writing to a transponder. The
// ring has none. No two of them are held together. A slot of the scheduler is no lock: a subscriber holds one while it takes the locks of the picture and of
// users. It takes none of them before it has the slot.
package feed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"os"
	"sync"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/internal/admission"
)

// Source is one configured feed.
type Source struct {
	Name     string     // the station's name, unique
	URL      string     // see Parse
	Clock    ais.Clock  // whose time the reports carry: ours or the log's own
	Position *geo.Point // the antenna's place when known; the feed itself does not use it
	Tags     []string
	SignIn   SignIn         // tcp-listen: signs senders in; nil accepts every connection
	Allow    []netip.Prefix // udp and tcp-listen: from where it may come; nil is everywhere
	Transmit bool           // serial and tcp: a transponder is there, to which Feeds.Transmit writes

	Receipt func(ais.OwnReceipt) // with Transmit: is told of each ABK sentence, and must not wait; nil for nothing
}

// Sources runs a set of sources.
type Sources struct {
	inlets []*inlet
	ports  *claims // serial ports in use
	done   chan struct{}
}

// New makes feeds of the sources without opening anything. Batches come from pool. It fails when a source's name is
// empty or given twice, or when Parse fails.
func New(sources []Source, pool *ais.Pool, log *slog.Logger) (*Sources, error) {
	f := &Sources{ports: newClaims(), done: make(chan struct{})}
	names := map[string]bool{}
	for _, s := range sources {
		if s.Name == "" || names[s.Name] {
			return nil, fmt.Errorf("feed %q (%s): needs a name of its own", s.Name, s.URL)
		}
		names[s.Name] = true
		t, err := parse(s)
		if err != nil {
			return nil, err
		}
		if s.SignIn != nil && t.kind != kindTCPListen {
			return nil, fmt.Errorf("feed %q (%s): sign-in is for tcp-listen alone", s.Name, s.URL)
		}
		if len(s.Allow) > 0 && t.kind != kindTCPListen && t.kind != kindUDP {
			return nil, fmt.Errorf("feed %q (%s): allow is for udp and tcp-listen alone", s.Name, s.URL)
		}
		f.inlets = append(f.inlets, newInlet(s, t, pool, f.ports, log))
	}
	return f, nil
}

// Run reads all sources, each in its own goroutine, and sends their reports on out, which it does not close. It returns when every source
// has ended or ctx is done, after its goroutines have ended. The error joins what ended finite sources (files, standard input) too early.
// The loss of a live source is no error; it stands in Status.
func (f *Sources) Run(ctx context.Context, out chan<- *ais.Batch) error {
	errs := make([]error, len(f.inlets))
	var wg sync.WaitGroup
	for i, in := range f.inlets {
		wg.Go(func() { errs[i] = in.run(ctx, out) })
	}
	wg.Wait()
	if ctx.Err() == nil && len(f.inlets) > 0 {
		close(f.done)
	}
	return errors.Join(errs...)
}

// Done is closed when every source was finite (a file, standard input) and has ended by itself.
func (f *Sources) Done() <-chan struct{} { return f.done }

// Status tells how each source is doing, in the order of New. It is safe to call at any time.
func (f *Sources) Status() []ais.FeedStatus {
	all := make([]ais.FeedStatus, len(f.inlets))
	for i, in := range f.inlets {
		all[i] = in.ledger.feedStatus()
	}
	return all
}

// inlet is one source at work.
type inlet struct {
	source Source
	target target
	pool   *ais.Pool
	ports  *claims // serial ports in use by any inlet
	log    *slog.Logger
	ledger *ledger
	out    chan<- *ais.Batch
	gate   *signInGate
	places *admission.Guests // of senders to tcp-listen
	outlet outlet            // to the transponder

	stdin    *os.File
	globs    []string // where serial://auto looks
	fallback []int    // baud rates that serial://auto tries
}

func newInlet(s Source, t target, pool *ais.Pool, ports *claims, log *slog.Logger) *inlet {
	return &inlet{
		source: s, target: t, pool: pool, ports: ports,
		log:      log.With("feed", s.Name),
		ledger:   newLedger(s),
		gate:     newSignInGate(maxSenders / 2),
		places:   admission.New(admission.Limits{All: maxSenders, Reserve: maxSenders / 8, Lately: knownFor}),
		outlet:   outlet{within: writeWithin},
		stdin:    os.Stdin,
		globs:    []string{"/dev/serial/by-id/*", "/dev/ttyUSB*", "/dev/ttyACM*"},
		fallback: []int{38400, 4800, 115200},
	}
}

// run reads the source until it has ended or ctx is done. Only finite sources end by themselves.
func (in *inlet) run(ctx context.Context, out chan<- *ais.Batch) error {
	in.out = out
	if !in.target.kind.finite() {
		in.keepOpen(ctx)
		return nil
	}
	err := in.session(ctx)
	in.ended(err)
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("feed %s: %w", in.source.Name, err)
}

// session opens the source and reads it until it is lost, has ended or ctx is done.
func (in *inlet) session(ctx context.Context) error {
	switch in.target.kind {
	case kindUDP:
		return in.receive(ctx)
	case kindTCP:
		return in.dialAndRead(ctx)
	case kindTCPListen:
		return in.listen(ctx)
	case kindSerial:
		return in.readSerial(ctx)
	case kindSerialAuto:
		return in.searchSerial(ctx)
	case kindFile:
		return in.replay(ctx)
	default:
		return in.standardInput(ctx)
	}
}
