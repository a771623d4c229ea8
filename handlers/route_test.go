package handlers

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"quaywatch/geo/chart"
	"quaywatch/geo/route"
	"quaywatch/geo/route/fairway"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

const (
	routePath = portserver + "/ship/route"
	kattegat  = `{"position":{"type":"Point","coordinates":[11.2,56.6]}}`
	skagen    = `{"position":{"type":"Point","coordinates":[10.7,57.75]}}`
	aRoute    = `{"source":` + kattegat + `,"destination":` + skagen + `}`
)

// network opens the network of sea ways once for all tests.
var network = sync.OnceValues(func() (*route.Network, error) {
	c, err := chart.Load()
	if err != nil {
		return nil, err
	}
	return route.Open(c.Coast())
})

// routeOf asks for a way from a ship.
func routeOf(identity string) string {
	return `{"source":{"ship":{` + identity + `}},"destination":` + kattegat + `}`
}

func (s *site) route(body string) map[string]any {
	s.t.Helper()
	return s.post(routePath+"/execute", body).is(s.t, 200).json(s.t)
}

// ends returns the first and the last point of the line of a way.
func ends(t *testing.T, way map[string]any) (first, last []any, count int) {
	t.Helper()
	line := way["route"].(map[string]any)["coordinates"].([]any)
	if way["route"].(map[string]any)["type"] != "LineString" || len(line) < 2 {
		t.Fatalf("route: %v", way["route"])
	}
	return line[0].([]any), line[len(line)-1].([]any), len(line)
}

func TestRouteJobLife(t *testing.T) {
	s := newSite(t)
	letGo := s.hold()
	path := routePath + "/" + s.started(s.post(routePath, aRoute), 200)
	running := s.get(path).is(t, 202)
	if running.header.Get("Retry-After") != "7" || running.json(t)["status"] != "running" {
		t.Errorf("running: %v %s", running.header, running.body)
	}
	if err := s.users.Add("other", "another good password"); err != nil {
		t.Fatal(err)
	}
	s.send("GET", path, "", "Authorization", basic("other", "another good password")).is(t, 404)
	letGo()
	way := s.get(path).is(t, 200).json(t)
	s.get(path).is(t, 404, "not_found")
	if nm := way["distance"].(float64) / 1852; nm < 69 || nm > 73 || way["draught_limited"] != false || len(way["passages"].([]any)) != 0 || len(way["passage_limits"].([]any)) != 0 ||
		way["snap_source"] != 0.0 || way["snap_destination"] != 0.0 || way["eta"] != nil || way["draught"] != nil {
		t.Errorf("the way: %v", way)
	}
	first, last, n := ends(t, way)
	stops := way["waypoints"].([]any)
	if first[0] != 11.2 || last[1] != 57.75 || len(stops) > n {
		t.Errorf("from %v to %v over %d points, %d waypoints", first, last, n, len(stops))
	}

	letGo = s.hold()
	path = routePath + "/" + s.started(s.post(routePath, aRoute), 200)
	s.clock.pass(2*time.Minute + time.Second)
	s.get(path).is(t, 408, "timeout")
	s.get(path).is(t, 404)
	letGo()
}

