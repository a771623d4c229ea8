package stats

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// TestAPeriodInPartsGivesTheWhole: ships that are silent for up to an hour, also over the end of a part, spend as much time in an area and at a speed by the parts as by
// the whole.
func TestAPeriodInPartsGivesTheWhole(t *testing.T) {
	b := newBench(t, Kinds()...)
	random := rand.New(rand.NewPCG(11, 30))
	begin, end := noon().Add(-6*time.Hour), noon()
	var named string
	for m := ais.MMSI(219000001); m <= 219000012; m++ {
		var track ship.Track
		for at := begin.Add(-3 * time.Hour); at.Before(end.Add(3 * time.Hour)); at = at.Add(time.Duration(20+random.IntN(3600)) * time.Second) {
			track = append(track, ship.Fix{At: at.UnixMilli(), Lon: 6_000_000 + int32(random.IntN(60_000)), Lat: 33_600_000, SOG: ais.SOGTenths(random.IntN(40))})
		}
		b.put(m, track)
		named += fmt.Sprint(",", int64(m))
	}
	for kind, more := range map[string]string{
		"area":    `,"shape":{"type":"Polygon","coordinates":[[[10,55.9],[10.08,55.9],[10.08,56.1],[10,56.1],[10,55.9]]]}`,
		"sogdist": `,"mmsi":[` + named[1:] + `]`,
	} {
		whole := b.secondsOf(b.addBetween(begin, end, kind, "anna", more, 0))
		for _, part := range []time.Duration{time.Hour, 30 * time.Minute} {
			sum := 0.0
			for from := begin; from.Before(end); from = from.Add(part) {
				sum += b.secondsOf(b.addBetween(from, from.Add(part), kind, "anna", more, 0))
			}
			if sum < whole-30 || sum > whole+30 || whole < 3600 { // each is rounded to a second
				t.Errorf("%s: %.0f s in parts of %v, %.0f s in the whole", kind, sum, part, whole)
			}
		}
	}
}

// secondsOf waits for a statistic, and returns the time that its records have in all.
func (b *bench) secondsOf(id int64) (sum float64) {
	b.t.Helper()
	b.over(id)
	for _, text := range b.found(id, func(statistic.Moment) bool { return true }) {
		var r struct {
			In   time.Time `json:"time_in"`
			Out  time.Time `json:"time_out"`
			SOGs []float64 `json:"sogs"`
		}
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			b.t.Fatal(err)
		}
		sum += r.Out.Sub(r.In).Seconds()
		for _, seconds := range r.SOGs {
			sum += seconds
		}
	}
	return sum
}
