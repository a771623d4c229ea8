package access

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"quaywatch/geo"
	"quaywatch/ship"
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
	Unarmed []string   `json:"without_password"` // users who cannot sign in until they get a password

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
	if im.draft.bestAdmin() < u.bestAdmin() {
		return ErrLastAdmin
	}
	return nil
}

// importer takes a document into a draft.
type importer struct {
	*draft
	doc    *Document
	report *Report
	wrong  DocumentError
	moved  map[string]string // from the uid of a thing here to that of the document
	places map[string]string // the things of the document that have a place, by uid

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
	return &importer{draft: u.draft(), doc: doc, report: &Report{}, moved: map[string]string{}, places: map[string]string{}}
}

func (im *importer) refuse(kind, name, format string, args ...any) {
	im.wrong = append(im.wrong, fmt.Sprintf("%s %q: ", kind, name)+fmt.Sprintf(format, args...))
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
	im.fillGroups()
	im.fillUsers()
	im.keepExpressions()
	im.resolveAll()
	im.tell()
	im.dropFirst()
}

// entries gives those of a kind.
func (im *importer) entries(k Kind) []KeptEntry {
	switch k {
	case Shapes:
		return im.doc.Shapes
	case Filters:
		return im.doc.Filters
	}
	return im.doc.ShipLists
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

func (im *importer) placeGroups() {
	for i := range im.doc.Groups {
		e := &im.doc.Groups[i]
		p := groupPlace{now: &Group{Created: im.opts.Now().UTC()}}
		if there, ok := im.findGroup(e); ok {
			p.id, p.was = there.id, there.group
			copied := *there.group
			p.now = &copied
			delete(im.groups, there.group.UID)
		}
		if err := CheckTitle(e.Name); err != nil {
			im.refuse("group", e.Name, "name: %v", err)
		}
		p.now.UID = im.place("group", e.Name, e.UID, p.now.UID)
		p.now.Name = e.Name
		im.groupsAt = append(im.groupsAt, p)
	}
	for _, p := range im.groupsAt {
		if _, taken := im.group(p.now.Name); taken {
			im.refuse("group", p.now.Name, "name: another group has it here")
		}
		im.groups[p.now.UID] = groupEntry{p.id, p.now}
	}
}

// findGroup finds the group of an entry that is there already: by uid, those of the first start by what they are, else by name.
func (im *importer) findGroup(e *GroupEntry) (groupEntry, bool) {
	if there, ok := im.groups[strings.ToLower(e.UID)]; ok {
		return there, true
	}
	byName := groupEntry{}
	for _, there := range im.groups {
		switch {
		case e.First != "" && there.group.First == e.First:
			return there, true
		case there.group.First != "" && slices.ContainsFunc(im.doc.Groups, func(e GroupEntry) bool { return e.First == there.group.First }):
		case fold(there.group.Name) == fold(e.Name) && (e.UID == "" || !im.inDocument(there.group.UID)):
			byName = there
		}
	}
	return byName, byName.group != nil
}

// inDocument tells whether the document has an entry of its own for what has that uid here.
func (im *importer) inDocument(uid string) bool {
	same := func(other string) bool { return strings.EqualFold(other, uid) }
	return slices.ContainsFunc(im.doc.Groups, func(e GroupEntry) bool { return same(e.UID) }) ||
		slices.ContainsFunc(im.doc.Users, func(e UserEntry) bool { return same(e.UID) }) ||
		slices.ContainsFunc(slices.Concat(im.doc.ShipLists, im.doc.Shapes, im.doc.Filters), func(e KeptEntry) bool { return same(e.UID) })
}

func (im *importer) placeUsers() {
	for i := range im.doc.Users {
		e := &im.doc.Users[i]
		p := userPlace{now: &User{Created: im.opts.Now().UTC(), Stamp: 1}}
		if there, ok := im.findUser(e); ok {
			p.id, p.was = there.id, there.user
			copied := *there.user
			p.now = &copied
			delete(im.byName, fold(there.user.Name))
		}
		if err := CheckName(e.Name); err != nil {
			im.refuse("user", e.Name, "name: %v", err)
		}
		p.now.UID = im.place("user", e.Name, e.UID, p.now.UID)
		p.now.Name = e.Name
		im.usersAt = append(im.usersAt, p)
	}
	for _, p := range im.usersAt {
		if _, taken := im.byName[fold(p.now.Name)]; taken {
			im.refuse("user", p.now.Name, "name: another user has it here")
		}
		im.byName[fold(p.now.Name)] = entry{p.id, p.now}
	}
}

func (im *importer) findUser(e *UserEntry) (entry, bool) {
	for _, there := range im.byName {
		if e.UID != "" && there.user.UID == strings.ToLower(e.UID) {
			return there, true
		}
	}
	there, ok := im.byName[fold(e.Name)]
	return there, ok && (e.UID == "" || !im.inDocument(there.user.UID))
}

func (im *importer) placeKept(k Kind) {
	all := &im.library.all[k]
	for _, e := range im.entries(k) {
		p := keptPlace{now: &Resource{Created: im.opts.Now().UTC()}}
		if i := im.findKept(k, &e); i >= 0 {
			was := (*all)[i]
			copied := was
			p.was, p.now = &was, &copied
			*all = slices.Delete(*all, i, i+1)
		}
		if err := CheckTitle(e.Name); err != nil {
			im.refuse(k.String(), e.Name, "name: %v", err)
		}
		p.now.UID = im.place(k.String(), e.Name, e.UID, p.now.UID)
		p.now.Name = e.Name
		im.keptAt[k] = append(im.keptAt[k], p)
	}
	for i, p := range im.keptAt[k] {
		if slices.ContainsFunc(*all, func(r Resource) bool { return fold(r.Name) == fold(p.now.Name) }) {
			im.refuse(k.String(), p.now.Name, "name: another %s has it here", k)
		}
		if number := im.entries(k)[i].ID; p.was == nil && k == Shapes && !im.numbered(k, number) {
			p.now.ID = number
		}
		*all = append(*all, *p.now)
	}
	im.library.sort(k)
}

// numbered tells whether a thing of the draft has that number.
func (im *importer) numbered(k Kind, number uint64) bool {
	return slices.ContainsFunc(im.library.all[k], func(r Resource) bool { return r.ID == number }) ||
		slices.ContainsFunc(im.keptAt[k], func(p keptPlace) bool { return p.now.ID == number })
}

func (im *importer) findKept(k Kind, e *KeptEntry) int {
	all := im.library.all[k]
	if i := slices.IndexFunc(all, func(r Resource) bool { return e.UID != "" && r.UID == strings.ToLower(e.UID) }); i >= 0 {
		return i
	}
	return slices.IndexFunc(all, func(r Resource) bool {
		return fold(r.Name) == fold(e.Name) && (e.UID == "" || !im.inDocument(r.UID))
	})
}

// follow lets every reference to what took another uid follow.
func (im *importer) follow() {
	for was, now := range im.moved {
		for uid, e := range im.groups {
			if g := *e.group; movedKeys(&g.Profile, was, now) {
				im.groups[uid] = groupEntry{e.id, &g}
				im.dirty[uid] = true
			}
		}
		for name, e := range im.byName {
			user := *e.user
			named := slices.Contains(user.Groups, was)
			if named {
				user.Groups = inPlaceOf(user.Groups, was, now)
			}
			if movedKeys(&user.Profile, was, now) || named {
				im.byName[name] = entry{e.id, &user}
				im.dirty[user.UID] = true
			}
		}
		im.eachKept(func(_ Kind, r *Resource) bool {
			named := r.Owner == was || slices.Contains(r.ACL, was)
			if r.Owner == was {
				r.Owner = now
			}
			if named {
				r.ACL = inPlaceOf(r.ACL, was, now)
			}
			return named
		})
	}
	for i := range im.groupsAt {
		im.groupsAt[i].now = im.groups[im.groupsAt[i].now.UID].group
	}
	for i := range im.usersAt {
		im.usersAt[i].now = im.byName[fold(im.usersAt[i].now.Name)].user
	}
}

// movedKeys lets the references of settings and filters follow, in maps of their own.
func movedKeys(p *Profile, was, now string) (found bool) {
	for _, keys := range []*Keys{&p.Settings, &p.ReceiveFilter, &p.TransmitFilter} {
		for key, raw := range *keys {
			if !bytes.Contains(raw, []byte(`"`+was+`"`)) {
				continue
			}
			*keys = maps.Clone(*keys)
			(*keys)[key] = bytes.ReplaceAll(raw, []byte(`"`+was+`"`), []byte(`"`+now+`"`))
			found = true
		}
	}
	return found
}

// maxText bounds free text.
const maxText = 4000

// text takes a text that is given.
func (im *importer) text(kind, name, key string, given *string, kept *string) {
	if given == nil {
		return
	}
	if len(*given) > maxText {
		im.refuse(kind, name, "%s: may have at most %d bytes", key, maxText)
	}
	*kept = *given
}

// profile takes what users and groups have in common.
func (im *importer) profile(kind string, e *ProfileEntry, p *Profile) {
	im.text(kind, e.Name, "common_name", e.CommonName, &p.CommonName)
	im.text(kind, e.Name, "description", e.Description, &p.Description)
	im.text(kind, e.Name, "email", e.Email, &p.Email)
	im.text(kind, e.Name, "phone", e.Phone, &p.Phone)
	if e.Rights != nil {
		p.Rights = map[Right]Verdict{}
		for right, verdict := range e.Rights {
			switch verdict {
			case Allow, Deny:
				p.Rights[right] = verdict
			case "":
			default:
				im.refuse(kind, e.Name, "access_rights/%s: must be allow, deny or empty", right)
			}
		}
	}
	for _, k := range []struct {
		name  string
		set   KeySet
		given Keys
		kept  *Keys
	}{{"settings", SettingKeys, e.Settings, &p.Settings}, {"receive_filter", ReceiveKeys, e.ReceiveFilter, &p.ReceiveFilter}, {"transmit_filter", TransmitKeys, e.TransmitFilter, &p.TransmitFilter}} {
		if k.given == nil {
			continue
		}
		now, wrong := im.TakeKeys(k.set, nil, k.given)
		for _, w := range wrong {
			im.refuse(kind, e.Name, "%s/%s: %s", k.name, w.Key, w.Rule)
		}
		*k.kept = now
	}
}

func (im *importer) fillGroups() {
	for i, p := range im.groupsAt {
		e := &im.doc.Groups[i]
		im.profile("group", &e.ProfileEntry, &p.now.Profile)
		if e.Locked != nil {
			p.now.Locked = *e.Locked
		}
	}
}

func (im *importer) fillUsers() {
	for i, p := range im.usersAt {
		e := &im.doc.Users[i]
		im.profile("user", &e.ProfileEntry, &p.now.Profile)
		if e.Groups != nil {
			p.now.Groups = im.memberships(e)
		}
		if e.Direct != nil {
			p.now.Direct = *e.Direct
			if err := CheckHosts(e.Direct.Hosts); err != nil {
				im.refuse("user", e.Name, "direct_access/hosts: %v", err)
			}
			if len(p.now.Direct.Hosts) == 0 {
				p.now.Direct.Hosts = nil
			}
		}
		if e.Disabled != nil {
			p.now.Disabled = *e.Disabled
		}
		if e.WarnBefore != nil {
			if p.now.WarnBefore = *e.WarnBefore; p.now.WarnBefore < 0 || p.now.WarnBefore > 3650 {
				im.refuse("user", e.Name, "period_before_expire: must be from 0 to 3650 days")
			}
		}
		if e.Expires != nil {
			im.expires(e, p.now)
		}
		if e.Password != "" {
			if err := CheckPassword(e.Password); err != nil {
				im.refuse("user", e.Name, "%v", err)
			}
			p.now.Hash = hashPassword(e.Password)
		}
		im.byName[fold(e.Name)] = entry{p.id, p.now}
	}
}

func (im *importer) expires(e *UserEntry, user *User) {
	user.Expires = time.Time{}
	if *e.Expires == "" {
		return
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, time.DateOnly} {
		if at, err := time.Parse(layout, *e.Expires); err == nil {
			user.Expires = at.UTC()
			return
		}
	}
	im.refuse("user", e.Name, "expiration_time: must be a time as 2026-11-20T09:43:05Z or a date as 2026-11-20")
}

// memberships gives the uids of the groups that an entry names.
func (im *importer) memberships(e *UserEntry) []string {
	var uids []string
	for i, raw := range e.Groups {
		ref, ok := ParseRef(raw)
		g, known := im.group(ref)
		if !ok || !known {
			im.refuse("user", e.Name, "groups/%d: must name a group, and %s is none", i, raw)
			continue
		}
		if !slices.Contains(uids, g.UID) {
			uids = append(uids, g.UID)
		}
	}
	return uids
}

// leftFilter is a filter of a user or group that the document leaves as it is.
type leftFilter struct {
	kind, name string
	keys       Keys
}

// leftFilters gives the filters that the document leaves as they are.
func (im *importer) leftFilters() (left []leftFilter) {
	given := map[string]*ProfileEntry{}
	for i, p := range im.groupsAt {
		given[p.now.UID] = &im.doc.Groups[i].ProfileEntry
	}
	for i, p := range im.usersAt {
		given[p.now.UID] = &im.doc.Users[i].ProfileEntry
	}
	add := func(kind, uid, name string, p *Profile) {
		e := cmp.Or(given[uid], &ProfileEntry{})
		if e.ReceiveFilter == nil {
			left = append(left, leftFilter{kind, name, p.ReceiveFilter})
		}
		if e.TransmitFilter == nil {
			left = append(left, leftFilter{kind, name, p.TransmitFilter})
		}
	}
	for _, g := range im.allGroups() {
		add(GroupKind, g.UID, g.Name, &g.Profile)
	}
	for _, user := range im.List() {
		add(UserKind, user.UID, user.Name, &user.Profile)
	}
	return left
}

// keepExpressions refuses to rename a ship list or shape whose name the expression of a filter says that the document leaves as it is:
// the filter would hide everything, or mean what takes the name.
func (im *importer) keepExpressions() {
	left := im.leftFilters()
	for _, k := range []Kind{ShipLists, Shapes} {
		for _, p := range im.keptAt[k] {
			if p.was == nil || fold(p.was.Name) == fold(p.now.Name) {
				continue
			}
			for _, f := range left {
				if f.keys.say(k, p.was.Name) {
					im.refuse(k.String(), p.now.Name, "name: here it is %q, and the expression of a filter of the %s %q says so: change that first, or in this document", p.was.Name, f.kind, f.name)
				}
			}
		}
	}
}

// fillKept takes what the things of a kind hold. Filters come last: they may name the others.
func (im *importer) fillKept(k Kind) {
	for i, p := range im.keptAt[k] {
		e := &im.entries(k)[i]
		at := slices.IndexFunc(im.library.all[k], func(r Resource) bool { return r.UID == p.now.UID })
		r := &im.library.all[k][at]
		if len(e.Owner) > 0 {
			ref, ok := ParseRef(e.Owner)
			owner, known := im.Find(ref)
			if !ok || !known {
				im.refuse(k.String(), e.Name, "owner: must name a user, and %s is none", e.Owner)
			} else {
				r.Owner = owner.UID
			}
		}
		if e.ACL != nil {
			acl, unknown := im.TakeACL(e.ACL)
			if unknown >= 0 {
				im.refuse(k.String(), e.Name, "acl/%d: must name a group or user, and %s is none", unknown, e.ACL[unknown])
			}
			r.ACL = acl
		}
		switch k {
		case ShipLists:
			im.fillList(e, r)
		case Shapes:
			im.fillShape(e, r)
		case Filters:
			im.fillFilter(e, r)
		}
		*im.keptAt[k][i].now = *r
	}
}

// misplaced refuses the keys of another kind.
func (im *importer) misplaced(k Kind, e *KeptEntry) {
	for _, key := range []struct {
		name  string
		given bool
		home  Kind
	}{
		{"max", e.Max != nil, ShipLists}, {"ships", e.Ships != nil, ShipLists}, {"polygon", e.Polygon != nil, Shapes}, {"line", e.Line != nil, Shapes},
		{"circle", e.Circle != nil, Shapes}, {"color", e.Color != nil, Shapes}, {"region", e.Region != nil, Shapes}, {"filter", e.Filter != nil, Filters},
	} {
		if key.given && key.home != k {
			im.refuse(k.String(), e.Name, "%s: unknown key", key.name)
		}
	}
}

func (im *importer) fillList(e *KeptEntry, r *Resource) {
	im.misplaced(ShipLists, e)
	if e.Max != nil {
		if r.Max = *e.Max; r.Max < 0 {
			im.refuse("shiplist", e.Name, "max: must be 0 or more")
		}
	}
	if e.Ships != nil {
		r.Ships = e.Ships
	}
	for i, s := range r.Ships {
		if s.MMSI < 0 || s.IMO < 0 || s.IMO > 1<<32-1 || s.MMSI == 0 && s.IMO == 0 && s.CallSign == "" && fold(s.Name) == "" {
			im.refuse("shiplist", e.Name, "ships/%d: needs one of mmsi, imo, callsign and name", i)
		}
	}
	if r.Max > 0 && len(r.Ships) > r.Max {
		im.refuse("shiplist", e.Name, "ships: %d ships, and the list takes %d", len(r.Ships), r.Max)
	}
}

func (im *importer) fillShape(e *KeptEntry, r *Resource) {
	im.misplaced(Shapes, e)
	im.text("shape", e.Name, "color", e.Color, &r.Color)
	if e.Region != nil {
		if r.Region = *e.Region; r.Region < 0 {
			im.refuse("shape", e.Name, "region: must be 0 or more")
		}
	}
	given := 0
	for _, geometry := range []bool{e.Polygon != nil, e.Line != nil, e.Circle != nil} {
		if geometry {
			given++
		}
	}
	if given > 0 {
		r.Polygon, r.Line, r.Circle = e.Polygon, e.Line, e.Circle
	}
	if given > 1 || given == 0 && r.Polygon == nil && r.Line == nil && r.Circle == nil {
		im.refuse("shape", e.Name, "needs exactly one of polygon, line and circle")
		return
	}
	shape, err := r.Geometry()
	if err != nil {
		im.refuse("shape", e.Name, "%v", err)
		return
	}
	_, polygon := shape.(geo.Polygon)
	_, line := shape.(geo.Line)
	if r.Polygon != nil && !polygon || r.Line != nil && !line {
		im.refuse("shape", e.Name, "holds another kind of shape than its key says")
	}
}

func (im *importer) fillFilter(e *KeptEntry, r *Resource) {
	im.misplaced(Filters, e)
	if e.Filter == nil && r.Filter == "" {
		im.refuse("filter", e.Name, "filter: is required")
	}
	im.text("filter", e.Name, "filter", e.Filter, &r.Filter)
	if _, err := ship.ParseFilter(r.Filter, im.anything()); err != nil {
		im.refuse("filter", e.Name, "filter: %v", err)
	}
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

// dropFirst removes the groups of the first start that a whole export, which has that of the administrators, does not have, where
// nobody uses or changed them here: the other box deleted them.
func (im *importer) dropFirst() {
	if !slices.ContainsFunc(im.doc.Groups, func(e GroupEntry) bool { return e.First == GroupAdmin }) {
		return
	}
	for _, g := range im.allGroups() {
		_, given := im.places[g.UID]
		if given || g.First == "" || g.Builtin || !g.Changed.Equal(g.Created) || len(im.referrers(g)) > 0 {
			continue
		}
		im.gone = append(im.gone, im.groups[g.UID].id)
		delete(im.groups, g.UID)
		im.report.Things = append(im.report.Things, Imported{"group", g.Name, "removed"})
	}
}

func (im *importer) tellUser(p userPlace, now time.Time) {
	user := im.byName[fold(p.now.Name)].user
	changed := p.was == nil || !sameStored(*p.was, *user)
	if changed {
		user.Changed = changedAt(user.Changed, now)
		im.dirty[user.UID] = true
	}
	if p.was != nil && p.was.signsInOtherwise(user, now) {
		user.Stamp++
		im.ended = append(im.ended, p.was.UID)
	}
	if user.Hash == "" {
		im.report.Unarmed = append(im.report.Unarmed, user.Name)
	}
	im.note("user", user.Name, p.was != nil, changed)
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

// sameStored tells whether two values say the same on the disk; JSON that differs in white space or in the form of a number only
// does.
func sameStored(a, b any) bool {
	one, err1 := plain(a)
	other, err2 := plain(b)
	return err1 == nil && err2 == nil && reflect.DeepEqual(one, other)
}

// plain gives a value as JSON knows it, with whole numbers as they are and others as float64.
func plain(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	return plainNumbers(tree), nil
}

func plainNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, one := range v {
			v[key] = plainNumbers(one)
		}
	case []any:
		for i, one := range v {
			v[i] = plainNumbers(one)
		}
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return v
		}
		f, err := v.Float64()
		if err != nil {
			return v
		}
		if whole := strconv.FormatFloat(f, 'f', -1, 64); !strings.Contains(whole, ".") {
			return json.Number(whole)
		}
		return f
	}
	return v
}
