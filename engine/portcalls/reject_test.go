package portcalls

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/chart/water"
	"quaywatch/internal/rule"
	"quaywatch/store"
	"quaywatch/traffic"
)

// canal is a store on whose positions three ships sailed into the mouth of the Kiel canal, which the chart has as land.
type canal struct {
	*Calls
	t       *testing.T
	dir     string
	db      *store.DB
	picture *traffic.Picture
	count   uint64
	overlay *water.Overlay // as it was told last
	config  Config
}

var (
	fjord  = geo.Point{Lon: 10.158, Lat: 54.3665}
	inland = geo.Point{Lon: 10.125, Lat: 54.3665}
)

func newCanal(t *testing.T, config Config) *canal {
	c := &canal{t: t, dir: t.TempDir(), config: config}
	c.open()
	t.Cleanup(func() { _ = c.db.Close() })
	return c
}

func (c *canal) open() {
	c.t.Helper()
	var err error
	if c.db, err = store.Open(store.Options{Dir: c.dir, FullRate: true}); err != nil {
		c.t.Fatal(err)
	}
	c.picture = traffic.New(traffic.DefaultConfig())
	c.picture.Restore(c.db.States())
	c.overlay = nil
	c.config.DB, c.config.Ports = c.db, func() *chart.Ports { return chart.NewPorts(nil) }
	c.config.Learned = func(o *water.Overlay) { c.overlay = o }
	if c.Calls, err = Open(c.config); err != nil {
		c.t.Fatal(err)
	}
}

func (c *canal) restart() {
	c.t.Helper()
	c.Stop()
	if err := c.db.Close(); err != nil {
		c.t.Fatal(err)
	}
	c.open()
}

// sail lets a ship lie before the canal for an hour on a day, and then sail 2.5 km into it at 8 knots, with a position each 10 s. Each report
// may be changed, or left out as nil.
func (c *canal) sail(m ais.MMSI, day int, change ...func(ais.Message) ais.Message) {
	hear := func(at time.Time, m ais.Message) {
		for _, f := range change {
			if m = f(m); m == nil {
				return
			}
		}
		c.hear(at, m)
	}
	report := func(p geo.Point, tenths int) *ais.PositionReport {
		return &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: m}, SOG: ais.SOGTenths(tenths), COG: ais.COGTenths(2700),
			Heading: ais.HeadingDegrees(270), Place: ais.Place{Lon: int32(p.Lon * 600000), Lat: int32(p.Lat * 600000)}, Second: 60}
	}
	at := begin.Add(time.Duration(24*day)*time.Hour + time.Duration(m%10)*2*time.Hour)
	hear(at, &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: m}, Name: fmt.Sprintf("SHIP %d", m), ShipType: 70,
		Dimensions: ais.Dimensions{Bow: 60, Stern: 20, Port: 6, Starboard: 6}})
	for range 35 {
		hear(at, report(fjord, 0))
		at = at.Add(2 * time.Minute)
	}
	for metres := 0.0; metres < 2500; metres += 41.156 {
		hear(at, report(geo.Destination(fjord, 270, metres), 80))
		at = at.Add(10 * time.Second)
	}
}

func (c *canal) hear(at time.Time, m ais.Message) {
	c.count++
	c.picture.Tick(at, c.db, c.Calls)
	c.picture.Apply(&ais.Batch{Reports: []ais.Report{{Message: m, Received: at, Sent: at, Feed: "roof", Hash: c.count}}}, c.db, c.Calls)
}

func (c *canal) taught(p geo.Point) bool { return c.overlay.Learned(water.CellAt(p)) }

func square(at geo.Point, metres float64) geo.Polygon {
	a, b := geo.Destination(at, 225, metres), geo.Destination(at, 45, metres)
	return geo.Polygon{{a, {Lon: b.Lon, Lat: a.Lat}, b, {Lon: a.Lon, Lat: b.Lat}, a}}
}

// TestRejectedWaterStaysAway holds that an area takes learned water off the chart at once, over a restart, and when water is learned anew; and that
// it comes back when the area is taken back.
func TestRejectedWaterStaysAway(t *testing.T) {
	c := newCanal(t, Config{})
	for day := range 3 {
		c.sail(ais.MMSI(219000001+day), day)
	}
	learn := func() {
		t.Helper()
		if l, err := c.LearnWater(t.Context(), Learning{}); err != nil || l.Learned < 100 {
			t.Fatalf("%+v, %v", l, err)
		}
	}
	learn()
	elsewhere := geo.Destination(fjord, 270, 1500)
	if !c.taught(inland) || !c.taught(elsewhere) {
		t.Fatal("the ships taught nothing")
	}
	r, cells, err := c.Reject(Rejected{Area: square(inland, 150), By: "pilot", At: begin})
	if err != nil || cells < 10 {
		t.Fatalf("%d cells, %v", cells, err)
	}
	stays := func(when string) {
		t.Helper()
		if list := c.Rejected(); len(list) != 1 || list[0].By != "pilot" || !list[0].At.Equal(begin) || list[0].ID != r.ID {
			t.Errorf("%s: %+v", when, list)
		}
		if c.taught(inland) || !c.taught(elsewhere) {
			t.Errorf("%s: rejected %v, elsewhere %v", when, c.taught(inland), c.taught(elsewhere))
		}
	}
	stays("at once")
	c.restart()
	stays("after a restart")
	learn()
	stays("learned anew")
	if err := c.Accept(r.ID + 1); !errors.Is(err, ErrNotRejected) {
		t.Errorf("another area: %v", err)
	}
	if err := c.Accept(r.ID); err != nil || !c.taught(inland) || len(c.Rejected()) != 0 {
		t.Errorf("taken back: %v, %v", c.taught(inland), err)
	}
	c.restart()
	if !c.taught(inland) || len(c.Rejected()) != 0 {
		t.Error("what was taken back is rejected after a restart")
	}
}

// TestRejectedWaterIsBounded holds the bounds of points and areas, and that a number is not given again.
func TestRejectedWaterIsBounded(t *testing.T) {
	c := newCanal(t, Config{})
	var broken *rule.Rule
	if _, _, err := c.Reject(Rejected{Area: geo.Polygon{make([]geo.Point, mostPointsOfWater+1)}}); !errors.As(err, &broken) || broken.Word != "too_many_points" {
		t.Errorf("too many points: %v", err)
	}
	var last uint64
	for range mostRejected {
		r, _, err := c.Reject(Rejected{Area: square(inland, 10)})
		if err != nil || r.ID <= last {
			t.Fatalf("%d after %d, %v", r.ID, last, err)
		}
		last = r.ID
	}
	if _, _, err := c.Reject(Rejected{Area: square(inland, 10)}); !errors.As(err, &broken) || broken.Word != "too_many_areas" {
		t.Errorf("too many areas: %v", err)
	}
	if err := c.Accept(last); err != nil {
		t.Fatal(err)
	}
	if r, _, err := c.Reject(Rejected{Area: square(inland, 10)}); err != nil || r.ID != last+1 {
		t.Errorf("%d after %d, %v", r.ID, last, err)
	}
}
