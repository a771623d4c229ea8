package handlers

import (
	"testing"

	"quaywatch/users/access"
)

const world = `{"type":"Polygon","coordinates":[[[-180,-90],[180,-90],[180,90],[-180,90],[-180,-90]]]}`

// The box of the world means the world by each door: as an area, a receive filter, a bbox of the stream, and in the filter language.
func TestTheBoxOfTheWorldHasEveryShip(t *testing.T) {
	s := newSite(t)
	ships := len(fleet(s))
	path := areaPath + "/" + s.started(s.post(areaPath, `{"area":`+world+`}`), 200)
	if found := recordsOf(t, s.finish("admin", path).is(t, 200)); len(found) != ships {
		t.Errorf("an area has %d of %d ships", len(found), ships)
	}
	s.post(configPath+"/shape", `{"name":"World","polygon":`+world+`}`).is(t, 200)
	s.addUser("anna", access.GroupViewer)
	s.call("admin", "PUT", usersPath+"/anna", `{"receive_filter":{"areas":["World"]}}`).is(t, 200)
	for _, row := range []struct{ user, query string }{
		{"anna", ""}, {"admin", "bbox=-180,-90,180,90"}, {"admin", "bbox=-179.995,-90,179.995,90"},
		{"admin", `filter=pos+within+shape("World")`}, {"admin", `filter=pos+within+bbox(-90,-180,90,180)`},
	} {
		l := listenAs(t, row.user, s.serve().URL, row.query, "")
		if l.until("picture"); len(l.ships) != ships {
			t.Errorf("%s %s: %d of %d ships", row.user, row.query, len(l.ships), ships)
		}
	}
}

// What a shape was written as and what it is read as are the same shape, also for a client that knows the shorter way alone.
func TestAWideRingIsReadWithPointsOnItsWay(t *testing.T) {
	s := newSite(t)
	s.post(configPath+"/shape", `{"name":"World","polygon":`+world+`}`).is(t, 200)
	read := s.get(configPath+"/shape/World").is(t, 200).json(t)["polygon"].(map[string]any)
	ring := read["coordinates"].([]any)[0].([]any)
	if len(ring) != 9 {
		t.Errorf("%d points: %v", len(ring), ring)
	}
	flat := `{"type":"Polygon","coordinates":[[[10,56],[11,57],[12,58],[10,56]]]}`
	s.post(areaPath, `{"area":`+flat+`}`).is(t, 400, "bad_request")
	s.post(configPath+"/shape", `{"name":"Flat","polygon":`+flat+`}`).is(t, 400, "bad_request")
}
