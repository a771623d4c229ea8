// Package passage is the table of the named waters of the earth: canals and straits, with what they let through. A person edits the table,
// passages.txt; its head says how. It opens nothing.
package passage

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"quaywatch/geo"
)

//go:embed passages.txt
var table string

//go:embed shallows.txt
var shallows string

// Most bounds the number of passages: a set of them is the bits of a number.
const Most = 64

// Passage is a named water.
type Passage struct {
	Name    string
	Aliases []string
	Gates   [][]geo.Point // lines across it; a leg that crosses one goes through the passage
	Chain   []geo.Point   // the middle of a canal, from end to end; none where the chart has the water open
	Limits  Size          // the largest ship that it lets through
	Small   bool          // it takes no ship of 5,000 t: only one that is known to fit goes through
	Shut    bool          // unless a user opens it
	Flat    bool          // no channel: ships keep off it without being told, and take it only where they fit or no other way leads
	South   float64       // degrees of latitude; a way with an end south of it may take the passage in any case; 0 is none
	Source  string        // of the limits

	keys []string // of its names, as Find compares them
}

// All returns the embedded tables: canals and straits, then shallows.
func All() ([]Passage, error) { return parse(table, shallows) }

// parse reads tables, one after another.
func parse(texts ...string) (all []Passage, err error) {
	all = make([]Passage, 0, Most)
	for _, text := range texts {
		if all, err = appendTable(all, text); err != nil {
			return nil, err
		}
	}
	for i := range all {
		for _, name := range append([]string{all[i].Name}, all[i].Aliases...) {
			all[i].keys = append(all[i].keys, nameKey(name))
		}
	}
	return all, checkTable(all)
}

// appendTable reads one table.
func appendTable(all []Passage, text string) ([]Passage, error) {
	number := 0
	for line := range strings.Lines(text) {
		number++
		if line = strings.TrimRight(line, " \t\r\n"); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if !strings.HasPrefix(line, " ") {
			all = append(all, Passage{Name: line})
			continue
		}
		if len(all) == 0 {
			return nil, fmt.Errorf("passages: line %d: a name comes first", number)
		}
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if err := all[len(all)-1].setKey(key, strings.TrimSpace(value)); err != nil {
			return nil, fmt.Errorf("passages: line %d: %w", number, err)
		}
	}
	return all, nil
}

// checkTable tells what is wrong with a table as a whole.
func checkTable(all []Passage) error {
	if len(all) > Most {
		return fmt.Errorf("passages: there are %d, at most %d can be", len(all), Most)
	}
	seen := map[string]bool{}
	for _, p := range all {
		if len(p.Gates) == 0 {
			return fmt.Errorf("passages: %s has no gate", p.Name)
		}
		for _, k := range p.keys {
			if seen[k] {
				return fmt.Errorf("passages: the name %s stands there twice", k)
			}
			seen[k] = true
		}
	}
	return nil
}

func (p *Passage) setKey(key, value string) (err error) {
	var points []geo.Point
	switch key {
	case "also":
		for alias := range strings.SplitSeq(value, ",") {
			p.Aliases = append(p.Aliases, strings.TrimSpace(alias))
		}
	case "draught":
		p.Limits.Draught, err = parseMetres(key, value)
	case "length":
		p.Limits.Length, err = parseMetres(key, value)
	case "beam":
		p.Limits.Beam, err = parseMetres(key, value)
	case "air":
		p.Limits.Air, err = parseMetres(key, value)
	case "small":
		p.Small = true
	case "source":
		p.Source = value
	case "south":
		p.South, err = strconv.ParseFloat(value, 64)
		if err == nil && !(p.South > -90 && p.South < 0) {
			err = fmt.Errorf("south %s is not between -90 and 0 degrees", value)
		}
	case "shut":
		p.Shut = true
	case "flat":
		p.Flat = true
	case "gate":
		points, err = parsePoints(value)
		p.Gates = append(p.Gates, points)
	case "chain":
		points, err = parsePoints(value)
		p.Chain = append(p.Chain, points...)
	default:
		err = fmt.Errorf("%q is not known", key)
	}
	return err
}

// parseMetres reads a limit of the size of a ship.
func parseMetres(key, value string) (float64, error) {
	metres, err := strconv.ParseFloat(value, 64)
	if err == nil && !(metres > 0 && metres < 1000) {
		err = fmt.Errorf("%s %s is not between 0 and 1000 m", key, value)
	}
	return metres, err
}

// parsePoints reads "lon lat, lon lat".
func parsePoints(text string) ([]geo.Point, error) {
	points := make([]geo.Point, 0, strings.Count(text, ",")+1)
	for pair := range strings.SplitSeq(text, ",") {
		words := strings.Fields(pair)
		if len(words) != 2 {
			return nil, fmt.Errorf("%q is not a longitude and a latitude", pair)
		}
		lon, err := strconv.ParseFloat(words[0], 64)
		if err != nil {
			return nil, err
		}
		lat, err := strconv.ParseFloat(words[1], 64)
		if err != nil {
			return nil, err
		}
		if p := (geo.Point{Lon: lon, Lat: lat}); p.Valid() {
			points = append(points, p)
			continue
		}
		return nil, fmt.Errorf("%q is not on the earth", pair)
	}
	if len(points) < 2 {
		return nil, fmt.Errorf("%q has less than two points", text)
	}
	return points, nil
}

// CrossedBy reports whether a leg goes over a gate of the passage. Both run straight in degrees, so a leg is handed over in short pieces.
func (p *Passage) CrossedBy(a, b geo.Point) bool {
	return slices.ContainsFunc(p.Gates, func(gate []geo.Point) bool { return geo.Line(gate).CrossedBy(a, b) })
}

// Lines reads lines as those of gates in the table, with semicolons between them.
func Lines(text string) (lines [][]geo.Point, err error) {
	for line := range strings.SplitSeq(text, ";") {
		points, err := parsePoints(line)
		if err != nil {
			return nil, err
		}
		lines = append(lines, points)
	}
	return lines, nil
}
