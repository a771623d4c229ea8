package handlers

import (
	"errors"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"quaywatch/access"
	"quaywatch/rule"
)

// need says who may use a route at all; a right of the route comes on top.
type need uint8

const (
	needSignIn need = iota // the zero route is closed
	needNothing
	needNoName     // credentials count if there are any; a caller without is answered too
	needUnlessOpen // /metrics: sign-in, unless http.metrics_auth is false
)

// route is one row of the API: what it is, who may use it, and who answers.
type route struct {
	method, path string
	need         need
	right        access.Right // beside sign-in; "" for none
	read         bool         // open to all where http.open_reads says so
	remote       remote       // what it takes from another machine
	audit        string       // what the audit log calls it; "" is not logged
	handle       func(*Server, *call) error
}

// Paths of the interface areas.
const (
	portserver   = "/api/portserver"
	registerPath = portserver + "/ship/register"
	selectPath   = portserver + "/ship/select"
	areaPath     = portserver + "/ship/area"
	trackPath    = portserver + "/ship/historical/track"
	livePath     = "/api/live"
)

// routeTable is every route of the API. A route that is not here does not exist; the client's files are the only other
// thing that is served.
func routeTable() []route {
	return append(configRoutes(), []route{
		{method: "POST", path: portserver + "/ship/info", read: true, handle: (*Server).shipInfoAt},
		{method: "GET", path: portserver + "/ship/info/:mmsi", read: true, handle: (*Server).shipInfo},
		{method: "GET", path: portserver + "/ship/search/:querystring", read: true, handle: (*Server).shipSearch},
		{method: "GET", path: portserver + "/ship/position/:mmsi", read: true, handle: (*Server).shipPosition},
		{method: "POST", path: registerPath, right: access.AddRemoveMMSIEntries, audit: "register", handle: (*Server).register},
		{method: "GET", path: registerPath, read: true, handle: (*Server).registeredShips},
		{method: "GET", path: registerPath + "/:mmsi", read: true, handle: (*Server).registeredShip},
		{method: "PUT", path: registerPath + "/:mmsi", right: access.ChangeMMSIEntries, audit: "register", handle: (*Server).changeRegistered},
		{method: "DELETE", path: registerPath + "/:mmsi", right: access.AddRemoveMMSIEntries, audit: "register", handle: (*Server).unregister},
		{method: "POST", path: selectPath, handle: (*Server).selectShips},
		{method: "GET", path: selectPath, handle: (*Server).selected},
		{method: "GET", path: selectPath + "/:owner", handle: (*Server).selected},
		{method: "POST", path: areaPath, read: true, handle: (*Server).startArea},
		{method: "GET", path: areaPath + "/:id", read: true, handle: (*Server).areaResult},
		{method: "POST", path: trackPath, right: access.ViewHistoricalTracks, read: true, handle: (*Server).startTrack},
		{method: "GET", path: trackPath, right: access.ViewHistoricalTracks, read: true, handle: (*Server).trackResult},
		{method: "POST", path: "/api/session", need: needNothing, handle: (*Server).signIn},
		{method: "GET", path: "/api/session", need: needNoName, read: true, handle: (*Server).whoAmI},
		{method: "DELETE", path: "/api/session", handle: (*Server).signOut},
		{method: "GET", path: livePath, read: true, handle: (*Server).streamLive},
		{method: "GET", path: "/api/chart", read: true, handle: (*Server).chartInfo},
		{method: "GET", path: "/api/chart/:z/:x/:y", read: true, handle: (*Server).chartTile},
		{method: "GET", path: "/api/status", right: access.GetSystemStatusInformation, handle: (*Server).status},
		{method: "GET", path: "/api/openapi.yaml", need: needNothing, handle: (*Server).openAPI},
		{method: "GET", path: "/metrics", need: needUnlessOpen, right: access.GetSystemStatusInformation, handle: (*Server).serveMetrics},
		{method: "GET", path: "/healthz", need: needNothing, handle: (*Server).healthz},
		{method: "GET", path: "/readyz", need: needNothing, handle: (*Server).readyz},
	}...)
}

// call is one request under way.
type call struct {
	*gin.Context
	caller *caller // nil where the route needs nobody

	// For the audit log.
	object  string   // what it is done to; "" is what the path names
	written []string // the fields of the body
}

// routes builds the router from the table.
func (s *Server) routes() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	engine.UseRawPath = true           // a query string in the path may hold an escaped slash
	engine.UnescapePathValues = false  // gin would take + for a blank; pathText does it
	engine.ForwardedByClientIP = false // Server.address tells who calls
	engine.Use(s.guard)
	for _, r := range routeTable() {
		engine.Handle(r.method, s.config.BasePath+r.path, s.endpoint(r))
		if r.method == http.MethodGet && r.need == needNothing { // asking for a job's result takes it
			engine.Handle(http.MethodHead, s.config.BasePath+r.path, s.endpoint(r))
		}
	}
	engine.NoMethod(s.noMethod)
	engine.NoRoute(s.noRoute)
	return engine
}

