package handlers

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/settings"
	"quaywatch/users"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// call asks as a user, from another machine.
func (s *site) call(user, method, path, body string) answer {
	s.t.Helper()
	return s.send(method, path, body, "Authorization", s.credentials(user), "Content-Type", "application/json")
}

// credentials returns the header of a user's token where the test gave it one, else of its password.
func (s *site) credentials(user string) string {
	if text, ok := s.bearer[user]; ok {
		return "Bearer " + text
	}
	return basic(user, adminPassword)
}

// may makes a user with these rights and allow_web_service, and may configure from afar.
func (s *site) may(name string, rights ...right.Name) *access.User {
	s.t.Helper()
	all := map[right.Name]right.Verdict{right.AllowWebService: right.Allow, right.AccessRemoteConfiguration: right.Allow,
		right.AccessRemoteUserConfiguration: right.Allow}
	for _, r := range rights {
		all[r] = right.Allow
	}
	user, err := s.users.Create(access.User{Name: name, Profile: access.Profile{Rights: all}}, adminPassword)
	if err != nil {
		s.t.Fatal(err)
	}
	return user
}

// The paths of the configuration.
const configPath, portPath, sessionsPath = settings.Path, settings.PortPath, settings.SessionsPath

const usersPath, groups = configPath + "/user", configPath + "/group"

func TestUserLife(t *testing.T) {
	s := newSite(t)
	s.post(configPath+"/shape", `{"name":"Outer","circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}}`).is(t, 200)
	body := `{"name":"anna","password":"` + adminPassword +
		`","common_name":"Anna","groups":["Viewer"],"access_rights":{"view_port":"deny","add_remove_aton":"","of_tomorrow":"allow"},
		"settings":{"user_type":"user","lss_group":"pilots","of_tomorrow":{"a":[1]}},"receive_filter":{"areas":["outer"]},"direct_access":{"enabled":true,"hosts":["10.0.0.9"]},
		"expiration_time":"2026-12-01","period_before_expire":30,"uid":"ignored"}`
	uid := s.post(usersPath, body).is(t, 200).json(t)["uid"].(string)
	s.post(usersPath, strings.Replace(body, "anna", "ANNA", 1)).is(t, 409, "name_taken")
	for _, path := range []string{usersPath + "/anna", usersPath + "/" + uid, usersPath + "/Anna"} {
		a := s.get(path).is(t, 200)
		u := a.json(t)
		area := u["receive_filter"].(map[string]any)["areas"].([]any)[0].(map[string]any)
		if u["uid"] != uid || area["name"] != "Outer" || area["uid"] == "" || u["groups"].([]any)[0].(map[string]any)["name"] != "viewer" ||
			u["warn"] != "expires_soon" {
			t.Errorf("%s", a.body)
		}
		if strings.Contains(string(a.body), "argon2") || strings.Contains(string(a.body), "password") ||
			!strings.Contains(string(a.body), `"of_tomorrow":{"a":[1]}`) {
			t.Errorf("secrets or lost keys: %s", a.body)
		}
	}
	changed := s.call("admin", "PUT", usersPath+"/anna", `{"description":"pilot","settings":{"lss_group":null},"access_rights":{"view_port":""}}`).is(t, 200).json(t)
	if changed["description"] != "pilot" || changed["common_name"] != "Anna" || changed["settings"].(map[string]any)["lss_group"] != nil {
		t.Errorf("%v", changed)
	}
	for _, wrong := range []string{`{"settings":{"user_type":"king"}}`, `{"access_rights":{"view_port":"maybe"}}`, `{"groups":["nobody's"]}`,
		`{"receive_filter":{"areas":["none"]}}`, `{"name":"a b"}`, `{"password":"short"}`, `{"disabled":"no"}`} {
		s.call("admin", "PUT", usersPath+"/anna", wrong).is(t, 400, "bad_request")
	}
	clone := s.post(usersPath+"/anna/clone", `{"name":"bert"}`).is(t, 200).json(t)
	if u := s.get(usersPath+"/"+clone["uid"].(string)).is(t, 200).json(t); len(u["direct_access"].(map[string]any)["hosts"].([]any)) != 0 ||
		u["common_name"] != "Anna" {
		t.Errorf("the clone: %v", u)
	}
	s.call("bert", "GET", "/api/session", "").is(t, 200) // with the password of anna
	s.call("admin", "PUT", usersPath+"/anna", `{"name":"anne"}`).is(t, 200)
	s.call("anna", "GET", "/api/session", "").is(t, 401)
	s.call("admin", "DELETE", usersPath+"/"+uid, "").is(t, 204)
	s.get(usersPath+"/anne").is(t, 404, "not_found")
	s.call("admin", "DELETE", usersPath+"/admin", "").is(t, 409, "conflict")
	if n := len(recordsOf(t, s.get(usersPath))); n != 2 {
		t.Errorf("%d users are left", n)
	}
	s.restart()
	s.call("bert", "GET", "/api/session", "").is(t, 200)
}

