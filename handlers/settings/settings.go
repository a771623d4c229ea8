// Package settings answers the calls about what users and operators configure. These are users, groups, ship lists, shapes, filters, ports, sessions and tokens.
// It also answers with the audit log and the configuration that the program runs with.
package settings

import (
	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/handlers/request"
	"quaywatch/internal/jobs"
	"quaywatch/internal/rule"
	"quaywatch/notify"
	"quaywatch/ship"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/document"
	"quaywatch/users/library"
	"quaywatch/users/registry"
	"quaywatch/users/selection"
)

// Deps is what the configuration is read from and written to.
type Deps struct {
	Base       *request.Base
	Users      *access.Users
	Library    *library.Library
	Ports      *registry.PortTable
	Box        *document.Box // of all areas: reassigns what a user owns
	Selections *selection.Selections
	Jobs       *jobs.Runner
	Running    []RunningKey // the configuration of the program
	Watch      *watchdogs.Watch
	Notices    *notify.Outbox

	// PortOf finds the port that the field port of a body means, as far as the user may know of it.
	PortOf func(f *form.Fields, who *access.User) (*chart.Port, error)

	// Watching returns what an answer says besides about a watchdog, or about all where id is 0. That is the ships inside now, and the last event.
	Watching func(c *request.Request, id uint64) (func(*library.Resource) (active *int, last *library.LastEvent), error)

	// Listed returns what tells the ships of a list that a watchdog makes, as far as the caller may know, and why there are none.
	Listed func(c *request.Request) (func(*library.Resource) ([]ship.Listed, *rule.Rule), error)

	// Statistic reports whether a user may see the statistic of a uid.
	Statistic func(who *access.User, uid string) bool

	// PlaceOf returns where a ship is, as far as the caller may know; false where it knows no place.
	PlaceOf func(c *request.Request, m ais.MMSI) (geo.Point, bool)
}

// Server answers the calls about the configuration.
type Server struct{ deps Deps }

// New makes the server. From now on a reassignment takes selections and jobs along.
func New(d Deps) *Server {
	s := &Server{deps: d}
	d.Box.Add(document.Owner{Reassign: s.reassignSelections})
	d.Box.Add(document.Owner{Reassign: s.reassignJobs})
	return s
}

// Path is the path of users, groups and what users keep.
const Path = "/api/config"

// Routes are the calls about the configuration. A row holds the right that the whole call needs. The handler asks for the rights that
// single fields of a body need.
func (s *Server) Routes() []request.Route {
	const users, groups = Path + "/user", Path + "/group"
	all := append(append(s.sessionRoutes(), s.tokenRoutes()...), []request.Route{
		{Method: "POST", Path: users, Right: right.AddRemoveUsers, Remote: request.RemoteUsers, Personal: true, Audit: "user", Handle: s.addUser},
		{Method: "GET", Path: users, Right: right.UserConfigurationAccess, Remote: request.RemoteUsers, Handle: s.listUsers},
		{Method: "GET", Path: users + "/:name", Handle: s.oneUser},
		{Method: "PUT", Path: users + "/:name", Audit: "user", Handle: s.changeUser},
		{Method: "DELETE", Path: users + "/:name", Right: right.AddRemoveUsers, Remote: request.RemoteUsers, Audit: "user", Handle: s.deleteUser},
		{Method: "POST", Path: users + "/:name/clone", Right: right.AddRemoveUsers, Remote: request.RemoteUsers, Personal: true, Audit: "clone user",
			Handle: s.cloneUser},
		{Method: "POST", Path: users + "/:name/reassign", Right: right.AddRemoveUsers, Remote: request.RemoteUsers, Audit: "reassign user", Handle: s.reassignUser},
		{Method: "POST", Path: groups, Remote: request.RemoteUsers, Audit: "group", Handle: s.addGroup},
		{Method: "PUT", Path: groups, Right: right.UserConfigurationAccess, Remote: request.RemoteUsers, Audit: "group", Handle: s.putGroup},
		{Method: "GET", Path: groups, Right: right.UserConfigurationAccess, Remote: request.RemoteUsers, Handle: s.listGroups},
		{Method: "GET", Path: groups + "/:name", Right: right.UserConfigurationAccess, Remote: request.RemoteUsers, Handle: s.oneGroup},
		{Method: "PUT", Path: groups + "/:name", Right: right.UserConfigurationAccess, Remote: request.RemoteUsers, Audit: "group", Handle: s.changeGroup},
		{Method: "DELETE", Path: groups + "/:name", Right: right.UserConfigurationAccess, Remote: request.RemoteUsers, Audit: "group", Handle: s.deleteGroup},
		{Method: "POST", Path: groups + "/:name/clone", Right: right.UserConfigurationAccess, Remote: request.RemoteUsers, Audit: "clone group", Handle: s.cloneGroup},
		{Method: "POST", Path: groups + "/:name/reassign", Right: right.UserConfigurationAccess, Remote: request.RemoteUsers,
			Audit: "reassign group", Handle: s.reassignGroup},
		{Method: "GET", Path: Path + "/running", Right: right.SystemConfigurationAccess, Remote: request.RemoteConfig, Handle: s.running},
		{Method: "GET", Path: "/api/audit", Right: right.GetSystemStatusInformation, Handle: s.readAudit},
	}...)
	for _, k := range []struct {
		kind            library.Kind
		path            string
		remote          request.Remote
		look, configure right.Name
	}{
		{library.ShipLists, Path + "/shiplist", request.RemoteConfig, right.ViewShiplist, right.ConfigureShipLists},
		{library.Shapes, Path + "/shape", request.RemoteConfig, "", ""},
		{library.Filters, Path + "/filter", request.RemoteConfig, "", ""},
		{library.Watchdogs, "/api/watchdog/definition", request.RemoteFree, right.ViewWatchdog, right.ConfigureWatchdogDefinitions},
	} {
		shelf, what := shelf{s, k.kind}, k.kind.String()
		all = append(all,
			request.Route{Method: "POST", Path: k.path, Right: k.configure, Remote: k.remote, Audit: what, Handle: shelf.add},
			request.Route{Method: "GET", Path: k.path, Right: k.look, Handle: shelf.listEntries},
			request.Route{Method: "GET", Path: k.path + "/:name", Right: k.look, Handle: shelf.readEntry},
			request.Route{Method: "PUT", Path: k.path + "/:name", Right: k.configure, Remote: k.remote, Audit: what, Handle: shelf.changeEntry},
			request.Route{Method: "DELETE", Path: k.path + "/:name", Right: k.configure, Remote: k.remote, Audit: what, Handle: shelf.deleteOwn})
	}
	return append(all, s.portRoutes()...)
}

// uidAnswer names the thing that was made.
type uidAnswer struct {
	UID string `json:"uid"`
	ID  uint64 `json:"id,omitempty"` // of a shape or watchdog
}

// requireName refuses a body without a name.
func requireName(f *form.Fields) {
	if f.Text("name") == "" {
		f.Refuse("name", rule.New("required", "is required"))
	}
}
