// Package reason says in words what kept a watchdog from raising an event about a ship. It knows no report: package watchdog finds the obstacles.
package reason

import (
	"fmt"
	"math"
	"strings"

	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
	"quaywatch/users/library"
)

// Farther reports whether an obstacle came nearer to an event than another of its kind.
func Farther(o, than *watchdog.Hindrance) bool {
	switch o.Kind {
	case watchdog.ByCount, watchdog.ByReports, watchdog.ByTime, watchdog.ByDraught, watchdog.ByPort, watchdog.ByLimit, watchdog.ByLeast, watchdog.BySteady:
		return o.Is > than.Is || math.IsNaN(than.Is) && !math.IsNaN(o.Is)
	case watchdog.BySailing, watchdog.ByApart:
		return o.Is < than.Is
	}
	return false
}

// Look says what a ship was.
func Look(s *ship.State) string {
	words := []string{"class " + s.Class.String()}
	if t := s.Static; t != nil {
		words = append(words, "type "+t.Type.String())
		if length, _ := t.Size(); length > 0 {
			words = append(words, fmt.Sprintf("length %.0f m", length))
		}
	}
	if s.Voyage != nil && s.Voyage.Metres() > 0 {
		words = append(words, fmt.Sprintf("draught %.1f m", s.Voyage.Metres()))
	}
	if knots, ok := s.Fix.SOG.Knots(); ok {
		words = append(words, fmt.Sprintf("speed %.1f kn", knots))
	}
	return strings.Join(append(words, "status "+s.Fix.Status.String()), ", ")
}

// Sentence says what kept a report from raising an event of a watchdog. Looked is what the ship was when the filter did not match it.
func Sentence(o *watchdog.Hindrance, w *library.Watchdog, looked string) *rule.Rule {
	is, asks := roundTenth(o.Is), roundTenth(o.Asks)
	switch o.Kind {
	case watchdog.ByJump:
		return rule.New("why_jump", "nobody knows which way the ship took: it was silent for {minutes} minutes, or its place jumped", "minutes", is)
	case watchdog.ByType:
		return rule.New("why_type", "the ship is none that fishes: its type is {code}, and its status is not 7", "code", is)
	case watchdog.ByWindow:
		return rule.New("why_window", "the ship was followed for less than the window of {minutes} minutes", "minutes", asks)
	case watchdog.BySpeed:
		return rule.New("why_speed", "its mean speed was {knots} kn, which is not that of a ship that fishes", "knots", is)
	case watchdog.ByPort:
		return rule.New("why_port", "it was in port, or had left it {minutes} minutes before; the least is {least}", "minutes", is, "least", asks)
	case watchdog.BySailing:
		if math.IsNaN(o.Is) {
			return rule.New("why_sails_unknown", "it was over the cable and gave no speed")
		}
		return rule.New("why_sails", "it sailed over the cable at {knots} kn, as ships do", "knots", is)
	case watchdog.ByName:
		return rule.New("why_other_ship", "the watchdog names another ship")
	case watchdog.ByLimit:
		return rule.New("why_limit", "its speed was {knots} kn at most; the limit is {limit} kn", "knots", is, "limit", asks)
	case watchdog.ByLeast:
		return rule.New("why_least", "it was above the limit for {seconds} of {wanted} seconds", "seconds", is, "wanted", asks)
	case watchdog.ByApart:
		return rule.New("why_apart", "it would have come as near as {metres} m to another ship; the limit is {limit} m", "metres", math.Round(o.Is), "limit", asks)
	case watchdog.ByWork:
		return rule.New("why_work", "it came near a ship that it works, fishes or goes with, which is no danger")
	case watchdog.BySteady:
		return rule.New("why_steady", "a danger with another ship ended before it was certain: one of the two turned or changed its speed")
	case watchdog.ByHours:
		return rule.New("why_hours", "the watchdog does not watch at that hour")
	case watchdog.ByPace:
		if math.IsNaN(o.Is) {
			return rule.New("why_no_pace", "its speed is not known")
		}
		return rule.New("why_pace", "its speed was {knots} kn", "knots", is)
	case watchdog.ByDraught:
		if math.IsNaN(o.Is) {
			return rule.New("why_no_draught", "its draught is not known; the watchdog asks for {least} m", "least", asks)
		}
		return rule.New("why_draught", "its draught was {is} m; the watchdog asks for {least} m", "is", is, "least", asks)
	case watchdog.ByCourse:
		if math.IsNaN(o.Is) {
			return rule.New("why_no_course", "it had no course: below 0.5 kn a course says nothing")
		}
		return rule.New("why_course", "its course was {is}°; the watchdog asks for {min}° to {max}°", "is", is, "min", *w.MinCOG, "max", *w.MaxCOG)
	case watchdog.ByFilter:
		return rule.New("why_filter", "the filter did not match the ship: {ship}", "ship", looked)
	case watchdog.ByJitter:
		return rule.New("why_jitter", "it crossed the border again within five minutes and 200 m, which counts for nothing")
	case watchdog.ByLying:
		return rule.New("why_lies", "it lay at the border and made no way: its places were within {metres} m, which counts for nothing", "metres", asks)
	case watchdog.ByCount:
		return rule.New("why_count", "{count} of {wanted} reports in a row", "count", is, "wanted", asks)
	case watchdog.ByReports:
		return rule.New("why_between", "{count} of {wanted} reports since the last event", "count", is, "wanted", asks)
	}
	return rule.New("why_time", "{seconds} of {wanted} seconds had passed since the last event", "seconds", is, "wanted", asks)
}

// roundTenth rounds to a tenth.
func roundTenth(n float64) float64 { return math.Round(n*10) / 10 }
