package request

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/handlers/inflight"
	"quaywatch/internal/rule"
	"quaywatch/users/access"
	"quaywatch/users/access/audit"
	"quaywatch/users/access/right"
)

// PlainCookie is the session cookie of the web client over plain HTTP; Base.CookieName returns that of a request.
const PlainCookie = "quaywatch_session"

// verifyWait is how long a request waits until a password can be verified: only few are verified at once.
const verifyWait = 20 * time.Second

// Base is what all calls of a server share. Known may be nil.
type Base struct {
	Users       *access.Users
	Log         *slog.Logger
	Proxies     Proxies
	OpenReads   bool                 // reads need no credentials
	MetricsAuth bool                 // /metrics needs credentials
	Bodies      *inflight.Budget     // the memory of all bodies
	Answers     *inflight.Budget     // the memory of all long answers
	Pace        BodyRate             // of a body
	RefuseClear bool                 // passwords and tokens of other machines are taken over HTTPS alone
	CookiePath  string               // where the session cookie counts
	TLSAlone    bool                 // HTTPS stands in the place of HTTP, not beside it
	Now         func() time.Time     // the clock of Clear
	Known       func(error) *Problem // the problem of an error of a package that this one does not know; nil for an error of ours

	Clear Cleartext

	noticed atomic.Bool // a proxy that is not trusted
	denied  denials
	packers sync.Pool // of *packer
	buffers sync.Pool // of *[]byte
}

// Caller is the user that sent a request.
type Caller struct {
	User    *access.User
	Token   string // of the session; "" for Basic and Bearer
	Program string // the name of the token by which a program calls; "" for a person
	Key     string // what jobs and limits of this caller go by

	bearer string // the text of that token
	guest  bool   // it came by a link, and may look alone
	word   string // of that link, in place of a uid
}

// Name returns the user's name, "" without a user.
func (c *Caller) Name() string {
	if c == nil {
		return ""
	}
	return c.User.Name
}

// OwnerKey is what jobs and limits of a user go by.
func OwnerKey(uid string) string { return "user " + uid }

// Entitled refuses a user without one of the rights, and names the first that is missing.
func Entitled(u *access.User, rights ...right.Name) error {
	for _, r := range rights {
		if !u.May(r) {
			return Forbidden(rule.New("needs_right", "needs the right {right}", "right", r))
		}
	}
	return nil
}

// MayReport refuses a kind of report that the settings of a user do not allow.
func MayReport(u *access.User, kind string) error {
	if !u.MayReport(kind) {
		return Forbidden(rule.New("report_kind", "the setting report_permissions does not allow the kind {kind}", "kind", kind))
	}
	return nil
}

// Admit finds the caller and checks the right of the route. No other place checks the right of a route.
func (c *Request) Admit() error {
	b, r := c.base, c.Route
	if r.Need == Nothing || r.Need == UnlessOpen && !b.MetricsAuth {
		return nil
	}
	if r.Need == NoName && !b.OpenReads && b.bare(c.HTTP) {
		return nil
	}
	var err error
	if c.Caller, err = b.identify(c.HTTP, r.Read && b.OpenReads); err != nil {
		c.Caller = nil
		return err
	}
	if c.Caller.guest && !r.Read && !r.Leave {
		return Forbidden(rule.New("link_looks", "a link lets you look alone; sign in for more"))
	}
	if r.Right != "" {
		if err := Entitled(c.Caller.User, r.Right); err != nil {
			b.logDenied(denial{c.Caller.Name(), r.Method + " " + r.Path, r.Right}, time.Now())
			return err
		}
	}
	if r.Personal {
		if err := c.NoProgram(); err != nil {
			return err
		}
	}
	return c.FromHere(r.Remote)
}

// NoProgram refuses a program that calls by a token. A token makes no token, gives nobody a password, and does not change the user that it is of.
func (c *Request) NoProgram() error {
	if c.Caller.Program == "" {
		return nil
	}
	return Forbidden(rule.New("not_by_token", "a token may not do this; sign in with the password"))
}

// bare reports whether a request has no credentials.
func (b *Base) bare(r *http.Request) bool {
	return b.Cookie(r) == "" && r.Header.Get("Authorization") == ""
}

// identify takes the credentials in the order Bearer or Basic, session, none.
func (b *Base) identify(r *http.Request, open bool) (*Caller, error) {
	if header := r.Header.Get("Authorization"); header != "" {
		if scheme, text, _ := strings.Cut(header, " "); strings.EqualFold(scheme, "Bearer") {
			return b.byToken(r, strings.TrimSpace(text))
		}
		return b.byPassword(r)
	}
	if token := b.Cookie(r); token != "" {
		who, err := b.byCookie(r, token)
		if err == nil || !open {
			return who, err
		}
	}
	if open {
		return &Caller{User: access.Anonymous(), Key: b.Proxies.network(r)}, nil
	}
	return nil, Unauthorized(rule.New("sign_in_first", "sign in first"))
}

