package handlers

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/rule"
)

// cookieName is the session cookie of the web client.
const cookieName = "quaywatch_session"

// realmWait is how long a request waits for its turn to have a password verified.
const realmWait = 20 * time.Second

// caller is who sent a request.
type caller struct {
	user  *access.User
	token string // of the session; "" for Basic
	key   string // what jobs and limits of this caller go by
}

// ownerKey is what jobs and limits of a user go by.
func ownerKey(u *access.User) string { return "user " + u.UID }

// name gives the user's name, "" for nobody.
func (c *caller) name() string {
	if c == nil {
		return ""
	}
	return c.user.Name
}

// admit finds out who calls and whether they may: the one place where a right is asked for.
func (s *Server) admit(g *gin.Context, r route) (*caller, error) {
	if r.need == needNothing || r.need == needUnlessOpen && !s.config.MetricsAuth {
		return nil, nil
	}
	if r.need == needNoName && !s.config.OpenReads && bare(g.Request) {
		return nil, nil
	}
	who, err := s.identify(g, r.read && s.config.OpenReads)
	if err != nil {
		return nil, err
	}
	if r.right != "" {
		if err := entitled(who.user, r.right); err != nil {
			s.deps.Log.Warn("denied", "user", who.name(), "right", r.right, "path", r.path)
			return who, err
		}
	}
	return who, s.fromHere(g, who.user, r.remote)
}

// bare tells a request without any credentials.
func bare(r *http.Request) bool {
	_, err := r.Cookie(cookieName)
	return err != nil && r.Header.Get("Authorization") == ""
}

// entitled refuses a user without the right, and names it.
func entitled(u *access.User, right access.Right) error {
	if !u.May(right) {
		return forbidden(rule.New("needs_right", "needs the right {right}", "right", right))
	}
	return nil
}

// identify takes the credentials in the order Basic, session, none.
func (s *Server) identify(g *gin.Context, open bool) (*caller, error) {
	if g.GetHeader("Authorization") != "" {
		return s.byPassword(g)
	}
	if cookie, err := g.Request.Cookie(cookieName); err == nil {
		who, err := s.bySession(cookie.Value, s.address(g.Request))
		if err == nil || !open {
			return who, err
		}
	}
	if open {
		return &caller{user: access.Anonymous(), key: "address " + s.address(g.Request)}, nil
	}
	return nil, unauthorized(rule.New("sign_in_first", "sign in first"))
}

func (s *Server) byPassword(g *gin.Context) (*caller, error) {
	name, password, ok := g.Request.BasicAuth()
	if !ok {
		return nil, unauthorized(rule.New("not_basic", "the Authorization header must be Basic"))
	}
	user, err := s.verify(g, name, password)
	if err != nil {
		return nil, err
	}
	return &caller{user: user, key: ownerKey(user)}, apiAccess(user)
}

func (s *Server) bySession(token, address string) (*caller, error) {
	user, err := s.deps.Users.Session(token, address)
	if err != nil {
		return nil, unauthorized(rule.New("session_over", "the session is over"))
	}
	return &caller{user: user, token: token, key: ownerKey(user)}, webAccess(user)
}

// verify asks access for the user of name and password, in the words of HTTP.
func (s *Server) verify(g *gin.Context, name, password string) (*access.User, error) {
	ctx, cancel := contextWithin(g, realmWait)
	defer cancel()
	user, err := s.deps.Users.Verify(ctx, name, password, s.address(g.Request))
	var locked *access.Locked
	switch {
	case errors.As(err, &locked):
		return nil, tooMany(rule.New("too_many_tries", "too many failed tries"), locked.RetryAfter)
	case errors.Is(err, access.ErrWrong):
		s.noteSignIn(g, name, "failed")
		return nil, unauthorized(rule.New("wrong_password", "wrong name or password"))
	case ctx.Err() != nil && g.Request.Context().Err() == nil:
		return nil, tooMany(rule.New("too_many_sign_ins", "too many sign-ins at once"), realmWait)
	}
	return user, err
}

