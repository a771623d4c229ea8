package registry

import (
	"maps"
	"math"
	"slices"
	"strings"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/ship"
)

// parseETA reads an ETA, and returns it in UTC without a zone as the interface writes it; an empty text is none.
func parseETA(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	at, err := form.ParseTime(text)
	if err != nil {
		return "", rule.New("eta", "must be a time as 2026-11-21T18:30:00")
	}
	return at.Format(etaLayout), nil
}

// limits returns the most that each whole number of a register entry may be; the least is 0.
func limits() map[string]int64 {
	return map[string]int64{
		"mmsi": form.MaxInteger, "imo": 9999999, "type_code": 255, "length": 1022, "width": 126, "dim_a": 511, "dim_b": 511, "dim_c": 511, "dim_d": 511,
		"dwt": 1 << 31, "gt": 1 << 31,
	}
}

// Check returns what is wrong with an entry of the register.
func (e *Registered) Check() (wrong form.Errors) {
	refuse := func(pointer string, why *rule.Rule) { wrong = append(wrong, form.Error{Pointer: pointer, Rule: why}) }
	numbers := map[string]int64{
		"mmsi": e.MMSI, "imo": int64(e.IMO), "type_code": int64(e.TypeCode), "length": int64(e.Length), "width": int64(e.Width), "dim_a": int64(e.DimA),
		"dim_b": int64(e.DimB), "dim_c": int64(e.DimC), "dim_d": int64(e.DimD), "dwt": e.Deadweight, "gt": e.GrossTonnage,
	}
	most := limits()
	for _, key := range slices.Sorted(maps.Keys(numbers)) {
		if n := numbers[key]; n < 0 || n > most[key] {
			refuse("/"+key, rule.New("range", "must be from {min} to {max}", "min", 0, "max", most[key]))
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
	if _, err := parseETA(e.ETA); err != nil {
		refuse("/eta", rule.Of(err))
	}
	switch {
	case e.IMO != 0 || fold.Name(e.Name) != "":
	case e.MMSI == 0:
		refuse("", rule.New("no_ship", "needs one of mmsi, imo and name"))
	case e.MMSI > ship.LargestMMSI:
		refuse("", rule.New("no_mmsi", "needs one of imo and name, for {number} is no MMSI", "number", e.MMSI))
	}
	return wrong
}

// Apply takes the fields of an entry but its number; what is not given keeps its value.
func (e *Registered) Apply(f *form.Fields) {
	most := limits()
	whole := func(key string, was int64) int64 { return f.Integer(key, was, most[key]) }
	e.IMO, e.TypeCode = uint32(whole("imo", int64(e.IMO))), uint8(whole("type_code", int64(e.TypeCode)))
	e.Name, e.CallSign = f.TidyOr("name", e.Name), f.TidyOr("callsign", e.CallSign)
	e.Destination, e.Note = f.TidyOr("destination", e.Destination), f.TextOr("note", e.Note)
	e.Length, e.Width = int(whole("length", int64(e.Length))), int(whole("width", int64(e.Width)))
	for key, v := range map[string]*uint16{"dim_a": &e.DimA, "dim_b": &e.DimB, "dim_c": &e.DimC, "dim_d": &e.DimD} {
		*v = uint16(whole(key, int64(*v)))
	}
	e.Deadweight, e.GrossTonnage = whole("dwt", e.Deadweight), whole("gt", e.GrossTonnage)
	e.Virtual = f.Boolean("virtual", e.Virtual)
	for key, v := range map[string]*float64{"draught": &e.Draught, "displacement": &e.Displacement} {
		f.Into(key, v, rule.New("number", "must be a number"))
	}
	e.applyType(f)
	e.Class, e.ETA = f.TextOr("class", e.Class), f.TextOr("eta", e.ETA)
	if eta, err := parseETA(e.ETA); err == nil {
		e.ETA = eta
	}
	if f.Said("position") && !f.Given("position") {
		e.Position = nil // null takes it back: there is no empty place
	}
	if f.Given("position") {
		at := f.Point("position")
		e.Position = &at
	}
	f.Broken(e.Check())
	compareSize(f, "length", e.Length, "dim_a", e.DimA, "dim_b", e.DimB)
	compareSize(f, "width", e.Width, "dim_c", e.DimC, "dim_d", e.DimD)
}

// compareSize refuses a length or width that is not that of both dimensions, where one of the three is written. What was stored before this rule hinders no other
// change.
func compareSize(f *form.Fields, key string, metres int, first string, a uint16, second string, b uint16) {
	sum := int(a) + int(b)
	written := f.Given(key) || f.Given(first) || f.Given(second)
	if written && metres != 0 && a != 0 && b != 0 && metres != sum {
		f.Refuse(key, rule.New("size_contradicts", "must be {first} and {second} together, which is {sum}, or be left out", "first", first, "second", second, "sum", sum))
	}
}

// applyType reads the ship type in words, beside its code or in its place.
func (e *Registered) applyType(f *form.Fields) {
	if !f.Given("type") {
		return
	}
	text := f.Text("type")
	code, known := ship.ParseType(text)
	coded := f.Given("type_code") && e.TypeCode != 0
	switch {
	case text == "" && !coded:
		e.TypeCode = 0
	case text == "" || strings.EqualFold(text, ship.TypeText(ais.ShipType(e.TypeCode))):
	case coded:
		f.Refuse("type", rule.New("type_contradicts", "is not that of the type_code"))
	case !known:
		f.Refuse("type", rule.New("no_type", "is not one of the ship types of AIS"))
	default:
		e.TypeCode = uint8(code)
	}
}
