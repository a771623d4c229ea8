package library

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/ship/watchdog"
)

// distressUID is the uid of the built-in watchdog on every box, so that a document of one box means that of another.
const distressUID = "00000000-0000-4000-8000-000000000970"

// distressName is the name of the built-in watchdog. In a store that had watchdogs before it, another one may have it.
const distressName = "Distress"

// ErrBuiltIn says that a watchdog stays.
var ErrBuiltIn = rule.New("built_in", "is built in, and cannot be deleted")

// BuiltIn tells the watchdog that tells of people in distress. There is one in each store. All users that may see watchdogs may use it, and those that
// administer watchdogs may change a little of it.
func (r *Resource) BuiltIn() bool { return r.Watchdog != nil && r.Watchdog.Type == watchdog.Distress }

// addBuiltIn adds the built-in watchdog to a store that has none yet. In a new store it gets the number 1.
func (l *Library) addBuiltIn() error {
	if slices.ContainsFunc(l.all[Watchdogs], func(r Resource) bool { return r.BuiltIn() }) {
		return nil
	}
	now := l.opts.Now().UTC()
	r := Resource{UID: distressUID, Name: distressName, Created: now, Changed: now,
		Watchdog: &Watchdog{Type: watchdog.Distress, Enabled: true, Severity: "alert", SamplesToActivate: 1, SamplesToDeactivate: 1}}
	for n := 2; l.indexOf(Watchdogs, r.Name) >= 0; n++ {
		r.Name = fmt.Sprintf("%s %d", distressName, n)
	}
	var err error
	if r.ID, err = l.tables[Watchdogs].Insert(r.Name, r); err != nil {
		return fmt.Errorf("add the watchdog %s: %w", r.Name, err)
	}
	l.all[Watchdogs] = append(l.all[Watchdogs], r)
	l.sort(Watchdogs)
	return nil
}

// changeable are the fields of the built-in watchdog that may be changed.
func changeable() []string {
	return append(form.JSONKeys(reflect.TypeFor[Notices]()), append(form.JSONKeys(reflect.TypeFor[Escalation]()), "test_mode")...)
}

// applyBuiltIn takes what may be changed of the built-in watchdog. Another one cannot be made. A field that says what holds anyway may be given.
func applyBuiltIn(f *form.Fields, was *Resource, r *Resource, find form.Finder) {
	if !was.BuiltIn() {
		r.Watchdog = &Watchdog{Type: watchdog.Distress}
		f.Refuse("type", rule.New("built_in_one", "is built in: there is one watchdog of it, and no other can be made"))
		return
	}
	w := *was.Watchdog
	w.applyNotices(f, find)
	w.TestMode = f.Boolean("test_mode", w.TestMode)
	w.Escalation = w.Escalation.readFields(f, find)
	r.Watchdog = &w
	holds := form.Keys{}
	if text, err := json.Marshal(was.Watchdog); err == nil { // it was read from such a text
		_ = json.Unmarshal(text, &holds)
	}
	free := changeable()
	for _, key := range append(form.JSONKeys(reflect.TypeFor[Watchdog]()), "polygon", "line", "filter") {
		if !slices.Contains(free, key) && f.Given(key) && !sameValue(f.Raw(key), holds[key]) {
			f.Refuse(key, fixedRule())
		}
	}
	if r.Name != was.Name {
		f.Refuse("name", fixedRule())
	}
	if !slices.Equal(r.ACL, was.ACL) {
		f.Refuse("acl", fixedRule())
	}
}

func fixedRule() *rule.Rule {
	return rule.New("built_in_fixed", "cannot be changed: the watchdog is built in")
}

// sameValue reports whether a field says what holds. Where nothing holds, a field that is empty says that.
func sameValue(field, holds json.RawMessage) bool {
	if holds == nil {
		return slices.Contains([]string{"false", "0", `""`, "[]", "{}", `"00:00:00"`}, strings.TrimSpace(string(field)))
	}
	return form.Same(field, holds)
}
