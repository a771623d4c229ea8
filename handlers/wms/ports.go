package wms

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/render"
)

// portName is a port of a record.
type portName struct {
	ID uint64 `json:"id"`
}

// stays are the calls at a port, and how long those took of which both times are told, and those waited that anchored before.
type stays struct {
	calls, timed, anchored int
	sum, waited            time.Duration
}

// callsText writes the number of calls and the mean times.
func (s *stays) callsText(k *sketch) string {
	text := fmt.Sprint(s.calls)
	if s.timed > 0 {
		text += " · " + k.tenthsText(s.sum.Hours()/float64(s.timed)) + " h"
	}
	if s.anchored > 0 {
		text += " · " + k.formatText("waited %s h", k.tenthsText(s.waited.Hours()/float64(s.anchored)))
	}
	return text
}

// drawCalls draws a disc at each port, larger for more calls, with their number, the mean time in port and the mean waiting time.
func drawCalls(k *sketch) drawing {
	k.drawAsked("shape")
	at := map[uint64]*stays{} // one for each port that there is
	type visit struct {
		Port    portName `json:"port"`
		ATA     string   `json:"ata"`
		ATD     string   `json:"atd"`
		Waiting string   `json:"waiting"`
	}
	return drawingOf(func(v *visit) {
		stay := at[v.Port.ID]
		if stay == nil {
			stay = &stays{}
			at[v.Port.ID] = stay
		}
		stay.calls++
		k.noteGroup(v.Port.ID, func() { k.disc(v.Port.ID, widestDisc) })
		came, wrong := time.Parse(time.RFC3339, v.ATA)
		left, also := time.Parse(time.RFC3339, v.ATD)
		if wrong == nil && also == nil && left.After(came) {
			stay.timed++
			stay.sum += left.Sub(came)
		}
		if waited, err := form.ParseDuration(v.Waiting); err == nil && v.Waiting != "" {
			stay.anchored++
			stay.waited += waited
		}
	}, func() { k.discs(at) })
}

// The radius of the disc of a port, in pixels.
const (
	leastDisc  = 5
	widestDisc = 20
)

// disc draws the disc of a port, and returns where that is; false where that is not known.
func (k *sketch) disc(id uint64, radius int) (where geo.Point, ok bool) {
	if where, ok = k.port(id); ok {
		k.canvas.Mark(where, render.Disc, render.First, radius)
	}
	return where, ok
}

// discs draws the ports of the calls.
func (k *sketch) discs(at map[uint64]*stays) {
	most, all := 1, stays{}
	for _, stay := range at {
		most = max(most, stay.calls)
		all.calls += stay.calls
		all.anchored += stay.anchored
		all.waited += stay.waited
	}
	for _, id := range slices.Sorted(maps.Keys(at)) {
		stay := at[id]
		radius := leastDisc + int((widestDisc-leastDisc)*math.Sqrt(float64(stay.calls)/float64(most)))
		k.beginGroup(id)
		if where, ok := k.disc(id, radius); ok {
			k.beginGroup(nil)
			k.canvas.Label(where, stay.callsText(k), float64(radius)+5, -8)
		}
	}
	k.beginGroup(nil)
	rows := []render.LegendRow{k.markRow(render.Disc, render.First, 7, "most at a port", most), {Text: k.formatText("calls · mean time in port")}}
	if all.anchored > 0 {
		rows = append(rows, render.LegendRow{Text: k.formatText("mean waiting at anchor: %s h", k.tenthsText(all.waited.Hours()/float64(all.anchored)))})
	}
	k.beginLegend(k.formatText("Port calls: %d", all.calls), rows...)
}

// drawTrips draws a line from port to port, wider for more trips.
func drawTrips(k *sketch) drawing {
	k.drawAsked("shape")
	count := map[[2]uint64]int{}
	type end struct {
		Port portName `json:"port"`
	}
	type trip struct {
		From *end `json:"from"`
		To   *end `json:"to"`
	}
	return drawingOf(func(t *trip) {
		if t.From == nil || t.To == nil {
			return // the open last one has no end
		}
		pair := [2]uint64{t.From.Port.ID, t.To.Port.ID}
		if _, there := count[pair]; there || len(count) < mostPairs {
			count[pair]++
			k.noteGroup(pair, func() { k.pair(pair, 1) })
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
		k.beginGroup(pair)
		k.pair(pair, float64(count[pair])/float64(most))
	}
	k.beginGroup(nil)
	widest := k.formatText("%d trips", most)
	if most == 1 {
		widest = k.formatText("one trip")
	}
	k.beginLegend("Trips", render.LegendRow{Text: widest, Sample: render.OfLine, Stroke: render.Stroke{Class: render.First, Width: 7}},
		k.lined(render.Stroke{Class: render.First, Width: 1.5, Pattern: render.Dashed()}, "below a quarter of that"))
}

// pair draws the line of the trips from one port to another, by their share of the most.
func (k *sketch) pair(pair [2]uint64, share float64) {
	from, ok := k.port(pair[0])
	to, also := k.port(pair[1])
	if !ok || !also {
		return
	}
	look := render.Stroke{Class: render.First, Width: 1 + 6*share}
	if share < 0.25 {
		look.Pattern = render.Dashed()
	}
	k.canvas.Line([]geo.Point{from, to}, look)
	k.canvas.Mark(from, render.Disc, render.Fourth, 4)
	k.canvas.Mark(to, render.Disc, render.Fourth, 4)
}
