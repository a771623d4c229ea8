package handlers

import (
	"context"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"quaywatch/handlers/chart"
	"quaywatch/handlers/distress"
	"quaywatch/handlers/live"
	"quaywatch/handlers/messages"
	"quaywatch/handlers/ports"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wms"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// signIn begins a session and returns the cookie header of it.
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
	if who["name"] != "admin" || len(who["rights"].([]any)) != len(right.All()) {
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
	s.send("GET", "/api/status", "", "Cookie", request.PlainCookie+"=nonsense").is(t, 401)
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

// callers are the users that call each route, in the order of the statuses of a row. The owner made what the path names and shares it
// with the member's group; these two and the other have the rights that keepers have.
func callers() [7]string {
	return [7]string{"", "without", "with", "owner", "member", "other", access.AdminName}
}

// keepers are the rights to keep things of one's own, share them and look.
func keepers() []right.Name {
	return []right.Name{right.AllowWebService, right.WebOnlineAccess, right.AccessRemoteConfiguration, right.AccessRemoteUserConfiguration,
		right.ViewShiplist, right.ConfigureShipLists, right.ShareShipLists, right.ShareShapes, right.ShareFilters, right.ViewPort,
		right.ViewWatchdog, right.ConfigureWatchdogDefinitions, right.ShareWatchdogs,
		right.ViewHistoricalTracks, right.ViewHistory, right.ViewPredictedPosition, right.PCSAccess, right.WebReportAccess}
}

// unseen in a row is a 200 that does not tell of the owner's thing.
const unseen = 1200

// openTo, usersWith and othersWith are the rows of routes that know no owner: what they answer to all; to all with the rights that
// keepers have; and to users with more rights.
func openTo(status int) [7]int { return [7]int{status, status, status, status, status, status, status} }
func usersWith(status int) [7]int {
	return [7]int{401, 403, status, status, status, status, status}
}
func othersWith(status int) [7]int { return [7]int{401, 403, status, 403, 403, 403, status} }

// asked is a row: what a route answers to the callers. "with" has, beside what keepers have, the rights; "without" has all rights
// but the first of them, which is web_online_access where none is named. The body and the path may hold N, a number of each request;
// where there is a thing, it is made anew for each and stands for the path's :name or :id.
type asked struct {
	statuses [7]int
	rights   []right.Name
	body     string
	thing    func(*site, string) string
}

// anAlarm is a device in distress that is heard.
func anAlarm(s *site, _ string) string {
	s.hear(noon(), position(972000001, 10.3, 56.14, 0, 0))
	return "972000001"
}

// madeBy has a thing made by a call; it is what the call's answer names.
func madeBy(user, path, body, field string) func(*site, string) string {
	return func(s *site, n string) string {
		s.t.Helper()
		a := s.by(user, "POST", path, strings.ReplaceAll(body, "N", n))
		switch made := a.json(s.t)[field].(type) {
		case string:
			return escaped(made)
		case float64:
			return strconv.Itoa(int(made))
		}
		s.t.Fatalf("%s %s: %d %s", path, body, a.status, a.body)
		return ""
	}
}

// sessionOf begins a session and returns its number.
func sessionOf(s *site, _ string) string {
	s.t.Helper()
	owner, _ := s.users.User("owner")
	if _, err := s.users.Sessions().Begin(owner, "192.0.2.7"); err != nil {
		s.t.Fatal(err)
	}
	var newest uint64
	for _, one := range s.users.Sessions().Of(owner, "") {
		newest = max(newest, one.ID)
	}
	return strconv.FormatUint(newest, 10)
}

// tokenOf makes a token of the owner and returns its number.
func tokenOf(s *site, n string) string {
	s.t.Helper()
	owner, _ := s.users.User("owner")
	id, _ := s.token(owner, "token "+n)
	return strconv.FormatUint(id, 10)
}

// anotherUser makes a user of the owner's rights, without the cost of a password.
func anotherUser(s *site, n string) string {
	s.t.Helper()
	owner, _ := s.users.User("owner")
	if _, err := s.users.Clone(owner, "copy"+n); err != nil {
		s.t.Fatal(err)
	}
	return "copy" + n
}

// named is a thing that is there.
func named(name string) func(*site, string) string { return func(*site, string) string { return name } }

// whoMayCallWhat is the one table: what every route answers to every caller.
func whoMayCallWhat() map[string]asked {
	const user, group = usersPath, groups
	const trackBody = `{"mmsi":219018765,"begin":"2026-11-20","end":"2026-11-21"}`
	type rights = []right.Name
	reader, changer, adder := rights{right.UserConfigurationAccess}, rights{right.ChangeUser, right.UserConfigurationAccess},
		rights{right.AddRemoveUsers, right.UserConfigurationAccess}
	status := rights{right.GetSystemStatusInformation}
	ofGroups := rights{right.UserConfigurationAccess, right.AddRemoveAccessRightsGroups, right.ChangeAccessRights, right.ChangeUser,
		right.ChangeSettings, right.ChangeFilterSettings}
	newGroups := rights{right.AddRemoveAccessRightsGroups, right.UserConfigurationAccess}
	area := madeBy("owner", areaPath, `{"area":`+harbour+`,"time":"now"}`, "id")
	track := madeBy("owner", trackPath, trackBody, "id")
	way := madeBy("owner", routePath, aRoute, "id")
	aGroup := madeBy("admin", group, `{"name":"gN"}`, "uid")
	ship := madeBy("admin", registerPath, `{"mmsi":211000N,"name":"entered"}`, "mmsi")
	port := madeBy("admin", portPath, `{"name":"Port N","position":{"type":"Point","coordinates":[1,2]}}`, "id")
	reporter := rights{right.WebReportAccess, right.ViewHistory, right.ViewATAATD}
	counted := madeBy("owner", statPath+"/portcalls", heldCalls, "id")
	passed := madeBy("owner", statPath+"/passageline", `{"begin":"2026-11-20","end":"2026-11-21","execute":false,"passageline":`+midLine+`}`, "id")
	theirs := func(status int) [7]int { return [7]int{401, 403, 404, status, 404, 404, 404} }
	tracked := madeBy("owner", shipTrackPath, aTrack, "id")
	shared := func(status int) [7]int { return [7]int{401, 403, 404, status, 404, 404, status} }
	table := map[string]asked{
		"POST " + portserver + "/ship/info":               {usersWith(200), nil, `{"mmsi":219018765}`, nil},
		"GET " + portserver + "/ship/info/:mmsi":          {usersWith(200), nil, "", nil},
		"GET " + portserver + "/ship/search/:querystring": {usersWith(200), nil, "", nil},
		"GET " + portserver + "/ship/position/:mmsi":      {usersWith(200), nil, "", nil},
		"POST " + areaPath:                                {usersWith(200), nil, `{"area":` + harbour + `,"time":"now"}`, nil},
		"GET " + areaPath + "/:id":                        {theirs(200), nil, "", area},
		"POST " + trackPath:                               {usersWith(202), rights{right.ViewHistoricalTracks}, trackBody, nil},
		"GET " + trackPath:                                {theirs(200), rights{right.ViewHistoricalTracks}, "", track},
		"POST " + routePath:                               {usersWith(200), rights{right.ViewPredictedPosition}, aRoute, nil},
		"POST " + routePath + "/execute":                  {usersWith(200), rights{right.ViewPredictedPosition}, aRoute, nil},
		"GET " + routePath + "/:id":                       {theirs(200), rights{right.ViewPredictedPosition}, "", way},
		"POST " + callsPath:                               {usersWith(200), rights{right.ViewHistory}, `{"mmsi":219018765}`, nil},
		"POST " + tripsPath:                               {usersWith(200), rights{right.ViewHistory}, `{"mmsi":219018765}`, nil},
		"GET " + changesPath + "/:mmsi":                   {usersWith(200), rights{right.ViewHistory}, "", nil},
		"PUT " + callsPath + "/:id":                       {othersWith(200), rights{right.ViewATAATD, right.AckATAATD}, `{"confirmed":true}`, aCall},
		"DELETE " + callsPath + "/:id":                    {othersWith(204), rights{right.ViewATAATD, right.AdminATAATD}, "", aPastCall},
		"POST /api/session":                               {openTo(200), nil, `{"name":"admin","password":"` + adminPassword + `"}`, nil},
		"POST /api/session/link":                          {openTo(401), nil, `{"link":"none"}`, nil},
		"POST /api/session/first":                         {openTo(401), nil, `{"link":"none","password":"` + adminPassword + `"}`, nil},
		"GET /api/session":                                {[7]int{204, 403, 200, 200, 200, 200, 200}, nil, "", nil},
		"DELETE /api/session":                             {usersWith(204), nil, "", nil},
		"GET " + live.Path:                                {usersWith(200), nil, "", nil},
		"GET /api/filter/reading":                         {usersWith(200), nil, "", nil},
		"GET " + distress.Path:                            {usersWith(200), nil, "", nil},
		"POST " + distress.Path + "/acknowledge":          {usersWith(200), rights{right.ConfigureWatchdogDefinitions}, `{"mmsi":[972000001]}`, anAlarm},
		"GET " + messages.Path:                            {othersWith(200), rights{right.MessageService}, "", nil},
		"POST " + messages.Path:                           {othersWith(200), rights{right.SendMessages}, `{"text":"FOG","broadcast":true}`, nil},
		"GET " + chart.RejectedPath:                       {othersWith(200), rights{right.AdminShapes}, "", nil},
		"POST " + chart.RejectedPath:                      {othersWith(400), rights{right.AdminShapes}, `{}`, nil},
		"DELETE " + chart.RejectedPath + "/:id":           {othersWith(404), rights{right.AdminShapes}, "", named("1")},
		"GET /api/chart":                                  {usersWith(404), nil, "", nil},
		"GET /api/chart/:z/:x/:y":                         {usersWith(404), nil, "", nil},
		"GET /api/status":                                 {othersWith(200), status, "", nil},
		"GET /api/openapi.yaml":                           {openTo(200), nil, "", nil},
		"GET /api/tls":                                    {openTo(200), nil, "", nil},
		"GET /api/tls/ca.crt":                             {openTo(404), nil, "", nil},
		"GET /metrics":                                    {othersWith(200), status, "", nil},
		"GET /healthz":                                    {openTo(200), nil, "", nil},
		"GET /readyz":                                     {openTo(200), nil, "", nil},
		"GET /api/audit":                                  {othersWith(200), status, "", nil},
		"GET " + configPath + "/running":                  {othersWith(200), rights{right.SystemConfigurationAccess}, "", nil},

		"POST " + user:                           {othersWith(200), adder, `{"name":"newN","password":"` + adminPassword + `"}`, nil},
		"GET " + user:                            {othersWith(200), reader, "", nil},
		"GET " + user + "/:name":                 {[7]int{401, 403, 200, 200, 403, 403, 200}, reader, "", named("owner")},
		"PUT " + user + "/:name":                 {[7]int{401, 403, 200, 200, 403, 403, 200}, changer, `{"phone":"N"}`, named("owner")},
		"DELETE " + user + "/:name":              {othersWith(204), adder, "", anotherUser},
		"POST " + user + "/:name/clone":          {othersWith(200), adder, `{"name":"cloneN"}`, anotherUser},
		"POST " + user + "/:name/reassign":       {othersWith(200), adder, `{"name":"other"}`, anotherUser},
		"GET " + user + "/:name/sessions":        {othersWith(200), changer, "", named("owner")},
		"DELETE " + user + "/:name/sessions":     {othersWith(204), changer, "", named("owner")},
		"DELETE " + user + "/:name/sessions/:id": {othersWith(204), changer, "", sessionOf},
		"GET " + sessionsPath:                    {[7]int{401, 403, unseen, 200, unseen, unseen, unseen}, nil, "", sessionOf},
		"DELETE " + sessionsPath:                 {usersWith(204), nil, "", nil},
		"DELETE " + sessionsPath + "/:id":        {theirs(204), nil, "", sessionOf},
		"GET " + user + "/:name/tokens":          {othersWith(200), changer, "", named("owner")},
		"DELETE " + user + "/:name/tokens/:id":   {othersWith(204), changer, "", tokenOf},
		"GET " + tokensPath:                      {[7]int{401, 403, unseen, 200, unseen, unseen, unseen}, nil, "", tokenOf},
		"POST " + tokensPath:                     {usersWith(200), nil, `{"name":"token N","rights":[],"current_password":"` + adminPassword + `"}`, nil},
		"DELETE " + tokensPath + "/:id":          {theirs(204), nil, "", tokenOf},

		"POST " + group:                     {othersWith(200), newGroups, `{"name":"new N","access_rights":{"view_port":"allow"}}`, nil},
		"PUT " + group:                      {othersWith(200), newGroups, `{"name":"new N","access_rights":{"view_port":"allow"}}`, nil},
		"GET " + group:                      {othersWith(200), reader, "", nil},
		"GET " + group + "/:name":           {othersWith(200), reader, "", aGroup},
		"PUT " + group + "/:name":           {othersWith(200), ofGroups, `{"description":"N"}`, aGroup},
		"DELETE " + group + "/:name":        {othersWith(204), ofGroups, "", aGroup},
		"POST " + group + "/:name/clone":    {othersWith(200), ofGroups, `{"name":"clone N"}`, aGroup},
		"POST " + group + "/:name/reassign": {othersWith(200), ofGroups, `{"name":"crew"}`, aGroup},

		"POST " + registerPath:              {othersWith(200), rights{right.AddRemoveMMSIEntries}, `{"mmsi":219000N,"name":"new"}`, nil},
		"GET " + registerPath:               {usersWith(200), nil, "", nil},
		"GET " + registerPath + "/:mmsi":    {usersWith(200), nil, "", ship},
		"PUT " + registerPath + "/:mmsi":    {othersWith(200), rights{right.ChangeMMSIEntries}, `{"note":"N"}`, ship},
		"DELETE " + registerPath + "/:mmsi": {othersWith(204), rights{right.AddRemoveMMSIEntries}, "", ship},

		"POST " + selectPath:            {usersWith(200), nil, `{"owner":"erp","ships":[]}`, nil},
		"GET " + selectPath:             {[7]int{401, 403, unseen, 200, unseen, unseen, unseen}, nil, "", named("bridge")},
		"GET " + selectPath + "/:owner": {[7]int{401, 403, unseen, 200, unseen, unseen, unseen}, nil, "", named("bridge")},

		"POST " + shipTrackPath:                   {usersWith(200), rights{right.PCSAccess}, aTrack, nil},
		"GET " + shipTrackPath:                    {[7]int{401, 403, unseen, 200, unseen, unseen, 200}, rights{right.PCSAccess}, "", tracked},
		"GET " + shipTrackPath + "/:id":           {shared(200), rights{right.PCSAccess}, "", tracked},
		"PUT " + shipTrackPath + "/:id":           {shared(200), rights{right.PCSAccess}, `{"erp":{"id":"N"}}`, tracked},
		"PUT " + shipTrackPath + "/:id/requested": {shared(200), rights{right.PCSAccess}, `{"time":"2026-11-21T14:00:00Z","place":"pilot"}`, tracked},
		"DELETE " + shipTrackPath + "/:id":        {shared(204), rights{right.PCSAccess}, "", tracked},

		"GET " + eventPath:                         {usersWith(200), rights{right.ViewWatchdog}, "", nil},
		"POST " + eventPath:                        {usersWith(200), rights{right.ViewWatchdog}, `{"time":"2026-11-20"}`, nil},
		"POST " + manualPath:                       {othersWith(400), rights{right.AddRemoveEvents}, `{}`, nil},
		"DELETE " + eventPath + "/:id":             {othersWith(404), rights{right.AddRemoveEvents}, "", named("1")},
		"POST " + eventPath + "/:id/ack":           {usersWith(404), rights{right.ConfigureWatchdogDefinitions}, `{}`, named("1")},
		"GET " + alertPath:                         {usersWith(200), rights{right.ViewWatchdog}, "", nil},
		"POST " + alertPath + "/:id/ack":           {usersWith(404), rights{right.ConfigureWatchdogDefinitions}, `{}`, named("1")},
		"POST " + alertPath + "/:id/silence":       {usersWith(404), rights{right.ConfigureWatchdogDefinitions}, `{}`, named("1")},
		"POST " + alertPath + "/:id/transfer":      {usersWith(404), rights{right.ConfigureWatchdogDefinitions}, `{"to":"crew"}`, named("1")},
		"POST " + alertPath + "/:id/useful":        {usersWith(404), rights{right.ConfigureWatchdogDefinitions}, `{"useful":false}`, named("1")},
		"GET " + loadPath:                          {usersWith(200), rights{right.ViewWatchdog}, "", nil},
		"GET " + waitPath:                          {usersWith(200), rights{right.ViewWatchdog}, "", nil},
		"GET " + definitionPath + "/:name/active":  {[7]int{401, 403, 404, 200, 404, 404, 200}, rights{right.ViewWatchdog}, "", madeBy("owner", definitionPath, `{"name":"inside N","type":"polygon",`+roads+`}`, "uid")},
		"GET " + streamPath:                        {usersWith(200), rights{right.ViewWatchdog}, "", nil},
		"POST " + definitionPath + "/:name/resume": {[7]int{401, 403, 404, 200, 404, 404, 200}, rights{right.ConfigureWatchdogDefinitions}, `{}`, madeBy("owner", definitionPath, `{"name":"resume N","type":"polygon",`+roads+`}`, "uid")},
		"POST " + testPath:                         {othersWith(400), rights{right.SendMail}, `{}`, nil},
		"GET " + testPath:                          {othersWith(200), rights{right.SendMail}, "", nil},
		"POST " + previewPath:                      {usersWith(200), rights{right.ConfigureWatchdogDefinitions}, `{"definition":{"type":"line"}}`, nil},
		"POST " + dryrunPath:                       {usersWith(400), rights{right.ConfigureWatchdogDefinitions, right.ViewHistory}, `{}`, nil},
		"GET " + dryrunPath + "/:id":               {usersWith(404), rights{right.ConfigureWatchdogDefinitions}, "", named("1")},
		"DELETE " + dryrunPath + "/:id":            {usersWith(404), rights{right.ConfigureWatchdogDefinitions}, "", named("1")},

		"POST " + statPath + "/:type":            {usersWith(200), reporter, heldCalls, nil},
		"POST " + statPath + "/:type/estimate":   {usersWith(200), reporter, heldCalls, nil},
		"GET " + statPath + "/:type/:id":         {[7]int{401, 403, 404, 200, 404, 404, 200}, reporter, "", counted},
		"GET " + statPath + "/:type/result/:id":  {[7]int{401, 403, 404, 202, 404, 404, 202}, reporter, "", counted},
		"GET " + statPath + "/:type/lateral/:id": {[7]int{401, 403, 404, 202, 404, 404, 202}, reporter, "", passed},
		"GET " + statPath + "/statistic":         {[7]int{401, 403, unseen, 200, unseen, unseen, 200}, reporter, "", counted},
		"GET " + statPath + "/statistic/:id":     {[7]int{401, 403, 404, 200, 404, 404, 200}, reporter, "", counted},
		"PUT " + statPath + "/statistic/:id":     {[7]int{401, 403, 404, 200, 404, 404, 200}, reporter, `{"execute":false}`, counted},
		"DELETE " + statPath + "/statistic/:id":  {[7]int{401, 403, 404, 204, 404, 404, 204}, reporter, "", counted},

		"GET " + wms.Path:       {othersWith(400), rights{right.ViewWMSLayers}, "", nil},
		"GET " + wms.Path + "/": {othersWith(400), rights{right.ViewWMSLayers}, "", nil},

		"GET " + ports.Path + "/list":     {usersWith(200), rights{right.ViewPort}, "", nil},
		"GET " + ports.Path + "/home":     {usersWith(200), rights{right.ViewPort}, "", nil},
		"GET " + ports.Path + "/info/:id": {usersWith(200), rights{right.ViewPort}, "", port},
		"GET " + visitsPath + "/:id":      {othersWith(200), rights{right.ViewPort, right.ViewHistory, right.ViewATAATD}, "", named("22781475")},
		"GET " + inPortPath:               {usersWith(200), rights{right.ViewPort, right.ViewHistory}, "", nil},
		"GET " + suggestionsPath + "/:id": {usersWith(200), rights{right.ViewPort}, "", named("22781475")},
		"GET " + arrivalsPath + "/:id":    {usersWith(200), rights{right.PCSAccess}, "", named("22781475")},

		"GET " + portPath:             {usersWith(200), rights{right.ViewPort}, "", nil},
		"GET " + portPath + "/:id":    {usersWith(200), rights{right.ViewPort}, "", port},
		"POST " + portPath:            {othersWith(200), rights{right.AdminPort}, `{"name":"New N","position":{"type":"Point","coordinates":[1,2]}}`, nil},
		"PUT " + portPath + "/:id":    {othersWith(200), rights{right.AdminPort}, `{"name":"Renamed N"}`, port},
		"DELETE " + portPath + "/:id": {othersWith(204), rights{right.AdminPort}, "", port},
	}
	for _, kept := range []struct {
		kind, body              string
		look, write, administer right.Name
	}{
		{"watchdog", `"type":"polygon",` + roads, right.ViewWatchdog, right.ConfigureWatchdogDefinitions, right.AdminWatchdogDefinitions},
		{"shiplist", `"ships":[{"mmsi":219018765}]`, right.ViewShiplist, right.ConfigureShipLists, right.AdminShipLists},
		{"shape", `"circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}`, right.WebOnlineAccess, right.AccessRemoteConfiguration, right.AdminShapes},
		{"filter", `"filter":"sog > 3"`, right.WebOnlineAccess, right.AccessRemoteConfiguration, right.AdminFilters},
	} {
		path := configPath + "/" + kept.kind
		if kept.kind == "watchdog" {
			path = definitionPath
		}
		look, write := rights{kept.look, kept.administer}, rights{kept.write, kept.administer}
		shared := madeBy("owner", path, `{"name":"own N","acl":["crew"],`+kept.body+`}`, "uid")
		table["POST "+path] = asked{usersWith(200), write, `{"name":"new N",` + kept.body + `}`, nil}
		table["GET "+path] = asked{[7]int{401, 403, 200, 200, 200, unseen, 200}, look, "", shared}
		table["GET "+path+"/:name"] = asked{[7]int{401, 403, 200, 200, 200, 404, 200}, look, "", shared}
		table["PUT "+path+"/:name"] = asked{[7]int{401, 403, 200, 200, 403, 404, 200}, write, `{` + kept.body + `}`, shared}
		table["DELETE "+path+"/:name"] = asked{[7]int{401, 403, 204, 204, 403, 404, 204}, write, "", shared}
	}
	return table
}

// invite makes the callers, a ship, and a thing that the owner shares.
func (s *site) invite() {
	s.t.Helper()
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.settle()
	s.post(groups, `{"name":"crew"}`).is(s.t, 200)
	owner := s.may("owner", keepers()...)
	for _, name := range []string{"without", "with", "member", "other"} {
		if _, err := s.users.Clone(owner, name); err != nil {
			s.t.Fatal(err)
		}
	}
	s.by("admin", "PUT", usersPath+"/member", `{"groups":["crew"]}`).is(s.t, 200)
	s.by("owner", "POST", selectPath, `{"owner":"bridge","ships":[{"mmsi":219018765}]}`).is(s.t, 200)
}

// TestATokenOpensWhatItsRightsOpen asks every route by tokens: one with all rights of its user is answered like the user, but for what is
// for persons alone; one without the right of the route is refused, though the user has it.
func TestATokenOpensWhatItsRightsOpen(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.settle()
	s.post(groups, `{"name":"crew"}`).is(t, 200)
	owner := s.may("owner", keepers()...)
	for _, name := range []string{"with", "other"} {
		if _, err := s.users.Clone(owner, name); err != nil {
			t.Fatal(err)
		}
	}
	s.by("owner", "POST", selectPath, `{"owner":"bridge","ships":[{"mmsi":219018765}]}`).is(t, 200)
	table, number := whoMayCallWhat(), 100
	for _, r := range (&Server{}).routeTable() {
		row := table[r.Method+" "+r.Path]
		s.allow("with", append(keepers(), row.rights...))
		with, _ := s.users.User("with")
		whole := with.Effective()
		for _, poorer := range []bool{false, true} {
			if poorer && (len(row.rights) == 0 || row.rights[0] == right.WebOnlineAccess || row.rights[0] == right.WebReportAccess) { // a program needs no such right
				continue
			}
			want, rights := row.statuses[2], whole
			if r.Personal && want != 401 {
				want = 403
			}
			if poorer {
				want, rights = row.statuses[1], slices.DeleteFunc(slices.Clone(whole), func(r right.Name) bool { return r == row.rights[0] })
			}
			number++
			thing := "x"
			if row.thing != nil {
				thing = row.thing(s, strconv.Itoa(number))
			}
			s.server.jobs.Forget(request.OwnerKey(with.UID))
			s.server.jobs.Forget(request.OwnerKey(owner.UID))
			id, text := s.token(with, "of this route", rights...)
			s.bearer = map[string]string{"with": text}
			if got := s.ask("with", r, row, thing, strconv.Itoa(number)); got != want {
				t.Errorf("%s %s, without its right %v: %d, want %d", r.Method, r.Path, poorer, got, want)
			}
			if err := s.users.Tokens().Revoke(with, id); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// ask returns the status of an answer, or unseen.
func (s *site) ask(name string, r request.Route, row asked, thing, number string) int {
	s.t.Helper()
	path := r.Path
	switch {
	case r.Path == trackPath && r.Method == "GET":
		path += "?id=" + thing
	case strings.HasPrefix(r.Path, usersPath+"/:name/sessions/"), strings.HasPrefix(r.Path, usersPath+"/:name/tokens/"):
		path = strings.Replace(path, ":name", "owner", 1)
	}
	ship := "219018765"
	if strings.HasPrefix(path, registerPath) {
		ship = thing
	}
	path = strings.NewReplacer(":type", "portcalls", ":mmsi", ship, ":querystring", "nordic", ":z", "0", ":x", "0", ":y", "0", ":name", thing, ":id", thing, ":owner", thing).
		Replace(path)
	a := s.by(name, r.Method, path, strings.ReplaceAll(row.body, "N", number))
	told := strings.Contains(string(a.body), `"`+thing+`"`) || strings.Contains(string(a.body), ":"+thing+",") // a name, a number
	if a.status == http.StatusOK && slices.Contains(row.statuses[:], unseen) && !told {
		return unseen
	}
	return a.status
}

// leaving is a caller of a live stream that leaves as soon as something has come.
type leaving struct {
	*httptest.ResponseRecorder
	leave func()
}

func (l leaving) Write(b []byte) (int, error) {
	defer l.leave()
	return l.ResponseRecorder.Write(b)
}

// begin asks for a live stream and leaves it when it has begun.
func (s *site) begin(path, first string, header ...string) answer {
	s.t.Helper()
	ctx, leave := context.WithTimeout(context.Background(), patience)
	defer leave()
	r := httptest.NewRequestWithContext(ctx, "GET", path, nil)
	for i := 0; i+1 < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	w := leaving{httptest.NewRecorder(), leave}
	s.server.Handler().ServeHTTP(w, r)
	a := answer{w.Code, w.Header(), w.Body.Bytes()}
	if begun := strings.Contains(string(a.body), first); begun != (a.status == http.StatusOK) {
		s.t.Errorf("%s: %d %s", path, a.status, a.body)
	}
	return a
}

// by asks in a new session of a user, which costs no password, and ends it; "" has no credentials.
func (s *site) by(name, method, path, body string) answer {
	s.t.Helper()
	send := func(header ...string) answer {
		switch path {
		case live.Path:
			return s.begin(path, "event: picture\ndata: ", header...)
		case streamPath:
			return s.begin(path, ": still here", header...)
		}
		return s.send(method, path, body, append(header, "Content-Type", "application/json")...)
	}
	if name == "" {
		return send()
	}
	if s.bearer[name] != "" {
		return send("Authorization", s.credentials(name))
	}
	user, _ := s.users.User(name)
	token, err := s.users.Sessions().Begin(user, "192.0.2.1")
	if err != nil {
		s.t.Fatal(err)
	}
	a := send("Cookie", request.PlainCookie+"="+token)
	if err := s.users.Sessions().SignOut(token); err != nil {
		s.t.Fatal(err)
	}
	return a
}

// allow gives a user these rights and no others.
func (s *site) allow(name string, rights []right.Name) {
	s.t.Helper()
	all := map[right.Name]right.Verdict{}
	for _, r := range rights {
		all[r] = right.Allow
	}
	if _, err := s.users.Change(name, func(u *access.User) error { u.Rights = all; return nil }); err != nil {
		s.t.Fatal(err)
	}
}

// TestAWebSessionIsNoMoreThanItsUser: signing in takes a right, and a session opens what the user may call.
func TestAWebSessionIsNoMoreThanItsUser(t *testing.T) {
	s := newSite(t)
	s.addUser("nobody")
	s.addUser("viewer", access.GroupViewer)
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
	s.send("GET", portserver+"/ship/search/x", "", "Cookie", request.PlainCookie+"=old").is(t, 200)
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
	files := fstest.MapFS{"index.html": {Data: []byte("<!doctype html><title>x</title>")}, "assets/index-abc123.js": {Data: []byte("let a")},
		"icon.svg": {Data: []byte("<svg/>")}}
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
