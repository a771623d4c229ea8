package acceptance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"quaywatch/form"
	"quaywatch/users/access"
)

// do sends a request and wants the status.
func (p *process) want(status int, method, path, body string) []byte {
	p.t.Helper()
	response, text := p.do(method, path, body)
	if response.StatusCode != status {
		p.t.Fatalf("%s %s: %s, want %d\n%s", method, path, response.Status, status, text)
	}
	return text
}

// fillBox makes something of every kind, with all that a document has to carry.
func fillBox(p *process) {
	const config = "/api/config/"
	for _, call := range [][3]string{
		{"POST", config + "shape", `{"name":"gone"}`}, // refused; its number is not used
		{"POST", config + "shape", `{"name":"Outer","circle":{"center":{"type":"Point","coordinates":[10.3,56.14]},"radius":1852}}`},
		{"DELETE", config + "shape/outer", ``},
		{"POST", config + "shape", `{"name":"Harbour","color":"#ff0000","region":4,"polygon":{"type":"Polygon","coordinates":[[[10,56.0],[11,56],[11.5,57.000001],[10,56.0]]]}}`},
		{"POST", config + "shape", `{"name":"Sweep \"1\" of\\north","line":{"type":"LineString","coordinates":[[10.2,56.1],[10.4,56.1]]}}`},
		{"POST", config + "shape", `{"name":"Anchorage","circle":{"center":{"type":"Point","coordinates":[-10,56]},"radius":1852.5}}`},
		{"PUT", config + "group", `{"name":"Pilots","access_rights":{"view_port":"deny","of_tomorrow":"deny"},"settings":{"web_max_lookback_time":48,"of_tomorrow":{"a":[1,null,12345678901234567890,1.5,{"$json":"x"}]}},"locked":true}`},
		{"PUT", config + "group/viewer", `{"name":"Guests","description":"'''look''' \"only\"\n"}`},
		{"DELETE", config + "group/operator", ``},
		{"POST", config + "shiplist", `{"name":"Tugs","max":5,"ships":[{"mmsi":219018765},{"name":"<b>ANNA</b>"},{"callsign":"OWKN2"},{"imo":9321483}],"acl":["pilots"]}`},
		{"POST", config + "shiplist", `{"name":"Empty","ships":[]}`},
		{"POST", config + "filter", `{"name":"Fast tugs","filter":"shiplist = \"Tugs\" and sog > 3 and pos within shape(\"Harbour\")","acl":["guests"]}`},
		{"POST", config + "user", `{"name":"anna","password":"` + adminPassword + `","common_name":"Anna Å","email":"a@port","phone":"+45 1","description":"pilot","groups":["pilots","guests"],
			"access_rights":{"view_port":"allow"},"settings":{"user_type":"user","mmsi_list":[219018765],"priority":"high"},"direct_access":{"enabled":true,"hosts":["10.0.0.0/8","pilot.local"]},
			"receive_filter":{"areas":["Harbour"],"predefined_ship_list":["tugs"],"include_predefined_ship_list":true,"expression":"sog > 1","range_dependant_update":{"position":[10.5,56],"ranges":[{"distance":1000,"interval":5}]}},
			"transmit_filter":{"message_types":[1,2,3]},"expiration_time":"2099-12-01T12:30:00.250Z","period_before_expire":30}`},
		{"POST", config + "user", `{"name":"bert","password":"` + adminPassword + `","disabled":true}`},
		{"PUT", config + "shiplist/empty", `{"ships":[],"acl":["anna"]}`},
		{"POST", config + "user/anna/reassign", `{"name":"bert"}`},
		{"PUT", config + "shape/port/DKAAR", `{"outer":{"type":"Polygon","coordinates":[[[10.1,56.1],[10.3,56.1],[10.3,56.2],[10.1,56.1]]]},"berths":[{"name":"Quay 1","position":{"type":"Point","coordinates":[10.2,56.15]},"length":120.5}]}`},
		{"POST", config + "shape/port", `{"name":"Own port","position":{"type":"Point","coordinates":[-10,5]}}`},
		{"POST", "/api/watchdog/definition", `{"name":"Wire","type":"cable","cable":{"geometry":{"type":"LineString","coordinates":[[10,56],[11,56.25]]},"buffer":500},"filter":"shiplist = \"Tugs\"","acl":["pilots"],"draught":2.5,"check_direction":true,"min_cog":350,"max_cog":10.5,"inactivity_timeout":"P1D","of_tomorrow":[1]}`},
		{"POST", "/api/watchdog/definition", `{"name":"Own","type":"port","port":"own port","enabled":false,"severity":"alert"}`},
		{"POST", "/api/watchdog/definition", `{"name":"Grounds","type":"fishing","fishing":{"type":"Polygon","coordinates":[[[10,56],[11,56],[11.5,57],[10,56]]]},"min_sog":1,"max_sog":4,"any_type":true,"window":"00:20:00"}`},
		{"POST", "/api/watchdog/definition", `{"name":"Tug","type":"lost","lost":{"shiplist":"Tugs","polygon":{"type":"Polygon","coordinates":[[[10,56],[11,56],[11.5,57],[10,56]]]}},"calendar":{"rules":[{"days":["mon","fri"],"from":"22:00","to":"06:00"}]}}`},
		{"POST", "/api/watchdog/definition", `{"name":"Berth","type":"anchor","anchor":{"center":{"type":"Point","coordinates":[10.25,56]},"radius":200,"mmsi":219018765}}`},
		{"POST", "/api/watchdog/definition", `{"name":"Buoys","type":"aton","aton":{"radius":75}}`},
		{"POST", "/api/watchdog/definition", `{"name":"Sound","type":"speed","speed":{"polygon":{"type":"Polygon","coordinates":[[[10,56],[11,56],[11.5,57],[10,56]]]},"limit":10.5,"least":"00:02:00"},"min_sog":1}`},
		{"POST", "/api/watchdog/definition", `{"name":"Lane","type":"route","route":{"line":{"type":"LineString","coordinates":[[10,56],[11,56.25]]},"corridor":500}}`},
		{"POST", "/api/watchdog/definition", `{"name":"Who","type":"silent","silent":{"after":"00:30:00"}}`},
		{"POST", "/api/portserver/ship/register", `{"name":"Barge 7","length":40,"dwt":900,"displacement":1200.5,"note":"no transponder","position":{"type":"Point","coordinates":[10.25,56]}}`},
		{"POST", "/api/portserver/ship/register", `{"mmsi":219018765,"imo":9321483,"draught":9.3,"class":"A","type_code":70}`},
	} {
		response, text := p.do(call[0], call[1], call[2])
		if response.StatusCode >= 300 && !strings.Contains(call[2], `"gone"`) {
			p.t.Fatalf("%s %s: %s %s", call[0], call[1], response.Status, text)
		}
	}
}

