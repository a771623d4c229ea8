package stats

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/internal/await"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
	"quaywatch/store"
	"quaywatch/store/records"
)

func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// bench is statistics of test kinds on a store of their own.
type bench struct {
	*Statistics
	t     *testing.T
	dir   string
	db    *store.DB
	kinds []Kind
	end   func()
	names ship.Lookup // what the asker may name
	now   time.Time   // of the ships
	clock time.Time   // ours; zero is now
}

func newBench(t *testing.T, kinds ...Kind) *bench {
	b := &bench{t: t, dir: t.TempDir(), kinds: kinds, now: noon()}
	b.open()
	t.Cleanup(func() { b.end() })
	return b
}

func (b *bench) open() {
	b.t.Helper()
	var err error
	if b.db, err = store.Open(store.Options{Dir: b.dir, FullRate: true}); err != nil {
		b.t.Fatal(err)
	}
	config := Config{DB: b.db, Now: func() time.Time { return b.now }, Kinds: b.kinds, Names: func(string) ship.Lookup { return ship.Lookup{} }}
	if config.Clock = config.Now; !b.clock.IsZero() {
		config.Clock = func() time.Time { return b.clock }
	}
	if b.Statistics, err = Open(config); err != nil {
		b.t.Fatal(err)
	}
	b.end = func() {
		b.Statistics.Stop()
		if err := b.db.Close(); err != nil {
			b.t.Error(err)
		}
	}
}

// add adds a statistic of a kind.
func (b *bench) add(kind, owner, more string, priority int) int64 {
	b.t.Helper()
	return b.addBetween(noon().Truncate(24*time.Hour), noon().Add(-30*time.Minute), kind, owner, more, priority)
}

// addBetween adds a statistic of a period.
func (b *bench) addBetween(begin, end time.Time, kind, owner, more string, priority int) int64 {
	b.t.Helper()
	f, err := form.Read(fmt.Appendf(nil, `{"begin":%q,"end":%q%s}`, begin.Format(time.RFC3339), end.Format(time.RFC3339), more))
	if err != nil {
		b.t.Fatal(err)
	}
	k, _ := b.Kind(kind)
	a, err := b.Read(f, k, b.asker())
	if err = errors.Join(err, f.Err()); err != nil {
		b.t.Fatal(err)
	}
	j, err := b.Add(a, Job{Owned: form.Owned{Owner: owner}, Priority: priority})
	if err != nil {
		b.t.Fatal(err)
	}
	return j.ID
}

// over waits until a statistic is over.
func (b *bench) over(id int64) (j Job) {
	b.t.Helper()
	await.That(b.t, "the statistic is over", func() bool {
		var err error
		j, err = b.Get(id)
		return err != nil || j.isOver()
	})
	return j
}

// legs counts each leg of each ship, and tells of each time that is over.
type legs struct {
	run  *Run
	over []time.Time
}

func (l *legs) Take(m ais.MMSI, part ship.Track) {
	for leg := range part.Legs() {
		text, _ := json.Marshal(map[string]any{"ship": map[string]any{"mmsi": m}, "from": leg.From.At, "to": leg.To.At})
		_ = l.run.Emit(Record{Moments: []statistic.Moment{{MMSI: m, Fix: leg.From}}, Data: text})
	}
}
func (l *legs) Over(now time.Time) { l.over = append(l.over, now) }
func (l *legs) End()               {}

// legsOf is a kind that counts legs, of some ships or of all.
func legsOf(name string, ships []ais.MMSI, seen func(*legs)) Kind {
	return Kind{Name: name, Check: func(*form.Fields, Asker) (any, error) { return nil, nil }, Open: func(r *Run) (Question, error) {
		l := &legs{run: r}
		seen(l)
		return Question{Counter: l, Near: Everywhere(), Ships: ships}, nil
	}}
}

