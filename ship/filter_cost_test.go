package ship_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"quaywatch/geo"
	"quaywatch/ship"
)

// A filter may ask so much of each ship: hundreds of numbers, a hundred names, but neither a thousand wildcards nor the same comb twice.
func TestAFilterThatAsksTooMuchIsRefused(t *testing.T) {
	var comb []geo.Point
	for i := range 9000 {
		comb = append(comb, geo.Point{Lon: float64(i % 2), Lat: 50 + float64(i)/9000})
	}
	area := geo.NewArea(geo.Polygon{append(comb, comb[0])})
	names := ship.Lookup{
		Shape:    func(string) (*geo.Area, bool) { return area, true },
		ShipList: func(string) (func(*ship.State) bool, bool) { return nil, true },
	}
	many := func(format, join string, count int) string {
		var terms []string
		for i := range count {
			terms = append(terms, fmt.Sprintf(format, i))
		}
		return strings.Join(terms, join)
	}
	for text, want := range map[string]bool{
		"mmsi in (" + many("219%06d", ",", 390) + ")": true,
		many("imo = 9%06d", "|", 240):                 true,
		many("MAERSK%d*", "|", 60):                    true,
		many("name = \"STENA %d\"", "|", 150):         true,
		many("shiplist=L%d", "|", 250):                true,
		"pos within shape(Comb)":                      true,
		"pos within shape(Comb)|pos within shape(C)":  false,
		strings.Repeat("*q|", 1332) + "*q":            false,
		many("*%d*", "|", 600):                        false,
	} {
		_, err := ship.ParseFilter(text, names)
		var syntax *ship.SyntaxError
		if refused := errors.As(err, &syntax) && syntax.Rule.Word == "filter_costly"; refused == want || refused != (err != nil) {
			t.Errorf("%.40s…: %v", text, err)
		}
	}
}
