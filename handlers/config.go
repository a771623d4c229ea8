package handlers

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/access"
	"quaywatch/form"
	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
	"quaywatch/library"
	"quaywatch/rule"
)

// configPath is below which users, groups and what they keep are configured.
const configPath = "/api/config"

// configRoutes are those of the configuration. What a body may change is asked for field by field in the handler, by the rights
// that access.md names; the table holds what the whole call needs.
func (s *Server) configRoutes() []call.Route {
	const users, groups = configPath + "/user", configPath + "/group"
	all := append(s.sessionRoutes(), []call.Route{
		{Method: "POST", Path: users, Right: access.AddRemoveUsers, Remote: call.RemoteUsers, Audit: "user", Handle: s.addUser},
		{Method: "GET", Path: users, Right: access.UserConfigurationAccess, Remote: call.RemoteUsers, Handle: s.listUsers},
		{Method: "GET", Path: users + "/:name", Handle: s.oneUser},
		{Method: "PUT", Path: users + "/:name", Audit: "user", Handle: s.changeUser},
		{Method: "DELETE", Path: users + "/:name", Right: access.AddRemoveUsers, Remote: call.RemoteUsers, Audit: "user", Handle: s.deleteUser},
		{Method: "POST", Path: users + "/:name/clone", Right: access.AddRemoveUsers, Remote: call.RemoteUsers, Audit: "clone user", Handle: s.cloneUser},
		{Method: "POST", Path: users + "/:name/reassign", Right: access.AddRemoveUsers, Remote: call.RemoteUsers, Audit: "reassign user", Handle: s.reassignUser},
		{Method: "POST", Path: groups, Remote: call.RemoteUsers, Audit: "group", Handle: s.addGroup},
		{Method: "PUT", Path: groups, Remote: call.RemoteUsers, Audit: "group", Handle: s.putGroup},
		{Method: "GET", Path: groups, Right: access.UserConfigurationAccess, Remote: call.RemoteUsers, Handle: s.listGroups},
		{Method: "GET", Path: groups + "/:name", Right: access.UserConfigurationAccess, Remote: call.RemoteUsers, Handle: s.oneGroup},
		{Method: "PUT", Path: groups + "/:name", Right: access.UserConfigurationAccess, Remote: call.RemoteUsers, Audit: "group", Handle: s.changeGroup},
		{Method: "DELETE", Path: groups + "/:name", Right: access.UserConfigurationAccess, Remote: call.RemoteUsers, Audit: "group", Handle: s.deleteGroup},
		{Method: "POST", Path: groups + "/:name/clone", Right: access.UserConfigurationAccess, Remote: call.RemoteUsers, Audit: "clone group", Handle: s.cloneGroup},
		{Method: "POST", Path: groups + "/:name/reassign", Right: access.UserConfigurationAccess, Remote: call.RemoteUsers, Audit: "reassign group", Handle: s.reassignGroup},
		{Method: "GET", Path: configPath + "/running", Right: access.SystemConfigurationAccess, Remote: call.RemoteConfig, Handle: s.running},
		{Method: "GET", Path: "/api/audit", Right: access.GetSystemStatusInformation, Handle: s.readAudit},
	}...)
	for _, k := range []struct {
		kind            library.Kind
		look, configure access.Right
	}{{library.ShipLists, access.ViewShiplist, access.ConfigureShipLists}, {library.Shapes, "", ""}, {library.Filters, "", ""}} {
		shelf := shelf{s, k.kind}
		path := configPath + "/" + k.kind.String()
		all = append(all,
			call.Route{Method: "POST", Path: path, Right: k.configure, Remote: call.RemoteConfig, Audit: k.kind.String(), Handle: shelf.add},
			call.Route{Method: "GET", Path: path, Right: k.look, Handle: shelf.list},
			call.Route{Method: "GET", Path: path + "/:name", Right: k.look, Handle: shelf.one},
			call.Route{Method: "PUT", Path: path + "/:name", Right: k.configure, Remote: call.RemoteConfig, Audit: k.kind.String(), Handle: shelf.change},
			call.Route{Method: "DELETE", Path: path + "/:name", Right: k.configure, Remote: call.RemoteConfig, Audit: k.kind.String(), Handle: shelf.delete})
	}
	return append(all, s.portRoutes()...)
}