// box is every answer about what is configured, by path.
func box(p *process) map[string]any {
	p.t.Helper()
	answers := map[string]any{}
	for _, path := range []string{"/api/config/shape/port", "/api/config/shape/port/DKAAR", "/api/config/shape/port/own%20port"} {
		answers[path] = exactly(p.t, p.want(200, "GET", path, ""))
	}
	for _, path := range []string{"/api/config/user", "/api/config/group", "/api/config/shiplist", "/api/config/shape", "/api/config/filter",
		"/api/watchdog/definition",
		"/api/portserver/ship/register"} {
		text := p.want(200, "GET", path, "")
		answers[path] = exactly(p.t, text)
		var list struct {
			Records []map[string]any `json:"records"`
		}
		if err := json.Unmarshal(text, &list); err != nil {
			p.t.Fatal(err)
		}
		for _, record := range list.Records {
			for _, key := range []string{"uid", "id", "mmsi"} {
				if ref, ok := record[key]; ok {
					if number, ok := ref.(float64); ok {
						ref = fmt.Sprintf("%.0f", number)
					}
					one := path + "/" + fmt.Sprint(ref)
					answers[one] = exactly(p.t, p.want(200, "GET", one, ""))
				}
			}
		}
	}
	return answers
}

// exactly reads JSON so that no number is rounded; 10 and 10.0 are the same, and revisions are left out.
func exactly(t testing.TB, text []byte) any {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var same func(v any) any
	same = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			delete(v, "revision") // each box counts its own
			for key, one := range v {
				v[key] = same(one)
			}
		case []any:
			for i, one := range v {
				v[i] = same(one)
			}
		case json.Number:
			return json.Number(strings.TrimSuffix(v.String(), ".0"))
		}
		return v
	}
	return same(tree)
}

