package filter

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
)

// View is what a user may see. It joins the receive filters of the user and of all groups, the feeds that the settings name, and
// view_satellites. Each of them must let a ship or message pass. A view holds until anything that it names
// changes, but tags of feeds are read anew. A
// nil View shows everything. Shows and ShowsMessage do not allocate: a stream calls them for every message.
type View struct {
	conditions []condition
	numbered   int // conditions and sources that the number of a ship decides alone, or that hide nothing
	sources    []source
	feeds      form.Names // of allowed_pss_list; nil is all
	noSky      bool       // no satellites
	messages   messageRules
	pace       ShipPace
}

// condition reports whether a ship may be seen.
type condition func(s *ship.State, now time.Time) bool

// source reports whether the ships of a feed may be seen. The feed "" means a ship that was entered by hand.
type source func(feed string) bool

// Shows reports whether the user may see the ship. One feed that hears the ship must pass all rules about feeds, and the ship must
// pass all other rules. Rules about single messages do not count here.
func (v *View) Shows(s *ship.State, now time.Time) bool {
	if v == nil {
		return true
	}
	for _, holds := range v.conditions {
		if !holds(s, now) {
			return false
		}
	}
	return len(v.sources) == 0 || s.HeardBy(v.Hears)
}

// ShowsFix reports whether the user may see a past fix of a ship that the user may see. A fix that perhaps only a satellite heard
// is a satellite's fix.
func (v *View) ShowsFix(f *ship.Fix) bool {
	return v == nil || !v.noSky || f.Mark&ship.BySatellite == 0
}

// Tell removes from a ship the feeds that the user may not know of. The user of one feed is not told that another feed heard the
// ship too.
func (v *View) Tell(s *ship.State) {
	if !v.Chooses() {
		return
	}
	s.Feeds = s.Feeds.Filter(v.Hears)
	if !v.Hears(s.Feed) {
		s.Feeds.Any(func(feed string) bool { s.Feed = feed; return true })
	}
}

// Chooses reports whether some feeds may be hidden from the user.
func (v *View) Chooses() bool { return v != nil && len(v.sources) > 0 }

// Hears reports whether the rules about feeds let the user have what a feed heard.
func (v *View) Hears(feed string) bool {
	if v == nil {
		return true
	}
	for _, holds := range v.sources {
		if !holds(feed) {
			return false
		}
	}
	return true
}

// ShowsMessage reports whether the user may have a message, by the rules about the message and about its sender; Hears covers the
// feeds. The state is the sender's after this message.
func (v *View) ShowsMessage(t *ais.Traits, s *ship.State, now time.Time) bool {
	return v == nil || v.messages.letsThrough(t) && v.Shows(s, now)
}

// SeesFeed reports whether the user may know of a feed.
func (v *View) SeesFeed(feed string) bool { return v == nil || v.feeds == nil || v.feeds.Has(feed) }

// Everything reports whether the view hides no ship. It may still hide messages.
func (v *View) Everything() bool { return v == nil || len(v.conditions)+len(v.sources) == 0 }

// ByNumber reports whether the number of a ship alone decides whether the view shows it.
func (v *View) ByNumber() bool { return v == nil || len(v.conditions)+len(v.sources) == v.numbered }

// Pace returns how late, and how often, the user gets a ship.
func (v *View) Pace() ShipPace {
	if v == nil {
		return ShipPace{}
	}
	return v.pace
}

// Rules are what makes the view of a user.
type Rules struct {
	Filters      []form.Keys                // the receive filters of the user and of its groups
	Feeds, Usual json.RawMessage            // the settings allowed_pss_list and default_pss_list; nil is none
	Satellites   bool                       // ships that only satellites hear may be seen
	Own          []ais.MMSI                 // the user's own ships, sorted
	Tags         func(feed string) []string // of a feed by its name
}

// View works out what may be seen by some rules.
func (n *NameSource) View(r Rules) *View {
	v := &View{}
	sourced := false
	for _, keys := range r.Filters {
		v.conditions = append(v.conditions, n.conditions(keys)...)
		if len(get[[]int](keys, "countries")) > 0 {
			v.numbered++
		}
		v.messages.add(keys)
		v.pace.add(keys)
		if NamesFeeds(keys) {
			v.sources, sourced = append(v.sources, heardBy(keys, r.Tags)), true
		}
	}
	v.messages.own = r.Own
	v.pace.key = v.pace.paceText()
	if r.Feeds != nil {
		v.feeds = form.NamesOf(refsOf(r.Feeds))
		v.sources = append(v.sources, fromFeeds(refsOf(r.Feeds)))
	}
	if r.Usual != nil && !sourced {
		v.sources = append(v.sources, fromFeeds(refsOf(r.Usual)))
	}
	if v.noSky = !r.Satellites; v.noSky {
		sky := func(feed string) bool { return ais.HasSatelliteTag(r.Tags(feed)) }
		v.sources = append(v.sources, func(feed string) bool { return !sky(feed) })
		if !slices.ContainsFunc(n.Feeds, sky) {
			v.numbered++
		}
	}
	return v
}

