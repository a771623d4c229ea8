package handlers

import (
	"testing"
)

// TestSeveralSlashesAreOne: a base address with a slash at its end reaches every call, and an escaped slash stays a part of its name.
func TestSeveralSlashesAreOne(t *testing.T) {
	for _, base := range []string{"", "/ais"} {
		s := newSite(t, func(c *Config, _ *Deps) { c.BasePath = base })
		s.hear(noon(), voyage(nordic, "NORDIC HAV"))
		s.hear(noon(), position(nordic, 11, 57, 90, 0))
		authorized := []string{"Authorization", basic("admin", adminPassword), "Content-Type", "application/json"}
		for _, start := range []string{"//api", "/api/", "///api//"} {
			if base != "" {
				start = "/" + base + start
			}
			where := start + "/portserver"
			for _, path := range []string{where + "/ship/position/219018765", where + "//ship///search/hav?q=a//b", where + "/ship/search//NORDIC%20HAV"} {
				if a := s.send("GET", path, "", authorized...); a.status != 200 {
					t.Errorf("GET %s: %d %s", path, a.status, a.body)
				}
			}
			if a := s.send("POST", where+"/ship/info", `{"mmsi":219018765}`, authorized...); a.status != 200 || a.json(t)["name"] != "NORDIC HAV" {
				t.Errorf("POST %s: %d %s", where, a.status, a.body)
			}
			if a := s.send("GET", where+"/ship/position/219018765", ""); a.status != 401 {
				t.Errorf("without credentials %s: %d", where, a.status)
			}
		}
		if base != "" {
			s.send("GET", base+"x/", "").is(t, 404)
			s.send("GET", base+"x", "").is(t, 404)
			continue
		}
		s.send("POST", configPath+"/shape", `{"name":"a//b","polygon":`+world+`}`, authorized...).is(t, 200)
		s.send("GET", "/"+configPath+"/shape/a%2F%2Fb", "", authorized...).is(t, 200)
		s.send("GET", configPath+"/shape/a%2Fb", "", authorized...).is(t, 404)
		s.send("GET", "/api//nothing", "", authorized...).is(t, 404)
	}
}
