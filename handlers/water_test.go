package handlers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/paulmach/orb/encoding/mvt"

	"quaywatch/geo"
	"quaywatch/geo/chart/water"
	"quaywatch/handlers/chart"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// TestWaterIsRejected holds that an area is listed with its user, taken back by its number, and refused with the field that is wrong.
func TestWaterIsRejected(t *testing.T) {
	s := newSite(t)
	area := `{"type":"Polygon","coordinates":[[[10.1,54.36],[10.2,54.36],[10.2,54.37],[10.1,54.36]]]}`
	made := s.post(chart.RejectedPath, `{"area":`+area+`}`).is(t, 200).json(t)
	if made["cells"] != 0.0 || made["by"] != "admin" {
		t.Errorf("%v", made)
	}
	list := recordsOf(t, s.get(chart.RejectedPath).is(t, 200))
	if len(list) != 1 || list[0]["id"] != made["id"] || list[0]["time"] != "2026-11-20T12:00:00Z" || !strings.Contains(fmt.Sprint(list[0]["area"]), "54.37") {
		t.Errorf("%v", list)
	}
	s.may("drawer", right.AdminShapes)
	s.setFilter("drawer", `{"countries":[211]}`)
	if other := s.call("drawer", "POST", chart.RejectedPath, `{"area":`+area+`}`).is(t, 200).json(t); other["cells"] != nil {
		t.Errorf("a user that does not see all ships is told of %v cells", other["cells"])
	}
	s.post(chart.RejectedPath, `{}`).is(t, 400, "bad_request")
	s.post(chart.RejectedPath, `{"area":{"type":"Point","coordinates":[1,2]}}`).is(t, 400, "bad_request")
	many := strings.TrimSuffix(strings.Repeat("[10,54],[10,55],[11,55],", 400), ",")
	if a := s.post(chart.RejectedPath, `{"area":{"type":"Polygon","coordinates":[[`+many+`,[10,54]]]}}`).is(t, 400); !strings.Contains(string(a.body), "1000 points") {
		t.Errorf("too many points: %s", a.body)
	}
	path := fmt.Sprintf("%s/%.0f", chart.RejectedPath, made["id"])
	s.call("admin", "DELETE", path, "").is(t, 204)
	s.call("admin", "DELETE", path, "").is(t, 404, "not_found")
}

// TestWhereOneShipSailedIsForThoseThatSeeAll holds that a tile shows where one or two ships sailed to callers alone that see all ships without delay:
// to others the tile, and its tag, are the same whether a hidden ship sailed there.
func TestWhereOneShipSailedIsForThoseThatSeeAll(t *testing.T) {
	s := newSite(t, withChart(t))
	for name, filter := range map[string]string{"all": `{}`, "some": `{"countries":[211]}`, "late": `{"delay":600}`} {
		s.addUser(name, access.GroupOperator)
		s.call("admin", "PUT", usersPath+"/"+name, `{"receive_filter":`+filter+`}`).is(t, 200)
	}
	whole := builtInLand(t)
	cell := water.CellAt(geo.Point{Lon: 10.125, Lat: 54.3665})
	tile := func(user string) (tag string, layers []string) {
		a := s.call(user, "GET", "/api/chart/12/2163/1308", "").is(t, 200)
		decoded, err := mvt.Unmarshal(a.body)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range decoded {
			if len(l.Features) > 0 {
				layers = append(layers, l.Name)
			}
		}
		return a.header.Get("ETag"), layers
	}
	tags := map[string]string{}
	for _, sailed := range []bool{false, true} {
		var seen []water.Square
		if sailed {
			seen = []water.Square{{Row: cell.Row + 1, Col: cell.Col}}
		}
		learned, _ := water.New([]water.Square{cell}, seen)
		s.server.deps.Tiles.Use(whole.With(learned))
		for _, user := range []string{"all", "some", "late"} {
			tag, layers := tile(user)
			if !slices.Contains(layers, "learned") || slices.Contains(layers, "seen") != (sailed && user == "all") {
				t.Errorf("with a ship %v: %s gets the layers %v", sailed, user, layers)
			}
			if sailed && user != "all" && tag != tags[user] {
				t.Errorf("the tag for %s becomes %s", user, tag)
			}
			tags[user] = tag
		}
	}
}
