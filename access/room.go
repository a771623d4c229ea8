package access

import (
	"cmp"

	"quaywatch/form"
	"quaywatch/rule"
)

// How many there may be: more than any port has, and few enough that nobody fills the memory, or stands in the way of others, by mistake
// or on purpose. What an older database has more of stays.
const (
	MaxUsers      = 5000
	MaxGroups     = 1000
	MaxKept       = 5000   // ship lists, shapes and filters, of each kind
	MaxKeptOfOne  = 1000   // of each kind that one owner makes
	MaxListed     = 50_000 // ships of a ship list
	MaxRegistered = 50_000
	MaxMadePorts  = 5000
	maxRefs       = 1000 // names in an access list, and in one key of a filter or setting
)

// Full is a TooMany when a ship list has more ships than there may be, or than its owner lets it have.
func (r *Resource) Full() error {
	if r.Max > 0 && len(r.Ships) > r.Max {
		return form.TooMany{Rule: rule.New("list_full", "{count} ships, and the list takes {max}", "count", len(r.Ships), "max", r.Max)}
	}
	return form.Room(MaxListed, 0, len(r.Ships), rule.New("too_many_listed", "there may be at most {max} ships in a ship list", "max", MaxListed))
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

func roomForUsers(now, then int) error {
	return form.Room(MaxUsers, now, then, rule.New("too_many_users", "there may be at most {max} users", "max", MaxUsers))
}

func roomForGroups(now, then int) error {
	return form.Room(MaxGroups, now, then, rule.New("too_many_groups", "there may be at most {max} groups", "max", MaxGroups))
}

// room tells whether one more thing of a kind may be made for an owner. The caller holds the lock.
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

// census counts what there is.
type census struct {
	users, groups int
	kept          [kinds]int
}

// census counts what a draft holds.
func (d *draft) census() census {
	c := census{users: len(d.byName), groups: len(d.groups)}
	for k := range kinds {
		c.kept[k] = len(d.library.all[k])
	}
	return c
}

// keepRoom refuses a document that makes more than there may be. How many are of one owner is not asked: what users left came to
// others, or is nobody's, and has to get into a second box.
func (im *importer) keepRoom() {
	now := im.draft.census()
	check := func(err error) {
		if err != nil {
			im.wrong = append(im.wrong, err.Error())
		}
	}
	check(roomForUsers(im.before.users, now.users))
	check(roomForGroups(im.before.groups, now.groups))
	for k := range kinds {
		full, _ := k.full()
		check(form.Room(MaxKept, im.before.kept[k], now.kept[k], full))
	}
}
