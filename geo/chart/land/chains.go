package land

// CoastPoint is a point of the coast in a level's units; its x may lie beyond ±180° when a window does.
type CoastPoint struct{ X, Y int64 }

// Window is a rectangle in a level's units; its east may lie beyond 180° or its west beyond -180°.
type Window struct{ West, South, East, North int64 }

// Chains returns the coast in a window as chains of points with land on their left. Each edge that touches the window comes once, and edges
// that meet are joined. A closed chain ends with its first point.
func (l *Level) Chains(w Window) [][]CoastPoint {
	g := gatherer{level: l, window: w, seen: map[[2]CoastPoint]bool{}}
	world := 360 * l.units
	for shift := -world; shift <= world; shift += world {
		g.shift = shift
		g.gather()
	}
	return joinRuns(g.runs)
}

// gatherer collects runs of edges that follow each other.
type gatherer struct {
	level  *Level
	window Window
	shift  int64
	domain Window // the part of the window that this shift of the world covers, unshifted
	runs   [][]CoastPoint
	seen   map[[2]CoastPoint]bool // edges that begin outside the domain
}

func (g *gatherer) gather() {
	half := 180 * g.level.units
	d := g.window
	d.West, d.East = max(d.West-g.shift, -half), min(d.East-g.shift, half)
	if d.West > d.East {
		return
	}
	g.domain = d
	g.level.bodies(d, func(b body) {
		c, _ := g.level.open(b)
		for c.next() {
			g.keepEdge(b, c.a, c.b)
		}
	})
}

// keepEdge keeps an edge once: from the cell in which it begins, or, if it begins outside the domain, when first met.
func (g *gatherer) keepEdge(b body, from, to place) {
	d := g.domain
	if max(from.x, to.x) < d.West || min(from.x, to.x) > d.East || max(from.y, to.y) < d.South || min(from.y, to.y) > d.North {
		return
	}
	s, e := CoastPoint{from.x + g.shift, from.y}, CoastPoint{to.x + g.shift, to.y}
	half := 180 * g.level.units
	if from.x >= d.West && from.x <= d.East && from.y >= d.South && from.y <= d.North && from.x < half {
		if from.x < b.corner.x || from.x >= b.corner.x+b.sideLong || from.y < b.corner.y || from.y >= b.corner.y+b.sideLong {
			return
		}
	} else {
		if g.seen[[2]CoastPoint{s, e}] {
			return
		}
		g.seen[[2]CoastPoint{s, e}] = true
	}
	if n := len(g.runs); n > 0 {
		if run := g.runs[n-1]; run[len(run)-1] == s {
			g.runs[n-1] = append(run, e)
			return
		}
	}
	g.runs = append(g.runs, []CoastPoint{s, e})
}

// bodies visits every cell and sub-cell with edges that touches a window within the world.
func (l *Level) bodies(w Window, visit func(body)) {
	origin := l.corner(0, 0)
	c0, c1 := cellSpan(w.West-origin.x, w.East-origin.x, l.cell, l.cols)
	r0, r1 := cellSpan(w.South-origin.y, w.North-origin.y, l.cell, l.rows)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			if block := l.cellAt(col, row); block > AllLand {
				l.subBodies(w, block, l.corner(col, row), visit)
			}
		}
	}
}

func (l *Level) subBodies(w Window, block int, corner place, visit func(body)) {
	k := int(l.data[block])
	c0, c1 := cellSpan(w.West-corner.x, w.East-corner.x, l.cell>>k, 1<<k)
	r0, r1 := cellSpan(w.South-corner.y, w.North-corner.y, l.cell>>k, 1<<k)
	for row := r0; row <= r1; row++ {
		for col := c0; col <= c1; col++ {
			if b := l.sub(block, corner, col, row); b.at != 0 {
				visit(b)
			}
		}
	}
}

// cellSpan returns the first and last of n cells that an interval touches.
func cellSpan(low, high, side int64, n int) (first, last int) {
	return clamp(int(low/side), n), clamp(int(high/side), n)
}

// joinRuns puts runs together where one begins at another's end.
func joinRuns(runs [][]CoastPoint) [][]CoastPoint {
	begins := make(map[CoastPoint][]int, len(runs))
	for i, r := range runs {
		begins[r[0]] = append(begins[r[0]], i)
	}
	used := make([]bool, len(runs))
	var chains [][]CoastPoint
	for _, i := range openFirst(runs) {
		if used[i] {
			continue
		}
		used[i] = true
		chain := runs[i]
		for {
			next := findUnusedRun(begins, used, chain[len(chain)-1])
			if next < 0 {
				break
			}
			used[next] = true
			chain = append(chain, runs[next][1:]...)
		}
		chains = append(chains, chain)
	}
	return chains
}

// openFirst orders the runs so that those that no other run leads to come first; else a chain would be begun in its
// middle.
func openFirst(runs [][]CoastPoint) []int {
	ends := make(map[CoastPoint]int, len(runs))
	for _, r := range runs {
		ends[r[len(r)-1]]++
	}
	order := make([]int, 0, len(runs))
	var led []int
	for i, r := range runs {
		if ends[r[0]] > 0 {
			ends[r[0]]--
			led = append(led, i)
			continue
		}
		order = append(order, i)
	}
	return append(order, led...)
}

// findUnusedRun finds an unused run that begins at a vertex.
func findUnusedRun(begins map[CoastPoint][]int, used []bool, at CoastPoint) int {
	for _, i := range begins[at] {
		if !used[i] {
			return i
		}
	}
	return -1
}
