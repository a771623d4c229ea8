package handlers

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/users/access/right"
)

// TestAZoneAroundAHiddenShipTellsNothing: of the ships that come near a ship its owner hears nothing while that ship is hidden, though they are not: not where
// it is, not that they came, not how many are inside.
func TestAZoneAroundAHiddenShipTellsNothing(t *testing.T) {
	const other = 211222333
	s := newSite(t)
	for _, name := range []string{"anna", "blind"} {
		s.may(name, right.ViewWatchdog, right.ConfigureWatchdogDefinitions)
	}
	s.setFilter("blind", `{"expression":"mmsi = 211222333"}`)
	paths := map[string]string{}
	for _, name := range []string{"anna", "blind"} {
		paths[name] = s.watchdog(name, fmt.Sprintf(`{"name":"Ring of %s","type":"zone","severity":"alert","zone":{"mmsi":219018765,"radius":2000}}`, name))
	}
	for i := range 10 {
		at := noon().Add(time.Duration(i) * time.Minute)
		s.hear(at, position(nordic, 10.32, 56.14, 0, 0))
		s.hear(at.Add(time.Second), position(other, 10.26+float64(i)/180, 56.14, 120, 900))
	}
	s.settle()
	s.raise()
	for name, tells := range map[string]bool{"anna": true, "blind": false} {
		for door, path := range map[string]string{"events": eventPath + "?after_id=0", "alerts": alertPath, "inside": paths[name] + "/active", "definition": paths[name]} {
			a := s.call(name, "GET", path, "").is(t, 200)
			is := strings.Contains(string(a.body), "211222333")
			if door == "definition" {
				one := a.json(t)
				is = one["active_ships"] != 0.0 || one["last_event"] != nil
			}
			if is != tells {
				t.Errorf("%s of %s: %s", door, name, a.body)
			}
		}
	}
	of := func(mmsi string) any {
		one := s.call("blind", "PUT", paths["blind"], `{"zone":{"mmsi":`+mmsi+`,"radius":2000}}`).is(t, 200).json(t)
		return one["problem"]
	}
	if hidden, unknown := of("219018765"), of("219777001"); hidden == nil || hidden != unknown {
		t.Errorf("of the hidden ship %v, of none %v", hidden, unknown)
	}
}
