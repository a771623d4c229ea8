package document

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/store/records"
)

// Section is one kind of thing in a document.
type Section struct {
	Key  string // of the document, as "shiplists"
	Kind string // the word of the interface for one thing, as "shiplist"

	Room func(entries int) error // what is wrong with so many entries; it is asked before one of them is read
}

// Collection keeps things of some kinds.
type Collection interface {
	// Sections returns the kinds, in the order in which they stand in a document.
	Sections() []Section
	// Export returns the entries of a section, as they are written in JSON.
	Export(section string) []any
	// Find finds a thing by uid, number or name; false for a kind of others.
	Find(kind, ref string) (form.Ref, bool)
	// Referring returns those that refer to something.
	Referring(to form.Reference) []form.Referrer
	// Owns reports whether a user owns anything here.
	Owns(uid string) bool
	// Draft returns a copy of all that the area keeps, for changes that touch many things.
	Draft(others Others) Draft
}

// Others is what a draft may look up in all drafts.
type Others struct {
	Find   form.Finder
	Shared func(uid string) bool
}

// Draft is a copy of what an area keeps. It is changed and checked freely, and then written in one transaction with the drafts of the
// other areas, or not at all.
type Draft interface {
	// Announce finds which thing is meant by an entry, or makes it. Every entry of every area is announced before one is applied, so that
	// things may name each other.
	Announce(e *Entry)
	// Apply takes the fields of an entry, which was announced.
	Apply(e *Entry)
	// Check returns what is wrong with the whole draft. It notes the changes in the report.
	Check(r *ImportReport)

	// Find is that of the area.
	Find(kind, ref string) (form.Ref, bool)
	// Shares reports whether something is shared with a user or group.
	Shares(uid string) bool
	// Reassign hands what a user owns to another, or puts a group in the place of another, and counts as Box.Reassign says.
	Reassign(kind, from, to string) map[string]int

	// Lock locks the area; Unlock unlocks it. Between them, Stands fails if the area has changed since the copy. Write writes the
	// changes, and Adopt makes the draft the area's content. Follow runs after all areas are unlocked and does what the changes
	// need, such as ending sessions.
	Lock()
	Unlock()
	Stands() error
	Write(tx *records.Tx) error
	Adopt()
	Follow() error
}

// Free is embedded in an area whose things have no owner, and that no other thing names.
type Free struct{}

// Find finds nothing.
func (Free) Find(string, string) (found form.Ref, ok bool) { return found, false }

// Referring returns nothing.
func (Free) Referring(form.Reference) []form.Referrer { return nil }

// Owns returns false.
func (Free) Owns(string) bool { return false }

// FreeDraft is embedded in the draft of such an area.
type FreeDraft struct{ Free }

// Announce does nothing.
func (FreeDraft) Announce(*Entry) {}

// Shares returns false.
func (FreeDraft) Shares(string) bool { return false }

// Reassign changes nothing.
func (FreeDraft) Reassign(string, string, string) map[string]int { return nil }

// Follow does nothing.
func (FreeDraft) Follow() error { return nil }

// Entry is one thing in a document.
type Entry struct {
	*form.Fields
	Section Section
	Name    string // as written
	place   int    // in its section, from 1
	report  *ImportReport
}

// Label names the entry in a report.
func (e *Entry) Label() string {
	if e.Name != "" {
		return fmt.Sprintf("%s %q", e.Section.Kind, form.CutName(e.Name))
	}
	return fmt.Sprintf("%s %d", e.Section.Kind, e.place)
}

// Identify returns the uid of the thing that the entry means, and whether it is there already. That is what has the entry's uid. Else, where the entry has
// none, it is what has its name. Two entries never mean one thing.
func (e *Entry) Identify(there func(uid string) bool, named func(name string) (uid string, ok bool)) (uid string, found bool) {
	uid = strings.ToLower(e.Text("uid"))
	if uid != "" && uuid.Validate(uid) != nil {
		e.Refuse("uid", rule.New("no_uid", "{text} is none", "text", strconv.Quote(uid)))
	}
	if found = uid != "" && there(uid); uid == "" {
		if uid, found = named(e.Name); !found {
			uid = uuid.NewString()
		}
	}
	if other, twice := e.report.places[uid]; twice {
		e.Refuse("", rule.New("same_thing", "the same as {other} of this document", "other", other))
	}
	e.report.places[uid] = e.Label()
	return uid, found
}

// Reference reads a field that names a thing of a kind by uid or name, and returns its uid.
func (e *Entry) Reference(key, kind string, find form.Finder) string {
	ref, ok := form.ParseRef(e.Raw(key))
	found, known := find(kind, ref)
	if !ok || !known {
		e.Refuse(key, rule.New("names_none", "must name a {kind}, and {text} is none", "kind", kind, "text", string(e.Raw(key))))
	}
	return found.UID
}

// Strange notes a name of what this box has not: it is taken all the same.
func (e *Entry) Strange(wrong form.Error) {
	e.report.Strange = append(e.report.Strange, e.Label()+": "+errorLine(wrong))
}

// Done notes what happens to the thing of the entry. was reports whether the thing exists already, changed whether it changes.
func (e *Entry) Done(name string, was, changed bool) {
	e.report.Note(e.Section.Kind, name, was, changed)
}

// Unarmed notes a user that cannot sign in until an administrator gives it a password.
func (e *Entry) Unarmed(name string) { e.report.Unarmed = append(e.report.Unarmed, name) }

// reportErrors moves what is wrong with the fields to the lines of the report, once.
func (e *Entry) reportErrors() {
	for _, wrong := range e.Take() {
		e.report.addLine(e.Label() + ": " + errorLine(wrong))
	}
}

// strict refuses unknown fields: they are typing errors.
func (e *Entry) strict() {
	for _, key := range e.Unread() {
		if key == "password" {
			e.Refuse(key, rule.New("no_secrets", "a document holds none; set it with 'quaywatch user passwd'"))
			continue
		}
		e.Refuse(key, rule.New("unknown_key", "unknown key"))
	}
}

// errorLine words what is wrong with a field as documents do: the key, a colon and the sentence.
func errorLine(wrong form.Error) string {
	if wrong.Pointer == "" {
		return wrong.Rule.Error()
	}
	return strings.TrimPrefix(wrong.Pointer, "/") + ": " + wrong.Rule.Error()
}