// endpoint is what happens to every request of the API: who is it, may they, answer, and the answer to what went wrong.
func (s *Server) endpoint(r route) gin.HandlerFunc {
	return func(g *gin.Context) {
		began := time.Now()
		c := &call{Context: g}
		g.Header("Cache-Control", "no-store")
		err := s.origin.Check(g.Request)
		if err != nil {
			err = forbidden(rule.New("other_origin", "a page of another origin may not change anything here"))
		} else if c.caller, err = s.admit(g, r); err == nil {
			err = r.handle(s, c)
		}
		if err != nil {
			s.refuse(g, err)
		}
		if r.audit != "" && c.caller != nil {
			s.note(c, r, g.Writer.Status())
		}
		s.metrics.observe(r, g.Writer.Status(), time.Since(began))
	}
}

// refuse answers with the problem that err is, or logs what the caller must not see.
func (s *Server) refuse(g *gin.Context, err error) {
	var p *problem
	if !errors.As(err, &p) {
		p = accessProblem(err)
	}
	if p == nil {
		if g.Request.Context().Err() != nil {
			return // nobody is there to be told
		}
		p = s.unexpected(g, err)
	}
	if p.retryAfter > 0 {
		g.Header("Retry-After", wait(p.retryAfter))
	}
	if p.status == http.StatusUnauthorized && !fromScript(g.Request) {
		g.Header("WWW-Authenticate", `Basic realm="quaywatch", charset="UTF-8"`)
	}
	if g.Writer.Written() {
		return // in the middle of a long answer; it breaks off
	}
	s.send(g, p.status, "application/problem+json", p.document(g.Request.URL.EscapedPath()))
}

// unexpected is an error of ours: logged once with the request's number, which is all that the caller gets.
func (s *Server) unexpected(g *gin.Context, err error) *problem {
	s.deps.Log.Error("request failed", "request", g.Writer.Header().Get("X-Request-Id"), "method", g.Request.Method,
		"path", g.Request.URL.EscapedPath(), "error", err)
	if full := storageProblem(err); full != nil {
		return full
	}
	return &problem{status: http.StatusInternalServerError, code: codeInternal, rule: rule.New("internal", "internal error, see the log")}
}

// guard is around everything: headers that every answer carries, and a net for panics.
func (s *Server) guard(g *gin.Context) {
	h := g.Writer.Header()
	h.Set("X-Request-Id", newRequestID())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if s.config.TLSCert != "" {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	s.noticeProxy(g.Request)
	defer func() {
		if fault := recover(); fault != nil {
			if fault == http.ErrAbortHandler {
				panic(fault)
			}
			s.deps.Log.Error("panic", "path", g.Request.URL.EscapedPath(), "fault", fault, "stack", string(debug.Stack()))
			s.refuse(g, &problem{status: http.StatusInternalServerError, code: codeInternal, rule: rule.New("internal", "internal error, see the log")})
		}
	}()
	if s.shareWith(g) {
		return
	}
	g.Next()
}

// contentPolicy lets the client load from its own origin alone, and lets nobody frame it.
const contentPolicy = "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// shareWith answers pages of other origins that the operator allowed (http.cors). It is true when the request was a
// preflight and is answered.
func (s *Server) shareWith(g *gin.Context) bool {
	origin := g.GetHeader("Origin")
	if origin == "" || len(s.config.CORS) == 0 {
		return false
	}
	g.Writer.Header().Add("Vary", "Origin")
	for _, allowed := range s.config.CORS {
		if strings.EqualFold(allowed, origin) {
			return s.share(g, origin)
		}
	}
	return false
}

func (s *Server) share(g *gin.Context, origin string) bool {
	h := g.Writer.Header()
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if g.Request.Method != http.MethodOptions || g.GetHeader("Access-Control-Request-Method") == "" {
		return false
	}
	h.Set("Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Last-Event-ID")
	h.Set("Access-Control-Max-Age", "600")
	g.AbortWithStatus(http.StatusNoContent)
	return true
}

func (s *Server) noMethod(g *gin.Context) {
	s.refuse(g, &problem{status: http.StatusMethodNotAllowed, code: codeBadRequest, rule: rule.New("method", "{method} is not a method of this resource", "method", g.Request.Method)})
}

// noRoute serves the client's files; below /api/ there are none.
func (s *Server) noRoute(g *gin.Context) {
	path, inside := strings.CutPrefix(g.Request.URL.Path, s.config.BasePath)
	switch {
	case inside && path == "" && s.config.BasePath != "":
		g.Redirect(http.StatusFound, s.config.BasePath+"/")
	case !inside || strings.HasPrefix(path, "/api/") || path == "/api":
		s.refuse(g, notFound(rule.New("no_route", "there is nothing at this address")))
	case g.Request.Method != http.MethodGet && g.Request.Method != http.MethodHead:
		s.noMethod(g)
	default:
		s.serveFile(g, path)
	}
}

// log gives the logger with what is known of the call.
func (s *Server) log(c *call) *slog.Logger {
	return s.deps.Log.With("user", c.caller.name(), "address", s.address(c.Request))
}
