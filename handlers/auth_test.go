package handlers

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"quaywatch/access"
)

// signIn begins a session and gives the cookie header of it.
func (s *site) signIn(name, password string) string {
	s.t.Helper()
	a := s.send("POST", "/api/session", `{"name":"`+name+`","password":"`+password+`"}`, "Content-Type", "application/json").is(s.t, 200)
	cookie := a.header.Get("Set-Cookie")
	for _, part := range []string{"HttpOnly", "SameSite=Strict", "Path=/"} {
		if !strings.Contains(cookie, part) {
			s.t.Errorf("the cookie %q has no %s", cookie, part)
		}
	}
	return strings.Split(cookie, ";")[0]
}

func TestSessionLife(t *testing.T) {
	s := newSite(t)
	s.send("GET", "/api/session", "").is(t, 204) // nobody is signed in
	cookie := s.signIn("admin", adminPassword)
	who := s.send("GET", "/api/session", "", "Cookie", cookie).is(t, 200).json(t)
	if who["name"] != "admin" || len(who["rights"].([]any)) != len(access.Rights()) {
		t.Errorf("signed in as %v", who)
	}
	s.restart()
	s.send("GET", "/api/session", "", "Cookie", cookie).is(t, 200) // a restart of the program signs nobody out
	s.send("DELETE", "/api/session", "", "Cookie", cookie).is(t, 204)
	s.send("GET", "/api/session", "", "Cookie", cookie).is(t, 401)
}

func TestSessionEnds(t *testing.T) {
	s := newSite(t)
	idle := s.signIn("admin", adminPassword)
	s.clock.pass(access.SessionIdle + time.Second)
	s.send("GET", "/api/session", "", "Cookie", idle).is(t, 401)

	most := s.signIn("admin", adminPassword)
	for range int(access.SessionMost / (6 * time.Hour)) {
		s.clock.pass(6 * time.Hour)
		s.send("GET", "/api/session", "", "Cookie", most).is(t, 200)
	}
	s.clock.pass(time.Hour)
	s.send("GET", "/api/session", "", "Cookie", most).is(t, 401)

	changed := s.signIn("admin", adminPassword)
	if err := s.users.SetPassword("admin", "a completely new one"); err != nil {
		t.Fatal(err)
	}
	s.send("GET", "/api/session", "", "Cookie", changed).is(t, 401)
	s.get("/api/session").is(t, 401) // nor does the old password count, though it was verified a moment ago
	s.send("GET", "/api/session", "", "Authorization", basic("admin", "a completely new one")).is(t, 200)
}

func TestLockOut(t *testing.T) {
	s := newSite(t)
	wrong := func() answer {
		return s.send("GET", "/api/session", "", "Authorization", basic("admin", "wrong password"))
	}
	for range 5 {
		wrong().is(t, 401, "unauthorized")
	}
	waits := []string{"1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "900", "900"}
	for i, want := range waits {
		locked := wrong().is(t, 429)
		if got := locked.header.Get("Retry-After"); got != want {
			t.Fatalf("lock-out %d: wait %s s, want %s", i, got, want)
		}
		s.get("/api/session").is(t, 429) // the right one has to wait too, or guessing would go on
		d, err := time.ParseDuration(want + "s")
		if err != nil {
			t.Fatal(err)
		}
		s.clock.pass(d)
		if i < len(waits)-1 {
			wrong().is(t, 401)
		}
	}
	s.get("/api/session").is(t, 200)
	wrong().is(t, 401) // the success cleared it
	s.get("/api/session").is(t, 200)
}

func TestBrowsersOwnDialogStaysShut(t *testing.T) {
	s := newSite(t)
	if a := s.send("GET", "/api/status", "").is(t, 401); a.header.Get("WWW-Authenticate") == "" {
		t.Error("a program is not told to use Basic")
	}
	if a := s.send("GET", "/api/status", "", "Sec-Fetch-Dest", "empty").is(t, 401); a.header.Get("WWW-Authenticate") != "" {
		t.Error("the browser would open its dialog over the client")
	}
	s.send("GET", "/api/status", "", "Authorization", "Bearer x").is(t, 401)
	s.send("GET", "/api/status", "", "Cookie", cookieName+"=nonsense").is(t, 401)
}

func TestCrossSiteRequestsChangeNothing(t *testing.T) {
	s := newSite(t)
	cookie := s.signIn("admin", adminPassword)
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Origin", "https://evil.example"}, {"Origin", "null"},
	} {
		s.send("DELETE", "/api/session", "", append(header, "Cookie", cookie)...).is(t, 403, "forbidden")
		s.post(areaPath, `{}`, header...).is(t, 403, "forbidden")
		s.send("POST", "/api/session", `{}`, header...).is(t, 403)
	}
	s.send("GET", "/api/session", "", "Cookie", cookie, "Sec-Fetch-Site", "same-origin").is(t, 200)
	s.send("DELETE", "/api/session", "", "Cookie", cookie, "Sec-Fetch-Site", "same-origin").is(t, 204)
}

