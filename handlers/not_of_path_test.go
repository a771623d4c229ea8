package handlers

import (
	"fmt"
	"strings"
	"testing"
)

// TestPutOfAnotherObject holds that a body that names another object than the path is refused at every door, and that the same is taken.
func TestPutOfAnotherObject(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), voyage(nordic, "NORDIC HAV"))
	s.settle()
	track := s.tracked("admin", aTrack)
	s.post(configPath+"/shape", `{"name":"pier","circle":{"center":{"type":"Point","coordinates":[10.2,56.1]},"radius":500}}`).is(t, 200)
	for _, row := range []struct{ path, key string }{
		{track, "id"}, {configPath + "/shape/pier", "id"}, {configPath + "/shape/port/DKAAR", "id"},
	} {
		is := s.get(row.path).is(t, 200).json(t)[row.key]
		if is == nil {
			t.Errorf("%s has no %s", row.path, row.key)
			continue
		}
		for _, other := range []string{`4711`, `"4711"`} {
			body := fmt.Sprintf(`{%q:%s}`, row.key, other)
			if row.path == track { // whose body is else that of the ERP
				s.call("admin", "PUT", row.path, body).is(t, 200)
				body = fmt.Sprintf(`{%q:%s,"erp":{"id":12}}`, row.key, other)
			}
			s.call("admin", "PUT", row.path, body).is(t, 400)
		}
		same := fmt.Sprintf(`{%q:%q}`, row.key, is)
		if n, ok := is.(float64); ok {
			same = fmt.Sprintf(`{%q:%.0f}`, row.key, n)
		}
		if got := s.call("admin", "PUT", row.path, same); got.status == 400 && strings.Contains(string(got.body), "not_of_path") {
			t.Errorf("%s: %s is refused: %s", row.path, same, got.body)
		}
	}
}
