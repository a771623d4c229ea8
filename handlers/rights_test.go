package handlers

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/wms"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// TestEachRightOpensWhatItGates: for each right of a call, a user with all other rights is refused. The refusal names the right if the
// answer can. A user with all rights is answered.
func TestEachRightOpensWhatItGates(t *testing.T) {
	s := newSite(t, func(_ *Config, d *Deps) {
		d.Status.Feeds = func() []ais.FeedStatus { return []ais.FeedStatus{{Name: "roof", Tags: []string{"satellite"}}} }
	})
	s.hear(noon().Add(-time.Minute), position(nordic, 10.3, 56.14, 112, 1814))
	s.addUser("clerk")
	s.addUser("other")
	s.addUser("gone")
	s.addUser("proxy")
	circle := `"circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}`
	for _, prepared := range [][3]string{
		{"PUT", usersPath + "/proxy", `{"settings":{"user_type":"proxy"}}`},
		{"PUT", usersPath + "/clerk", `{"groups":[]}`},
		{"POST", configPath + "/shape", `{"name":"plain",` + circle + `}`},
		{"POST", configPath + "/shape", `{"name":"region","region":4,` + circle + `}`},
		{"POST", configPath + "/shiplist", `{"name":"list","ships":[]}`},
		{"POST", configPath + "/filter", `{"name":"fast","filter":"sog > 20"}`},
		{"POST", definitionPath, `{"name":"guard","type":"polygon",` + roads + `}`},
		{"POST", registerPath, `{"mmsi":211000001,"name":"entered"}`},
	} {
		s.call("admin", prepared[0], prepared[1], prepared[2]).is(t, 200)
	}
	track := trackPath + "?format=csv&id="
	for _, row := range []struct {
		right              right.Name
		method, path, body string
		without, with      int
	}{
		{right.AllowWebService, "GET", "/api/session", "", 403, 200},
		{right.WebOnlineAccess, "POST", "/api/session", `{"name":"clerk","password":"` + adminPassword + `"}`, 403, 200},
		{right.AccessRemoteConfiguration, "PUT", configPath + "/filter/fast", `{"filter":"sog > 21"}`, 403, 200},
		{right.AccessRemoteUserConfiguration, "GET", usersPath, "", 403, 200},
		{right.SystemConfigurationAccess, "GET", configPath + "/running", "", 403, 200},
		{right.UserConfigurationAccess, "GET", usersPath + "/other", "", 403, 200},
		{right.AddRemoveUsers, "DELETE", usersPath + "/gone", "", 403, 204},
		{right.ChangeUser, "PUT", usersPath + "/other", `{"description":"x"}`, 403, 200},
		{right.ResetPasswords, "PUT", usersPath + "/other", `{"password":"a completely new one"}`, 403, 200},
		{right.ChangeAccessRights, "PUT", usersPath + "/other", `{"access_rights":{"view_port":"deny"}}`, 403, 200},
		{right.ChangeSettings, "PUT", usersPath + "/other", `{"settings":{"priority":"low"}}`, 403, 200},
		{right.ChangeFilterSettings, "PUT", usersPath + "/other", `{"transmit_filter":{"message_types":[1]}}`, 403, 200},
		{right.ChangeProxyFilters, "PUT", usersPath + "/proxy", `{"receive_filter":{"message_types":[1]}}`, 403, 200},
		{right.AddRemoveAccessRightsGroups, "POST", groups, `{"name":"of rights","access_rights":{"view_port":"allow"}}`, 403, 200},
		{right.AddRemoveSettingsGroups, "POST", groups, `{"name":"of settings","settings":{"priority":"low"}}`, 403, 200},
		{right.AddRemoveFilterGroups, "POST", groups, `{"name":"of filters","receive_filter":{"delay":5}}`, 403, 200},
		{right.LockGroups, "POST", groups, `{"name":"of locks","locked":true}`, 403, 200},
		{right.AddRemoveMMSIEntries, "POST", registerPath, `{"name":"barge"}`, 403, 200},
		{right.ChangeMMSIEntries, "PUT", registerPath + "/211000001", `{"note":"x"}`, 403, 200},
		{right.AddRemoveAtoN, "POST", registerPath, `{"name":"buoy","class":"aton"}`, 403, 200},
		{right.AddRemoveVirtualAtoN, "POST", registerPath, `{"name":"mark","class":"aton","virtual":true}`, 403, 200},
		{right.AddRemoveRegion, "PUT", configPath + "/shape/plain", `{"region":7,` + circle + `}`, 403, 200},
		{right.ChangeRegion, "PUT", configPath + "/shape/region", `{"region":5,` + circle + `}`, 403, 200},
		{right.AdminShapes, "PUT", configPath + "/shape/plain", `{"color":"#ff0000",` + circle + `}`, 404, 200},
		{right.AdminShipLists, "PUT", configPath + "/shiplist/list", `{"ships":[]}`, 404, 200},
		{right.AdminFilters, "PUT", configPath + "/filter/fast", `{"filter":"sog > 22"}`, 404, 200},
		{right.ConfigureShipLists, "POST", configPath + "/shiplist", `{"name":"own","ships":[]}`, 403, 200},
		{right.ViewShiplist, "GET", configPath + "/shiplist", "", 403, 200},
		{right.ViewPort, "GET", configPath + "/shape/port/1", "", 403, 404},
		{right.ViewPort, "GET", portserver + "/port/list", "", 403, 200},
		{right.ViewPort, "GET", portserver + "/port/home", "", 403, 200},
		{right.ViewPort, "GET", portserver + "/port/info/1", "", 403, 404},
		{right.ViewPort, "GET", portserver + "/port/berths/1", "", 403, 404},
		{right.PCSAccess, "GET", portserver + "/port/arrivals/1", "", 403, 404},
		{right.ViewWMSLayers, "GET", wms.Path + "?service=WMS&request=GetCapabilities", "", 403, 200},
		{right.PCSAccess, "GET", shipTrackPath, "", 403, 200},
		{right.AddRemoveMMSIEntries, "POST", shipTrackPath, `{"source":{"ship":{"name":"NOT HEARD","create":true}},"destination":` + skagen + `}`, 403, 200},
		{right.ViewPort, "GET", visitsPath + "/22781475", "", 403, 200},
		{right.ViewHistory, "GET", visitsPath + "/22781475?open=true", "", 403, 200},
		{right.ViewATAATD, "GET", visitsPath + "/22781475", "", 403, 200},
		{right.ViewPort, "GET", inPortPath, "", 403, 200},
		{right.ViewHistory, "GET", inPortPath, "", 403, 200},
		{right.AdminPort, "POST", configPath + "/shape/port", `{}`, 403, 400},
		{right.ViewHistoricalTracks, "POST", trackPath, `{"mmsi":219018765}`, 403, 202},
		{right.ViewHistory, "POST", callsPath, `{"mmsi":219018765}`, 403, 200},
		{right.ViewHistory, "POST", tripsPath, `{"mmsi":219018765}`, 403, 200},
		{right.ViewHistory, "GET", changesPath + "/219018765", "", 403, 200},
		{right.ViewATAATD, "POST", callsPath, `{"mmsi":219018765,"begin":"2026-11-20"}`, 403, 200},
		{right.ViewATAATD, "PUT", callsPath + "/1", `{"confirmed":true}`, 403, 404},
		{right.ViewATAATD, "PUT", callsPath + "/1", `{"ata":null}`, 403, 404},
		{right.ViewATAATD, "DELETE", callsPath + "/1", "", 403, 404},
		{right.AckATAATD, "PUT", callsPath + "/1", `{"confirmed":true}`, 403, 404},
		{right.AdminATAATD, "PUT", callsPath + "/1", `{"ata":null}`, 403, 404},
		{right.AdminATAATD, "DELETE", callsPath + "/1", "", 403, 404},
		{right.ViewPredictedPosition, "POST", routePath + "/execute", aRoute, 403, 200},
		{right.ViewPredictedPosition, "GET", routePath + "/1", "", 403, 404},
		{right.DownloadHistoricalTracks, "GET", track + "1", "", 403, 404},
		{right.ViewSatellites, "GET", portserver + "/ship/position/219018765", "", 404, 200},
		{right.GetSystemStatusInformation, "GET", "/api/status", "", 403, 200},
		{right.MessageService, "GET", "/api/messages", "", 403, 200},
		{right.SendMessages, "POST", "/api/messages", `{"text":"FOG","broadcast":true}`, 403, 200},
		{right.ViewWatchdog, "GET", eventPath, "", 403, 200},
		{right.AddRemoveEvents, "POST", eventPath + "/manual", `{"message":"Fire at berth 4"}`, 403, 200},
		{right.AddRemoveEvents, "DELETE", eventPath + "/1", "", 403, 204},
		{right.ViewWatchdog, "POST", eventPath + "/manual", `{"message":"Fire at berth 4"}`, 403, 200},
		{right.ViewWatchdog, "DELETE", eventPath + "/2", "", 403, 204},
		{right.SendMail, "POST", testPath, `{}`, 403, 400},
		{right.SendMail, "GET", testPath, "", 403, 200},
		{right.ViewWatchdog, "GET", streamPath + "?after_id=x", "", 403, 400},
		{right.ViewWatchdog, "GET", alertPath, "", 403, 200},
		{right.ViewWatchdog, "GET", loadPath, "", 403, 200},
		{right.ConfigureWatchdogDefinitions, "POST", alertPath + "/1/ack", "", 403, 404},
		{right.AdminShapes, "POST", configPath + "/shape", `{"name":"north","sector":{"groups":["viewer"]},` + circle + `}`, 403, 200},
		{right.ConfigureWatchdogDefinitions, "POST", definitionPath, `{"name":"own","type":"polygon",` + roads + `}`, 403, 200},
		{right.ConfigureWatchdogDefinitions, "POST", dryrunPath, `{"definition":{"type":"polygon",` + roads + `},"from":"2026-11-19","to":"2026-11-20"}`, 403, 200},
		{right.ViewHistory, "POST", dryrunPath, `{"definition":{"type":"polygon",` + roads + `},"from":"2026-11-19","to":"2026-11-20"}`, 403, 200},
		{right.ConfigureWatchdogDefinitions, "GET", dryrunPath + "/1", "", 403, 404},
		{right.ViewATAATD, "POST", definitionPath, `{"name":"of a port","type":"port","port":"DKAAR"}`, 403, 200},
		{right.AdminWatchdogDefinitions, "PUT", definitionPath + "/guard", `{"severity":"alert"}`, 404, 200},
		{right.ConfigureWatchdogDefinitions, "POST", "/api/distress/acknowledge", `{"mmsi":[972123456]}`, 403, 404},
	} {
		for _, has := range []bool{false, true} {
			s.allowAllBut("clerk", row.right, has)
			a := s.call("clerk", row.method, row.path, row.body)
			switch {
			case has && a.status != row.with:
				t.Errorf("%s: with it %s %s answers %d, want %d: %s", row.right, row.method, row.path, a.status, row.with, a.body)
			case !has && a.status != row.without:
				t.Errorf("%s: without it %s %s answers %d, want %d: %s", row.right, row.method, row.path, a.status, row.without, a.body)
			case !has && a.status == http.StatusForbidden && !strings.Contains(string(a.body), string(row.right)):
				t.Errorf("%s is not named: %s", row.right, a.body)
			}
		}
	}
}

