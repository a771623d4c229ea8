package rows

import (
	"math"
	"strconv"
)

// powers are the powers of ten that a float64 holds exactly.
var powers = [...]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// parseNumber reads a decimal number; with comma its decimal point may be one.
func parseNumber(b []byte, comma bool) (float64, bool) {
	negative := len(b) > 0 && b[0] == '-'
	digits := b
	if negative || len(b) > 0 && b[0] == '+' {
		digits = b[1:]
	}
	var mantissa uint64
	point, seen := -1, 0
	for i, c := range digits {
		switch {
		case c >= '0' && c <= '9' && seen < 18:
			mantissa = mantissa*10 + uint64(c-'0')
			seen++
		case (c == '.' || comma && c == ',') && point < 0:
			point = i
		default:
			return slowNumber(b)
		}
	}
	if seen == 0 {
		return 0, false
	}
	v := float64(mantissa)
	if point >= 0 {
		v /= powers[len(digits)-1-point]
	}
	if negative {
		v = -v
	}
	return v, true
}

// slowNumber reads a number with an exponent, or with more digits than count.
func slowNumber(b []byte) (float64, bool) {
	if len(b) > 40 {
		return 0, false
	}
	v, err := strconv.ParseFloat(string(b), 64)
	return v, err == nil && !math.IsNaN(v) && !math.IsInf(v, 0)
}

// parseWhole reads a number without a sign that may end in ".0", as some programs write integers.
func parseWhole(b []byte) (n int64, ok bool) {
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9' && i < 18:
			n = n*10 + int64(c-'0')
		case c == '.' && i > 0:
			return n, zeros(b[i+1:])
		default:
			return 0, false
		}
	}
	return n, len(b) > 0
}

func zeros(b []byte) bool {
	for _, c := range b {
		if c != '0' {
			return false
		}
	}
	return true
}

// absent tells that a value is not there: nothing, or a word that programs write for it.
func absent(b []byte) bool {
	switch {
	case len(b) == 0:
		return true
	case b[0] >= '0' && b[0] <= '9' || len(b) > 13:
		return false
	}
	switch string(b) {
	case "-", `\N`, "NULL", "null", "Null", "None", "none", "NaN", "nan", "NAN", "N/A", "n/a", "NA", "Unknown", "unknown", "UNKNOWN",
		"Unknown value", "Undefined", "undefined", "UNDEFINED":
		return true
	}
	return false
}
