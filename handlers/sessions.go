package handlers

import (
	"net/http"
	"time"

	"quaywatch/access"
	"quaywatch/access/right"
	"quaywatch/ais"
	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
)

// signIn begins a session.
func (s *Server) signIn(c *call.Call) error {
	f, err := c.Bind(call.MaxSignInBody)
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
	return s.beginSession(c, user)
}

// signInFirst begins a session of the first administrator, who chooses a password by the link that the first start printed.
func (s *Server) signInFirst(c *call.Call) error {
	f, err := c.Bind(call.MaxSignInBody)
	if err != nil {
		return err
	}
	link, password := f.Text("link"), f.Text("password")
	f.Check("password", access.CheckPassword(password))
	if err := f.Err(); err != nil {
		return err
	}
	user, err := s.base.Accept(c.Request, link, password)
	if err != nil {
		return err
	}
	return s.beginSession(c, user)
}

// beginSession begins a session of a user that has proved who it is, and answers with it.
func (s *Server) beginSession(c *call.Call, user *access.User) error {
	if err := call.WebAccess(user); err != nil {
		return err
	}
	token, err := s.deps.Users.Sessions().Begin(user, s.base.Proxies.Address(c.Request))
	if err != nil {
		return err
	}
	s.setCookie(c, s.base.CookieName(c.Request), token, int(access.SessionMost/time.Second))
	s.base.NoteSignIn(c.Request, user.Name)
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
		if err := s.deps.Users.Sessions().SignOut(c.Caller.Token); err != nil {
			return err
		}
		c.Log().Info("signed out")
	}
	s.setCookie(c, s.base.CookieName(c.Request), "", -1)
	if s.base.OldCookie(c.Request) {
		s.setCookie(c, call.PlainCookie, "", -1)
	}
	return c.NoContent()
}

func (s *Server) setCookie(c *call.Call, name, token string, maxAge int) {
	http.SetCookie(c.Writer, &http.Cookie{
		Name: name, Value: token, Path: s.cookiePath(), MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.base.Proxies.Encrypted(c.Request),
	})
}

// sessionAnswer names the caller, and says what the client needs to know of it.
type sessionAnswer struct {
	Name    string       `json:"name"`
	UID     string       `json:"uid"`
	Rights  []right.Name `json:"rights"`
	Own     []ais.MMSI   `json:"mmsi_list,omitempty"`
	Ship    ais.MMSI     `json:"default_mmsi,omitempty"`
	OnAir   bool         `json:"can_transmit,omitempty"` // it may send texts, and a feed takes them
	Start   startAnswer  `json:"start,omitzero"`
	Warn    string       `json:"warn,omitempty"`
	Expires string       `json:"expiration_time,omitempty"`
}

// startAnswer is what the client shows first.
type startAnswer struct {
	Bounds *[4]float64 `json:"bbox,omitempty"` // west, south, east, north
	Filter string      `json:"filter,omitempty"`
}

func (s *Server) sessionRecord(u *access.User) sessionAnswer {
	a := sessionAnswer{Name: u.Name, UID: u.UID, Rights: u.Effective(), Own: u.OwnShips(), Ship: u.OwnShip()}
	a.OnAir = u.May(right.SendMessages) && len(s.deps.Safety.Transmitters()) > 0
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
