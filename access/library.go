package access

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/google/uuid"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/store"
)

// Kind tells the things apart that users keep and share.
type Kind uint8

// The kinds.
const (
	ShipLists Kind = iota
	Shapes
	Filters
	kinds
)

// String gives the word of the interface.
func (k Kind) String() string { return [...]string{"shiplist", "shape", "filter"}[k] }

// rights over things of the kind: to change those of others, and to name others in one's own.
func (k Kind) rights() (admin, share Right) {
	switch k {
	case Shapes:
		return AdminShapes, ShareShapes
	case Filters:
		return AdminFilters, ShareFilters
	}
	return AdminShipLists, ShareShipLists
}

// ListedShip is one ship of a list. The first given of MMSI, IMO number, call sign and name decides who is meant.
type ListedShip struct {
	MMSI     int64  `json:"mmsi,omitempty"`
	IMO      int64  `json:"imo,omitempty"`
	Name     string `json:"name,omitempty"`
	CallSign string `json:"callsign,omitempty"`
}

// Circle is a circle as the interface writes it.
type Circle struct {
	Center json.RawMessage `json:"center"` // GeoJSON Point
	Radius float64         `json:"radius"` // metres
}

// Resource is one thing that users keep: a ship list (Max, Ships), a shape (Polygon, Line or Circle, Color, Region) or a
// saved filter (Filter). It is a value; what it points to is never changed.
type Resource struct {
	ID    uint64   `json:"-"`
	UID   string   `json:"uid"`
	Name  string   `json:"name"`
	Owner string   `json:"owner"`         // uid of a user
	ACL   []string `json:"acl,omitempty"` // uids of groups and users

	Max   int          `json:"max,omitempty"` // of ships; 0 is no limit
	Ships []ListedShip `json:"ships,omitempty"`

	Polygon json.RawMessage `json:"polygon,omitempty"` // GeoJSON
	Line    json.RawMessage `json:"line,omitempty"`    // GeoJSON LineString
	Circle  *Circle         `json:"circle,omitempty"`
	Color   string          `json:"color,omitempty"`
	Region  int             `json:"region,omitempty"` // number of a region; 0 is none

	Filter string `json:"filter,omitempty"`

	Other form.Keys `json:"other,omitempty"` // what nobody knows, as it came

	Created time.Time `json:"created"`
	Changed time.Time `json:"changed"`
}

// Geometry gives a shape to calculate with.
func (r *Resource) Geometry() (geo.Shape, error) {
	switch {
	case r.Polygon != nil:
		return geo.ParseShape(r.Polygon)
	case r.Line != nil:
		return geo.ParseShape(r.Line)
	case r.Circle != nil:
		return r.Circle.shape()
	}
	return nil, rule.New("no_geometry", "needs exactly one of polygon, line and circle")
}

func (c *Circle) shape() (geo.Shape, error) {
	at, err := form.ParsePoint(c.Center)
	if err != nil {
		return nil, &geo.ShapeError{Pointer: "/center", Rule: rule.Of(err)}
	}
	if !(c.Radius > 0 && c.Radius <= 20_004_000) { // half the way round the earth
		return nil, &geo.ShapeError{Pointer: "/radius", Rule: rule.New("radius", "must be metres above 0")}
	}
	return geo.Circle{Center: at, Radius: c.Radius}, nil
}

// Members gives a test of membership in a ship list.
func (r *Resource) Members() func(*ship.State) bool {
	mmsi, imo := map[ais.MMSI]struct{}{}, map[uint32]struct{}{}
	sign, name := form.Names{}, form.Names{}
	for _, s := range r.Ships {
		switch {
		case s.MMSI != 0:
			mmsi[ais.MMSI(s.MMSI)] = struct{}{}
		case s.IMO != 0:
			imo[uint32(s.IMO)] = struct{}{}
		case s.CallSign != "":
			sign[form.Fold(s.CallSign)] = struct{}{}
		case form.Fold(s.Name) != "":
			name[form.Fold(s.Name)] = struct{}{}
		}
	}
	return func(s *ship.State) bool {
		if _, listed := mmsi[s.MMSI]; listed {
			return true
		}
		k := s.Static
		if k == nil {
			return false
		}
		if _, listed := imo[k.IMO]; listed {
			return true
		}
		return len(sign) > 0 && k.CallSign != "" && sign.Has(k.CallSign) || len(name) > 0 && k.Name != "" && name.Has(k.Name)
	}
}