func TestNobodyGivesOrTakesWhatTheyHaveNot(t *testing.T) {
	s := newSite(t)
	s.may("clerk", right.AddRemoveUsers, right.ChangeUser, right.UserConfigurationAccess, right.ResetPasswords, right.ChangeAccessRights)
	s.addUser("viewer", access.GroupViewer)
	for _, row := range []struct{ method, path, body string }{
		{"POST", usersPath, `{"name":"mole","password":"` + adminPassword + `","groups":["admin"]}`},
		{"POST", usersPath, `{"name":"mole","password":"` + adminPassword + `","access_rights":{"lock_groups":"allow"}}`},
		{"PUT", usersPath + "/clerk", `{"access_rights":{"lock_groups":"allow"}}`},
		{"PUT", usersPath + "/clerk", `{"groups":["admin"]}`},
		{"PUT", usersPath + "/admin", `{"password":"` + adminPassword + `"}`},
		{"PUT", usersPath + "/admin", `{"disabled":true}`},
		{"POST", usersPath + "/admin/clone", `{"name":"mole"}`},
		{"DELETE", usersPath + "/admin", ``},
		{"PUT", groups, `{"name":"viewer","access_rights":{"lock_groups":"allow"}}`},
	} {
		s.call("clerk", row.method, row.path, row.body).is(t, 403, "forbidden")
	}
	s.call("viewer", "PUT", usersPath+"/viewer", `{"common_name":"V","email":"v@port"}`).is(t, 200)
	s.call("viewer", "PUT", usersPath+"/viewer", `{"description":"x"}`).is(t, 403)
	s.call("viewer", "PUT", usersPath+"/viewer", `{"expiration_time":null}`).is(t, 403)
	s.call("viewer", "GET", usersPath+"/clerk", "").is(t, 403)
	s.call("viewer", "PUT", usersPath+"/viewer", `{"password":"a completely new one"}`).is(t, 200)
	s.call("viewer", "GET", "/api/session", "").is(t, 401)
}

// A right that one group denies may come from another, so that the denial is as good as the right.
func TestNobodyLiftsADenialOfWhatTheyHaveNot(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"crew","access_rights":{"reset_passwords":"allow","of_tomorrow":"allow"}}`).is(t, 200)
	s.post(groups, `{"name":"restricted","access_rights":{"reset_passwords":"deny","of_tomorrow":"deny"}}`).is(t, 200)
	s.post(groups, `{"name":"strict","access_rights":{"reset_passwords":"deny"}}`).is(t, 200)
	s.post(groups, `{"name":"free"}`).is(t, 200)
	s.may("clerk", right.ChangeAccessRights, right.ChangeUser, right.UserConfigurationAccess)
	s.call("admin", "PUT", usersPath+"/clerk", `{"groups":["crew","restricted"]}`).is(t, 200)
	for _, verdict := range []string{"", "allow"} {
		s.call("clerk", "PUT", groups+"/restricted", `{"access_rights":{"reset_passwords":"`+verdict+`"}}`).is(t, 403, "forbidden")
	}
	s.call("clerk", "POST", groups+"/restricted/reassign", `{"name":"free"}`).is(t, 403, "forbidden")
	s.call("clerk", "PUT", usersPath+"/clerk", `{"groups":["crew"]}`).is(t, 403, "forbidden")
	s.call("clerk", "POST", groups+"/restricted/reassign", `{"name":"strict"}`).is(t, 200)
	s.call("clerk", "PUT", groups+"/restricted", `{"access_rights":{"view_port":"deny"}}`).is(t, 200)
	s.call("admin", "PUT", groups+"/restricted", `{"access_rights":{"reset_passwords":"","of_tomorrow":""}}`).is(t, 200)
	s.call("admin", "POST", groups+"/strict/reassign", `{"name":"free"}`).is(t, 200)
}

// TestFiltersAreNotChangedByDetours: nobody else can take a name that the expression of a filter says. The filters of another user are not
// changed by making it a proxy.
func TestFiltersAreNotChangedByDetours(t *testing.T) {
	s := newSite(t)
	s.post(configPath+"/shiplist", `{"name":"Tugs","ships":[]}`).is(t, 200)
	s.addUser("anna", access.GroupViewer)
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":"not shiplist = \"tugs\""}}`).is(t, 200)
	s.call("admin", "DELETE", configPath+"/shiplist/tugs", "").is(t, 409, "conflict")
	s.call("admin", "PUT", configPath+"/shiplist/tugs", `{"name":"Other","ships":[]}`).is(t, 409, "conflict")
	s.call("admin", "PUT", configPath+"/shiplist/tugs", `{"name":"TUGS","ships":[{"mmsi":219018765}]}`).is(t, 200)
	s.may("clerk", append(access.Anonymous().Effective(), right.UserConfigurationAccess, right.ChangeSettings, right.ChangeProxyFilters)...)
	s.call("clerk", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":null}}`).is(t, 403, "forbidden")
	s.call("clerk", "PUT", usersPath+"/anna", `{"settings":{"user_type":"proxy"}}`).is(t, 403, "forbidden")
	s.call("clerk", "PUT", usersPath+"/anna", `{"settings":{"user_type":"client"}}`).is(t, 200)
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"expression":null}}`).is(t, 200)
	s.call("admin", "DELETE", configPath+"/shiplist/tugs", "").is(t, 204)
}

// A user that does not see everything cannot make or take over a user that sees more, unless it may change filters.
func TestNobodyIsShownWhatIsHiddenFromTheCaller(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"danes","receive_filter":{"countries":[219]}}`).is(t, 200)
	s.post(groups, `{"name":"all"}`).is(t, 200)
	s.addUser("anna", access.GroupViewer)
	s.addUser("dane", "danes")
	clerk := append(access.Anonymous().Effective(), right.AddRemoveUsers, right.ChangeUser, right.ResetPasswords, right.UserConfigurationAccess)
	s.may("clerk", clerk...)
	s.call("admin", "PUT", usersPath+"/clerk", `{"groups":["danes"]}`).is(t, 200)
	for _, row := range []struct{ method, path, body string }{
		{"POST", usersPath, `{"name":"mole","password":"` + adminPassword + `"}`},
		{"POST", usersPath + "/anna/clone", `{"name":"mole"}`},
		{"PUT", usersPath + "/anna", `{"password":"a completely new one"}`},
		{"PUT", usersPath + "/dane", `{"groups":[]}`},
		{"PUT", usersPath + "/clerk", `{"groups":["all"]}`},
		{"POST", groups + "/danes/reassign", `{"name":"all"}`},
	} {
		detail := s.call("clerk", row.method, row.path, row.body).is(t, 403, "forbidden").json(t)["detail"].(string)
		if !strings.Contains(detail, "change_filter_settings") {
			t.Errorf("%s %s: %v", row.method, row.path, detail)
		}
	}
	s.call("clerk", "POST", usersPath, `{"name":"mate","password":"`+adminPassword+`","groups":["danes","all"]}`).is(t, 200)
	s.call("clerk", "PUT", usersPath+"/dane", `{"groups":["all","danes"]}`).is(t, 200)
	s.call("clerk", "PUT", usersPath+"/clerk", `{"common_name":"C"}`).is(t, 200)
	s.may("chief", append(clerk, right.ChangeFilterSettings)...)
	s.call("admin", "PUT", usersPath+"/chief", `{"groups":["danes"]}`).is(t, 200)
	s.call("chief", "PUT", usersPath+"/dane", `{"groups":[]}`).is(t, 200)
}