func (b *Base) byPassword(r *http.Request) (*Caller, error) {
	name, password, ok := r.BasicAuth()
	if !ok {
		return nil, Unauthorized(rule.New("not_basic", "the Authorization header must be Basic or Bearer"))
	}
	user, err := b.Verify(r, name, password)
	if err != nil {
		return nil, err
	}
	return &Caller{User: user, Key: OwnerKey(user.UID)}, apiAccess(user)
}

func (b *Base) byToken(r *http.Request, text string) (*Caller, error) {
	if err := b.refuseClear(r); err != nil {
		return nil, err
	}
	user, token, err := b.Users.Tokens().User(text, b.Proxies.Address(r))
	if err != nil || token.Link {
		return nil, Unauthorized(rule.New("token_over", "the token is unknown, revoked or expired"))
	}
	b.noteClear(r, user)
	return &Caller{User: user, Program: token.Name, Key: OwnerKey(user.UID), bearer: text}, apiAccess(user)
}

// byCookie returns the caller of a session, or of a link.
func (b *Base) byCookie(r *http.Request, token string) (*Caller, error) {
	if access.IsLink(token) {
		who, _, err := b.byLink(r, token)
		return who, err
	}
	user, err := b.Users.Sessions().User(token, b.Proxies.Address(r))
	if err != nil {
		return nil, Unauthorized(rule.New("session_over", "the session is over"))
	}
	return &Caller{User: user, Token: token, Key: OwnerKey(user.UID)}, WebAccess(user)
}

// byLink returns the caller that came by a link, and its token. Those that came by the same link from several networks do not take each other's jobs.
func (b *Base) byLink(r *http.Request, text string) (*Caller, *access.Token, error) {
	user, token, err := b.Users.Tokens().User(text, b.Proxies.Address(r))
	if err != nil || !token.Link {
		return nil, nil, Unauthorized(rule.New("link_over", "the link was ended, or its time is over"))
	}
	word := fmt.Sprintf("link %d", token.ID)
	return &Caller{User: user, Program: token.Name, Key: word + " " + b.Proxies.network(r), bearer: text, guest: true, word: word}, token, WebAccess(user)
}

// Follow returns the caller that comes by a link, and its token. Its errors are problems: over, in clear where that is refused, and of a user without the web
// client.
func (b *Base) Follow(r *http.Request, text string) (*Caller, *access.Token, error) {
	if err := b.refuseClear(r); err != nil {
		return nil, nil, err
	}
	who, token, err := b.byLink(r, text)
	if err != nil {
		return nil, nil, err
	}
	b.noteClear(r, who.User)
	e := b.signIn(r, who.User.Name, "ok")
	e.Token = token.Name
	b.Users.Audit().SignIn(e)
	return who, token, nil
}

// Guest returns the name of the link by which the caller came, false for any other caller.
func (c *Caller) Guest() (link string, ok bool) { return c.Program, c.guest }

// Stranger reports whether the caller has not signed in: it is nobody, has no name, or came by a link.
func (c *Caller) Stranger() bool { return c.Name() == "" || c.guest }

// UID returns the uid of the user, and for a caller that came by a link a word of that link. Such a caller is not told of which user the link is.
func (c *Caller) UID() string {
	if c.guest {
		return c.word
	}
	return c.User.UID
}

// Verify returns the user of a name and password. Its errors are problems: wrong, locked out for a time, too many at once, or in clear where
// that is refused.
func (b *Base) Verify(r *http.Request, name, password string) (*access.User, error) {
	if err := b.refuseClear(r); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(r.Context(), verifyWait)
	defer cancel()
	user, err := b.Users.Passwords().Verify(ctx, name, password, b.Proxies.Address(r))
	var locked *access.Locked
	switch {
	case errors.As(err, &locked):
		return nil, TooMany(rule.New("too_many_tries", "too many failed tries"), locked.RetryAfter)
	case errors.Is(err, access.ErrWrong):
		b.Users.Audit().Refuse(b.signIn(r, name, "failed"))
		return nil, Unauthorized(rule.New("wrong_password", "wrong name or password"))
	case ctx.Err() != nil && r.Context().Err() == nil:
		return nil, TooMany(rule.New("too_many_sign_ins", "too many sign-ins at once"), verifyWait)
	}
	if err == nil {
		b.noteClear(r, user)
	}
	return user, err
}

