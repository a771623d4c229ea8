package library

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/watchdog"
)

// Apply takes the fields of a thing; what is not given keeps its value, but for the ships of a list, which are replaced. The lookup is what the text of a saved
// filter may name. What is wrong with fields is noted there. The error is of the thing as a whole: form.TooMany of a list with too many ships, and
// *ship.SyntaxError of a filter.
func (l *Library) Apply(f *form.Fields, k Kind, r *Resource, names ship.Lookup) error {
	err := applyFields(f, k, r, names, l.box.Find)
	if k == Watchdogs && err == nil {
		if key := l.circleKey(r); key != "" {
			f.Refuse(key, circleRule())
		}
	}
	return err
}

func applyFields(f *form.Fields, k Kind, r *Resource, names ship.Lookup, find form.Finder) error {
	was := *r
	if name := f.TextOr("name", r.Name); name != r.Name {
		f.Check("name", CheckName(name))
		r.Name = form.Tidy(name)
	}
	if f.Given("acl") {
		r.ACL = f.Holders("acl", maxRefs, find)
	}
	switch k {
	case ShipLists:
		return applyShips(f, r)
	case Shapes:
		applyShape(f, r, find)
		return nil
	case Watchdogs:
		if was.BuiltIn() || f.Text("type") == string(watchdog.Distress) {
			applyBuiltIn(f, &was, r, find)
			return nil
		}
		applyWatchdog(f, r, find)
		r.Watchdog.checkList(f, names)
		r.Filter = f.TextOr("filter", r.Filter)
		if r.Filter != "" && r.Watchdog.Type.Shipless() {
			f.Refuse("filter", rule.New("watchdog_shipless", "is not for watchdogs of type {type}", "type", string(r.Watchdog.Type)))
		}
		_, err := r.FilterOf(names)
		return err
	}
	if r.Changed.IsZero() { // a new one
		f.Require("filter")
	}
	r.Filter = f.TextOr("filter", r.Filter)
	_, err := ship.ParseFilter(r.Filter, names)
	return err
}

// NamesOthers reports whether the access list in a body names anyone but a user, or names what does not exist.
func (l *Library) NamesOthers(f *form.Fields, uid string) bool {
	for _, key := range []string{"acl", "escalate_to"} {
		if !f.Given(key) {
			continue
		}
		trial := form.Of(form.Keys{key: f.Raw(key)})
		named := trial.Holders(key, maxRefs, l.box.Find)
		if trial.Err() != nil || slices.ContainsFunc(named, func(other string) bool { return other != uid }) {
			return true
		}
	}
	return false
}

// applyShips takes the ships of a list, in the place of those that it has.
func applyShips(f *form.Fields, r *Resource) error {
	r.Max = int(f.Integer("max", int64(r.Max), math.MaxInt64))
	if f.Given("ships") {
		list := f.List("ships")
		if err := r.checkRoom(len(list)); err != nil {
			return err
		}
		r.Ships = make([]ship.Listed, 0, len(list))
		for _, object := range f.Objects("ships", list) {
			q := object.Described()
			r.Ships = append(r.Ships, ship.Listed{MMSI: int64(q.MMSI), IMO: int64(q.IMO), Name: q.Name, CallSign: q.CallSign})
		}
	}
	f.Broken(r.CheckShips())
	return r.Full()
}

// applyShape takes a shape; the geometry comes as a whole.
func applyShape(f *form.Fields, r *Resource, find form.Finder) {
	r.Color = f.TextOr("color", r.Color)
	r.Region = int(f.Integer("region", int64(r.Region), math.MaxInt64))
	kind := f.Text("type")
	if f.Given("polygon") || f.Given("line") || f.Given("circle") {
		applyGeometry(f, r)
	}
	switch is := r.ShapeKind(); {
	case kind != "" && !slices.Contains(shapeKinds(), kind):
		f.Refuse("type", rule.New("one_of", "must be one of {words}", "words", strings.Join(shapeKinds(), ", ")))
	case kind != "" && is != "" && kind != is:
		f.Refuse("type", rule.New("geometry_given", "must be {type}, which is given", "type", is))
	}
	applySector(f, r, find)
	f.Broken(r.CheckShape())
}

// applyGeometry takes the geometry as it is understood, without foreign members and white space. A wrong one stays as it came, for CheckShape.
func applyGeometry(f *form.Fields, r *Resource) {
	r.Polygon, r.Line, r.Circle = nil, nil, nil
	if f.Given("polygon") {
		r.Polygon = plainShape(f.Raw("polygon"))
	}
	if f.Given("line") {
		r.Line = plainShape(f.Raw("line"))
	}
	if f.Given("circle") {
		circle := f.Inner("circle", rule.New("circle", "must be an object with center and radius"))
		r.Circle = (&CircleJSON{circle.Raw("center"), circle.Number("radius")}).plainCircle()
	}
}

// plainShape returns a geometry with its type and its places alone. It returns one that is wrong as it is.
func plainShape(raw json.RawMessage) json.RawMessage {
	shape, err := geo.ParseShape(raw)
	if err != nil {
		return raw
	}
	text, err := json.Marshal(shape)
	if err != nil {
		return raw
	}
	return text
}

