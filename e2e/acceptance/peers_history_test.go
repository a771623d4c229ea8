package acceptance

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"quaywatch/geo"
)

// The history that this program and its peers are asked about: 2,000 ships between 20 ports, a position a minute for 41 hours and 40 minutes, which
// makes five million. Questions are about one day of it.
const (
	peerShips   = 2000
	peerMinutes = 2500
)

// peerBegin returns the first minute of the history.
func peerBegin() time.Time { return time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC) }

// peerDay returns the day that is asked: from <= time < to.
func peerDay() (from, to time.Time) {
	return peerBegin().Add(6 * time.Hour), peerBegin().Add(30 * time.Hour)
}

// ferry is a ship that sails straight from port to port, and rests in each for some hours.
type ferry struct {
	at, to geo.Point
	knots  float64
	rests  int // minutes
}

// sail moves the ship on by a minute, and returns its speed in knots and its course in degrees.
func (f *ferry) sail(r *rand.Rand, ports []geo.Point) (sog, cog float64) {
	if f.rests > 0 {
		if f.rests--; f.rests == 0 {
			f.to, f.knots = ports[r.IntN(len(ports))], 8+8*r.Float64()
		}
		return 0, 0
	}
	east, north := (f.to.Lon-f.at.Lon)*math.Cos(f.at.Lat*math.Pi/180), f.to.Lat-f.at.Lat
	far, step := math.Hypot(east, north), f.knots/60/60 // in degrees of latitude
	if far <= step {
		f.rests = 60 + r.IntN(300)
		return 0, 0
	}
	f.at.Lon += (f.to.Lon - f.at.Lon) * step / far
	f.at.Lat += (f.to.Lat - f.at.Lat) * step / far
	return f.knots, math.Mod(math.Atan2(east, north)*180/math.Pi+360, 360)
}

// peerSea is the sea of the history at a minute.
type peerSea struct {
	random *rand.Rand
	ports  []geo.Point
	ships  []ferry
	minute int
}

// newPeerSea begins with all ships on their way, all over the sea.
func newPeerSea() *peerSea {
	s := &peerSea{random: rand.New(rand.NewPCG(2026, 3)), ports: make([]geo.Point, 20), ships: make([]ferry, peerShips)}
	place := func() geo.Point { return geo.Point{Lon: 1 + 6*s.random.Float64(), Lat: 52 + 4*s.random.Float64()} }
	for i := range s.ports {
		s.ports[i] = place()
	}
	for i := range s.ships {
		s.ships[i] = ferry{at: place(), to: s.ports[s.random.IntN(len(s.ports))], knots: 8 + 8*s.random.Float64()}
	}
	return s
}

// write writes the next minutes as CSV with the columns mmsi, time in Unix seconds, lat, lon, sog and cog, in the order of time.
func (s *peerSea) write(b *testing.B, path string, minutes int) (rows int) {
	b.Helper()
	file, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	defer file.Close()
	out := bufio.NewWriterSize(file, 1<<20)
	fmt.Fprintln(out, "mmsi,time,lat,lon,sog,cog")
	for range minutes {
		at := peerBegin().Unix() + int64(s.minute)*60
		for i := range s.ships {
			sog, cog := s.ships[i].sail(s.random, s.ports)
			fmt.Fprintf(out, "%d,%d,%.6f,%.6f,%.1f,%.1f\n", 219000000+i, at, s.ships[i].at.Lat, s.ships[i].at.Lon, sog, cog)
			rows++
		}
		s.minute++
	}
	if err := out.Flush(); err != nil {
		b.Fatal(err)
	}
	return rows
}

// writePorts writes the ports of the sea as a World Port Index: each gets the border that a port has without one.
func (s *peerSea) writePorts(b *testing.B, path string) {
	b.Helper()
	text := "World Port Index Number,Main Port Name,Latitude,Longitude\n"
	for i, p := range s.ports {
		text += fmt.Sprintf("%d,PEER %d,%f,%f\n", 900000+i, i, p.Lat, p.Lon)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		b.Fatal(err)
	}
}
