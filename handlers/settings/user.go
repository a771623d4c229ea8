package settings

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"slices"

	"quaywatch/form"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/users/access"
	"quaywatch/users/access/audit"
	"quaywatch/users/access/right"
)

// edit is a body that changes a user or group, with the caller and the rights that the change takes.
type edit struct {
	*form.Fields
	server *Server
	who    *access.User
	needs  []right.Name
}

func (s *Server) newEdit(c *request.Request) (*edit, error) {
	f, err := c.BindConfig(request.MaxBody)
	return &edit{Fields: f, server: s, who: c.Caller.User}, err
}

// noteRight notes that one of the given fields takes a right.
func (e *edit) noteRight(r right.Name, keys ...string) {
	if slices.ContainsFunc(keys, e.Given) {
		e.need(r)
	}
}

// sparesName drops a name that is still the same. A caller that writes back what it read renames nothing, and needs no right for it.
func (e *edit) sparesName(now string) {
	var written string
	if json.Unmarshal(e.Raw("name"), &written) == nil && written == now {
		e.Drop("name")
	}
}

// allowed refuses a body by the first right that the caller lacks, then by its wrong fields. In this order a caller that may not write a
// field does not learn from the answer which names there are.
func (e *edit) allowed() error {
	if err := request.Entitled(e.who, e.needs...); err != nil {
		return err
	}
	return e.Err()
}

// user writes the fields of the body into a user, and notes the rights that they take. All users may change their own profile and
// password. A field without a right of its own takes change_user.
func (e *edit) user(u *access.User, self bool) {
	was := *u
	e.sparesName(u.Name)
	e.userRights(was.Type())
	free := []string{"access_rights", "settings", "receive_filter", "transmit_filter", "revision", "current_password", "password"}
	if self {
		free = append(free, "common_name", "email", "phone")
	} else {
		e.noteRight(right.ResetPasswords, "password")
	}
	known := keysOf(reflect.TypeFor[access.UserRecord]())
	for _, key := range e.Names() {
		if slices.Contains(known, key) && !slices.Contains(free, key) && !slices.Contains(readOnly(), key) {
			e.noteRight(right.ChangeUser, key)
		}
	}
	if e.Said("expiration_time") {
		e.need(right.ChangeUser) // null is never
	}
	e.server.deps.Users.Apply(e.Fields, u)
	if now := u.Type(); u.UID != "" && now != was.Type() && (was.Type() == access.TypeProxy || now == access.TypeProxy) {
		e.need(right.ChangeFilterSettings) // else change_proxy_filters would be enough for the filters of any user
	}
	for _, uid := range slices.Concat(was.Groups, u.Groups) {
		if g, ok := e.server.deps.Users.Groups().Get(uid); ok && g.Locked && slices.Contains(was.Groups, uid) != slices.Contains(u.Groups, uid) {
			e.need(right.LockGroups) // only a user with lock_groups brings members to a locked group, or takes them away
		}
	}
	var changed bool
	if u.Other, changed = e.Other(known, u.Other); changed {
		e.need(right.ChangeUser)
	}
}

// readOnly are the keys of users and groups that no caller writes. They may come back as they were read.
func readOnly() []string {
	return []string{"uid", "revision", "warn_on_deletion", "warn", "effective_rights", "members", "stored_bytes", "max_stored_bytes"}
}

// need notes that the body takes a right.
func (e *edit) need(r right.Name) {
	if !slices.Contains(e.needs, r) {
		e.needs = append(e.needs, r)
	}
}

// userRights notes the rights that settings, rights and filters take.
func (e *edit) userRights(kind string) {
	e.noteRight(right.ChangeAccessRights, "access_rights")
	e.noteRight(right.ChangeSettings, "settings")
	filters := right.ChangeFilterSettings
	if kind == access.TypeProxy {
		filters = right.ChangeProxyFilters
	}
	e.noteRight(filters, "receive_filter", "transmit_filter")
}

// checkCovers refuses a user that has rights which the caller has not: the caller would give them away or take them over.
func checkCovers(who, other *access.User) error {
	if !who.Covers(other) {
		return request.Forbidden(rule.New("user_has_more", "the user has rights, or would have, that you have not"))
	}
	return nil
}