// MayUse tells whether the user sees and uses a thing: the owner, whoever the access list names, and who has the right over
// those of others.
func (u *User) MayUse(k Kind, r *Resource) bool {
	if u.MayChange(k, r) || u.UID != "" && slices.Contains(r.ACL, u.UID) {
		return true
	}
	return slices.ContainsFunc(u.groups, func(g *Group) bool { return slices.Contains(r.ACL, g.UID) })
}

// MayChange tells whether the user changes and deletes a thing: the owner, and who has the right over those of others.
func (u *User) MayChange(k Kind, r *Resource) bool {
	admin, _ := k.rights()
	return u.UID != "" && r.Owner == u.UID || u.May(admin)
}

// MayShare tells whether the user may name others in the access list of a thing of the kind.
func (u *User) MayShare(k Kind) bool {
	admin, share := k.rights()
	return u.May(share) || u.May(admin)
}

// CheckKeptName tells what is wrong with the name of a ship list, shape or filter: that of CheckTitle, and digits alone, which would
// be a number.
func CheckKeptName(name string) error {
	if err := form.CheckTitle(name); err != nil {
		return err
	}
	if chart.DigitsAlone(name) {
		return rule.New("digits_alone", "must not be digits alone: that would be a number")
	}
	return nil
}

// Library is what users keep and share. Names are unique within a kind; case and white space do not count. Numbers are never given twice.
type Library struct {
	users  *Users
	tables [kinds]*store.Table[Resource]

	compiled compiled

	mu  sync.RWMutex
	all [kinds][]Resource // by name
}

func openLibrary(db *store.DB, u *Users) (*Library, error) {
	l := &Library{users: u}
	for k := range kinds {
		table, err := store.OpenTable[Resource](db, [...]string{"lists", "shapes", "filters"}[k])
		if err != nil {
			return nil, fmt.Errorf("open %ss: %w", k, err)
		}
		rows, err := table.All()
		if err != nil {
			return nil, fmt.Errorf("read %ss: %w", k, err)
		}
		l.tables[k] = table
		for _, row := range rows {
			row.Value.ID = row.ID
			l.all[k] = append(l.all[k], row.Value)
			if form.CheckTitle(row.Value.Name) == nil && CheckKeptName(row.Value.Name) != nil {
				u.opts.Log.Warn("a name of digits alone is found where no number is so; give it another", k.String(), row.Value.Name)
			}
		}
		l.sort(k)
	}
	return l, nil
}

func (l *Library) sort(k Kind) {
	slices.SortFunc(l.all[k], func(a, b Resource) int { return cmp.Compare(form.Fold(a.Name), form.Fold(b.Name)) })
}

// Find gives a thing by its uid, else by its number, else by its name: who may make a thing of any name takes no other's place by it.
func (l *Library) Find(k Kind, ref string) (Resource, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if i := l.index(k, ref); i >= 0 {
		return l.all[k][i], true
	}
	return Resource{}, false
}

func (l *Library) index(k Kind, ref string) int {
	folded := form.Fold(ref)
	id, _ := strconv.ParseUint(folded, 10, 64) // what is no number is 0, which is no id
	numbered, named := -1, -1
	for i := range l.all[k] {
		switch r := &l.all[k][i]; {
		case r.UID == folded:
			return i
		case id != 0 && r.ID == id:
			numbered = i
		case form.FoldsTo(r.Name, folded):
			named = i
		}
	}
	if numbered >= 0 {
		return numbered
	}
	return named
}

// List gives all things of a kind by name.
func (l *Library) List(k Kind) []Resource {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Clone(l.all[k])
}

// Insert adds a thing. It fails with ErrTaken when the name is, or the region.
func (l *Library) Insert(k Kind, r Resource) (Resource, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.room(k, r.Owner); err != nil {
		return r, err
	}
	if by, taken := regionTaken(l.all[k], 0, &r); taken {
		return r, &RegionTaken{r.Region, by}
	}
	r.UID, r.Created = uuid.NewString(), l.users.opts.Now().UTC()
	r.Changed = r.Created
	err := l.users.db.Together(func(b *store.Batch) (err error) {
		r.ID, err = l.number(b, k, &r)
		return err
	})
	if err != nil {
		return r, fmt.Errorf("add %s %s: %w", k, r.Name, taken(err))
	}
	l.all[k] = append(l.all[k], r)
	l.sort(k)
	l.users.generation.Add(1)
	return r, nil
}

