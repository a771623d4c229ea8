package form

import (
	"strconv"
	"strings"
	"time"

	"quaywatch/rule"
)

// ParseTime reads an ISO 8601 time as the interface takes it: without a zone it is UTC, a date alone its midnight.
func ParseTime(text string) (time.Time, error) {
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", time.DateTime,
		time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, rule.New("time", "must be a time as 2026-11-20T09:43:05Z or a date as 2026-11-20")
}

// ParseDuration reads HH:MM:SS with any number of hours, or an ISO 8601 duration of weeks, days, hours, minutes and seconds.
func ParseDuration(text string) (time.Duration, error) {
	wrong := rule.New("duration", "must be a duration as 24:00:00 or P1D")
	if rest, ok := strings.CutPrefix(text, "P"); ok {
		d, ok := isoDuration(rest)
		if !ok {
			return 0, wrong
		}
		return d, nil
	}
	parts := strings.Split(text, ":")
	if len(parts) != 3 {
		return 0, wrong
	}
	var n [3]int
	for i, part := range parts {
		v, err := strconv.ParseUint(part, 10, 20)
		if err != nil || len(part) < 2 || i > 0 && (v > 59 || len(part) != 2) {
			return 0, wrong
		}
		n[i] = int(v)
	}
	return time.Duration(n[0])*time.Hour + time.Duration(n[1])*time.Minute + time.Duration(n[2])*time.Second, nil
}

// longestDuration bounds each part of a duration, so that their sum is one: a century.
const longestDuration = 100 * 365 * 24 * time.Hour

type isoUnit struct {
	letter byte
	length time.Duration
}

// isoDuration reads what follows the P. Years and months have no fixed length and are not taken.
func isoDuration(text string) (d time.Duration, ok bool) {
	date, clock, hasClock := strings.Cut(text, "T")
	if hasClock && clock == "" || text == "" {
		return 0, false
	}
	for _, part := range [...]struct {
		text  string
		units []isoUnit
	}{
		{date, []isoUnit{{'W', 7 * 24 * time.Hour}, {'D', 24 * time.Hour}}},
		{clock, []isoUnit{{'H', time.Hour}, {'M', time.Minute}, {'S', time.Second}}},
	} {
		rest := part.text
		for _, u := range part.units {
			if value, after, found := strings.Cut(rest, string(u.letter)); found {
				n, err := strconv.ParseUint(value, 10, 20)
				if err != nil || time.Duration(n) > longestDuration/u.length {
					return 0, false
				}
				d, rest = d+time.Duration(n)*u.length, after
			}
		}
		if rest != "" {
			return 0, false
		}
	}
	return d, true
}
