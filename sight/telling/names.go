package telling

import (
	"slices"
	"strconv"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
	"quaywatch/users/registry"
)

// NamesFor returns what a filter of a user may name: the ship lists and shapes that the user may use, and ports. A port that was made here is for users that
// may see ports. To a user without view_ata_atd a ship comes to a port and leaves it at the full quarter of an hour.
func NamesFor(user *access.User, kept *library.Library, ports *registry.PortTable) ship.Lookup {
	names := kept.Lookup(func(k library.Kind, o form.Owned) bool {
		admin, _ := k.Rights()
		return user.MayUse(o, right.Name(admin))
	})
	lists := names.ShipList
	names.ShipList = func(name string) (func(*ship.State) bool, bool) {
		if r, ok := kept.Get(library.ShipLists, name); ok && !mayFilterByList(user, &r) {
			return nil, false
		}
		return lists(name)
	}
	if names.Port == nil {
		return names
	}
	limitCalls(user, &names)
	if !user.May(right.ViewPort) {
		limitPorts(user, ports, &names)
	}
	if !user.May(right.ViewATAATD) {
		names.Port = atQuarters(names.Port)
	}
	return names
}

// MayKnowList reports whether a user may know of a ship list, by the type of the watchdog that makes it. When ships come to a port and leave it is only for
// those that are told so.
func MayKnowList(user *access.User, r *library.Resource) bool {
	return r.Of == 0 || r.Watchdog.Type != watchdog.Port || user.May(right.ViewPort) && user.May(right.ViewATAATD)
}

// mayFilterByList reports whether a filter of a user may name a ship list. A list that a watchdog makes is of now, so it is not for a user that is told
// late. A list of ships near others is not for a user from whom a ship may be hidden: it would tell where that ship is.
func mayFilterByList(user *access.User, r *library.Resource) bool {
	if r.Of == 0 {
		return true
	}
	near := r.Watchdog.Type == watchdog.CPA || r.Watchdog.Type == watchdog.Around
	return MayKnowList(user, r) && !user.Paced() && !(near && user.Narrowed())
}

// limitPorts leaves the names of a filter the ports that a user may know of.
func limitPorts(user *access.User, ports *registry.PortTable, names *ship.Lookup) {
	port, bound := names.Port, names.Bound
	names.Port = func(name string) (func(*ship.State, time.Time) bool, bool) {
		var listed []func(*ship.State, time.Time) bool
		for _, seen := range PortsSeen(user, ports.Current(), name) {
			if is, ok := port(strconv.FormatUint(seen.ID, 10)); ok {
				listed = append(listed, is)
			}
		}
		return func(of *ship.State, now time.Time) bool {
			return slices.ContainsFunc(listed, func(is func(*ship.State, time.Time) bool) bool { return is(of, now) })
		}, len(listed) > 0
	}
	names.Bound = func(name string) (func(string) bool, bool) {
		named := ports.Current().Find(name)
		if len(named) == 0 {
			return bound(name)
		}
		var listed []func(string) bool
		for _, area := range named {
			if is, ok := bound(strconv.FormatUint(area.ID, 10)); ok && SeesPort(user, area.ID) {
				listed = append(listed, is)
			}
		}
		return func(typed string) bool {
			return slices.ContainsFunc(listed, func(is func(string) bool) bool { return is(typed) })
		}, len(listed) > 0
	}
}

// atQuarters makes ships come to a port, and leave it, at the full quarter of an hour.
func atQuarters(port func(string) (func(*ship.State, time.Time) bool, bool)) func(string) (func(*ship.State, time.Time) bool, bool) {
	return func(name string) (func(*ship.State, time.Time) bool, bool) {
		is, ok := port(name)
		return func(of *ship.State, now time.Time) bool { return is(of, portcalls.AtQuarter(now)) }, ok
	}
}

// limitCalls leaves the names of a filter what a user may be told of calls. There is no stay without view_history, no arrival without view_ata_atd, and none
// that is longer ago than the user may look back.
func limitCalls(user *access.User, names *ship.Lookup) {
	call, berths := names.Call, names.Berth
	quarters, reach := !user.May(right.ViewATAATD), user.Lookback()
	names.Call = func(asked ship.CallPart) (func(*ship.State, time.Time) (ship.OpenCall, bool), error) {
		if asked >= ship.CallStay && !user.May(right.ViewHistory) {
			return nil, rule.New("needs_right", "needs the right {right}", "right", right.ViewHistory)
		}
		if asked >= ship.CallArrival && quarters {
			return nil, rule.New("needs_right", "needs the right {right}", "right", right.ViewATAATD)
		}
		of, err := call(asked)
		return func(s *ship.State, now time.Time) (ship.OpenCall, bool) {
			if quarters {
				now = portcalls.AtQuarter(now)
			}
			c, ok := of(s, now)
			if reach > 0 && c.Arrived < now.Add(-reach).UnixMilli() {
				c.Arrived = 0
			}
			return c, ok && SeesPort(user, c.Port)
		}, err
	}
	names.Berth = func(match func(string) bool) (func(uint64, int64) bool, bool) {
		if !user.May(right.ViewPort) {
			return nil, false
		}
		return berths(match)
	}
}