func TestOtherOriginsByConfiguration(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) { c.CORS = []string{"https://port.example"} })
	a := s.send("OPTIONS", areaPath, "", "Origin", "https://port.example", "Access-Control-Request-Method", "POST").is(t, 204)
	if a.header.Get("Access-Control-Allow-Origin") != "https://port.example" {
		t.Errorf("%v", a.header)
	}
	s.post(areaPath, `{}`, "Origin", "https://port.example", "Sec-Fetch-Site", "cross-site").is(t, 400)
	if a := s.get("/api/session", "Origin", "https://evil.example"); a.header.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%v", a.header)
	}
}

// Every route, asked from another machine by nobody, by a user without rights, by a viewer, an operator and an administrator.
func TestWhoMayCallWhat(t *testing.T) {
	const reached = 0 // the handler answered: any status but 401 and 403
	const user, group, audit = "/api/config/user", "/api/config/group", "/api/audit"
	administrators, operators, viewers := [5]int{401, 403, 403, 403, reached}, [5]int{401, 403, 403, reached, reached}, [5]int{401, 403, reached, reached, reached}
	everybody := [5]int{}
	want := map[string][5]int{
		"POST " + portserver + "/ship/info":               viewers,
		"GET " + portserver + "/ship/info/:mmsi":          viewers,
		"GET " + portserver + "/ship/search/:querystring": viewers,
		"GET " + portserver + "/ship/position/:mmsi":      viewers,
		"POST " + areaPath:                                viewers,
		"GET " + areaPath + "/:id":                        viewers,
		"POST " + trackPath:                               viewers,
		"GET " + trackPath:                                viewers,
		"POST /api/session":                               everybody,
		"GET /api/session":                                {reached, 403, reached, reached, reached},
		"DELETE /api/session":                             viewers,
		"GET " + livePath:                                 viewers,
		"GET /api/chart":                                  viewers,
		"GET /api/chart/:z/:x/:y":                         viewers,
		"GET /api/status":                                 operators,
		"GET /api/openapi.yaml":                           everybody,
		"GET /metrics":                                    operators,
		"GET /healthz":                                    everybody,
		"GET /readyz":                                     everybody,
		"POST " + user:                                    administrators,
		"GET " + user:                                     administrators,
		"GET " + user + "/:name":                          administrators,
		"PUT " + user + "/:name":                          administrators,
		"DELETE " + user + "/:name":                       administrators,
		"POST " + user + "/:name/clone":                   administrators,
		"POST " + user + "/:name/reassign":                administrators,
		"POST " + group:                                   administrators,
		"PUT " + group:                                    administrators,
		"GET " + group:                                    administrators,
		"GET " + group + "/:name":                         administrators,
		"PUT " + group + "/:name":                         administrators,
		"DELETE " + group + "/:name":                      administrators,
		"POST " + group + "/:name/clone":                  administrators,
		"POST " + group + "/:name/reassign":               administrators,
		"GET " + user + "/:name/sessions":                 administrators,
		"DELETE " + user + "/:name/sessions":              administrators,
		"DELETE " + user + "/:name/sessions/:id":          administrators,
		"GET " + sessionsPath:                             viewers,
		"DELETE " + sessionsPath:                          viewers,
		"DELETE " + sessionsPath + "/:id":                 viewers,
		"GET " + configPath + "/running":                  administrators,
		"GET " + audit:                                    operators,
		"POST " + registerPath:                            operators,
		"GET " + registerPath:                             viewers,
		"GET " + registerPath + "/:mmsi":                  viewers,
		"PUT " + registerPath + "/:mmsi":                  operators,
		"DELETE " + registerPath + "/:mmsi":               operators,
		"POST " + selectPath:                              viewers,
		"GET " + selectPath:                               viewers,
		"GET " + selectPath + "/:owner":                   viewers,
	}
	for _, kind := range []string{"shiplist", "shape", "filter"} {
		path := configPath + "/" + kind
		want["POST "+path], want["GET "+path], want["GET "+path+"/:name"] = operators, viewers, viewers
		want["PUT "+path+"/:name"], want["DELETE "+path+"/:name"] = operators, operators
	}
	want["GET "+portPath], want["GET "+portPath+"/:id"] = viewers, viewers
	want["POST "+portPath], want["PUT "+portPath+"/:id"], want["DELETE "+portPath+"/:id"] = operators, operators, operators
	s := newSite(t)
	s.addUser("nobody")
	s.addUser("viewer", access.GroupViewer)
	s.addUser("operator", access.GroupOperator)
	fill := strings.NewReplacer(":mmsi", "1", ":id", "1", ":z", "0", ":x", "0", ":y", "0", ":querystring", "x", ":name", "x", ":owner", "x", livePath, livePath+"?bbox=wrong")
	for _, r := range routeTable() {
		row, ok := want[r.method+" "+r.path]
		if !ok {
			t.Errorf("%s %s: no row says who may call it", r.method, r.path)
			continue
		}
		for i, name := range []string{"", "nobody", "viewer", "operator", access.AdminName} {
			var header []string
			if name != "" {
				header = []string{"Authorization", basic(name, adminPassword)}
			}
			got := s.send(r.method, fill.Replace(r.path), "", header...).status
			if got != http.StatusUnauthorized && got != http.StatusForbidden {
				got = reached
			}
			if got != row[i] {
				t.Errorf("%s %s by %q: %d, want %d", r.method, r.path, name, got, row[i])
			}
		}
	}
	s.send("POST", "/api/session", `{"name":"nobody","password":"`+adminPassword+`"}`).is(t, 403, "forbidden")
	viewer := s.signIn("viewer", adminPassword)
	s.send("GET", "/api/status", "", "Cookie", viewer).is(t, 403, "forbidden")
	s.send("GET", portserver+"/ship/search/x", "", "Cookie", viewer).is(t, 200)
}

