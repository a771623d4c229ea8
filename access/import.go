package access

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/uuid"

	"quaywatch/form"
	"quaywatch/store"
)

// Imported is what an import did, or would do, to one thing.
type Imported struct {
	Kind string `json:"kind"` // "group", "user", "shiplist", "shape", "filter", "register", "port"
	Name string `json:"name"`
	What string `json:"what"` // "added", "changed", "unchanged", "removed"
}

// Report is what an import did, or would do.
type Report struct {
	Things  []Imported `json:"things"`
	Unarmed []string   `json:"without_password"`         // users who cannot sign in until they get a password
	Strange []string   `json:"not_configured,omitempty"` // feeds and outputs that settings and filters name and this box has not

	Entered []Registered `json:"-"` // the register entries that were added or changed
}

// Import takes a document in: what is there already, by its uid or else by its name, becomes as the document says, and takes
// its uid; the rest is added; nothing is removed but what dropFirst says. Everything is checked before anything is written
// (DocumentError), and it is written in one step. New users have no password and cannot sign in. It fails with ErrLastAdmin when
// no administrator were left. A dry one only tells.
func (u *Users) Import(doc *Document, beside Beside, dry bool) (*Report, error) {
	err := errMeanwhile
	for try := 0; try < triesToAmend && errors.Is(err, errMeanwhile); try++ {
		im := newImporter(u, doc)
		if im.last, err = u.library.last(); err != nil {
			break
		}
		im.read()
		ships, ports := im.ships(beside.Register), im.ports(beside.Ports)
		if len(im.wrong) > 0 {
			return nil, im.wrong
		}
		if dry {
			err = im.keepsAdmin(u)
		} else {
			err = im.commit(u, beside, ships, ports)
		}
		if err == nil {
			return im.report, nil
		}
	}
	return nil, fmt.Errorf("import: %w", err)
}

// Beside is what a document holds of beside users, groups and what they keep; nil takes none of it.
type Beside struct {
	Register *Register
	Ports    *Ports
}

// commit writes everything in one step.
func (im *importer) commit(u *Users, beside Beside, ships *shipPlan, ports *portPlan) error {
	adopt := func(more func(*store.Batch) error) error { return u.adopt(im.draft, more) }
	if ports != nil {
		last := adopt
		adopt = func(more func(*store.Batch) error) error {
			return beside.Ports.enter(ports, func(also func(*store.Batch) error) error {
				return last(func(b *store.Batch) error { return errors.Join(more(b), also(b)) })
			})
		}
	}
	if ships == nil {
		return adopt(func(*store.Batch) error { return nil })
	}
	im.report.Entered = ships.entered()
	return beside.Register.enter(ships, adopt)
}

// keepsAdmin is what adopt checks of a draft.
func (im *importer) keepsAdmin(u *Users) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !im.draft.stands(u) {
		return ErrLastAdmin
	}
	return nil
}

// importer takes a document into a draft.
type importer struct {
	*draft
	doc    *Document
	uids   map[string]bool // that the document brings
	before census          // of what there is
	report *Report
	wrong  DocumentError
	moved  map[string]string // from the uid of a thing here to that of the document
	places map[string]string // the things of the document that have a place, by uid
	last   [kinds]uint64     // numbers that were given here

	groupsAt []groupPlace
	usersAt  []userPlace
	keptAt   [kinds][]keptPlace
}

// The places of the document's entries in the draft: what was there (nil for nothing), and what is to be.
type groupPlace struct {
	id  uint64
	was *Group
	now *Group
}

type userPlace struct {
	id  uint64
	was *User
	now *User
}

type keptPlace struct {
	was *Resource
	now *Resource
}

func newImporter(u *Users, doc *Document) *importer {
	d := u.draft()
	d.populated = len(doc.Users) > 0
	return &importer{draft: d, before: d.census(), doc: doc, uids: documentUIDs(doc), report: &Report{}, moved: map[string]string{}, places: map[string]string{}}
}

func (im *importer) refuse(kind, name, format string, args ...any) {
	im.wrong = append(im.wrong, fmt.Sprintf("%s %q: ", kind, name)+fmt.Sprintf(format, args...))
}

// broken refuses a thing for the rules that it breaks.
func (im *importer) broken(kind, name string, wrong form.Errors) {
	for _, w := range wrong {
		key := ""
		if w.Pointer != "" {
			key = w.Pointer[1:] + ": "
		}
		im.refuse(kind, name, "%s%s", key, w.Rule.Error())
	}
}

// read takes everything into the draft: first what is what, then what it holds, as things may name each other.
func (im *importer) read() {
	im.placeGroups()
	im.placeUsers()
	for k := range kinds {
		im.placeKept(k)
	}
	if len(im.wrong) > 0 {
		return // else names would be missed that are there
	}
	im.follow()
	for k := range kinds {
		im.fillKept(k)
	}
	im.keepRegions()
	im.fillGroups()
	im.fillUsers()
	im.keepExpressions()
	im.resolveAll()
	im.tell()
	im.dropFirst()
	im.keepRoom()
}

