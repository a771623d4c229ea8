package stats

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/voyage"
)

// Bounds of what a question about calls may name.
const (
	mostNamed = 10_000         // ships, or ports
	entered   = 24 * time.Hour // a user may say that a call began so long before the ship was first seen at rest
)

// portCalls are the calls of ships at ports that overlap the period.
func portCalls() Kind {
	return Kind{Name: "portcalls", Keys: []string{"shape", "mmsi", "ports", "shiplist"}, Check: checkPortCalls, Open: openPortCalls}
}

// callsPlan is what is asked: one of its fields is set.
type callsPlan struct {
	Shape    *Area      `json:"shape,omitempty"`
	Ships    []ais.MMSI `json:"ships,omitempty"`
	Ports    []uint64   `json:"ports,omitempty"`
	ShipList string     `json:"shiplist,omitempty"`
}

func checkPortCalls(f *form.Fields, who Asker) (any, error) {
	var p callsPlan
	given := OneOf(f, "shape", "mmsi", "ports", "shiplist")
	switch given {
	case "shape":
		p.Shape = ReadArea(f, "shape", who)
	case "mmsi":
		p.Ships = ReadShips(f, "mmsi")
	case "ports":
		p.Ports = readPorts(f, "ports", who)
	case "shiplist":
		p.ShipList = ReadShipList(f, "shiplist", who)
	}
	return p, nil
}

// OneOf gives which of some fields is given. Another number of them than one is refused.
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
	for i, one := range list {
		n, err := strconv.ParseInt(string(bytes.TrimSpace(one)), 10, 64)
		if err != nil || n < 1 || n > int64(ship.LargestMMSI) {
			f.Refuse(fmt.Sprintf("%s/%d", key, i), rule.New("stat_mmsi", "must be an MMSI"))
			continue
		}
		ships = append(ships, ais.MMSI(n))
	}
	return slices.Compact(slices.Sorted(slices.Values(ships)))
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
	for _, one := range f.Objects(key, list) {
		if id := readPort(one, who); id != 0 {
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

// portTexts gives the texts by which a port is named.
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

// Area is a polygon of a definition, or a saved shape that it names.
type Area struct {
	Polygon json.RawMessage `json:"polygon,omitempty"`
	Saved   string          `json:"saved,omitempty"`
}

// ReadArea reads a polygon, or {"shape_id": …} of a saved shape that the user may use. Nothing is noted of a field that is not given.
func ReadArea(f *form.Fields, key string, who Asker) *Area {
	if !f.Given(key) {
		return nil
	}
	var saved struct {
		ID json.RawMessage `json:"shape_id"`
	}
	if json.Unmarshal(f.Raw(key), &saved) == nil && saved.ID != nil {
		name := string(bytes.Trim(saved.ID, `" `))
		if find := who.Names.Shape; find != nil {
			if _, ok := find(name); ok {
				return &Area{Saved: name}
			}
		}
		f.Refuse(key+"/shape_id", rule.New("stat_no_shape", "must name a saved shape that is there"))
		return nil
	}
	if f.Polygon(key) == nil {
		return nil
	}
	return &Area{Polygon: f.Raw(key)}
}

// Open gives the area to calculate with.
func (a *Area) Open(names ship.Lookup) (*geo.Area, error) {
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

// callsAsked is a question about calls.
type callsAsked struct {
	run    *Run
	plan   callsPlan
	ports  map[uint64]bool        // nil for all
	listed func(*ship.State) bool // nil for all
}

func openPortCalls(r *Run) (Question, error) {
	q := &callsAsked{run: r}
	if err := r.Plan(&q.plan); err != nil {
		return Question{}, err
	}
	switch {
	case q.plan.Shape != nil:
		area, err := q.plan.Shape.Open(r.Names)
		if err != nil {
			return Question{}, err
		}
		q.ports = map[uint64]bool{}
		for _, p := range r.stats.config.Ports().All() {
			if area.Contains(p.Position) {
				q.ports[p.ID] = true
			}
		}
		if len(q.ports) == 0 {
			r.Warn(rule.New("stat_no_ports", "no port lies in the shape"))
		}
	case q.plan.Ports != nil:
		q.ports = map[uint64]bool{}
		for _, id := range q.plan.Ports {
			q.ports[id] = true
		}
	case q.plan.ShipList != "":
		var err error
		if q.listed, err = r.shipList(q.plan.ShipList); err != nil {
			return Question{}, err
		}
	}
	return Question{Ask: q.ask}, nil
}

// ask looks through the calls. Those of a ship are kept one after the other; those of all are in the order of their beginnings, from the first on, because a
// ship may have lain in port for years.
func (q *callsAsked) ask(ctx context.Context) error {
	voyages, period := q.run.stats.config.Voyages, q.run.Period
	if q.plan.Ships == nil {
		return q.each(func(take func(*voyage.Call) bool) error {
			return voyages.InTime(ctx, time.UnixMilli(0), period.End.Add(entered), take)
		})
	}
	for _, m := range q.plan.Ships {
		err := q.each(func(take func(*voyage.Call) bool) error {
			var all []*voyage.Call
			err := voyages.Calls(ctx, m, period.Begin, period.End, func(c *voyage.Call) bool {
				all = append(all, c)
				return len(all) < MostRecords
			})
			for _, c := range slices.Backward(all) {
				if err != nil || !take(c) {
					break
				}
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// each takes the calls that a reading hands over.
func (q *callsAsked) each(read func(take func(*voyage.Call) bool) error) (err error) {
	wrong := read(func(c *voyage.Call) bool {
		q.run.Tell(c.Found.Stays[0].Seen.Time())
		err = q.take(c)
		return err == nil
	})
	if err == nil {
		err = wrong
	}
	return err
}

// take keeps a call that is asked for.
func (q *callsAsked) take(c *voyage.Call) error {
	if q.ports != nil && !q.ports[c.Found.Port] || !q.overlaps(c) {
		return nil
	}
	first := &c.Found.Stays[0]
	at := ship.Fix{At: int64(first.Seen), Lon: int32(math.Round(first.Lon / ais.PlaceUnit)), Lat: int32(math.Round(first.Lat / ais.PlaceUnit)), Status: ais.StatusUndefined}
	then, err := q.run.Past.At(c.MMSI, at)
	if err != nil {
		return err
	}
	if q.listed != nil && !q.listed(then) {
		return nil
	}
	passed := q.run.Filter == nil || q.run.Filter.Match(then, at.Time())
	if q.run.Looked(passed); !passed {
		return nil
	}
	data, err := json.Marshal(struct {
		Ship Ship `json:"ship"`
	}{Described(then)})
	if err != nil {
		return err
	}
	return q.run.Emit(Record{Call: c, Data: data})
}

// overlaps tells whether the ship lay in port in the period.
func (q *callsAsked) overlaps(c *voyage.Call) bool {
	came, left := c.Arrived(), c.Departed()
	if came.IsZero() {
		came = c.Found.Stays[0].Seen.Time()
	}
	if left.IsZero() {
		left = c.Found.Left.Time()
	}
	return came.Before(q.run.Period.End) && (left.IsZero() || !left.Before(q.run.Period.Begin))
}
