package ais

import "time"

// The zero value of the types below is unknown. Their methods give a number together with ok, which is false for unknown.
// Codes and ranges are those of Recommendation ITU-R M.1371-5, annex 8.

// SOG is a speed over ground. The zero SOG is unknown.
type SOG uint16 // tenths of a knot, plus one

// SOGTenths returns the SOG of t tenths of a knot; t outside 0..65534 is unknown.
func SOGTenths(t int) SOG {
	if t < 0 || t > 65534 {
		return 0
	}
	return SOG(t + 1)
}

// Tenths returns the speed in tenths of a knot; 1022 from a ship means 102.2 knots or more.
func (s SOG) Tenths() (int, bool) { return int(s) - 1, s != 0 }

// Knots returns the speed in knots.
func (s SOG) Knots() (float64, bool) { return float64(int(s)-1) / 10, s != 0 }

// COG is a course over ground, degrees true. The zero COG is unknown.
type COG uint16 // tenths of a degree, plus one

// COGTenths returns the COG of t tenths of a degree; t outside 0..3599 is unknown (3600 is AIS's "not available").
func COGTenths(t int) COG {
	if t < 0 || t > 3599 {
		return 0
	}
	return COG(t + 1)
}

// Tenths returns the course in tenths of a degree, 0..3599.
func (c COG) Tenths() (int, bool) { return int(c) - 1, c != 0 }

// Degrees returns the course in degrees true, 0 <= c < 360.
func (c COG) Degrees() (float64, bool) { return float64(int(c)-1) / 10, c != 0 }

// Heading is where the bow points, degrees true. The zero Heading is unknown.
type Heading uint16 // degrees, plus one

// HeadingDegrees returns the Heading of d degrees; d outside 0..359 is unknown (511 is AIS's "not available").
func HeadingDegrees(d int) Heading {
	if d < 0 || d > 359 {
		return 0
	}
	return Heading(d + 1)
}

// Degrees returns the heading in whole degrees, 0..359.
func (h Heading) Degrees() (int, bool) { return int(h) - 1, h != 0 }

// ROT is a rate of turn as AIS codes it. The zero ROT is unknown.
type ROT uint8 // raw value -127..127, plus 128

// RawROT returns the ROT of the raw AIS value r; r outside -127..127 is unknown (-128 is AIS's "not available").
func RawROT(r int) ROT {
	if r < -127 || r > 127 {
		return 0
	}
	return ROT(r + 128)
}

// Raw returns the AIS value -127..127; ±127 means turning faster than 5° in 30 s with no indicator on board.
func (r ROT) Raw() (int, bool) { return int(r) - 128, r != 0 }

// DegreesPerMinute returns the rate of turn, starboard positive: (raw/4.733)², sign kept (ITU-R M.1371-5, table 48). It is
// not ok when only the direction is known (raw ±127).
func (r ROT) DegreesPerMinute() (float64, bool) {
	raw, ok := r.Raw()
	if !ok || raw == 127 || raw == -127 {
		return 0, false
	}
	v := float64(raw) / 4.733
	if v < 0 {
		return -v * v, true
	}
	return v * v, true
}

// PlaceUnit is the size of AIS's unit of longitude and latitude: 1/600000 degree (1/10000 minute, about 0.19 m).
const PlaceUnit = 1.0 / 600000

// Place is a position in the unit of AIS, as received. The numbers may mean "not available" (181°, 91°) or be impossible,
// so ask Known first.
type Place struct {
	Lon, Lat int32 // in PlaceUnit
}

// Known reports whether both numbers are possible: |Lon| <= 180° and |Lat| <= 90°.
func (p Place) Known() bool {
	return p.Lon >= -108000000 && p.Lon <= 108000000 && p.Lat >= -54000000 && p.Lat <= 54000000
}

// Degrees returns the place in degrees; meaningful only when Known.
func (p Place) Degrees() (lon, lat float64) {
	return float64(p.Lon) / 600000, float64(p.Lat) / 600000
}

// NavStatus is the navigational status, 0..15 (ITU-R M.1371-5, table 48). It has an own code for "not defined".
type NavStatus uint8

// The navigational statuses that the code of this product asks for by name.
const (
	StatusUnderWayEngine NavStatus = 0
	StatusAtAnchor       NavStatus = 1
	StatusNotCommand     NavStatus = 2
	StatusRestricted     NavStatus = 3
	StatusConstrained    NavStatus = 4
	StatusMoored         NavStatus = 5
	StatusAground        NavStatus = 6
	StatusFishing        NavStatus = 7
	StatusUnderWaySail   NavStatus = 8
	StatusSART           NavStatus = 14 // AIS-SART, MOB or EPIRB in action
	StatusUndefined      NavStatus = 15
)

// Second is the UTC second of a fix: 0..59, or 60 not available, 61 manual, 62 dead reckoning, 63 inoperative.
type Second uint8

// Known returns the second; ok is false for 60 to 63.
func (s Second) Known() (int, bool) { return int(s), s < 60 }

// ShipType is the type of ship and cargo, 0..255; 0 is "not available" (ITU-R M.1371-5, table 53).
type ShipType uint8

// Decimetres is a draught in tenths of a metre; 0 is unknown, 255 means 25.5 m or more.
type Decimetres uint8

// Metres returns the draught in metres.
func (d Decimetres) Metres() (float64, bool) { return float64(d) / 10, d != 0 }

// Dimensions are the distances from the reference point of the position (the antenna) to the ship's sides, metres.
// All zero is unknown. Bow 0 with Port 0 but a known Stern and Starboard means that the reference point is unknown and
// the sums are length and width.
type Dimensions struct {
	Bow, Stern, Port, Starboard uint16
}

// Length is the ship's length over all in metres; 0 is unknown.
func (d Dimensions) Length() int { return int(d.Bow) + int(d.Stern) }

// Width is the ship's beam in metres; 0 is unknown.
func (d Dimensions) Width() int { return int(d.Port) + int(d.Starboard) }

// ETA is the estimated time of arrival as the crew typed it: UTC, without a year. Month 0, day 0, hour 24 and minute 60
// are AIS's "not available".
type ETA struct {
	Month, Day, Hour, Minute uint8
}

// HasHour reports whether the crew typed more than a date.
func (e ETA) HasHour() bool { return e.Hour < 24 }

// At returns the moment that e means when it was received at ref. The year is the one that puts it between 30 days before ref
// and 335 days after. It is not ok when month or day is not available or no such day exists. A missing hour or minute
// counts as 0.
func (e ETA) At(ref time.Time) (time.Time, bool) {
	if e.Month < 1 || e.Month > 12 || e.Day < 1 || e.Day > 31 {
		return time.Time{}, false
	}
	hour, minute := int(e.Hour), int(e.Minute)
	if hour > 23 {
		hour = 0
	}
	if minute > 59 {
		minute = 0
	}
	from := ref.UTC().Add(-30 * 24 * time.Hour)
	for first, year := from.Year(), from.Year(); year <= first+5; year++ { // a 29 February may be years away
		t := time.Date(year, time.Month(e.Month), int(e.Day), hour, minute, 0, 0, time.UTC)
		if (e.Day < 29 || t.Day() == int(e.Day)) && !t.Before(from) {
			return t, true
		}
	}
	return time.Time{}, false
}
