package wms

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"quaywatch/geo"
	"quaywatch/render"
)

// portName is a port of a record.
type portName struct {
	ID uint64 `json:"id"`
}

// stays are the calls at a port, and how long those took of which both times are told.
type stays struct {
	calls, timed int
	sum          time.Duration
}

// drawCalls draws a disc at each port, larger for more calls, with their number and the mean time in port.
func drawCalls(k *sketch) drawing {
	k.shape("shape")
	at := map[uint64]*stays{} // one for each port that there is
	type visit struct {
		Port portName `json:"port"`
		ATA  string   `json:"ata"`
		ATD  string   `json:"atd"`
	}
	return of(func(v *visit) {
		one := at[v.Port.ID]
		if one == nil {
			one = &stays{}
			at[v.Port.ID] = one
		}
		one.calls++
		came, wrong := time.Parse(time.RFC3339, v.ATA)
		left, also := time.Parse(time.RFC3339, v.ATD)
		if wrong == nil && also == nil && left.After(came) {
			one.timed++
			one.sum += left.Sub(came)
		}
	}, func() { k.discs(at) })
}

// discs draws the ports of the calls.
func (k *sketch) discs(at map[uint64]*stays) {
	most, all := 1, 0
	for _, one := range at {
		most = max(most, one.calls)
		all += one.calls
	}
	for _, id := range slices.Sorted(maps.Keys(at)) {
		one := at[id]
		where, ok := k.port(id)
		if !ok {
			continue
		}
		radius := 5 + int(15*math.Sqrt(float64(one.calls)/float64(most)))
		k.canvas.Mark(where, render.Disc, render.First, radius)
		text := fmt.Sprint(one.calls)
		if one.timed > 0 {
			text += fmt.Sprintf(" · %.1f h", one.sum.Hours()/float64(one.timed))
		}
		k.canvas.Label(where, text, float64(radius)+5, -8)
	}
	k.explain(fmt.Sprintf("Port calls: %d", all), marked(render.Disc, render.First, 7, "most at a port", most), render.Row{Text: "calls · mean time in port"})
}

// drawTrips draws a line from port to port, wider for more trips.
func drawTrips(k *sketch) drawing {
	k.shape("shape")
	count := map[[2]uint64]int{}
	type end struct {
		Port portName `json:"port"`
	}
	type trip struct {
		From *end `json:"from"`
		To   *end `json:"to"`
	}
	return of(func(t *trip) {
		if t.From == nil || t.To == nil {
			return // the open last one has no end
		}
		pair := [2]uint64{t.From.Port.ID, t.To.Port.ID}
		if _, there := count[pair]; there || len(count) < mostPairs {
			count[pair]++
		}
	}, func() { k.weighted(count) })
}

// mostPairs bounds from where to where trips are counted.
const mostPairs = 50_000

// weighted draws the trips, the rare ones first.
func (k *sketch) weighted(count map[[2]uint64]int) {
	pairs := slices.SortedFunc(maps.Keys(count), func(a, b [2]uint64) int {
		return slices.Compare([]uint64{uint64(count[a]), a[0], a[1]}, []uint64{uint64(count[b]), b[0], b[1]})
	})
	most := 1
	for _, n := range count {
		most = max(most, n)
	}
	for _, pair := range pairs {
		from, ok := k.port(pair[0])
		to, also := k.port(pair[1])
		if !ok || !also {
			continue
		}
		share := float64(count[pair]) / float64(most)
		look := render.Stroke{Class: render.First, Width: 1 + 6*share}
		if share < 0.25 {
			look.Pattern = render.Dashed()
		}
		k.canvas.Line([]geo.Point{from, to}, look)
		k.canvas.Mark(from, render.Disc, render.Fourth, 4)
		k.canvas.Mark(to, render.Disc, render.Fourth, 4)
	}
	k.explain("Trips", lined(render.Stroke{Class: render.First, Width: 7}, fmt.Sprintf("%d trips", most)),
		lined(render.Stroke{Class: render.First, Width: 1.5, Pattern: render.Dashed()}, "below a quarter of that"))
}