// mostReferrers bounds how many are named that still refer to something.
const mostReferrers = 20

// referrerRecord is what still refers to something. Name and uid are missing where the caller may not read them.
type referrerRecord struct {
	Type string `json:"type"` // user, group, shiplist, shape, filter; user_or_group or shared_thing where it is not told which
	Name string `json:"name,omitempty"`
	UID  string `json:"uid,omitempty"`
}

// stillReferred names what refers to the thing that was to be deleted or renamed, as far as the caller may read their names.
func (s *Server) stillReferred(c *call.Call, err error) error {
	var r *form.Referenced
	if !errors.As(err, &r) {
		return err
	}
	p := &call.Problem{Status: http.StatusConflict, Code: call.CodeConflict}
	if len(r.By) == 0 {
		p.Rule = rule.New("for_good", "it is there for good")
		return p
	}
	var named, hidden []referrerRecord
	for _, by := range r.By {
		record := s.referrer(c, by)
		switch {
		case record.Name == "" && !slices.Contains(hidden, record):
			hidden = append(hidden, record)
		case record.Name != "" && len(named) < mostReferrers:
			named = append(named, record)
		}
	}
	named = append(named, hidden...)
	var words []string
	for _, record := range named {
		p.Records = append(p.Records, record)
		words = append(words, record.words())
	}
	by := strings.Join(words, ", ")
	p.Rule = rule.New("referred_to", "still referred to by {referrers}", "referrers", by)
	if more := len(r.By) - len(named); more > 0 && len(hidden) == 0 {
		p.Rule = rule.New("referred_to_and_more", "still referred to by {referrers} and {more} more", "referrers", by, "more", more)
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
func (s *Server) referrer(c *call.Call, by form.Referrer) referrerRecord {
	who, told := c.Caller.User, referrerRecord{by.Kind, by.Name, by.UID}
	if by.Kind == access.UserKind || by.Kind == access.GroupKind {
		all := who.May(access.UserConfigurationAccess) && c.FromHere(call.RemoteUsers) == nil
		if all || by.UID == who.UID || slices.Contains(who.Groups, by.UID) {
			return told
		}
		return referrerRecord{Type: "user_or_group"}
	}
	for _, k := range []library.Kind{library.ShipLists, library.Shapes, library.Filters} {
		if r, ok := s.deps.Library.Get(k, by.UID); ok && k.String() == by.Kind && who.MayUse(r.Owned, overOthers(k)) {
			return told
		}
	}
	return referrerRecord{Type: "shared_thing"}
}

// readAudit gives the audit log, latest first.
func (s *Server) readAudit(c *call.Call) error {
	var from, to time.Time
	for name, at := range map[string]*time.Time{"from": &from, "to": &to} {
		text := c.Query(name)
		if text == "" {
			continue
		}
		t, err := form.ParseTime(text)
		if err != nil {
			return call.BadField(name, rule.Of(err))
		}
		*at = t
	}
	const mostEvents = 10000
	limit := mostEvents
	if text := c.Query("limit"); text != "" {
		var err error
		if limit, err = strconv.Atoi(text); err != nil || limit < 1 || limit > mostEvents {
			return call.BadField("limit", rule.New("range", "must be from {min} to {max}", "min", 1, "max", mostEvents))
		}
	}
	events, err := s.deps.Users.Audit().Read(from, to, c.Query("user"), limit)
	if err != nil {
		return err
	}
	records := make([]auditRecord, 0, len(events))
	for _, e := range events {
		records = append(records, auditRecord{wire.TimeText(e.Time.UnixMilli()), e.User, e.Address, e.Action, e.Object, e.Result, e.Detail})
	}
	return c.SendJSON(http.StatusOK, call.Records[auditRecord]{Records: records})
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

// uidAnswer names what was made.
type uidAnswer struct {
	UID string `json:"uid"`
	ID  uint64 `json:"id,omitempty"` // of a shape
}

// requireName refuses a body without a name.
func requireName(f *form.Fields) {
	if f.Text("name") == "" {
		f.Refuse("name", rule.New("required", "is required"))
	}
}
