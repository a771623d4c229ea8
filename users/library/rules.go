package library

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
)

// mostNumber bounds max and region.
const mostNumber = 1<<31 - 1

// CheckShips returns what is wrong with a ship list.
func (r *Resource) CheckShips() (wrong form.Errors) {
	if r.Max < 0 || r.Max > mostNumber {
		wrong = append(wrong, wrongKey("max", rule.New("range", "must be from {min} to {max}", "min", 0, "max", mostNumber)))
	}
	for i, s := range r.Ships {
		if wrong.Full() {
			break
		}
		at := fmt.Sprintf("ships/%d", i)
		switch {
		case s.MMSI < 0 || s.MMSI > form.MaxInteger:
			wrong = append(wrong, wrongKey(at+"/mmsi", rule.New("range", "must be from {min} to {max}", "min", 0, "max", form.MaxInteger)))
		case s.IMO < 0 || s.IMO > math.MaxUint32:
			wrong = append(wrong, wrongKey(at+"/imo", rule.New("range", "must be from {min} to {max}", "min", 0, "max", int64(math.MaxUint32))))
		case s.MMSI == 0 && s.IMO == 0 && fold.Name(s.CallSign) == "" && fold.Name(s.Name) == "":
			wrong = append(wrong, wrongKey(at, rule.New("no_identity", "needs one of mmsi, imo, callsign and name")))
		}
		wrong = append(wrong, form.CheckTexts("/"+at+"/name", s.Name, "/"+at+"/callsign", s.CallSign)...)
	}
	return wrong
}

// isColour reports whether a text is a colour, or empty.
func isColour(text string) bool {
	digits, found := strings.CutPrefix(text, "#")
	notHex := func(r rune) bool { return !strings.ContainsRune("0123456789abcdefABCDEF", r) }
	return text == "" || found && (len(digits) == 3 || len(digits) == 6) && !strings.ContainsFunc(digits, notHex)
}

// CheckShape returns what is wrong with a shape.
func (r *Resource) CheckShape() (wrong form.Errors) {
	if !isColour(r.Color) {
		wrong = append(wrong, wrongKey("color", rule.New("colour", "must be a colour as #rrggbb or #rgb")))
	}
	if r.Region < 0 || r.Region > mostNumber {
		wrong = append(wrong, wrongKey("region", rule.New("range", "must be from {min} to {max}", "min", 0, "max", mostNumber)))
	}
	given := 0
	for _, is := range []bool{r.Polygon != nil, r.Line != nil, r.Circle != nil} {
		if is {
			given++
		}
	}
	if given != 1 {
		return append(wrong, form.Error{Rule: rule.New("no_geometry", "needs exactly one of polygon, line and circle")})
	}
	key := r.ShapeKind()
	shape, err := r.Geometry()
	if area, ok := shape.(geo.Polygon); ok && err == nil {
		err = area.CheckHoles()
	}
	var broken *geo.ShapeError
	switch {
	case errors.As(err, &broken):
		return append(wrong, wrongKey(key+broken.Pointer, broken.Rule))
	case err != nil:
		return append(wrong, wrongKey(key, rule.Of(err)))
	}
	_, polygon := shape.(geo.Polygon)
	_, line := shape.(geo.Line)
	if polygon != (r.Polygon != nil) || line != (r.Line != nil) {
		wrong = append(wrong, wrongKey(key, rule.New("other_geometry", "is another kind of shape")))
	}
	return wrong
}

// shapeKinds are the keys of a geometry.
func shapeKinds() []string { return []string{"polygon", "line", "circle"} }

// ShapeKind returns the key of the geometry: polygon, line or circle; "" while there is none.
func (r *Resource) ShapeKind() string {
	switch {
	case r.Circle != nil:
		return "circle"
	case r.Line != nil:
		return "line"
	case r.Polygon != nil:
		return "polygon"
	}
	return ""
}

// wrongKey is the rule that a key breaks.
func wrongKey(key string, why *rule.Rule) form.Error {
	return form.Error{Pointer: "/" + key, Rule: why}
}
