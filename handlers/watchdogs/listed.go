package watchdogs

import (
	"quaywatch/ais"
	"quaywatch/handlers/call"
	"quaywatch/library"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/watch"
)

// Listed returns what tells the ships on the list that a watchdog makes, as far as the caller may know. Those come first that are there longest. Where there
// can be none it tells why.
func (s *Server) Listed(c *call.Call) (func(list *library.Resource) ([]ship.Listed, *rule.Rule), error) {
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return nil, err
	}
	ships := map[uint64][]ship.Listed{}
	if !v.Late() {
		if ships, err = s.listedTo(c, v); err != nil {
			return nil, err
		}
	}
	return func(list *library.Resource) ([]ship.Listed, *rule.Rule) {
		none := []ship.Listed{}
		switch why := s.deps.Watch.Problem(list.Of); {
		case v.Late():
			return none, insideLate()
		case !list.Watchdog.Enabled:
			return none, rule.New("list_off", "has no ships: its watchdog is switched off")
		case why != nil:
			return none, why
		}
		return append(none, ships[list.Of]...), nil
	}, nil
}

// listedTo returns the ships on all lists of watchdogs that a viewer may know of, by watchdog.
func (s *Server) listedTo(c *call.Call, v *sight.Viewer) (map[uint64][]ship.Listed, error) {
	type place struct {
		watchdog uint64
		mmsi     ais.MMSI
	}
	ships, seen := map[uint64][]ship.Listed{}, map[place]bool{}
	all := watch.ListedNow(s.deps.Watch, 0)
	err := v.InTurns(c.Request.Context(), len(all), func(i int) {
		entry := &all[i]
		at := place{entry.Watchdog, entry.MMSI}
		if seen[at] || !seesInside(v, entry) { // of a ship in several pairs one may be seen
			return
		}
		seen[at] = true
		ships[entry.Watchdog] = append(ships[entry.Watchdog], listedOf(v, entry.MMSI))
	})
	return ships, err
}

// listedOf returns a ship as a list has it.
func listedOf(v *sight.Viewer, m ais.MMSI) ship.Listed {
	listed := ship.Listed{MMSI: int64(m)}
	if now, there := v.Here(m); there && now.Static != nil {
		listed.IMO, listed.Name, listed.CallSign = int64(now.Static.IMO), now.Static.Name, now.Static.CallSign
	}
	return listed
}
