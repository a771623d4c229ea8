package library

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// Watchdog is what only a watchdog has, as the interface writes it. Its line or polygon is that of the Resource.
type Watchdog struct {
	Type     watchdog.Type   `json:"type"`
	Enabled  bool            `json:"enabled"`
	Severity string          `json:"severity"`
	Port     *WatchedPort    `json:"port,omitempty"`
	Cable    *WatchedCable   `json:"cable,omitempty"`
	Fishing  json.RawMessage `json:"fishing,omitempty"` // GeoJSON Polygon
	CPA      *WatchedPairs   `json:"cpa,omitempty"`
	Feed     string          `json:"feed,omitempty"`      // name of a feed, or AllFeeds
	Box      *struct{}       `json:"box,omitempty"`       // of type box: it has nothing to say
	TestMode bool            `json:"test_mode,omitempty"` // of the built-in one: tests ring
	Draught  float64         `json:"draught,omitempty"`   // metres

	CheckDirection bool         `json:"check_direction"`
	MinCOG         *float64     `json:"min_cog,omitempty"` // degrees
	MaxCOG         *float64     `json:"max_cog,omitempty"`
	MinSOG         float64      `json:"min_sog,omitempty"` // knots
	MaxSOG         float64      `json:"max_sog,omitempty"`
	Window         DurationJSON `json:"window,omitempty"`
	AnyType        bool         `json:"any_type,omitempty"`

	SamplesToActivate   int          `json:"samples_to_activate"`
	SamplesToDeactivate int          `json:"samples_to_deactivate"`
	SamplesBetween      int          `json:"samples_between_trigger"`
	TimeBetween         int          `json:"time_between_triggers"` // seconds
	Inactivity          DurationJSON `json:"inactivity_timeout,omitempty"`

	CreateShipList  bool         `json:"create_shiplist"`
	ShipListTimeout DurationJSON `json:"shiplist_timeout,omitempty"` // of a line

	Notices
	WatchedKinds
	ShipNotification
	*Escalation // nil is none
}

// WatchedPort names a port. A box may give it another number than the one that wrote it.
type WatchedPort struct {
	ID     uint64 `json:"id,omitempty"`
	LOCODE string `json:"locode,omitempty"`
	Name   string `json:"name,omitempty"`
}

// NamePort returns what names a port.
func NamePort(p *chart.Port) *WatchedPort { return &WatchedPort{p.ID, p.LOCODE, p.Name} }

// In finds the port: by its number where the LOCODE or else the name agrees, else by the LOCODE.
func (w *WatchedPort) In(ports *chart.Ports) (*chart.Port, bool) {
	p, ok := ports.ByID(w.ID)
	if ok && (w.LOCODE != "" && p.LOCODE == w.LOCODE || p.Name == w.Name) {
		return p, true
	}
	return ports.ByLOCODE(w.LOCODE)
}

// WatchedCable is a cable and the metres around it.
type WatchedCable struct {
	Geometry json.RawMessage `json:"geometry"` // GeoJSON LineString or Polygon
	Buffer   float64         `json:"buffer,omitempty"`
}

// DurationJSON is a duration as the interface writes it.
type DurationJSON time.Duration

// MarshalText returns HHH:MM:SS.
func (s DurationJSON) MarshalText() ([]byte, error) {
	return []byte(form.DurationText(time.Duration(s))), nil
}

// UnmarshalText reads what MarshalText gives.
func (s *DurationJSON) UnmarshalText(text []byte) error {
	d, err := form.ParseDuration(string(text))
	*s = DurationJSON(d)
	return err
}

// Severities are those of an event, the least first.
func Severities() []string { return []string{"note", "warning", "alert"} }

// mostCount bounds the whole numbers of a watchdog. Which of them are too many the machine says.
const mostCount = 1 << 31

// applyWatchdog takes a watchdog. What it watches comes as a whole.
func applyWatchdog(f *form.Fields, r *Resource, find form.Finder) {
	w := Watchdog{Enabled: true, Severity: "note", SamplesToActivate: 1, SamplesToDeactivate: 1}
	if r.Watchdog != nil {
		w = *r.Watchdog
	}
	kind := watchdog.Type(f.TextOr("type", string(w.Type)))
	switch {
	case kind == w.Type:
	case kind == watchdog.Cable:
		w.TimeBetween = int(watchdog.DefaultBetween.Seconds())
	case kind == watchdog.CPA:
		w.TimeBetween = int(watchdog.DefaultPairBetween.Seconds())
	}
	if kind != w.Type || f.Given(string(kind)) {
		w.Type = kind
		w.takeObject(f, r)
	}
	for _, other := range watchdog.Types() {
		if other != kind && f.Given(string(other)) {
			f.Refuse(string(other), rule.New("watchdog_type", "goes with watchdogs of type {type} only", "type", string(other)))
		}
	}
	if f.Boolean("test_mode", false) {
		f.Refuse("test_mode", rule.New("watchdog_type", "goes with watchdogs of type {type} only", "type", string(watchdog.Distress)))
	}
	w.takeNumbers(f)
	w.takeList(f)
	w.applyNotices(f, find)
	w.takeCalendar(f)
	w.ApplyShipNotification(f)
	w.Escalation = w.Escalation.readFields(f, find)
	r.Watchdog = &w
	f.Broken(r.CheckWatchdog())
}

