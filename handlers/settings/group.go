package settings

import (
	"net/http"
	"reflect"

	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

func (s *Server) listGroups(c *request.Request) error {
	records := []access.GroupRecord{}
	for _, g := range s.deps.Users.Groups().All() {
		records = append(records, s.deps.Users.Groups().Record(g))
	}
	return c.SendJSON(http.StatusOK, request.Records[access.GroupRecord]{Records: records})
}

func (s *Server) namedGroup(c *request.Request) (*access.Group, error) {
	name, err := c.PathText("name")
	if err != nil {
		return nil, err
	}
	g, ok := s.deps.Users.Groups().Get(name)
	if !ok {
		return nil, request.NotFound(rule.New("no_group", "there is no such group"))
	}
	c.Object = g.Name
	return g, nil
}

func (s *Server) oneGroup(c *request.Request) error {
	g, err := s.namedGroup(c)
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, s.deps.Users.Groups().Record(g))
}

// applyGroup writes the fields of the body into a group, and notes the rights that they take.
func (e *edit) applyGroup(g *access.Group) {
	wasLocked := g.Locked
	e.server.deps.Users.Groups().Apply(e.Fields, g)
	var changed bool
	if g.Other, changed = e.Other(keysOf(reflect.TypeFor[access.GroupRecord]()), g.Other); changed && g.UID != "" {
		e.need(right.ChangeUser)
	}
	if wasLocked || g.Locked {
		e.need(right.LockGroups)
	}
}

// existence returns the rights that it takes to make or delete a group, by what the group carries.
func existence(g *access.Group) []right.Name {
	var needs []right.Name
	if len(g.Rights) > 0 {
		needs = append(needs, right.AddRemoveAccessRightsGroups)
	}
	if len(g.Settings) > 0 {
		needs = append(needs, right.AddRemoveSettingsGroups)
	}
	if len(g.ReceiveFilter)+len(g.TransmitFilter) > 0 {
		needs = append(needs, right.AddRemoveFilterGroups)
	}
	if len(needs) == 0 {
		needs = append(needs, right.ChangeUser)
	}
	if g.Locked {
		needs = append(needs, right.LockGroups)
	}
	return needs
}

// coversGroup refuses groups that carry rights which the caller has not.
func coversGroup(who *access.User, groups ...*access.Group) error {
	for _, g := range groups {
		if !who.CoversGroup(g) {
			return request.Forbidden(rule.New("group_has_more", "the group has rights, or would have, that you have not"))
		}
	}
	return nil
}

// mayLift refuses a change by which a group no longer denies a right that the caller has not. Its members, the caller too, may have that
// right from another group. It also refuses a change by which the group hides less, when something is hidden from the caller.
func mayLift(who *access.User, was, now *access.Group) error {
	for _, r := range right.All() {
		if was.Rights[r] == right.Deny && now.Rights[r] != right.Deny && !who.May(r) {
			return request.Forbidden(rule.New("group_lifts", "the group denies rights that you have not, and would no longer"))
		}
	}
	before, after := access.User{Profile: was.Profile}, access.User{Profile: now.Profile}
	if who.Narrowed() && !after.NarrowedAs(&before) && !who.May(right.ChangeFilterSettings) {
		return request.Forbidden(rule.New("group_uncovers", "members would see what filters or feeds of the group hide now: that needs the right {right}",
			"right", right.ChangeFilterSettings))
	}
	return nil
}

func (s *Server) addGroup(c *request.Request) error {
	e, err := s.newEdit(c)
	if err != nil {
		return err
	}
	made, err := s.makeGroup(c, e)
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, uidAnswer{UID: made.UID})
}

func (s *Server) makeGroup(c *request.Request, e *edit) (*access.Group, error) {
	var g access.Group
	e.applyGroup(&g)
	c.Object = g.Name
	requireName(e.Fields)
	e.needs = append(e.needs, existence(&g)...)
	if err := e.allowed(); err != nil {
		return nil, err
	}
	if err := coversGroup(e.who, &g); err != nil {
		return nil, err
	}
	return s.deps.Users.Groups().Add(g, c.Line())
}

// cloneGroup makes a group like another.
func (s *Server) cloneGroup(c *request.Request) error {
	uid := func(g *access.Group) string { return g.UID }
	return cloneThing(s, c, s.namedGroup, form.CheckTitle, mayMakeGroup, s.deps.Users.Groups().Clone, uid)
}

// mayMakeGroup refuses a caller that may not make or delete the group.
func mayMakeGroup(who *access.User, g *access.Group) error {
	if err := request.Entitled(who, existence(g)...); err != nil {
		return err
	}
	return coversGroup(who, g)
}

// putGroup changes the group that the body names, or makes it. The name finds the group and never renames it.
func (s *Server) putGroup(c *request.Request) error {
	e, err := s.newEdit(c)
	if err != nil {
		return err
	}
	g, ok := s.deps.Users.Groups().Get(e.Text("name"))
	if !ok {
		made, err := s.makeGroup(c, e)
		if err != nil {
			return err
		}
		return c.SendJSON(http.StatusOK, s.deps.Users.Groups().Record(made))
	}
	c.Object = g.Name
	e.Drop("name")
	return s.turnGroup(c, e, g)
}

func (s *Server) changeGroup(c *request.Request) error {
	g, err := s.namedGroup(c)
	if err != nil {
		return err
	}
	e, err := s.newEdit(c)
	if err != nil {
		return err
	}
	return s.turnGroup(c, e, g)
}

// turnGroup changes a group as far as the caller may.
func (s *Server) turnGroup(c *request.Request, e *edit, g *access.Group) error {
	e.sparesName(g.Name)
	e.noteRight(right.ChangeUser, "name", "common_name", "description", "email", "phone")
	e.userRights(access.TypeUser)
	trial := *g
	e.applyGroup(&trial)
	if err := e.allowed(); err != nil {
		return err
	}
	if err := request.Entitled(e.who, right.UserConfigurationAccess); err != nil {
		return err
	}
	if err := coversGroup(e.who, g, &trial); err != nil {
		return err
	}
	if err := mayLift(e.who, g, &trial); err != nil {
		return err
	}
	if err := request.Fresh(e.Fields, g.Revision()); err != nil {
		return err
	}
	now, err := s.deps.Users.Groups().Change(g.UID, func(now *access.Group) error {
		if !now.Changed.Equal(g.Changed) {
			return request.Stale()
		}
		*now = trial
		return nil
	}, c.Line())
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, s.deps.Users.Groups().Record(now))
}

func (s *Server) deleteGroup(c *request.Request) error {
	g, err := s.namedGroup(c)
	if err != nil {
		return err
	}
	if err := mayMakeGroup(c.Caller.User, g); err != nil {
		return err
	}
	if err := s.deps.Users.Groups().Delete(g.UID, c.Line()); err != nil {
		return s.stillReferred(c, err)
	}
	return c.NoContent()
}
