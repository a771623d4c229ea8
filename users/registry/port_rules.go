package registry

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/rule"
)

// Apply takes the fields of a port; what is not given keeps its value.
func Apply(f *form.Fields, p *chart.Port) {
	p.Name = f.TidyOr("name", p.Name)
	if f.Given("locode") {
		p.LOCODE = f.Text("locode")
		if code, ok := chart.ParseLOCODE(p.LOCODE); ok {
			p.LOCODE = code
		}
	}
	if f.Given("position") {
		p.Position, p.Placed = f.Point("position"), true
	}
	if f.Given("aliases") {
		p.Added = applyAliases(f)
	}
	if f.Given("max_draught") {
		p.MaxDraught = f.Number("max_draught")
	}
	if f.Given("outer") {
		p.Outer = f.Polygon("outer")
	}
	if f.Given("inner") {
		p.Inner = nil
		for i, raw := range f.List("inner") {
			key := fmt.Sprintf("inner/%d", i)
			p.Inner = append(p.Inner, f.At(key, raw).Polygon(key))
		}
	}
	if f.Given("berths") {
		p.Berths = applyBerths(f)
	}
}

// applyAliases reads the other names of a port.
func applyAliases(f *form.Fields) (names []string) {
	f.Into("aliases", &names, rule.New("texts", "must be an array of strings"))
	for i := range names {
		names[i] = form.Tidy(names[i])
	}
	return names
}

// applyBerths reads the berths of a port; those without an id get one that is free.
func applyBerths(f *form.Fields) []chart.Berth {
	var berths []chart.Berth
	var last int64
	list := f.List("berths")
	if len(list) > maxBerths {
		f.Refuse("berths", rule.New("too_many_berths", "must be at most {max}", "max", maxBerths))
		return nil
	}
	for _, object := range f.Objects("berths", list) {
		b := chart.Berth{ID: object.Integer("id", 0, 1<<53), Name: object.TidyOr("name", ""), LOCODE: object.TidyOr("locode", ""), QuayID: object.Integer("quay_id", 0, 1<<53),
			Length: object.Number("length"), MaxDraught: object.Number("max_draught")}
		if object.Given("position") {
			at := object.Point("position")
			b.Position = &at
		}
		last = max(last, b.ID)
		berths = append(berths, b)
	}
	for i := range berths {
		if berths[i].ID == 0 {
			last++
			berths[i].ID = last
		}
	}
	return slices.Clip(berths)
}

// Bounds of a port: its berths, its other names, and the draught in metres of what lies there.
const (
	maxBerths  = 2000
	maxAliases = 100
	maxDraught = 100
)

// CheckPort returns what is wrong with a port as a *geo.ShapeError, whose pointer names the field.
func CheckPort(p *chart.Port) error {
	if err := cmp.Or(form.CheckTitle(p.Name), chart.CheckPortName(p.Name)); err != nil {
		return &geo.ShapeError{Pointer: "/name", Rule: rule.Of(err)}
	}
	if code, ok := chart.ParseLOCODE(p.LOCODE); p.LOCODE != "" && (!ok || code != p.LOCODE) {
		return &geo.ShapeError{Pointer: "/locode", Rule: rule.New("locode", "must be two letters of the country and three letters or digits")}
	}
	if p.Placed && !p.Position.Valid() {
		return &geo.ShapeError{Pointer: "/position", Rule: rule.New("place", "must be a place on the earth")}
	}
	if !(p.MaxDraught >= 0 && p.MaxDraught <= maxDraught) {
		return &geo.ShapeError{Pointer: "/max_draught", Rule: rule.New("metres", "must be metres from {min} to {max}", "min", 0, "max", maxDraught)}
	}
	if err := checkAliases(p.Added); err != nil {
		return err
	}
	if err := checkBerths(p.Berths); err != nil {
		return err
	}
	return p.CheckShapes()
}

func checkAliases(names []string) error {
	if len(names) > maxAliases {
		return &geo.ShapeError{Pointer: "/aliases", Rule: rule.New("too_many_aliases", "must be at most {max} names", "max", maxAliases)}
	}
	for i, name := range names {
		if err := cmp.Or(form.CheckTitle(name), chart.CheckPortName(name)); err != nil {
			return &geo.ShapeError{Pointer: fmt.Sprintf("/aliases/%d", i), Rule: rule.Of(err)}
		}
	}
	return nil
}

func checkBerths(berths []chart.Berth) error {
	if len(berths) > maxBerths {
		return &geo.ShapeError{Pointer: "/berths", Rule: rule.New("too_many_berths", "must be at most {max}", "max", maxBerths)}
	}
	seen := map[int64]bool{}
	for i := range berths {
		b := &berths[i]
		at := fmt.Sprintf("/berths/%d", i)
		switch {
		case form.CheckTitle(b.Name) != nil:
			return &geo.ShapeError{Pointer: at + "/name", Rule: rule.Of(form.CheckTitle(b.Name))}
		case len(b.LOCODE) > form.MaxName || strings.ContainsFunc(b.LOCODE, func(r rune) bool { return !unicode.IsPrint(r) }):
			return &geo.ShapeError{Pointer: at + "/locode", Rule: rule.New("visible", "must be at most {max} visible characters", "max", form.MaxName)}
		case b.ID < 1 || b.ID > largestID || seen[b.ID]:
			return &geo.ShapeError{Pointer: at + "/id", Rule: rule.New("berth_id", "must be a number above 0 that no other berth of the port has")}
		case b.QuayID < 0 || b.QuayID > largestID:
			return &geo.ShapeError{Pointer: at + "/quay_id", Rule: rule.New("quay_id", "must be a number from 0 to 2^53")}
		case b.Position != nil && !b.Position.Valid():
			return &geo.ShapeError{Pointer: at + "/position", Rule: rule.New("place", "must be a place on the earth")}
		case !(b.Length >= 0 && b.Length <= 10_000):
			return &geo.ShapeError{Pointer: at + "/length", Rule: rule.New("metres", "must be metres from {min} to {max}", "min", 0, "max", 10_000)}
		case !(b.MaxDraught >= 0 && b.MaxDraught <= maxDraught):
			return &geo.ShapeError{Pointer: at + "/max_draught", Rule: rule.New("metres", "must be metres from {min} to {max}", "min", 0, "max", maxDraught)}
		}
		seen[b.ID] = true
	}
	return nil
}
