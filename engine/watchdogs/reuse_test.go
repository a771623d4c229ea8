package watchdogs

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/users/library"
)

// dear is a filter that is long to read.
func dear(i int) string {
	var words []string
	for n := range 60 {
		words = append(words, fmt.Sprintf("name = 'SHIP %d' or mmsi = %d and sog > %d", 1000*i+n, 211000000+1000*i+n, n%30))
	}
	return strings.Join(words, " or ")
}

// many defines plain watchdogs with dear filters.
func (b *box) many(n int) {
	for i := range n {
		b.insert(fmt.Sprintf(`{"name":"area %d","type":"polygon","filter":%q,"polygon":%s}`, i, dear(i), areaOf(10, 54+float64(i)/1000, 10.1, 54.1+float64(i)/1000)))
	}
}

// insert defines a watchdog without putting it to work.
func (b *box) insert(body string) library.Resource { return b.insertOf("owner", body) }

// insertOf is insert of an owner.
func (b *box) insertOf(owner, body string) library.Resource {
	b.t.Helper()
	f, err := form.Read([]byte(body))
	if err != nil {
		b.t.Fatal(err)
	}
	r := library.Resource{Owned: form.Owned{Owner: owner}}
	if err := b.areas.Library.Apply(f, library.Watchdogs, &r, b.areas.Library.Anything()); err != nil {
		b.t.Fatal(err)
	}
	if err := f.Err(); err != nil {
		b.t.Fatal(err)
	}
	if r, err = b.areas.Library.Insert(library.Watchdogs, r); err != nil {
		b.t.Fatal(err)
	}
	return r
}

// TestAWriteMakesOneWatchdog: the others go on as they are, unless what they name is another thing.
func TestAWriteMakesOneWatchdog(t *testing.T) {
	b := newBox(t)
	shape := b.shape("harbour", areaOf(10, 54, 11, 55))
	b.many(5)
	named := b.insert(`{"name":"named","type":"polygon","filter":"pos within shape(harbour)","polygon":` + areaOf(10, 54, 11, 55) + `}`)
	b.watch.Compile()
	made := func(what string, want uint64, write func()) {
		t.Helper()
		was := b.watch.made
		write()
		b.watch.Compile()
		if got := b.watch.made - was; got != want {
			t.Errorf("%s: %d watchdogs were made, want %d", what, got, want)
		}
	}
	const distress = 1 // is made each time
	made("one more", 1+distress, func() { b.insert(`{"name":"more","type":"polygon","polygon":` + areaOf(10, 54, 11, 55) + `}`) })
	made("a change", 1+distress, func() {
		if _, err := b.areas.Library.Change(library.Watchdogs, named.UID, func(r *library.Resource) error { r.Name = "other"; return nil }); err != nil {
			t.Fatal(err)
		}
	})
	made("a shape that one names", 1+distress, func() {
		if _, err := b.areas.Library.Change(library.Shapes, shape.UID, func(r *library.Resource) error {
			r.Polygon = []byte(areaOf(20, 54, 21, 55))
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	})
	b.watch.Tick(begin)
	b.hear(211000001, begin, geo.Point{Lon: 9, Lat: 54.9}, 100)
	b.hear(211000001, begin.Add(time.Minute), geo.Point{Lon: 10.5, Lat: 54.9}, 100)
	b.watch.Save(false)
	for e := range b.watch.After(0) {
		if e.Name == "other" {
			t.Errorf("%s goes by the shape of before", e.Name)
		}
	}
}

// shape makes a shape.
func (b *box) shape(name, polygon string) library.Resource {
	b.t.Helper()
	r, err := b.areas.Library.Insert(library.Shapes, library.Resource{Name: name, Owned: form.Owned{Owner: "owner"}, Polygon: []byte(polygon)})
	if err != nil {
		b.t.Fatal(err)
	}
	return r
}

// BenchmarkWrite is the cost of putting one more watchdog to work beside 998 with dear filters.
func BenchmarkWrite(b *testing.B) {
	x := newBox(b)
	x.many(998)
	began := time.Now()
	x.watch.Compile()
	start := time.Since(began).Seconds()
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		r := x.insert(fmt.Sprintf(`{"name":"more %d","type":"polygon","polygon":%s}`, i, areaOf(10, 54, 11, 55)))
		was := x.watch.made
		b.StartTimer()
		x.watch.Compile()
		b.StopTimer()
		if x.watch.made == was || x.watch.made-was > 2 {
			b.Fatal("not one watchdog was made")
		}
		if err := x.areas.Library.Delete(library.Watchdogs, r.UID); err != nil {
			b.Fatal(err)
		}
		x.watch.Compile()
		b.StartTimer()
	}
	b.ReportMetric(start, "start-s")
}