// fleet records three ships from 06:00 on: a fix each seven minutes, with a gap, over the ends of hours.
func (b *bench) fleet() (ships []ais.MMSI) {
	b.t.Helper()
	for i := range 3 {
		m := ais.MMSI(219000001 + i)
		ships = append(ships, m)
		var track ship.Track
		for n := range 50 {
			if n%17 == 9 {
				continue
			}
			at := noon().Add(-6*time.Hour + time.Duration(n)*7*time.Minute + time.Duration(i)*time.Second)
			track = append(track, ship.Fix{At: at.UnixMilli(), Lon: 6_000_000 + int32(n)*3000, Lat: 33_600_000 + int32(i)*6000, SOG: ais.SOGTenths(50 + n)})
		}
		said := func(name string, at time.Time) store.Said {
			return store.Said{Static: &ship.Static{Name: name, At: at.UnixMilli()}}
		}
		names := []store.Said{said("OLD", track[0].Time()), said("NEW", track[20].Time())}
		if _, err := b.db.ImportTracks([]store.Imported{{MMSI: m, Class: ship.ClassA, Fixes: track, Said: names}}); err != nil {
			b.t.Fatal(err)
		}
	}
	return ships
}

// found returns the records of a result, sorted.
func (b *bench) found(id int64, may func(statistic.Moment) bool) (all []string) {
	b.t.Helper()
	for r, err := range b.Result(id, may) {
		if err != nil {
			b.t.Fatal(err)
		}
		all = append(all, string(r.Data))
	}
	slices.Sort(all)
	return all
}

func everybody(statistic.Moment) bool { return true }

// TestEachLegComesOnce: of all ships and of those that are named, whatever hours the legs lie in, and the hours are over in their order.
func TestEachLegComesOnce(t *testing.T) {
	var last *legs
	note := func(l *legs) { last = l }
	named := legsOf("sogdist", []ais.MMSI{219000001, 219000002, 219000003}, note)
	b := newBench(t, legsOf("area", nil, note), named)
	var want []string
	for _, m := range b.fleet() {
		track, err := b.db.Track(t.Context(), m, noon().Add(-12*time.Hour), noon().Add(-30*time.Minute))
		if err != nil {
			t.Fatal(err)
		}
		for leg := range track.Legs() {
			want = append(want, fmt.Sprintf(`{"from":%d,"ship":{"mmsi":%d},"to":%d}`, leg.From.At, m, leg.To.At))
		}
	}
	slices.Sort(want)
	for _, kind := range []string{"area", "sogdist"} {
		id := b.add(kind, "anna", "", 0)
		if j := b.over(id); j.State != Completed || j.Records != int64(len(want)) || len(j.Warnings) > 0 {
			t.Fatalf("%s: %+v", kind, j)
		}
		if got := b.found(id, everybody); !slices.Equal(got, want) {
			t.Errorf("%s: %d legs, want %d", kind, len(got), len(want))
		}
		if !slices.IsSortedFunc(last.over, time.Time.Compare) || len(last.over) < 6 {
			t.Errorf("%s: over at %v", kind, last.over)
		}
	}
}

// TestAReaderGetsWhatItMightHaveSeen: a record of which one moment is hidden is not there.
func TestAReaderGetsWhatItMightHaveSeen(t *testing.T) {
	b := newBench(t, legsOf("area", nil, func(*legs) {}))
	b.fleet()
	id := b.add("area", "anna", "", 0)
	b.over(id)
	all := b.found(id, everybody)
	some := b.found(id, func(m statistic.Moment) bool { return m.MMSI == 219000002 && m.Fix.SOG != 0 })
	if len(some) == 0 || 3*len(some) != len(all) || !strings.Contains(some[0], "219000002") {
		t.Errorf("%d of %d", len(some), len(all))
	}
}

