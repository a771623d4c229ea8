package library

import (
	"cmp"

	"quaywatch/form"
	"quaywatch/rule"
)

// The most that a box takes of each kind. A port has fewer. More of them, by mistake or by intent, would fill the memory.
const (
	MaxKept      = 5000   // ship lists, shapes and filters, of each kind
	MaxKeptOfOne = 1000   // of each kind that one owner makes
	MaxListed    = 50_000 // ships of a ship list
	maxRefs      = 1000   // names in an access list
)

// Full is a TooMany when a ship list has more ships than there may be, or than its owner lets it have.
func (r *Resource) Full() error { return r.room(len(r.Ships)) }

// room is a TooMany when a ship list has no room for so many ships.
func (r *Resource) room(count int) error {
	if r.Max > 0 && count > r.Max {
		return form.TooMany{Rule: rule.New("list_full", "{count} ships, and the list takes {max}", "count", count, "max", r.Max)}
	}
	return form.Room(MaxListed, 0, count, rule.New("too_many_listed", "there may be at most {max} ships in a ship list", "max", MaxListed))
}

// full gives the rules of too many of a kind, of all owners and of one.
func (k Kind) full() (all, own *rule.Rule) {
	switch k {
	case Shapes:
		return rule.New("too_many_shapes", "there may be at most {max} shapes", "max", MaxKept),
			rule.New("too_many_own_shapes", "there may be at most {max} shapes of one owner", "max", MaxKeptOfOne)
	case Filters:
		return rule.New("too_many_filters", "there may be at most {max} filters", "max", MaxKept),
			rule.New("too_many_own_filters", "there may be at most {max} filters of one owner", "max", MaxKeptOfOne)
	}
	return rule.New("too_many_lists", "there may be at most {max} ship lists", "max", MaxKept),
		rule.New("too_many_own_lists", "there may be at most {max} ship lists of one owner", "max", MaxKeptOfOne)
}

// room reports whether an owner may have one more thing of a kind. The caller holds the lock.
func (l *Library) room(k Kind, owner string) error {
	all, own := len(l.all[k]), 0
	for i := range l.all[k] {
		if l.all[k][i].Owner == owner {
			own++
		}
	}
	full, ownFull := k.full()
	return cmp.Or(form.Room(MaxKept, all, all+1, full), form.Room(MaxKeptOfOne, own, own+1, ownFull))
}