// TransmitView works out what some transmit filters let a sender send.
func (n *NameSource) TransmitView(filters []form.Keys) *View {
	v := &View{}
	names := Transmit.Keys()
	for _, keys := range filters {
		known := maps.Clone(keys) // a filter may hold keys that only the receive filter knows
		maps.DeleteFunc(known, func(key string, _ json.RawMessage) bool { return !slices.Contains(names, key) })
		v.conditions = append(v.conditions, n.conditions(known)...)
		v.messages.add(known)
	}
	return v
}

func never(*ship.State, time.Time) bool { return false }

// get reads a key of a filter, the zero value when it is not set.
func get[T any](keys form.Keys, key string) T {
	var v T
	if raw, ok := keys[key]; ok {
		_ = json.Unmarshal(raw, &v) // it was checked when it was written
	}
	return v
}

// fromFeeds accepts these feeds, and ships that were entered by hand.
func fromFeeds(feeds []string) source {
	names := form.NamesOf(feeds)
	return func(feed string) bool { return feed == "" || names.Has(feed) }
}

// conditions are those of one filter, but for its feeds.
func (n *NameSource) conditions(keys form.Keys) []condition {
	var all []condition
	add := func(set bool, c condition) {
		if set {
			all = append(all, c)
		}
	}
	refs := shapesOf(keys)
	add(len(refs) > 0, inShapes(refs, n.Lookup))
	countries := get[[]int](keys, "countries")
	add(len(countries) > 0, ofCountries(countries))
	add(mobileTypes(keys))
	types := get[[]string](keys, "types_of_ship")
	add(len(types) > 0, shipTypes(types, get[bool](keys, "unsupported_ship_types")))
	add(onLists(keys, n.Lookup))
	if text := get[string](keys, "expression"); strings.TrimSpace(text) != "" {
		filter, err := ship.ParseFilter(text, n.Lookup)
		if err != nil { // it names what is gone: it shows nothing rather than too much
			return append(all, never)
		}
		add(true, filter.Match)
	}
	return all
}

func shapesOf(keys form.Keys) []string {
	return append(refsOf(keys["areas"]), refsOf(keys["regions"])...)
}

// ofCountries wants the maritime identification digits of the ship among these.
func ofCountries(mids []int) condition {
	var wanted [1000]bool
	for _, mid := range mids {
		if mid > 0 && mid < len(wanted) { // what has no digits is of no country
			wanted[mid] = true
		}
	}
	return func(s *ship.State, _ time.Time) bool { return wanted[midOf(s.MMSI)] }
}

// areasOf returns the shapes that are there, and what they ask of each ship.
func areasOf(refs []string, find ship.Lookup) (areas []*geo.Area, cost int) {
	for _, ref := range refs {
		if area, ok := find.Shape(ref); ok {
			areas = append(areas, area)
			cost += 1 + area.Cost()
		}
	}
	return areas, cost
}

// inShapes wants the ship inside one of the shapes.
func inShapes(refs []string, find ship.Lookup) condition {
	areas, cost := areasOf(refs, find)
	if cost > ship.MaxFilterCost { // a shape has grown: it shows nothing rather than too much
		return never
	}
	return func(s *ship.State, _ time.Time) bool {
		if !s.HasFix {
			return false
		}
		at := s.Fix.Point()
		for i := range areas {
			if areas[i].Contains(at) {
				return true
			}
		}
		return false
	}
}

// NamesFeeds reports whether a filter itself names its feeds.
func NamesFeeds(keys form.Keys) bool {
	return len(refsOf(keys["psss"])) > 0 || len(get[[]string](keys, "source_tags")) > 0
}

// heardBy wants the feed on a list, or tagged; both where source_mode_is_and.
func heardBy(keys form.Keys, tags func(string) []string) source {
	feeds, wanted := form.NamesOf(refsOf(keys["psss"])), form.NamesOf(get[[]string](keys, "source_tags"))
	both := get[bool](keys, "source_mode_is_and")
	return func(feed string) bool {
		switch {
		case len(wanted) == 0:
			return feeds.Has(feed)
		case len(feeds) == 0:
			return wanted.HasAny(tags(feed))
		case both:
			return feeds.Has(feed) && wanted.HasAny(tags(feed))
		}
		return feeds.Has(feed) || wanted.HasAny(tags(feed))
	}
}

