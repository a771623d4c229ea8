package handlers

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"reflect"
	"slices"
	"time"

	"quaywatch/access"
	"quaywatch/form"
	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
	"quaywatch/rule"
)

// profileRecord is what users and groups have in common, as it is read.
type profileRecord struct {
	UID            string                          `json:"uid"`
	Revision       string                          `json:"revision"`
	Name           string                          `json:"name"`
	CommonName     string                          `json:"common_name"`
	Description    string                          `json:"description"`
	Email          string                          `json:"email"`
	Phone          string                          `json:"phone"`
	Rights         map[access.Right]access.Verdict `json:"access_rights"`
	Settings       form.Keys                       `json:"settings"`
	ReceiveFilter  form.Keys                       `json:"receive_filter"`
	TransmitFilter form.Keys                       `json:"transmit_filter"`
	Warn           bool                            `json:"warn_on_deletion"`

	other form.Keys
}

// userRecord is a user as it is read: without password and hash.
type userRecord struct {
	profileRecord
	Groups     []form.Ref          `json:"groups"`
	Direct     access.DirectAccess `json:"direct_access"`
	Disabled   bool                `json:"disabled"`
	Expires    string              `json:"expiration_time,omitempty"`
	WarnBefore int                 `json:"period_before_expire"`
	Warning    string              `json:"warn,omitempty"`
	Effective  []access.Right      `json:"effective_rights"`
}

// groupRecord is a group as it is read.
type groupRecord struct {
	profileRecord
	Locked  bool       `json:"locked"`
	Members []form.Ref `json:"members"`
}

func (s *Server) profileRecord(uid, name, revision string, p *access.Profile) profileRecord {
	rights := p.Rights
	if rights == nil {
		rights = map[access.Right]access.Verdict{}
	}
	u := s.deps.Users
	return profileRecord{
		UID: uid, Revision: revision, Name: name, CommonName: p.CommonName, Description: p.Description, Email: p.Email, Phone: p.Phone, Rights: rights,
		Settings: u.GiveKeys(access.SettingKeys, p.Settings), ReceiveFilter: u.GiveKeys(access.ReceiveKeys, p.ReceiveFilter),
		TransmitFilter: u.GiveKeys(access.TransmitKeys, p.TransmitFilter), other: p.Other,
	}
}

func (s *Server) userRecord(u *access.User) userRecord {
	r := userRecord{
		profileRecord: s.profileRecord(u.UID, u.Name, u.Revision(), &u.Profile), Groups: []form.Ref{}, Direct: u.Direct, Disabled: u.Disabled,
		WarnBefore: u.WarnBefore, Effective: u.Effective(), Expires: wire.OptionalTime(u.Expires),
	}
	if r.Direct.Hosts == nil {
		r.Direct.Hosts = []string{}
	}
	for _, uid := range u.Groups {
		if ref, ok := s.deps.Users.NameOf(uid); ok {
			r.Groups = append(r.Groups, ref)
		}
	}
	r.Warn = u.Weighty()
	for _, n := range s.deps.Users.Library().Owned(u.UID) {
		r.Warn = r.Warn || n > 0
	}
	if u.ExpiresSoon(s.config.Now()) {
		r.Warning = warnExpiry
	}
	return r
}

func (s *Server) groupRecord(g *access.Group) groupRecord {
	r := groupRecord{profileRecord: s.profileRecord(g.UID, g.Name, g.Revision(), &g.Profile), Locked: g.Locked, Members: []form.Ref{}}
	for _, u := range s.deps.Users.Members(g.UID) {
		r.Members = append(r.Members, form.Ref{Name: u.Name, UID: u.UID})
	}
	r.Warn = len(r.Members) > 0
	return r
}

// edit is a body that changes a user or group, with who asks for it and which rights that takes.
type edit struct {
	*form.Fields
	server *Server
	who    *access.User
	needs  []access.Right
}

func (s *Server) newEdit(c *call.Call) (*edit, error) {
	f, err := c.BindConfig(call.MaxBody)
	return &edit{Fields: f, server: s, who: c.Caller.User}, err
}

// wants notes that one of the given fields takes a right.
func (e *edit) wants(right access.Right, keys ...string) {
	if slices.ContainsFunc(keys, e.Given) && !slices.Contains(e.needs, right) {
		e.needs = append(e.needs, right)
	}
}

