package portcall_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/ship"
	"quaywatch/ship/portcall"
)

// lying is how a ship lies in a test: what its compass and its receiver tell.
type lying struct {
	status  ais.NavStatus
	before  ais.NavStatus // under way
	every   time.Duration
	lasts   time.Duration
	heading func(share float64) float64 // degrees at a share of the time; negative for none
	place   func(share float64) geo.Vector
	noise   float64 // metres, each way
	wild    int     // of so many headings the last is wild by 70 degrees; 0 for none
}

// kindOf returns how the engine says that the ship lies in the end.
func (l lying) kindOf(t *testing.T, seed uint64) portcall.StayKind {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 26))
	home := geo.Point{Lon: 10, Lat: 54}
	port := &chart.Port{ID: 1, Name: "KIEL", Position: home, Placed: true}
	var fixes []ship.Fix
	for i := range 10 {
		f := fixAt(i, home, 0, float64(10-i)*700, 120)
		f.Status, f.Heading = l.before, ais.HeadingDegrees(180)
		fixes = append(fixes, f)
	}
	n := int(l.lasts / l.every)
	for i := range n {
		share := float64(i) / float64(n)
		v := l.place(share)
		v.X, v.Y = v.X+l.noise*(2*random.Float64()-1), v.Y+l.noise*(2*random.Float64()-1)
		p := geo.PlaneAt(home).Point(v)
		f := ship.Fix{At: begin.Add(10*time.Minute + time.Duration(i)*l.every).UnixMilli(), Lon: int32(p.Lon / ais.PlaceUnit), Lat: int32(p.Lat / ais.PlaceUnit), Status: l.status}
		f.SOG = ais.SOGTenths(0)
		if h := l.heading(share); h >= 0 {
			if l.wild > 0 && i%l.wild == l.wild-1 {
				h += 70
			}
			f.Heading = ais.HeadingDegrees(int(math.Mod(h+360, 360)))
		} else {
			f.Heading = ais.HeadingDegrees(511)
		}
		fixes = append(fixes, f)
	}
	found := stays(portcall.NewPorts(chart.NewPorts([]*chart.Port{port}), nil), fixes)
	if len(found) != 1 {
		t.Fatalf("%d stays", len(found))
	}
	return found[0].Kind
}

// TestHowAShipLies: a wild compass or a wild place now and then makes no anchorage, and what the crew set when the ship came to rest counts. A ship
// that swings is at anchor whatever it says.
func TestHowAShipLies(t *testing.T) {
	still := func(float64) geo.Vector { return geo.Vector{} }
	steady := func(float64) float64 { return 48 }
	arc := func(radius, from, by float64) (func(float64) float64, func(float64) geo.Vector) { // once to and fro
		bow := func(share float64) float64 { return from + by*math.Sin(2*math.Pi*share) }
		return bow, func(share float64) geo.Vector {
			sin, cos := math.Sincos(bow(share) * math.Pi / 180)
			return geo.Vector{X: -radius * sin, Y: -radius * cos}
		}
	}
	bow, places := arc(150, 200, 40)
	near, close := arc(60, 200, 25)
	bow100, places100 := arc(100, 200, 40)
	often := func(radius float64) (func(float64) float64, func(float64) geo.Vector) { // each hour and a half, from where it came to rest
		bow, places := arc(radius, 200, 60)
		home := places(0)
		return func(share float64) float64 { return bow(4 * share) }, func(share float64) geo.Vector {
			v := places(4 * share)
			return geo.Vector{X: v.X - home.X, Y: v.Y - home.Y}
		}
	}
	bowOften, placesOften := often(120)
	noBow := func(float64) float64 { return -1 }
	jump := func(share float64) geo.Vector { // the receiver lies 60 m for a twentieth of the time
		if share > 0.5 && share < 0.55 {
			return geo.Vector{X: 60}
		}
		return geo.Vector{}
	}
	under := ais.NavStatus(0)
	for name, tt := range map[string]struct {
		lying
		want portcall.StayKind
	}{
		"a wild heading of 120":                    {lying{ais.StatusMoored, under, time.Minute, 12 * time.Hour, steady, still, 8, 120}, portcall.Berthed},
		"the same, under way by its status":        {lying{under, under, time.Minute, 12 * time.Hour, steady, still, 8, 120}, portcall.Berthed},
		"a wild heading of 20, each 3 minutes":     {lying{under, under, 3 * time.Minute, 12 * time.Hour, steady, still, 8, 20}, portcall.Berthed},
		"a receiver that lies for half an hour":    {lying{under, under, time.Minute, 12 * time.Hour, steady, jump, 5, 0}, portcall.Berthed},
		"no heading":                               {lying{ais.StatusMoored, under, time.Minute, 12 * time.Hour, noBow, still, 8, 0}, portcall.Berthed},
		"moored, with 20 m of noise":               {lying{ais.StatusMoored, under, time.Minute, 12 * time.Hour, steady, still, 30, 0}, portcall.Berthed},
		"swings":                                   {lying{ais.StatusAtAnchor, under, time.Minute, 6 * time.Hour, bow, places, 8, 0}, portcall.Anchored},
		"swings, under way by its status":          {lying{under, under, time.Minute, 6 * time.Hour, bow, places, 8, 0}, portcall.Anchored},
		"swings, and says that it is moored":       {lying{ais.StatusMoored, under, time.Minute, 6 * time.Hour, bow100, places100, 8, 0}, portcall.Anchored},
		"swings, and was moored all the way":       {lying{ais.StatusMoored, ais.StatusMoored, time.Minute, 6 * time.Hour, near, close, 8, 0}, portcall.Anchored},
		"at anchor in a calm":                      {lying{ais.StatusAtAnchor, under, time.Minute, 6 * time.Hour, steady, still, 9, 0}, portcall.Anchored},
		"at anchor all the way, and lies still":    {lying{ais.StatusAtAnchor, ais.StatusAtAnchor, time.Minute, 6 * time.Hour, steady, still, 9, 0}, portcall.Berthed},
		"swings each 3 minutes by its reports":     {lying{under, under, 3 * time.Minute, 6 * time.Hour, bow, places, 8, 0}, portcall.Anchored},
		"swings 250 m, each 6 minutes, no heading": {lying{under, under, 6 * time.Minute, 6 * time.Hour, noBow, placesOften, 8, 0}, portcall.Anchored},
		"swings 250 m, and says that it is moored": {lying{ais.StatusMoored, under, 3 * time.Minute, 6 * time.Hour, bowOften, placesOften, 8, 0}, portcall.Anchored},
		"swings 250 m, each 10 seconds":            {lying{under, under, 10 * time.Second, 6 * time.Hour, bowOften, placesOften, 8, 0}, portcall.Anchored},
		"swings on a chain of 60 m for half a day": {lying{under, under, time.Minute, 12 * time.Hour, near, close, 5, 0}, portcall.Anchored},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(20) {
				if got := tt.kindOf(t, seed); got != tt.want {
					t.Fatalf("seed %d: kind %d, want %d", seed, got, tt.want)
				}
			}
		})
	}
}
