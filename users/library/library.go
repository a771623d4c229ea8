// Package library keeps what users make and share: ship lists, shapes, saved filters and watchdogs. It knows no user and no group but by their uid;
// which user may use a thing is for the caller to say.
package library

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/store/records"
	"quaywatch/users/document"
)

// Kind is the kind of a thing that users keep and share.
type Kind uint8

// The kinds.
const (
	ShipLists Kind = iota
	Shapes
	Filters
	Watchdogs
	kinds
)

// String returns the word of the interface.
func (k Kind) String() string { return [...]string{"shiplist", "shape", "filter", "watchdog"}[k] }

// Rights returns the names of the rights over things of the kind: to change those of others, and to name others in one's own.
func (k Kind) Rights() (admin, share string) {
	switch k {
	case Shapes:
		return "admin_shapes", "share_shapes"
	case Filters:
		return "admin_filters", "share_filters"
	case Watchdogs:
		return "admin_watchdog_definitions", "share_watchdogs"
	}
	return "admin_shiplists", "share_shiplists"
}

// CircleJSON is a circle as the interface writes it.
type CircleJSON struct {
	Center json.RawMessage `json:"center"` // GeoJSON Point
	Radius float64         `json:"radius"` // metres
}

// Resource is a single thing that users keep. It is a ship list (Max, Ships), a shape (Polygon, Line or Circle, Color, Region, Sector), or a saved filter
// (Filter). Or it is a watchdog (Watchdog, Polygon or Line, Filter). It is a value; what it points to is never changed.
type Resource struct {
	ID   uint64 `json:"-"`
	UID  string `json:"uid"`
	Name string `json:"name"`
	form.Owned

	Max   int           `json:"max,omitempty"` // of ships; 0 is no limit
	Ships []ship.Listed `json:"ships,omitempty"`

	Polygon json.RawMessage `json:"polygon,omitempty"` // GeoJSON
	Line    json.RawMessage `json:"line,omitempty"`    // GeoJSON LineString
	Circle  *CircleJSON     `json:"circle,omitempty"`
	Color   string          `json:"color,omitempty"`
	Region  int             `json:"region,omitempty"` // number of a region; 0 is none
	Sector  *Sector         `json:"sector,omitempty"` // of a shape; nil is none

	Filter string `json:"filter,omitempty"` // of a saved filter, and of a watchdog

	Watchdog *Watchdog `json:"watchdog,omitempty"`

	Of uint64 `json:"-"` // the number of the watchdog whose ship list it is; 0 for what is kept

	Other form.Keys `json:"other,omitempty"` // unknown keys, as they came

	Created time.Time `json:"created"`
	Changed time.Time `json:"changed"`
}

// Geometry returns a shape to calculate with.
func (r *Resource) Geometry() (geo.Shape, error) {
	switch {
	case r.Polygon != nil:
		return geo.ParseShape(r.Polygon)
	case r.Line != nil:
		return geo.ParseShape(r.Line)
	case r.Circle != nil:
		return r.Circle.parseShape()
	}
	return nil, rule.New("no_geometry", "needs exactly one of polygon, line and circle")
}

// mostRadius is in metres: half the way round the earth.
const mostRadius = 20_004_000

func (c *CircleJSON) parseShape() (geo.Shape, error) {
	at, err := form.ParsePoint(c.Center)
	if err != nil {
		return nil, &geo.ShapeError{Pointer: "/center", Rule: rule.Of(err)}
	}
	if !(c.Radius > 0 && c.Radius <= mostRadius) {
		return nil, &geo.ShapeError{Pointer: "/radius", Rule: rule.New("radius", "must be metres above 0, and at most {max}", "max", mostRadius)}
	}
	return geo.Circle{Center: at, Radius: c.Radius}, nil
}

// CheckName returns what is wrong with the name of a ship list, shape or filter. The rules are those of CheckTitle. A name of
// digits alone is refused too: it would be a number.
func CheckName(name string) error {
	if err := form.CheckTitle(name); err != nil {
		return err
	}
	if chart.DigitsAlone(name) {
		return rule.New("digits_alone", "must not be digits alone: that would be a number")
	}
	return nil
}

// Options are what a library needs beside the database.
type Options struct {
	Now        func() time.Time  // the clock; nil is the wall clock
	Generation *wake.ChangeCount // raised by each change; nil is one of its own
	Ports      ship.Lookup       // what filters know of ports and of calls there
	Quota      int64             // most bytes that one owner makes; 0 is DefaultQuota

	// Listed reports whether a ship is on the list of a watchdog now; nil has no ships. It is asked under locks, and takes none but its own.
	Listed func(watchdog uint64, m ais.MMSI) bool
}