// sparesName drops a name that is the one of now: who writes back what was read renames nothing, and needs no right for it.
func (e *edit) sparesName(now string) {
	var written string
	if json.Unmarshal(e.Raw("name"), &written) == nil && written == now {
		e.Drop("name")
	}
}

// allowed gives the first right that the caller lacks, else what is wrong with the body: whoever may not write something does not
// learn from the answer what there is to name.
func (e *edit) allowed() error {
	for _, right := range e.needs {
		if err := call.Entitled(e.who, right); err != nil {
			return err
		}
	}
	return e.Err()
}

// profile writes the common fields.
func (e *edit) profile(p *access.Profile) {
	p.CommonName = e.TextOr("common_name", p.CommonName)
	p.Description = e.TextOr("description", p.Description)
	p.Email = e.TextOr("email", p.Email)
	p.Phone = e.TextOr("phone", p.Phone)
	p.Rights = e.rights(p.Rights)
	for _, k := range []struct {
		name string
		set  access.KeySet
		keys *form.Keys
	}{{"settings", access.SettingKeys, &p.Settings}, {"receive_filter", access.ReceiveKeys, &p.ReceiveFilter}, {"transmit_filter", access.TransmitKeys, &p.TransmitFilter}} {
		if !e.Given(k.name) {
			continue
		}
		users := e.server.deps.Users
		now, wrong := users.TakeKeys(k.set, *k.keys, e.Object(k.name))
		for _, w := range append(wrong, users.Strangers(*k.keys, now)...) {
			e.Refuse(k.name+w.Pointer, w.Rule)
		}
		*k.keys = now
	}
}

// rights gives the verdicts as they become: written ones replace, an empty text is none.
func (e *edit) rights(was map[access.Right]access.Verdict) map[access.Right]access.Verdict {
	now := maps.Clone(was)
	if now == nil {
		now = map[access.Right]access.Verdict{}
	}
	for key, raw := range e.Object("access_rights") {
		var v access.Verdict
		switch err := json.Unmarshal(raw, &v); {
		case err != nil || v != access.Allow && v != access.Deny && v != "":
			e.Refuse("access_rights/"+key, rule.New("verdict", "must be allow, deny or empty"))
		case v == "":
			delete(now, access.Right(key))
		default:
			now[access.Right(key)] = v
		}
	}
	return now
}

// user writes the fields of a user. Its own profile and password everybody may change.
func (e *edit) user(u *access.User, self bool) {
	if !self {
		e.wants(access.ChangeUser, "common_name", "email", "phone")
		e.wants(access.ResetPasswords, "password")
	}
	e.sparesName(u.Name)
	e.wants(access.ChangeUser, "name", "description", "disabled", "expiration_time", "period_before_expire", "direct_access", "groups")
	was := u.Type()
	e.userRights(was)
	e.profile(&u.Profile)
	if now := u.Type(); u.UID != "" && now != was && (was == access.TypeProxy || now == access.TypeProxy) {
		e.needs = append(e.needs, access.ChangeFilterSettings) // else change_proxy_filters would be enough for anybody's
	}
	if name := e.TextOr("name", u.Name); name != u.Name {
		e.Check("name", access.CheckName(name))
		u.Name = name
	}
	u.Disabled = e.Boolean("disabled", u.Disabled)
	u.WarnBefore = int(e.Integer("period_before_expire", int64(u.WarnBefore), access.MaxWarnBefore))
	if raw := string(e.Raw("expiration_time")); raw == "null" || raw == `""` {
		u.Expires = time.Time{}
		e.needs = append(e.needs, access.ChangeUser)
	} else {
		u.Expires = e.Time("expiration_time", u.Expires)
	}
	e.direct(u)
	var changed bool
	if u.Other, changed = e.Other(keysOf(reflect.TypeFor[userRecord]()), u.Other); changed {
		e.needs = append(e.needs, access.ChangeUser)
	}
	if e.Given("groups") {
		u.Groups = e.groups(u.Groups)
	}
}

// direct writes direct_access.
func (e *edit) direct(u *access.User) {
	if !e.Given("direct_access") {
		return
	}
	now := access.DirectAccess{Enabled: u.Direct.Enabled, Hosts: slices.Clone(u.Direct.Hosts)} // reading writes into the array that is there
	e.Into("direct_access", &now, rule.New("direct_access", "must be an object with enabled and hosts"))
	e.Check("direct_access/hosts", access.CheckHosts(now.Hosts))
	u.Direct = now
}

