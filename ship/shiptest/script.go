// Package shiptest reads scenarios of ships: scripts that a seafarer without Go can read and write. It is
// for tests only.
//
// A script is lines; what follows a # is a comment.
//
//	ship 211000001 "ANNA" cargo draught 6.2         a ship: MMSI, name, group of types or type code, draught in metres
//	12:00:00  ANNA  54.42,10.185  21 kn  090  moored  a report: latitude, longitude, and if known SOG, COG and status
//	tick      12:40:00                              time passes
//	expect    12:02:10  Kiel  active  ANNA          what the test is to have seen; the words are the test's own
//
// Any other line is handed to the test as it is. Times go on over midnight.
package shiptest

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/ais"
)

// Kind tells what a step is.
type Kind uint8

// The kinds of step.
const (
	Report Kind = iota // Step.Report is heard
	Tick               // it is Step.At
	Expect             // Step.Words should have been seen
	Other              // Step.Words are for the test
)

// Step is one line of a script.
type Step struct {
	Line   int
	Kind   Kind
	At     time.Time
	Report ais.Report
	Words  []string
}

// Script is a scenario.
type Script struct {
	Steps []Step
	Names map[ais.MMSI]string
}

// reader reads a script line by line.
type reader struct {
	script Script
	mmsis  map[string]ais.MMSI
	silent []ais.Message // of ships whose static data was not yet sent
	now    time.Time
	line   int
}

// Read reads a script. An error names the line.
func Read(from io.Reader) (*Script, error) {
	r := reader{
		script: Script{Names: map[ais.MMSI]string{}}, mmsis: map[string]ais.MMSI{},
		now: time.Date(2026, 11, 20, 0, 0, 0, 0, time.UTC),
	}
	lines := bufio.NewScanner(from)
	for lines.Scan() {
		r.line++
		text, _, _ := strings.Cut(lines.Text(), "#")
		if words := splitWords(text); len(words) > 0 {
			if err := r.readStep(words); err != nil {
				return nil, fmt.Errorf("line %d: %w", r.line, err)
			}
		}
	}
	return &r.script, lines.Err()
}

// splitWords cuts a line into words; blanks within quotes belong to the word.
func splitWords(text string) []string {
	quoted := false
	words := strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && (r == ' ' || r == '\t')
	})
	for i := range words {
		words[i] = strings.Trim(words[i], `"`)
	}
	return words
}

func (r *reader) readStep(words []string) error {
	switch words[0] {
	case "ship":
		return r.readShip(words[1:])
	case "tick":
		if len(words) != 2 {
			return fmt.Errorf("tick takes a time")
		}
		if err := r.setClock(words[1]); err != nil {
			return err
		}
		r.add(Step{Kind: Tick})
		return nil
	case "expect":
		r.add(Step{Kind: Expect, Words: words[1:]})
		return nil
	}
	if strings.Count(words[0], ":") == 2 {
		return r.readReport(words)
	}
	r.add(Step{Kind: Other, Words: words})
	return nil
}

func (r *reader) add(s Step) {
	s.Line, s.At = r.line, r.now
	r.script.Steps = append(r.script.Steps, s)
}

// addMessage adds a message that is received now. The hash is that of nothing on the air: no step is a duplicate.
func (r *reader) addMessage(m ais.Message) {
	r.add(Step{Kind: Report, Report: ais.Report{Message: m, Received: r.now, Feed: "script"}})
}

func (r *reader) readShip(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("a ship has an MMSI and a name")
	}
	mmsi, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return fmt.Errorf("MMSI %q: %w", words[0], err)
	}
	said := &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: ais.MMSI(mmsi)}, Name: words[1]}
	for i := 2; i < len(words); i++ {
		switch code, known := typeCode(words[i]); {
		case words[i] == "draught" && i+1 < len(words):
			i++
			metres, err := strconv.ParseFloat(words[i], 64)
			if err != nil {
				return fmt.Errorf("draught %q: %w", words[i], err)
			}
			said.Draught = ais.Decimetres(metres*10 + 0.5)
		case known:
			said.ShipType = code
		default:
			return fmt.Errorf("unknown word %q", words[i])
		}
	}
	r.mmsis[said.Name] = said.MMSI
	r.script.Names[said.MMSI] = said.Name
	r.silent = append(r.silent, said)
	return nil
}

// typeCode returns the plain code of a group of ship types, or the code itself.
func typeCode(word string) (ais.ShipType, bool) {
	groups := []string{"fishing", "dredger", "diving", "military", "sailing", "pleasure", "hsc", "pilot", "sar", "tug", "law", "passenger", "cargo", "tanker"}
	codes := []ais.ShipType{30, 33, 34, 35, 36, 37, 40, 50, 51, 52, 55, 60, 70, 80}
	if i := slices.Index(groups, word); i >= 0 {
		return codes[i], true
	}
	n, err := strconv.ParseUint(word, 10, 8)
	return ais.ShipType(n), err == nil
}

// setClock sets the time; one that lies before the last is of the next day.
func (r *reader) setClock(word string) error {
	t, err := time.Parse("15:04:05", word)
	if err != nil {
		return fmt.Errorf("time %q: want HH:MM:SS", word)
	}
	day := time.Date(r.now.Year(), r.now.Month(), r.now.Day(), t.Hour(), t.Minute(), t.Second(), 0, time.UTC)
	if day.Before(r.now) {
		day = day.AddDate(0, 0, 1)
	}
	r.now = day
	return nil
}

func (r *reader) readReport(words []string) error {
	if len(words) < 3 {
		return fmt.Errorf("a report has a time, a ship and a place")
	}
	if err := r.setClock(words[0]); err != nil {
		return err
	}
	mmsi, ok := r.mmsis[words[1]]
	if !ok {
		return fmt.Errorf("unknown ship %q", words[1])
	}
	said := &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: mmsi}}
	if err := setPlace(said, words[2]); err != nil {
		return err
	}
	if err := setMotion(said, words[3:]); err != nil {
		return err
	}
	r.addMessage(said)
	for i, m := range r.silent {
		if m.Head().MMSI == mmsi {
			r.addMessage(m)
			r.silent = slices.Delete(r.silent, i, i+1)
			break
		}
	}
	return nil
}

func setPlace(said *ais.PositionReport, word string) error {
	lat, lon, _ := strings.Cut(word, ",")
	y, errY := strconv.ParseFloat(lat, 64)
	x, errX := strconv.ParseFloat(lon, 64)
	if errY != nil || errX != nil {
		return fmt.Errorf("place %q: want latitude,longitude", word)
	}
	said.Place = ais.Place{Lon: int32(x / ais.PlaceUnit), Lat: int32(y / ais.PlaceUnit)}
	return nil
}

// setMotion reads "21 kn", "090" and a status.
func setMotion(said *ais.PositionReport, words []string) error {
	statuses := []string{"under_way", "anchored", "nuc", "restricted", "cbd", "moored", "aground", "fishing", "sailing"}
	for i, word := range words {
		n, err := strconv.ParseFloat(word, 64)
		status := slices.Index(statuses, word)
		switch {
		case word == "kn" && i > 0:
		case status >= 0:
			said.Status = ais.NavStatus(status)
		case err != nil:
			return fmt.Errorf("unknown word %q", word)
		case i+1 < len(words) && words[i+1] == "kn":
			said.SOG = ais.SOGTenths(int(n*10 + 0.5))
		default:
			said.COG = ais.COGTenths(int(n*10 + 0.5))
		}
	}
	return nil
}