// Library is what users keep and share. Names are unique within a kind; case and white space do not count. Numbers are never given twice.
type Library struct {
	opts   Options
	db     *records.Database
	box    *document.Box
	tables [kinds]*records.Table[Resource]

	compiled compiled

	writing sync.Mutex // held by a change from its first look to the answer of the database; taken before mu
	mu      sync.RWMutex
	all     [kinds][]Resource // by name
	stored  map[string]int64  // bytes that each owner keeps, by uid
	version uint64            // grows with each change
}

// raiseVersion raises the version after a change. The caller holds the lock.
func (l *Library) raiseVersion() {
	l.version++
	l.opts.Generation.Add()
}

// Open reads the library of the database.
func Open(db *records.Database, o Options) (*Library, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Generation == nil {
		o.Generation = &wake.ChangeCount{}
	}
	if o.Quota == 0 {
		o.Quota = DefaultQuota
	}
	l := &Library{db: db, opts: o}
	for k := range kinds {
		table, rows, err := records.ReadTable[Resource](db, [...]string{"lists", "shapes", "filters", "watchdogs"}[k])
		if err != nil {
			return nil, err
		}
		l.tables[k] = table
		for _, row := range rows {
			row.Value.ID = row.ID
			l.all[k] = append(l.all[k], row.Value)
		}
		l.sort(k)
	}
	if err := l.addBuiltIn(); err != nil {
		return nil, err
	}
	l.stored = l.bytesByOwner()
	return l, nil
}

// Join gives the library the box that it is an area of. There it finds users and groups, and what refers to its things.
func (l *Library) Join(box *document.Box) { l.box = box }

func (l *Library) sort(k Kind) {
	slices.SortFunc(l.all[k], byFoldedName)
}

// Get returns a thing by its uid, else by its number, else by its name. So a thing cannot take the place of another by its name. The lists of
// watchdogs are ship lists too.
func (l *Library) Get(k Kind, ref string) (Resource, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if k == ShipLists {
		if r, ok := l.findList(hasUID(fold.Name(ref))); ok {
			return r, true
		}
	}
	if i := l.indexOf(k, ref); i >= 0 {
		return l.all[k][i], true
	}
	if k == ShipLists {
		return l.findList(hasName(fold.Name(ref)))
	}
	return Resource{}, false
}

// Find finds a thing by the word of its kind, as Get does.
func (l *Library) Find(kind, ref string) (form.Ref, bool) {
	k, ok := kindOf(kind)
	if !ok {
		return form.Ref{}, false
	}
	r, ok := l.Get(k, ref)
	return form.Ref{Name: r.Name, UID: r.UID}, ok
}

func (l *Library) indexOf(k Kind, ref string) int {
	folded := fold.Name(ref)
	id, _ := strconv.ParseUint(folded, 10, 64) // what is no number is 0, which is no id
	numbered := -1
	for i := range l.all[k] {
		switch r := &l.all[k][i]; {
		case r.UID == folded:
			return i
		case id != 0 && r.ID == id:
			numbered = i
		}
	}
	if numbered >= 0 {
		return numbered
	}
	at, named := slices.BinarySearchFunc(l.all[k], folded, func(r Resource, name string) int { return cmp.Compare(fold.Name(r.Name), name) })
	if !named {
		return -1
	}
	return at
}

// List returns all things of a kind by name, the lists of watchdogs too.
func (l *Library) List(k Kind) []Resource {
	l.mu.RLock()
	defer l.mu.RUnlock()
	all := slices.Clone(l.all[k])
	if k == ShipLists {
		all = l.withLists(all)
	}
	return all
}

// keptThings returns all things of a kind that are kept, by name.
func (l *Library) keptThings(k Kind) []Resource {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return slices.Clone(l.all[k])
}

// called reports whether a folded word is the uid, the number or the name of the thing.
func (r *Resource) called(word string) bool {
	return word == r.UID || word == strconv.FormatUint(r.ID, 10) || word == fold.Name(r.Name)
}

// byName returns a function that reports whether a word of a filter means the thing by its name alone. Such a word no longer finds
// the thing under a new name.
func (l *Library) byName(k Kind, uid string) func(word string) bool {
	own, _ := l.Get(k, uid)
	meant := l.means(k, uid)
	return func(word string) bool {
		return meant(word) && fold.Name(word) != uid && fold.Name(word) != strconv.FormatUint(own.ID, 10)
	}
}

// Turn returns what a write of a ship list or shape does to the filters that name it. It does so for a write of a watchdog with a ship list too. Filters that
// name it by uid change if its ships or its place change. Words of expressions change too, and so do words that wait for its new name. A new thing has no uid
// that filters could name.
func (l *Library) Turn(k Kind, was, now *Resource) (turned form.Reference) {
	if k == Watchdogs {
		listWas, listNow := was.shipList(), now.shipList()
		return l.Turn(ShipLists, &listWas, &listNow)
	}
	turned = form.Reference{Kind: k.String()}
	meant := func(string) bool { return false }
	if was.UID != "" && !form.Same(filterPart(was), filterPart(now)) {
		turned.UID, meant = was.UID, l.means(k, was.UID)
	}
	renamed := fold.Name(was.Name) != fold.Name(now.Name)
	turned.Means = func(word string) bool {
		if meant(word) || !renamed || fold.Name(word) != fold.Name(now.Name) {
			return meant(word)
		}
		_, found := l.Get(k, word)
		return !found
	}
	return turned
}