// checkRights refuses a user that has rights which the caller has not, or that sees ships which the caller does not see.
func checkRights(who, other *access.User) error {
	if err := checkCovers(who, other); err != nil {
		return err
	}
	if !other.NarrowedAs(who) && !who.May(right.ChangeFilterSettings) {
		return request.Forbidden(rule.New("user_sees_more", "the user would see what filters or feeds hide from you: that needs the right {right}",
			"right", right.ChangeFilterSettings))
	}
	if !other.LimitedAs(who) && !who.May(right.ChangeSettings) {
		return request.Forbidden(rule.New("user_reaches_more", "the user would look further back than you, or get more records: that needs the right {right}",
			"right", right.ChangeSettings))
	}
	return nil
}

// mayMove asks for lock_groups where the user is a member of a locked group.
func (s *Server) mayMove(who, member *access.User) error {
	for _, uid := range member.Groups {
		if g, ok := s.deps.Users.Groups().Get(uid); ok && g.Locked {
			return request.Entitled(who, right.LockGroups)
		}
	}
	return nil
}

func (s *Server) addUser(c *request.Request) error {
	e, err := s.newEdit(c)
	if err != nil {
		return err
	}
	var u access.User
	c.Object = e.Text("name")
	requireName(e.Fields)
	password := e.RequiredText("password")
	if password != "" {
		e.Check("password", access.CheckPassword(password))
	}
	e.user(&u, true)
	e.needs = slices.DeleteFunc(e.needs, func(r right.Name) bool { return r == right.ChangeUser }) // making includes it
	if err := e.allowed(); err != nil {
		return err
	}
	made := s.deps.Users.Resolved(u)
	if err := checkRights(e.who, made); err != nil {
		return err
	}
	made, err = s.deps.Users.Create(u, password, c.Line())
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, uidAnswer{UID: made.UID})
}

// listUsers returns all users; with lss_group only those that is_gad_user marks for that group of the outgoing stream.
func (s *Server) listUsers(c *request.Request) error {
	group, only := c.Query("lss_group"), c.HTTP.URL.Query().Has("lss_group")
	records := []access.UserRecord{}
	for _, u := range s.deps.Users.List() {
		if !only || u.InLSSGroup(group) {
			records = append(records, s.deps.Users.Record(&u))
		}
	}
	return c.SendJSON(http.StatusOK, request.Records[access.UserRecord]{Records: records})
}

// namedUser returns the user of the path. All callers see themselves. For other users it takes a right, which is asked for first, so that a
// caller without it does not learn which users there are.
func (s *Server) namedUser(c *request.Request) (*access.User, error) {
	name, err := c.PathText("name")
	if err != nil {
		return nil, err
	}
	u, ok := s.deps.Users.User(name)
	if ok {
		c.Object = u.Name // the path may hold the uid, which says nothing in the audit log
	}
	if ok && u.UID == c.Caller.User.UID {
		return u, nil
	}
	if err := c.FromHere(request.RemoteUsers); err != nil {
		return nil, err
	}
	if err := request.Entitled(c.Caller.User, right.UserConfigurationAccess); err != nil {
		return nil, err
	}
	if !ok {
		return nil, request.NotFound(rule.New("no_user", "there is no such user"))
	}
	return u, nil
}

func (s *Server) oneUser(c *request.Request) error {
	u, err := s.namedUser(c)
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, s.deps.Users.Record(u))
}

