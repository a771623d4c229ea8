package rows

import (
	"slices"
	"strings"
)

// layout is what is special about the files of one publisher.
type layout struct {
	name, special string
	has           string // columns by which it is known, letters and digits in lower case
	capitals      bool   // they are written in capitals
	order         order
	sogPer        float64 // 10 when speeds are tenths of a knot
	wraps         bool    // negative speeds and courses have lost 102.4 and 409.6
	turns         bool    // rates of turn are degrees a minute
	altitude      bool    // the heading of a SAR aircraft is its altitude
	quotes        bool    // texts that begin like a formula have an apostrophe before them
}

// layouts returns all layouts, in the order in which they are tried.
func layouts() []layout {
	return []layout{
		{name: "noaa", has: "mmsi basedatetime", order: monthFirst, sogPer: 1, wraps: true,
			special: "NOAA MarineCadastre: types 1001 to 1025 of the Coast Guard; speeds and courses below 0 are mended"},
		{name: "dma", has: "typeofmobile mmsi", order: dayFirst, sogPer: 1, turns: true,
			special: "Danish Maritime Authority: the day comes first, ROT in degrees a minute"},
		{name: "marinetraffic", has: "mmsi lat lon speed course timestamp", capitals: true, sogPer: 10, altitude: true,
			special: "MarineTraffic: SPEED in tenths of a knot"},
		{name: "quaywatch", has: "mmsi time longitude latitude navstatus rot", sogPer: 1, quotes: true, special: "our own export"},
		{name: "aishub", has: "mmsi tstamp latitude longitude navstat", capitals: true, sogPer: 1, special: "AISHub"},
		{name: "spire", has: "mmsi timestamp msgtype collectiontype", sogPer: 1, special: "Spire Maritime"},
		{name: "plain", sogPer: 1, special: "columns by their usual names; knots, degrees and UTC"},
	}
}

// Layouts returns the names of the layouts that are told apart, the last one for all others.
func Layouts() []string {
	var names []string
	for _, l := range layouts() {
		names = append(names, l.name)
	}
	return names
}

// layoutOf finds the layout of a name, or else that of a header.
func layoutOf(name string, header []string) *layout {
	for _, l := range layouts() {
		if l.name == name || name == "" && l.fits(header) {
			return &l
		}
	}
	return nil
}

func (l *layout) fits(header []string) bool {
	for column := range strings.FieldsSeq(l.has) {
		at := slices.IndexFunc(header, func(h string) bool { return letters(h) == column })
		if at < 0 || l.capitals && header[at] != strings.ToUpper(header[at]) {
			return false
		}
	}
	return true
}
