package access

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"

	"quaywatch/ais"
	"quaywatch/geo"
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
	return nil, errors.New("needs one of polygon, circle and line")
}

func (c *Circle) shape() (geo.Shape, error) {
	at, err := ParsePoint(c.Center)
	if err != nil {
		return nil, &geo.ShapeError{Pointer: "/center", Rule: err.Error()}
	}
	if !(c.Radius > 0 && c.Radius <= 20_004_000) { // half the way round the earth
		return nil, errors.New("radius must be metres above 0")
	}
	return geo.Circle{Center: at, Radius: c.Radius}, nil
}

// ParsePoint reads a GeoJSON Point, also in its extended form.
func ParsePoint(raw json.RawMessage) (geo.Point, error) {
	var p struct {
		Type        string            `json:"type"`
		Coordinates []json.RawMessage `json:"coordinates"`
	}
	rule := errors.New("must be a Point with longitude and latitude")
	if json.Unmarshal(raw, &p) != nil || p.Type != "Point" || len(p.Coordinates) < 2 {
		return geo.Point{}, rule
	}
	var at geo.Point
	if json.Unmarshal(p.Coordinates[0], &at.Lon) != nil || json.Unmarshal(p.Coordinates[1], &at.Lat) != nil || !at.Valid() {
		return geo.Point{}, rule
	}
	return at, nil
}

// Members gives a test of membership in a ship list.
func (r *Resource) Members() func(*ship.State) bool {
	mmsi, imo := map[ais.MMSI]struct{}{}, map[uint32]struct{}{}
	sign, name := names{}, names{}
	for _, s := range r.Ships {
		switch {
		case s.MMSI != 0:
			mmsi[ais.MMSI(s.MMSI)] = struct{}{}
		case s.IMO != 0:
			imo[uint32(s.IMO)] = struct{}{}
		case s.CallSign != "":
			sign[fold(s.CallSign)] = struct{}{}
		case fold(s.Name) != "":
			name[fold(s.Name)] = struct{}{}
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
		return len(sign) > 0 && k.CallSign != "" && sign.has(k.CallSign) || len(name) > 0 && k.Name != "" && name.has(k.Name)
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

// Library is what users keep and share. Names are unique within a kind; case and white space do not count.
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
		}
		l.sort(k)
	}
	return l, nil
}

func (l *Library) sort(k Kind) {
	slices.SortFunc(l.all[k], func(a, b Resource) int { return cmp.Compare(fold(a.Name), fold(b.Name)) })
}

// Find gives a thing by uid, by name, or by its number.
func (l *Library) Find(k Kind, ref string) (Resource, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if i := l.index(k, ref); i >= 0 {
		return l.all[k][i], true
	}
	return Resource{}, false
}

func (l *Library) index(k Kind, ref string) int {
	id, _ := strconv.ParseUint(ref, 10, 64) // what is no number is 0, which is no id
	folded := fold(ref)
	numbered := -1
	for i := range l.all[k] {
		r := &l.all[k][i]
		if r.UID == folded || fold(r.Name) == folded {
			return i
		}
		if r.ID == id {
			numbered = i
		}
	}
	return numbered
}

// List gives all things of a kind by name.
func (l *Library) List(k Kind) []Resource {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Clone(l.all[k])
}

// Insert adds a thing. It fails with ErrTaken when the name is.
func (l *Library) Insert(k Kind, r Resource) (Resource, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	r.UID, r.Created = uuid.NewString(), l.users.opts.Now().UTC()
	r.Changed = r.Created
	id, err := l.tables[k].Insert(r.Name, r)
	if err != nil {
		return r, fmt.Errorf("add %s %s: %w", k, r.Name, taken(err))
	}
	r.ID = id
	l.all[k] = append(l.all[k], r)
	l.sort(k)
	l.users.generation.Add(1)
	return r, nil
}

func taken(err error) error {
	if errors.Is(err, store.ErrExists) {
		return ErrTaken
	}
	return err
}

// Change writes a changed copy of a thing. It fails with ErrUnknown, with ErrTaken when another has the name, or with ErrReferenced
// when the name changes while an expression of a filter says it: somebody else could take the name, and with it the filter.
func (l *Library) Change(k Kind, uid string, edit func(*Resource) error) (Resource, error) {
	before, _ := l.Find(k, uid)
	by := l.users.referring(func(p *Profile) bool { return p.says(k, before.Name) })
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.all[k], func(r Resource) bool { return r.UID == uid })
	if i < 0 {
		return Resource{}, fmt.Errorf("change %s: %w", k, ErrUnknown)
	}
	now := l.all[k][i]
	if err := edit(&now); err != nil {
		return now, err
	}
	if len(by) > 0 && fold(now.Name) != fold(l.all[k][i].Name) {
		return now, fmt.Errorf("rename %s: %w", k, &Referenced{by})
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
	was, _ := l.Find(k, uid)
	if by := l.users.referring(func(p *Profile) bool { return p.names(uid) || p.says(k, was.Name) }); len(by) > 0 {
		return fmt.Errorf("delete %s: %w", k, &Referenced{by})
	}
	defer l.compiled.forget(uid) // after the lock
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.all[k], func(r Resource) bool { return r.UID == uid })
	if i < 0 {
		return fmt.Errorf("delete %s: %w", k, ErrUnknown)
	}
	if err := l.tables[k].Delete(l.all[k][i].ID); err != nil {
		return fmt.Errorf("delete %s %s: %w", k, l.all[k][i].Name, err)
	}
	l.all[k] = slices.Delete(l.all[k], i, i+1)
	l.users.generation.Add(1)
	return nil
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
// It gives the index of the first reference that names nobody, -1 for none.
func (u *Users) TakeACL(written []json.RawMessage) (kept []string, unknown int) {
	for i, raw := range written {
		ref, ok := ParseRef(raw)
		if !ok {
			return nil, i
		}
		uid := ""
		if g, ok := u.Group(ref); ok {
			uid = g.UID
		} else if other, ok := u.Find(ref); ok {
			uid = other.UID
		} else {
			return nil, i
		}
		if !slices.Contains(kept, uid) {
			kept = append(kept, uid)
		}
	}
	return kept, -1
}

// NameOf gives a reference to a user or group of that uid; false for one that no longer exists.
func (u *Users) NameOf(uid string) (Ref, bool) {
	if g, ok := u.Group(uid); ok && strings.EqualFold(g.UID, uid) {
		return Ref{g.Name, g.UID}, true
	}
	if other, ok := u.Find(uid); ok {
		return Ref{other.Name, other.UID}, true
	}
	return Ref{}, false
}
