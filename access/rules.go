package access

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/rule"
	"quaywatch/ship"
)

// MaxWarnBefore bounds period_before_expire, in days.
const MaxWarnBefore = 3650

// ParseExpiry reads an expiration_time; an empty text is never, the zero time.
func ParseExpiry(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return form.ParseTime(text)
}

// ParseETA reads an ETA, and gives it in UTC without a zone as the interface writes it; an empty text is none.
func ParseETA(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	at, err := form.ParseTime(text)
	if err != nil {
		return "", rule.New("eta", "must be a time as 2026-11-21T18:30:00")
	}
	return at.Format(etaLayout), nil
}

// RegisterLimits gives the most that each whole number of a register entry may be; the least is 0.
func RegisterLimits() map[string]int64 {
	return map[string]int64{
		"mmsi": mostMMSI, "imo": 9999999, "type_code": 255, "length": 1022, "width": 126, "dim_a": 511, "dim_b": 511, "dim_c": 511, "dim_d": 511,
		"dwt": 1 << 31, "gt": 1 << 31,
	}
}

// Check tells what is wrong with an entry of the register.
func (e *Registered) Check() (wrong form.Errors) {
	refuse := func(pointer string, why *rule.Rule) { wrong = append(wrong, form.Error{Pointer: pointer, Rule: why}) }
	numbers := map[string]int64{
		"mmsi": e.MMSI, "imo": int64(e.IMO), "type_code": int64(e.TypeCode), "length": int64(e.Length), "width": int64(e.Width), "dim_a": int64(e.DimA),
		"dim_b": int64(e.DimB), "dim_c": int64(e.DimC), "dim_d": int64(e.DimD), "dwt": e.Deadweight, "gt": e.GrossTonnage,
	}
	limits := RegisterLimits()
	for _, key := range slices.Sorted(maps.Keys(numbers)) {
		if n := numbers[key]; n < 0 || n > limits[key] {
			refuse("/"+key, rule.New("range", "must be from {min} to {max}", "min", 0, "max", limits[key]))
		}
	}
	if !(e.Draught >= 0 && e.Draught <= 25.5) {
		refuse("/draught", rule.New("range", "must be from {min} to {max}", "min", 0, "max", 25.5))
	}
	if !(e.Displacement >= 0 && e.Displacement <= math.MaxFloat64) {
		refuse("/displacement", rule.New("negative", "must not be negative"))
	}
	if classNamed(e.Class) == ship.ClassUnknown && e.Class != "" && e.Class != ship.ClassUnknown.String() {
		refuse("/class", rule.New("class", "is not one of the classes"))
	}
	wrong = append(wrong, form.CheckTexts("/name", e.Name, "/callsign", e.CallSign, "/destination", e.Destination, "/note", e.Note)...)
	if e.IMO != 0 && e.IMO <= 9999999 && !ship.ValidIMO(e.IMO) {
		refuse("/imo", rule.New("imo", "must be an IMO number, with its right check digit"))
	}
	if _, err := ParseETA(e.ETA); err != nil {
		refuse("/eta", rule.Of(err))
	}
	switch {
	case e.IMO != 0 || form.Fold(e.Name) != "":
	case e.MMSI == 0:
		refuse("", rule.New("no_ship", "needs one of mmsi, imo and name"))
	case isPseudo(e.MMSI):
		refuse("", rule.New("no_mmsi", "needs one of imo and name, for {number} is no MMSI", "number", e.MMSI))
	}
	return wrong
}

// mostNumber bounds max and region.
const mostNumber = 1<<31 - 1

// CheckShips tells what is wrong with a ship list.
func (r *Resource) CheckShips() (wrong form.Errors) {
	if r.Max < 0 || r.Max > mostNumber {
		wrong = append(wrong, *refused("max", rule.New("range", "must be from {min} to {max}", "min", 0, "max", mostNumber)))
	}
	for i, s := range r.Ships {
		at := fmt.Sprintf("ships/%d", i)
		switch {
		case s.MMSI < 0:
			wrong = append(wrong, *refused(at+"/mmsi", rule.New("negative", "must not be negative")))
		case s.IMO < 0 || s.IMO > math.MaxUint32:
			wrong = append(wrong, *refused(at+"/imo", rule.New("range", "must be from {min} to {max}", "min", 0, "max", int64(math.MaxUint32))))
		case s.MMSI == 0 && s.IMO == 0 && form.Fold(s.CallSign) == "" && form.Fold(s.Name) == "":
			wrong = append(wrong, *refused(at, rule.New("no_identity", "needs one of mmsi, imo, callsign and name")))
		}
		wrong = append(wrong, form.CheckTexts("/"+at+"/name", s.Name, "/"+at+"/callsign", s.CallSign)...)
	}
	return wrong
}

// isColour tells whether a text is a colour, or none.
func isColour(text string) bool {
	digits, found := strings.CutPrefix(text, "#")
	notHex := func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }
	return text == "" || found && (len(digits) == 3 || len(digits) == 6) && !strings.ContainsFunc(digits, notHex)
}

// CheckShape tells what is wrong with a shape.
func (r *Resource) CheckShape() (wrong form.Errors) {
	if !isColour(r.Color) {
		wrong = append(wrong, *refused("color", rule.New("colour", "must be a colour as #rrggbb or #rgb")))
	}
	if r.Region < 0 || r.Region > mostNumber {
		wrong = append(wrong, *refused("region", rule.New("range", "must be from {min} to {max}", "min", 0, "max", mostNumber)))
	}
	given := 0
	for _, one := range []bool{r.Polygon != nil, r.Line != nil, r.Circle != nil} {
		if one {
			given++
		}
	}
	if given != 1 {
		return append(wrong, form.Error{Rule: rule.New("no_geometry", "needs exactly one of polygon, line and circle")})
	}
	key := r.ShapeKind()
	shape, err := r.Geometry()
	var broken *geo.ShapeError
	switch {
	case errors.As(err, &broken):
		return append(wrong, *refused(key+broken.Pointer, broken.Rule))
	case err != nil:
		return append(wrong, *refused(key, rule.Of(err)))
	}
	_, polygon := shape.(geo.Polygon)
	_, line := shape.(geo.Line)
	if polygon != (r.Polygon != nil) || line != (r.Line != nil) {
		wrong = append(wrong, *refused(key, rule.New("other_geometry", "is another kind of shape")))
	}
	return wrong
}

// ShapeKind gives the key of the geometry: polygon, line or circle.
func (r *Resource) ShapeKind() string {
	switch {
	case r.Circle != nil:
		return "circle"
	case r.Line != nil:
		return "line"
	}
	return "polygon"
}