// Only a user that may lock groups can add members to a locked group or remove them, in every way.
func TestMembersOfLockedGroups(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"crew","locked":true}`).is(t, 200)
	s.addUser("anna", "crew")
	clerk := []right.Name{right.AddRemoveUsers, right.ChangeUser, right.UserConfigurationAccess}
	s.may("clerk", clerk...)
	s.may("chief", append(clerk, right.LockGroups)...)
	for _, row := range []struct{ method, path, body string }{
		{"POST", usersPath + "/anna/clone", `{"name":"bert"}`},
		{"PUT", usersPath + "/anna", `{"groups":[]}`},
		{"DELETE", usersPath + "/anna", ``},
	} {
		s.call("clerk", row.method, row.path, row.body).is(t, 403, "forbidden")
	}
	s.call("chief", "POST", usersPath+"/anna/clone", `{"name":"bert"}`).is(t, 200)
	s.call("chief", "DELETE", usersPath+"/bert", "").is(t, 204)
}

// Whoever may not write something does not learn from the answer what there is to name.
func TestRefusalsTellNoNames(t *testing.T) {
	s := newSite(t)
	s.post(configPath+"/shape", `{"name":"there","circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}}`).is(t, 200)
	s.post(groups, `{"name":"there"}`).is(t, 200)
	s.may("nobody")
	for _, row := range []struct{ method, path, body string }{
		{"PUT", usersPath + "/nobody", `{"receive_filter":{"areas":["%s"]}}`},
		{"PUT", usersPath + "/nobody", `{"receive_filter":{"expression":"pos within shape(\"%s\")"}}`},
		{"PUT", usersPath + "/nobody", `{"groups":["%s"]}`},
		{"POST", configPath + "/filter", `{"name":"f","filter":"class = A","acl":["%s"]}`},
	} {
		is := s.call("nobody", row.method, row.path, fmt.Sprintf(row.body, "there")).is(t, 403, "forbidden")
		not := s.call("nobody", row.method, row.path, fmt.Sprintf(row.body, "not there")).is(t, 403, "forbidden")
		if string(is.body) != string(not.body) {
			t.Errorf("%s tells %s from %s", row.body, is.body, not.body)
		}
	}
}

func TestGroups(t *testing.T) {
	s := newSite(t)
	s.addUser("anna", "viewer")
	made := s.call("admin", "PUT", groups, `{"name":"Pilots","access_rights":{"message_service":"allow"},"settings":{"web_max_lookback_time":48}}`).is(t, 200)
	if read := s.get(groups+"/pilots").is(t, 200); string(made.body) != string(read.body) {
		t.Errorf("PUT makes %s, and GET gives %s", made.body, read.body)
	}
	s.call("admin", "PUT", groups, `{"name":" pilots ","description":"of the port","locked":true}`).is(t, 200)
	s.post(groups, `{"name":"PILOTS"}`).is(t, 409, "name_taken")
	s.call("admin", "PUT", usersPath+"/anna", `{"groups":["pilots","viewer"]}`).is(t, 200)
	g := s.get(groups+"/pilots").is(t, 200).json(t)
	if g["locked"] != true || g["description"] != "of the port" || len(g["members"].([]any)) != 1 ||
		g["access_rights"].(map[string]any)["message_service"] != "allow" {
		t.Errorf("%v", g)
	}
	s.may("clerk", append(right.All()[:0:0], right.ChangeUser, right.UserConfigurationAccess, right.MessageService, right.WebOnlineAccess)...)
	s.call("clerk", "PUT", groups+"/pilots", `{"description":"x"}`).is(t, 403, "forbidden") // locked
	s.post(groups+"/pilots/clone", `{"name":"Tug crews"}`).is(t, 200)
	if clone := s.get(groups+"/tug%20crews").is(t, 200).json(t); clone["description"] != "of the port" || len(clone["members"].([]any)) != 0 {
		t.Errorf("the clone: %v", clone)
	}
	s.post(groups+"/pilots/clone", `{"name":"viewer"}`).is(t, 409, "name_taken")
	s.call("admin", "DELETE", groups+"/tug%20crews", "").is(t, 204)
	s.call("admin", "DELETE", groups+"/pilots", "").is(t, 409, "conflict")
	s.call("admin", "PUT", usersPath+"/anna", `{"groups":[]}`).is(t, 200)
	s.call("anna", "GET", "/api/session", "").is(t, 403)
	s.call("admin", "DELETE", groups+"/pilots", "").is(t, 204)
	s.call("admin", "DELETE", groups+"/admin", "").is(t, 409, "conflict")
	if n := len(recordsOf(t, s.get(groups))); n != 3 {
		t.Errorf("%d groups", n)
	}
}