func TestRouteBetweenPortsAndShips(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.5, 56.14, 112, 1814))
	s.hear(noon(), voyage(nordic, "NORDIC HAV")) // of 7.4 m
	s.hear(noon(), voyage(219000009, "NOWHERE"))
	s.settle()
	suez := s.route(`{"source":{"port":{"locode":"nl rtm"}},"destination":{"port":{"id":` + fmt.Sprint(portID("SGSIN")) + `}}}`)
	if nm := suez["distance"].(float64) / 1852; nm < 8150 || nm > 8400 || !slices.Contains(suez["passages"].([]any), any("Suez")) {
		t.Errorf("Rotterdam to Singapore: %.0f nm through %v", nm, suez["passages"])
	}
	if !slices.ContainsFunc(suez["passage_limits"].([]any), func(of any) bool {
		limit := of.(map[string]any)
		return limit["name"] == "Suez" && limit["max_draught"] == 20.1
	}) || len(suez["passage_limits"].([]any)) >= len(suez["passages"].([]any)) {
		t.Errorf("the limits of %v: %v", suez["passages"], suez["passage_limits"])
	}
	if port := suez["source"].(map[string]any)["port"].(map[string]any); port["locode"] != "NLRTM" || suez["snap_source"].(float64) > 10000 {
		t.Errorf("from %v, %v m on land", port, suez["snap_source"])
	}
	cape := s.route(`{"source":{"port":"NLRTM"},"destination":{"port":{"name":"Singapore","locode":"SGSIN"}},"avoid":["suez canal"]}`)
	if nm := cape["distance"].(float64) / 1852; nm < 11500 || nm > 11900 || slices.Contains(cape["passages"].([]any), any("Suez")) {
		t.Errorf("round the Cape: %.0f nm through %v", nm, cape["passages"])
	}
	deep := s.route(`{"source":{"port":"NLRTM"},"destination":{"port":"SGSIN"},"draught":20.3}`)
	if deep["draught_limited"] != true || deep["draught"] != 20.3 || math.Abs(deep["distance"].(float64)-cape["distance"].(float64)) > 300_000 {
		t.Errorf("with 20.3 m: %v m, limited %v", deep["distance"], deep["draught_limited"])
	}
	_, _, drawn := ends(t, cape)
	if least := int(cape["distance"].(float64) / 100_500); drawn < least {
		t.Errorf("%v m are drawn with %d points", cape["distance"], drawn)
	}

	way := s.route(`{"source":{"ship":{"name":"nordic hav"}},"destination":{"port":"SEGOT"}}`)
	if way["source"].(map[string]any)["mmsi"] != float64(nordic) || way["draught"] != 7.4 || way["speed"] != 11.2 {
		t.Errorf("from the ship: %v, %v m, %v kn", way["source"], way["draught"], way["speed"])
	}
	eta, err := time.Parse(time.RFC3339, way["eta"].(string))
	lasts := time.Duration(way["distance"].(float64) / 1852 / 11.2 * float64(time.Hour))
	if err != nil || eta.Sub(noon().Add(lasts)).Abs() > 2*time.Minute || !strings.HasPrefix(way["duration"].(string), fmt.Sprintf("%02d:", int(lasts.Hours()))) {
		t.Errorf("eta %v, duration %v, want about %v", way["eta"], way["duration"], lasts)
	}
	if own := s.route(`{"source":{"ship":{"mmsi":219018765,"draught":5.5}},"destination":{"port":"SEGOT"}}`); own["draught"] != 5.5 {
		t.Errorf("with a draught of its own: %v", own["draught"])
	}
	to := s.route(`{"source":` + skagen + `,"destination":{"ship":{"mmsi":219018765}}}`)
	if to["destination"].(map[string]any)["mmsi"] != float64(nordic) || to["eta"] != nil {
		t.Errorf("to the ship: %v", to)
	}
	other := s.route(`{"source":{"ship":{"name":"nordic hav","imo":9074729}},"destination":{"port":"SEGOT"}}`)["source"].(map[string]any)
	if other["mmsi"] != float64(nordic) || fmt.Sprint(other["warnings"]) != "[imo is not that of the ship found]" || way["source"].(map[string]any)["warnings"] != nil {
		t.Errorf("with the IMO number of another ship: %v", other)
	}
	over := s.route(`{"source":` + kattegat + `,"destination":` + skagen + `,"waypoints":[{"position":{"type":"Point","coordinates":[11.6,57.2]}}]}`)
	if !strings.Contains(fmt.Sprint(over["waypoints"]), "11.6 57.2") {
		t.Errorf("over a place: %v", over["waypoints"])
	}
}

// portID returns the id of a listed port.
func portID(code string) uint64 {
	ports, err := chart.LoadPorts()
	if err != nil {
		panic(err)
	}
	port, _ := ports.ByLOCODE(code)
	return port.ID
}

