package watchdogs

import (
	"context"

	"quaywatch/ais"
	"quaywatch/engine/watchdogs"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/sight/telling"
	"quaywatch/users/library"
)

// Listed returns what tells the ships on the list that a watchdog makes, as far as the caller may know. Those come first that are there longest. Where there
// can be none it tells why.
func (s *Server) Listed(c *request.Request) (func(list *library.Resource) ([]ship.Listed, *rule.Rule), error) {
	l, err := s.deps.Desk.Listener(c)
	if err != nil {
		return nil, err
	}
	ships, err := s.listedTo(c.HTTP.Context(), l)
	if err != nil {
		return nil, err
	}
	return func(list *library.Resource) ([]ship.Listed, *rule.Rule) {
		none := []ship.Listed{}
		switch why := s.deps.Watch.Problem(list.Of); {
		case l.Viewer.Late():
			return none, insideLate()
		case !list.Watchdog.Enabled:
			return none, rule.New("list_off", "has no ships: its watchdog is switched off")
		case why != nil:
			return none, why
		}
		return append(none, ships[list.Of]...), nil
	}, nil
}

// listedTo returns the ships on all lists of watchdogs that a listener may know of, by watchdog.
func (s *Server) listedTo(ctx context.Context, l *telling.Listener) (map[uint64][]ship.Listed, error) {
	ships := map[uint64][]ship.Listed{}
	err := s.deps.Events.Listed(ctx, l, func(entry *watchdogs.Inside) {
		ships[entry.Watchdog] = append(ships[entry.Watchdog], listedOf(l.Viewer, entry.MMSI))
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
