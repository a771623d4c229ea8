package notify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/distress"
	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/internal/await"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/store"
	"quaywatch/traffic"
	"quaywatch/users"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

const (
	nordic   = ais.MMSI(219018765)
	password = "correct horse battery"
	roads    = `"type":"polygon","polygon":{"type":"Polygon","coordinates":[[[10.31,56.1],[10.4,56.1],[10.4,56.2],[10.31,56.2],[10.31,56.1]]]}`
)

func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// box is a store, a picture, users and watchdogs, and an outbox with one channel.
type box struct {
	t       testing.TB
	dir     string
	db      *store.DB
	areas   users.Areas
	picture *traffic.Picture
	sight   *sight.Sight
	alarms  *distress.Alarms
	watch   *watchdogs.Watch
	outbox  *Outbox
	owner   *access.User
	close   func()
	batch   ais.Batch
	hash    uint64

	mu  sync.Mutex
	now time.Time

	channel Channel
	change  func(*Config)
}

// newBox opens a box whose channel asks send.
func newBox(t testing.TB, send func(ctx context.Context, m *Delivery) error, change ...func(*Config)) *box {
	t.Helper()
	b := &box{t: t, dir: t.TempDir(), now: noon(), channel: Channel{Kind: "mail", Targets: func(of *library.Resource, _ *watchdogs.Event) []string { return of.Watchdog.MailTo }, Send: send}}
	b.change = func(c *Config) {
		for _, f := range change {
			f(c)
		}
	}
	b.open()
	t.Cleanup(func() { b.close() })
	user, err := b.areas.Users.Create(access.User{Name: "anna", Profile: access.Profile{Email: "anna@port.example",
		Rights: map[right.Name]right.Verdict{right.ViewWatchdog: right.Allow, right.ViewSatellites: right.Allow,
			right.SendMail: right.Allow, right.AllowMailSelf: right.Allow, right.AllowMailOtherUsers: right.Allow}}}, password)
	if err != nil {
		t.Fatal(err)
	}
	b.owner = user
	return b
}

func (b *box) clock() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.now
}

// pass lets time pass, and the channels look again.
func (b *box) pass(d time.Duration) {
	b.mu.Lock()
	b.now = b.now.Add(d)
	b.mu.Unlock()
	b.outbox.news.Raise()
}

func (b *box) open() {
	b.t.Helper()
	db, err := store.Open(store.Options{Dir: b.dir})
	b.must(err)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = db.Run(ctx) })
	b.db = db
	b.areas, err = users.Open(db.Database, access.Options{Dir: b.dir, Now: b.clock, HashMemory: 64})
	b.must(err)
	b.picture = traffic.New(traffic.DefaultConfig())
	b.picture.Restore(db.States())
	b.sight = sight.New(sight.Config{Picture: b.picture, DB: db, Users: b.areas.Users, Register: b.areas.Register, Now: b.clock})
	b.alarms, err = distress.Open(db.Database, nil)
	b.must(err)
	b.watch, err = watchdogs.Open(watchdogs.Config{DB: db, Distress: b.alarms, Library: b.areas.Library, Ports: b.areas.Ports.Current, Ship: b.picture.Ship,
		Names:      func(string) ship.Lookup { return b.areas.Library.Anything() },
		Generation: b.areas.Users.Generation, Changed: b.areas.Users.Changed})
	b.must(err)
	c := Config{DB: db.Database, Watch: b.watch, Library: b.areas.Library, Users: b.areas.Users, Sight: b.sight, Channels: []Channel{b.channel}, Now: b.clock}
	b.change(&c)
	b.outbox, err = Open(c)
	b.must(err)
	sight := b.sight
	b.close = func() {
		sight.Close()
		cancel()
		running.Wait()
		_ = db.Close()
	}
}

// run runs the outbox until the function is called.
func (b *box) run() (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { _ = b.outbox.Run(ctx) })
	stop = sync.OnceFunc(func() {
		cancel()
		running.Wait()
	})
	b.t.Cleanup(stop)
	return stop
}

func (b *box) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// define makes a watchdog of the roads with further fields.
func (b *box) define(fields string) library.Resource {
	b.t.Helper()
	f, err := form.Read([]byte(`{"name":"Roads",` + roads + `,` + fields + `}`))
	b.must(err)
	r := library.Resource{Owned: form.Owned{Owner: b.owner.UID}}
	b.must(b.areas.Library.Apply(f, library.Watchdogs, &r, b.areas.Library.Anything()))
	b.must(f.Err())
	r, err = b.areas.Library.Insert(library.Watchdogs, r)
	b.must(err)
	b.watch.Compile()
	return r
}

func (b *box) hear(at time.Time, m ais.MMSI, lon float64) {
	b.hash++
	b.batch.Reset()
	p := &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: m}, SOG: ais.SOGTenths(50), COG: ais.COGTenths(900), Heading: ais.HeadingDegrees(90),
		Place: ais.Place{Lon: int32(lon * 600000), Lat: int32(56.14 * 600000)}, Second: 60}
	b.batch.Reports = append(b.batch.Reports, ais.Report{Message: p, Hash: b.hash, Received: at, Feed: "roof", Channel: 'A'})
	b.picture.Apply(&b.batch, b.db, b.sight, b.watch)
}

// enters lets a ship sail into the roads: one activation.
func (b *box) enters(m ais.MMSI, from time.Time) {
	for i := range 5 {
		b.hear(from.Add(time.Duration(i)*time.Minute), m, 10.3+float64(i)/200)
	}
	b.watch.Save(false)
}

// leaves lets it sail out.
func (b *box) leaves(m ais.MMSI, at time.Time) {
	b.hear(at, m, 10.42)
	b.watch.Save(false)
}

// until waits until something is so.
func (b *box) until(what string, is func() bool) {
	b.t.Helper()
	for range await.Looks(await.Limit) {
		if is() {
			return
		}
	}
	b.t.Fatalf("waited in vain: %s; notices %s", what, b.states())
}

// states returns the states of all notices, in the order in which they were made.
func (b *box) states() string {
	var states []string
	for e := range b.watch.Last() {
		for _, r := range b.outbox.Of(e + 1) {
			states = append(states, string(r.State))
		}
	}
	return fmt.Sprint(states)
}

func (b *box) becomes(want string) {
	b.t.Helper()
	b.until(want, func() bool { return b.states() == want })
}

// mailed is a far end that keeps the ids of what it got.
type mailed struct {
	mu  sync.Mutex
	ids []string
	err error
	tap chan string // gets each id before it is answered, where it is made
}

func (f *mailed) send(ctx context.Context, m *Delivery) error {
	if f.tap != nil {
		select {
		case f.tap <- m.ID:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ids = append(f.ids, m.ID)
	return f.err
}

func (f *mailed) answer(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.err = err
}

func (f *mailed) got() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.ids)
}

// killed opens a copy of the files as they lie on the disk now.
func (b *box) killed() *box {
	b.t.Helper()
	k := &box{t: b.t, dir: b.t.TempDir(), now: b.clock(), channel: b.channel, change: b.change, owner: b.owner, hash: 1 << 30}
	for _, name := range []string{"quaywatch.db", "quaywatch.wal"} {
		body, err := os.ReadFile(filepath.Join(b.dir, name))
		b.must(err)
		b.must(os.WriteFile(filepath.Join(k.dir, name), body, 0o600))
	}
	k.open()
	b.t.Cleanup(func() { k.close() })
	return k
}

var errBusy = errors.New("the far end is busy")

func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}