// number writes a new thing under the next number. One that is the name of another, as old databases have them, is passed over.
func (l *Library) number(b *store.Batch, k Kind, r *Resource) (uint64, error) {
	for {
		id, err := l.tables[k].SetIn(b, 0, r.Name, *r)
		if err != nil || !l.named(k, id) {
			return id, err
		}
		if err := l.tables[k].FreeIn(b, id); err != nil {
			return 0, err
		}
	}
}

// last gives the highest numbers that were ever given.
func (l *Library) last() (numbers [kinds]uint64, err error) {
	for k := range kinds {
		if numbers[k], err = l.tables[k].Last(); err != nil {
			return numbers, err
		}
	}
	return numbers, nil
}

// named tells whether a number is the name of a thing. The caller holds the lock.
func (l *Library) named(k Kind, id uint64) bool {
	return slices.ContainsFunc(l.all[k], func(r Resource) bool {
		if !chart.DigitsAlone(r.Name) {
			return false
		}
		n, err := strconv.ParseUint(form.Fold(r.Name), 10, 64)
		return err == nil && n == id
	})
}

// RegionTaken is the error of giving a shape the number of a region that another has; it is an ErrTaken.
type RegionTaken struct {
	Region int
	By     Resource
}

// Error says which number; by whom it is taken is not for everybody.
func (r *RegionTaken) Error() string { return fmt.Sprintf("another shape is region %d", r.Region) }

// Unwrap makes it an ErrTaken.
func (r *RegionTaken) Unwrap() error { return form.ErrTaken }

// regionTaken gives the other shape that is the region which a shape becomes. Those that were the same in older versions may stay.
func regionTaken(all []Resource, was int, now *Resource) (by Resource, taken bool) {
	if now.Region == 0 || now.Region == was {
		return by, false
	}
	i := slices.IndexFunc(all, func(r Resource) bool { return r.Region == now.Region && r.UID != now.UID })
	if i < 0 {
		return by, false
	}
	return all[i], true
}

func taken(err error) error {
	if errors.Is(err, store.ErrExists) {
		return form.ErrTaken
	}
	return err
}

// Change writes a changed copy of a thing. It fails with ErrUnknown, with ErrTaken when another has the name or is the region, or with ErrReferenced
// when the name changes while an expression of a filter says it: somebody else could take the name, and with it the filter.
func (l *Library) Change(k Kind, uid string, edit func(*Resource) error) (Resource, error) {
	said := l.byName(k, uid)
	by := l.users.referring(func(p *Profile) bool { return p.says(k, said) })
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.all[k], func(r Resource) bool { return r.UID == uid })
	if i < 0 {
		return Resource{}, fmt.Errorf("change %s: %w", k, form.ErrNotFound)
	}
	now := l.all[k][i]
	if err := edit(&now); err != nil {
		return now, err
	}
	if len(by) > 0 && form.Fold(now.Name) != form.Fold(l.all[k][i].Name) {
		return now, fmt.Errorf("rename %s: %w", k, &Referenced{by})
	}
	if by, taken := regionTaken(l.all[k], l.all[k][i].Region, &now); taken {
		return now, &RegionTaken{now.Region, by}
	}
	now.Changed = changedAt(l.all[k][i].Changed, l.users.opts.Now())
	if err := l.tables[k].Put(now.ID, now.Name, now); err != nil {
		return now, fmt.Errorf("change %s %s: %w", k, now.Name, taken(err))
	}
	l.all[k][i] = now
	l.sort(k)
	l.users.generation.Add(1)
	return now, nil
}