// TestTheFilterJudgesTheDataOfThen: by the name that the ship had, and by its speed then; no leg leads over what is left out.
func TestTheFilterJudgesTheDataOfThen(t *testing.T) {
	b := newBench(t, legsOf("area", nil, func(*legs) {}))
	b.fleet()
	counts := map[string]int{}
	for _, filter := range []string{"name = 'OLD'", "name = 'NEW'", "sog < 6", "mmsi = 1"} {
		id := b.add("area", "anna", `,"filter":"`+filter+`"`, 0)
		j := b.over(id)
		counts[filter] = int(j.Records)
		if j.Records == 0 && j.Warnings[0].Word != "stat_filtered" {
			t.Errorf("%+v", j)
		}
	}
	whole := b.over(b.add("area", "anna", "", 0)).Records
	if old, now := counts["name = 'OLD'"], counts["name = 'NEW'"]; old == 0 || now == 0 || int64(old+now) != whole-3 { // the leg between lies in neither
		t.Errorf("%d and %d of %d", old, now, whole)
	}
	if counts["sog < 6"] != 3*8 || counts["mmsi = 1"] != 0 { // the first ten fixes but one
		t.Errorf("%v", counts)
	}
}

// TestACrashIsForgivenOnce: what ran when the program was killed runs again, and is given up at the second time.
func TestACrashIsForgivenOnce(t *testing.T) {
	b := newBench(t, legsOf("area", nil, func(*legs) {}))
	b.fleet()
	id := b.add("area", "anna", `,"execute":false`, 0)
	killed := func() {
		t.Helper()
		j, err := b.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		j.State, j.Held = Running, false
		if err := b.rows.Put(uint64(id), "", j); err != nil {
			t.Fatal(err)
		}
		if _, err := b.chunks.Append(time.UnixMilli(id), chunk{Records: []Record{{Data: raw(`{"half":true}`)}}}); err != nil {
			t.Fatal(err)
		}
		b.end()
		b.open()
	}
	killed()
	if j, _ := b.Get(id); j.State != Idle || j.Crashes != 1 {
		t.Fatalf("%+v", j)
	}
	killed()
	if j, _ := b.Get(id); j.State != Aborted || j.Error.Word != "interrupted" {
		t.Fatalf("%+v", j)
	}
	id = b.add("area", "anna", `,"execute":false`, 0)
	killed()
	b.Step()
	if j := b.over(id); j.State != Completed || strings.Contains(strings.Join(b.found(id, everybody), ""), "half") {
		t.Errorf("%+v: what the killed run left is there", j)
	}
}

// many is a kind that makes so many records.
func many(count int) Kind {
	return Kind{Name: "nmss", Check: func(*form.Fields, Asker) (any, error) { return nil, nil }, Open: func(r *Run) (Question, error) {
		return Question{Ask: func(ctx context.Context) error {
			for i := range count {
				if err := r.Emit(Record{Moments: []statistic.Moment{{MMSI: 1}}, Data: raw(fmt.Sprintf(`{"n":"%0100d"}`, i))}); err != nil {
					return err
				}
			}
			return nil
		}}, nil
	}}
}

// TestALargeResult comes in parts and in order, and nothing of it stays when it is deleted.
func TestALargeResult(t *testing.T) {
	b := newBench(t, many(5000))
	id := b.add("nmss", "anna", "", 0)
	b.over(id)
	parts, n, last := 0, 0, ""
	for at, more := (ReadingPlace{}), true; more; parts++ {
		var part []Record
		var err error
		if part, at, more, err = b.Part(id, at); err != nil {
			t.Fatal(err)
		}
		for _, r := range part {
			if string(r.Data) <= last {
				t.Fatalf("%s comes after %s", r.Data, last)
			}
			last = string(r.Data)
			n++
		}
	}
	if parts < 5 || n != 5000 {
		t.Errorf("%d records in %d parts", n, parts)
	}
	_, second, _, err := b.Part(id, ReadingPlace{})
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Delete(id); err != nil {
		t.Fatal(err)
	}
	for more := true; more && err == nil; { // a reader that is on its way is not told that this was all
		_, second, more, err = b.Part(id, second)
	}
	if !errors.Is(err, ErrUnknown) {
		t.Errorf("the end of a result that is being removed: %v", err)
	}
	await.That(t, "it is in the queue no more, and its result is removed", func() bool {
		b.Step()
		b.mu.Lock()
		defer b.mu.Unlock()
		return b.jobs[id] == nil
	})
	for e := range b.chunks.Forward(records.Key{}, records.EndKey()) {
		t.Fatalf("left: %v", e.Key)
	}
	if all, err := b.bodies.All(); err != nil || len(all) != 0 {
		t.Errorf("left: %v, %v", all, err)
	}
}

