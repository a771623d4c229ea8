package statistics

import (
	"encoding/json"
	"math"
)

// lineOf returns a line through places, [longitude, latitude] each. One that crosses 180° is cut there, as RFC 7946 (3.1.9) wants it.
func lineOf(points []any) *geometry {
	lines := cutAtMeridian(points)
	if len(lines) == 1 {
		return &geometry{"LineString", lines[0]}
	}
	return &geometry{"MultiLineString", lines}
}

// cutAtMeridian cuts a line where a leg, which runs the shorter way round, crosses 180°. Each line has two places at least.
func cutAtMeridian(points []any) (lines [][]any) {
	line := points[:1:1]
	end := func() {
		if len(line) > 1 {
			lines = append(lines, line)
		}
	}
	for i, to := range points[1:] {
		lon, lat := degreesOf(points[i])
		nextLon, nextLat := degreesOf(to)
		if way := nextLon - lon; math.Abs(way) > 180 {
			side := math.Copysign(180, lon)
			there := lat + (nextLat-lat)*(side-lon)/(way+2*side)
			if lon != side {
				line = append(line, placeValue(side, there))
			}
			end()
			if line = nil; nextLon != -side {
				line = append(line, placeValue(-side, there))
			}
		}
		line = append(line, to)
	}
	end()
	if lines == nil { // from one side of the meridian itself to the other
		lines = [][]any{points}
	}
	return lines
}

// placeValue returns a place as a record writes it, to a centimetre or so.
func placeValue(lon, lat float64) any { return []any{lon, math.Round(lat*1e7) / 1e7} }

// degreesOf reads a place.
func degreesOf(place any) (lon, lat float64) {
	both, _ := place.([]any)
	if len(both) != 2 {
		return 0, 0
	}
	return readNumber(both[0]), readNumber(both[1])
}

// readNumber reads a number of a record, or of a port.
func readNumber(of any) float64 {
	switch n := of.(type) {
	case float64:
		return n
	case json.Number:
		f, _ := n.Float64()
		return f
	}
	return 0
}
