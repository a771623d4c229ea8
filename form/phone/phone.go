// Package phone reads telephone numbers as people write them.
package phone

import "strings"

// Number is a telephone number as E.164 has it: + and 7 to 15 digits.
type Number string

// Parse reads a number with its country. Spaces and the signs - . ( ) / between the digits are left out.
func Parse(text string) (n Number, ok bool) {
	digits, international := strings.CutPrefix(strings.TrimSpace(text), "+")
	if !international || len(text) > 40 {
		return "", false
	}
	digits = strings.NewReplacer(" ", "", "-", "", ".", "", "(", "", ")", "", "/", "").Replace(digits)
	if len(digits) < 7 || len(digits) > 15 || digits[0] == '0' || strings.Trim(digits, "0123456789") != "" {
		return "", false
	}
	return Number("+" + digits), true
}

// Digits returns the number without its plus.
func (n Number) Digits() string { return strings.TrimPrefix(string(n), "+") }