// TestABrokenKindAbortsItsStatistic: a panic and an error of ours are not told, and a record that nobody could judge is none.
func TestABrokenKindAbortsItsStatistic(t *testing.T) {
	ask := func(name string, do func(r *Run) error) Kind {
		return Kind{Name: name, Check: func(*form.Fields, Asker) (any, error) { return nil, nil }, Open: func(r *Run) (Question, error) {
			return Question{Ask: func(context.Context) error { return do(r) }}, nil
		}}
	}
	b := newBench(t, ask("nmss", func(*Run) error { panic("broken") }), ask("nmsp", func(*Run) error { return errors.New("secret") }),
		ask("trip", func(r *Run) error { return r.Emit(Record{Data: raw(`{}`)}) }))
	for _, kind := range []string{"nmss", "nmsp", "trip"} {
		if j := b.over(b.add(kind, "anna", "", 0)); j.State != Aborted || j.Error.Word != "stat_failed" || j.Records != 0 {
			t.Errorf("%s: %+v", kind, j)
		}
	}
}

// TestWhatCannotBeWrittenIsTold closes the store under a result: that a chunk is lost is told with the next one, or at the end.
func TestWhatCannotBeWrittenIsTold(t *testing.T) {
	b := newBench(t)
	b.Statistics.Stop()
	if err := b.db.Close(); err != nil {
		t.Fatal(err)
	}
	b.end = func() {}
	for chunks := range 2 {
		w := writer{stats: b.Statistics, id: 1, going: &going{}, most: MostRecords}
		for i := range (1 + chunks) * chunkRecords {
			err := w.add(Record{Bare: true, Data: raw(`{}`)})
			if late := i == 2*chunkRecords-1; late != (err != nil) {
				t.Fatalf("record %d: %v", i, err)
			}
		}
		if err := w.waitForDisk(); (err != nil) != (chunks == 0) {
			t.Fatalf("after %d chunks: %v", 1+chunks, err)
		}
	}
}

// TestAStatisticMayRunBeforeItsOwnerKnows: one that is kept is taken by whoever looks first. The race detector sees whether the owner looks at it unguarded.
func TestAStatisticMayRunBeforeItsOwnerKnows(t *testing.T) {
	b := newBench(t, legsOf("legs", nil, func(*legs) {}))
	var looking sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		looking.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					b.Step()
				}
			}
		})
	}
	for range 50 {
		b.over(b.add("legs", "anna", "", 1))
	}
	close(done)
	looking.Wait()
}

// TestTheQueueIsFair: the higher priority goes first, and one owner never has all places.
func TestTheQueueIsFair(t *testing.T) {
	began, hold := make(chan string, 100), make(chan struct{})
	held := Kind{Name: "nmss", Check: func(*form.Fields, Asker) (any, error) { return nil, nil }, Open: func(r *Run) (Question, error) {
		return Question{Ask: func(ctx context.Context) error {
			began <- r.job.Name
			select {
			case <-hold:
			case <-ctx.Done():
			}
			return ctx.Err()
		}}, nil
	}}
	b := newBench(t, held)
	ids := []int64{b.add("nmss", "anna", `,"name":"a1"`, 0)}
	first := <-began
	for _, row := range []struct {
		owner, name string
		priority    int
	}{{"anna", "a2", 0}, {"anna", "a3", 1}} {
		ids = append(ids, b.add("nmss", row.owner, `,"name":"`+row.name+`"`, row.priority))
	}
	ids = append(ids, b.add("nmss", "bert", `,"name":"b1"`, -1))
	second := <-began // the other place is not anna's
	if err := b.Delete(ids[0]); err != nil {
		t.Fatal(err)
	}
	third := <-began
	if got := []string{first, second, third}; !slices.Equal(got, []string{"a1", "b1", "a3"}) {
		t.Errorf("%q", got)
	}
	close(hold)
	for _, id := range ids[1:] {
		if j := b.over(id); j.State != Completed {
			t.Errorf("%+v", j)
		}
	}
}
