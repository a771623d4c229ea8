package tracking

import (
	"cmp"
	"iter"
	"slices"
	"strconv"
	"strings"

	"quaywatch/ais"
	"quaywatch/engine/tracking"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/sight"
	"quaywatch/sight/telling"
)

// ToPort returns the tracks that lead to a port, and the ships that are on their way there. Tracks that arrive first stand in front, and those without an ETA
// last. A number as mmsi leaves out all other ships.
func (s *Server) ToPort(c *request.Request, v *sight.Viewer, port uint64) (list iter.Seq[any], coming map[ais.MMSI]bool, err error) {
	asked, err := s.askedOf(c, mostSailedOfLists, false)
	if err != nil {
		return nil, nil, err
	}
	wanted, err := statuses(c)
	if err != nil {
		return nil, nil, err
	}
	only, err := c.QueryNumber("mmsi")
	if err != nil {
		return nil, nil, err
	}
	l := s.deps.Desk.ListenerOf(c.Caller.User, v)
	seen, err := s.listTracks(c.HTTP.Context(), l, func(t *tracking.TrackedShip) bool {
		return t.Destination.Port == port && (only == 0 || t.Source.Ship == ais.MMSI(only))
	})
	if err != nil {
		return nil, nil, err
	}
	coming = map[ais.MMSI]bool{}
	for _, t := range seen {
		if now := t.Now.Status; t.Ship != nil && now != tracking.Arrived && !now.Over() {
			coming[t.Ship.MMSI] = true
		}
	}
	seen = slices.DeleteFunc(seen, func(t *telling.ToldTrack) bool { return len(wanted) > 0 && !slices.Contains(wanted, t.Now.Status) })
	slices.SortStableFunc(seen, func(a, b *telling.ToldTrack) int {
		return cmp.Or(-cmp.Compare(min(a.Now.ETA, 1), min(b.Now.ETA, 1)), cmp.Compare(a.Now.ETA, b.Now.ETA))
	})
	list, err = s.trackRecords(c, l, seen, asked)
	return list, coming, err
}

// statuses returns the statuses that the query names, by number or word; none for all.
func statuses(c *request.Request) (wanted []tracking.Status, err error) {
	if c.Query("status") == "" {
		return nil, nil
	}
	for word := range strings.SplitSeq(c.Query("status"), ",") {
		word = strings.TrimSpace(word)
		n := slices.IndexFunc(everyStatus(), func(s tracking.Status) bool { return s.String() == word || strconv.Itoa(int(s)) == word })
		if n < 0 {
			return nil, request.BadField("status", rule.New("track_status", "must be numbers or words of statuses, with commas between them"))
		}
		wanted = append(wanted, tracking.Status(n))
	}
	return wanted, nil
}

// everyStatus returns all statuses in the order of their numbers.
func everyStatus() (all []tracking.Status) {
	for s := tracking.Pending; s <= tracking.Ended; s++ {
		all = append(all, s)
	}
	return all
}