// addUser makes a user of these groups and no others.
func (s *site) addUser(name string, groups ...string) *access.User {
	s.t.Helper()
	user, err := s.users.Create(access.User{Name: name, Groups: groups}, adminPassword)
	if err != nil {
		s.t.Fatal(err)
	}
	return user
}

func TestOpenReads(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) { c.OpenReads = true })
	s.send("GET", portserver+"/ship/search/x", "").is(t, 200)
	who := s.send("GET", "/api/session", "").is(t, 200).json(t)
	if who["name"] != "" || slices.Contains(who["rights"].([]any), any("get_system_status_info")) {
		t.Errorf("nobody is %v", who)
	}
	s.send("GET", "/api/status", "").is(t, 401)
	s.send("DELETE", "/api/session", "").is(t, 401)
	s.send("GET", portserver+"/ship/search/x", "", "Authorization", basic("admin", "wrong password")).is(t, 401)
	s.send("GET", portserver+"/ship/search/x", "", "Cookie", cookieName+"=old").is(t, 200)
}

func TestOperation(t *testing.T) {
	s := newSite(t, withChart(t))
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	status := s.get("/api/status").is(t, 200).json(t)
	if status["ships"] != 1.0 || len(status["feeds"].([]any)) != 2 || status["versions"].(map[string]any)["jobserver"] != "133.5" {
		t.Errorf("status: %v", status)
	}
	roof := status["feeds"].([]any)[0].(map[string]any)
	if roof["name"] != "roof" || roof["ships"] != 1.0 || roof["messages"].(map[string]any)["1"] != 9.0 {
		t.Errorf("feed: %v", roof)
	}
	text := string(s.get("/metrics").is(t, 200).body)
	for _, line := range []string{`quaywatch_ships{class="A",signal="live"} 1`, `quaywatch_feed_connected{feed="tower"} 0`,
		`quaywatch_feed_bad_total{feed="tower",reason="checksum"} 2`, "quaywatch_store_read_only 0", "go_goroutines"} {
		if !strings.Contains(text, line) {
			t.Errorf("metrics have no %s", line)
		}
	}
	s.send("GET", "/metrics", "").is(t, 401)
	s.send("GET", "/healthz", "").is(t, 200)
	s.send("HEAD", "/healthz", "").is(t, 200)
	s.send("GET", "/readyz", "").is(t, 200)
	if doc := s.send("GET", "/api/openapi.yaml", "").is(t, 200); !strings.HasPrefix(string(doc.body), "openapi: 3.1.0") {
		t.Errorf("openapi.yaml begins %.40s", doc.body)
	}
	if info := s.get("/api/chart").is(t, 200).json(t); !strings.Contains(info["attribution"].(string), "OpenStreetMap") {
		t.Errorf("chart: %v", info)
	}
}