func mobileTypes(keys form.Keys) (set bool, holds condition) {
	types := get[[]string](keys, "mobile_types")
	var wanted [ship.ClassCount]bool
	for c := range wanted {
		wanted[c] = slices.Contains(types, ship.Class(c).String())
	}
	wanted[ship.ClassUnknown] = wanted[ship.ClassUnknown] || get[bool](keys, "unsupported_mobile_types")
	return len(types) > 0, func(s *ship.State, _ time.Time) bool { return int(s.Class) < len(wanted) && wanted[s.Class] }
}

// shipTypes wants the ship type in one of the groups or codes; what is no type of the standard passes where others is set.
func shipTypes(types []string, others bool) condition {
	var terms []string
	for _, text := range types {
		if _, err := strconv.Atoi(text); err == nil {
			terms = append(terms, "type_code = "+text)
		} else {
			terms = append(terms, fmt.Sprintf("type = %s", strconv.Quote(text)))
		}
	}
	filter, err := ship.ParseFilter(strings.Join(terms, " or "), ship.Lookup{})
	if err != nil {
		return never
	}
	var wanted [256]bool
	trial := ship.State{Static: &ship.Static{}}
	for code := range wanted {
		if code < firstType || code > lastType {
			wanted[code] = others
			continue
		}
		trial.Static.Type = ais.ShipType(code)
		wanted[code] = filter.Match(&trial, time.Time{})
	}
	return func(s *ship.State, _ time.Time) bool {
		if s.Static == nil {
			return others
		}
		return wanted[s.Static.Type]
	}
}

// onLists wants the ship on one of the lists that the filter includes.
func onLists(keys form.Keys, find ship.Lookup) (set bool, holds condition) {
	var lists []func(*ship.State) bool
	if get[bool](keys, "include_predefined_ship_list") {
		set = true
		for _, ref := range refsOf(keys["predefined_ship_list"]) {
			if member, ok := find.ShipList(ref); ok {
				lists = append(lists, member)
			}
		}
	}
	if get[bool](keys, "include_user_defined_ship_list") {
		set = true
		var own []ship.Listed
		for _, n := range get[[]int64](keys, "user_defined_ship_list_mmsi") {
			own = append(own, ship.Listed{MMSI: n})
		}
		for _, n := range get[[]int64](keys, "user_defined_ship_list_imo") {
			own = append(own, ship.Listed{IMO: n})
		}
		for _, sign := range get[[]string](keys, "user_defined_ship_list_callsign") {
			own = append(own, ship.Listed{CallSign: sign})
		}
		lists = append(lists, ship.Members(own))
	}
	return set, func(s *ship.State, _ time.Time) bool {
		for _, member := range lists {
			if member(s) {
				return true
			}
		}
		return false
	}
}

// checkExpression reads the expression of a filter that was written, and sums up what its shapes cost.
func (n *NameSource) checkExpression(set KnownKeys, keys form.Keys) form.Errors {
	if set == Settings {
		return nil
	}
	if _, err := ship.ParseFilter(get[string](keys, "expression"), n.Lookup); err != nil {
		return form.Errors{{Pointer: "/expression", Rule: rule.Of(err)}}
	}
	if _, cost := areasOf(shapesOf(keys), n.Lookup); set == Receive && cost > ship.MaxFilterCost {
		return form.Errors{{Pointer: "/areas", Rule: ship.TooCostly(cost)}}
	}
	return nil
}

// Costly reports whether a receive filter asks too much of each ship when the lookup gives what it names.
func Costly(keys form.Keys, lookup ship.Lookup) bool {
	_, err := ship.ParseFilter(get[string](keys, "expression"), lookup)
	_, cost := areasOf(shapesOf(keys), lookup)
	return ship.IsCostly(err) || cost > ship.MaxFilterCost
}

// midOf returns the maritime identification digits of a number, 0 where it has none. By ITU-R M.585 they are in MIDxxxxxx of ships, 0MID of groups, 00MID of
// coast stations and 111MID of aircraft. They are also in 8MID, 98MID, 99MID of handheld sets, craft and aids.
func midOf(m ais.MMSI) int {
	var mid ais.MMSI
	switch {
	case m < 1 || m > 999999999:
		return 0
	case m < 10000000:
		mid = m / 10000
	case m < 100000000:
		mid = m / 100000
	case m/1000000 == 111:
		mid = m / 1000 % 1000
	case m >= 980000000:
		mid = m / 10000 % 1000
	case m >= 800000000 && m < 900000000:
		mid = m / 100000 % 1000
	default:
		mid = m / 1000000
	}
	if mid < 200 || mid > 799 {
		return 0
	}
	return int(mid)
}
