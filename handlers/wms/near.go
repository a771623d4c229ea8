package wms

import (
	"encoding/json"

	"quaywatch/geo"
	"quaywatch/render"
)

// reported is a ship of a near miss, as it was then.
type reported struct {
	Position *point   `json:"position"`
	COG      *float64 `json:"cog"`
}

// closeness is a share of the largest distance that was asked for, with its mark.
type closeness struct {
	upTo   float64 // of that distance
	text   string
	shape  render.MarkShape
	class  render.ColorClass
	radius int
	count  int
}

// closenesses are the distances that are told apart. A nearer one has a larger mark.
func closenesses() []closeness {
	return []closeness{
		{1.0 / 3, "to a third", render.Disc, render.Second, 7, 0},
		{2.0 / 3, "to two thirds", render.Diamond, render.Fourth, 6, 0},
		{1e9, "farther", render.Ring, render.First, 5, 0},
	}
}

// near draws near misses, and counts them.
type near struct {
	sketch *sketch
	most   float64 // metres; with domain 1, the ratio at its border
	domain bool
	by     []closeness
}

func newNear(k *sketch) *near {
	k.drawAsked("shape")
	var asked struct {
		Max float64 `json:"max"`
	}
	_ = json.Unmarshal(k.asked["distance"], &asked) // it was checked when it came
	n := &near{sketch: k, most: max(1, asked.Max), by: closenesses()}
	if domain := k.asked["domain"]; len(domain) > 0 && string(domain) != "null" {
		n.most, n.domain = 1, true
		n.by[2].text = "to the border"
	}
	return n
}

// markPlace marks a place by a distance in metres, or by how deep a ship was in a domain.
func (n *near) markPlace(at geo.Point, far float64) {
	for i := range n.by {
		if sign := &n.by[i]; far <= sign.upTo*n.most {
			n.sketch.canvas.Mark(at, sign.shape, sign.class, sign.radius)
			sign.count++
			return
		}
	}
}

// drawHeading draws where a ship was and where it went.
func (n *near) drawHeading(r *reported, look render.Stroke) (at geo.Point, ok bool) {
	if at, ok = r.Position.geoPoint(); ok && r.COG != nil {
		n.sketch.canvas.Ray(at, *r.COG, 22, look, true)
	}
	return at, ok
}

func (n *near) explainSigns(title string, more ...render.LegendRow) {
	var rows []render.LegendRow
	for _, sign := range n.by {
		rows = append(rows, n.sketch.markRow(sign.shape, sign.class, sign.radius, sign.text, sign.count))
	}
	if !n.domain {
		title = n.sketch.formatText(title, n.most)
	}
	n.sketch.beginLegend(title, append(rows, more...)...)
}

// farMeasure returns what a near miss is marked by.
func (n *near) farMeasure(metres, ratio float64) float64 {
	if n.domain {
		return ratio
	}
	return metres
}

// title is that of the legend of near misses.
func (n *near) title() string {
	if n.domain {
		return "Near misses by ship domain"
	}
	return "Near misses within %.0f m"
}

// courses are the looks of the headings of the two ships of a near miss.
func courses() [2]render.Stroke {
	return [2]render.Stroke{{Class: render.Third, Width: 2}, {Class: render.Fifth, Width: 2, Pattern: render.Pattern{On: 4, Off: 2}}}
}

// drawNearMisses marks the middle between two ships and draws both headings. It marks it by their distance, or by how deep a ship is in the domain of the
// other.
func drawNearMisses(k *sketch) drawing {
	n := newNear(k)
	type miss struct {
		Distance float64    `json:"distance"`
		Domain   float64    `json:"domain"`
		Ship     []reported `json:"ship"`
	}
	look := courses()
	return drawingOf(func(m *miss) {
		if len(m.Ship) != 2 {
			return
		}
		a, first := n.drawHeading(&m.Ship[0], look[0])
		b, second := n.drawHeading(&m.Ship[1], look[1])
		if first && second {
			n.markPlace(geo.Between(a, b, 0.5), n.farMeasure(m.Distance, m.Domain))
		}
	}, func() {
		n.explainSigns(n.title(), k.lined(look[0], "course of the one"), k.lined(look[1], "course of the other"))
	})
}

// drawNearPoints marks where ships were nearest to the place, by their distance, and draws their headings.
func drawNearPoints(k *sketch) drawing {
	n := newNear(k)
	type pass struct {
		Distance float64  `json:"distance"`
		Ship     reported `json:"ship"`
	}
	look := courses()[0]
	return drawingOf(func(p *pass) {
		if at, ok := n.drawHeading(&p.Ship, look); ok {
			n.markPlace(at, p.Distance)
		}
	}, func() { n.explainSigns("Ships within %.0f m", k.lined(look, "course")) })
}

// changeMark is the mark of a change by its code.
type changeMark struct {
	text  string
	shape render.MarkShape
	class render.ColorClass
	count int
}

// drawChanges marks where ships were when something of them changed, by the code of the change.
func drawChanges(k *sketch) drawing {
	by := []changeMark{{"lost", render.Cross, render.Second, 0}, {"static data", render.Square, render.Third, 0}, {"voyage data", render.Diamond, render.Fourth, 0},
		{"got again", render.Disc, render.First, 0}, {"other source", render.Ring, render.Fifth, 0}}
	type change struct {
		Code int      `json:"change"`
		Lon  *float64 `json:"longitude"`
		Lat  *float64 `json:"latitude"`
	}
	return drawingOf(func(c *change) {
		if c.Code < 1 || c.Code > len(by) || c.Lon == nil || c.Lat == nil {
			return
		}
		sign := &by[c.Code-1]
		k.canvas.Mark(geo.Point{Lon: *c.Lon, Lat: *c.Lat}, sign.shape, sign.class, 6)
		sign.count++
	}, func() {
		var rows []render.LegendRow
		for _, sign := range by {
			rows = append(rows, k.markRow(sign.shape, sign.class, 6, sign.text, sign.count))
		}
		k.beginLegend("Changes", rows...)
	})
}
