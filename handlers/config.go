package handlers

import (
	"errors"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"quaywatch/access"
	"quaywatch/form"
	"quaywatch/rule"
	"quaywatch/sight"
)

// configPath is below which users, groups and what they keep are configured.
const configPath = "/api/config"

// configRoutes are those of the configuration. What a body may change is asked for field by field in the handler, by the rights
// that access.md names; the table holds what the whole call needs.
func configRoutes() []route {
	const users, groups = configPath + "/user", configPath + "/group"
	all := append(sessionRoutes(), []route{
		{method: "POST", path: users, right: access.AddRemoveUsers, remote: remoteUsers, audit: "user", handle: (*Server).addUser},
		{method: "GET", path: users, right: access.UserConfigurationAccess, remote: remoteUsers, handle: (*Server).listUsers},
		{method: "GET", path: users + "/:name", handle: (*Server).oneUser},
		{method: "PUT", path: users + "/:name", audit: "user", handle: (*Server).changeUser},
		{method: "DELETE", path: users + "/:name", right: access.AddRemoveUsers, remote: remoteUsers, audit: "user", handle: (*Server).deleteUser},
		{method: "POST", path: users + "/:name/clone", right: access.AddRemoveUsers, remote: remoteUsers, audit: "clone user", handle: (*Server).cloneUser},
		{method: "POST", path: users + "/:name/reassign", right: access.AddRemoveUsers, remote: remoteUsers, audit: "reassign user", handle: (*Server).reassignUser},
		{method: "POST", path: groups, remote: remoteUsers, audit: "group", handle: (*Server).addGroup},
		{method: "PUT", path: groups, remote: remoteUsers, audit: "group", handle: (*Server).putGroup},
		{method: "GET", path: groups, right: access.UserConfigurationAccess, remote: remoteUsers, handle: (*Server).listGroups},
		{method: "GET", path: groups + "/:name", right: access.UserConfigurationAccess, remote: remoteUsers, handle: (*Server).oneGroup},
		{method: "PUT", path: groups + "/:name", right: access.UserConfigurationAccess, remote: remoteUsers, audit: "group", handle: (*Server).changeGroup},
		{method: "DELETE", path: groups + "/:name", right: access.UserConfigurationAccess, remote: remoteUsers, audit: "group", handle: (*Server).deleteGroup},
		{method: "POST", path: groups + "/:name/clone", right: access.UserConfigurationAccess, remote: remoteUsers, audit: "clone group", handle: (*Server).cloneGroup},
		{method: "POST", path: groups + "/:name/reassign", right: access.UserConfigurationAccess, remote: remoteUsers, audit: "reassign group", handle: (*Server).reassignGroup},
		{method: "GET", path: configPath + "/running", right: access.SystemConfigurationAccess, remote: remoteConfig, handle: (*Server).running},
		{method: "GET", path: "/api/audit", right: access.GetSystemStatusInformation, handle: (*Server).readAudit},
	}...)
	for _, k := range []struct {
		kind            access.Kind
		look, configure access.Right
	}{{access.ShipLists, access.ViewShiplist, access.ConfigureShipLists}, {access.Shapes, "", ""}, {access.Filters, "", ""}} {
		shelf := shelf{k.kind}
		path := configPath + "/" + k.kind.String()
		all = append(all,
			route{method: "POST", path: path, right: k.configure, remote: remoteConfig, audit: k.kind.String(), handle: shelf.add},
			route{method: "GET", path: path, right: k.look, handle: shelf.list},
			route{method: "GET", path: path + "/:name", right: k.look, handle: shelf.one},
			route{method: "PUT", path: path + "/:name", right: k.configure, remote: remoteConfig, audit: k.kind.String(), handle: shelf.change},
			route{method: "DELETE", path: path + "/:name", right: k.configure, remote: remoteConfig, audit: k.kind.String(), handle: shelf.delete})
	}
	return append(all, portRoutes()...)
}

// remote says what a call of the configuration needs when it comes from another machine.
type remote uint8

const (
	remoteFree   remote = iota // reading what is shared, and one's own profile
	remoteConfig               // access_remote_configuration
	remoteUsers                // access_remote_user_configuration as well
)

