// Package sixbit says which texts a safety message can have: the characters that AIS has a code for, and as many of them as fit.
package sixbit

import (
	"fmt"
	"strings"

	"quaywatch/internal/rule"
)

// The most characters of a text (ITU-R M.1371-5, five slots).
const (
	MostAddressed = 156 // AIS message 12
	MostBroadcast = 161 // AIS message 14
)

// mostNamed is how many forbidden characters an error names.
const mostNamed = 10

// Most returns how many characters a text may have.
func Most(broadcast bool) int {
	if broadcast {
		return MostBroadcast
	}
	return MostAddressed
}

// Check returns the text as it goes on air: in capital letters, without blanks around it. The error names what may not be in it, each with its place.
func Check(text string, broadcast bool) (string, error) {
	var forbidden []string
	raised := make([]byte, 0, min(len(text), MostBroadcast))
	place := 0
	for _, r := range text {
		place++
		if c, ok := raise(r); ok {
			raised = append(raised, c)
		} else if len(forbidden) < mostNamed {
			forbidden = append(forbidden, fmt.Sprintf("%q (%d)", r, place))
		}
	}
	if len(forbidden) > 0 {
		return "", rule.New("safety_characters", "has characters that AIS does not have, each with its place: {characters}", "characters", strings.Join(forbidden, ", "))
	}
	tidy := strings.Trim(string(raised), " ")
	if tidy == "" {
		return "", rule.New("safety_empty", "must not be empty")
	}
	if most := Most(broadcast); len(tidy) > most {
		return "", rule.New("safety_long", "has {count} characters, and AIS carries {max}", "count", len(tidy), "max", most)
	}
	return tidy, nil
}

// Fit returns what can be sent of any text: other characters become question marks, and what does not fit is left out.
func Fit(text string, broadcast bool) string {
	fitted := make([]byte, 0, min(len(text), MostBroadcast))
	for _, r := range text {
		c, ok := raise(r)
		if !ok {
			c = '?'
		}
		fitted = append(fitted, c)
		if len(fitted) == Most(broadcast) {
			break
		}
	}
	return strings.Trim(string(fitted), " ")
}

// raise returns the character as AIS has it. '@' ends a text on the air, so it is none.
func raise(r rune) (c byte, ok bool) {
	switch {
	case r >= 'a' && r <= 'z':
		return byte(r) - 'a' + 'A', true
	case r < ' ' || r > '_' || r == '@':
		return 0, false
	}
	return byte(r), true
}
