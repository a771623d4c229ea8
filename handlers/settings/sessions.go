package settings

import (
	"net/http"

	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// SessionsPath is the path of the caller's own sessions.
const SessionsPath = "/api/session/all"

// sessionRoutes show and end sessions: the caller's own, and those of other users.
func (s *Server) sessionRoutes() []request.Route {
	const others = Path + "/user/:name/sessions"
	return []request.Route{
		{Method: "GET", Path: SessionsPath, Handle: s.ownSessions},
		{Method: "DELETE", Path: SessionsPath, Personal: true, Audit: "sessions", Handle: s.endOwnSessions},
		{Method: "DELETE", Path: SessionsPath + "/:id", Personal: true, Audit: "session", Handle: s.endOwnSession},
		{Method: "GET", Path: others, Right: right.ChangeUser, Remote: request.RemoteUsers, Handle: s.userSessions},
		{Method: "DELETE", Path: others, Right: right.ChangeUser, Remote: request.RemoteUsers, Audit: "sessions", Handle: s.endUserSessions},
		{Method: "DELETE", Path: others + "/:id", Right: right.ChangeUser, Remote: request.RemoteUsers, Audit: "session", Handle: s.endUserSession},
	}
}

// openSessionRecord is a session as its user sees it, without the token.
type openSessionRecord struct {
	ID       uint64 `json:"id"`
	Since    string `json:"since"`
	LastUsed string `json:"last_used"`
	Address  string `json:"address,omitempty"` // "" where it is not known
	Current  bool   `json:"current"`
	Passing  bool   `json:"passing,omitempty"` // it is not stored, and ends with the service
}

func (s *Server) sendSessions(c *request.Request, of *access.User) error {
	records := []openSessionRecord{}
	for _, o := range s.deps.Users.Sessions().Of(of, c.Caller.Token) {
		records = append(records, openSessionRecord{o.ID, wire.OptionalTime(o.Since), wire.OptionalTime(o.Used), o.Address, o.Current, o.Passing})
	}
	return c.SendJSON(http.StatusOK, request.Records[openSessionRecord]{Records: records})
}

func (s *Server) endSession(c *request.Request, of *access.User) error {
	c.Object = of.Name
	id, err := c.PathNumber("id")
	if err != nil {
		return err
	}
	if err := s.deps.Users.Sessions().End(of, uint64(id), c.Line()); err != nil {
		return err
	}
	return c.NoContent()
}

func (s *Server) ownSessions(c *request.Request) error   { return s.sendSessions(c, c.Caller.User) }
func (s *Server) endOwnSession(c *request.Request) error { return s.endSession(c, c.Caller.User) }

// endOwnSessions ends all sessions of the caller but the one of the call.
func (s *Server) endOwnSessions(c *request.Request) error {
	c.Object = c.Caller.Name()
	if err := s.deps.Users.Sessions().EndAll(c.Caller.User.UID, c.Caller.Token, c.Line()); err != nil {
		return err
	}
	return c.NoContent()
}

func (s *Server) userSessions(c *request.Request) error {
	u, err := s.namedUser(c)
	if err != nil {
		return err
	}
	return s.sendSessions(c, u)
}

// otherUser returns the user of the path, unless that user has more rights than the caller.
func (s *Server) otherUser(c *request.Request) (*access.User, error) {
	u, err := s.namedUser(c)
	if err == nil {
		err = checkCovers(c.Caller.User, u)
	}
	return u, err
}

func (s *Server) endUserSession(c *request.Request) error {
	u, err := s.otherUser(c)
	if err != nil {
		return err
	}
	return s.endSession(c, u)
}

// endUserSessions ends all sessions of a user, but never the session of the call.
func (s *Server) endUserSessions(c *request.Request) error {
	u, err := s.otherUser(c)
	if err != nil {
		return err
	}
	if err := s.deps.Users.Sessions().EndAll(u.UID, c.Caller.Token, c.Line()); err != nil {
		return err
	}
	return c.NoContent()
}