// Delete removes a thing. It fails with ErrUnknown, or with ErrReferenced while a filter of a user or group names it: a filter
// that lost a condition would show more than it was written to.
func (l *Library) Delete(k Kind, uid string) error {
	meant := l.means(k, uid)
	if by := l.users.referring(func(p *Profile) bool { return p.names(uid) || p.says(k, meant) }); len(by) > 0 {
		return fmt.Errorf("delete %s: %w", k, &Referenced{by})
	}
	defer l.compiled.forget(uid) // after the lock
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.all[k], func(r Resource) bool { return r.UID == uid })
	if i < 0 {
		return fmt.Errorf("delete %s: %w", k, form.ErrNotFound)
	}
	if err := l.tables[k].Delete(l.all[k][i].ID); err != nil {
		return fmt.Errorf("delete %s %s: %w", k, l.all[k][i].Name, err)
	}
	l.all[k] = slices.Delete(l.all[k], i, i+1)
	l.users.generation.Add(1)
	return nil
}

// means tells of a word whether a filter finds the thing of that uid by it.
func (l *Library) means(k Kind, uid string) func(word string) bool {
	own, there := l.Find(k, uid)
	return func(word string) bool {
		if !there || !own.called(form.Fold(word)) { // filters are many, and hardly one says so
			return false
		}
		r, ok := l.Find(k, word)
		return ok && r.UID == uid
	}
}

// called tells whether a folded word is the uid, the number or the name of the thing.
func (r *Resource) called(word string) bool {
	return word == r.UID || word == strconv.FormatUint(r.ID, 10) || word == form.Fold(r.Name)
}

// byName tells of a word whether a filter finds the thing of that uid by its name alone, so that it is lost with the name.
func (l *Library) byName(k Kind, uid string) func(word string) bool {
	own, _ := l.Find(k, uid)
	meant := l.means(k, uid)
	return func(word string) bool {
		return meant(word) && form.Fold(word) != uid && form.Fold(word) != strconv.FormatUint(own.ID, 10)
	}
}

// Owned counts what the user with that uid owns, by kind in the order of the constants.
func (l *Library) Owned(uid string) (count [kinds]int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	for k := range kinds {
		for _, r := range l.all[k] {
			if r.Owner == uid {
				count[k]++
			}
		}
	}
	return count
}

// Lookup gives what a filter of the user may name: the ship lists and shapes that the user may use.
func (u *Users) Lookup(of *User) ship.Lookup {
	return u.lookup(func(k Kind, r *Resource) bool { return of.MayUse(k, r) })
}

func (u *Users) lookup(may func(Kind, *Resource) bool) ship.Lookup {
	return ship.Lookup{
		ShipList: func(name string) (func(*ship.State) bool, bool) {
			r, ok := u.library.Find(ShipLists, name)
			if !ok || !may(ShipLists, &r) {
				return nil, false
			}
			return u.library.compiled.membersOf(&r), true
		},
		Shape: func(name string) (geo.Shape, bool) {
			r, ok := u.library.Find(Shapes, name)
			if !ok || !may(Shapes, &r) {
				return nil, false
			}
			shape := u.library.compiled.shapeOf(&r)
			return shape, shape != nil
		},
	}
}

// anything is the lookup of filters that an administrator wrote for others.
func (u *Users) anything() ship.Lookup {
	return u.lookup(func(Kind, *Resource) bool { return true })
}

// TakeACL gives an access list as it is kept: uids of the groups and users that it names; of the same name the group is meant.
// It gives what is wrong with it, nil for nothing.
func (u *Users) TakeACL(written []json.RawMessage) (kept []string, wrong *form.Error) {
	if len(written) > maxRefs {
		return nil, refused("acl", rule.New("too_many_names", "may name at most {max}", "max", maxRefs))
	}
	for i, raw := range written {
		nobody := refused(fmt.Sprintf("acl/%d", i), rule.New("no_group_or_user", "must name a group or user"))
		ref, ok := form.ParseRef(raw)
		if !ok {
			return nil, nobody
		}
		uid := ""
		if g, ok := u.Group(ref); ok {
			uid = g.UID
		} else if other, ok := u.Find(ref); ok {
			uid = other.UID
		} else {
			return nil, nobody
		}
		if !slices.Contains(kept, uid) {
			kept = append(kept, uid)
		}
	}
	return kept, nil
}

// NameOf gives a reference to a user or group of that uid; false for one that no longer exists.
func (u *Users) NameOf(uid string) (form.Ref, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if e, ok := u.groups[uid]; ok {
		return form.Ref{Name: e.group.Name, UID: uid}, true
	}
	if e, ok := u.ofUID(uid); ok {
		return form.Ref{Name: e.user.Name, UID: uid}, true
	}
	return form.Ref{}, false
}