// What closes a shorter way is said: the size of the ship, too little known of it, or that a passage is closed.
func TestRouteWarnings(t *testing.T) {
	s := newSite(t)
	const venice = `"source":{"port":"GRPIR"},"destination":{"port":"ITVCE"}`
	for _, x := range []struct{ body, rule, detail string }{
		{`{` + venice + `}`, "passage_unsure", "a shorter way leads through Corinth: only small ships fit, and the size of this one is not known"},
		{`{` + venice + `,"draught":7,"length":190,"beam":28}`, "passage_too_wide", "a shorter way leads through Corinth, which takes 17.6 m of beam"},
		{`{` + venice + `,"draught":5,"length":90,"beam":15,"air_draught":55}`, "passage_too_high", "a shorter way leads through Corinth, which takes 52 m of height above the water"},
		{`{` + venice + `,"draught":5,"length":90,"beam":15}`, "", ""},
		{`{"source":{"port":"DKFRC"},"destination":{"port":"DEFLF"},"draught":8,"air_draught":40}`, "passage_too_high", "a shorter way leads through Little Belt, which takes 33 m of height above the water"},
		{`{"source":{"position":{"type":"Point","coordinates":[32.55,29.85]}},"destination":{"position":{"type":"Point","coordinates":[32.35,31.5]}},"avoid":["Suez Canal"]}`,
			"passage_closed", "a much shorter way leads through Suez, which is closed"},
		{`{"source":{"port":"DEEME"},"destination":{"position":{"type":"Point","coordinates":[5.3,52.85]}},"draught":9,"avoid":["North Sea Canal"]}`,
			"passage_flat", "no way leads there but over IJsselmeer, which takes 3 m of draught"},
	} {
		way := s.route(x.body)
		warnings, _ := way["warnings"].([]any)
		if x.rule == "" {
			limits := fmt.Sprint(way["passage_limits"])
			if len(warnings) > 0 || !strings.Contains(limits, "max_air_draught:52 max_beam:17.6 max_draught:7.3 name:Corinth") {
				t.Errorf("%s: %v, limits %v", x.body, warnings, limits)
			}
			continue
		}
		if len(warnings) != 1 || warnings[0].(map[string]any)["rule"] != x.rule || warnings[0].(map[string]any)["detail"] != x.detail {
			t.Errorf("%s: %v", x.body, warnings)
		}
	}
	tiksi := `{"source":{"port":"RUMMK"},"destination":{"position":{"type":"Point","coordinates":[129,71.75]}},"avoid":["northern sea route"]}`
	if a := s.post(routePath+"/execute", tiksi).is(t, 422, "no_route").json(t); a["rule"] != "sea_route_closed" ||
		a["detail"] != "no way by sea leads there while these passages are closed: Northeast Passage" {
		t.Errorf("to Tiksi: %v", a)
	}
	s.post(routePath+"/execute", `{`+venice+`,"length":1001}`).is(t, 400)
	s.post(routePath+"/execute", `{`+venice+`,"beam":-1}`).is(t, 400)
}