// fromHere refuses a call of the configuration from another machine by whoever may configure on this one alone.
func (s *Server) fromHere(g *gin.Context, who *access.User, r remote) error {
	if r == remoteFree || s.fromThisMachine(g.Request) {
		return nil
	}
	if err := entitled(who, access.AccessRemoteConfiguration); err != nil {
		return err
	}
	if r == remoteUsers {
		return entitled(who, access.AccessRemoteUserConfiguration)
	}
	return nil
}

// isLocal tells whether an address is one of this machine.
func isLocal(address string) bool {
	ip := net.ParseIP(address)
	if ip == nil || ip.IsLoopback() {
		return ip != nil
	}
	own, err := net.InterfaceAddrs()
	return err == nil && slices.ContainsFunc(own, func(a net.Addr) bool {
		n, ok := a.(*net.IPNet)
		return ok && n.IP.Equal(ip)
	})
}

// note writes what a call did, or was refused to do, into the audit log.
func (s *Server) note(c *call, r route, status int) {
	result := "ok"
	switch {
	case status == http.StatusForbidden:
		result = "denied"
	case status >= 400:
		return
	}
	object := c.object
	if object == "" {
		object = c.Param("name") + c.Param("mmsi") + c.Param("id")
	}
	s.deps.Users.Audit().Note(access.Event{User: c.caller.name(), Address: s.address(c.Request), Action: r.method + " " + r.audit, Object: object,
		Result: result, Detail: strings.Join(c.written, ", ")})
}

// bindConfig reads a body, and remembers for the audit log which fields it writes.
func (c *call) bindConfig(most int64) (*form.Fields, error) {
	f, err := bind(c.Writer, c.Request, most)
	if err == nil {
		c.written = f.Names()
		c.written = slices.DeleteFunc(c.written, func(key string) bool { return key == "revision" }) // it writes nothing
		c.written = c.written[:min(len(c.written), 40)]
	}
	return f, err
}

// boundName reads a body that is a name alone, which has to pass a check.
func (c *call) boundName(check func(name string) error) (string, error) {
	f, err := c.bindConfig(maxBody)
	if err != nil {
		return "", err
	}
	name := f.Text("name")
	f.Check("name", check(name))
	return form.Tidy(name), f.Err()
}

// accessProblem is what the caller hears of an error of form, access or sight, nil for any other error.
func accessProblem(err error) *problem {
	var many form.TooMany
	var wrong form.Errors
	var field form.Error
	var busy *sight.BusyError
	switch {
	case errors.As(err, &wrong):
		return badFields(wrong)
	case errors.As(err, &field):
		return badFields(form.Errors{field})
	case errors.As(err, &busy):
		return tooMany(busy.Rule, busy.Retry)
	case errors.As(err, &many):
		return &problem{status: http.StatusConflict, code: codeLimitReached, rule: many.Rule}
	case errors.Is(err, form.ErrTaken):
		return &problem{status: http.StatusConflict, code: codeNameTaken, rule: form.ErrTaken}
	case errors.Is(err, access.ErrLastAdmin):
		return &problem{status: http.StatusConflict, code: codeConflict, rule: access.ErrLastAdmin}
	case errors.Is(err, access.ErrReferenced):
		return &problem{status: http.StatusConflict, code: codeConflict, rule: access.ErrReferenced}
	case errors.Is(err, form.ErrNotFound):
		return notFound(form.ErrNotFound)
	}
	return nil
}

// mostReferrers bounds how many are named that still refer to something.
const mostReferrers = 20

// referrerRecord is who or what still refers to something. Name and uid are missing where the caller may not read them.
type referrerRecord struct {
	Type string `json:"type"` // user, group, shiplist, shape, filter; user_or_group or shared_thing where it is not told which
	Name string `json:"name,omitempty"`
	UID  string `json:"uid,omitempty"`
}

// stillReferred says who or what refers to what was to be deleted or renamed, as far as the caller may read their names.
func (s *Server) stillReferred(c *call, err error) error {
	var r *access.Referenced
	if !errors.As(err, &r) {
		return err
	}
	p := &problem{status: http.StatusConflict, code: codeConflict}
	if len(r.By) == 0 {
		p.rule = rule.New("for_good", "it is there for good")
		return p
	}
	var hidden []referrerRecord
	for _, by := range r.By {
		record := s.referrer(c, by)
		switch {
		case record.Name == "" && !slices.Contains(hidden, record):
			hidden = append(hidden, record)
		case record.Name != "" && len(p.referrers) < mostReferrers:
			p.referrers = append(p.referrers, record)
		}
	}
	p.referrers = append(p.referrers, hidden...)
	var words []string
	for _, record := range p.referrers {
		words = append(words, record.words())
	}
	by := strings.Join(words, ", ")
	p.rule = rule.New("referred_to", "still referred to by {referrers}", "referrers", by)
	if more := len(r.By) - len(p.referrers); more > 0 && len(hidden) == 0 {
		p.rule = rule.New("referred_to_and_more", "still referred to by {referrers} and {more} more", "referrers", by, "more", more)
	}
	return p
}