func TestConfigurationFromThisMachineAlone(t *testing.T) {
	s := newSite(t)
	s.addUser("operator", access.GroupOperator)
	if _, err := s.users.Change("operator", func(u *access.User) error {
		u.Rights = map[right.Name]right.Verdict{right.AccessRemoteConfiguration: right.Deny}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	s.call("operator", "POST", configPath+"/filter", `{"name":"a","filter":"sog > 1"}`).is(t, 403, "forbidden")
}

func TestWhatUsersKeep(t *testing.T) {
	circle := `"circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}`
	for kind, body := range map[string]string{
		"shiplist": `"max":2,"ships":[{"mmsi":219018765},{"name":"ANNA"}]`, "shape": circle, "filter": `"filter":"sog > 3"`,
	} {
		t.Run(kind, func(t *testing.T) {
			s := newSite(t)
			path := configPath + "/" + kind
			rights := []right.Name{right.ViewShiplist, right.ConfigureShipLists}
			s.may("owner", append(rights, right.Name("share_"+kind+"s"))...)
			s.may("other", rights...)
			s.addUser("member", access.GroupOperator)
			s.may("lonely", rights...)
			uid := s.call("owner", "POST", path, `{"name":"My  Own","acl":["operator"],`+body+`}`).is(t, 200).json(t)["uid"].(string)
			for who, want := range map[string][3]int{"owner": {200, 200, 204}, "member": {200, 200, 204}, "other": {404, 404, 404}, "admin": {200, 200, 204}} {
				if who == "member" { // the operators have the admin right too; take it away to be a mere reader
					if _, err := s.users.Change(who, func(u *access.User) error {
						u.Rights = map[right.Name]right.Verdict{right.Name("admin_" + kind + "s"): right.Deny}
						return nil
					}); err != nil {
						t.Fatal(err)
					}
					want = [3]int{200, 403, 403}
				}
				s.call(who, "GET", path+"/my%20own", "").is(t, want[0])
				s.call(who, "GET", path+"/"+uid, "").is(t, want[0])
				if seen := len(recordsOf(t, s.call(who, "GET", path, ""))); (seen == 1) != (want[0] == 200) {
					t.Errorf("%s sees %d", who, seen)
				}
				s.call(who, "PUT", path+"/"+uid, `{`+body+`}`).is(t, want[1])
				if want[2] != 204 {
					s.call(who, "DELETE", path+"/"+uid, "").is(t, want[2])
				}
			}
			for _, text := range []string{"falsch", "0", "banana", "1", "%20false"} {
				errs := s.call("owner", "GET", path+"?full="+text, "").is(t, 400, "bad_request").json(t)["errors"].([]any)
				if len(errs) != 1 || errs[0].(map[string]any)["parameter"] != "full" {
					t.Errorf("full=%s: %v", text, errs)
				}
			}
			if whole, same := s.call("owner", "GET", path+"?full=true", "").is(t, 200), s.call("owner", "GET", path, ""); string(whole.body) != string(same.body) {
				t.Errorf("full=true gives %s", whole.body)
			}
			if names := s.call("owner", "GET", path+"?full=false", "").body; string(names) != `{"records":[{"name":"My Own"}]}` {
				t.Errorf("names alone: %s", names)
			}
			s.call("lonely", "POST", path, `{"name":"x","acl":["owner"],`+body+`}`).is(t, 403, "forbidden")
			s.call("lonely", "POST", path, `{"name":"x","acl":["lonely"],`+body+`}`).is(t, 200)
			s.call("lonely", "POST", path, `{"name":"MY OWN",`+body+`}`).is(t, 409, "name_taken")
			s.call("owner", "POST", path, `{"name":"y","acl":["nobody at all"],`+body+`}`).is(t, 400)
			s.call("owner", "POST", path, `{`+body+`}`).is(t, 400)
			n := s.post(usersPath+"/owner/reassign", `{"name":"other"}`).is(t, 200).json(t)["reassigned"].(map[string]any)
			if n[kind+"s"] != 1.0 {
				t.Errorf("reassigned %v", n)
			}
			s.restart()
			a := s.call("other", "GET", path+"/"+uid, "").is(t, 200).json(t)
			if a["owner"].(map[string]any)["name"] != "other" || a["acl"].([]any)[0].(map[string]any)["name"] != "operator" {
				t.Errorf("%v", a)
			}
			s.call("owner", "GET", path+"/"+uid, "").is(t, 404)
			s.call("other", "DELETE", path+"/"+uid, "").is(t, 204)
		})
	}
}

func TestBodiesThatAreRefused(t *testing.T) {
	s := newSite(t)
	for _, row := range []struct {
		kind, body, code string
		status           int
	}{
		{"shiplist", `{"name":"a","max":1,"ships":[{"mmsi":1},{"mmsi":2}]}`, "limit_reached", 409},
		{"shiplist", `{"name":"a","ships":[{}]}`, "bad_request", 400}, {"shiplist", `{"name":"a","ships":[1]}`, "bad_request", 400},
		{"shiplist", `{"name":"a"}`, "bad_request", 400}, {"shiplist", `{"name":"  ","ships":[]}`, "bad_request", 400},
		{"shape", `{"name":"a"}`, "bad_request", 400}, {"shape", `{"name":"a","line":` + harbour + `}`, "bad_request", 400},
		{"shape", `{"name":"a","polygon":{"type":"Polygon","coordinates":[[[0,0],[1,1]]]}}`, "bad_request", 400},
		{"shape", `{"name":"a","circle":{"center":{"type":"Point","coordinates":[10,96]},"radius":5}}`, "bad_request", 400},
		{"shape", `{"name":"a","circle":{"center":{"type":"Point","coordinates":[10,56]},"radius":-5}}`, "bad_request", 400},
		{"shape", `{"name":"a","type":"line","polygon":` + harbour + `}`, "bad_request", 400},
		{"filter", `{"name":"a","filter":"spede > 3"}`, "filter_syntax", 400}, {"filter", `{"name":"a","filter":"shiplist = nowhere"}`, "filter_syntax", 400},
		{"filter", `{"name":"a"}`, "bad_request", 400},
	} {
		s.post(configPath+"/"+row.kind, row.body).is(t, row.status, row.code)
	}
	made := s.post(configPath+"/shape", `{"name":"harbour","region":4,"color":"#ff0000","polygon":`+harbour+`}`).is(t, 200).json(t)
	if a := s.get(configPath+fmt.Sprintf("/shape/%v", made["id"])).is(t, 200).json(t); a["uid"] != made["uid"] || a["type"] != "polygon" || a["region"] != 4.0 {
		t.Errorf("by number: %v", a)
	}
	s.call("admin", "PUT", usersPath+"/admin", `{"receive_filter":{"regions":["harbour"]}}`).is(t, 200)
	s.call("admin", "DELETE", configPath+"/shape/harbour", "").is(t, 409, "conflict")
	s.call("admin", "PUT", usersPath+"/admin", `{"receive_filter":{"regions":null}}`).is(t, 200)
	s.may("clerk", right.AdminShapes)
	s.call("clerk", "DELETE", configPath+"/shape/harbour", "").is(t, 403, "forbidden") // a region
	s.call("admin", "DELETE", configPath+"/shape/harbour", "").is(t, 204)
}

// TestTheAuditLogHidesWhatIsHidden: whom something is hidden from learns of the acts of others, not what they were done to.
func TestTheAuditLogHidesWhatIsHidden(t *testing.T) {
	s := newSite(t)
	s.may("clerk", right.GetSystemStatusInformation, right.AdminShapes)
	s.call("admin", "POST", configPath+"/shiplist", `{"name":"smugglers","ships":[{"mmsi":219000101}]}`).is(t, 200)
	s.call("clerk", "POST", configPath+"/shape", `{"name":"mine","type":"polygon","polygon":{"type":"Polygon","coordinates":[[[10,56],[11,56],[11,57],[10,56]]]}}`).is(t, 200)
	read := func() (told []string) {
		for _, r := range recordsOf(t, s.call("clerk", "GET", "/api/audit?kind=changes", "").is(t, 200)) {
			told = append(told, fmt.Sprint(r["user"], " ", r["action"], " ", r["object"], " ", r["detail"]))
		}
		return told
	}
	own, whole, cut := "clerk POST shape mine name, polygon, type", "admin POST shiplist smugglers name, ships", "admin POST shiplist <nil> <nil>"
	if told := read(); !slices.Contains(told, own) || !slices.Contains(told, whole) {
		t.Errorf("without a filter: %q", told)
	}
	s.setFilter("clerk", `{"expression":"type = tanker"}`)
	if told := read(); !slices.Contains(told, own) || slices.Contains(told, whole) || !slices.Contains(told, cut) {
		t.Errorf("with a filter: %q", told)
	}
}

func TestAuditTellsEachAct(t *testing.T) {
	s := newSite(t)
	s.may("clerk", right.UserConfigurationAccess)
	anna := s.post(usersPath, `{"name":"anna","password":"a secret of thirteen"}`).is(t, 200).json(t)
	s.call("admin", "PUT", usersPath+"/"+fmt.Sprint(anna["uid"]), `{"phone":"1"}`).is(t, 200) // the log has the name
	s.call("clerk", "DELETE", usersPath+"/anna", "").is(t, 403)
	s.call("anna", "GET", "/api/session", "").is(t, 401)
	s.signIn("admin", adminPassword)
	a := s.get("/api/audit").is(t, 200)
	var told []string
	for _, r := range recordsOf(t, a) {
		told = append(told, fmt.Sprint(r["user"], " ", r["action"], " ", r["object"], " ", r["result"], " ", r["address"]))
	}
	want := "admin sign-in <nil> ok 192.0.2.1\nanna sign-in <nil> failed 192.0.2.1\nclerk DELETE user anna denied 192.0.2.1\nadmin PUT user anna ok 192.0.2.1\nadmin POST user anna ok 192.0.2.1"
	if got := strings.Join(told, "\n"); got != want {
		t.Errorf("the log says\n%s\nwant\n%s", got, want)
	}
	if strings.Contains(string(a.body), "thirteen") || strings.Contains(string(a.body), adminPassword) {
		t.Error("the log holds a password")
	}
	if n := len(recordsOf(t, s.get("/api/audit?user=CLERK&from=2026-11-20&to=2026-11-21"))); n != 1 {
		t.Errorf("%d events of the clerk", n)
	}
	if latest := recordsOf(t, s.get("/api/audit?limit=1")); len(latest) != 1 || latest[0]["action"] != "sign-in" {
		t.Errorf("the latest: %v", latest)
	}
	for kind, want := range map[string]int{"changes": 2, "refusals": 2, "sign-ins": 1} {
		if n := len(recordsOf(t, s.get("/api/audit?kind="+kind).is(t, 200))); n != want {
			t.Errorf("%s: %d events", kind, n)
		}
	}
	page := s.get("/api/audit?limit=3").is(t, 200).json(t)
	if rest := s.get(fmt.Sprint("/api/audit?limit=3&before=", page["next"])).is(t, 200).json(t); len(rest["records"].([]any)) != 2 || rest["next"] != nil {
		t.Errorf("the page behind %v: %v", page, rest)
	}
	for _, wrong := range []string{"from=x", "to=x", "limit=x", "limit=0", "limit=10001", "kind=x", "before=x"} {
		s.get("/api/audit?"+wrong).is(t, 400, "bad_request")
	}
}

func TestUserTypes(t *testing.T) {
	s := newSite(t)
	for kind, want := range map[string][2]int{"user": {200, 200}, "client": {200, 403}, "proxy": {403, 403}} {
		s.addUser(kind, access.GroupViewer)
		s.call("admin", "PUT", usersPath+"/"+kind, `{"settings":{"user_type":"`+kind+`"}}`).is(t, 200)
		s.call(kind, "GET", "/api/session", "").is(t, want[0])
		s.send("POST", "/api/session", `{"name":"`+kind+`","password":"`+adminPassword+`"}`, "Content-Type", "application/json").is(t, want[1])
	}
}

// TestSizeInTheRegister: a length or width says the same as both its dimensions, at each door, and what is written later too.
func TestSizeInTheRegister(t *testing.T) {
	s := newSite(t)
	for body, detail := range map[string]string{
		`{"name":"x","dim_a":10,"dim_b":20,"length":99}`: "/length must be dim_a and dim_b together, which is 30, or be left out",
		`{"name":"x","dim_c":5,"dim_d":6,"width":10}`:    "/width must be dim_c and dim_d together, which is 11, or be left out",
	} {
		if got := s.post(registerPath, body).is(t, 400, "bad_request").json(t)["detail"]; got != detail {
			t.Errorf("%s: %q", body, got)
		}
	}
	s.post(registerPath, `{"name":"x","dim_a":10,"dim_b":20,"length":30,"dim_c":4,"width":9}`).is(t, 200)
	s.call("admin", "PUT", registerPath+"/9900000001", `{"dim_a":15}`).is(t, 400)
	s.call("admin", "PUT", registerPath+"/9900000001", `{"dim_a":15,"length":0}`).is(t, 200)
	if got := s.get(registerPath+"/9900000001").is(t, 200).json(t); got["length"] != 35.0 || got["width"] != 9.0 {
		t.Errorf("%v", got)
	}
}

func TestRegisterLife(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	barge := s.post(registerPath, `{"name":"Barge 7","length":40,"dwt":900,"gt":300,"displacement":1200.5,"note":"no transponder","position":{"type":"Point","coordinates":[10.25,56.15]}}`).is(t, 200).json(t)
	if barge["mmsi"] != 9900000001.0 {
		t.Errorf("%v", barge)
	}
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814)) // the picture takes what was entered
	s.get(portserver+"/ship/position/9900000001").is(t, 200)
	if found := recordsOf(t, s.get(portserver+"/ship/search/barge")); len(found) != 1 || found[0]["source"] != "register" || found[0]["dwt"] != 900.0 ||
		found[0]["note"] != "no transponder" {
		t.Errorf("%v", found)
	}
	s.post(registerPath, `{"mmsi":219018765,"imo":9321483,"draught":9.3,"dwt":11200,"name":"Other name"}`).is(t, 200)
	for body, detail := range map[string]string{`{"mmsi":219018765}`: "/mmsi is that of another entry", `{"name":"Other","imo":9321483}`: "/imo is that of another entry"} {
		if got := s.post(registerPath, body).is(t, 409, "name_taken").json(t)["detail"]; got != detail {
			t.Errorf("%s: %q", body, got)
		}
	}
	s.hear(noon().Add(time.Second), position(nordic, 10.3, 56.14, 112, 1814))
	if info := s.get(portserver+"/ship/info/219018765").is(t, 200).json(t); info["name"] != "NORDIC HAV" || info["dwt"] != 11200.0 || info["source"] != "ais" {
		t.Errorf("%v", info)
	}
	for _, wrong := range []string{`{}`, `{"name":"x","class":"C"}`, `{"name":"x","draught":26}`,
		`{"name":"x","position":{"type":"Point","coordinates":[200,0]}}`, `{"name":"x","type_code":256}`} {
		s.post(registerPath, wrong).is(t, 400, "bad_request")
	}
	changed := s.call("admin", "PUT", registerPath+"/9900000001", `{"note":"moored","mmsi":5}`).is(t, 200).json(t)
	if changed["note"] != "moored" || changed["name"] != "Barge 7" || changed["mmsi"] != 9900000001.0 {
		t.Errorf("%v", changed)
	}
	all := recordsOf(t, s.get(registerPath))
	if len(all) != 2 || all[0]["name"] != "Barge 7" {
		t.Errorf("%v", all)
	}
	s.restart()
	s.hear(noon().Add(time.Minute), position(nordic, 10.3, 56.14, 112, 1814))
	s.get(portserver+"/ship/position/9900000001").is(t, 200)
	s.get(registerPath+"/9900000001").is(t, 200)
	s.call("admin", "DELETE", registerPath+"/9900000001", "").is(t, 204)
	s.call("admin", "DELETE", registerPath+"/9900000001", "").is(t, 404)
	s.get(registerPath+"/9900000001").is(t, 404)
	s.may("clerk", right.AddRemoveMMSIEntries)
	s.call("clerk", "POST", registerPath, `{"name":"buoy","class":"aton"}`).is(t, 403, "forbidden")
	s.call("clerk", "POST", registerPath, `{"name":"pontoon"}`).is(t, 200)
}

