package handlers

import (
	"crypto/rand"
	"encoding/hex"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
)

// routeTable is every route of the API. A route that is not here does not exist; the client's files are the only other
// thing that is served.
func (s *Server) routeTable() []request.Route {
	return append(s.listRoutes(),
		request.Route{Method: "POST", Path: "/api/session", Need: request.Nothing, Handle: s.signIn},
		request.Route{Method: "POST", Path: "/api/session/first", Need: request.Nothing, Handle: s.signInFirst},
		request.Route{Method: "POST", Path: "/api/session/link", Need: request.Nothing, Handle: s.signInByLink},
		request.Route{Method: "GET", Path: "/api/session", Need: request.NoName, Read: true, Handle: s.whoAmI},
		request.Route{Method: "DELETE", Path: "/api/session", Leave: true, Handle: s.signOut},
		request.Route{Method: "GET", Path: "/api/openapi.yaml", Need: request.Nothing, Handle: s.openAPI},
		request.Route{Method: "GET", Path: "/api/tls", Need: request.Nothing, Handle: s.secure},
		request.Route{Method: "GET", Path: "/api/tls/ca.crt", Need: request.Nothing, Handle: s.caFile},
	)
}

// beginCall makes the call of a request.
func (s *Server) beginCall(g *gin.Context, r *request.Route) *request.Request {
	return s.base.Begin(g.Request, g.Writer, r, g.Param)
}

// routes builds the router from the table.
func (s *Server) routes() *gin.Engine {
	gin.SetMode(gin.ReleaseMode)
	engine := gin.New()
	engine.HandleMethodNotAllowed = true
	engine.RedirectTrailingSlash = false
	engine.UseRawPath = true           // a query string in the path may hold an escaped slash
	engine.UnescapePathValues = false  // gin would take + for a blank; Call.PathText does it
	engine.ForwardedByClientIP = false // request.Proxies tells the address that calls
	engine.Use(s.guard)
	for _, r := range s.routeTable() {
		engine.Handle(r.Method, s.config.BasePath+r.Path, s.endpoint(&r))
		if r.AnswersHead() {
			engine.Handle(http.MethodHead, s.config.BasePath+r.Path, s.endpoint(&r))
		}
	}
	engine.NoMethod(func(g *gin.Context) { s.noMethod(s.beginCall(g, &request.Route{})) })
	engine.NoRoute(func(g *gin.Context) { s.noRoute(s.beginCall(g, &request.Route{})) })
	return engine
}

// endpoint is what happens to every request of the API: which caller is it, may it, answer, and the answer to what went wrong.
func (s *Server) endpoint(r *request.Route) gin.HandlerFunc {
	return func(g *gin.Context) {
		began := time.Now()
		c := s.beginCall(g, r)
		defer c.Done()
		c.Writer.Header().Set("Cache-Control", "no-store")
		err := s.origin.Check(c.HTTP)
		if err != nil {
			err = request.Forbidden(rule.New("other_origin", "a page of another origin may not change anything here"))
		} else if err = c.Admit(); err == nil {
			defer welcome(c)()
			if r.Endless {
				err = c.DropBody()
			}
			if err == nil {
				err = r.Handle(c)
			}
		}
		if err != nil {
			c.Refuse(err)
		}
		if r.Audit != "" && c.Caller != nil {
			c.Note()
		}
		s.status.Observe(r, c.Writer.Status(), time.Since(began))
	}
}

// guard is around everything: headers that every answer carries, and a net for panics.
func (s *Server) guard(g *gin.Context) {
	h := g.Writer.Header()
	h.Set("X-Request-Id", newRequestID())
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin")
	h.Set("Content-Security-Policy", contentPolicy)
	h.Set("X-Frame-Options", "DENY")
	h.Set("Permissions-Policy", permissionsPolicy)
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if g.Request.TLS != nil && s.mayBeStrict() {
		h.Set("Strict-Transport-Security", "max-age=31536000")
	}
	request.CloseUnread(g.Writer, g.Request)
	s.base.NoticeProxy(g.Request)
	defer func() {
		if fault := recover(); fault != nil {
			if fault == http.ErrAbortHandler {
				panic(fault)
			}
			s.deps.Log.Error("panic", "path", g.Request.URL.EscapedPath(), "fault", fault, "stack", string(debug.Stack()))
			s.beginCall(g, &request.Route{}).Refuse(request.Internal())
		}
	}()
	if s.shareWith(g) {
		return
	}
	g.Next()
}

func newRequestID() string {
	var b [8]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// contentPolicy lets the client load from its own origin alone, and lets nobody frame it.
const contentPolicy = "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

// permissionsPolicy gives the client none of what a browser can do beyond showing a page.
const permissionsPolicy = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), midi=(), payment=(), serial=(), usb=()"

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
			return s.allowOrigin(g, origin)
		}
	}
	return false
}

func (s *Server) allowOrigin(g *gin.Context, origin string) bool {
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

func (s *Server) noMethod(c *request.Request) {
	c.Refuse(&request.Problem{Status: http.StatusMethodNotAllowed, Code: request.CodeBadRequest,
		Rule: rule.New("method", "{method} is not a method of this resource", "method", c.HTTP.Method)})
}

// noRoute serves the client's files; below /api/ there are none.
func (s *Server) noRoute(c *request.Request) {
	path, inside := strings.CutPrefix(c.HTTP.URL.Path, s.config.BasePath)
	switch {
	case inside && path == "" && s.config.BasePath != "":
		http.Redirect(c.Writer, c.HTTP, s.config.BasePath+"/", http.StatusFound)
	case !inside || path != "" && path[0] != '/' || strings.HasPrefix(path, "/api/") || path == "/api":
		c.Refuse(request.NotFound(rule.New("no_route", "there is nothing at this address")))
	case c.HTTP.Method != http.MethodGet && c.HTTP.Method != http.MethodHead:
		s.noMethod(c)
	case !s.leadOver(c, path):
		s.serveFile(c, path)
	}
}
