package access

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// View is which ships a user may see: the receive filters of the user and of all groups, the feeds that the settings allow, and
// view_satellites. All of them have to let a ship pass. It is for one Generation; feeds are asked for their tags anew.
//
// What a filter says of single messages (message_types, binary_message_content, allow_addressed_messages) is for streams of
// messages; a View judges ships.
type View struct {
	conditions []condition
}

// condition tells whether a ship may be seen.
type condition func(s *ship.State, now time.Time) bool

// Shows tells whether the user may see the ship. A nil View shows everything.
func (v *View) Shows(s *ship.State, now time.Time) bool {
	if v == nil {
		return true
	}
	for _, holds := range v.conditions {
		if !holds(s, now) {
			return false
		}
	}
	return true
}

// Everything tells whether the view hides nothing.
func (v *View) Everything() bool { return v == nil || len(v.conditions) == 0 }

// View works out what a user may see. The function tags gives the tags of a feed by its name.
func (u *Users) View(of *User, tags func(feed string) []string) *View {
	v := &View{}
	filters := []Keys{of.ReceiveFilter}
	for _, g := range of.groups {
		filters = append(filters, g.ReceiveFilter)
	}
	for _, keys := range filters {
		v.conditions = append(v.conditions, u.conditions(keys, tags)...)
	}
	if raw, ok := of.Setting("allowed_pss_list"); ok {
		feeds := refsOf(raw)
		v.conditions = append(v.conditions, func(s *ship.State, _ time.Time) bool { return s.Feed == "" || holdsFold(feeds, s.Feed) })
	}
	if !of.May(ViewSatellites) {
		v.conditions = append(v.conditions, func(s *ship.State, _ time.Time) bool { return !holdsFold(tags(s.Feed), "satellite") })
	}
	return v
}

func never(*ship.State, time.Time) bool { return false }

// get reads a key of a filter, the zero value when it is not set.
func get[T any](keys Keys, key string) T {
	var v T
	if raw, ok := keys[key]; ok {
		_ = json.Unmarshal(raw, &v) // it was checked when it was written
	}
	return v
}

func holdsFold(list []string, text string) bool {
	return slices.ContainsFunc(list, func(one string) bool { return fold(one) == fold(text) })
}

// conditions are those of one filter.
func (u *Users) conditions(keys Keys, tags func(string) []string) []condition {
	var all []condition
	add := func(set bool, c condition) {
		if set {
			all = append(all, c)
		}
	}
	refs := append(refsOf(keys["areas"]), refsOf(keys["regions"])...)
	add(len(refs) > 0, u.inShapes(refs))
	countries := get[[]int](keys, "countries")
	add(len(countries) > 0, func(s *ship.State, _ time.Time) bool { return slices.Contains(countries, MID(s.MMSI)) })
	add(heardBy(keys, tags))
	add(mobileTypes(keys))
	types := get[[]string](keys, "types_of_ship")
	add(len(types) > 0, shipTypes(types, get[bool](keys, "unsupported_ship_types")))
	add(u.onLists(keys))
	if text := get[string](keys, "expression"); strings.TrimSpace(text) != "" {
		filter, err := ship.ParseFilter(text, u.anything())
		if err != nil { // it names what is gone: it shows nothing rather than too much
			return append(all, never)
		}
		add(true, filter.Match)
	}
	return all
}

// inShapes wants the ship inside one of the shapes.
func (u *Users) inShapes(refs []string) condition {
	var shapes []geo.Shape
	for _, ref := range refs {
		if r, ok := u.library.Find(Shapes, ref); ok {
			if shape, err := r.Geometry(); err == nil {
				shapes = append(shapes, shape)
			}
		}
	}
	return func(s *ship.State, _ time.Time) bool {
		return s.HasFix && slices.ContainsFunc(shapes, func(shape geo.Shape) bool { return shape.Contains(s.Fix.Point()) })
	}
}