// allowAllBut gives a user all rights, or all but one.
func (s *site) allowAllBut(name string, missing right.Name, has bool) {
	s.t.Helper()
	all := map[right.Name]right.Verdict{}
	for _, r := range right.All() {
		all[r] = right.Allow
	}
	if !has {
		delete(all, missing)
	}
	if _, err := s.users.Change(name, func(u *access.User) error { u.Rights = maps.Clone(all); return nil }); err != nil {
		s.t.Fatal(err)
	}
}

// TestSharingTakesARight: a user that names others in an access list needs share_* or admin_* of the kind.
func TestSharingTakesARight(t *testing.T) {
	s := newSite(t)
	for _, row := range []struct {
		kind, body   string
		share, admin right.Name
	}{
		{"shiplist", `"ships":[]`, right.ShareShipLists, right.AdminShipLists},
		{"shape", `"circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}`, right.ShareShapes, right.AdminShapes},
		{"filter", `"filter":"sog > 3"`, right.ShareFilters, right.AdminFilters},
		{"watchdog", `"type":"polygon",` + roads, right.ShareWatchdogs, right.AdminWatchdogDefinitions},
	} {
		rights := []right.Name{right.ConfigureShipLists, right.ViewShiplist, right.ConfigureWatchdogDefinitions}
		s.may("nobody-"+row.kind, rights...)
		s.may("sharer-"+row.kind, append(rights, row.share)...)
		s.may("keeper-"+row.kind, append(rights, row.admin)...)
		for who, want := range map[string]int{"nobody-": 403, "sharer-": 200, "keeper-": 200} {
			path := configPath + "/" + row.kind
			if row.kind == "watchdog" {
				path = definitionPath
			}
			a := s.call(who+row.kind, "POST", path, `{"name":"`+who+`","acl":["viewer"],`+row.body+`}`)
			if a.status != want || want == 403 && !strings.Contains(string(a.body), string(row.share)) {
				t.Errorf("%s%s: %d, want %d: %s", who, row.kind, a.status, want, a.body)
			}
		}
	}
}
