package main

import (
	"cmp"
	"log"
	"slices"

	"quaywatch/geo"
	"quaywatch/geo/route/graph"
	"quaywatch/geo/route/sea"
)

// smallest is the number of vertices below which a water is left out: ponds, inlets without a way out.
const smallest = 300

// groups returns the number of the group of each vertex, and the sizes of the groups.
func (b *build) groups() (group, size []int32) {
	parent := make([]int32, len(b.nodes))
	for i := range parent {
		parent[i] = int32(i)
	}
	find := func(i int32) int32 {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for _, e := range b.edges {
		if x, y := find(e.a), find(e.b); x != y {
			parent[max(x, y)] = min(x, y)
		}
	}
	size = make([]int32, len(b.nodes))
	for i := range parent {
		parent[i] = find(int32(i))
		size[parent[i]]++
	}
	return parent, size
}

// keepWaters drops vertices of small waters.
func (b *build) keepWaters() {
	group, size := b.groups()
	b.keepVertices(func(i int) bool { return size[group[i]] >= smallest })
}

// keepReached drops vertices without edges.
func (b *build) keepReached() {
	group, size := b.groups()
	used := make([]bool, len(b.nodes))
	for _, a := range b.approaches {
		used[a.Vertex] = true
	}
	b.keepVertices(func(i int) bool { return size[group[i]] > 20 || used[i] })
}

// keepVertices drops vertices, their edges and gives the others new numbers.
func (b *build) keepVertices(want func(i int) bool) {
	number := make([]int32, len(b.nodes))
	nodes := b.nodes[:0:0]
	for i := range b.nodes {
		number[i] = -1
		if want(i) {
			number[i] = int32(len(nodes))
			nodes = append(nodes, b.nodes[i])
		}
	}
	b.renumber(nodes, number)
}

// renumber takes over vertices whose numbers changed; -1 is none.
func (b *build) renumber(nodes []node, number []int32) {
	edges := b.edges[:0:0]
	for _, e := range b.edges {
		if e.a, e.b = number[e.a], number[e.b]; e.a >= 0 && e.b >= 0 {
			edges = append(edges, e)
		}
	}
	for i := range b.approaches {
		b.approaches[i].Vertex = uint32(number[b.approaches[i].Vertex])
	}
	b.nodes, b.edges = nodes, edges
}

// sortVertices brings the vertices into the order of the cells of the file.
func (b *build) sortVertices() {
	order := make([]int32, len(b.nodes))
	for i := range order {
		order[i] = int32(i)
	}
	cell := func(i int32) int { return graph.CellOf(b.nodes[i].at.Point()) }
	unmarked := func(i int32) int {
		if graph.Marked(b.nodes[i].scale) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(order, func(x, y int32) int {
		return cmp.Or(cmp.Compare(unmarked(x), unmarked(y)), cmp.Compare(cell(x), cell(y)), cmp.Compare(b.nodes[x].scale, b.nodes[y].scale))
	})
	number := make([]int32, len(order))
	nodes := make([]node, len(order))
	for i, old := range order {
		nodes[i], number[old] = b.nodes[old], int32(i)
	}
	b.renumber(nodes, number)
}

// addCanals adds the chains of canals. Their ends are joined like ports.
func (b *build) addCanals() {
	j := b.newJoiner()
	for _, p := range b.passages {
		if len(p.Chain) == 0 || !b.box.holdsPoint(p.Chain[0]) {
			continue
		}
		first := b.wayToEnd(p.Chain[0], p.Name)
		last := b.wayToEnd(p.Chain[len(p.Chain)-1], p.Name)
		if len(first) == 0 || len(last) == 0 {
			continue
		}
		chain := dense(slices.Concat(first, p.Points(), reversed(last)))
		from := len(b.nodes)
		for _, v := range chain {
			v = graph.Rounded(v)
			b.nodes = append(b.nodes, node{at: v, frame: sea.HeadingAt(v), scale: graph.CanalScale})
		}
		for k := from + 1; k < len(b.nodes); k++ {
			b.edges = append(b.edges, edge{a: int32(k - 1), b: int32(k), km: sea.Km(b.nodes[k-1].at, b.nodes[k].at), forced: true})
		}
		for _, k := range []int{from, len(b.nodes) - 1} {
			b.edges = append(b.edges, j.edgesOf(k, sea.Exact)...)
		}
	}
}

// dense returns a chain with points at most 2 km apart, so that places beside it find one.
func dense(chain []sea.UnitVector) (out []sea.UnitVector) {
	for i, v := range chain {
		if i > 0 && sea.Km(chain[i-1], v) < 0.01 {
			continue
		}
		if i > 0 {
			out = append(out, sea.Between(chain[i-1], v, 2)...)
		}
		out = append(out, v)
	}
	return out
}

// canalBeside returns the point of a canal nearest to a place, if one is within graph.BesideCanal.
func (b *build) canalBeside(p geo.Point) (at int, km float64) {
	at, km = -1, graph.BesideCanal
	here := sea.At(p)
	for i := range b.nodes {
		if b.nodes[i].scale != graph.CanalScale {
			continue
		}
		if d := sea.Km(here, b.nodes[i].at); d < km {
			at, km = i, d
		}
	}
	return at, km
}

// wayToEnd returns the way from the network to the end of a chain: its first point is afloat and sees vertices.
func (b *build) wayToEnd(p geo.Point, name string) (way []sea.UnitVector) {
	a, _, ok := b.findApproach(p)
	if !ok {
		log.Printf("%s: the end at %.3f %.3f is not joined", name, p.Lon, p.Lat)
		return nil
	}
	if a.OnLand > 1 {
		log.Printf("%s: the end at %.3f %.3f is joined over %.1f km of land", name, p.Lon, p.Lat, a.OnLand)
	}
	for _, point := range a.Way {
		way = append(way, sea.At(point))
	}
	slices.Reverse(way)
	return way
}

func reversed(way []sea.UnitVector) []sea.UnitVector {
	slices.Reverse(way)
	return way
}

// approachKm is how far from a place targets are looked for.
const approachKm = 150

// findApproach returns the way with the least land from a place to where it sees a vertex, and that vertex.
func (b *build) findApproach(p geo.Point) (a sea.WayToWater, seen int, ok bool) {
	at := sea.At(p)
	var targets []sea.UnitVector
	var numbers []int
	for i := range b.nodes {
		if n := &b.nodes[i]; n.scale < len(scales) && sea.Km(at, n.at) < approachKm {
			targets, numbers = append(targets, n.at), append(numbers, i)
		}
	}
	if a, ok = b.water.Approach(p, targets); ok {
		seen = numbers[a.Target]
	}
	return a, seen, ok
}

// addPorts adds a vertex for each port that can be joined, and the way from the port to it.
func (b *build) addPorts() {
	j := b.newJoiner()
	type found struct {
		ok       bool
		approach sea.WayToWater
		seen     int
	}
	ways := parallel(len(b.ports), 1, func(from, _ int) found {
		a, seen, ok := b.findApproach(b.ports[from].Position)
		return found{ok && a.OnLand <= graph.MostOnLand, a, seen}
	})
	first, before := len(b.nodes), map[int]found{}
	for i, w := range ways {
		place := b.ports[i].Position
		if at, km := b.canalBeside(place); at >= 0 && (!w.ok || km < w.approach.OnLand) {
			way := []geo.Point{place, b.nodes[at].at.Point()}
			b.approaches = append(b.approaches, graph.PortLink{Place: place, Vertex: uint32(at), Way: way, OnLand: km})
			continue
		}
		if !w.ok {
			log.Printf("port %s %s is not joined", b.ports[i].LOCODE, b.ports[i].Name)
			continue
		}
		before[len(b.nodes)] = w
		way := w.approach.Way
		v := graph.Rounded(sea.At(way[len(way)-1]))
		if len(way) > 1 {
			way = way[:len(way)-1] // its last point is the vertex, as the file holds it
		}
		way = append(way[:len(way):len(way)], v.Point())
		b.approaches = append(b.approaches, graph.PortLink{Place: place, Vertex: uint32(len(b.nodes)), Way: way, OnLand: w.approach.OnLand})
		b.nodes = append(b.nodes, node{at: v, frame: sea.HeadingAt(v), scale: graph.PortScale})
	}
	edges := parallel(len(b.nodes)-first, 8, func(from, to int) (edges []edge) {
		for i := from; i < to; i++ {
			edges = append(edges, j.edgesOf(first+i, sea.Exact)...)
		}
		return edges
	})
	joined := map[int]bool{}
	for _, e := range slices.Concat(edges...) {
		joined[int(e.a)] = true
		b.edges = append(b.edges, e)
	}
	for i := range b.approaches {
		a := &b.approaches[i]
		if w, ok := before[int(a.Vertex)]; ok && !joined[int(a.Vertex)] { // it saw a vertex before it was rounded: the approach goes on to that
			a.Vertex, a.Way = uint32(w.seen), append(w.approach.Way, b.nodes[w.seen].at.Point())
		}
	}
}
