// Command gen makes route.bin, the network of sea ways, from the embedded land, the list of ports and the table of passages. It is run by `go generate
// ./geo/route` and takes some minutes. The method: corners of the coast that a disc of open water can touch become vertices. Vertices that see each other are
// joined. Then what other edges replace with hardly a detour is left out.
package main

import (
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"log"
	"os"
	"strconv"
	"strings"
	"time"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/chart/land"
	"quaywatch/geo/route/graph"
	"quaywatch/geo/route/passage"
	"quaywatch/geo/route/sea"
)

func main() {
	log.SetFlags(0)
	chartFile := flag.String("land", "../chart/land.bin", "file of the land")
	out := flag.String("out", "route.bin", "file to write")
	box := flag.String("box", "-180,-90,180,90", "west,south,east,north: only this part of the world, to try things")
	from := flag.String("from", "", "network to keep vertices, edges and approaches of: only lines, landmarks and reaches are made anew")
	flag.Parse()
	if *from != "" {
		if err := remakeNetwork(*from, *out); err != nil {
			log.Fatal(err)
		}
		return
	}
	if err := generate(*chartFile, *out, *box); err != nil {
		log.Fatal(err)
	}
}

func generate(chartFile, out, box string) error {
	b, err := newBuild(chartFile, box)
	if err != nil {
		return err
	}
	b.placeVertices()
	b.stage("vertices")
	b.nearEdges()
	b.stage("near edges")
	b.farEdges()
	b.stage("far edges")
	b.keepWaters()
	b.stage("waters")
	b.addCanals()
	b.addPorts()
	b.stage("ports")
	b.thinEdges()
	b.stage("thinned")
	b.dropGrazing()
	b.stage("walked again")
	b.keepReached()
	b.sortVertices()
	b.landmarks()
	b.findReaches()
	b.stage("landmarks and reach")
	return b.write(out)
}

// write writes the network to a file.
func (b *build) write(out string) error {
	data := graph.Encode(b.parts())
	sum := sha256.Sum256(data)
	log.Printf("%s: %d vertices, %d edges, %d bytes, sha256 %s", out, len(b.nodes), len(b.edges), len(data), hex.EncodeToString(sum[:]))
	return os.WriteFile(out, data, 0o644)
}

// build is the network while it is made.
type build struct {
	box      box
	coast    *land.Level
	rings    []ring
	water    *sea.Water
	field    []byte
	ports    []*chart.Port
	passages []passage.Passage
	gates    *passage.Gates

	nodes      []node
	edges      []edge
	approaches []graph.PortLink
	reaches    []float64   // by vertex, kilometres
	marks      [][]float64 // by landmark and vertex, kilometres
	began      time.Time
}

// box is a part of the world that does not lie over 180°.
type box struct{ west, south, east, north float64 }

func (b box) holdsPoint(p geo.Point) bool {
	return p.Lon >= b.west && p.Lon <= b.east && p.Lat >= b.south && p.Lat <= b.north
}

func newBuild(chartFile, boxText string) (*build, error) {
	data, err := os.ReadFile(chartFile)
	if err != nil {
		return nil, err
	}
	world, err := land.Open(string(data))
	if err != nil {
		return nil, err
	}
	b := &build{coast: world.Level(0), began: time.Now()}
	sides := []*float64{&b.box.west, &b.box.south, &b.box.east, &b.box.north}
	for i, text := range strings.SplitN(boxText, ",", len(sides)) {
		if *sides[i], err = strconv.ParseFloat(text, 64); err != nil {
			return nil, err
		}
	}
	all, err := chart.LoadPorts()
	if err != nil {
		return nil, err
	}
	for _, p := range all.All() {
		if p.Placed && b.box.holdsPoint(p.Position) {
			b.ports = append(b.ports, p)
		}
	}
	if b.passages, err = passage.All(); err != nil {
		return nil, err
	}
	b.gates = passage.NewGates(b.passages)
	b.rings = readRings(b.coast, b.box)
	b.stage("coast read")
	b.field = makeField(b.coast, b.rings)
	b.water = sea.NewWater(b.coast, string(b.field))
	b.stage("field")
	return b, nil
}

// stage tells how far the work is.
func (b *build) stage(what string) {
	log.Printf("%6.1f s  %s: %d vertices, %d edges", time.Since(b.began).Seconds(), what, len(b.nodes), len(b.edges))
}
