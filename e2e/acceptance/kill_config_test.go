package acceptance

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
)

// triesOfEach is how often the plug is pulled after each kind of change of the configuration; QUAYWATCH_KILLS sets another number of all tries.
const triesOfEach = 2

// killChange is a change of the configuration by one call, and how to see after a restart that it is there. N in the texts is
// the number of the try.
type killChange struct {
	before             [][3]string // calls that prepare it
	method, path, body string
	look               string // path to ask after the restart
	status             int
	holds              string // what the answer has to hold; "!x" is what it must not hold
}

func killChanges() []killChange {
	const config = "/api/config/"
	user := [3]string{"POST", config + "user", `{"name":"uN","groups":["viewer"],"password":"` + adminPassword + `"}`}
	other := [3]string{"POST", config + "user", `{"name":"vN","password":"` + adminPassword + `"}`}
	group := [3]string{"PUT", config + "group", `{"name":"gN"}`}
	list := [3]string{"POST", config + "shiplist", `{"name":"lN","ships":[{"mmsi":5}]}`}
	shape := [3]string{"POST", config + "shape", `{"name":"sN","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5}}`}
	filter := [3]string{"POST", config + "filter", `{"name":"fN","filter":"sog > 3"}`}
	const registerOf = "/api/portserver/ship/register"
	ship := [3]string{"POST", registerOf, `{"mmsi":100000N,"name":"rN"}`}
	track := [3]string{"POST", "/api/portserver/ship/track",
		`{"source":{"ship":{"mmsi":100000N}},"destination":{"port":{"locode":"DKAAR"}},"erp":{"id":"eN","eta":1e400}}`}
	session := [3]string{"POST", "/api/session", `{"name":"uN","password":"` + adminPassword + `"}`}
	made := func(call [3]string, look, holds string, before ...[3]string) killChange {
		return killChange{before, call[0], call[1], call[2], look, 200, holds}
	}
	gone := func(path string, before ...[3]string) killChange {
		return killChange{before, "DELETE", path, "", path, 404, ""}
	}
	changed := func(method, path, body, look, holds string, before ...[3]string) killChange {
		return killChange{before, method, path, body, look, 200, holds}
	}
	return []killChange{
		made(user, config+"user/uN", `"name":"uN"`),
		changed("PUT", config+"user/uN", `{"description":"d","disabled":true}`, config+"user/uN", `"disabled":true`, user),
		changed("POST", config+"user/uN/clone", `{"name":"cN"}`, config+"user/cN", `"name":"cN"`, user),
		changed("POST", config+"user/admin/reassign", `{"name":"uN"}`, config+"filter/fN", `"owner":{"name":"uN"`, user, filter),
		gone(config+"user/uN", user),
		made(group, config+"group/gN", `"name":"gN"`),
		changed("POST", config+"group", `{"name":"gN"}`, config+"group/gN", `"name":"gN"`),
		changed("PUT", config+"group", `{"name":"gN","description":"d"}`, config+"group/gN", `"description":"d"`, group),
		changed("PUT", config+"group/gN", `{"locked":true}`, config+"group/gN", `"locked":true`, group),
		changed("POST", config+"group/gN/clone", `{"name":"hN"}`, config+"group/hN", `"name":"hN"`, group),
		changed("POST", config+"group/gN/reassign", `{"name":"viewer"}`, config+"user/vN", `{"name":"viewer"`, group, other,
			[3]string{"PUT", config + "user/vN", `{"groups":["gN"]}`}),
		gone(config+"group/gN", group),
		made(list, config+"shiplist/lN", `"mmsi":5`),
		changed("PUT", config+"shiplist/lN", `{"ships":[{"mmsi":6}]}`, config+"shiplist/lN", `"mmsi":6`, list),
		gone(config+"shiplist/lN", list),
		made(shape, config+"shape/sN", `"radius":5`),
		changed("PUT", config+"shape/sN", `{"color":"#fff"}`, config+"shape/sN", `"color":"#fff"`, shape),
		gone(config+"shape/sN", shape),
		made(filter, config+"filter/fN", `"filter":"sog \u003e 3"`),
		changed("PUT", config+"filter/fN", `{"filter":"sog < 3"}`, config+"filter/fN", `\u003c`, filter),
		gone(config+"filter/fN", filter),
		{[][3]string{user, session}, "PUT", config + "user/uN", `{"password":"another ` + adminPassword + `"}`, config + "user/uN/sessions", 200,
			`"records":[]`},
		{[][3]string{user, session}, "DELETE", config + "user/uN/sessions", "", config + "user/uN/sessions", 200, `"records":[]`},
		changed("POST", config+"shape/port", `{"name":"Port N","position":{"type":"Point","coordinates":[1,2]}}`, config+"shape/port/port%20N", `"Port N"`),
		changed("PUT", config+"shape/port/DKAAR", `{"name":"Aarhus N"}`, config+"shape/port/DKAAR", `"Aarhus N"`),
		made(ship, registerOf+"/100000N", `"name":"rN"`),
		changed("PUT", registerOf+"/100000N", `{"note":"n"}`, registerOf+"/100000N", `"note":"n"`, ship),
		gone(registerOf+"/100000N", ship),
		made(track, track[1], `"erp":{"id":"eN","eta":1e400}`, ship),
	}
}

