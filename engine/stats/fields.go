package stats

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/rule"
	"quaywatch/ship"
)

// mostNamed is how many ships or ports a definition may name.
const mostNamed = 10_000

// mostDescribed is how many ships a definition may describe. Each is looked for.
const mostDescribed = 1000

// OneOf returns which of some fields is given. Another number of them than one is refused.
func OneOf(f *form.Fields, keys ...string) (given string) {
	count := 0
	for _, key := range keys {
		if f.Given(key) {
			given = key
			count++
		}
	}
	if count == 1 {
		return given
	}
	f.Refuse("", rule.New("stat_one_of", "needs one of {words}, and only one", "words", strings.Join(keys, ", ")))
	return ""
}

// ReadShips reads a list of MMSI numbers, at least one.
func ReadShips(f *form.Fields, key string) (ships []ais.MMSI) {
	list := f.List(key)
	if f.Given(key) && (len(list) == 0 || len(list) > mostNamed) {
		f.Refuse(key, rule.New("stat_count", "must have {min} to {max} elements", "min", 1, "max", mostNamed))
		return nil
	}
	for i, number := range list {
		n, err := strconv.ParseInt(string(bytes.TrimSpace(number)), 10, 64)
		if err != nil || n < 1 || n > int64(ship.LargestMMSI) {
			f.Refuse(fmt.Sprintf("%s/%d", key, i), rule.New("stat_mmsi", "must be an MMSI"))
			continue
		}
		ships = append(ships, ais.MMSI(n))
	}
	return slices.Compact(slices.Sorted(slices.Values(ships)))
}

// ReadIdentities reads a list of ships as they are described, at least one. They are found as they were when the period begins, or are now.
func ReadIdentities(f *form.Fields, key string, who Asker) (ships []ais.MMSI, err error) {
	list := f.List(key)
	if f.Given(key) && (len(list) == 0 || len(list) > mostDescribed) {
		f.Refuse(key, rule.New("stat_count", "must have {min} to {max} elements", "min", 1, "max", mostDescribed))
		return nil, nil
	}
	at := form.TimeOf(f.Raw("begin")) // what is wrong with it is noted elsewhere
	for _, object := range f.Objects(key, list) {
		q := object.Identity()
		if f.Err() != nil {
			return nil, nil
		}
		m, err := who.Ship(q, at)
		var why *rule.Rule
		switch {
		case errors.As(err, &why):
			object.Refuse("", why)
		case err != nil:
			return nil, err
		}
		ships = append(ships, m)
	}
	return slices.Compact(slices.Sorted(slices.Values(ships))), nil
}

// ReadShipList reads the name of a ship list that the user may use.
func ReadShipList(f *form.Fields, key string, who Asker) string {
	name := f.TextOr(key, "")
	if find := who.Names.ShipList; name != "" && find != nil {
		if _, ok := find(name); ok {
			return name
		}
	}
	f.Refuse(key, rule.New("stat_no_list", "must name a ship list that is there"))
	return ""
}

// readPorts reads which ports are meant, each by id, LOCODE or name.
func readPorts(f *form.Fields, key string, who Asker) (ports []uint64) {
	list := f.List(key)
	if f.Given(key) && (len(list) == 0 || len(list) > mostNamed) {
		f.Refuse(key, rule.New("stat_count", "must have {min} to {max} elements", "min", 1, "max", mostNamed))
		return nil
	}
	for _, object := range f.Objects(key, list) {
		if id := readPort(object, who); id != 0 {
			ports = append(ports, id)
		}
	}
	return ports
}

// readPort reads which port is meant; 0 for none.
func readPort(f *form.Fields, who Asker) uint64 {
	var fit []*chart.Port
	said := false
	for _, text := range portTexts(f) {
		found := who.Ports(text)
		if said {
			found = slices.DeleteFunc(slices.Clone(found), func(p *chart.Port) bool { return !slices.Contains(fit, p) })
		}
		if fit, said = found, true; len(fit) == 0 {
			f.Refuse("", rule.New("port_unknown", "no port {name} is known", "name", form.CutName(text)))
			return 0
		}
	}
	switch {
	case !said:
		f.Refuse("", rule.New("no_port_named", "needs one of id, locode and name"))
	case len(fit) > 1:
		f.Refuse("", rule.New("ambiguous_port", "{count} ports have this name; ask by LOCODE or id", "count", len(fit)))
	default:
		return fit[0].ID
	}
	return 0
}

// portTexts returns the texts by which a port is named.
func portTexts(f *form.Fields) (texts []string) {
	if id := f.Integer("id", 0, math.MaxInt64); id != 0 {
		texts = append(texts, strconv.FormatInt(id, 10))
	}
	for _, text := range []string{f.Text("locode"), f.TidyOr("name", "")} {
		if text != "" {
			texts = append(texts, text)
		}
	}
	return texts
}

// AreaShape is a polygon of a definition, or a saved shape that it names.
type AreaShape struct {
	Polygon json.RawMessage `json:"polygon,omitempty"`
	Saved   string          `json:"saved,omitempty"`
}

// ReadArea reads a polygon, or {"shape_id": …} of a saved shape that the user may use and that has an inside. Nothing is noted of a field that is not given.
func ReadArea(f *form.Fields, key string, who Asker) *AreaShape {
	if !f.Given(key) {
		return nil
	}
	return areaOf(f, key, f.Raw(key), who)
}

// areaOf reads an area of a field, or of a part of one, as ReadArea does.
func areaOf(f *form.Fields, key string, raw json.RawMessage, who Asker) *AreaShape {
	var saved struct {
		ID json.RawMessage `json:"shape_id"`
	}
	if json.Unmarshal(raw, &saved) == nil && saved.ID != nil {
		name := string(bytes.Trim(saved.ID, `" `))
		if find := who.Names.Shape; find != nil {
			if area, ok := find(name); ok && isLine(area) {
				f.Refuse(key+"/shape_id", lineRule(name))
				return nil
			} else if ok {
				return &AreaShape{Saved: name}
			}
		}
		f.Refuse(key+"/shape_id", rule.New("stat_no_shape", "must name a saved shape that is there"))
		return nil
	}
	area, err := form.ParsePolygon(raw)
	if err == nil {
		err = area.CheckHoles()
	}
	if err != nil {
		f.CheckShape(key, err)
		return nil
	}
	return &AreaShape{Polygon: raw}
}

// Open returns the area to calculate with.
func (a *AreaShape) Open(names ship.Lookup) (*geo.Area, error) {
	if a.Saved == "" {
		shape, err := form.ParsePolygon(a.Polygon)
		if err != nil {
			return nil, err
		}
		return geo.NewArea(shape), nil
	}
	if names.Shape != nil {
		if area, ok := names.Shape(a.Saved); ok {
			return area, nil
		}
	}
	return nil, rule.New("stat_shape_gone", "the saved shape {name} is there no more", "name", a.Saved)
}

// areaWithInside returns an area that has an inside: a saved shape may have become a line since.
func (r *Run) areaWithInside(a *AreaShape) (*geo.Area, error) {
	area, err := a.Open(r.Names)
	if err == nil && isLine(area) {
		err = lineRule(a.Saved)
	}
	return area, err
}

func isLine(area *geo.Area) bool {
	_, line := area.Shape().(geo.Line)
	return line
}

func lineRule(name string) *rule.Rule {
	return rule.New("stat_line", "the saved shape {name} is a line, which has no inside", "name", name)
}
