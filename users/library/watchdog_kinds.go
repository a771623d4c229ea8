package library

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// WatchedKinds is what the types have that watch more than a place, and the calendar that each type may have.
type WatchedKinds struct {
	Lost     *WatchedShips    `json:"lost,omitempty"`
	Anchor   *WatchedCircle   `json:"anchor,omitempty"`
	Aids     *WatchedAids     `json:"aton,omitempty"`
	Speed    *WatchedSpeed    `json:"speed,omitempty"`
	Route    *WatchedRoute    `json:"route,omitempty"`
	Nameless *WatchedNameless `json:"silent,omitempty"`
	Zone     *WatchedZone     `json:"zone,omitempty"`
	Calendar *WatchedHours    `json:"calendar,omitempty"`
}

// WatchedShips is a ship, or those of a ship list, and the area in which they are watched; none is all of the world.
type WatchedShips struct {
	MMSI     ais.MMSI        `json:"mmsi,omitempty"`
	ShipList string          `json:"shiplist,omitempty"` // its name, as a filter has it
	Polygon  json.RawMessage `json:"polygon,omitempty"`  // GeoJSON
}

// WatchedCircle is a circle, and the ship that is meant; none is each that lies at anchor in it.
type WatchedCircle struct {
	Center json.RawMessage `json:"center,omitempty"` // GeoJSON Point; missing until it is found where the ship lies
	Radius float64         `json:"radius"`           // metres
	MMSI   ais.MMSI        `json:"mmsi,omitempty"`
}

// WatchedAids are the aids to navigation of an area, and how far they may lie from their places.
type WatchedAids struct {
	Polygon json.RawMessage `json:"polygon,omitempty"`
	Radius  float64         `json:"radius"` // metres
}

// WatchedSpeed is an area and its limit.
type WatchedSpeed struct {
	Polygon json.RawMessage `json:"polygon,omitempty"`
	Limit   float64         `json:"limit"` // knots
	Least   DurationJSON    `json:"least"`
}

// WatchedRoute is a line, and the metres to each side of it.
type WatchedRoute struct {
	Line     json.RawMessage `json:"line,omitempty"` // GeoJSON LineString
	Corridor float64         `json:"corridor"`
}

// WatchedNameless is an area, and how long a ship may be heard without static data.
type WatchedNameless struct {
	Polygon json.RawMessage `json:"polygon,omitempty"`
	After   DurationJSON    `json:"after"`
}

// WatchedZone is a ship, and the circle that moves with it.
type WatchedZone struct {
	MMSI   ais.MMSI `json:"mmsi"`
	Radius float64  `json:"radius"` // metres
}

// WatchedHours are the hours in which a watchdog watches.
type WatchedHours struct {
	Zone  string         `json:"zone,omitempty"` // of the zone database, as Europe/Copenhagen; "" is UTC
	Rules []WatchedShift `json:"rules"`
}

// WatchedShift is a part of the day on some days of the week.
type WatchedShift struct {
	Days []string `json:"days"` // mon to sun, on which it begins
	From string   `json:"from"` // HH:MM
	To   string   `json:"to"`   // one that is not after From is on the next day; 24:00 is midnight
}

// What holds where a definition names none.
const (
	usualAidRadius = 50 // metres
	usualLeast     = DurationJSON(time.Minute)
	usualAfter     = DurationJSON(20 * time.Minute)
	mostRules      = 50
	mostMMSI       = 999_999_999
)

// takeKind takes what the watchdog watches, if it is of one of these types.
func (w *Watchdog) takeKind(f *form.Fields) {
	k := &w.WatchedKinds
	in := f.Inner(string(w.Type), rule.New("object", "must be an object"))
	span := func(key string, otherwise DurationJSON) DurationJSON {
		if in.Given(key) {
			in.Check(key, otherwise.UnmarshalText([]byte(in.Text(key))))
		}
		return otherwise
	}
	shape := func(key string) json.RawMessage {
		if !in.Given(key) {
			return nil
		}
		return plainShape(in.Raw(key))
	}
	mmsi := func() ais.MMSI { return ais.MMSI(in.Integer("mmsi", 0, mostMMSI)) }
	switch w.Type {
	case watchdog.LostShip:
		k.Lost = &WatchedShips{mmsi(), in.TidyOr("shiplist", ""), shape("polygon")}
	case watchdog.Anchor:
		k.Anchor = &WatchedCircle{Radius: in.Number("radius"), MMSI: mmsi()}
		if in.Given("center") {
			k.Anchor.Center = (&CircleJSON{Center: in.Raw("center")}).plainCircle().Center
		}
	case watchdog.Aid:
		if k.Aids = (&WatchedAids{shape("polygon"), usualAidRadius}); in.Given("radius") {
			k.Aids.Radius = in.Number("radius")
		}
	case watchdog.Speed:
		k.Speed = &WatchedSpeed{shape("polygon"), in.Number("limit"), span("least", usualLeast)}
	case watchdog.Route:
		k.Route = &WatchedRoute{shape("line"), in.Number("corridor")}
	case watchdog.Nameless:
		k.Nameless = &WatchedNameless{shape("polygon"), span("after", usualAfter)}
	case watchdog.Around:
		k.Zone = &WatchedZone{mmsi(), in.Number("radius")}
	}
}