// TestConfigurationOutlivesAKill pulls the plug at once after each kind of acknowledged change, over and over: after the restart
// the change is there.
func TestConfigurationOutlivesAKill(t *testing.T) {
	tries := killsOr(t, triesOfEach*len(killChanges()))
	for box := range killedBoxes {
		t.Run(fmt.Sprint("box ", box), func(t *testing.T) {
			t.Parallel()
			killAfterChanges(t, box, tries)
		})
	}
}

// killsOr returns how often the plug is pulled: QUAYWATCH_KILLS, else the usual number.
func killsOr(t *testing.T, usual int) int {
	text := os.Getenv("QUAYWATCH_KILLS")
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("QUAYWATCH_KILLS is %q", text)
	}
	return n
}

// killedBoxes is how many services share the tries, in turns.
const killedBoxes = 2

func killAfterChanges(t *testing.T, first, tries int) {
	dir := t.TempDir()
	changes := killChanges()
	p := start(t, dir, "serve")
	calls := 0
	for n := first; n < tries; n += killedBoxes {
		change := changes[n%len(changes)]
		fill := strings.NewReplacer("N", fmt.Sprint(n+100))
		calls += len(change.before) + 1
		for _, call := range change.before {
			if response, text := p.do(call[0], fill.Replace(call[1]), fill.Replace(call[2])); response.StatusCode >= 300 {
				t.Fatalf("%v: %s %s", call, response.Status, text)
			}
		}
		p.changeAndKill(change.method, fill.Replace(change.path), fill.Replace(change.body))
		p = start(t, dir, "serve")
		response, text := p.do("GET", fill.Replace(change.look), "")
		if holds := fill.Replace(change.holds); response.StatusCode != change.status || !strings.Contains(string(text), holds) {
			t.Fatalf("try %d: %s %s is lost: %s, without %s\n%s", n, change.method, change.path, response.Status, holds, text)
		}
	}
	var audit struct{ Records []json.RawMessage }
	p.get("/api/audit", &audit)
	if len(audit.Records) != calls {
		t.Errorf("the audit log has %d entries of %d changes", len(audit.Records), calls)
	}
}

// TestTracksOutliveAKill pulls the plug at once after each kind of acknowledged change of a track, over and over. The number of a track is never given
// again.
func TestTracksOutliveAKill(t *testing.T) {
	t.Parallel()
	const path = "/api/portserver/ship/track"
	tries := killsOr(t, 30)
	dir := t.TempDir()
	p := start(t, dir, "serve")
	p.want(200, "POST", "/api/portserver/ship/register", `{"mmsi":219000123,"name":"TRACKED","position":{"type":"Point","coordinates":[11,56.5]}}`)
	one, last := "", int64(0)
	for n := range tries {
		holds := fmt.Sprintf(`{"id":%d,"eta":1e400}`, n)
		switch n % 3 {
		case 0:
			p.changeAndKill("POST", path, fmt.Sprintf(`{"source":{"ship":{"mmsi":219000123}},"destination":{"port":{"locode":"DKAAR"}},"erp":%s}`, holds))
		case 1:
			p.changeAndKill("PUT", one, `{"erp":`+holds+`}`)
		default:
			p.changeAndKill("DELETE", one, "")
		}
		p = start(t, dir, "serve")
		var list struct {
			Records []struct {
				ID  int64           `json:"id"`
				ERP json.RawMessage `json:"erp"`
			} `json:"records"`
		}
		p.get(path, &list)
		if n%3 == 2 {
			if len(list.Records) != 0 {
				t.Fatalf("try %d: a track is back after it was deleted", n)
			}
			continue
		}
		if len(list.Records) != 1 || string(list.Records[0].ERP) != holds || n%3 == 0 && list.Records[0].ID <= last {
			t.Fatalf("try %d: %+v, want one track above %d with %s", n, list.Records, last, holds)
		}
		last = list.Records[0].ID
		one = fmt.Sprintf("%s/%d", path, last)
	}
}

// changeAndKill sends a change and kills the service as soon as the head of the answer is here.
func (p *process) changeAndKill(method, path, body string) {
	p.t.Helper()
	request, err := http.NewRequest(method, p.base+path, strings.NewReader(body))
	if err != nil {
		p.t.Fatal(err)
	}
	request.SetBasicAuth("admin", adminPassword)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatalf("%s %s: %v", method, path, err)
	}
	p.kill()
	response.Body.Close()
	if response.StatusCode/100 != 2 {
		p.t.Fatalf("%s %s: %s", method, path, response.Status)
	}
}