// plainCircle is plain for a circle.
func (c *CircleJSON) plainCircle() *CircleJSON {
	at, err := form.ParsePoint(c.Center)
	if err != nil {
		return c
	}
	text, err := json.Marshal(form.PointOf(&at))
	if err != nil {
		return c
	}
	return &CircleJSON{text, c.Radius}
}

// Record is a thing as it is read: in an answer, and as the entry of a document.
type Record struct {
	ID       uint64          `json:"id,omitempty"`
	UID      string          `json:"uid"`
	Revision string          `json:"revision,omitempty"` // not in a document
	Name     string          `json:"name"`
	Owner    *form.Ref       `json:"owner,omitempty"` // none when the user is gone
	ACL      []form.Ref      `json:"acl"`
	Type     string          `json:"type,omitempty"` // of a shape, where it is not in a document; and of a watchdog
	Polygon  json.RawMessage `json:"polygon,omitempty"`
	Line     json.RawMessage `json:"line,omitempty"`
	Circle   *CircleJSON     `json:"circle,omitempty"`
	Color    *string         `json:"color,omitempty"`
	Region   *int            `json:"region,omitempty"`
	Filter   *string         `json:"filter,omitempty"`
	ReadOnly bool            `json:"read_only,omitempty"` // of the ship list of a watchdog
	Sector   *sectorRecord   `json:"sector,omitempty"`
	*listRecord
	*Watchdog
	*escalationRecord            // in the place of that of the Watchdog, which has no names
	Problem           string     `json:"problem,omitempty"` // why an enabled watchdog watches nothing; not in a document
	ProblemRule       *rule.Rule `json:"problem_rule,omitempty"`

	ActiveShips *int       `json:"active_ships,omitempty"` // that are inside of a watchdog now; not in a document
	LastEvent   *LastEvent `json:"last_event,omitempty"`   // of a watchdog; not in a document
	Paused      *Pause     `json:"paused,omitempty"`       // of a watchdog that rings too often; not in a document

	Other form.Keys `json:"-"` // unknown keys: in an answer among the others, in a document under a key of their own
}

// LastEvent is the last event of a watchdog.
type LastEvent struct {
	ID    uint64 `json:"id"`
	Event string `json:"event"`
	Time  string `json:"time"`
}

// Pause is that of a watchdog which rings too often: since when, until when, and how many events it has held back.
type Pause struct {
	Since string `json:"since"`
	Until string `json:"until"`
	Held  uint64 `json:"held"`
}

// listRecord is what only a ship list has.
type listRecord struct {
	Max   *int          `json:"max,omitempty"` // an answer has none for no maximum
	Ships []ship.Listed `json:"ships"`
}

// MarshalJSON writes the thing, unknown keys included.
func (r Record) MarshalJSON() ([]byte, error) {
	type plain Record
	if r.Revision != "" {
		return form.WithOther(plain(r), r.Other)
	}
	return json.Marshal(struct {
		plain
		Other form.Keys `json:"other,omitempty"`
	}{plain(r), r.Other})
}

// Record returns a thing as an answer has it.
func (l *Library) Record(k Kind, r *Resource) Record {
	record := l.recordOf(k, r)
	record.Revision = r.Revision()
	if k == ShipLists && r.Max == 0 {
		record.Max = nil
	}
	record.ReadOnly = r.Of != 0
	switch k {
	case Watchdogs:
		return record
	case ShipLists, Filters:
		record.ID = 0
		return record
	}
	record.Type = r.ShapeKind()
	if r.Color == "" {
		record.Color = nil
	}
	if r.Region == 0 {
		record.Region = nil
	}
	return record
}

// recordOf returns a thing as a document has it.
func (l *Library) recordOf(k Kind, r *Resource) Record {
	record := Record{ID: r.ID, UID: r.UID, Name: r.Name, ACL: []form.Ref{}, Other: r.Other}
	if owner, ok := l.box.Find("user", r.Owner); ok && r.Owner != "" {
		record.Owner = &owner
	}
	record.ACL = append(record.ACL, form.Finder(l.box.Find).Named(r.ACL)...)
	switch k {
	case ShipLists:
		record.listRecord = &listRecord{&r.Max, append([]ship.Listed{}, r.Ships...)}
	case Filters:
		record.Filter = &r.Filter
	case Watchdogs:
		record.Watchdog, record.Type = r.Watchdog.withNames(l.box.Find), string(r.Watchdog.Type)
		record.escalationRecord = l.escalation(r.Watchdog.Escalation)
		record.Polygon, record.Line = r.Polygon, r.Line
		if r.Filter != "" {
			record.Filter = &r.Filter
		}
	case Shapes:
		record.Polygon, record.Line, record.Circle, record.Color, record.Region = r.Polygon, r.Line, r.Circle, &r.Color, &r.Region
		record.Sector = l.sector(r.Sector)
	}
	return record
}

// Revision is another one after each change of the thing.
func (r *Resource) Revision() string { return form.Revision(r.Changed) }
