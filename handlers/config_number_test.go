package handlers

import (
	"fmt"
	"strings"
	"testing"

	"quaywatch/form"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
)

// A user that names a shape with the number of another shape learns nothing about the other, and no filter means it.
func TestANameTakesNoNumber(t *testing.T) {
	s := newSite(t)
	s.hear(s.clock.now(), position(211000001, 10, 56, 0, 0))
	s.settle()
	const world = `{"type":"Polygon","coordinates":[[[-179,-80],[179,-80],[179,80],[-179,80],[-179,-80]]]}`
	circle := `"circle":{"center":{"type":"Point","coordinates":[100,10]},"radius":1000}`
	id := fmt.Sprint(s.post(configPath+"/shape", `{"name":"open water",`+circle+`}`).is(t, 200).json(t)["id"])
	s.may("nary", access.Anonymous().Effective()...)
	s.call("admin", "PUT", usersPath+"/nary", `{"receive_filter":{"expression":"pos within shape(\"`+id+`\")"}}`).is(t, 200)
	info := "/api/portserver/ship/info/211000001"
	s.call("nary", "GET", info, "").is(t, 404)
	s.call("nary", "POST", configPath+"/shape", `{"name":"`+id+`","polygon":`+world+`}`).is(t, 400, "bad_request")
	s.call("nary", "POST", configPath+"/shape", `{"name":"mine","polygon":`+world+`}`).is(t, 200)
	s.call("nary", "PUT", configPath+"/shape/mine", `{"name":" `+id+` "}`).is(t, 400, "bad_request")
	for _, kind := range []string{"shiplist", "filter"} {
		s.post(configPath+"/"+kind, `{"name":"12","ships":[],"filter":""}`).is(t, 400, "bad_request")
	}
	// A box may have one since the time when numbers were names as well.
	nary, _ := s.users.User("nary")
	mine, _ := s.areas.Library.Get(library.Shapes, "mine")
	if _, err := s.areas.Library.Insert(library.Shapes, library.Resource{Name: id, Owned: form.Owned{Owner: nary.UID}, Polygon: mine.Polygon}); err != nil {
		t.Fatal(err)
	}
	s.call("nary", "GET", info, "").is(t, 404)
	if name := s.get(configPath+"/shape/"+id).is(t, 200).json(t)["name"]; name != "open water" {
		t.Errorf("number %s is %v", id, name)
	}
	s.call("admin", "PUT", configPath+"/shape/"+id, `{"color":"#f00"}`).is(t, 200)
	s.call("admin", "DELETE", configPath+"/shape/"+id, "").is(t, 409, "conflict")
	s.call("admin", "PUT", usersPath+"/nary", `{"receive_filter":{"expression":null}}`).is(t, 200)
	s.call("nary", "GET", info, "").is(t, 200)
	s.call("admin", "DELETE", configPath+"/shape/"+id, "").is(t, 204)
	if uid := s.get(configPath+"/shape/"+id).is(t, 200).json(t)["uid"]; uid == mine.UID {
		t.Errorf("another shape answers")
	}
}

// A user that may know the other shape is told which shape is the region.
func TestTheRegionIsAnothers(t *testing.T) {
	const circle = `"circle":{"center":{"type":"Point","coordinates":[100,10]},"radius":1000}`
	s := newSite(t)
	s.post(configPath+"/shape", `{"name":"roads","region":7,`+circle+`}`).is(t, 200)
	s.may("nary", append(access.Anonymous().Effective(), right.AddRemoveRegion, right.ChangeRegion)...)
	s.call("nary", "POST", configPath+"/shape", `{"name":"mine","region":8,`+circle+`}`).is(t, 200)
	for user, want := range map[string]string{"nary": "7 is another shape", "admin": `7 is the shape \"roads\"`} {
		for _, a := range []answer{s.call(user, "POST", configPath+"/shape", `{"name":"new","region":7,`+circle+`}`),
			s.call(user, "PUT", configPath+"/shape/mine", `{"region":7}`)} {
			if a.is(t, 409, "name_taken"); !strings.Contains(string(a.body), want) || !strings.Contains(string(a.body), `"pointer":"/region"`) {
				t.Errorf("%s: %s", user, a.body)
			}
		}
	}
	s.call("nary", "PUT", configPath+"/shape/mine", `{"region":9}`).is(t, 200)
}