// userRights are what settings, rights and filters take.
func (e *edit) userRights(kind string) {
	e.wants(access.ChangeAccessRights, "access_rights")
	e.wants(access.ChangeSettings, "settings")
	filters := access.ChangeFilterSettings
	if kind == access.TypeProxy {
		filters = access.ChangeProxyFilters
	}
	e.wants(filters, "receive_filter", "transmit_filter")
}

// groups gives the uids of the groups that are written. Members come to and leave a locked group by who may lock alone.
func (e *edit) groups(was []string) []string {
	var now []string
	list := e.List("groups")
	if len(list) > access.MaxGroups {
		e.Refuse("groups", rule.New("too_many_memberships", "may be at most {max}", "max", access.MaxGroups))
		return was
	}
	for i, raw := range list {
		ref, ok := form.ParseRef(raw)
		g, known := e.server.deps.Users.Group(ref)
		if !ok || !known {
			e.Refuse(fmt.Sprintf("groups/%d", i), rule.New("names_no_group", "must name a group"))
			continue
		}
		now = append(now, g.UID)
	}
	for _, uid := range append(slices.Clone(was), now...) {
		if g, ok := e.server.deps.Users.Group(uid); ok && g.Locked && slices.Contains(was, uid) != slices.Contains(now, uid) {
			e.needs = append(e.needs, access.LockGroups)
		}
	}
	return now
}

// covers refuses to give or take over rights that the caller has not.
func covers(who, other *access.User) error {
	if !who.Covers(other) {
		return call.Forbidden(rule.New("user_has_more", "the user has rights, or would have, that you have not"))
	}
	return nil
}

// within refuses to make, or take over, a user who has rights that the caller has not, or sees ships that the caller does not see.
func within(who, other *access.User) error {
	if err := covers(who, other); err != nil {
		return err
	}
	if !other.NarrowedAs(who) && !who.May(access.ChangeFilterSettings) {
		return call.Forbidden(rule.New("user_sees_more", "the user would see what filters or feeds hide from you: that needs the right {right}", "right", access.ChangeFilterSettings))
	}
	return nil
}

// mayMove refuses to bring members to locked groups, or take them from there, without lock_groups.
func (s *Server) mayMove(who, member *access.User) error {
	for _, uid := range member.Groups {
		if g, ok := s.deps.Users.Group(uid); ok && g.Locked {
			return call.Entitled(who, access.LockGroups)
		}
	}
	return nil
}

func (s *Server) addUser(c *call.Call) error {
	e, err := s.newEdit(c)
	if err != nil {
		return err
	}
	var u access.User
	u.Name = e.Text("name")
	c.Object = u.Name
	e.Check("name", access.CheckName(u.Name))
	password := e.Text("password")
	e.Check("password", access.CheckPassword(password))
	e.user(&u, true)
	e.needs = slices.DeleteFunc(e.needs, func(r access.Right) bool { return r == access.ChangeUser }) // making includes it
	if err := e.allowed(); err != nil {
		return err
	}
	made := s.deps.Users.Resolved(u)
	if err := within(e.who, made); err != nil {
		return err
	}
	made, err = s.deps.Users.Create(u, password)
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, uidAnswer{UID: made.UID})
}

// listUsers gives all users; with lss_group only those that is_gad_user marks for that group of the outgoing stream.
func (s *Server) listUsers(c *call.Call) error {
	group, only := c.Query("lss_group"), c.Request.URL.Query().Has("lss_group")
	records := []userRecord{}
	for _, u := range s.deps.Users.List() {
		if !only || u.InLSSGroup(group) {
			records = append(records, s.userRecord(&u))
		}
	}
	return c.SendJSON(http.StatusOK, call.Records[userRecord]{Records: records})
}

// namedUser gives the user of the path. Everybody sees themselves; for others it takes a right, which comes first, so that nobody
// learns which users there are.
func (s *Server) namedUser(c *call.Call) (*access.User, error) {
	name, err := c.PathText("name")
	if err != nil {
		return nil, err
	}
	u, ok := s.deps.Users.Find(name)
	if ok {
		c.Object = u.Name // the path may have the uid, which tells nobody anything
	}
	if ok && u.UID == c.Caller.User.UID {
		return u, nil
	}
	if err := c.FromHere(call.RemoteUsers); err != nil {
		return nil, err
	}
	if err := call.Entitled(c.Caller.User, access.UserConfigurationAccess); err != nil {
		return nil, err
	}
	if !ok {
		return nil, call.NotFound(rule.New("no_user", "there is no such user"))
	}
	return u, nil
}

