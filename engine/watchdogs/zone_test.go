package watchdogs

import (
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
)

// escort lets a tanker sail east past a ship that lies, and calls each second what may happen then.
func (b *box) escort(seconds int, meanwhile func(second int)) {
	for second := range seconds {
		now := begin.Add(time.Duration(second) * time.Second)
		switch second % 10 {
		case 0:
			b.hearOn(211000001, now, geo.Destination(geo.Point{Lon: 10, Lat: 54.5}, 90, 6.173*float64(second)), 120, 90)
		case 5:
			b.hearOn(211000002, now, geo.Destination(geo.Point{Lon: 10, Lat: 54.502}, 90, 6000), 0, 90)
			b.hearOn(211000003, now, geo.Point{Lon: 12, Lat: 54.502}, 0, 90) // far away
		}
		b.watch.Tick(now)
		b.watch.Save(false)
		meanwhile(second)
	}
}

// TestAZoneCostsNothingFarAway: a report of a ship far from the center meets no watchdog.
func TestAZoneCostsNothingFarAway(t *testing.T) {
	b := newBox(t)
	b.define(`{"name":"Tanker","type":"zone","zone":{"mmsi":211000001,"radius":500}}`)
	b.escort(900, func(int) {})
	d := b.watch.zones.list[0]
	for i := range d.zone.Len() {
		if m := d.zone.Ship(i).MMSI; m != 211000002 {
			t.Errorf("%d is followed", m)
		}
	}
	if n := b.watch.meets.moving.tree.Len(); n != 1 || d.zone.Len() != 1 {
		t.Errorf("%d areas, %d ships", n, d.zone.Len())
	}
	before := len(b.watch.hits)
	b.hearOn(ais.MMSI(211000003), begin.Add(901*time.Second), geo.Point{Lon: 12, Lat: 54.502}, 0, 90)
	if len(b.watch.hits) != 0 {
		t.Errorf("%d watchdogs are met, %d before", len(b.watch.hits), before)
	}
}