// takeObject takes what the watchdog watches.
func (w *Watchdog) takeObject(f *form.Fields, r *Resource) {
	r.Line, r.Polygon, w.Port, w.Cable, w.Fishing, w.CPA, w.Feed, w.Box = nil, nil, nil, nil, nil, nil, "", nil
	w.WatchedKinds = WatchedKinds{Calendar: w.Calendar}
	if !f.Given(string(w.Type)) {
		return
	}
	switch w.Type {
	case watchdog.Line:
		r.Line = plainShape(f.Raw("line"))
	case watchdog.Polygon:
		r.Polygon = plainShape(f.Raw("polygon"))
	case watchdog.Fishing:
		w.Fishing = plainShape(f.Raw("fishing"))
	case watchdog.Cable:
		w.Cable = cableOf(f)
	case watchdog.CPA:
		w.CPA = pairsOf(f)
	case watchdog.Feed:
		w.Feed = f.TextOr("feed", "")
	case watchdog.Box:
		f.Inner("box", rule.New("object", "must be an object"))
		w.Box = &struct{}{}
	case watchdog.Port:
		var name string
		if json.Unmarshal(f.Raw("port"), &name) == nil {
			w.Port = &WatchedPort{Name: form.Tidy(name)}
			return
		}
		port := f.Inner("port", rule.New("object", "must be an object"))
		w.Port = &WatchedPort{uint64(port.Integer("id", 0, math.MaxInt64)), port.TextOr("locode", ""), port.TidyOr("name", "")}
	default:
		w.takeKind(f)
	}
}

// cableOf reads a cable: a geometry alone, or one with its buffer.
func cableOf(f *form.Fields) *WatchedCable {
	inner := f.Inner("cable", rule.New("object", "must be an object"))
	if !inner.Given("geometry") && inner.Given("coordinates") {
		return &WatchedCable{Geometry: plainShape(f.Raw("cable"))}
	}
	inner.Require("geometry")
	return &WatchedCable{plainShape(inner.Raw("geometry")), inner.Number("buffer")}
}

// takeNumbers takes what is the same for all types.
func (w *Watchdog) takeNumbers(f *form.Fields) {
	w.Enabled = f.Boolean("enabled", w.Enabled)
	w.Severity = f.TextOr("severity", w.Severity)
	w.CheckDirection = f.Boolean("check_direction", w.CheckDirection)
	w.AnyType = f.Boolean("any_type", w.AnyType)
	for key, at := range map[string]*float64{"draught": &w.Draught, "min_sog": &w.MinSOG, "max_sog": &w.MaxSOG} {
		if f.Given(key) {
			*at = f.Number(key)
		}
	}
	for key, at := range map[string]**float64{"min_cog": &w.MinCOG, "max_cog": &w.MaxCOG} {
		if f.Given(key) {
			n := f.Number(key)
			*at = &n
		}
	}
	w.SamplesToActivate = int(f.Within("samples_to_activate", int64(w.SamplesToActivate), 1, mostCount))
	w.SamplesToDeactivate = int(f.Within("samples_to_deactivate", int64(w.SamplesToDeactivate), 1, mostCount))
	w.SamplesBetween = int(f.Integer("samples_between_trigger", int64(w.SamplesBetween), mostCount))
	w.TimeBetween = int(f.Integer("time_between_triggers", int64(w.TimeBetween), mostCount))
	for key, at := range map[string]*DurationJSON{"window": &w.Window, "inactivity_timeout": &w.Inactivity} {
		if f.Given(key) {
			f.Check(key, at.UnmarshalText([]byte(cmp.Or(f.Text(key), "00:00:00"))))
		}
	}
}

