package former

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
)

const (
	first  = ais.MMSI(219018765)
	second = ais.MMSI(636012345)
)

// open returns a store and an Index that has read it.
func open(t *testing.T, dir string) (*store.DB, *Index) {
	t.Helper()
	db, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	x := New(db, slog.New(slog.DiscardHandler))
	if err := x.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	return db, x
}

// called is a ship that is known by a name and an IMO number since a second.
func called(m ais.MMSI, name string, imo uint32, second int64) ship.State {
	return ship.State{MMSI: m, Reports: ship.ConfirmedReports, Heard: second * 1000, First: 1000, Static: &ship.Static{At: second * 1000, Name: name, IMO: imo}}
}

// change is a step in which a ship becomes another.
func change(was, now ship.State) *ship.Update {
	return &ship.Update{Was: was, Now: now, Change: ship.ChangedStatic}
}

func (x *Index) like(t *testing.T, q ship.Identity) []ais.MMSI {
	t.Helper()
	ships, err := x.Like(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return ships
}

// What a ship was called is known at once, and after a restart out of the store. A ship that never changed costs nothing.
func TestFormerNamesAreFound(t *testing.T) {
	dir := t.TempDir()
	db, x := open(t, dir)
	a, b, c := called(first, "OLD HAV", 9321483, 10), called(first, "NEW HAV", 9321483, 20), called(first, "NEW HAV", 9074729, 30)
	calm := called(second, "CALM", 9074729, 5)
	for _, u := range []*ship.Update{change(ship.State{}, a), change(a, b), change(b, c), change(ship.State{}, calm), change(calm, calm)} {
		db.Observe(u)
		x.Observe(u)
	}
	for _, turn := range []string{"at once", "after a restart"} {
		for q, want := range map[ship.Identity][]ais.MMSI{
			{Name: "old hav@@ "}: {first}, {IMO: 9321483}: {first}, {IMO: 9074729}: {first}, {Name: "OLD HAV", IMO: 9321483}: {first},
			{Name: "CALM"}: nil, {Name: "OLD"}: nil, {MMSI: first}: nil, {}: nil,
		} {
			if got := x.like(t, q); !slices.Equal(got, want) {
				t.Errorf("%s: %+v finds %v, want %v", turn, q, got, want)
			}
		}
		if err := db.Settle(); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db, x = open(t, dir)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// An entry of the register lies over what a ship calls itself: what was heard counts all the same.
func TestNamesUnderAnEntryAreFound(t *testing.T) {
	db, x := open(t, t.TempDir())
	defer db.Close()
	over := called(first, "BY HAND", 0, 40)
	for i, name := range []string{"OLD HAV", "NEW HAV"} {
		heard := called(first, name, 0, int64(10+i))
		x.Observe(&ship.Update{Was: over, Now: over, Heard: &heard, Change: ship.ChangedStatic})
	}
	if got := x.like(t, ship.Identity{Name: "OLD HAV"}); !slices.Equal(got, []ais.MMSI{first}) {
		t.Errorf("found %v", got)
	}
}

// A question waits until the store was read, as long as its caller does.
func TestQuestionsWaitForTheStore(t *testing.T) {
	db, _ := open(t, t.TempDir())
	defer db.Close()
	x := New(db, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := x.Like(ctx, ship.Identity{Name: "ANY"}); !errors.Is(err, context.Canceled) {
		t.Errorf("the answer came before the store was read: %v", err)
	}
	if err := x.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Like(t.Context(), ship.Identity{Name: "ANY"}); err != nil {
		t.Error(err)
	}
}

// Transmitters that change their names without end take no more memory, and the log says it once.
func TestNamesWithoutEndAreBounded(t *testing.T) {
	var log strings.Builder
	db, _ := open(t, t.TempDir())
	defer db.Close()
	x := New(db, slog.New(slog.NewTextHandler(&log, nil)))
	x.most = 10
	was := called(first, "A", 0, 1)
	for i := range 100 {
		now := called(first, strings.Repeat("B", i+1), 0, int64(i+2))
		x.Observe(change(was, now))
		was = now
	}
	if x.marks != 10 || len(x.had) != 10 || strings.Count(log.String(), "questions by former names") != 1 {
		t.Errorf("%d marks in %d lists; the log: %s", x.marks, len(x.had), log.String())
	}
}

// A position costs a look at a flag.
func TestPositionsCostNothing(t *testing.T) {
	db, x := open(t, t.TempDir())
	defer db.Close()
	now := called(first, "CALM", 9074729, 5)
	u := &ship.Update{Was: now, Now: now, Change: ship.ChangedFix}
	if n := testing.AllocsPerRun(100, func() { x.Observe(u); x.Tick(time.Time{}) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