func (r referrerRecord) words() string {
	switch r.Type {
	case "user_or_group":
		return "a user or group"
	case "shared_thing":
		return "a ship list, shape or filter"
	}
	return "the " + r.Type + " " + r.Name
}

// referrer gives a referrer as the caller may see it: oneself, one's groups, with the right all users and groups, and what is shared
// with the caller.
func (s *Server) referrer(c *call, by access.Referrer) referrerRecord {
	who, told := c.caller.user, referrerRecord{by.Kind, by.Name, by.UID}
	if by.Kind == access.UserKind || by.Kind == access.GroupKind {
		all := who.May(access.UserConfigurationAccess) && s.fromHere(c.Context, who, remoteUsers) == nil
		if all || by.UID == who.UID || slices.Contains(who.Groups, by.UID) {
			return told
		}
		return referrerRecord{Type: "user_or_group"}
	}
	for _, k := range []access.Kind{access.ShipLists, access.Shapes, access.Filters} {
		if r, ok := s.deps.Users.Library().Find(k, by.UID); ok && k.String() == by.Kind && who.MayUse(k, &r) {
			return told
		}
	}
	return referrerRecord{Type: "shared_thing"}
}

// readAudit gives the audit log, latest first.
func (s *Server) readAudit(c *call) error {
	var from, to time.Time
	for name, at := range map[string]*time.Time{"from": &from, "to": &to} {
		text := c.Query(name)
		if text == "" {
			continue
		}
		t, err := form.ParseTime(text)
		if err != nil {
			return badField(name, rule.Of(err))
		}
		*at = t
	}
	const mostEvents = 10000
	limit := mostEvents
	if text := c.Query("limit"); text != "" {
		var err error
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > mostEvents {
			return badField("limit", rule.New("range", "must be from {min} to {max}", "min", 1, "max", mostEvents))
		}
	}
	events, err := s.deps.Users.Audit().Read(from, to, c.Query("user"), limit)
	if err != nil {
		return err
	}
	records := make([]auditRecord, 0, len(events))
	for _, e := range events {
		records = append(records, auditRecord{timeText(e.Time.UnixMilli()), e.User, e.Address, e.Action, e.Object, e.Result, e.Detail})
	}
	return s.sendJSON(c, http.StatusOK, recordsAnswer[auditRecord]{records})
}

type auditRecord struct {
	Time    string `json:"time"`
	User    string `json:"user"`
	Address string `json:"address"`
	Action  string `json:"action"`
	Object  string `json:"object,omitempty"`
	Result  string `json:"result"`
	Detail  string `json:"detail,omitempty"`
}

// recordsAnswer is a list.
type recordsAnswer[T any] struct {
	Records []T `json:"records"`
}

// uidAnswer names what was made.
type uidAnswer struct {
	UID string `json:"uid"`
	ID  uint64 `json:"id,omitempty"` // of a shape
}

// noContent says that it is done.
func noContent(c *call) error {
	c.Status(http.StatusNoContent)
	c.Writer.WriteHeaderNow()
	return nil
}

// changedMeanwhile refuses a change of what somebody else changed between its reading and its writing.
func changedMeanwhile() error {
	return &problem{status: http.StatusConflict, code: codeConflict, rule: form.ErrStale,
		fields: form.Errors{{Pointer: "/revision", Rule: rule.New("old_revision", "is not that of now")}}}
}

// requireName refuses a body without a name.
func requireName(f *form.Fields) {
	if f.Text("name") == "" {
		f.Refuse("name", rule.New("required", "is required"))
	}
}

// fresh refuses a change of what is of another revision than the one that the caller read. Who does not say one wants no check.
func fresh(f *form.Fields, now string) error {
	read := f.Text("revision")
	if err := f.Err(); err != nil {
		return err
	}
	if read != "" && read != now {
		return changedMeanwhile()
	}
	return nil
}