// Turns is Turn with the ship lists of the watchdogs that depend on the thing.
func (l *Library) Turns(k Kind, was, now *Resource) []form.Reference {
	return l.Dependent(l.Turn(k, was, now))
}

// Dependent returns a reference with those to the ship lists of watchdogs whose ships depend on what it refers to. Such a watchdog has the thing in its filter,
// watches for the ships of that list, or watches a port.
func (l *Library) Dependent(first form.Reference) []form.Reference {
	all, listed := []form.Reference{first}, map[string]bool{}
	for at := 0; at < len(all); at++ {
		for _, w := range l.keptThings(Watchdogs) {
			list := w.shipList()
			if !w.Lists() || listed[list.UID] || !w.dependsOn(all[at]) {
				continue
			}
			listed[list.UID] = true
			all = append(all, form.Reference{Kind: ShipLists.String(), UID: list.UID, Means: l.means(ShipLists, list.UID)})
		}
	}
	return all
}

// dependsOn reports whether which ships a watchdog tells of depends on what is referred to.
func (r *Resource) dependsOn(to form.Reference) (depends bool) {
	hear := func(kind, word string) (form.Ref, bool) {
		depends = depends || kind == to.Kind && to.Means != nil && to.Means(word)
		return form.Ref{}, true
	}
	_, _ = r.FilterOf(form.Asking(hear)) // a filter that cannot be read names nothing
	if word := r.Watchdog.ShipList(); word != "" {
		hear(ShipLists.String(), word)
	}
	if r.Watchdog.Port != nil {
		hear(form.PortWord, "")
	}
	return depends
}

// filterPart is the part of a thing that filters use. An older build kept geometry as it came.
func filterPart(r *Resource) Resource {
	use := Resource{Ships: r.Ships, Watchdog: r.Watchdog}
	if r.Watchdog != nil {
		use.Filter = r.Filter
	}
	switch {
	case r.Polygon != nil:
		use.Polygon = plainShape(r.Polygon)
	case r.Line != nil:
		use.Line = plainShape(r.Line)
	case r.Circle != nil:
		use.Circle = r.Circle.plainCircle()
	}
	return use
}

// Lookup returns what a filter may name: the ship lists and shapes that may be used, and ports.
func (l *Library) Lookup(may func(Kind, form.Owned) bool) ship.Lookup {
	names := l.opts.Ports
	names.ShipList = func(name string) (func(*ship.State) bool, bool) {
		r, ok := l.Get(ShipLists, name)
		if !ok || !may(ShipLists, r.Owned) {
			return nil, false
		}
		if r.Of != 0 {
			return l.memberTest(&r), true
		}
		return l.compiled.membersOf(&r), true
	}
	names.Moving = l.isMoving
	names.Shape = func(name string) (*geo.Area, bool) {
		r, ok := l.Get(Shapes, name)
		if !ok || !may(Shapes, r.Owned) {
			return nil, false
		}
		shape := l.compiled.shapeOf(&r)
		return shape, shape != nil
	}
	return names
}

// Anything is the lookup of filters that an administrator wrote for others.
func (l *Library) Anything() ship.Lookup {
	return l.Lookup(func(Kind, form.Owned) bool { return true })
}

// With is Anything with a shape as it becomes.
func (l *Library) With(now *Resource) ship.Lookup {
	names := l.Anything()
	is := names.Shape
	names.Shape = func(name string) (*geo.Area, bool) {
		if r, ok := l.Get(Shapes, name); !ok || r.UID != now.UID {
			return is(name)
		}
		shape, err := now.Geometry()
		if err != nil { // it was checked before
			return nil, false
		}
		return geo.NewArea(shape), true
	}
	return names
}

// Regions returns the rectangle around all numbered shapes that are wanted, nil without any.
func (l *Library) Regions(wanted func(region int) bool) *geo.Rect {
	var all *geo.Rect
	for _, r := range l.List(Shapes) {
		if r.Region == 0 || !wanted(r.Region) {
			continue
		}
		shape, err := r.Geometry()
		if err != nil {
			continue // it was checked when it was written
		}
		bounds := shape.Bounds()
		if all != nil {
			south, north := geo.Point{Lon: bounds.West, Lat: bounds.South}, geo.Point{Lon: bounds.East, Lat: bounds.North}
			bounds = all.Extend(south).Extend(bounds.Center()).Extend(north)
		}
		all = &bounds
	}
	return all
}