func (s *Server) changeUser(c *request.Request) error {
	u, err := s.namedUser(c)
	if err != nil {
		return err
	}
	e, err := s.newEdit(c)
	if err != nil {
		return err
	}
	self := u.UID == c.Caller.User.UID
	if self || e.Given("password") {
		if err := c.NoProgram(); err != nil {
			return err
		}
	}
	password := e.Text("password")
	if e.Given("password") {
		e.Check("password", access.CheckPassword(password))
	}
	prove := self && e.Given("password") && c.Caller.Token != "" // a caller by Basic has just shown it
	current := e.Text("current_password")
	if prove && current == "" {
		e.Refuse("current_password", rule.New("current_password", "is required to change your own password"))
	}
	trial := *u
	e.user(&trial, self)
	if err := e.allowed(); err != nil {
		return err
	}
	if !self || len(e.needs) > 0 {
		if err := s.mayTurn(c, e.who, u, trial); err != nil {
			return err
		}
	}
	if err := request.Fresh(e.Fields, u.Revision()); err != nil {
		return err
	}
	if prove {
		if err := s.proveCurrent(c, current); err != nil {
			return err
		}
	}
	now, err := s.deps.Users.ChangeAndPassword(u.Name, password, func(now *access.User) error {
		if now.Stamp != u.Stamp || !now.Changed.Equal(u.Changed) {
			return request.Stale()
		}
		*now = trial
		return nil
	}, c.Line())
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, s.deps.Users.Record(now))
}

// proveCurrent refuses a caller that does not give its current password. So a browser that was left open is not enough to take the user
// over. A try counts as a sign-in.
func (s *Server) proveCurrent(c *request.Request, current string) error {
	user, err := s.deps.Base.Verify(c.HTTP, c.Caller.User.Name, current)
	var refused *request.Problem
	switch {
	case err == nil && user.UID == c.Caller.User.UID:
		return nil
	case err != nil && !(errors.As(err, &refused) && refused.Status == http.StatusUnauthorized):
		return err
	}
	return &request.Problem{Status: http.StatusForbidden, Code: request.CodeForbidden, Rule: rule.New("wrong_current_password", "the current password is wrong"),
		Fields: form.Errors{{Pointer: "/current_password", Rule: rule.New("wrong", "is wrong")}}}
}

// mayTurn refuses a change of a user that has, or would have, more than the caller.
func (s *Server) mayTurn(c *request.Request, who, was *access.User, now access.User) error {
	if err := c.FromHere(request.RemoteUsers); err != nil {
		return err
	}
	for _, u := range []*access.User{was, s.deps.Users.Resolved(now)} {
		if err := checkRights(who, u); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) deleteUser(c *request.Request) error {
	u, err := s.namedUser(c)
	if err != nil {
		return err
	}
	if err := checkCovers(c.Caller.User, u); err != nil {
		return err
	}
	if err := s.mayMove(c.Caller.User, u); err != nil {
		return err
	}
	if err := s.deps.Users.Delete(u.Name, c.Line()); err != nil {
		return err
	}
	s.deps.Jobs.Forget(request.OwnerKey(u.UID))
	return c.NoContent()
}

// cloneUser makes a user like another.
func (s *Server) cloneUser(c *request.Request) error {
	may := func(who, u *access.User) error { return cmp.Or(checkRights(who, u), s.mayMove(who, u)) }
	uid := func(u *access.User) string { return u.UID }
	return cloneThing(s, c, s.namedUser, access.CheckName, may, s.deps.Users.Clone, uid)
}

// cloneThing makes a thing like the one of the path, under the name of the body.
func cloneThing[T any](s *Server, c *request.Request, find func(*request.Request) (T, error), check func(name string) error, may func(*access.User, T) error,
	make func(of T, name string, also ...audit.LineWriter) (T, error), uid func(T) string) error {
	of, err := find(c)
	if err != nil {
		return err
	}
	name, err := c.BoundName(check)
	if err != nil {
		return err
	}
	if err := may(c.Caller.User, of); err != nil {
		return err
	}
	made, err := make(of, name, c.Line())
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, uidAnswer{UID: uid(made)})
}

// reassignUser hands what a user owns to another.
func (s *Server) reassignUser(c *request.Request) error {
	u, err := s.namedUser(c)
	if err != nil {
		return err
	}
	to, err := another(c, "user", s.deps.Users.User, func(other *access.User) bool { return other.UID == u.UID })
	if err != nil {
		return err
	}
	if err := checkCovers(c.Caller.User, u); err != nil {
		return err
	}
	counts, err := s.deps.Box.Reassign(access.UserKind, u.UID, to.UID, c.Line())
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, reassignedAnswer{counts})
}
