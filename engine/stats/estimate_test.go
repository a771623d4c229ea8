package stats

import (
	"maps"
	"slices"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/store"
)

// estimated asks what a definition of a test kind would read.
func (b *bench) estimated(kind string, begin, end time.Time) Weight {
	b.t.Helper()
	return b.estimatedWith(kind, begin, end, nil)
}

// estimatedWith asks what a definition with further fields would read.
func (b *bench) estimatedWith(kind string, begin, end time.Time, more map[string]raw) Weight {
	b.t.Helper()
	k, _ := b.Kind(kind)
	fields := map[string]raw{"begin": raw(`"` + begin.Format(time.RFC3339) + `"`), "end": raw(`"` + end.Format(time.RFC3339) + `"`)}
	maps.Copy(fields, more)
	f := form.Of(fields)
	asked, err := b.Read(f, k, Asker{})
	if err == nil {
		err = f.Err()
	}
	if err != nil {
		b.t.Fatal(err)
	}
	about, err := b.Estimate(b.t.Context(), &asked, "")
	if err != nil {
		b.t.Fatal(err)
	}
	return about
}

// TestAnEstimateIsAboutWhatIsRead: a ship is heard in one half of each day. A few hours are counted, and of many days some hours.
func TestAnEstimateIsAboutWhatIsRead(t *testing.T) {
	const days = 24
	none := func(*legs) {}
	b := newBench(t, legsOf("nmss", nil, none), legsOf("sogdist", []ais.MMSI{219018765}, none), legsOf("multiship", []ais.MMSI{7}, none))
	begin := noon().Add(-days * 24 * time.Hour)
	var track ship.Track
	for at := begin; at.Before(noon()); at = at.Add(6 * time.Minute) {
		if at.Hour() < 12 {
			track = append(track, ship.Fix{At: at.UnixMilli(), Lon: 6_061_500 + int32(len(track)), Lat: 33_690_000, SOG: ais.SOGTenths(100)})
		}
	}
	if _, err := b.db.ImportTracks([]store.Imported{{MMSI: 219018765, Class: ship.ClassA, Fixes: track}}); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"nmss", "sogdist"} {
		about := b.estimated(kind, begin, noon())
		if share := float64(about.Fixes) / float64(len(track)); about.Ships != 1 || about.Hours != days*24 || about.Read != weighHours || share < 0.6 || share > 1.6 {
			t.Errorf("%s: %+v, and %d fixes are there", kind, about, len(track))
		}
		// ten reports an hour, and the last one of the hour before at the head of each
		if few := b.estimated(kind, noon().Add(-4*time.Hour), noon().Add(time.Hour)); few.Fixes < 40 || few.Fixes > 44 || few.Hours != 4 || few.Read != 4 {
			t.Errorf("%s: of four hours %+v", kind, few)
		}
	}
	if other := b.estimated("multiship", begin, noon()); other.Fixes != 0 || other.Ships != 0 {
		t.Errorf("of another ship: %+v", other)
	}
	if later := b.estimated("nmss", noon(), noon().Add(time.Hour)); later != (Weight{}) {
		t.Errorf("of the future: %+v", later)
	}
}

// TestTheEstimateOfADayLooksAtAllItsHours, where the day does not begin with an hour, and also of kinds that read the silences about it: its ships are
// all counted then.
func TestTheEstimateOfADayLooksAtAllItsHours(t *testing.T) {
	b := newBench(t, Kinds()...)
	end := noon().Add(-10 * time.Minute)
	b.put(219018765, ship.Track{{At: end.Add(-90 * time.Minute).UnixMilli(), Lon: 6_020_000, Lat: 33_600_000, SOG: ais.SOGTenths(30)}})
	for kind, more := range map[string]map[string]raw{
		"area":    {"shape": raw(`{"type":"Polygon","coordinates":[[[10,55.9],[10.08,55.9],[10.08,56.1],[10,56.1],[10,55.9]]]}`)},
		"sogdist": {"mmsi": raw(`[219018765]`)},
	} {
		if about := b.estimatedWith(kind, end.Add(-24*time.Hour), end, more); about.Read != about.Hours || about.Hours != weighHours || about.Ships != 1 {
			t.Errorf("%s: %+v", kind, about)
		}
	}
}

// TestTheEstimateOfAYoungBox finds the few hours that it has, at the end of a long period.
func TestTheEstimateOfAYoungBox(t *testing.T) {
	b := newBench(t, legsOf("nmss", nil, func(*legs) {}))
	var track ship.Track
	for at := noon().Add(-90 * time.Minute); at.Before(noon()); at = at.Add(time.Minute) {
		track = append(track, ship.Fix{At: at.UnixMilli(), Lon: 6_061_500, Lat: 33_690_000})
	}
	if _, err := b.db.ImportTracks([]store.Imported{{MMSI: 219018765, Class: ship.ClassA, Fixes: track}}); err != nil {
		t.Fatal(err)
	}
	about := b.estimated("nmss", noon().Add(-30*24*time.Hour), noon())
	if about.Ships != 1 || about.Fixes < int64(len(track)) || about.Fixes > int64(len(track))+2 || about.Read >= about.Hours {
		t.Errorf("%+v, and %d fixes are there", about, len(track))
	}
}

// TestTheHoursOfAnEstimateAreSpread over the whole, each once.
func TestTheHoursOfAnEstimateAreSpread(t *testing.T) {
	for _, hours := range []int{1, 2, 23, 24, 25, 26, 47, 168, 576, 720, 20_000} {
		chosen := spreadHours(hours)
		sorted := slices.Sorted(slices.Values(chosen))
		if len(slices.Compact(slices.Clone(sorted))) != min(hours, weighHours) || sorted[0] < 0 || sorted[len(sorted)-1] >= hours {
			t.Errorf("of %d hours %v", hours, chosen)
		}
		for i, hour := range sorted {
			if hours > weighHours && (hour < i*hours/weighHours || hour >= (i+1)*hours/weighHours) {
				t.Errorf("of %d hours the %d. is %d", hours, i, hour)
			}
		}
	}
}