func sameBoxes(t *testing.T, want, got map[string]any) {
	t.Helper()
	if len(want) < 20 {
		t.Fatalf("only %d answers", len(want))
	}
	for path, answer := range want {
		if !reflect.DeepEqual(answer, got[path]) {
			one, _ := json.Marshal(answer)
			other, _ := json.Marshal(got[path])
			t.Errorf("%s differs:\n%s\n%s", path, one, other)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d answers, want %d", len(got), len(want))
	}
}

// TestABoxIsMadeLikeAnother: a full box, exported while it runs in both forms, into one that never ran and into one that runs.
func TestABoxIsMadeLikeAnother(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	full := start(t, filepath.Join(dir), "serve")
	fillBox(full)
	want := box(full)
	paths := map[string]string{}
	for _, form := range []string{"json", "toml"} {
		paths[form] = filepath.Join(dir, "box."+form)
		out, stderr, code := runCommand(t, "", "export-config", "--data-dir", filepath.Join(dir, "data"), paths[form])
		if code != 0 || !strings.Contains(out, "3 users, 2 ship lists, 3 shapes, 1 filters, 10 watchdogs, 2 registered ships, 2 ports and 0 statistics") {
			t.Fatalf("export: exit %d\n%s%s", code, out, stderr)
		}
		text, err := os.ReadFile(paths[form])
		if err != nil {
			t.Fatal(err)
		}
		if secret := regexp.MustCompile(`(?i)argon2|hash|harbour-master|token`).Find(text); secret != nil {
			t.Errorf("the %s holds %s", form, secret)
		}
	}
	importInto := func(dir, form, says string, more ...string) {
		t.Helper()
		args := append([]string{"import-config", "--data-dir", filepath.Join(dir, "data")}, more...)
		if out, stderr, code := runCommand(t, "", append(args, paths[form])...); code != 0 || !strings.Contains(out, says) {
			t.Errorf("import %s: exit %d, want %q\n%s%s", form, code, says, out, stderr)
		}
	}
	for form, other := range map[string]string{"json": "toml", "toml": "json"} {
		t.Run("never ran, "+form, func(t *testing.T) {
			dir := t.TempDir()
			importInto(dir, form, "23 added, 1 changed, 2 unchanged, 1 removed", "--dry-run", "--new")
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("a dry run leaves %v (%v)", left, err)
			}
			importInto(dir, form, "23 added, 1 changed, 2 unchanged, 1 removed", "--new")
			importInto(dir, other, "0 added, 0 changed")
			p := start(t, dir, "serve") // gives admin its first password
			sameBoxes(t, want, box(p))
			p.want(200, "POST", "/api/config/shape", `{"name":"next","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5}}`)
			request := `{"name":"anna","password":"` + adminPassword + `"}`
			p.want(401, "POST", "/api/session", request)
			if _, stderr, code := runCommand(t, adminPassword, "user", "passwd", "--data-dir", filepath.Join(dir, "data"), "anna"); code != 0 {
				t.Fatal(stderr)
			}
			p.want(200, "POST", "/api/session", request)
		})
		t.Run("runs, "+form, func(t *testing.T) {
			dir := t.TempDir()
			p := start(t, dir, "serve")
			importInto(dir, form, "dry run", "--dry-run")
			p.want(404, "GET", "/api/config/user/anna", "")
			importInto(dir, form, "without a password, and cannot sign in until 'quaywatch user passwd NAME': anna, bert")
			sameBoxes(t, want, box(p))
			if text := p.want(200, "GET", "/api/audit?user=(command%20line)", ""); bytes.Count(text, []byte("import-config")) != 1 ||
				!bytes.Contains(text, []byte("22 added, 1 changed, 1 removed: group Guests, ")) || !bytes.Contains(text, []byte(", user anna, ")) {
				t.Errorf("the audit log says %s", text)
			}
			p.kill() // what was acknowledged is there
			p = start(t, dir, "serve")
			sameBoxes(t, want, box(p))
			importInto(dir, other, "0 added, 0 changed")
			p.want(200, "GET", "/api/portserver/ship/position/9900000001", "") // registered ships are in the picture
		})
	}
	importInto(dir, "toml", "0 added, 0 changed")
	sameBoxes(t, want, box(full))
}