// CheckWatchdog returns what is wrong with a watchdog.
func (r *Resource) CheckWatchdog() (wrong form.Errors) {
	w := r.Watchdog
	if !slices.Contains(Severities(), w.Severity) {
		wrong = append(wrong, wrongKey("severity", rule.New("one_of", "must be one of {words}", "words", strings.Join(Severities(), ", "))))
	}
	for key, at := range map[string]*float64{"min_cog": w.MinCOG, "max_cog": w.MaxCOG} {
		if w.CheckDirection && at == nil {
			wrong = append(wrong, wrongKey(key, rule.New("required", "is required")))
		}
	}
	if w.lacksTarget() {
		wrong = append(wrong, wrongKey(string(w.Type), rule.New("required", "is required")))
	}
	if wrong = append(wrong, w.checkShipless()...); len(wrong) > 0 {
		return wrong
	}
	d, err := r.Watches()
	if w.Anchor != nil && w.Anchor.MMSI != 0 && d.Center == nil {
		d.Center = &geo.Point{} // where the ship lies, which the caller finds
	}
	if err == nil {
		err = d.Polygon.CheckHoles()
	}
	if err == nil {
		_, err = watchdog.New(d)
	}
	var broken *geo.ShapeError
	var field *watchdog.FieldError
	switch {
	case errors.As(err, &broken):
		wrong = append(wrong, wrongKey(w.geometryKey()+broken.Pointer, broken.Rule))
	case errors.As(err, &field):
		wrong = append(wrong, form.Error{Pointer: field.Pointer, Rule: field.Rule})
	case err != nil:
		wrong = append(wrong, wrongKey(w.geometryKey(), rule.Of(err)))
	}
	return wrong
}

// geometryKey is where the geometry stands.
func (w *Watchdog) geometryKey() string {
	switch w.Type {
	case watchdog.Cable:
		return "cable/geometry"
	case watchdog.CPA:
		return "cpa/polygon"
	case watchdog.Route:
		return "route/line"
	case watchdog.LostShip, watchdog.Aid, watchdog.Speed, watchdog.Nameless:
		return string(w.Type) + "/polygon"
	}
	return string(w.Type)
}

// anyPort stands for a port that is still to be found.
const anyPort = 1

// Watches returns what the watchdog tests, without its filter. Of a watchdog of a port the number may be any, and of a ship list the members.
func (r *Resource) Watches() (d watchdog.Spec, err error) {
	w := r.Watchdog
	d = watchdog.Spec{Type: w.Type, Draught: w.Draught, MinSOG: w.MinSOG, MaxSOG: w.MaxSOG, Window: time.Duration(w.Window), AnyType: w.AnyType,
		ToActivate: w.SamplesToActivate, ToDeactivate: w.SamplesToDeactivate, BetweenTriggers: w.SamplesBetween,
		BetweenTimes: time.Duration(w.TimeBetween) * time.Second, Inactivity: time.Duration(w.Inactivity)}
	if w.CheckDirection {
		d.Course = &watchdog.Course{Min: *w.MinCOG, Max: *w.MaxCOG}
	}
	kind, err := w.define(&d)
	if err != nil {
		return d, err
	}
	raw := map[watchdog.Type]json.RawMessage{watchdog.Line: r.Line, watchdog.Polygon: r.Polygon, watchdog.Fishing: w.Fishing}[w.Type]
	switch {
	case w.Port != nil:
		d.Port = cmp.Or(w.Port.ID, anyPort)
	case w.Cable != nil:
		raw, d.Buffer = w.Cable.Geometry, w.Cable.Buffer
	case w.CPA != nil:
		raw, d.CPA, d.TCPA = w.CPA.Polygon, w.CPA.Metres, time.Duration(w.CPA.Seconds)*time.Second
	case kind != nil:
		raw = kind
	}
	if raw == nil {
		return d, nil
	}
	shape, err := geo.ParseShape(raw)
	_, line := shape.(geo.Line)
	if err == nil && w.Type != watchdog.Cable && line != (w.Type == watchdog.Line || w.Type == watchdog.Route) {
		return d, rule.New("other_geometry", "is another kind of shape")
	}
	switch s := shape.(type) {
	case geo.Line:
		d.Line = s
	case geo.Polygon:
		d.Polygon = s
	}
	return d, err
}

// countBytes returns what the watchdog counts of its owner's quota.
func (w *Watchdog) countBytes() int {
	if w == nil {
		return 0
	}
	n := len(w.Fishing) + thingBytes + w.Notices.countBytes() + w.WatchedKinds.countBytes() + len(w.ShipNotification.Text)
	if w.Cable != nil {
		n += len(w.Cable.Geometry)
	}
	if w.CPA != nil {
		n += len(w.CPA.Polygon)
	}
	n += len(w.Feed)
	return n
}

// FilterOf returns the filter of a watchdog, nil for none.
func (r *Resource) FilterOf(names ship.Lookup) (*ship.Filter, error) {
	if r.Filter == "" {
		return nil, nil
	}
	return ship.ParseFilter(r.Filter, names)
}