// The name in a body that says which thing is meant, or what it is called already, is no change of the name.
func TestANameThatIsTheSameIsNoRenaming(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"  Crew   North "}`).is(t, 200)
	s.may("clerk", right.ChangeAccessRights, right.UserConfigurationAccess, right.ViewPort)
	for _, name := range []string{"Crew North", "crew NORTH", "  crew   north "} {
		g := s.call("clerk", "PUT", groups, `{"name":"`+name+`","access_rights":{"view_port":"allow"}}`).is(t, 200).json(t)
		if g["name"] != "Crew North" {
			t.Errorf("%q becomes %q", name, g["name"])
		}
	}
	s.call("clerk", "PUT", groups+"/crew%20north", `{"name":"Crew North","access_rights":{"view_port":""}}`).is(t, 200)
	s.call("clerk", "PUT", groups+"/crew%20north", `{"name":"crew north"}`).is(t, 403, "forbidden")
	s.call("clerk", "PUT", groups, `{"name":"other"}`).is(t, 403, "forbidden")
	s.call("clerk", "PUT", usersPath+"/clerk", `{"name":"clerk","email":"c@port"}`).is(t, 200)
	s.call("clerk", "PUT", usersPath+"/clerk", `{"name":"Clerk"}`).is(t, 403, "forbidden")
	if g := s.call("admin", "PUT", groups+"/crew%20north", `{"name":"CREW north"}`).is(t, 200).json(t); g["name"] != "CREW north" {
		t.Errorf("the path names, the body renames: %v", g["name"])
	}
	s.post(configPath+"/shiplist", `{"name":" Tugs  of the port ","ships":[]}`).is(t, 200)
	if name := s.get(configPath+"/shiplist/tugs%20of%20the%20port").is(t, 200).json(t)["name"]; name != "Tugs of the port" {
		t.Errorf("stored as %q", name)
	}
	s.post(groups+"/crew%20north/clone", `{"name":" a  clone "}`).is(t, 200)
	if name := s.get(groups+"/a%20clone").is(t, 200).json(t)["name"]; name != "a clone" {
		t.Errorf("cloned as %q", name)
	}
}

// What was selected by another tells no ship and no name before its time.
func TestASelectionHandedOverIsNotEarly(t *testing.T) {
	const fresh = ais.MMSI(244000777)
	s := newSite(t)
	now := noon()
	s.hear(now, position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(now, voyage(nordic, "NORDIC HAV"))
	s.tick(now)
	s.addUser("early", access.GroupViewer)
	s.addUser("late", access.GroupViewer)
	s.setFilter("late", `{"delay":60}`)
	s.call("late", "GET", selectPath, "").is(t, 200) // so that the late picture is there
	now = now.Add(70 * time.Second)
	s.tick(now)
	s.hear(now, position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(now, voyage(nordic, "RENAMED"))
	s.hear(now.Add(time.Second), voyage(nordic, "RENAMED")) // a new name holds when it is told twice
	s.hear(now, position(fresh, 10.3, 56.14, 112, 1814))
	s.hear(now, voyage(fresh, "BRANDNEW"))
	s.tick(now.Add(time.Second))
	s.settle()
	s.call("early", "POST", selectPath, `{"owner":"erp1","ships":[{"mmsi":244000777},{"mmsi":219018765}]}`).is(t, 200)
	s.post(usersPath+"/early/reassign", `{"name":"late"}`).is(t, 200)
	selected := func() string {
		names := []string{}
		for _, one := range recordsOf(t, s.call("late", "GET", selectPath, "")) {
			names = append(names, fmt.Sprint(one["mmsi"], " ", one["name"]))
		}
		return strings.Join(names, ", ")
	}
	if got := selected(); got != "2.19018765e+08 NORDIC HAV" {
		t.Errorf("too early: %s", got)
	}
	s.tick(now.Add(62 * time.Second))
	if got := selected(); got != "2.44000777e+08 BRANDNEW, 2.19018765e+08 RENAMED" {
		t.Errorf("a minute later: %s", got)
	}
}

func TestSelect(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.addUser("anna", access.GroupViewer)
	got := recordsOf(t, s.post(selectPath, `{"owner":"erp1","ships":[{"name":"nordic hav"}],"zoom":12}`).is(t, 200))
	if len(got) != 1 || got[0]["mmsi"] != 219018765.0 || got[0]["owner"] != "erp1" || got[0]["name"] != "NORDIC HAV" {
		t.Errorf("%v", got)
	}
	s.post(selectPath, `{"owner":"erp1","ships":[{"mmsi":219018765},{"mmsi":5}]}`).is(t, 422, "ship_not_found")
	s.post(selectPath, `{"ships":[{"mmsi":219018765}]}`).is(t, 200)
	s.post(selectPath, `{"owner":"a"}`).is(t, 400)
	s.restart()
	if n := len(recordsOf(t, s.get(selectPath))); n != 2 {
		t.Errorf("%d of all owners", n)
	}
	if n := len(recordsOf(t, s.get(selectPath+"/erp1"))); n != 1 {
		t.Errorf("%d of erp1", n)
	}
	if n := len(recordsOf(t, s.call("anna", "GET", selectPath, ""))); n != 0 {
		t.Errorf("another user sees %d", n)
	}
	s.post(selectPath, `{"owner":"erp1","ships":[]}`).is(t, 200)
	if n := len(recordsOf(t, s.get(selectPath+"/erp1"))); n != 0 {
		t.Errorf("%d after clearing", n)
	}
}

// A refusal names what still refers to a thing, but gives no name to a user that may not read it.
func TestRefusedDeletionNamesTheReferrer(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"pilots"}`).is(t, 200)
	s.may("anna", right.AdminShapes)
	s.may("bert", right.AdminShapes, right.UserConfigurationAccess)
	s.post(configPath+"/shape", `{"name":"Roads","acl":["pilots"],"circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}}`).is(t, 200)
	s.post(configPath+"/shape", `{"name":"Locks","circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":100}}`).is(t, 200)
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"areas":["Roads"]},"groups":["pilots"]}`).is(t, 200)
	s.call("admin", "PUT", groups+"/pilots", `{"receive_filter":{"expression":"pos within shape('roads')"}}`).is(t, 200)
	s.call("admin", "PUT", usersPath+"/bert", `{"receive_filter":{"areas":["Roads"]}}`).is(t, 200)
	for _, row := range []struct{ who, path, detail string }{
		{"admin", "/shape/roads", "still referred to by the group pilots, the user anna, the user bert"},
		{"bert", "/shape/roads", "still referred to by the group pilots, the user anna, the user bert"},
		{"anna", "/shape/roads", "still referred to by the group pilots, the user anna, a user or group"},
		{"admin", "/group/pilots", "still referred to by the shape Roads, the user anna"},
		{"admin", "/group/admin", "still referred to by the user admin"},
	} {
		a := s.call(row.who, "DELETE", configPath+row.path, "").is(t, 409, "conflict").json(t)
		if a["detail"] != row.detail || len(a["records"].([]any)) != strings.Count(row.detail, ",")+1 {
			t.Errorf("%s is told: %v", row.who, a)
		}
	}
	s.call("admin", "DELETE", configPath+"/shape/locks", "").is(t, 204)
}

// A feed or output that nobody configured is refused with the names that there are; one that left the configuration may stay.
func TestOnlyConfiguredFeedsAndOutputsAreNamed(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"crew","receive_filter":{"psss":["attic"]}}`).is(t, 200) // this box knows no names
	s.close()
	s.open(func(c *Config, d *Deps) {
		areas, err := users.Open(s.db.Database, access.Options{Dir: s.dir, Now: c.Now, HashMemory: 64, Feeds: []string{"roof", "pier"}, Outputs: []string{"port"}})
		if err != nil {
			t.Fatal(err)
		}
		s.areas, s.users, d.Users, d.Library, d.Box = areas, areas.Users, areas.Users, areas.Library, areas.Box
	})
	for _, row := range []struct{ method, path, body, at string }{
		{"POST", usersPath, `{"name":"anna","password":"` + adminPassword + `","receive_filter":{"psss":["rooof"]}}`, "/receive_filter/psss/0"},
		{"PUT", usersPath + "/admin", `{"settings":{"allowed_pss_list":["roof","peer"]}}`, "/settings/allowed_pss_list/1"},
		{"PUT", usersPath + "/admin", `{"settings":{"lss_group":"prot"}}`, "/settings/lss_group"},
		{"PUT", groups, `{"name":"crew","settings":{"default_pss_list":[{"name":"attic"}]}}`, "/settings/default_pss_list/0"},
	} {
		a := s.call("admin", row.method, row.path, row.body).is(t, 400, "bad_request")
		if !strings.Contains(string(a.body), `"pointer":"`+row.at+`"`) ||
			!strings.Contains(string(a.body), "pier") && !strings.Contains(string(a.body), "the outputs are port") {
			t.Errorf("%s", a.body)
		}
	}
	s.call("admin", "PUT", groups+"/crew", `{"receive_filter":{"psss":[{"name":"attic"},"Roof"]},"settings":{"lss_group":"PORT"}}`).is(t, 200)
	s.call("admin", "PUT", groups+"/crew", `{"receive_filter":{"psss":["roof"]}}`).is(t, 200)
	s.call("admin", "PUT", groups+"/crew", `{"receive_filter":{"psss":["attic"]}}`).is(t, 400, "bad_request")
	s.post(groups+"/crew/clone", `{"name":"crew 2"}`).is(t, 200)
	uidOf := func() string {
		read := s.get(groups+"/crew").is(t, 200).json(t)["receive_filter"].(map[string]any)["psss"].([]any)[0].(map[string]any)
		if read["name"] != "roof" {
			t.Errorf("%v", read)
		}
		return read["uid"].(string)
	}
	uid := uidOf()
	s.call("admin", "PUT", groups+"/crew", `{"receive_filter":{"psss":[{"uid":"`+uid+`"}]}}`).is(t, 200)
	if again := uidOf(); again != uid || len(uid) != 36 {
		t.Errorf("%s, then %s", uid, again)
	}
	s.call("admin", "PUT", groups+"/crew", `{"receive_filter":{"psss":[{"uid":"`+strings.Replace(uid, uid[:4], "0000", 1)+`"}]}}`).is(t, 400, "bad_request")
}

