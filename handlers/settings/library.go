package settings

import (
	"errors"
	"net/http"
	"reflect"
	"strconv"

	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight/telling"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// shelf answers the calls about one kind of things that users keep and share.
type shelf struct {
	*Server
	kind library.Kind
}

// admin returns the right over things of other users.
func (b shelf) admin() right.Name { return overOthers(b.kind) }

// overOthers returns the right over things of other users.
func overOthers(k library.Kind) right.Name {
	admin, _ := k.Rights()
	return right.Name(admin)
}

// mayUse reports whether a user may use a thing. What is built in is for all.
func (b shelf) mayUse(who *access.User, r *library.Resource) bool {
	return r.BuiltIn() || who.MayUse(r.Owned, b.admin()) && telling.MayKnowList(who, r)
}

// find returns the thing of the path. To a caller that may not use it, there is none.
func (b shelf) find(c *request.Request) (library.Resource, error) {
	name, err := c.PathText("name")
	if err != nil {
		return library.Resource{}, err
	}
	r, ok := b.deps.Library.Get(b.kind, name)
	if !ok || !b.mayUse(c.Caller.User, &r) {
		return r, request.NotFound(rule.New("no_such_kind", "there is no such {kind}", "kind", b.kind.String()))
	}
	c.Object = r.Name
	return r, nil
}

// findOwn is find for a caller that also wants to change the thing.
func (b shelf) findOwn(c *request.Request) (library.Resource, error) {
	r, err := b.find(c)
	if err == nil && r.BuiltIn() { // it is nobody's own
		return r, request.Entitled(c.Caller.User, b.admin())
	}
	if err == nil && !c.Caller.User.MayChange(r.Owned, b.admin()) {
		err = request.Forbidden(rule.New("anothers", "the {kind} is another user's", "kind", b.kind.String()))
	}
	if err == nil && r.Of != 0 {
		err = request.Conflict(request.CodeConflict, rule.New("list_read_only", "is the list of the watchdog {name}, which alone changes it", "name", strconv.Quote(r.Name)))
	}
	return r, err
}

func (b shelf) listEntries(c *request.Request) error {
	full, err := c.QueryTruth("full", true)
	if err != nil {
		return err
	}
	record, err := b.recorderOf(c, 0)
	if err != nil {
		return err
	}
	records := []any{}
	for _, r := range b.deps.Library.List(b.kind) {
		switch {
		case !b.mayUse(c.Caller.User, &r):
		case !full:
			records = append(records, nameRecord{r.Name})
		default:
			records = append(records, record(&r))
		}
	}
	return c.SendJSON(http.StatusOK, request.Records[any]{Records: records})
}

type nameRecord struct {
	Name string `json:"name"`
}

func (b shelf) readEntry(c *request.Request) error {
	r, err := b.find(c)
	if err != nil {
		return err
	}
	return b.sendEntry(c, &r)
}

func (b shelf) add(c *request.Request) error {
	f, err := c.BindConfig(request.MaxShapeBody)
	if err != nil {
		return err
	}
	r := library.Resource{Owned: form.Owned{Owner: c.Caller.User.UID}}
	requireName(f)
	if err := b.readBody(c, f, &r); err != nil {
		return err
	}
	if r.Region != 0 {
		if err := request.Entitled(c.Caller.User, right.AddRemoveRegion); err != nil {
			return err
		}
	}
	if err := mayTouchSector(c.Caller.User, nil, r.Sector); err != nil {
		return err
	}
	if err := b.mayTurn(c, &library.Resource{}, &r); err != nil {
		return err
	}
	c.Object = r.Name
	made, err := b.deps.Library.Insert(b.kind, r, c.Line())
	if err != nil {
		return b.takenProblem(c, err)
	}
	b.watch()
	answer := uidAnswer{UID: made.UID}
	if b.kind == library.Shapes || b.kind == library.Watchdogs {
		answer.ID = made.ID
	}
	return c.SendJSON(http.StatusOK, answer)
}

func (b shelf) changeEntry(c *request.Request) error {
	r, err := b.findOwn(c)
	if err != nil {
		return err
	}
	f, err := c.BindConfig(request.MaxShapeBody)
	if err != nil {
		return err
	}
	if r.ID != 0 {
		request.Same(f, "id", strconv.FormatUint(r.ID, 10))
	}
	now := r
	if err := b.readBody(c, f, &now); err != nil {
		return err
	}
	if err := mayTouchRegion(c.Caller.User, r.Region, now.Region); err != nil {
		return err
	}
	if err := mayTouchSector(c.Caller.User, r.Sector, now.Sector); err != nil {
		return err
	}
	if err := errors.Join(b.mayTurn(c, &r, &now), b.mayGrow(&r, &now)); err != nil {
		return err
	}
	if err := request.Fresh(f, r.Revision()); err != nil {
		return err
	}
	done, err := b.deps.Library.Change(b.kind, r.UID, func(was *library.Resource) error {
		if !was.Changed.Equal(r.Changed) {
			return request.Stale()
		}
		*was = now
		return nil
	}, c.Line())
	if err != nil {
		return b.takenProblem(c, b.stillReferred(c, err))
	}
	b.watch()
	return b.sendEntry(c, &done)
}

// mayTurn refuses a change of a ship list or shape, or of a watchdog with a ship list, that filters name. It does so when the change would alter what they hide
// from the caller. A caller that is not shown everything may not change what filters hide from other users either.
func (b shelf) mayTurn(c *request.Request, was, now *library.Resource) error {
	named := b.kind != library.Filters // which no filter names
	if !named || b.deps.Users.MayTurn(c.Caller.User, b.deps.Library.Turns(b.kind, was, now)...) {
		return nil
	}
	return filterNames(b.kind.String())
}

// filterNames is the problem of a change of something that a filter names.
func filterNames(kind string) error {
	return request.Forbidden(rule.New("filter_names",
		"a filter of yours names the {kind}, or one of others while you are not shown everything: that needs the right {right}",
		"kind", kind, "right", right.ChangeFilterSettings))
}

// mayGrow refuses a shape that would make the receive filter of a user or group ask too much of each ship: it would show nothing.
func (b shelf) mayGrow(was, now *library.Resource) error {
	if b.kind != library.Shapes || b.deps.Users.Bears(b.deps.Library.Turn(b.kind, was, now), b.deps.Library.With(now)) {
		return nil
	}
	return request.BadField("/"+now.ShapeKind(), rule.New("shape_costly",
		"a receive filter names this shape, and would ask too much of each ship; use fewer edges above one another"))
}

// takenProblem makes the answer to a name of a ship list, or to the number of a region, that is used already.
func (b shelf) takenProblem(c *request.Request, err error) error {
	var list *library.ListTaken
	if errors.As(err, &list) {
		return &request.Problem{Status: http.StatusConflict, Code: request.CodeNameTaken, Fields: form.Errors{{Pointer: "/name", Rule: list.Rule}}}
	}
	return b.regionTaken(c, err)
}

// regionTaken makes the answer to a region that another shape has. It names that shape to a caller that may use it.
func (b shelf) regionTaken(c *request.Request, err error) error {
	var taken *library.RegionTaken
	if !errors.As(err, &taken) {
		return err
	}
	why := rule.New("region_taken", "{region} is another shape", "region", taken.Region)
	if c.Caller.User.MayUse(taken.By.Owned, b.admin()) {
		why = rule.New("region_taken_by", "{region} is the shape {name}", "region", taken.Region, "name", strconv.Quote(taken.By.Name))
	}
	return &request.Problem{Status: http.StatusConflict, Code: request.CodeNameTaken, Fields: form.Errors{{Pointer: "/region", Rule: why}}}
}

// mayTouchRegion asks for the right to make, remove or change a region.
func mayTouchRegion(who *access.User, was, now int) error {
	switch {
	case was == 0 && now == 0:
		return nil
	case was == 0 || now == 0:
		return request.Entitled(who, right.AddRemoveRegion)
	}
	return request.Entitled(who, right.ChangeRegion)
}

// mayTouchSector asks for the right over all shapes where one is a sector, or becomes one: alerts depend on it.
func mayTouchSector(who *access.User, was, now *library.Sector) error {
	if was == nil && now == nil {
		return nil
	}
	return request.Entitled(who, right.AdminShapes)
}

func (b shelf) deleteOwn(c *request.Request) error {
	r, err := b.findOwn(c)
	if err != nil {
		return err
	}
	if err := mayTouchSector(c.Caller.User, r.Sector, nil); err != nil {
		return err
	}
	if err := mayTouchRegion(c.Caller.User, r.Region, 0); err != nil {
		return err
	}
	if r.BuiltIn() {
		return request.Conflict(request.CodeConflict, library.ErrBuiltIn)
	}
	if err := b.deps.Library.Delete(b.kind, r.UID, c.Line()); err != nil {
		return b.stillReferred(c, err)
	}
	b.watch()
	return c.NoContent()
}

// readBody reads the body into r. It asks first whether the caller may share: a caller that may not does not learn which names there are.
func (b shelf) readBody(c *request.Request, f *form.Fields, r *library.Resource) error {
	who := c.Caller.User
	if b.deps.Library.NamesOthers(f, who.UID) && !who.May(b.admin()) {
		_, share := b.kind.Rights()
		if err := request.Entitled(who, right.Name(share)); err != nil {
			return err
		}
	}
	if b.kind == library.Shapes && f.Said("sector") { // before the names in it are looked for
		if err := request.Entitled(who, right.AdminShapes); err != nil {
			return err
		}
	}
	if b.kind == library.ShipLists {
		f.Require("ships") // a list is replaced as a whole
	}
	was := r.Watchdog
	if b.kind == library.Watchdogs {
		if err := b.mayName(c, f, r); err != nil {
			return err
		}
	}
	err := b.deps.Library.Apply(f, b.kind, r, b.Lookup(who))
	r.Other, _ = f.Other(keysOf(reflect.TypeFor[library.Record]()), r.Other)
	if wrong := f.Err(); wrong != nil {
		return wrong
	}
	if b.kind == library.Watchdogs && err == nil {
		if r.BuiltIn() && !form.Same(was.Notices, r.Watchdog.Notices) {
			r.Owner, was = who.UID, nil // its notices tell what the user is told that wrote them last
		}
		if err := b.checkNotices(c, f, was, r); err != nil {
			return err
		}
		if err := b.watchPort(c, f, r); err != nil {
			return err
		}
		return b.watchPlace(c, f, r)
	}
	return request.BadFilter(f.Pointer("filter"), err)
}

// Definition reads the watchdog of a body that is to be tried, as if it was to be kept.
func (s *Server) Definition(c *request.Request, f *form.Fields) (library.Resource, error) {
	r := library.Resource{Owned: form.Owned{Owner: c.Caller.User.UID}}
	err := shelf{s, library.Watchdogs}.readBody(c, f, &r)
	return r, err
}

// Lookup returns what a filter of the user may name (telling.NamesFor).
func (s *Server) Lookup(who *access.User) ship.Lookup {
	return telling.NamesFor(who, s.deps.Library, s.deps.Ports)
}
