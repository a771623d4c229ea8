package ship

import (
	"errors"
	"fmt"
	"time"

	"quaywatch/geo"
	"quaywatch/internal/rule"
)

// Filter picks ships. It is parsed once and may be used by several goroutines.
type Filter struct {
	text   string
	match  predicate
	timely bool
}

// predicate reports whether a ship is picked, at a time that hour, dow and age are measured by.
type predicate func(s *State, now time.Time) bool

// Lookup finds what a filter names outside the ship. A nil function knows no name.
type Lookup struct {
	ShipList func(name string) (func(*State) bool, bool)
	Moving   func(list string) bool // tells whether the ships of a ship list change by themselves, as those inside of an area do
	Shape    func(name string) (*geo.Area, bool)
	Port     func(name string) (func(s *State, now time.Time) bool, bool) // tells whether a ship is in that port at a time

	// Bound finds a port or country, and reports whether a destination that a crew typed is that.
	Bound func(name string) (func(destination string) bool, bool)

	// Call returns what tells of the call that a ship has at a time; false for none. An error says what right is missing for what is asked.
	Call func(asked CallPart) (func(s *State, now time.Time) (OpenCall, bool), error)

	// Berth finds the berths whose name matches; false for none.
	Berth func(match func(name string) bool) (func(port uint64, berth int64) bool, bool)
}

// CallPart is what a filter asks of a call.
type CallPart uint8

// The parts of a call.
const (
	CallPort    CallPart = iota // whether there is one
	CallStay                    // how the ship lies, and at which berth
	CallArrival                 // when it came
)

// OpenCall is a call at a port that goes on, as far as filters ask for it.
type OpenCall struct {
	Port    uint64
	Stay    LyingState
	Berth   int64 // where the ship lies alongside; 0 for none of the list
	Arrived int64 // Unix milliseconds of the arrival; 0 when it is not known
}

// LyingState is how a ship lies in port.
type LyingState uint8

// The ways in which a ship lies in port.
const (
	Shifting  LyingState = iota // it moves
	Waiting                     // at anchor, or otherwise at rest where no quay is
	Alongside                   // at a berth
)

// SyntaxError tells what is wrong with a filter and where.
type SyntaxError struct {
	Offset int // characters before the place, from 0
	Rule   *rule.Rule
}

// Error returns the rule with its place.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("filter, character %d: %v", e.Offset, e.Rule)
}

// FilterRule is the word of the rule of a SyntaxError. Its params are the offset and the problem.
const FilterRule = "filter"

// Unwrap returns the rule with its place.
func (e *SyntaxError) Unwrap() error {
	return rule.New("filter", "filter, character {offset}: {problem}", "offset", e.Offset, "problem", e.Rule)
}

// Bounds of a filter. Its cost is how much it asks of each ship. The unit is the comparison of a number, about five nanoseconds.
const (
	MaxFilter     = 4000 // characters
	MaxFilterCost = 10_000
)

// Costs of what a filter may ask of a ship.
const (
	costNumber = 2  // to find a number
	costText   = 6  // to compare a text, letter by letter
	costWild   = 20 // to compare a text with wildcards, and for each of their letters:
	costLetter = 4
	costDigits = 6 // to write a number as text
	costMember = 20
	costFeeds  = 4 // feeds of a ship
)

// TooCostly is the rule of filters that ask too much of each ship.
func TooCostly(cost int) *rule.Rule {
	return rule.New("filter_costly", "asks too much of each ship: {cost} of at most {max}; use fewer wildcards, or shapes with fewer edges above one another",
		"cost", cost, "max", MaxFilterCost)
}

// IsCostly reports whether an error of ParseFilter is TooCostly.
func IsCostly(err error) bool {
	var syntax *SyntaxError
	return errors.As(err, &syntax) && syntax.Rule.Word == "filter_costly"
}

// String returns the text of the filter.
func (f *Filter) String() string { return f.text }

// Timely reports whether time alone may change which ships the filter picks: it asks for an age, an hour or a day of the week.
func (f *Filter) Timely() bool { return f != nil && f.timely }

// Match reports whether the filter picks s; now is the time that age, hour and dow are measured by. A nil Filter picks
// every ship.
func (f *Filter) Match(s *State, now time.Time) bool {
	return f == nil || f.match == nil || f.match(s, now)
}

// ParseFilter reads the filter language. The empty text picks every ship. Every error is a *SyntaxError.
func ParseFilter(text string, env Lookup) (*Filter, error) {
	p := filterParser{text: text, env: env}
	match, err := p.parse()
	if err != nil {
		return nil, err
	}
	return &Filter{text: text, match: match, timely: p.timely}, nil
}