func (s *Server) oneUser(c *call.Call) error {
	u, err := s.namedUser(c)
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, s.userRecord(u))
}

func (s *Server) changeUser(c *call.Call) error {
	u, err := s.namedUser(c)
	if err != nil {
		return err
	}
	e, err := s.newEdit(c)
	if err != nil {
		return err
	}
	self := u.UID == c.Caller.User.UID
	password := e.Text("password")
	if e.Given("password") {
		e.Check("password", access.CheckPassword(password))
	}
	prove := self && e.Given("password") && c.Caller.Token != "" // who came by Basic has just shown it
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
	if err := fresh(e.Fields, u.Revision()); err != nil {
		return err
	}
	if prove {
		if err := s.proveCurrent(c, current); err != nil {
			return err
		}
	}
	now, err := s.deps.Users.ChangeAndPassword(u.Name, password, func(now *access.User) error {
		if now.Stamp != u.Stamp || !now.Changed.Equal(u.Changed) {
			return call.Stale()
		}
		*now = trial
		return nil
	})
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, s.userRecord(now))
}

// proveCurrent refuses a caller who does not know the own password: a browser that was left open is not enough to take the user over.
// It counts as a sign-in.
func (s *Server) proveCurrent(c *call.Call, current string) error {
	user, err := s.base.Verify(c.Request, c.Caller.User.Name, current)
	var refused *call.Problem
	switch {
	case err == nil && user.UID == c.Caller.User.UID:
		return nil
	case err != nil && !(errors.As(err, &refused) && refused.Status == http.StatusUnauthorized):
		return err
	}
	return &call.Problem{Status: http.StatusForbidden, Code: call.CodeForbidden, Rule: rule.New("wrong_current_password", "the current password is wrong"),
		Fields: form.Errors{{Pointer: "/current_password", Rule: rule.New("wrong", "is wrong")}}}
}

// mayTurn refuses to turn one user into another who has more than the caller.
func (s *Server) mayTurn(c *call.Call, who, was *access.User, now access.User) error {
	if err := c.FromHere(call.RemoteUsers); err != nil {
		return err
	}
	for _, u := range []*access.User{was, s.deps.Users.Resolved(now)} {
		if err := within(who, u); err != nil {
			return err
		}
	}
	return nil
}

func (s *Server) deleteUser(c *call.Call) error {
	u, err := s.namedUser(c)
	if err != nil {
		return err
	}
	if err := covers(c.Caller.User, u); err != nil {
		return err
	}
	if err := s.mayMove(c.Caller.User, u); err != nil {
		return err
	}
	if err := s.deps.Users.Delete(u.Name); err != nil {
		return err
	}
	s.jobs.Forget(call.OwnerKey(u))
	return c.NoContent()
}

// cloneUser makes a user like another.
func (s *Server) cloneUser(c *call.Call) error {
	may := func(who, u *access.User) error { return cmp.Or(within(who, u), s.mayMove(who, u)) }
	uid := func(u *access.User) string { return u.UID }
	return clone(s, c, s.namedUser, access.CheckName, may, s.deps.Users.Clone, uid)
}

// clone makes a thing like the one of the path, with the name of the body.
func clone[T any](s *Server, c *call.Call, find func(*call.Call) (T, error), check func(name string) error, may func(*access.User, T) error,
	make func(of T, name string) (T, error), uid func(T) string) error {
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
	made, err := make(of, name)
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, uidAnswer{UID: uid(made)})
}

// reassignUser gives what a user owns to another.
func (s *Server) reassignUser(c *call.Call) error {
	u, err := s.namedUser(c)
	if err != nil {
		return err
	}
	to, err := another(c, "user", s.deps.Users.Find, func(other *access.User) bool { return other.UID == u.UID })
	if err != nil {
		return err
	}
	if err := covers(c.Caller.User, u); err != nil {
		return err
	}
	counts, err := s.deps.Users.Reassign(u, to)
	if err != nil {
		return err
	}
	selections, err := s.selections.Reassign(u.UID, to.UID)
	if err != nil {
		return err
	}
	answer := reassigned(counts)
	answer["selections"] = selections
	maps.Copy(answer, s.jobs.Reassign(call.OwnerKey(u), call.OwnerKey(to)))
	return c.SendJSON(http.StatusOK, reassignedAnswer{answer})
}
