package handlers

import (
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"reflect"
	"slices"
	"strconv"

	"quaywatch/access"
	"quaywatch/form"
	"quaywatch/handlers/call"
	"quaywatch/rule"
)

// shelf answers the calls about one kind of what users keep and share.
type shelf struct {
	*Server
	kind access.Kind
}

// resourceRecord is a ship list, shape or filter as it is read.
type resourceRecord struct {
	ID       uint64          `json:"id,omitempty"`
	UID      string          `json:"uid"`
	Revision string          `json:"revision"`
	Name     string          `json:"name"`
	Owner    *form.Ref       `json:"owner,omitempty"` // none when the user is gone
	ACL      []form.Ref      `json:"acl"`
	Type     string          `json:"type,omitempty"`
	Polygon  json.RawMessage `json:"polygon,omitempty"`
	Line     json.RawMessage `json:"line,omitempty"`
	Circle   *access.Circle  `json:"circle,omitempty"`
	Color    string          `json:"color,omitempty"`
	Region   int             `json:"region,omitempty"`
	Filter   *string         `json:"filter,omitempty"`
	*listRecord

	other form.Keys
}

// listRecord is what only a ship list has.
type listRecord struct {
	Max   int                 `json:"max"`
	Ships []access.ListedShip `json:"ships"`
}

func (b shelf) record(r *access.Resource) resourceRecord {
	record := resourceRecord{UID: r.UID, Revision: r.Revision(), Name: r.Name, ACL: []form.Ref{}, other: r.Other}
	if owner, ok := b.deps.Users.NameOf(r.Owner); ok {
		record.Owner = &owner
	}
	for _, uid := range r.ACL {
		if ref, ok := b.deps.Users.NameOf(uid); ok {
			record.ACL = append(record.ACL, ref)
		}
	}
	switch b.kind {
	case access.ShipLists:
		record.listRecord = &listRecord{r.Max, append([]access.ListedShip{}, r.Ships...)}
	case access.Filters:
		record.Filter = &r.Filter
	case access.Shapes:
		record.ID, record.Type, record.Color, record.Region = r.ID, r.ShapeKind(), r.Color, r.Region
		record.Polygon, record.Line, record.Circle = r.Polygon, r.Line, r.Circle
	}
	return record
}

// find gives what the path names when the caller may use it; else there is none.
func (b shelf) find(c *call.Call) (access.Resource, error) {
	name, err := c.PathText("name")
	if err != nil {
		return access.Resource{}, err
	}
	r, ok := b.deps.Users.Library().Find(b.kind, name)
	if !ok || !c.Caller.User.MayUse(b.kind, &r) {
		return r, call.NotFound(rule.New("no_such_kind", "there is no such {kind}", "kind", b.kind.String()))
	}
	c.Object = r.Name
	return r, nil
}

// findOwn is find of what the caller may also change.
func (b shelf) findOwn(c *call.Call) (access.Resource, error) {
	r, err := b.find(c)
	if err == nil && !c.Caller.User.MayChange(b.kind, &r) {
		err = call.Forbidden(rule.New("anothers", "the {kind} is another user's", "kind", b.kind.String()))
	}
	return r, err
}

func (b shelf) list(c *call.Call) error {
	full, err := c.QueryTruth("full", true)
	if err != nil {
		return err
	}
	records := []any{}
	for _, r := range b.deps.Users.Library().List(b.kind) {
		switch {
		case !c.Caller.User.MayUse(b.kind, &r):
		case !full:
			records = append(records, nameRecord{r.Name})
		default:
			records = append(records, b.record(&r))
		}
	}
	return c.SendJSON(http.StatusOK, call.Records[any]{Records: records})
}

type nameRecord struct {
	Name string `json:"name"`
}

func (b shelf) one(c *call.Call) error {
	r, err := b.find(c)
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, b.record(&r))
}

func (b shelf) add(c *call.Call) error {
	f, err := c.BindConfig(call.MaxShapeBody)
	if err != nil {
		return err
	}
	r := access.Resource{Owner: c.Caller.User.UID}
	requireName(f)
	if err := b.take(c, f, &r); err != nil {
		return err
	}
	if r.Region != 0 {
		if err := call.Entitled(c.Caller.User, access.AddRemoveRegion); err != nil {
			return err
		}
	}
	if err := b.mayTurn(c, &access.Resource{}, &r); err != nil {
		return err
	}
	c.Object = r.Name
	made, err := b.deps.Users.Library().Insert(b.kind, r)
	if err != nil {
		return b.regionTaken(c, err)
	}
	answer := uidAnswer{UID: made.UID}
	if b.kind == access.Shapes {
		answer.ID = made.ID
	}
	return c.SendJSON(http.StatusOK, answer)
}

func (b shelf) change(c *call.Call) error {
	r, err := b.findOwn(c)
	if err != nil {
		return err
	}
	f, err := c.BindConfig(call.MaxShapeBody)
	if err != nil {
		return err
	}
	now := r
	if err := b.take(c, f, &now); err != nil {
		return err
	}
	if err := mayTouchRegion(c.Caller.User, r.Region, now.Region); err != nil {
		return err
	}
	if err := b.mayTurn(c, &r, &now); err != nil {
		return err
	}
	if err := fresh(f, r.Revision()); err != nil {
		return err
	}
	done, err := b.deps.Users.Library().Change(b.kind, r.UID, func(was *access.Resource) error {
		if !was.Changed.Equal(r.Changed) {
			return call.Stale()
		}
		*was = now
		return nil
	})
	if err != nil {
		return b.regionTaken(c, b.stillReferred(c, err))
	}
	return c.SendJSON(http.StatusOK, b.record(&done))
}