// takeCalendar takes the hours. They come as a whole; null takes them away.
func (w *Watchdog) takeCalendar(f *form.Fields) {
	if !f.Given("calendar") {
		if f.Said("calendar") {
			w.Calendar = nil
		}
		return
	}
	in := f.Inner("calendar", rule.New("object", "must be an object"))
	hours := &WatchedHours{Zone: in.TextOr("zone", ""), Rules: []WatchedShift{}}
	list := in.List("rules")
	if len(list) > mostRules {
		in.Refuse("rules", rule.New("range", "must be from {min} to {max}", "min", 1, "max", mostRules))
		return
	}
	for _, object := range in.Objects("rules", list) {
		shift := WatchedShift{Days: weekdays(), From: object.TextOr("from", "00:00"), To: object.TextOr("to", "24:00")}
		if object.Given("days") {
			shift.Days = []string{}
			object.Into("days", &shift.Days, rule.New("weekdays", "must be a list of {words}", "words", strings.Join(weekdays(), ", ")))
		}
		hours.Rules = append(hours.Rules, shift)
	}
	w.Calendar = hours
}

func weekdays() []string { return []string{"mon", "tue", "wed", "thu", "fri", "sat", "sun"} }

// calendar returns the hours to calculate with, nil for none.
func (h *WatchedHours) calendar() (*watchdog.Calendar, error) {
	if h == nil {
		return nil, nil
	}
	wrong := func(pointer string, why *rule.Rule) error {
		return &watchdog.FieldError{Pointer: "/calendar" + pointer, Rule: why}
	}
	c := &watchdog.Calendar{}
	if h.Zone != "" {
		zone, err := time.LoadLocation(h.Zone)
		if err != nil || h.Zone == "Local" { // which is another one on each machine
			return nil, wrong("/zone", rule.New("time_zone", "must be a time zone that this machine knows, as Europe/Copenhagen"))
		}
		c.Zone = zone
	}
	for i, r := range h.Rules {
		at := fmt.Sprintf("/rules/%d", i)
		var s watchdog.Shift
		for _, day := range r.Days {
			n := slices.Index(weekdays(), day)
			if n < 0 {
				return nil, wrong(at+"/days", rule.New("weekdays", "must be a list of {words}", "words", strings.Join(weekdays(), ", ")))
			}
			s.Days[(n+1)%7] = true
		}
		var from, to bool
		if s.From, from = minutesOf(r.From); !from {
			return nil, wrong(at+"/from", rule.New("hours", "must be hours and minutes, as 22:00"))
		}
		if s.To, to = minutesOf(r.To); !to {
			return nil, wrong(at+"/to", rule.New("hours", "must be hours and minutes, as 22:00"))
		}
		c.Shifts = append(c.Shifts, s)
	}
	return c, nil
}

// minutesOf reads a time of the day.
func minutesOf(text string) (int, bool) {
	hour, minute, ok := strings.Cut(text, ":")
	h, err := strconv.ParseUint(hour, 10, 8)
	m, wrong := strconv.ParseUint(minute, 10, 8)
	return int(h*60 + m), ok && err == nil && wrong == nil && len(hour) == 2 && len(minute) == 2 && m < 60 && h*60+m <= 24*60
}

// someone stands for the ships of a list that is still to be found.
func someone(*ship.State) bool { return false }

