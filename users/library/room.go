package library

import (
	"cmp"

	"quaywatch/form"
	"quaywatch/internal/rule"
)

// The most that a box takes of each kind. A port has fewer. More of them, by mistake or by intent, would fill the memory.
const (
	MaxKept      = 5000   // ship lists, shapes, filters and watchdogs, of each kind
	MaxKeptOfOne = 1000   // of each kind that one owner makes
	MaxListed    = 50_000 // ships of a ship list
	maxRefs      = 1000   // names in an access list

	DefaultQuota = 16 << 20 // bytes of all that one owner makes
)

// Full is a TooMany when a ship list has more ships than there may be, or than its owner lets it have.
func (r *Resource) Full() error { return r.checkRoom(len(r.Ships)) }

// checkRoom is a TooMany when a ship list has no room for so many ships.
func (r *Resource) checkRoom(count int) error {
	if r.Max > 0 && count > r.Max {
		return form.TooMany{Rule: rule.New("list_full", "{count} ships, and the list takes {max}", "count", count, "max", r.Max)}
	}
	return form.Room(MaxListed, 0, count, rule.New("too_many_listed", "there may be at most {max} ships in a ship list", "max", MaxListed))
}

// fullRules returns the rules of too many of a kind, of all owners and of one.
func (k Kind) fullRules() (all, own *rule.Rule) {
	switch k {
	case Shapes:
		return rule.New("too_many_shapes", "there may be at most {max} shapes", "max", MaxKept),
			rule.New("too_many_own_shapes", "there may be at most {max} shapes of one owner", "max", MaxKeptOfOne)
	case Filters:
		return rule.New("too_many_filters", "there may be at most {max} filters", "max", MaxKept),
			rule.New("too_many_own_filters", "there may be at most {max} filters of one owner", "max", MaxKeptOfOne)
	case Watchdogs:
		return rule.New("too_many_watchdogs", "there may be at most {max} watchdogs", "max", MaxKept),
			rule.New("too_many_own_watchdogs", "there may be at most {max} watchdogs of one owner", "max", MaxKeptOfOne)
	}
	return rule.New("too_many_lists", "there may be at most {max} ship lists", "max", MaxKept),
		rule.New("too_many_own_lists", "there may be at most {max} ship lists of one owner", "max", MaxKeptOfOne)
}

// checkRoom reports whether an owner may have one more thing of a kind. The caller holds the lock.
func (l *Library) checkRoom(k Kind, owner string) error {
	all, own := len(l.all[k]), 0
	for i := range l.all[k] {
		if l.all[k][i].Owner == owner {
			own++
		}
	}
	full, ownFull := k.fullRules()
	return cmp.Or(form.Room(MaxKept, all, all+1, full), form.Room(MaxKeptOfOne, own, own+1, ownFull))
}

// countBytes returns what a thing counts of its owner's quota: its texts and numbers, as long as they are in the interface.
func (r *Resource) countBytes() int64 {
	n := len(r.Name) + len(r.Polygon) + len(r.Line) + len(r.Color) + len(r.Filter) + r.Watchdog.countBytes()
	if r.Circle != nil {
		n += len(r.Circle.Center)
	}
	for i := range r.Ships {
		n += len(r.Ships[i].Name) + len(r.Ships[i].CallSign) + listedBytes
	}
	for key, value := range r.Other {
		n += len(key) + len(value)
	}
	return int64(n + (len(r.ACL)+len(r.alerted()))*uidBytes + thingBytes)
}

// What the numbers and keys take, about.
const (
	listedBytes = 48  // of a ship of a list
	uidBytes    = 40  // of a name in an access list, or of those that alerts concern
	thingBytes  = 240 // of a thing: uid, owner, times
)

// bytesByOwner adds up what each owner keeps. The caller holds the lock, or is alone.
func (l *Library) bytesByOwner() map[string]int64 {
	stored := map[string]int64{}
	for k := range kinds {
		for i := range l.all[k] {
			stored[l.all[k][i].Owner] += l.all[k][i].countBytes()
		}
	}
	return stored
}

// unweigh takes a thing off what its owner keeps. The caller holds the lock.
func (l *Library) unweigh(r *Resource) {
	if l.stored[r.Owner] -= r.countBytes(); l.stored[r.Owner] <= 0 {
		delete(l.stored, r.Owner)
	}
}

// weight reports whether an owner may keep a thing as it becomes. Nothing may grow above the quota; what an import or a reassignment brought
// above it may stay and shrink.
func (l *Library) weight(was, now *Resource) error {
	l.mu.RLock()
	defer l.mu.RUnlock()
	grown := now.countBytes()
	if was.UID != "" {
		grown -= was.countBytes()
	}
	if then := l.stored[now.Owner] + grown; grown > 0 && then > l.opts.Quota {
		return form.TooMany{Rule: rule.New("too_many_bytes", "what one owner keeps may have at most {max} bytes, and would have {count}",
			"max", l.opts.Quota, "count", then)}
	}
	return nil
}

// Stored returns the bytes that a user keeps, and how many it may keep.
func (l *Library) Stored(owner string) (bytes, most int64) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.stored[owner], l.opts.Quota
}
