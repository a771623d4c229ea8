package handlers

import (
	"net/http"
	"time"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
)

// signIn begins a session.
func (s *Server) signIn(c *call.Call) error {
	f, err := c.Bind(call.MaxBody)
	if err != nil {
		return err
	}
	name, password := f.Text("name"), f.Text("password")
	if err := f.Err(); err != nil {
		return err
	}
	user, err := s.base.Verify(c.Request, name, password)
	if err != nil {
		return err
	}
	if err := call.WebAccess(user); err != nil {
		return err
	}
	token, err := s.deps.Users.SignIn(user, s.base.Proxies.Address(c.Request))
	if err != nil {
		return err
	}
	s.setCookie(c, token, int(access.SessionMost/time.Second))
	s.base.NoteSignIn(c.Request, user.Name, "ok")
	s.deps.Log.Info("signed in", "user", user.Name, "address", s.base.Proxies.Address(c.Request))
	return c.SendJSON(http.StatusOK, s.sessionRecord(user))
}

// whoAmI answers 204 to a caller without credentials: the client asks before it shows its sign-in, and that is no failure.
func (s *Server) whoAmI(c *call.Call) error {
	if c.Caller == nil {
		return c.NoContent()
	}
	return c.SendJSON(http.StatusOK, s.sessionRecord(c.Caller.User))
}

// signOut ends the session; for a caller by Basic there is none to end.
func (s *Server) signOut(c *call.Call) error {
	if c.Caller.Token != "" {
		if err := s.deps.Users.SignOut(c.Caller.Token); err != nil {
			return err
		}
		c.Log().Info("signed out")
	}
	s.setCookie(c, "", -1)
	return c.NoContent()
}

func (s *Server) setCookie(c *call.Call, token string, maxAge int) {
	http.SetCookie(c.Writer, &http.Cookie{
		Name: call.CookieName, Value: token, Path: s.cookiePath(), MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.base.Proxies.Encrypted(c.Request),
	})
}

// sessionAnswer says who the caller is, and what the client needs to know of them.
type sessionAnswer struct {
	Name    string         `json:"name"`
	Rights  []access.Right `json:"rights"`
	Own     []ais.MMSI     `json:"mmsi_list,omitempty"`
	Ship    ais.MMSI       `json:"default_mmsi,omitempty"`
	Start   startAnswer    `json:"start,omitzero"`
	Warn    string         `json:"warn,omitempty"`
	Expires string         `json:"expiration_time,omitempty"`
}

// startAnswer is what the client shows first.
type startAnswer struct {
	Bounds *[4]float64 `json:"bbox,omitempty"` // west, south, east, north
	Filter string      `json:"filter,omitempty"`
}

func (s *Server) sessionRecord(u *access.User) sessionAnswer {
	a := sessionAnswer{Name: u.Name, Rights: u.Effective(), Own: u.OwnShips(), Ship: u.OwnShip()}
	start := s.deps.Users.Start(u)
	a.Start.Filter = start.Filter
	if r := start.Bounds; r != nil {
		a.Start.Bounds = &[4]float64{r.West, r.South, r.East, r.North}
	}
	if u.ExpiresSoon(s.config.Now()) {
		a.Warn, a.Expires = access.WarnExpiry, wire.OptionalTime(u.Expires)
	}
	return a
}

// sessionsPath is that of the caller's own sessions.
const sessionsPath = "/api/session/all"

// sessionRoutes are those that show and end sessions, one's own and those of others.
func (s *Server) sessionRoutes() []call.Route {
	const others = configPath + "/user/:name/sessions"
	return []call.Route{
		{Method: "GET", Path: sessionsPath, Handle: s.ownSessions},
		{Method: "DELETE", Path: sessionsPath, Audit: "sessions", Handle: s.endOwnSessions},
		{Method: "DELETE", Path: sessionsPath + "/:id", Audit: "session", Handle: s.endOwnSession},
		{Method: "GET", Path: others, Right: access.ChangeUser, Remote: call.RemoteUsers, Handle: s.userSessions},
		{Method: "DELETE", Path: others, Right: access.ChangeUser, Remote: call.RemoteUsers, Audit: "sessions", Handle: s.endUserSessions},
		{Method: "DELETE", Path: others + "/:id", Right: access.ChangeUser, Remote: call.RemoteUsers, Audit: "session", Handle: s.endUserSession},
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

func (s *Server) sendSessions(c *call.Call, of *access.User) error {
	records := []openSessionRecord{}
	for _, o := range s.deps.Users.Sessions(of, c.Caller.Token) {
		records = append(records, openSessionRecord{o.ID, wire.OptionalTime(o.Since), wire.OptionalTime(o.Used), o.Address, o.Current})
	}
	return c.SendJSON(http.StatusOK, call.Records[openSessionRecord]{Records: records})
}

func (s *Server) endSession(c *call.Call, of *access.User) error {
	c.Object = of.Name
	id, err := c.PathNumber("id")
	if err != nil {
		return err
	}
	if err := s.deps.Users.EndSession(of, uint64(id)); err != nil {
		return err
	}
	return c.NoContent()
}

func (s *Server) ownSessions(c *call.Call) error   { return s.sendSessions(c, c.Caller.User) }
func (s *Server) endOwnSession(c *call.Call) error { return s.endSession(c, c.Caller.User) }

// endOwnSessions ends all sessions of the caller but this one.
func (s *Server) endOwnSessions(c *call.Call) error {
	c.Object = c.Caller.Name()
	if err := s.deps.Users.EndSessions(c.Caller.User, c.Caller.Token); err != nil {
		return err
	}
	return c.NoContent()
}

func (s *Server) userSessions(c *call.Call) error {
	u, err := s.namedUser(c)
	if err != nil {
		return err
	}
	return s.sendSessions(c, u)
}

// otherUser gives the user of the path when the caller may act on them: nobody acts on who has more rights.
func (s *Server) otherUser(c *call.Call) (*access.User, error) {
	u, err := s.namedUser(c)
	if err == nil {
		err = covers(c.Caller.User, u)
	}
	return u, err
}

func (s *Server) endUserSession(c *call.Call) error {
	u, err := s.otherUser(c)
	if err != nil {
		return err
	}
	return s.endSession(c, u)
}

// endUserSessions ends all sessions of a user; the caller's own of now is spared.
func (s *Server) endUserSessions(c *call.Call) error {
	u, err := s.otherUser(c)
	if err != nil {
		return err
	}
	if err := s.deps.Users.EndSessions(u, c.Caller.Token); err != nil {
		return err
	}
	return c.NoContent()
}