// TestImportIsAllOrNothing: what is wrong is named, and nothing is written.
func TestImportIsAllOrNothing(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	if _, stderr, code := runCommand(t, adminPassword, "user", "add", "--new", "--data-dir", data, "admin"); code != 0 {
		t.Fatal(stderr)
	}
	before, _, _ := runCommand(t, "", "export-config", "--data-dir", data)
	for name, row := range map[string][2]string{
		"a.toml": {"[[users]]\nname = 'anna'\n[[users]]\nname = 'a b'\n[[users]]\nname = 'bert'\ngroups = ['nobodys']\nexpiration_time = 'soon'\n", `user "a b": name:`},
		"b.toml": {"[[users]]\nname = 'anna'\ngrups = []\n", `user "anna": grups: unknown key`},
		"c.json": {`{"users":[{"name":"admin","disabled":true}]}`, "the last administrator must stay"},
		"d.json": {`{"users":[{"name":"anna","password":"` + adminPassword + `"}]}`, "a document holds none"},
		"e.json": {`{"version":2}`, "version: this program reads version 1"},
		"f.toml": {"a = = 1\n", "line 1, column"},
		"g.json": {`{"users":[{"name":"anna"}]} x`, "more than one value"},
		"h.json": {`{"users":[{"name":"bert","groups":["pilots"]}]}`, `user "bert": groups/0: must name a group, and "pilots" is none`},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(row[0]), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, stderr, code := runCommand(t, "", "import-config", "--data-dir", data, path); code != 1 || !strings.Contains(stderr, row[1]) {
			t.Errorf("%s: exit %d\n%s", name, code, stderr)
		}
	}
	if after, _, _ := runCommand(t, "", "export-config", "--data-dir", data); after != before {
		t.Errorf("something was written:\n%s", after)
	}
}

