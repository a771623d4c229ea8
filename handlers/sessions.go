package handlers

import (
	"net/http"

	"quaywatch/access"
)

// sessionsPath is that of the caller's own sessions.
const sessionsPath = "/api/session/all"

// sessionRoutes are those that show and end sessions, one's own and those of others.
func sessionRoutes() []route {
	const others = configPath + "/user/:name/sessions"
	return []route{
		{method: "GET", path: sessionsPath, handle: (*Server).ownSessions},
		{method: "DELETE", path: sessionsPath, audit: "sessions", handle: (*Server).endOwnSessions},
		{method: "DELETE", path: sessionsPath + "/:id", audit: "session", handle: (*Server).endOwnSession},
		{method: "GET", path: others, right: access.ChangeUser, remote: remoteUsers, handle: (*Server).userSessions},
		{method: "DELETE", path: others, right: access.ChangeUser, remote: remoteUsers, audit: "sessions", handle: (*Server).endUserSessions},
		{method: "DELETE", path: others + "/:id", right: access.ChangeUser, remote: remoteUsers, audit: "session", handle: (*Server).endUserSession},
	}
}

// openSessionRecord is a session as its user sees it, without the token.
type openSessionRecord struct {
	ID       uint64 `json:"id"`
	Since    string `json:"since"`
	LastUsed string `json:"last_used"`
	Address  string `json:"address,omitempty"` // none of a session begun before addresses were kept
	Current  bool   `json:"current"`
}

func (s *Server) sendSessions(c *call, of *access.User) error {
	records := []openSessionRecord{}
	for _, o := range s.deps.Users.Sessions(of, c.caller.token) {
		records = append(records, openSessionRecord{o.ID, optionalTime(o.Since), optionalTime(o.Used), o.Address, o.Current})
	}
	return s.sendJSON(c, http.StatusOK, recordsAnswer[openSessionRecord]{records})
}

func (s *Server) endSession(c *call, of *access.User) error {
	c.object = of.Name
	id, err := pathNumber(c, "id")
	if err != nil {
		return err
	}
	if err := s.deps.Users.EndSession(of, uint64(id)); err != nil {
		return err
	}
	return noContent(c)
}

func (s *Server) ownSessions(c *call) error   { return s.sendSessions(c, c.caller.user) }
func (s *Server) endOwnSession(c *call) error { return s.endSession(c, c.caller.user) }

// endOwnSessions ends all sessions of the caller but this one.
func (s *Server) endOwnSessions(c *call) error {
	c.object = c.caller.name()
	if err := s.deps.Users.EndSessions(c.caller.user, c.caller.token); err != nil {
		return err
	}
	return noContent(c)
}

func (s *Server) userSessions(c *call) error {
	u, err := s.namedUser(c)
	if err != nil {
		return err
	}
	return s.sendSessions(c, u)
}

// otherUser gives the user of the path when the caller may act on them: nobody acts on who has more rights.
func (s *Server) otherUser(c *call) (*access.User, error) {
	u, err := s.namedUser(c)
	if err == nil {
		err = covers(c.caller.user, u)
	}
	return u, err
}

func (s *Server) endUserSession(c *call) error {
	u, err := s.otherUser(c)
	if err != nil {
		return err
	}
	return s.endSession(c, u)
}

// endUserSessions ends all sessions of a user; the caller's own of now is spared.
func (s *Server) endUserSessions(c *call) error {
	u, err := s.otherUser(c)
	if err != nil {
		return err
	}
	if err := s.deps.Users.EndSessions(u, c.caller.token); err != nil {
		return err
	}
	return noContent(c)
}