// mayTurn refuses to change by a ship list or shape what filters hide, from the caller or past what is shown to the caller.
func (b shelf) mayTurn(c *call.Call, was, now *access.Resource) error {
	if b.deps.Users.MayTurn(c.Caller.User, b.kind, was, now) {
		return nil
	}
	return call.Forbidden(rule.New("filter_names", "a filter of yours names the {kind}, or one of others while you are not shown everything: that needs the right {right}",
		"kind", b.kind.String(), "right", access.ChangeFilterSettings))
}

// regionTaken says which shape is a region already, where the caller may know.
func (b shelf) regionTaken(c *call.Call, err error) error {
	var taken *access.RegionTaken
	if !errors.As(err, &taken) {
		return err
	}
	why := rule.New("region_taken", "{region} is another shape", "region", taken.Region)
	if c.Caller.User.MayUse(b.kind, &taken.By) {
		why = rule.New("region_taken_by", "{region} is the shape {name}", "region", taken.Region, "name", strconv.Quote(taken.By.Name))
	}
	return &call.Problem{Status: http.StatusConflict, Code: call.CodeNameTaken, Fields: form.Errors{{Pointer: "/region", Rule: why}}}
}

// mayTouchRegion asks for the right to make, remove or change a region.
func mayTouchRegion(who *access.User, was, now int) error {
	switch {
	case was == 0 && now == 0:
		return nil
	case was == 0 || now == 0:
		return call.Entitled(who, access.AddRemoveRegion)
	}
	return call.Entitled(who, access.ChangeRegion)
}

func (b shelf) delete(c *call.Call) error {
	r, err := b.findOwn(c)
	if err != nil {
		return err
	}
	if err := mayTouchRegion(c.Caller.User, r.Region, 0); err != nil {
		return err
	}
	if err := b.deps.Users.Library().Delete(b.kind, r.UID); err != nil {
		return b.stillReferred(c, err)
	}
	return c.NoContent()
}

// take reads the body into r: fields that are not given keep their value, but for the ships of a list, which are replaced.
func (b shelf) take(c *call.Call, f *form.Fields, r *access.Resource) error {
	if name := f.TextOr("name", r.Name); name != r.Name {
		f.Check("name", access.CheckKeptName(name))
		r.Name = form.Tidy(name)
	}
	if f.Given("acl") {
		acl, wrong := b.deps.Users.TakeACL(f.List("acl"))
		others := wrong != nil || slices.ContainsFunc(acl, func(uid string) bool { return uid != c.Caller.User.UID })
		if others && !c.Caller.User.MayShare(b.kind) { // before the names are judged: nobody learns which there are
			return call.Forbidden(rule.New("needs_right", "needs the right {right}", "right", "share_"+b.kind.String()+"s"))
		}
		if wrong != nil {
			f.Broken(form.Errors{*wrong})
		}
		r.ACL = acl
	}
	r.Other, _ = f.Other(keysOf(reflect.TypeFor[resourceRecord]()), r.Other)
	var err error
	switch b.kind {
	case access.ShipLists:
		err = takeShips(f, r)
	case access.Shapes:
		takeShape(f, r)
	case access.Filters:
		err = b.takeFilter(c, f, r)
	}
	if wrong := f.Err(); wrong != nil {
		return wrong
	}
	return err
}

// takeShips reads the ships of a list.
func takeShips(f *form.Fields, r *access.Resource) error {
	r.Max = int(f.Integer("max", int64(r.Max), math.MaxInt64))
	if f.Require("ships"); !f.Given("ships") {
		return nil
	}
	r.Ships = nil
	for _, one := range f.Objects("ships") {
		q := one.Described()
		r.Ships = append(r.Ships, access.ListedShip{MMSI: int64(q.MMSI), IMO: int64(q.IMO), Name: q.Name, CallSign: q.CallSign})
	}
	f.Broken(r.CheckShips())
	return r.Full()
}

// takeShape reads the geometry, which comes as a whole. A color that is not given stays, also where an older version took another
// text for one.
func takeShape(f *form.Fields, r *access.Resource) {
	r.Color = f.TextOr("color", r.Color)
	r.Region = int(f.Integer("region", int64(r.Region), math.MaxInt64))
	if f.Given("polygon") || f.Given("line") || f.Given("circle") {
		takeGeometry(f, r)
	}
	f.Broken(slices.DeleteFunc(r.CheckShape(), func(e form.Error) bool { return e.Pointer == "/color" && !f.Given("color") }))
}

// takeGeometry reads the geometry into a shape, in the place of the one that it has.
func takeGeometry(f *form.Fields, r *access.Resource) {
	r.Polygon, r.Line, r.Circle = nil, nil, nil
	if f.Given("polygon") {
		r.Polygon = f.Raw("polygon")
	}
	if f.Given("line") {
		r.Line = f.Raw("line")
	}
	if f.Given("circle") {
		r.Circle = &access.Circle{}
		f.Into("circle", r.Circle, rule.New("circle", "must be an object with center and radius"))
	}
	if kind := f.Text("type"); kind != "" && kind != r.ShapeKind() {
		f.Refuse("type", rule.New("geometry_given", "must be {type}, which is given", "type", r.ShapeKind()))
	}
}

// takeFilter reads the text of a saved filter, which has to parse with what its writer may use.
func (b shelf) takeFilter(c *call.Call, f *form.Fields, r *access.Resource) error {
	if r.UID == "" {
		f.Require("filter")
	}
	r.Filter = f.TextOr("filter", r.Filter)
	_, err := call.Filter(r.Filter, b.deps.Users.Lookup(c.Caller.User))
	return err
}