// TestUserCommandsOnABox: users and groups by command, on a stopped service and on one that runs.
func TestUserCommandsOnABox(t *testing.T) {
	t.Parallel()
	for _, running := range []bool{false, true} {
		t.Run(fmt.Sprint("running ", running), func(t *testing.T) {
			dir := t.TempDir()
			data := filepath.Join(dir, "data")
			p := start(t, dir, "serve")
			if !running {
				p.stop(patience)
			}
			from := filepath.Join(dir, "pilot.toml")
			if err := os.WriteFile(from, []byte("description = 'from a file'\n[settings]\nweb_max_lookback_time = 48\nuser_type = 'client'\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			do := func(code int, says string, args ...string) {
				t.Helper()
				out, stderr, got := runCommand(t, "pilot-password-1\n", append(args, "--data-dir", data)...)
				if got != code || !strings.Contains(out+stderr, says) {
					t.Errorf("%q: exit %d, want %d and %q\n%s%s", args, got, code, says, out, stderr)
				}
			}
			do(0, "", "group", "add", "Pilots", "--right", "view_port=allow", "--right", "web_online_access=allow", "--description", "of the port")
			do(1, "already", "group", "add", " pilots ")
			do(0, "", "group", "set", "pilots", "--right", "view_port=none", "--locked", "true")
			do(0, "of the port", "group", "list")
			do(0, "", "user", "add", "anna", "--groups", "pilots", "--from", from, "--right", "view_port=deny", "--direct-access", "10.0.0.9", "--expires",
				"2099-01-01", "--warn-days", "30")
			do(1, "already", "user", "add", "Anna")
			do(0, "", "user", "set", "anna", "--rename", "anne", "--email", "a@port", "--disabled", "true")
			do(0, "disabled", "user", "list")
			do(0, "", "user", "set", "anne", "--disabled", "false", "--expires", "2020-01-01")
			do(0, "  expired", "user", "list")
			do(1, "anne has expired", "token", "make", "anne", "link")
			do(0, "", "user", "set", "anne", "--disabled", "true", "--expires", "2099-01-01")
			do(1, "none of that name", "user", "set", "anna", "--email", "x")
			do(1, "period_before_expire: must be from 0", "user", "set", "anne", "--warn-days", "-1")
			do(1, "host 2 must be a name, an address or CIDR", "user", "set", "anne", "--direct-access", "10.0.0.9,10.0.0.300")
			do(1, "groups/0: must name a group", "user", "set", "anne", "--groups", "nobodys")
			do(1, "last administrator", "user", "delete", "admin")
			do(1, "refers to it", "group", "delete", "pilots")
			do(2, "none of the rights", "group", "set", "pilots", "--right", "fly=allow")
			do(2, "must be true or false", "user", "set", "anne", "--disabled", "maybe")
			do(2, "takes no field", "user", "delete", "anne", "--email", "x")
			do(2, "set needs a flag", "user", "set", "anne")
			do(2, "takes one NAME", "user", "set", "--email", "x")
			if !running {
				p = start(t, dir, "serve")
			}
			var anne struct {
				UID      string            `json:"uid"`
				Email    string            `json:"email"`
				Disabled bool              `json:"disabled"`
				Settings map[string]any    `json:"settings"`
				Rights   map[string]string `json:"access_rights"`
				Direct   access.DirectAccess
				Groups   []form.Ref `json:"groups"`
				About    string     `json:"description"`
				Expires  string     `json:"expiration_time"`
			}
			p.get("/api/config/user/anne", &anne)
			if anne.Email != "a@port" || !anne.Disabled || anne.Settings["web_max_lookback_time"] != 48.0 || anne.Rights["view_port"] != "deny" ||
				len(anne.Groups) != 1 || anne.Groups[0].Name != "Pilots" || anne.About != "from a file" || anne.Expires != "2099-01-01T00:00:00Z" {
				t.Errorf("%+v", anne)
			}
			var pilots struct {
				Locked bool              `json:"locked"`
				Rights map[string]string `json:"access_rights"`
			}
			p.get("/api/config/group/pilots", &pilots)
			if !pilots.Locked || len(pilots.Rights) != 1 {
				t.Errorf("%+v", pilots)
			}
			if text := p.want(200, "GET", "/api/audit?user=(command%20line)", ""); bytes.Count(text, []byte(`"action":"user add"`)) != 1 ||
				bytes.Contains(text, []byte("pilot-password")) {
				t.Errorf("the audit log says %s", text)
			}
			for _, secret := range []string{"pilot-password", adminPassword} {
				if strings.Contains(p.stdout.String()+p.stderr.String(), secret) {
					t.Errorf("the service says %q", secret)
				}
			}
			if !running {
				p.stop(patience)
			}
			do(0, "", "group", "set", "admin", "--rename", "Harbour office")
			do(1, "say which groups: --groups with some of Harbour office, operator, Pilots, viewer", "user", "add", "second")
			do(1, "last administrator must stay", "user", "set", "admin", "--groups", "")
			do(0, "user second added with the groups Harbour office in "+data, "user", "add", "second", "--groups", "harbour office")
			do(0, "second  Harbour office  73", "user", "list")
			do(0, "", "user", "delete", "second")
			do(0, "", "user", "passwd", anne.UID)
			do(0, "", "user", "delete", "anne")
			do(0, "", "group", "delete", "pilots")
		})
	}
}
