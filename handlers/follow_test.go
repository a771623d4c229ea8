package handlers

import (
	"fmt"
	"testing"

	"quaywatch/users/access"
)

// A change of what users keep that makes no difference to a stream sends it nothing; one that does sends the difference alone.
func TestAnOpenStreamIsToldOnlyWhatChanged(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.hear(noon(), position(211222333, 10.4, 56.14, 112, 1814))
	s.addUser("anna", access.GroupViewer)
	s.post(configPath+"/shiplist", `{"name":"Tugs","ships":[{"mmsi":219018765}]}`).is(t, 200)
	base := s.serve().URL
	plain, filtered := listen(t, base, "", ""), listen(t, base, "filter=not+shiplist+%3D+tugs", "")
	for _, l := range []*listener{plain, filtered} {
		l.until("picture")
		l.until("distress")
		l.until("messages")
	}
	quiet := func(what string, l *listener) {
		t.Helper()
		for range 2 { // the second status is five seconds later
			for {
				e, ok := l.next()
				if !ok {
					t.Fatal("the stream ended")
				}
				if e.name == "status" {
					break
				}
				t.Errorf("%s: a %s of %v", what, e.name, e.data)
			}
		}
	}
	for i := range 3 {
		s.call("admin", "PUT", usersPath+"/anna", fmt.Sprintf(`{"description":"%d"}`, i)).is(t, 200)
	}
	quiet("nothing changed", filtered)
	s.call("admin", "PUT", configPath+"/shiplist/tugs", `{"ships":[{"mmsi":219018765},{"mmsi":211222333}]}`).is(t, 200)
	if e := filtered.until("change"); len(e.data["records"].([]any)) != 0 || fmt.Sprint(e.data["gone"]) != "[2.11222333e+08]" {
		t.Errorf("the difference: %v", e.data)
	}
	quiet("no list is asked for", plain)
}
