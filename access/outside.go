package access

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// outsideKind is which names of the configuration a key gives.
type outsideKind struct{ word, plural string }

// outside gives the names of the configuration that a key may give; of no kind where it gives none, or nobody knows them.
func (u *Users) outside(key string) (kind outsideKind, known []string) {
	switch key {
	case "psss", "allowed_pss_list", "default_pss_list":
		kind, known = outsideKind{"feed", "feeds"}, u.opts.Feeds
	case "lss_group":
		kind, known = outsideKind{"output", "outputs"}, u.opts.Outputs
	}
	if known == nil {
		kind = outsideKind{}
	}
	return kind, known
}

// Strangers gives the names in these keys of feeds and outputs that the configuration has not, but for those that stood in the same
// key before: the configuration may have lost them since, and has them back tomorrow.
func (u *Users) Strangers(was, now Keys) (wrong []KeyError) {
	for _, key := range slices.Sorted(maps.Keys(now)) {
		kind, known := u.outside(key)
		if kind.word == "" {
			continue
		}
		names, before := namesOf(known), namesOf(refsOf(was[key]))
		for i, name := range refsOf(now[key]) {
			if names.has(name) || before.has(name) {
				continue
			}
			at := fmt.Sprintf("%s/%d", key, i)
			if key == "lss_group" {
				at = key
			}
			wrong = append(wrong, KeyError{at, fmt.Sprintf("names %q, and no %s is named so; %s", name, kind.word, kind.list(known))})
		}
	}
	return wrong
}

// mostListed bounds how many names an error lists.
const mostListed = 50

// list says which names there are.
func (k outsideKind) list(known []string) string {
	switch n := len(known); {
	case n == 0:
		return "the configuration has no " + k.plural
	case n > mostListed:
		return fmt.Sprintf("some of the %s are %s", k.plural, strings.Join(known[:mostListed], ", "))
	}
	return fmt.Sprintf("the %s are %s", k.plural, strings.Join(known, ", "))
}

// warnStrangers tells the log of the users and groups who name what the configuration has not: nobody hears a feed that is gone.
func (u *Users) warnStrangers() {
	tell := func(kind, name string, p *Profile) {
		for _, keys := range []Keys{p.Settings, p.ReceiveFilter} {
			for _, w := range u.Strangers(nil, keys) {
				u.opts.Log.Warn("a setting or filter names what is not configured", kind, name, "key", w.Key, "rule", w.Rule)
			}
		}
	}
	for _, g := range u.Groups() {
		tell(GroupKind, g.Name, &g.Profile)
	}
	for _, user := range u.List() {
		tell(UserKind, user.Name, &user.Profile)
	}
}
