package filter

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Schema returns the keys of the set as the contract describes them. It has a line of YAML for each, made of the table by which values are checked.
func (s KnownKeys) Schema() []string {
	rules := s.rules()
	var lines []string
	for _, key := range slices.Sorted(maps.Keys(rules)) {
		lines = append(lines, key+": {"+rules[key].schema()+"}")
	}
	return lines
}

// schema returns the form of a key with its unit and what counts where it is not set.
func (k keyRule) schema() string {
	text := k.form
	if k.usual != "" {
		text += ", default: " + k.usual
	}
	var said []string
	if k.unit != "" {
		said = append(said, k.unit)
	}
	if k.meaning != "" {
		said = append(said, "not set: "+k.meaning)
	}
	if len(said) > 0 {
		text += fmt.Sprintf(", description: '%s'", strings.Join(said, "; "))
	}
	return text
}