// What the register alone knows can be asked for in filters.
func TestFiltersByWhatTheRegisterSays(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.post(registerPath, `{"name":"Barge 7","dwt":900,"gt":300,"position":{"type":"Point","coordinates":[10.25,56.15]}}`).is(t, 200)
	s.post(registerPath, `{"mmsi":219018765,"dwt":11200}`).is(t, 200)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814)) // the picture takes what was entered
	base := s.serve().URL
	for filter, want := range map[string]int{"dwt > 1000": 1, "dwt < 1000 and gt = 300": 1, "dwt is not null": 2, "gt > 300": 0, "gt is null": 1} {
		one := listenAs(t, "admin", base, "filter="+url.QueryEscape(filter), "")
		if one.until("picture"); len(one.ships) != want {
			t.Errorf("%s: %v", filter, one.ships)
		}
		one.close()
	}
}

// TestAWriterOfGroupsLearnsNoNames: a caller that may not read groups gets the same answer for a group that is there and one that is not.
func TestAWriterOfGroupsLearnsNoNames(t *testing.T) {
	s := newSite(t)
	s.post(groups, `{"name":"crew","locked":true}`).is(t, 200)
	s.addUser("viewer", access.GroupViewer)
	s.may("maker", right.AddRemoveAccessRightsGroups, right.ChangeUser, right.ChangeAccessRights)
	for _, user := range []string{"viewer", "maker"} {
		for _, more := range []string{``, `,"access_rights":{"view_port":"allow"}`, `,"settings":{}`, `,"locked":true`, `,"disabled":true`} {
			there := s.call(user, "PUT", groups, `{"name":"crew"`+more+`}`).is(t, 403, "forbidden")
			none := s.call(user, "PUT", groups, `{"name":"none"`+more+`}`).is(t, 403, "forbidden")
			if string(there.body) != string(none.body) {
				t.Errorf("%s%s: %s and %s", user, more, there.body, none.body)
			}
		}
	}
}
