package access

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"quaywatch/geo"
	"quaywatch/ship"
)

// MaxText bounds free text, in bytes.
const MaxText = 4000

// MaxWarnBefore bounds period_before_expire, in days.
const MaxWarnBefore = 3650

// CheckText tells what is wrong with free text.
func CheckText(text string) error {
	if len(text) > MaxText {
		return fmt.Errorf("may have at most %d bytes", MaxText)
	}
	return nil
}

// ParseTime reads an ISO 8601 time as the interface takes it: without a zone it is UTC, a date alone its midnight.
func ParseTime(text string) (time.Time, error) {
	for _, layout := range [...]string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", time.DateTime, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, errors.New("must be a time as 2026-11-20T09:43:05Z or a date as 2026-11-20")
}

// ParseExpiry reads an expiration_time; an empty text is never, the zero time.
func ParseExpiry(text string) (time.Time, error) {
	if text == "" {
		return time.Time{}, nil
	}
	return ParseTime(text)
}

// ParseETA reads an ETA, and gives it in UTC without a zone as the interface writes it; an empty text is none.
func ParseETA(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	at, err := ParseTime(text)
	if err != nil {
		return "", errors.New("must be a time as 2026-11-21T18:30:00")
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
func (e *Registered) Check() (wrong []KeyError) {
	refuse := func(key, format string, args ...any) {
		wrong = append(wrong, KeyError{key, fmt.Sprintf(format, args...)})
	}
	numbers := map[string]int64{
		"mmsi": e.MMSI, "imo": int64(e.IMO), "type_code": int64(e.TypeCode), "length": int64(e.Length), "width": int64(e.Width), "dim_a": int64(e.DimA),
		"dim_b": int64(e.DimB), "dim_c": int64(e.DimC), "dim_d": int64(e.DimD), "dwt": e.Deadweight, "gt": e.GrossTonnage,
	}
	limits := RegisterLimits()
	for _, key := range slices.Sorted(maps.Keys(numbers)) {
		if n := numbers[key]; n < 0 || n > limits[key] {
			refuse(key, "must be from 0 to %d", limits[key])
		}
	}
	if !(e.Draught >= 0 && e.Draught <= 25.5) {
		refuse("draught", "must be from 0 to 25.5")
	}
	if !(e.Displacement >= 0 && e.Displacement <= math.MaxFloat64) {
		refuse("displacement", "must not be negative")
	}
	if classNamed(e.Class) == ship.ClassUnknown && e.Class != "" && e.Class != ship.ClassUnknown.String() {
		refuse("class", "is not one of the classes")
	}
	wrong = append(wrong, checkTexts("name", e.Name, "callsign", e.CallSign, "destination", e.Destination, "note", e.Note)...)
	if e.IMO != 0 && e.IMO <= 9999999 && !ship.ValidIMO(e.IMO) {
		refuse("imo", "must be an IMO number, with its right check digit")
	}
	if _, err := ParseETA(e.ETA); err != nil {
		refuse("eta", "%s", err)
	}
	switch {
	case e.IMO != 0 || fold(e.Name) != "":
	case e.MMSI == 0:
		refuse("", "needs one of mmsi, imo and name")
	case isPseudo(e.MMSI):
		refuse("", "needs one of imo and name, for %d is no MMSI", e.MMSI)
	}
	return wrong
}

// checkTexts tells what is wrong with free texts, each after its key.
func checkTexts(keysAndTexts ...string) (wrong []KeyError) {
	for i := 0; i < len(keysAndTexts); i += 2 {
		if err := CheckText(keysAndTexts[i+1]); err != nil {
			wrong = append(wrong, KeyError{keysAndTexts[i], err.Error()})
		}
	}
	return wrong
}

// mostNumber bounds max and region.
const mostNumber = 1<<31 - 1

// CheckShips tells what is wrong with a ship list.
func (r *Resource) CheckShips() (wrong []KeyError) {
	if r.Max < 0 || r.Max > mostNumber {
		wrong = append(wrong, KeyError{"max", fmt.Sprintf("must be from 0 to %d", mostNumber)})
	}
	for i, s := range r.Ships {
		at := fmt.Sprintf("ships/%d", i)
		switch {
		case s.MMSI < 0:
			wrong = append(wrong, KeyError{at + "/mmsi", "must not be negative"})
		case s.IMO < 0 || s.IMO > math.MaxUint32:
			wrong = append(wrong, KeyError{at + "/imo", fmt.Sprintf("must be from 0 to %d", math.MaxUint32)})
		case s.MMSI == 0 && s.IMO == 0 && fold(s.CallSign) == "" && fold(s.Name) == "":
			wrong = append(wrong, KeyError{at, "needs one of mmsi, imo, callsign and name"})
		}
		wrong = append(wrong, checkTexts(at+"/name", s.Name, at+"/callsign", s.CallSign)...)
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
func (r *Resource) CheckShape() (wrong []KeyError) {
	if !isColour(r.Color) {
		wrong = append(wrong, KeyError{"color", "must be a colour as #rrggbb or #rgb"})
	}
	if r.Region < 0 || r.Region > mostNumber {
		wrong = append(wrong, KeyError{"region", fmt.Sprintf("must be from 0 to %d", mostNumber)})
	}
	given := 0
	for _, one := range []bool{r.Polygon != nil, r.Line != nil, r.Circle != nil} {
		if one {
			given++
		}
	}
	if given != 1 {
		return append(wrong, KeyError{"", "needs exactly one of polygon, line and circle"})
	}
	key := r.ShapeKind()
	shape, err := r.Geometry()
	var broken *geo.ShapeError
	switch {
	case errors.As(err, &broken):
		return append(wrong, KeyError{key + broken.Pointer, broken.Rule})
	case err != nil:
		return append(wrong, KeyError{key, err.Error()})
	}
	_, polygon := shape.(geo.Polygon)
	_, line := shape.(geo.Line)
	if polygon != (r.Polygon != nil) || line != (r.Line != nil) {
		wrong = append(wrong, KeyError{key, "is another kind of shape"})
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