// Accept returns the first administrator the password, by the text of its invitation. Its errors are problems: lapsed, or in clear where that is
// refused, and those of access.CheckPassword.
func (b *Base) Accept(r *http.Request, text, password string) (*access.User, error) {
	if err := b.refuseClear(r); err != nil {
		return nil, err
	}
	user, err := b.Users.Accept(text, password, b.Users.Audit().Line(func() audit.LogEntry {
		return audit.LogEntry{User: access.AdminName, Address: b.Proxies.Address(r), Action: "choose the first password", Result: "ok"}
	}))
	if errors.Is(err, access.ErrLapsed) {
		b.Users.Audit().Refuse(b.signIn(r, access.AdminName, "failed"))
		return nil, Unauthorized(rule.New("link_lapsed", "the link was used before, is older than a day, or is of an earlier start"))
	}
	if err == nil {
		b.noteClear(r, user)
	}
	return user, err
}

// NoteSignIn writes a sign-in into the audit log.
func (b *Base) NoteSignIn(r *http.Request, name string) {
	b.Users.Audit().SignIn(b.signIn(r, name, "ok"))
}

func (b *Base) signIn(r *http.Request, name, result string) audit.LogEntry {
	return audit.LogEntry{User: name, Address: b.Proxies.Address(r), Action: "sign-in", Result: result}
}

// StillWelcome reports whether an admitted caller would be admitted now: a stream may last longer than a password. It returns the
// caller as of now, since its rights and filters may have changed.
func (b *Base) StillWelcome(who *Caller) (*Caller, bool) {
	now := *who
	var err error
	switch {
	case who.User.Name == "":
		return who, true
	case who.Token != "":
		if now.User, err = b.Users.Sessions().User(who.Token, ""); err == nil {
			err = WebAccess(now.User)
		}
	case who.Program != "":
		if now.User, _, err = b.Users.Tokens().User(who.bearer, ""); err == nil && who.guest {
			err = WebAccess(now.User)
		} else if err == nil {
			err = apiAccess(now.User)
		}
	default:
		var current bool
		if now.User, current = b.Users.Current(who.User); !current {
			return nil, false
		}
		err = apiAccess(now.User)
	}
	return &now, err == nil
}

// apiAccess refuses a user that may not call the API by Basic or Bearer.
func apiAccess(u *access.User) error {
	if u.Type() == access.TypeProxy {
		return Forbidden(rule.New("proxy_only_stream", "the user_type proxy is for the NMEA stream only"))
	}
	return Entitled(u, right.AllowWebService)
}

// WebAccess refuses a user that may not use the web client.
func WebAccess(u *access.User) error {
	if kind := u.Type(); kind == access.TypeProxy || kind == access.TypeClient {
		return Forbidden(rule.New("no_web_client", "the user_type {type} has no web client", "type", kind))
	}
	return Entitled(u, right.WebOnlineAccess)
}

// FromHere refuses a call of the configuration from another machine by a caller that may configure on this one alone.
func (c *Request) FromHere(r Remote) error {
	if r == RemoteFree || c.base.Proxies.fromThisMachine(c.HTTP) {
		return nil
	}
	if err := Entitled(c.Caller.User, right.AccessRemoteConfiguration); err != nil {
		return err
	}
	if r == RemoteUsers {
		return Entitled(c.Caller.User, right.AccessRemoteUserConfiguration)
	}
	return nil
}

// isLocal reports whether an address is one of this machine.
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

// Line returns the line of the audit log that is committed together with the change of the call. Object has to be set by then.
func (c *Request) Line() audit.LineWriter {
	return c.base.Users.Audit().Line(func() audit.LogEntry {
		c.noted = true
		return c.auditEvent("ok")
	})
}

// LineOf is Line of something that the call does beside what it is for.
func (c *Request) LineOf(what, object string) audit.LineWriter {
	return c.base.Users.Audit().Line(func() audit.LogEntry {
		e := c.auditEvent("ok")
		e.Action, e.Object = c.Route.Method+" "+what, object
		return e
	})
}

// Note writes what the call was refused to do into the audit log, and what it did where no change took the line along.
func (c *Request) Note() {
	switch status := c.Writer.Status(); {
	case status == http.StatusForbidden:
		c.base.Users.Audit().Refuse(c.auditEvent("denied"))
	case status < 400 && !c.noted:
		c.base.Users.Audit().Note(c.auditEvent("ok"))
	}
}

func (c *Request) auditEvent(result string) audit.LogEntry {
	object := c.Object
	if object == "" {
		object = c.Param("name") + c.Param("mmsi") + c.Param("id")
	}
	return audit.LogEntry{User: c.Caller.Name(), Token: c.Caller.Program, Address: c.base.Proxies.Address(c.HTTP),
		Action: c.Route.Method + " " + c.Route.Audit, Object: object, Result: result, Detail: strings.Join(c.written, ", ")}
}
