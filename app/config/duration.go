package config

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration that is also written with days: "365d", "1d12h".
type Duration time.Duration

// mostDays is the most whole days that a time.Duration holds.
const mostDays = int64(math.MaxInt64 / (24 * time.Hour))

// UnmarshalText reads a duration such as "1s", "24h" or "365d". It fails with a negative one.
func (d *Duration) UnmarshalText(text []byte) error {
	s := string(text)
	var days time.Duration
	if head, tail, found := strings.Cut(s, "d"); found {
		n, err := strconv.ParseInt(head, 10, 32)
		if err != nil {
			return fmt.Errorf("duration %q: want a number of days before the d", s)
		}
		if n < 0 || n > mostDays {
			return fmt.Errorf("duration %q: want 0 to %d days", s, mostDays)
		}
		days, s = time.Duration(n)*24*time.Hour, cmp.Or(tail, "0")
	}
	rest, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("duration %q: want a number with a unit, such as \"10s\", \"24h\" or \"365d\"", text)
	}
	if days+rest < 0 {
		return fmt.Errorf("duration %q: must not be negative", text)
	}
	*d = Duration(days + rest)
	return nil
}

// String returns the duration as a file has it.
func (d Duration) String() string {
	text, err := d.MarshalText()
	if err != nil {
		return time.Duration(d).String()
	}
	return string(text)
}

// MarshalText writes whole days as days.
func (d Duration) MarshalText() ([]byte, error) {
	const day = Duration(24 * time.Hour)
	if d != 0 && d%day == 0 {
		return fmt.Appendf(nil, "%dd", d/day), nil
	}
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return []byte(s), nil
}
