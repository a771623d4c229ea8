package form

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"quaywatch/internal/rule"
)

// ParseTime reads an ISO 8601 time as the interface takes it: without a zone it is UTC, a date alone its midnight. A blank may stand in the place of the T,
// letters may be small, and an offset may lack its colon or its minutes. 24:00:00 is the end of the day.
func ParseTime(text string) (time.Time, error) {
	day, clock := text, ""
	if len(text) > len(time.DateOnly) && strings.ContainsRune("Tt ", rune(text[len(time.DateOnly)])) {
		day, clock = text[:len(time.DateOnly)], strings.ToUpper(text[len(time.DateOnly)+1:])
	}
	date, err := time.Parse(time.DateOnly, day)
	if err == nil && clock == "" && len(day) == len(text) {
		return date, nil
	}
	rest, late := strings.CutPrefix(clock, "24:00")
	if late {
		clock, date = "00:00"+rest, date.AddDate(0, 0, 1)
	}
	for _, layout := range clocks() {
		t, wrong := time.Parse(time.DateOnly+"T"+layout, date.Format(time.DateOnly)+"T"+clock)
		if err == nil && wrong == nil && (!late || t.Second() == 0 && t.Nanosecond() == 0) {
			return t.UTC(), nil
		}
	}
	return time.Time{}, rule.New("time", "must be a time as 2026-11-20T09:43:05Z or a date as 2026-11-20")
}

// TimeOf returns the time that JSON tells, the zero time where that is none.
func TimeOf(raw json.RawMessage) time.Time {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return time.Time{}
	}
	at, _ := ParseTime(text) // the zero time where it is wrong
	return at
}

// clocks are the forms of the time of day. A fraction of a second may follow the seconds of each.
func clocks() []string {
	return []string{"15:04:05Z07:00", "15:04:05", "15:04Z07:00", "15:04", "15:04:05Z0700", "15:04:05Z07", "15:04Z0700", "15:04Z07"}
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

// DurationText returns a duration as the interface writes it: HHH:MM:SS, with a minus for a negative one. Parts of a second are left out.
func DurationText(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign, d = "-", -d
	}
	return fmt.Sprintf("%s%02d:%02d:%02d", sign, int(d.Hours()), int(d.Minutes())%60, int(d.Seconds())%60)
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
