package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/users/access"
)

// TestPassagesSailedBeyondTheirLimit: a ship that is too deep for a strait and sails through it is told in the status, by the limit, and counted among the
// figures. A user that does not see all ships is not told.
func TestPassagesSailedBeyondTheirLimit(t *testing.T) {
	s := newSite(t)
	if _, there := s.get("/api/status").is(t, 200).json(t)["passages_exceeded"]; there {
		t.Error("a limit is exceeded by no ship")
	}
	deep := voyage(nordic, "NORDIC HAV")
	deep.Draught = 88
	at := noon()
	for i := range 18 { // north through the Drogden
		at = at.Add(2 * time.Minute)
		s.hear(at, deep)
		s.hear(at, position(nordic, 12.66+float64(i)*0.005, 55.53+float64(i)*0.0075, 140, 200))
	}
	s.settle()
	limits := s.get("/api/status").is(t, 200).json(t)["passages_exceeded"]
	want := `[map[largest:8.8 last:` // and its time
	if text := fmt.Sprint(limits); !strings.HasPrefix(text, want) || !strings.HasSuffix(text, "limit:draught max:7.7 passage:Drogden ships:1]]") {
		t.Errorf("%v", limits)
	}
	if text := string(s.get("/metrics").is(t, 200).body); !strings.Contains(text, "quaywatch_passages_exceeded_total 1") {
		t.Error("the ship is not among the figures")
	}
	s.addUser("anna", access.GroupAdmin)
	if all := s.call("anna", "GET", "/api/status", "").is(t, 200).json(t); all["passages_exceeded"] == nil {
		t.Error("a user that sees all ships is not told")
	}
	s.setFilter("anna", fmt.Sprintf(`{"expression":"not mmsi = %d"}`, nordic))
	if cut := s.call("anna", "GET", "/api/status", "").is(t, 200).json(t); cut["passages_exceeded"] != nil {
		t.Errorf("a user that does not see the ship is told %v", cut["passages_exceeded"])
	}
}
