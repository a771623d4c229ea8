package handlers

import (
	"net/http"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// signIn begins a session.
func (s *Server) signIn(c *request.Request) error {
	f, err := c.Bind(request.MaxSignInBody)
	if err != nil {
		return err
	}
	name, password := f.Text("name"), f.Text("password")
	if err := f.Err(); err != nil {
		return err
	}
	user, err := s.base.Verify(c.HTTP, name, password)
	if err != nil {
		return err
	}
	return s.beginSession(c, user)
}

// signInFirst begins a session of the first administrator, who chooses a password by the link that the first start printed.
func (s *Server) signInFirst(c *request.Request) error {
	f, err := c.Bind(request.MaxSignInBody)
	if err != nil {
		return err
	}
	link, password := f.Text("link"), f.RequiredText("password")
	if password != "" {
		f.Check("password", access.CheckPassword(password))
	}
	if err := f.Err(); err != nil {
		return err
	}
	user, err := s.base.Accept(c.HTTP, link, password)
	if err != nil {
		return err
	}
	return s.beginSession(c, user)
}

// signInByLink lets a browser look at what the maker of a link shares. The cookie holds the link itself, so it ends with it.
func (s *Server) signInByLink(c *request.Request) error {
	f, err := c.Bind(request.MaxSignInBody)
	if err != nil {
		return err
	}
	text := f.Text("link")
	if err := f.Err(); err != nil {
		return err
	}
	who, token, err := s.base.Follow(c.HTTP, text)
	if err != nil {
		return err
	}
	s.setCookie(c, s.base.CookieName(c.HTTP), text, int(token.Expires.Sub(s.deps.Users.Now())/time.Second))
	s.deps.Log.Info("came by a link", "user", who.User.Name, "link", token.Name, "address", s.base.Proxies.Address(c.HTTP))
	return c.SendJSON(http.StatusOK, s.guestRecord(who))
}

// beginSession begins a session of a user that has proved who it is, and answers with it.
func (s *Server) beginSession(c *request.Request, user *access.User) error {
	if err := request.WebAccess(user); err != nil {
		return err
	}
	token, err := s.deps.Users.Sessions().Begin(user, s.base.Proxies.Address(c.HTTP))
	if err != nil {
		return err
	}
	s.setCookie(c, s.base.CookieName(c.HTTP), token, int(access.SessionMost/time.Second))
	s.base.NoteSignIn(c.HTTP, user.Name)
	s.deps.Log.Info("signed in", "user", user.Name, "address", s.base.Proxies.Address(c.HTTP))
	return c.SendJSON(http.StatusOK, s.sessionRecord(user))
}

// whoAmI answers 204 to a caller without credentials: the client asks before it shows its sign-in, and that is no failure.
func (s *Server) whoAmI(c *request.Request) error {
	if c.Caller == nil {
		return c.NoContent()
	}
	if _, guest := c.Caller.Guest(); guest {
		return c.SendJSON(http.StatusOK, s.guestRecord(c.Caller))
	}
	return c.SendJSON(http.StatusOK, s.sessionRecord(c.Caller.User))
}

// signOut ends the session; for a caller by Basic there is none to end.
func (s *Server) signOut(c *request.Request) error {
	if c.Caller.Token != "" {
		if err := s.deps.Users.Sessions().SignOut(c.Caller.Token); err != nil {
			return err
		}
		c.Log().Info("signed out")
	}
	s.setCookie(c, s.base.CookieName(c.HTTP), "", -1)
	if s.base.OldCookie(c.HTTP) {
		s.setCookie(c, request.PlainCookie, "", -1)
	}
	return c.NoContent()
}

func (s *Server) setCookie(c *request.Request, name, token string, maxAge int) {
	http.SetCookie(c.Writer, &http.Cookie{
		Name: name, Value: token, Path: s.config.cookiePath(), MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.base.Proxies.Encrypted(c.HTTP),
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
	Link    string       `json:"link,omitempty"` // the name of that by which the caller came
}

// startAnswer is what the client shows first.
type startAnswer struct {
	Bounds *[4]float64 `json:"bbox,omitempty"` // west, south, east, north
	Filter string      `json:"filter,omitempty"`
}

// startOf returns what the client shows a user first.
func (s *Server) startOf(u *access.User) (a startAnswer) {
	start := s.deps.Users.Start(u)
	a.Filter = start.Filter
	if r := start.Bounds; r != nil {
		a.Bounds = &[4]float64{r.West, r.South, r.East, r.North}
	}
	return a
}

func (s *Server) sessionRecord(u *access.User) sessionAnswer {
	a := sessionAnswer{Name: u.Name, UID: u.UID, Rights: u.Effective(), Own: u.OwnShips(), Ship: u.OwnShip()}
	a.OnAir = u.May(right.SendMessages) && len(s.deps.Safety.Transmitters()) > 0
	a.Start = s.startOf(u)
	if u.ExpiresSoon(s.config.Now()) {
		a.Warn, a.Expires = access.WarnExpiry, wire.OptionalTime(u.Expires)
	}
	return a
}

// guestRecord is the answer to a caller that came by a link. It does not say of which user the link is.
func (s *Server) guestRecord(who *request.Caller) sessionAnswer {
	a := sessionAnswer{UID: who.UID(), Rights: who.User.Effective(), Start: s.startOf(who.User), Expires: wire.OptionalTime(who.User.TokenExpires())}
	a.Link, _ = who.Guest()
	return a
}
