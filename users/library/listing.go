package library

import (
	"cmp"
	"slices"
	"time"

	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// The ship list of a watchdog is a view: nothing of it is kept. It has the name, the uid, the owner and the access list of its watchdog. Its
// ships come from what knows them now (Options.Listed).

// How long a ship stays on the list of a line after it crossed.
const (
	usualListTimeout = DurationJSON(30 * time.Minute)
	leastListTimeout = DurationJSON(time.Second)
	mostListTimeout  = DurationJSON(7 * 24 * time.Hour)
)

// ListTimeout returns how long a ship stays on the list of a line after its last crossing.
func (w *Watchdog) ListTimeout() time.Duration {
	return time.Duration(cmp.Or(w.ShipListTimeout, usualListTimeout))
}

// takeList takes whether the watchdog makes a ship list, and for how long a crossing counts.
func (w *Watchdog) takeList(f *form.Fields) {
	w.CreateShipList = f.Boolean("create_shiplist", w.CreateShipList)
	if w.CreateShipList && w.Type.Shipless() {
		f.Refuse("create_shiplist", rule.New("watchdog_shipless", "is not for watchdogs of type {type}", "type", string(w.Type)))
	}
	given := f.Given("shiplist_timeout") && f.Text("shiplist_timeout") != ""
	switch {
	case w.Type != watchdog.Line:
		if w.ShipListTimeout = 0; given {
			f.Refuse("shiplist_timeout", rule.New("watchdog_type", "goes with watchdogs of type {type} only", "type", string(watchdog.Line)))
		}
	case given:
		f.Check("shiplist_timeout", w.ShipListTimeout.UnmarshalText([]byte(f.Text("shiplist_timeout"))))
		if t := w.ShipListTimeout; f.Err() == nil && (t < leastListTimeout || t > mostListTimeout) {
			f.Refuse("shiplist_timeout", rule.New("range", "must be from {min} to {max}", "min", form.DurationText(time.Duration(leastListTimeout)),
				"max", form.DurationText(time.Duration(mostListTimeout))))
		}
	default:
		w.ShipListTimeout = cmp.Or(w.ShipListTimeout, usualListTimeout)
	}
}

// Lists reports whether a thing is a watchdog that makes a ship list.
func (r *Resource) Lists() bool { return r.Of == 0 && r.Watchdog != nil && r.Watchdog.CreateShipList }

// shipList returns the ship list of a watchdog, a thing without a name where it makes none.
func (r *Resource) shipList() Resource {
	if !r.Lists() {
		return Resource{}
	}
	view := *r
	view.ID, view.Of, view.Other = 0, r.ID, nil
	return view
}

// listBy returns the watchdog of a ship list whose uid or name is meant, nil for none. The caller holds the lock.
func (l *Library) listBy(means func(*Resource) bool) *Resource {
	for i := range l.all[Watchdogs] {
		if r := &l.all[Watchdogs][i]; r.Lists() && means(r) {
			return r
		}
	}
	return nil
}

func hasUID(folded string) func(*Resource) bool {
	return func(r *Resource) bool { return r.UID == folded }
}

func hasName(folded string) func(*Resource) bool {
	return func(r *Resource) bool { return fold.Name(r.Name) == folded }
}

// findList finds a ship list that a watchdog makes. The caller holds the lock.
func (l *Library) findList(means func(*Resource) bool) (Resource, bool) {
	if r := l.listBy(means); r != nil {
		return r.shipList(), true
	}
	return Resource{}, false
}

// withLists adds the lists of watchdogs to ship lists, by name. The caller holds the lock.
func (l *Library) withLists(lists []Resource) []Resource {
	n := len(lists)
	for i := range l.all[Watchdogs] {
		if r := &l.all[Watchdogs][i]; r.Lists() {
			lists = append(lists, r.shipList())
		}
	}
	if len(lists) > n {
		slices.SortFunc(lists, byFoldedName)
	}
	return lists
}

func byFoldedName(a, b Resource) int { return cmp.Compare(fold.Name(a.Name), fold.Name(b.Name)) }

// ListTaken is the error of a ship list and a watchdog's list of one name; it is an ErrTaken.
type ListTaken struct{ Rule *rule.Rule }

// Error returns the rule.
func (t *ListTaken) Error() string { return t.Rule.Error() }

// Unwrap makes it an ErrTaken.
func (t *ListTaken) Unwrap() error { return form.ErrTaken }

// listTaken returns the error of a name that a ship list and the list of a watchdog would share, nil for none. The caller holds a lock.
func (l *Library) listTaken(k Kind, r *Resource) error {
	named := hasName(fold.Name(r.Name))
	switch {
	case k == ShipLists && l.listBy(named) != nil:
		return &ListTaken{rule.New("list_of_watchdog_taken", "is the name of a watchdog that makes a ship list")}
	case k == Watchdogs && r.Lists() && slices.ContainsFunc(l.all[ShipLists], func(list Resource) bool { return named(&list) }):
		return &ListTaken{rule.New("list_taken", "is the name of a ship list, and that of a watchdog would have it too")}
	}
	return nil
}

// listReferrers are the users and groups whose filters name the list of a watchdog.
type listReferrers struct{ all, byName []form.Referrer }

// listReferrers finds them. The caller holds no lock.
func (l *Library) listReferrers(k Kind, uid string) (by listReferrers) {
	if k != Watchdogs {
		return by
	}
	if r, ok := l.Get(Watchdogs, uid); !ok || !r.Lists() {
		return by
	}
	kind := ShipLists.String()
	by.all = l.box.Referring(form.Reference{Kind: kind, UID: uid, Means: l.means(ShipLists, uid)})
	by.byName = l.box.Referring(form.Reference{Kind: kind, Means: l.byName(ShipLists, uid)})
	return by
}

// referrersOf returns those that a change leaves without what they name.
func (by listReferrers) referrersOf(was, now *Resource) []form.Referrer {
	switch {
	case !now.Lists():
		return by.all
	case fold.Name(was.Name) != fold.Name(now.Name):
		return by.byName
	}
	return nil
}

// listWord is a word that names a ship list, and the key that it stands under.
type listWord struct{ key, word string }

// listWords returns the ship lists that a watchdog names.
func (r *Resource) listWords() (words []listWord) {
	names := form.Existing(func(string, string) (form.Ref, bool) { return form.Ref{}, true })
	names.ShipList = func(word string) (func(*ship.State) bool, bool) {
		words = append(words, listWord{"filter", word})
		return someone, true
	}
	_, _ = r.FilterOf(names) // a filter that cannot be read names nothing
	if word := r.Watchdog.ShipList(); word != "" {
		words = append(words, listWord{"lost/shiplist", word})
	}
	return words
}

// circleKey returns the key under which a watchdog names its own list, or one that depends on it; "" is none.
func (l *Library) circleKey(r *Resource) string {
	if !r.Lists() {
		return ""
	}
	seen := map[string]bool{}
	for _, w := range r.listWords() {
		if l.leadsTo(r, w.word, seen) {
			return w.key
		}
	}
	return ""
}

// leadsTo reports whether the ships of a list depend on a watchdog.
func (l *Library) leadsTo(r *Resource, word string, seen map[string]bool) bool {
	folded := fold.Name(word)
	if folded == r.UID || folded == fold.Name(r.Name) {
		return true
	}
	list, ok := l.Get(ShipLists, word)
	if !ok || list.Of == 0 || seen[list.UID] {
		return false
	}
	if seen[list.UID] = true; list.UID == r.UID {
		return true
	}
	return slices.ContainsFunc(list.listWords(), func(w listWord) bool { return l.leadsTo(r, w.word, seen) })
}

func circleRule() *rule.Rule {
	return rule.New("list_circle", "names the ship list of this watchdog, or one that depends on it")
}

// memberTest returns the test of membership in the list of a watchdog.
func (l *Library) memberTest(r *Resource) func(*ship.State) bool {
	id := r.Of
	return func(s *ship.State) bool { return l.opts.Listed != nil && l.opts.Listed(id, s.MMSI) }
}

// isMoving reports whether a ship list changes by itself.
func (l *Library) isMoving(name string) bool {
	r, ok := l.Get(ShipLists, name)
	return ok && r.Of != 0
}
