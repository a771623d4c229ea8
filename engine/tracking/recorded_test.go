package tracking

import (
	"bufio"
	"context"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/shiptest"
	"quaywatch/traffic"
)

// sailedShips keeps the positions of the ships in a recording.
type sailedShips map[ais.MMSI][]ship.Fix

func (s sailedShips) Observe(u *ship.Update) {
	if u.Change&ship.ChangedFix != 0 && u.Now.Class == ship.ClassA {
		s[u.Now.MMSI] = append(s[u.Now.MMSI], u.Fix)
	}
}

func (sailedShips) Tick(time.Time) {}

// recorded reads the positions of a recording by its own clock.
func recorded(t *testing.T, name string) sailedShips {
	t.Helper()
	c := traffic.DefaultConfig()
	c.Clock = ais.LogClock
	ships, p := sailedShips{}, traffic.New(c)
	d := ais.NewDecoder(ais.DecoderConfig{Feed: "roof", Clock: ais.LogClock})
	b := ais.NewPool(1).Get()
	for lines := bufio.NewScanner(shiptest.Recording(t, name)); lines.Scan(); {
		d.Line(b, lines.Bytes(), begin)
	}
	d.Flush(b, begin)
	p.Apply(b, ships)
	return ships
}

// rect returns a rectangle as a polygon.
func rect(west, south, east, north float64) geo.Polygon {
	return geo.Polygon{{{Lon: west, Lat: south}, {Lon: east, Lat: south}, {Lon: east, Lat: north}, {Lon: west, Lat: north}, {Lon: west, Lat: south}}}
}

// TestETAOfRecordedShips follows ships in the lane of the Kadetrenden to areas across it, and compares the ETA of an hour before with when each came there.
func TestETAOfRecordedShips(t *testing.T) {
	ships := recorded(t, "nmea/kadetrenden_2013-07-31.nmea.gz")
	box := newBox(t, nil)
	var late []float64
	held := 0
	areas := []geo.Polygon{rect(12.28, 54.59, 12.32, 54.66), rect(12.57, 54.68, 12.62, 54.79),
		rect(12.57, 54.60, 12.62, 54.72), rect(12.88, 54.68, 12.93, 54.80)}
	for _, area := range areas {
		for m, fixes := range ships {
			entered := enters(fixes, area)
			if entered == 0 {
				continue
			}
			state := ship.State{MMSI: m, Class: ship.ClassA, HasFix: true, Fix: fixes[0]}
			r := NewTrack{Source: End{Ship: m}, Destination: End{Location: []LocationPart{{Area: area}}}, State: &state, At: fixes[0].Time()}
			id, _, err := box.tracks.Start(r, nothing)
			if err != nil {
				t.Fatal(err)
			}
			before := box.sail(id, state, fixes[:entered+1], fixes[entered].Time().Add(-time.Hour))
			box.tracks.Save() // before it no time is told
			one, err := box.tracks.Get(id)
			if err != nil || one.Status != Arrived || before.ETA == 0 {
				t.Errorf("%d: %v, an hour before %v (%v)", m, one.Status, before.Status, err)
				continue
			}
			ata := one.Visits[1].ATA
			late = append(late, ata.Since(before.ETA).Abs().Minutes())
			if before.Low <= ata && ata <= before.High {
				held++
			}
		}
	}
	t.Logf("%d ships, median error %.1f min, %d in the interval", len(late), median(late), held)
	if len(late) < 15 || median(late) > 10 {
		t.Errorf("the ETAs of %d ships are %.1f minutes off", len(late), median(late))
	}
}

// enters returns the index of the first position in an area of a ship that was heard for more than an hour before; 0 for none.
func enters(fixes []ship.Fix, area geo.Polygon) int {
	for i := range fixes {
		if area.Contains(fixes[i].Point()) {
			if fixes[i].Time().Sub(fixes[0].Time()) < time.Hour+10*time.Minute {
				return 0
			}
			return i
		}
	}
	return 0
}

// sail hands positions to a track, and returns its estimate at a time.
func (b *box) sail(id int64, state ship.State, fixes []ship.Fix, at time.Time) (then Estimate) {
	for _, fix := range fixes {
		state.Fix = fix
		b.tracks.Observe(&ship.Update{Now: state, Change: ship.ChangedFix, Fix: fix})
		b.tracks.Seek(context.Background())
		if one, err := b.tracks.Get(id); err == nil && !fix.Time().After(at) {
			then = one.Latest
		}
	}
	return then
}