// place gives the uid of a thing of the document, "" when it has none and is new here.
func (im *importer) place(kind, name, uid, here string) string {
	if uid != "" && uuid.Validate(uid) != nil {
		im.refuse(kind, name, "uid: %q is none", uid)
	}
	now := cmp.Or(strings.ToLower(uid), here, uuid.NewString())
	if here != "" && here != now {
		im.moved[here] = now
	}
	if other, twice := im.places[now]; twice {
		im.refuse(kind, name, "the same as %s of this document", other)
	}
	im.places[now] = fmt.Sprintf("%s %q", kind, name)
	return now
}

// documentUIDs gives the uids that a document brings.
func documentUIDs(doc *Document) map[string]bool {
	uids := map[string]bool{}
	for i := range doc.Groups {
		uids[strings.ToLower(doc.Groups[i].UID)] = true
	}
	for i := range doc.Users {
		uids[strings.ToLower(doc.Users[i].UID)] = true
	}
	for _, kept := range [][]KeptEntry{doc.ShipLists, doc.Shapes, doc.Filters} {
		for i := range kept {
			uids[strings.ToLower(kept[i].UID)] = true
		}
	}
	return uids
}

// inDocument tells whether the document has an entry of its own for what has that uid here.
func (im *importer) inDocument(uid string) bool { return im.uids[uid] }

// follow lets every reference to what took another uid follow. What moved is in no document by its uid of here, so that nothing
// moves twice.
func (im *importer) follow() {
	for uid, e := range im.groups {
		if g := *e.group; im.movedKeys(&g.Profile) {
			im.groups[uid] = groupEntry{e.id, &g}
			im.dirty[uid] = true
		}
	}
	for name, e := range im.byName {
		user, named := *e.user, false
		user.Groups, named = inPlaceOf(user.Groups, im.moved)
		if im.movedKeys(&user.Profile) || named {
			im.byName[name] = entry{e.id, &user}
			im.dirty[user.UID] = true
		}
	}
	im.eachKept(func(_ Kind, r *Resource) (named bool) {
		owner, owned := im.moved[r.Owner]
		if owned {
			r.Owner = owner
		}
		r.ACL, named = inPlaceOf(r.ACL, im.moved)
		return owned || named
	})
	for i := range im.groupsAt {
		im.groupsAt[i].now = im.groups[im.groupsAt[i].now.UID].group
	}
	for i := range im.usersAt {
		im.usersAt[i].now = im.byName[form.Fold(im.usersAt[i].now.Name)].user
	}
}

// movedKeys lets the references of settings and filters follow, in maps of their own.
func (im *importer) movedKeys(p *Profile) (found bool) {
	for _, keys := range []*form.Keys{&p.Settings, &p.ReceiveFilter, &p.TransmitFilter} {
		for key, raw := range *keys {
			now, moved := im.movedRefs(raw)
			if !moved {
				continue
			}
			*keys = maps.Clone(*keys)
			(*keys)[key] = now
			found = true
		}
	}
	return found
}

// movedRefs gives a value with the uids in quotes that moved as they are now; false where none did.
func (im *importer) movedRefs(raw json.RawMessage) (now json.RawMessage, moved bool) {
	parts := bytes.Split(raw, []byte{'"'})
	for i, part := range parts {
		if uid, ok := im.moved[string(part)]; ok {
			parts[i], moved = []byte(uid), true
		}
	}
	return bytes.Join(parts, []byte{'"'}), moved
}

// text takes a text that is given.
func (im *importer) text(kind, name, key string, given *string, kept *string) {
	if given == nil {
		return
	}
	if err := form.CheckText(*given); err != nil {
		im.refuse(kind, name, "%s: %v", key, err)
	}
	*kept = *given
}

// tell compares what was with what is to be, and marks what has to be written.
func (im *importer) tell() {
	now := im.opts.Now().UTC()
	for _, p := range im.groupsAt {
		g := im.groups[p.now.UID].group
		changed := p.was == nil || !sameStored(*p.was, *g)
		if changed {
			g.Changed = changedAt(g.Changed, now)
			im.dirty[g.UID] = true
		}
		im.note("group", g.Name, p.was != nil, changed)
	}
	for _, p := range im.usersAt {
		im.tellUser(p, now)
	}
	for k := range kinds {
		for _, p := range im.keptAt[k] {
			at := slices.IndexFunc(im.library.all[k], func(r Resource) bool { return r.UID == p.now.UID })
			r := &im.library.all[k][at]
			if p.was != nil {
				r.Changed = p.was.Changed
			}
			changed := p.was == nil || !sameStored(*p.was, *r)
			if delete(im.dirty, r.UID); changed {
				r.Changed = changedAt(r.Changed, now)
				im.dirty[r.UID] = true
			}
			im.note(k.String(), r.Name, p.was != nil, changed)
		}
	}
}

func (im *importer) note(kind, name string, was, changed bool) {
	what := "unchanged"
	switch {
	case !was:
		what = "added"
	case changed:
		what = "changed"
	}
	im.report.Things = append(im.report.Things, Imported{kind, name, what})
}