// A port that was made here is none that is known to callers that may not see ports.
// A way keeps to the fairways of the port, which the size of the ship may close.
func TestRouteOnFairways(t *testing.T) {
	const river = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"name":"Seine","max_draught":8,"max_length":150,"speed":6},"geometry":
		{"type":"LineString","coordinates":[[0.0,49.44],[0.22,49.43],[0.37,49.46],[0.53,49.49],[0.72,49.53],[0.82,49.40],[1.02,49.41],[1.1,49.32],[1.3,49.2],[1.48,49.09]]}}]}`
	c, err := chart.Load()
	if err != nil {
		t.Fatal(err)
	}
	n, err := route.Open(c.Coast())
	if err != nil {
		t.Fatal(err)
	}
	guide := func(text string) {
		set, err := fairway.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Guide(set); err != nil {
			t.Fatal(err)
		}
	}
	guide(river)
	s := newSite(t, func(_ *Config, d *Deps) { d.Network = func() (*route.Network, error) { return n, nil } })
	s.hear(noon(), position(nordic, -0.2, 49.5, 120, 900))
	s.hear(noon(), voyage(nordic, "NORDIC HAV")) // of 7.4 m
	s.settle()
	const vernon = `"destination":{"position":{"type":"Point","coordinates":[1.482,49.092]}}`
	way := s.route(`{"source":{"ship":{"mmsi":` + fmt.Sprint(nordic) + `}},` + vernon + `}`)
	limits, _ := way["speed_limits"].([]any)
	if fmt.Sprint(way["fairways"]) != "[Seine]" || len(limits) != 1 || limits[0].(map[string]any)["speed"] != 6.0 {
		t.Fatalf("by %v with the limits %v", way["fairways"], limits)
	}
	all, slow := way["distance"].(float64)/1852, limits[0].(map[string]any)["distance"].(float64)/1852
	lasts, err := time.ParseDuration(strings.NewReplacer("h:", "h", "m:", "m").Replace(strings.Replace(strings.Replace(way["duration"].(string), ":", "h", 1), ":", "m", 1)) + "s")
	if want := (all-slow)/12 + slow/6; err != nil || math.Abs(lasts.Hours()-want) > 0.05 || slow < 50 {
		t.Errorf("%.1f nm, %.1f of them at 6 knots, take %v, want %.2f h, %v", all, slow, lasts, want, err)
	}
	const deep = `{"source":{"position":{"type":"Point","coordinates":[-0.2,49.5]}},"draught":8.1,`
	if a := s.post(routePath+"/execute", deep+vernon+`}`).is(t, 422, "no_route"); a.json(t)["rule"] != "route_too_deep" {
		t.Errorf("a ship that is too deep: %s", a.body)
	}
	if way := s.route(`{"source":{"position":{"type":"Point","coordinates":[-0.2,49.5]}},"destination":` + kattegat + `}`); way["fairways"] != nil {
		t.Errorf("into the Kattegat by %v", way["fairways"])
	}
	guide(strings.Replace(river, `"max_length":150`, `"max_length":130`, 1)) // the ship has 134 m
	for _, path := range []string{routePath + "/execute", "/api/portserver/ship/track"} {
		a := s.post(path, `{"source":{"ship":{"mmsi":`+fmt.Sprint(nordic)+`}},`+vernon+`}`).is(t, 422, "no_route")
		if a.json(t)["rule"] != "route_too_large" {
			t.Errorf("%s for a ship that is too long: %s", path, a.body)
		}
	}
}

func TestRouteToAMadePort(t *testing.T) {
	s := newSite(t)
	s.post(portPath, `{"name":"Secret Quay","position":{"type":"Point","coordinates":[11.0,56.5]}}`).is(t, 200)
	body := `{"source":` + kattegat + `,"destination":{"port":"secret quay"}}`
	s.route(body)
	s.addUser("anna", access.GroupViewer)
	s.call("anna", "POST", routePath+"/execute", body).is(t, 200)
	s.call("admin", "PUT", usersPath+"/anna", `{"access_rights":{"`+string(right.ViewPort)+`":"deny"}}`).is(t, 200)
	s.call("anna", "POST", routePath+"/execute", body).is(t, 422, "port_not_found")
}

// What the operator closed is closed for all.
func TestClosedPassagesOfTheOperator(t *testing.T) {
	s := newSite(t, func(c *Config, _ *Deps) { c.ClosedPassages = append(c.ClosedPassages, "Kiel") })
	way := s.route(`{"source":{"port":"PLGDN"},"destination":{"port":"DEHAM"}}`)
	if nm := way["distance"].(float64) / 1852; nm < 690 || slices.Contains(way["passages"].([]any), any("Kiel")) {
		t.Errorf("%.0f nm through %v", nm, way["passages"])
	}
}
