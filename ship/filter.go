package ship

import (
	"fmt"
	"time"

	"quaywatch/geo"
	"quaywatch/rule"
)

// Filter picks ships. It is parsed once and may be used by several goroutines.
type Filter struct {
	text  string
	match predicate
}

// predicate tells whether a ship is picked, at a time that hour, dow and age are measured by.
type predicate func(s *State, now time.Time) bool

// Lookup finds what a filter names outside the ship. A nil function knows no name.
type Lookup struct {
	ShipList func(name string) (func(*State) bool, bool)
	Shape    func(name string) (geo.Shape, bool)
	Port     func(name string) (func(*State) bool, bool)
}

// SyntaxError tells what is wrong with a filter and where.
type SyntaxError struct {
	Offset int // characters before the place, from 0
	Rule   *rule.Rule
}

// Error gives the rule with its place.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("filter, character %d: %v", e.Offset, e.Rule)
}

// Unwrap gives the rule with its place.
func (e *SyntaxError) Unwrap() error {
	return rule.New("filter", "filter, character {offset}: {problem}", "offset", e.Offset, "problem", e.Rule)
}

// MaxFilter is how many characters a filter may have.
const MaxFilter = 4000

// String gives the text of the filter.
func (f *Filter) String() string { return f.text }

// Match tells whether the filter picks s; now is the time that age, hour and dow are measured by. A nil Filter picks
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
	return &Filter{text: text, match: match}, nil
}
