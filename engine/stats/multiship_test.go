package stats

import (
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
	"quaywatch/store"
)

// changing records a ship of which all five kinds of changes happen, and one of which a name alone is known.
func (b *bench) changing() {
	midnight := noon().Truncate(24 * time.Hour)
	at := func(minutes int) int64 { return midnight.Add(time.Duration(minutes) * time.Minute).UnixMilli() }
	var track ship.Track
	for i, minute := range []int{-2, 2, 4, 60, 62, 64} {
		f := ship.Fix{At: at(minute), Lon: 6_000_000 + int32(i)*600, Lat: 33_600_000, SOG: ais.SOGTenths(51), COG: ais.COGTenths(901)}
		if minute == 64 {
			f.Mark = ship.BySatellite
		}
		track = append(track, f)
	}
	old := &ship.Static{IMO: 9321483, Name: "OLD", CallSign: "OWKN2", Type: 70, At: at(-90)}
	renamed := *old
	renamed.Name, renamed.At = "NEW", at(61)
	bound := &ship.VoyageData{Destination: "DKAAR", Draught: 74, At: at(63)}
	b.put(219000001, track, store.Said{Static: old}, store.Said{Static: &renamed}, store.Said{Static: &renamed, Voyage: bound})
	b.put(219000002, nil, store.Said{Static: &ship.Static{Name: "SILENT", At: at(-60)}})
}

// TestMultiShip: the first record lies before begin and tells all; the others tell what is new.
func TestMultiShip(t *testing.T) {
	b := newBench(t, Kinds()...)
	b.changing()
	const ask = `,"ships":[{"mmsi":219000001}]`
	found, j := b.changesOf(ask)
	want := []string{
		`{"timestamp":"2026-11-19T23:58:00Z","change":4,"ship":{"mmsi":219000001},"name":"OLD","callsign":"OWKN2","imo":9321483,"type":"Cargo","cog":90.1,"sog":5.1,"longitude":10,"latitude":56}`,
		`{"timestamp":"2026-11-20T00:10:00Z","change":1,"ship":{"mmsi":219000001},"cog":90.1,"sog":5.1,"longitude":10.002,"latitude":56}`,
		`{"timestamp":"2026-11-20T01:00:00Z","change":4,"ship":{"mmsi":219000001},"cog":90.1,"sog":5.1,"longitude":10.003,"latitude":56}`,
		`{"timestamp":"2026-11-20T01:01:00Z","change":2,"ship":{"mmsi":219000001},"name":"NEW","cog":90.1,"sog":5.1,"longitude":10.003,"latitude":56}`,
		`{"timestamp":"2026-11-20T01:03:00Z","change":3,"ship":{"mmsi":219000001},"destination":"DKAAR","draught":7.4,"cog":90.1,"sog":5.1,"longitude":10.004,"latitude":56}`,
		`{"timestamp":"2026-11-20T01:04:00Z","change":5,"ship":{"mmsi":219000001},"cog":90.1,"sog":5.1,"longitude":10.005,"latitude":56}`,
		`{"timestamp":"2026-11-20T01:10:00Z","change":1,"ship":{"mmsi":219000001},"cog":90.1,"sog":5.1,"longitude":10.005,"latitude":56}`,
	}
	if !slices.Equal(found, want) || len(j.Warnings) != 0 {
		t.Errorf("%s\nwant\n%s\n%+v", strings.Join(found, "\n"), strings.Join(want, "\n"), j.Warnings)
	}
	if got := b.found(j.ID, hiding(219000001)); len(got) != 0 {
		t.Errorf("hidden: %q", got)
	}
	late := b.found(j.ID, func(m statistic.Moment) bool { return m.Fix.Time().Before(noon().Add(-10*time.Hour - 59*time.Minute)) })
	if len(late) != 3 {
		t.Errorf("told up to 01:00: %q", late)
	}
	if found, _ = b.changesOf(ask + `,"filter":"name = 'NEW'"`); !slices.Equal(found, want[3:]) {
		t.Errorf("filtered: %q", found)
	}
	if found, _ = b.changesOf(`,"ships":[{"mmsi":219000009}]`); len(found) != 0 {
		t.Errorf("unknown: %q", found)
	}
}

// changesOf returns the records of some ships in the order of their times.
func (b *bench) changesOf(more string) ([]string, Job) {
	b.t.Helper()
	return b.asked("multiship", more, everybody)
}

// TestAShipWithoutAPlace: of it a record is kept that only readers may have that see all.
func TestAShipWithoutAPlace(t *testing.T) {
	b := newBench(t, Kinds()...)
	b.changing()
	_, j := b.changesOf(`,"ships":[{"mmsi":219000002}]`)
	part, _, _, err := b.Part(j.ID, ReadingPlace{})
	if err != nil || len(part) != 1 || !part[0].Bare || !strings.Contains(string(part[0].Data), `"change":1,"ship":{"mmsi":219000002},"name":"SILENT"}`) {
		t.Errorf("%+v, %v", part, err)
	}
}

// TestWrongShips: each wrong ship is named.
func TestWrongShips(t *testing.T) {
	b := newBench(t, Kinds()...)
	b.refusals("multiship", map[string]string{
		"":                         "/ships",
		`,"ships":[]`:              "/ships",
		`,"ships":{}`:              "/ships",
		`,"ships":[1]`:             "/ships/0",
		`,"ships":[{"mmsi":1},{}]`: "/ships/1",
		`,"ships":[{"mmsi":1.5}]`:  "/ships/0/mmsi",
		`,"ships":[{"mmsi":1},{"name":"NOBODY"}]`: "/ships/1",
	})
}
