package watchdog_test

import (
	"math"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// book tells what a watchdog has to say of one ship, by brute force. It keeps the whole log, and reads it again from its end for each report.
// It has no rectangles, no index, no alarm and no geometry but its own: the schoolbook's, in degrees about the place base.
type book struct {
	d    watchdog.Spec // with its defaults
	base geo.Point
	log  []*entry
	told []note
	wait *waiting // of a line or port: the crossing or transition that is told after further reports

	lay    *berths
	did    bool // the ship did something at the port since the last report: then its silence is over
	forgot bool // as entry.forgot, of that silence
}

// entry is a report, and what it says at once.
type entry struct {
	r                      watchdog.Position
	x, y                   float64 // degrees
	joined, inside, picked bool
	through                bool // the leg leads through the polygon, from outside to outside
	first, last            float64
	crosses                bool               // first and last are known
	reason                 watchdog.CableRisk // of a cable
	fishes, judged         bool
	forgot                 bool // the silence before it made all but what is active forgotten
}

// note is an event, and the index of the report that it came with: of what silence raised that of the last report before.
type note struct {
	watchdog.Occurrence
	by     int
	silent bool
	x, y   float64
	loose  bool // the place is one of several
}

type waiting struct {
	kind      watchdog.Kind
	right     bool
	direction string
	initial   bool
	count     int
}

func (b *book) xy(lon, lat float64) (x, y float64) {
	return b.base.Lon + math.Remainder(lon-b.base.Lon, 360), lat
}

// newBook makes a book. What a definition leaves open is as docs/watchdogs.md says.
func newBook(d watchdog.Spec, base geo.Point) *book {
	if d.MinSOG == 0 && d.MaxSOG == 0 {
		d.MinSOG, d.MaxSOG = 0.5, 5.5
	}
	if d.Window == 0 {
		d.Window = 10 * time.Minute
	}
	b := &book{d: d, base: base}
	b.lay = &berths{metres: b.metres, parts: b.parted}
	return b
}

// degrees returns the metres of a degree of longitude and one of latitude, by the radii of curvature of WGS 84.
func degrees(lat float64) (east, north float64) {
	sin, cos := math.Sincos(lat * math.Pi / 180)
	flat := 1 - 0.00669437999014*sin*sin
	across := 6378137 / math.Sqrt(flat)
	return across * cos * math.Pi / 180, across * (1 - 0.00669437999014) / flat * math.Pi / 180
}

func (b *book) metres(x1, y1, x2, y2 float64) float64 {
	east, north := degrees(y1)
	return math.Hypot((x2-x1)*east, (y2-y1)*north)
}

// lines are the lines, or the rings, of what is watched.
func (b *book) lines() (lines [][]geo.Point) {
	if b.d.Line != nil {
		return [][]geo.Point{b.d.Line}
	}
	for _, ring := range b.d.Polygon {
		lines = append(lines, ring)
	}
	return lines
}

// contains counts the edges of all rings to the east of a place. Of a cable a place near an edge is inside too.
func (b *book) contains(x, y float64) bool {
	odd := false
	for _, line := range b.lines() {
		for i := 1; i < len(line); i++ {
			x1, y1 := b.xy(line[i-1].Lon, line[i-1].Lat)
			x2, y2 := b.xy(line[i].Lon, line[i].Lat)
			if b.d.Polygon != nil && (y1 > y) != (y2 > y) && x < x1+(y-y1)/(y2-y1)*(x2-x1) {
				odd = !odd
			}
			if b.d.Type == watchdog.Cable && b.edgeMetres(x, y, x1, y1, x2, y2) <= b.d.Buffer {
				return true
			}
		}
	}
	return odd
}

// isAround reports whether a report is so near that a ship that fishes is inside within the window.
func (b *book) isAround(e *entry) bool {
	for _, line := range b.lines() {
		for i := 1; i < len(line); i++ {
			x1, y1 := b.xy(line[i-1].Lon, line[i-1].Lat)
			x2, y2 := b.xy(line[i].Lon, line[i].Lat)
			if b.edgeMetres(e.x, e.y, x1, y1, x2, y2) <= b.d.Buffer+b.d.MaxSOG*1852*b.d.Window.Hours() {
				return true
			}
		}
	}
	return false
}

// edgeMetres returns how far a place is from an edge: from the foot of the perpendicular, or the nearer end.
func (b *book) edgeMetres(x, y, x1, y1, x2, y2 float64) float64 {
	east, north := degrees(y)
	dx, dy := (x2-x1)*east, (y2-y1)*north
	px, py := (x-x1)*east, (y-y1)*north
	t := min(1, max(0, (px*dx+py*dy)/(dx*dx+dy*dy)))
	return math.Hypot(px-t*dx, py-t*dy)
}

// parted reports whether a border or line of a type that holds ships where they lie is between two places.
func (b *book) parted(x1, y1, x2, y2 float64) bool {
	switch b.d.Type {
	case watchdog.Cable:
		return b.contains(x1, y1) != b.contains(x2, y2)
	case watchdog.Line, watchdog.Polygon, watchdog.LostShip, watchdog.Nameless:
		return len(b.cuts(x1, y1, x2, y2)) > 0 || b.contains(x1, y1) != b.contains(x2, y2)
	}
	return false
}

type cut struct {
	share          float64
	right          bool
	x1, y1, x2, y2 float64
}

// cuts are the places where a leg crosses an edge, in its order.
func (b *book) cuts(x1, y1, x2, y2 float64) (all []cut) {
	for _, line := range b.lines() {
		for i := 1; i < len(line); i++ {
			x3, y3 := b.xy(line[i-1].Lon, line[i-1].Lat)
			x4, y4 := b.xy(line[i].Lon, line[i].Lat)
			left := func(x, y float64) bool { return (x4-x3)*(y-y3)-(y4-y3)*(x-x3) > 0 }
			if left(x1, y1) == left(x2, y2) {
				continue
			}
			below := func(x, y float64) bool { return (x2-x1)*(y-y1)-(y2-y1)*(x-x1) > 0 }
			if below(x3, y3) == below(x4, y4) {
				continue
			}
			over := (x4-x3)*(y2-y1) - (y4-y3)*(x2-x1)
			share := ((x4-x3)*(y3-y1) - (y4-y3)*(x3-x1)) / over
			all = append(all, cut{share, left(x1, y1), x3, y3, x4, y4})
		}
	}
	slices.SortStableFunc(all, func(a, b cut) int {
		if a.share < b.share {
			return -1
		}
		return 1
	})
	return all
}

func (b *book) picks(s *ship.State) bool {
	d := &b.d
	if d.Draught > 0 && (s.Voyage == nil || float64(s.Voyage.Centimetres())/100 < d.Draught) {
		return false
	}
	if d.Course != nil {
		course, ok := s.Fix.COG.Degrees()
		knots, moves := s.Fix.SOG.Knots()
		if !ok || moves && knots < 0.5 {
			return false
		}
		width, from := math.Mod(d.Course.Max-d.Course.Min+360, 360), math.Mod(course-d.Course.Min+360, 360)
		if from > width {
			return false
		}
	}
	if d.Filter != nil { // the tests have one filter: sog > 5
		knots, ok := s.Fix.SOG.Knots()
		return ok && knots > 5
	}
	return true
}

func (b *book) lastEntry() *entry {
	if len(b.log) == 0 {
		return nil
	}
	return b.log[len(b.log)-1]
}

// active reads what was told.
func (b *book) active() bool {
	for _, n := range slices.Backward(b.told) {
		if n.Activated {
			return n.Kind != watchdog.Cross
		}
		if n.Kind == watchdog.Leave || n.Kind == watchdog.Timeout {
			return false
		}
	}
	return false
}

// activation returns the last one.
func (b *book) activation() *note {
	for i := range slices.Backward(b.told) {
		if b.told[i].Activated {
			return &b.told[i]
		}
	}
	return nil
}

// lastBy returns the index of the report of the last activation or end, -1 for none.
func (b *book) lastBy() int {
	for _, n := range slices.Backward(b.told) {
		if n.Activated || n.Kind == watchdog.Leave || n.Kind == watchdog.Timeout {
			return n.by
		}
	}
	return -1
}

// rested reports whether there were enough reports since the last activation, of which the next has the index n.
func (b *book) rested(a *note, n int) bool {
	since := n - a.by - 1
	if a.Initial && b.d.Type == watchdog.Port && b.d.ToActivate == 1 {
		since++ // no report comes with it
	}
	if b.forgot || b.d.BetweenTriggers == 0 || since >= b.d.BetweenTriggers {
		return true
	}
	for _, e := range b.log[min(len(b.log), a.by+1):] {
		if e.forgot {
			return true
		}
	}
	return false
}

// free reports whether the last activation lets another one come with the report of index n.
func (b *book) free(n int, at int64) bool {
	a := b.activation()
	return a == nil || b.rested(a, n) && at-a.At >= b.d.BetweenTimes.Milliseconds()
}

func (b *book) tell(e watchdog.Occurrence, silent bool) *note {
	by := len(b.log) - 1
	x, y := b.xy(e.Fix.Point().Lon, e.Fix.Point().Lat)
	b.told = append(b.told, note{Occurrence: e, by: by, silent: silent, x: x, y: y})
	return &b.told[len(b.told)-1]
}

// silence tells what the time until now raises.
func (b *book) silence(now int64) {
	e := b.lastEntry()
	if e == nil {
		return
	}
	at := e.r.State.Fix.At
	b.lost(e, at, now)
	if a := b.activation(); b.active() && b.d.Inactivity > 0 {
		if due := max(at, a.At) + b.d.Inactivity.Milliseconds(); now >= due {
			b.tell(watchdog.Occurrence{Kind: watchdog.Timeout, At: due, Port: b.d.Port}, true)
			b.wait = nil
		}
	}
}

func (b *book) lost(e *entry, at, now int64) {
	n := len(b.log) - 1
	if b.d.Type != watchdog.Cable || b.active() || !e.inside || !e.picked || len(b.told) > 0 && b.told[len(b.told)-1].silent && b.told[len(b.told)-1].by == n {
		return
	}
	due := at + (15 * time.Minute).Milliseconds()
	if a := b.activation(); a != nil {
		if !b.rested(a, n+1) {
			return
		}
		due = max(due, a.At+b.d.BetweenTimes.Milliseconds())
	}
	if now >= due && due < at+(24*time.Hour).Milliseconds() {
		b.tell(watchdog.Occurrence{Kind: watchdog.Risk, At: due, Reason: watchdog.Lost, Active: true, Activated: true}, true)
	}
}

// hear takes a report.
func (b *book) hear(r watchdog.Position) {
	f := r.State.Fix
	if len(b.log) > 0 && f.At <= b.lastEntry().r.State.Fix.At {
		return
	}
	b.silence(f.At)
	e := &entry{r: r, picked: b.picks(r.State)}
	e.x, e.y = b.xy(f.Point().Lon, f.Point().Lat)
	if was := b.lastEntry(); was != nil {
		e.joined = f.Mark&ship.NewSegment == 0 && f.At-was.r.State.Fix.At <= (15*time.Minute).Milliseconds()
	}
	if e.forgot = b.forgot; !b.did && b.forgets(f.At) {
		e.forgot, b.wait = true, nil
	}
	b.did, b.forgot = false, false
	e.x, e.y = b.lay.hear(f, e.x, e.y, e.forgot)
	n := len(b.log)
	b.log = append(b.log, e)
	e.inside = b.d.Type != watchdog.Port && b.d.Type != watchdog.Line && b.contains(e.x, e.y)
	switch b.d.Type {
	case watchdog.Polygon:
		b.polygon(n)
	case watchdog.Line:
		b.line(n)
	case watchdog.Cable, watchdog.Fishing:
		b.risks(n)
	case watchdog.Port:
		b.counts(n)
	}
}

// forgets reports whether the ship was silent for a day until now, and nothing is active.
func (b *book) forgets(now int64) bool {
	was := b.lastEntry()
	return was != nil && !b.active() && now-was.r.State.Fix.At >= (24*time.Hour).Milliseconds()
}

func (b *book) here(n int, kind watchdog.Kind) watchdog.Occurrence {
	return watchdog.Occurrence{Kind: kind, At: b.log[n].r.State.Fix.At, Fix: b.log[n].r.State.Fix}
}

// on returns an event on the leg to a report; at the report for a share of 1.
func (b *book) on(n int, kind watchdog.Kind, share float64) (watchdog.Occurrence, float64, float64) {
	e, to := b.here(n, kind), b.log[n]
	if share == 1 {
		x, y := b.xy(e.Fix.Point().Lon, e.Fix.Point().Lat)
		return e, x, y
	}
	from := b.log[n-1]
	begin := from.r.State.Fix.At
	e.At = begin + int64(math.Round(share*float64(e.At-begin)))
	return e, from.x + share*(to.x-from.x), from.y + share*(to.y-from.y)
}

func (b *book) tellOn(n int, kind watchdog.Kind, share float64, change func(e *watchdog.Occurrence)) {
	e, x, y := b.on(n, kind, share)
	change(&e)
	told := b.tell(e, false)
	told.x, told.y = x, y
}

func activates(e *watchdog.Occurrence) { e.Active, e.Activated = true, true }

// begins returns the first report of those inside without a break until one inside.
func (b *book) begins(n int) int {
	for n > 0 && b.log[n-1].inside && !b.log[n].forgot {
		n--
	}
	return n
}

// initial reports whether the ship was inside when it was first seen, and has been since.
func (b *book) initial(n int) bool {
	first := b.begins(n)
	if first > 0 && !b.log[first-1].inside {
		return false
	}
	for _, t := range b.told {
		if (t.Kind == watchdog.Leave || t.Kind == watchdog.Timeout) && t.by >= first {
			return false
		}
	}
	for i := first; i <= n; i++ {
		if e := b.log[i]; b.d.Type == watchdog.Cable && e.reason == "" || b.d.Type == watchdog.Fishing && !e.fishes && e.judged {
			return false
		}
	}
	return true
}

// legs sets where the leg to a report crosses the border.
func (b *book) legs(n int) {
	e := b.log[n]
	if !e.joined {
		return
	}
	from := b.log[n-1]
	if cuts := b.cuts(from.x, from.y, e.x, e.y); len(cuts) > 0 {
		e.first, e.last, e.crosses = cuts[0].share, cuts[len(cuts)-1].share, true
	}
	e.through = b.d.Type == watchdog.Polygon && e.crosses && !from.inside && !e.inside && e.first < e.last
}

// jitters reports whether the ship is still at the border that it was told to leave.
func (b *book) jitters(n int) bool {
	for _, t := range slices.Backward(b.told) {
		if t.Kind != watchdog.Leave {
			continue
		}
		touched := b.log[t.by].r.State.Fix.At
		for j := t.by + 1; j <= n; j++ {
			e := b.log[j]
			at := e.r.State.Fix.At
			if at-touched >= (5*time.Minute).Milliseconds() || b.metres(t.x, t.y, e.x, e.y) >= 200 {
				return false
			}
			if e.inside != b.log[j-1].inside || e.through {
				touched = at
			}
		}
		return true
	}
	return false
}

func (b *book) polygon(n int) {
	b.legs(n)
	e := b.log[n]
	switch {
	case e.inside && !b.active():
		count := 0
		for j := n; j > b.lastBy() && b.log[j].inside; j-- {
			if b.log[j].picked {
				count++
			}
			if b.log[j].forgot {
				break
			}
		}
		if !e.picked || count < b.d.ToActivate || b.jitters(n) || !b.free(n, b.here(n, "").At) {
			return
		}
		share, initial := 1.0, b.initial(n)
		if e.crosses && b.begins(n) == n && !initial && b.d.ToActivate == 1 {
			share = e.first
		}
		b.tellOn(n, watchdog.Enter, share, func(e *watchdog.Occurrence) { activates(e); e.Initial = initial })
	case !e.inside:
		if e.through && !b.active() && b.d.ToActivate == 1 && e.picked && !b.jitters(n) && b.free(n, b.here(n, "").At) {
			b.tellOn(n, watchdog.Enter, e.first, activates)
		}
		if b.active() && b.off(n, func(e *entry) bool { return !e.inside }) >= b.d.ToDeactivate {
			share := 1.0
			if b.d.ToDeactivate == 1 && e.crosses {
				share = e.last
			}
			b.tellOn(n, watchdog.Leave, share, func(*watchdog.Occurrence) {})
		}
	}
}

// off counts the last reports that are over, since the activation. A leg through the polygon begins anew.
func (b *book) off(n int, over func(e *entry) bool) (count int) {
	a := b.activation()
	for j := n; j >= a.by && !(a.silent && j == a.by) && over(b.log[j]); j-- {
		if count++; b.log[j].through {
			break
		}
	}
	return count
}

// line reads all crossings of the log again.
func (b *book) line(n int) {
	e := b.log[n]
	if !e.joined {
		b.wait = nil
		return
	}
	from := b.log[n-1]
	for _, c := range b.cuts(from.x, from.y, e.x, e.y) {
		b.crossed(n, c)
	}
	b.counts(n)
}

// nearLine reports whether a crossing with a report at x, y is near the last one told, in place and time.
func (b *book) nearLine(n int, share float64) bool {
	if len(b.told) == 0 {
		return false
	}
	t := b.told[len(b.told)-1]
	away := func(x, y float64) bool { return b.metres(t.x, t.y, x, y) >= 200 }
	touched := b.log[t.by].r.State.Fix.At
	for j := t.by; j <= n; j++ {
		e := b.log[j]
		at := e.r.State.Fix.At
		if j > t.by && at-touched >= (5*time.Minute).Milliseconds() {
			return false
		}
		if e.joined {
			from := b.log[j-1]
			for _, c := range b.cuts(from.x, from.y, e.x, e.y) {
				x, y := from.x+c.share*(e.x-from.x), from.y+c.share*(e.y-from.y)
				if j == t.by && c.share <= b.shareOf(t) {
					continue
				}
				if away(x, y) {
					return false
				}
				if j == n && c.share >= share {
					return true
				}
				touched = at
			}
		}
		if j < n && away(e.x, e.y) {
			return false
		}
	}
	return true
}

// shareOf returns where on the leg of its report a crossing was told.
func (b *book) shareOf(t note) float64 {
	if t.At == b.log[t.by].r.State.Fix.At {
		return 1
	}
	from, to := b.log[t.by-1], b.log[t.by]
	return (math.Hypot(t.x-from.x, t.y-from.y) + 1e-12) / math.Hypot(to.x-from.x, to.y-from.y)
}

func (b *book) crossed(n int, c cut) {
	e, from := b.log[n], b.log[n-1]
	near := b.nearLine(n, c.share)
	back := b.wait != nil && b.wait.right != c.right
	if back {
		b.wait = nil
	}
	if near || back || !e.picked {
		return
	}
	y := from.y + c.share*(e.y-from.y)
	direction := compass(c, y)
	if b.d.ToActivate > 1 {
		b.wait = &waiting{kind: watchdog.Cross, right: c.right, direction: direction}
		return
	}
	if b.free(n, b.here(n, "").At) {
		b.tellOn(n, watchdog.Cross, c.share, func(e *watchdog.Occurrence) { activates(e); e.Direction = direction })
	}
}

// compass returns the point of the compass that is nearest to the perpendicular of an edge.
func compass(c cut, lat float64) string {
	east, north := degrees(lat)
	ex, ey := (c.x2-c.x1)*east, (c.y2-c.y1)*north
	px, py := ey, -ex // to the right
	if !c.right {
		px, py = -px, -py
	}
	best, name := math.Inf(-1), ""
	for i, point := range []string{"N", "NE", "E", "SE", "S", "SW", "W", "NW"} {
		a := float64(i) * math.Pi / 4
		if along := px*math.Sin(a) + py*math.Cos(a); along > best {
			best, name = along, point
		}
	}
	return name
}

// counts counts a report for what waits.
func (b *book) counts(n int) {
	w, e := b.wait, b.log[n]
	if w == nil {
		return
	}
	if w.kind == watchdog.Leave {
		if w.count++; w.count >= b.d.ToDeactivate {
			b.wait = nil
			b.tellOn(n, watchdog.Leave, 1, func(e *watchdog.Occurrence) { e.Port = b.d.Port })
		}
		return
	}
	if !e.picked {
		return
	}
	if w.count++; w.count < b.d.ToActivate {
		return
	}
	free := b.free(n, b.here(n, "").At)
	if free || w.kind == watchdog.Cross {
		b.wait = nil
	}
	if free {
		b.tellOn(n, w.kind, 1, func(e *watchdog.Occurrence) {
			activates(e)
			e.Port, e.Direction, e.Initial = b.d.Port, w.direction, w.initial
		})
	}
}

// risks takes a report of a ship that may be a risk to a cable, or fish.
func (b *book) risks(n int) {
	e := b.log[n]
	b.legs(n)
	alarming := func(e *entry) bool { return e.inside && (e.reason != "" || e.fishes) }
	if e.inside {
		e.fishes, e.judged = b.fishes(n)
		if b.d.Type == watchdog.Cable {
			e.reason, e.fishes = b.reason(n), false
		}
	}
	if !alarming(e) {
		if b.active() && b.off(n, func(e *entry) bool { return !alarming(e) }) >= b.d.ToDeactivate {
			share, loose := b.border(n)
			b.tellOn(n, watchdog.Leave, share, func(*watchdog.Occurrence) {})
			b.told[len(b.told)-1].loose = loose
		}
		return
	}
	told := watchdog.CableRisk("")
	if a := b.activation(); b.active() {
		told = a.Reason
	}
	worse := func(e *entry) bool { return grave(e.reason) > grave(told) || !b.active() }
	if b.active() && b.d.Type == watchdog.Fishing || !e.picked || !worse(e) {
		return
	}
	count := 0
	for j := n; j > b.lastBy() && alarming(b.log[j]); j-- {
		if b.log[j].picked && !worse(b.log[j]) {
			break
		}
		if b.log[j].picked {
			count++
		}
		if b.log[j].forgot {
			break
		}
	}
	if count < b.d.ToActivate || !b.free(n, b.here(n, "").At) {
		return
	}
	kind, initial := watchdog.Enter, b.initial(n) && !b.active()
	if b.d.Type == watchdog.Cable {
		kind = watchdog.Risk
	}
	b.tellOn(n, kind, 1, func(v *watchdog.Occurrence) { activates(v); v.Initial, v.Reason = initial, e.reason })
}

// border returns where the leg to a report led out.
func (b *book) border(n int) (share float64, loose bool) {
	e := b.log[n]
	if e.inside || b.d.ToDeactivate > 1 || !e.joined {
		return 1, false
	}
	from := b.log[n-1]
	if b.d.Type == watchdog.Fishing {
		if e.crosses {
			return e.last, false
		}
		return 1, false
	}
	if !from.inside {
		return 1, false
	}
	const steps = 4096
	was, turns := true, 0
	for i := range steps {
		s := float64(i+1) / steps
		if in := b.contains(from.x+s*(e.x-from.x), from.y+s*(e.y-from.y)); in != was {
			was, share = in, s
			turns++
		}
	}
	return share, turns > 1
}

func grave(r watchdog.CableRisk) int {
	return slices.Index([]watchdog.CableRisk{"", watchdog.Lost, watchdog.Slow, watchdog.Stopped, watchdog.Trawling, watchdog.Dragging}, r)
}

// speed is the one that the ship tells, or that of the leg.
func (b *book) speed(n int) (float64, bool) {
	e := b.log[n]
	knots, ok := e.r.State.Fix.SOG.Knots()
	if ok || !e.joined {
		return knots, ok
	}
	from := b.log[n-1]
	hours := float64(e.r.State.Fix.At-from.r.State.Fix.At) / 3.6e6
	return b.metres(from.x, from.y, e.x, e.y) / 1852 / hours, true
}

func (b *book) reason(n int) watchdog.CableRisk {
	knots, known := b.speed(n)
	fishes, _ := b.fishes(n)
	status := b.log[n].r.State.Fix.Status
	lies := status == ais.StatusAtAnchor || status == ais.StatusAground
	switch {
	case b.drags(n):
		return watchdog.Dragging
	case fishes:
		return watchdog.Trawling
	case known && knots < 0.5 || lies && (!known || knots <= 5):
		return watchdog.Stopped
	case known && knots < 3:
		return watchdog.Slow
	}
	return ""
}

// drags reads the reports inside again: where the ship lay, since when it moves away or aside.
func (b *book) drags(n int) bool {
	var lay, since *entry
	for i := b.begins(n); i <= n; i++ {
		e := b.log[i]
		f := e.r.State.Fix
		knots, known := b.speed(i)
		anchored := f.Status == ais.StatusAtAnchor && (!known || knots <= 5)
		if !anchored {
			lay = nil
		}
		away := lay != nil && b.metres(lay.x, lay.y, e.x, e.y) > 200
		course, aside := f.COG.Degrees()
		if heading, ok := f.Heading.Degrees(); !ok || !aside || knots < 0.25 || f.Status == ais.StatusMoored {
			aside = false
		} else {
			off := math.Abs(math.Remainder(float64(heading)-course, 360))
			aside = off >= 45 && (anchored || off <= 135)
		}
		seems := known && (away && knots >= 0.5 || aside)
		if anchored && known && knots < 0.5 && (lay == nil || away) {
			lay = e
		}
		switch {
		case !seems:
			since = nil
		case since == nil || !e.joined:
			since = e
		}
		if i == n && since != nil {
			return f.At-since.r.State.Fix.At >= (10*time.Minute).Milliseconds() && b.metres(since.x, since.y, e.x, e.y) >= 500
		}
	}
	return false
}

// fishes sails the last reports again. The way is measured as in a chart, by a mark each sixteenth of the window.
func (b *book) fishes(n int) (fishes, judged bool) {
	code := ais.ShipType(0)
	may := func(i int) bool {
		s := b.log[i].r.State
		code = 0
		if s.Static != nil {
			code = s.Static.Type
		}
		return b.d.AnyType || code == 30 || s.Fix.Status == ais.StatusFishing
	}
	if !may(n) {
		return false, code != 0
	}
	first := n // of the way, which begins where the ship can sail in within the window
	for first > 0 && b.log[first].joined && !b.log[first].forgot && may(first-1) && (b.log[first-1].inside || b.isAround(b.log[first-1])) {
		first--
	}
	window := b.d.Window.Milliseconds()
	type mark struct {
		at      int64
		x, y, m float64
	}
	at := func(i int) int64 { return b.log[i].r.State.Fix.At }
	marks := []mark{{at(first), b.log[first].x, b.log[first].y, 0}}
	put := func(at int64, x, y float64) {
		last := marks[len(marks)-1]
		marks = append(marks, mark{at, x, y, last.m + b.metres(last.x, last.y, x, y)})
	}
	step := (window + 15) / 16
	for i := first + 1; i <= n; i++ { // each leg from its begin, in steps of the clock
		for k := at(i-1)/step + 1; k*step <= at(i); k++ {
			share := float64(k*step-at(i-1)) / float64(at(i)-at(i-1))
			was, is := b.log[i-1], b.log[i]
			put(k*step, was.x+share*(is.x-was.x), was.y+share*(is.y-was.y))
		}
	}
	from := marks[0]
	for _, m := range marks {
		if m.at <= at(n)-window {
			from = m
		}
	}
	if at(n)-from.at < window {
		return false, false
	}
	trawls := func(metres float64, ms int64) bool {
		knots := metres / 1852 / (float64(ms) / 3.6e6)
		return knots >= b.d.MinSOG && knots <= b.d.MaxSOG
	}
	steady := 0.0
	put(at(n), b.log[n].x, b.log[n].y)
	sailed := marks[len(marks)-1].m
	for i := 1; i < len(marks); i++ {
		if was := marks[i-1]; was.at >= from.at && marks[i].at > was.at && trawls(marks[i].m-was.m, marks[i].at-was.at) {
			steady += float64(marks[i].at - was.at)
		}
	}
	goesOn := b.active() && (b.d.Type == watchdog.Fishing || b.activation().Reason == watchdog.Trawling)
	return trawls(sailed-from.m, at(n)-from.at) && (goesOn || steady >= 0.75*float64(at(n)-from.at)), true
}

// does takes what the ship did at the port.
func (b *book) does(t watchdog.Transition, r watchdog.Position) {
	at := max(t.At, r.State.Fix.At)
	b.silence(at)
	if b.did, b.forgot = true, b.forgets(at); b.forgot {
		b.wait = nil
	}
	e := watchdog.Occurrence{Kind: t.Kind, At: t.At, Port: t.Port, Initial: t.Initial, Fix: r.State.Fix}
	if f, before := &e.Fix, r.Before; before.At != 0 && ship.Joins(before, *f) && f.At-before.At <= (15*time.Minute).Milliseconds() && t.At >= 2*before.At-f.At {
		share := float64(t.At-before.At) / float64(f.At-before.At) // of the leg, on which it was then
		f.Lon = before.Lon + int32(share*float64(f.Lon-before.Lon))
		f.Lat = before.Lat + int32(share*float64(f.Lat-before.Lat))
	}
	leaves := t.Kind == watchdog.Leave || t.Kind == watchdog.Timeout
	switch {
	case leaves:
		b.wait = nil
		if b.active() && t.Kind == watchdog.Leave && b.d.ToDeactivate > 1 {
			b.wait = &waiting{kind: watchdog.Leave}
		} else if b.active() {
			b.tell(e, false)
		}
	case b.active():
		if b.wait = nil; t.Kind != watchdog.Enter {
			e.Active = true
			b.tell(e, false)
		}
	case b.d.ToActivate > 1:
		count := 0
		if b.wait != nil {
			count = b.wait.count
		}
		b.wait = &waiting{kind: t.Kind, initial: t.Initial, count: count}
	case b.picks(r.State) && b.free(len(b.log), t.At):
		activates(&e)
		b.tell(e, false).by++ // of the report that comes with it
	}
}