// heardBy wants the feed that heard her last on a list, or tagged; both where source_mode_is_and.
func heardBy(keys Keys, tags func(string) []string) (set bool, holds condition) {
	feeds, wanted := refsOf(keys["psss"]), get[[]string](keys, "source_tags")
	tagged := func(feed string) bool {
		return slices.ContainsFunc(tags(feed), func(tag string) bool { return holdsFold(wanted, tag) })
	}
	both := get[bool](keys, "source_mode_is_and")
	return len(feeds) > 0 || len(wanted) > 0, func(s *ship.State, _ time.Time) bool {
		switch {
		case len(wanted) == 0:
			return holdsFold(feeds, s.Feed)
		case len(feeds) == 0:
			return tagged(s.Feed)
		case both:
			return holdsFold(feeds, s.Feed) && tagged(s.Feed)
		}
		return holdsFold(feeds, s.Feed) || tagged(s.Feed)
	}
}

func mobileTypes(keys Keys) (set bool, holds condition) {
	types, others := get[[]string](keys, "mobile_types"), get[bool](keys, "unsupported_mobile_types")
	return len(types) > 0, func(s *ship.State, _ time.Time) bool {
		return slices.Contains(types, s.Class.String()) || others && s.Class == ship.ClassUnknown
	}
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
	return func(s *ship.State, now time.Time) bool {
		if s.Static == nil || s.Static.Type < 20 || s.Static.Type > 99 {
			return others
		}
		return filter.Match(s, now)
	}
}

// onLists wants the ship on one of the lists that the filter includes.
func (u *Users) onLists(keys Keys) (set bool, holds condition) {
	var lists []func(*ship.State) bool
	if get[bool](keys, "include_predefined_ship_list") {
		set = true
		for _, ref := range refsOf(keys["predefined_ship_list"]) {
			if r, ok := u.library.Find(ShipLists, ref); ok {
				lists = append(lists, r.Members())
			}
		}
	}
	if get[bool](keys, "include_user_defined_ship_list") {
		set = true
		var own Resource
		for _, n := range get[[]int64](keys, "user_defined_ship_list_mmsi") {
			own.Ships = append(own.Ships, ListedShip{MMSI: n})
		}
		for _, n := range get[[]int64](keys, "user_defined_ship_list_imo") {
			own.Ships = append(own.Ships, ListedShip{IMO: n})
		}
		for _, sign := range get[[]string](keys, "user_defined_ship_list_callsign") {
			own.Ships = append(own.Ships, ListedShip{CallSign: sign})
		}
		lists = append(lists, own.Members())
	}
	return set, func(s *ship.State, _ time.Time) bool {
		return slices.ContainsFunc(lists, func(member func(*ship.State) bool) bool { return member(s) })
	}
}

// checkExpression reads the expression of a filter that was written.
func (u *Users) checkExpression(set KeySet, keys Keys) []KeyError {
	if set == SettingKeys {
		return nil
	}
	if _, err := ship.ParseFilter(get[string](keys, "expression"), u.anything()); err != nil {
		return []KeyError{{"expression", err.Error()}}
	}
	return nil
}

// MID gives the maritime identification digits of a number, 0 where it has none (ITU-R M.585: MIDxxxxxx of ships, 0MID of
// groups, 00MID of coast stations, 111MID of aircraft, 8MID, 98MID, 99MID of handheld sets, craft and aids).
func MID(m ais.MMSI) int {
	text := fmt.Sprintf("%09d", int64(m))
	if len(text) != 9 {
		return 0
	}
	for _, prefix := range []string{"00", "0", "111", "98", "99", "8"} {
		if rest, ok := strings.CutPrefix(text, prefix); ok {
			text = rest
			break
		}
	}
	mid, err := strconv.Atoi(text[:3])
	if err != nil || mid < 200 || mid > 799 {
		return 0
	}
	return mid
}

// KnownKeys gives the known keys of a set, sorted.
func KnownKeys(set KeySet) []string { return slices.Sorted(maps.Keys(set.rules())) }
