package wms

import (
	"cmp"
	"math"
	"slices"

	"quaywatch/render"
	"quaywatch/ship"
)

// Bounds of what lies at a place of a picture.
const (
	reach      = 4       // pixels from the one that is asked for
	mostFound  = 50      // records of an answer
	mostHeld   = 1000    // records of groups whose place is known when all are counted
	foundBytes = 8 << 20 // of both
)

// found is a record that lies at the place, or may do so.
type found struct {
	number int // of the record in the result
	nearness
	text []byte
	fix  *ship.Fix // of its track, the one nearest to the place; nil for none
}

// nearness is how near to the place something is drawn. It goes by the nearest pixel, and where that is the same by how much of the pixels round it is covered.
type nearness struct {
	pixels  float64
	covered int
}

// compare orders what is found, the nearest first.
func (f found) compare(with found) int {
	return cmp.Or(cmp.Compare(f.pixels, with.pixels), cmp.Compare(with.covered, f.covered), cmp.Compare(f.number, with.number))
}

// probe finds the records of a result that are drawn at a place of its picture. It draws each by itself, as the picture has it, on the few pixels round the
// place. What is drawn for several records, as a disc for the calls at a port, is theirs.
type probe struct {
	canvas *render.Canvas
	frame  render.Viewport // of the whole picture
	x, y   int
	most   int // records that are kept

	number int
	text   []byte
	track  ship.Track

	hits  []found
	bytes int

	part   any             // the group that is being drawn; nil for none
	groups map[any][]found // that may lie at the place
	held   int
}

func newProbe(f render.Viewport, x, y, most int) *probe {
	return &probe{canvas: render.New(f.Around(x, y, reach)), frame: f, x: x, y: y, most: most, groups: map[any][]found{}}
}

// beginRecord tells that what is drawn next is a record.
func (p *probe) beginRecord(text []byte, track ship.Track) {
	p.canvas.Clear()
	p.number++
	p.text, p.track = text, track
}

// drawn tells that a record was drawn.
func (p *probe) drawn() {
	p.takeRecord()
	p.text, p.track = nil, nil
}

// takeRecord keeps the record, if what it drew lies at the place.
func (p *probe) takeRecord() {
	if at, ok := p.howNear(); ok {
		p.hit(found{p.number, at, p.text, p.nearestFix()})
	}
}

// howNear returns how near to the place something is drawn; false where that is not near enough.
func (p *probe) howNear() (at nearness, ok bool) {
	at.pixels, at.covered = p.canvas.Nearest()
	return at, at.covered > 0 && at.pixels <= reach
}

// hit keeps a record, if it is among the nearest.
func (p *probe) hit(under found) {
	if slices.ContainsFunc(p.hits, func(had found) bool { return had.number == under.number }) {
		return
	}
	at, _ := slices.BinarySearchFunc(p.hits, under, found.compare)
	if at >= p.most {
		return
	}
	p.hits = slices.Insert(p.hits, at, under)
	p.bytes += len(under.text)
	for len(p.hits) > p.most || p.bytes > foundBytes && len(p.hits) > 1 {
		last := len(p.hits) - 1
		p.bytes -= len(p.hits[last].text)
		p.hits = p.hits[:last]
	}
}

// nearestFix returns the position of the track that lies nearest to the place; nil without a track.
func (p *probe) nearestFix() *ship.Fix {
	best, least, turn := -1, math.Inf(1), p.frame.Turn()
	for i := range p.track {
		x, y := p.frame.Pixel(p.track[i].Point())
		dx, dy := math.Remainder(x-float64(p.x)-0.5, turn), y-float64(p.y)-0.5
		if d := math.Hypot(dx, dy); d < least {
			least, best = d, i
		}
	}
	if best < 0 {
		return nil
	}
	fix := p.track[best]
	return &fix
}

// noteGroup notes that a record is drawn with a group, once all are counted. widest draws the group as large as it may become.
func (p *probe) noteGroup(group any, widest func()) {
	all, known := p.groups[group]
	if !known {
		p.takeRecord() // before what it drew by itself is wiped
		p.canvas.Clear()
		widest()
		if _, ok := p.howNear(); ok {
			all = make([]found, 0, 1)
		}
		p.canvas.Clear()
		p.groups[group] = all
	}
	if all == nil || len(all) == p.most || p.held == mostHeld || p.bytes+len(p.text) > foundBytes {
		return
	}
	p.groups[group] = append(all, found{number: p.number, text: p.text})
	p.held++
	p.bytes += len(p.text)
}

// beginGroup tells that what is drawn next is a group, or nothing of any record.
func (p *probe) beginGroup(group any) {
	if at, ok := p.howNear(); ok && p.part != nil {
		for _, under := range p.groups[p.part] {
			p.bytes -= len(under.text) // it is counted with the hits
			under.nearness = at
			p.hit(under)
		}
	}
	p.part = group
	p.canvas.Clear()
}

// noteGroup has a record found where its group is drawn.
func (k *sketch) noteGroup(group any, widest func()) {
	if k.probe != nil {
		k.probe.noteGroup(group, widest)
	}
}

// beginGroup says what is drawn next: a group of records, or nil for what belongs to none.
func (k *sketch) beginGroup(group any) {
	if k.probe != nil {
		k.probe.beginGroup(group)
	}
}