func TestOpenMetrics(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) { c.MetricsAuth = false })
	s.send("GET", "/metrics", "").is(t, 200)
	s.get("/api/chart").is(t, 404)
}

func TestChartTiles(t *testing.T) {
	s := newSite(t, withChart(t))
	packed := s.get("/api/chart/0/0/0", "Accept-Encoding", "gzip").is(t, 200)
	plain := s.get("/api/chart/0/0/0").is(t, 200)
	if packed.header.Get("Content-Encoding") != "gzip" || len(plain.body) <= len(packed.body) || !strings.Contains(packed.header.Get("Cache-Control"), "max-age") {
		t.Errorf("%d bytes packed, %d plain, %v", len(packed.body), len(plain.body), packed.header)
	}
	s.get("/api/chart/0/0/0", "If-None-Match", packed.header.Get("ETag")).is(t, 304)
	s.get("/api/chart/0/0/1").is(t, 404)
	s.get("/api/chart/99/0/0").is(t, 404)
	s.get("/api/chart/x/0/0").is(t, 400)
	s.send("GET", "/api/chart/0/0/0", "").is(t, 401)
}

func TestClientFiles(t *testing.T) {
	files := fstest.MapFS{"index.html": {Data: []byte("<!doctype html><title>x</title>")}, "assets/index-abc123.js": {Data: []byte("let a")}, "icon.svg": {Data: []byte("<svg/>")}}
	s := newSite(t, func(c *Config, d *Deps) { d.Web, c.BasePath = files, "/ais" })
	for _, row := range []struct {
		path, kind, cache string
		status            int
	}{
		{"/ais/", "text/html; charset=utf-8", "no-cache", 200},
		{"/ais/index.html", "text/html; charset=utf-8", "no-cache", 200},
		{"/ais/ships/219018765", "text/html; charset=utf-8", "no-cache", 200},
		{"/ais/assets/index-abc123.js", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", 200},
		{"/ais/icon.svg", "image/svg+xml", "no-cache", 200},
		{"/ais/assets/gone.js", "application/problem+json", "", 404},
		{"/ais/../../etc/passwd", "text/html; charset=utf-8", "no-cache", 200},
		{"/ais", "", "", 302},
		{"/elsewhere", "application/problem+json", "", 404},
		{"/ais/api/nothing", "application/problem+json", "", 404},
	} {
		a := s.send("GET", row.path, "").is(t, row.status)
		if row.kind != "" && (a.header.Get("Content-Type") != row.kind || a.header.Get("Cache-Control") != row.cache) {
			t.Errorf("%s: %s, %s", row.path, a.header.Get("Content-Type"), a.header.Get("Cache-Control"))
		}
	}
	s.send("POST", "/ais/", "").is(t, 405)
	s.send("GET", "/ais/api/session", "").is(t, 204)
	s.send("GET", "/ais/api/status", "").is(t, 401)
}

func TestWithoutTheClient(t *testing.T) {
	s := newSite(t, func(_ *Config, d *Deps) { d.Web = fstest.MapFS{".gitkeep": {}} })
	if a := s.send("GET", "/", "").is(t, 200); !strings.Contains(string(a.body), "built without its web client") {
		t.Errorf("the page says %s", a.body)
	}
}

func TestCompression(t *testing.T) {
	s := newSite(t)
	if a := s.send("GET", "/api/openapi.yaml", "", "Accept-Encoding", "br, gzip;q=0.5"); a.header.Get("Content-Encoding") != "gzip" {
		t.Errorf("%v", a.header)
	}
	for _, no := range []string{"", "gzip;q=0", "br"} {
		if a := s.send("GET", "/api/openapi.yaml", "", "Accept-Encoding", no); a.header.Get("Content-Encoding") != "" {
			t.Errorf("%q: %v", no, a.header)
		}
	}
}