// define adds to a definition what these types have, and the calendar. It returns the geometry. Of a ship list the members may be any.
func (k *WatchedKinds) define(d *watchdog.Spec) (raw json.RawMessage, err error) {
	switch {
	case k.Lost != nil:
		raw, d.Ships.MMSI = k.Lost.Polygon, k.Lost.MMSI
		if k.Lost.ShipList != "" {
			d.Ships.Members = someone
		}
		if k.Lost.MMSI != 0 && k.Lost.ShipList != "" {
			return nil, &watchdog.FieldError{Pointer: "/lost/shiplist", Rule: rule.New("ship_or_list", "must not be given beside mmsi")}
		}
	case k.Anchor != nil:
		if d.Radius, d.Ships.MMSI = k.Anchor.Radius, k.Anchor.MMSI; k.Anchor.Center != nil {
			at, err := form.ParsePoint(k.Anchor.Center)
			if err != nil {
				return nil, &watchdog.FieldError{Pointer: "/anchor/center", Rule: rule.Of(err)}
			}
			d.Center = &at
		}
	case k.Aids != nil:
		raw, d.Radius = k.Aids.Polygon, k.Aids.Radius
	case k.Speed != nil:
		raw, d.Limit, d.Least = k.Speed.Polygon, k.Speed.Limit, time.Duration(k.Speed.Least)
	case k.Route != nil:
		raw, d.Buffer = k.Route.Line, k.Route.Corridor
	case k.Nameless != nil:
		raw, d.After = k.Nameless.Polygon, cmp.Or(time.Duration(k.Nameless.After), -1)
	}
	if k.Zone != nil {
		d.Ships.MMSI, d.Radius = k.Zone.MMSI, k.Zone.Radius
	}
	d.Hours, err = k.Calendar.calendar()
	return raw, err
}

// lacksTarget reports whether the watchdog is of one of these types and lacks what it watches.
func (w *Watchdog) lacksTarget() bool {
	there, known := map[watchdog.Type]bool{watchdog.LostShip: w.Lost != nil, watchdog.Anchor: w.Anchor != nil, watchdog.Aid: w.Aids != nil,
		watchdog.Speed: w.Speed != nil, watchdog.Route: w.Route != nil, watchdog.Nameless: w.Nameless != nil, watchdog.Around: w.Zone != nil}[w.Type]
	return known && !there
}

// ShipList returns the name of the ship list whose ships are watched, "" for none.
func (w *Watchdog) ShipList() string {
	if w.Lost == nil {
		return ""
	}
	return w.Lost.ShipList
}

// Ship returns the ship that is watched, 0 where none is named.
func (w *Watchdog) Ship() ais.MMSI {
	switch {
	case w.Lost != nil:
		return w.Lost.MMSI
	case w.Anchor != nil:
		return w.Anchor.MMSI
	case w.Zone != nil:
		return w.Zone.MMSI
	}
	return 0
}

// checkList checks that the ship list is there.
func (w *Watchdog) checkList(f *form.Fields, names ship.Lookup) {
	if list := w.ShipList(); list != "" && f.Given("lost") {
		if _, ok := membersOf(names, list); !ok {
			f.Refuse("lost/shiplist", rule.New("no_shiplist", "names no ship list that you may use"))
		}
	}
}

func membersOf(names ship.Lookup, list string) (func(*ship.State) bool, bool) {
	if names.ShipList == nil {
		return nil, false
	}
	return names.ShipList(list)
}

// Members returns the ships that are watched, by what the owner may name. It is nil where the watchdog names no ship list.
func (w *Watchdog) Members(names ship.Lookup) (func(*ship.State) bool, error) {
	list := w.ShipList()
	if list == "" {
		return nil, nil
	}
	members, ok := membersOf(names, list)
	if !ok {
		return nil, rule.New("watched_list_gone", "its ship list is no longer there")
	}
	return members, nil
}

// countBytes returns what these types count of a quota.
func (k *WatchedKinds) countBytes() (n int) {
	if k.Lost != nil {
		n += len(k.Lost.Polygon) + len(k.Lost.ShipList)
	}
	if k.Aids != nil {
		n += len(k.Aids.Polygon)
	}
	if k.Speed != nil {
		n += len(k.Speed.Polygon)
	}
	if k.Route != nil {
		n += len(k.Route.Line)
	}
	if k.Nameless != nil {
		n += len(k.Nameless.Polygon)
	}
	if h := k.Calendar; h != nil {
		n += len(h.Zone) + len(h.Rules)*shiftBytes
	}
	return n
}

// shiftBytes is what a part of the day counts.
const shiftBytes = 80
