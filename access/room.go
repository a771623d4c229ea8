package access

import "fmt"

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

// TooMany is the error of more than there may be; it says of what and how many.
type TooMany string

// Error gives the words.
func (t TooMany) Error() string { return string(t) }

// room is a TooMany when there would be more than there may be, and more than there are.
func room(what string, most, now, then int) error {
	if then > most && then > now {
		return TooMany(fmt.Sprintf("there may be at most %d %s", most, what))
	}
	return nil
}

// Full is a TooMany when a ship list has more ships than there may be, or than its owner lets it have.
func (r *Resource) Full() error {
	if r.Max > 0 && len(r.Ships) > r.Max {
		return TooMany(fmt.Sprintf("%d ships, and the list takes %d", len(r.Ships), r.Max))
	}
	return room("ships in a ship list", MaxListed, 0, len(r.Ships))
}

// plural gives the words of a message.
func (k Kind) plural() string { return [...]string{"ship lists", "shapes", "filters"}[k] }

// room tells whether one more thing of a kind may be made for an owner. The caller holds the lock.
func (l *Library) room(k Kind, owner string) error {
	all, own := len(l.all[k]), 0
	for i := range l.all[k] {
		if l.all[k][i].Owner == owner {
			own++
		}
	}
	if err := room(k.plural(), MaxKept, all, all+1); err != nil {
		return err
	}
	return room(k.plural()+" of one owner", MaxKeptOfOne, own, own+1)
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
	check(room("users", MaxUsers, im.before.users, now.users))
	check(room("groups", MaxGroups, im.before.groups, now.groups))
	for k := range kinds {
		check(room(k.plural(), MaxKept, im.before.kept[k], now.kept[k]))
	}
}
