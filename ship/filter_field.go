package ship

import (
	"time"

	"quaywatch/ais"
)

// buildPredicate makes the predicate of a field with a comparison.
type buildPredicate func(name string, c comparison) (predicate, *problem)

// fieldNamed returns how comparisons with a field are made and how it is found unknown; nil when there is no such field.
func fieldNamed(name string) (buildPredicate, predicate) {
	if f := numberFieldNamed(name); f != nil {
		return f.makePredicate, func(s *State, now time.Time) bool {
			_, ok := f.value(s, now)
			return !ok
		}
	}
	if f := textFieldNamed(name); f != nil {
		return f.makePredicate, func(s *State, _ time.Time) bool { return f.value(s) == "" }
	}
	return nil, nil
}

func numberFieldNamed(name string) *numberField {
	switch name {
	case "mmsi":
		return &numberField{digits: 9, value: func(s *State, _ time.Time) (float64, bool) { return float64(s.MMSI), s.MMSI != 0 }}
	case "imo":
		return &numberField{digits: 7, value: ofStatic(func(s *Static) int { return int(s.IMO) })}
	case "type_code":
		return &numberField{digits: 1, value: ofStatic(func(s *Static) int { return int(s.Type) })}
	case "length":
		return &numberField{value: ofStatic(func(s *Static) int { return s.Dimensions.Length() })}
	case "width":
		return &numberField{value: ofStatic(func(s *Static) int { return s.Dimensions.Width() })}
	case "draught":
		return &numberField{value: draughtOf}
	case "dwt":
		return &numberField{value: ofStatic(func(s *Static) int { return int(s.Deadweight) })}
	case "gt":
		return &numberField{value: ofStatic(func(s *Static) int { return int(s.GrossTonnage) })}
	}
	return motionFieldNamed(name)
}

// motionFieldNamed returns the fields that each report may change, and those of time.
func motionFieldNamed(name string) *numberField {
	switch name {
	case "sog":
		return &numberField{value: ofFix(func(f *Fix) (float64, bool) { return f.SOG.Knots() })}
	case "cog":
		return &numberField{wraps: true, value: ofFix(func(f *Fix) (float64, bool) { return f.COG.Degrees() })}
	case "heading":
		return &numberField{wraps: true, value: ofFix(func(f *Fix) (float64, bool) { return wholeValue(f.Heading.Degrees()) })}
	case "rot":
		return &numberField{value: ofFix(func(f *Fix) (float64, bool) { return wholeValue(f.ROT.Raw()) })}
	case "nav_status":
		return &numberField{names: statusNames(), named: statusNamed, value: ofFix(func(f *Fix) (float64, bool) {
			return float64(f.Status), f.Status != ais.StatusUndefined
		})}
	case "lat":
		return &numberField{value: ofFix(func(f *Fix) (float64, bool) { return f.Point().Lat, true })}
	case "lon":
		return &numberField{wraps: true, value: ofFix(func(f *Fix) (float64, bool) { return f.Point().Lon, true })}
	case "age":
		return &numberField{value: func(s *State, now time.Time) (float64, bool) {
			return float64(now.UnixMilli()-s.Heard) / 1000, s.Heard != 0
		}}
	case "hour":
		return &numberField{wraps: true, value: func(_ *State, now time.Time) (float64, bool) { return float64(now.UTC().Hour()), true }}
	case "dow":
		return &numberField{wraps: true, names: dayNames(), value: func(_ *State, now time.Time) (float64, bool) {
			return float64(now.UTC().Weekday()), true
		}}
	}
	return nil
}

// ofStatic returns the value of a static field of which 0 is unknown.
func ofStatic(field func(*Static) int) func(*State, time.Time) (float64, bool) {
	return func(s *State, _ time.Time) (float64, bool) {
		if s.Static == nil {
			return 0, false
		}
		n := field(s.Static)
		return float64(n), n != 0
	}
}

func ofFix(field func(*Fix) (float64, bool)) func(*State, time.Time) (float64, bool) {
	return func(s *State, _ time.Time) (float64, bool) {
		if !s.HasFix {
			return 0, false
		}
		return field(&s.Fix)
	}
}

func wholeValue(n int, ok bool) (float64, bool) { return float64(n), ok }

func draughtOf(s *State, _ time.Time) (float64, bool) {
	if s.Voyage == nil {
		return 0, false
	}
	draught := s.Voyage.Centimetres()
	return float64(draught) / 100, draught != 0
}

func statusNames() map[string]float64 {
	return map[string]float64{
		"under_way": 0, "anchored": 1, "nuc": 2, "restricted": 3, "cbd": 4, "moored": 5, "aground": 6, "fishing": 7, "sailing": 8, "sart": 14,
	}
}

func dayNames() map[string]float64 {
	return map[string]float64{"sun": 0, "mon": 1, "tue": 2, "wed": 3, "thu": 4, "fri": 5, "sat": 6}
}

func textFieldNamed(name string) *textField {
	switch name {
	case "name":
		return &textField{value: staticText(func(s *Static) string { return s.Name })}
	case "callsign":
		return &textField{value: staticText(func(s *Static) string { return s.CallSign })}
	case "type":
		return &textField{
			value: staticText(func(s *Static) string { return TypeText(s.Type) }),
			also:  func(s *State, c *choice) bool { return c.types.has(s.Static.Type) },
			names: namesTypes,
		}
	case "class":
		return &textField{value: func(s *State) string {
			if s.Class == ClassUnknown {
				return ""
			}
			return s.Class.String()
		}}
	case "source":
		return &textField{value: sourceOf, feeds: true, also: func(s *State, c *choice) bool { return c.word == "ais" && !s.ByHand }}
	case "country":
		return &textField{
			value: func(s *State) string { country, _ := s.Country(); return country },
			also: func(s *State, c *choice) bool {
				_, code := s.Country()
				return code == c.country
			},
			names: namesCountry,
		}
	case "country_code":
		return &textField{
			value: func(s *State) string { _, code := s.Country(); return code },
			also:  func(s *State, c *choice) bool { _, code := s.Country(); return code == c.country },
			names: namesCountry,
		}
	case "destination":
		return &textField{value: func(s *State) string {
			if s.Voyage == nil {
				return ""
			}
			return s.Voyage.Destination
		}}
	}
	return nil
}

// sourceOf returns the feed that heard the ship last, or "register" for a ship that was only entered by hand.
func sourceOf(s *State) string {
	if s.ByHand {
		return "register"
	}
	return s.Feed
}

func staticText(field func(*Static) string) func(*State) string {
	return func(s *State) string {
		if s.Static == nil {
			return ""
		}
		return field(s.Static)
	}
}