// stillWelcome tells whether a caller who was admitted would be admitted now: a stream lasts longer than a password. It gives
// the caller as of now, whose rights and filters may have changed.
func (s *Server) stillWelcome(who *caller) (*caller, bool) {
	now := *who
	var err error
	switch {
	case who.user.Name == "":
		return who, true
	case who.token != "":
		if now.user, err = s.deps.Users.Session(who.token, ""); err == nil {
			err = webAccess(now.user)
		}
	default:
		var current bool
		if now.user, current = s.deps.Users.Current(who.user); !current {
			return nil, false
		}
		err = apiAccess(now.user)
	}
	return &now, err == nil
}

// apiAccess refuses who may not call the API by Basic, webAccess who may not use the web client.
func apiAccess(u *access.User) error {
	if u.Type() == access.TypeProxy {
		return forbidden(rule.New("proxy_only_stream", "the user_type proxy is for the NMEA stream only"))
	}
	return entitled(u, access.AllowWebService)
}

func webAccess(u *access.User) error {
	if kind := u.Type(); kind == access.TypeProxy || kind == access.TypeClient {
		return forbidden(rule.New("no_web_client", "the user_type {type} has no web client", "type", kind))
	}
	return entitled(u, access.WebOnlineAccess)
}

// signIn begins a session.
func (s *Server) signIn(c *call) error {
	f, err := bind(c.Writer, c.Request, maxBody)
	if err != nil {
		return err
	}
	name, password := f.Text("name"), f.Text("password")
	if err := f.Err(); err != nil {
		return err
	}
	user, err := s.verify(c.Context, name, password)
	if err != nil {
		return err
	}
	if err := webAccess(user); err != nil {
		return err
	}
	token, err := s.deps.Users.SignIn(user, s.address(c.Request))
	if err != nil {
		return err
	}
	s.setCookie(c, token, int(access.SessionMost/time.Second))
	s.noteSignIn(c.Context, user.Name, "ok")
	s.deps.Log.Info("signed in", "user", user.Name, "address", s.address(c.Request))
	return s.sendJSON(c, http.StatusOK, s.sessionRecord(user))
}

func (s *Server) noteSignIn(g *gin.Context, name, result string) {
	s.deps.Users.Audit().Note(access.Event{User: name, Address: s.address(g.Request), Action: "sign-in", Result: result})
}

// whoAmI answers 204 to a caller without credentials: the client asks before it shows its sign-in, and that is no failure.
func (s *Server) whoAmI(c *call) error {
	if c.caller == nil {
		return noContent(c)
	}
	return s.sendJSON(c, http.StatusOK, s.sessionRecord(c.caller.user))
}

// signOut ends the session; for a caller by Basic there is none to end.
func (s *Server) signOut(c *call) error {
	if c.caller.token != "" {
		if err := s.deps.Users.SignOut(c.caller.token); err != nil {
			return err
		}
		s.log(c).Info("signed out")
	}
	s.setCookie(c, "", -1)
	return noContent(c)
}

func (s *Server) setCookie(c *call, token string, maxAge int) {
	http.SetCookie(c.Writer, &http.Cookie{
		Name: cookieName, Value: token, Path: s.cookiePath(), MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.encrypted(c.Request),
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

// warnExpiry is the one warning about a user.
const warnExpiry = "expires_soon"

func (s *Server) sessionRecord(u *access.User) sessionAnswer {
	a := sessionAnswer{Name: u.Name, Rights: u.Effective(), Own: u.OwnShips(), Ship: u.OwnShip()}
	start := s.deps.Users.Start(u)
	a.Start.Filter = start.Filter
	if r := start.Bounds; r != nil {
		a.Start.Bounds = &[4]float64{r.West, r.South, r.East, r.North}
	}
	if u.ExpiresSoon(s.config.Now()) {
		a.Warn, a.Expires = warnExpiry, optionalTime(u.Expires)
	}
	return a
}

// fromScript tells a request of a page's script from one that a person typed: the browser must not open its own sign-in
// dialog over the client.
func fromScript(r *http.Request) bool {
	return r.Header.Get("Sec-Fetch-Dest") == "empty" || strings.EqualFold(r.Header.Get("X-Requested-With"), "XMLHttpRequest")
}

func newRequestID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}
