package ports

import (
	"context"
	"fmt"
	"math"
	"net/http"

	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/ship/berthing"
	"quaywatch/sight/telling"
	"quaywatch/users/access/right"
)

// suggestion is a place where ships lie again and again, and that nobody named.
type suggestion struct {
	Kind      string          `json:"kind"` // berth or anchorage
	Position  *wire.PointJSON `json:"position"`
	Length    float64         `json:"length,omitempty"`    // metres of the longest ship, upwards to ten
	Direction *float64        `json:"direction,omitempty"` // along the quay, degrees below 180
	Radius    float64         `json:"radius,omitempty"`    // metres, of an anchorage
	Ships     int             `json:"ships"`               // different ones
	Stays     int             `json:"stays"`
	Few       bool            `json:"few,omitempty"` // for callers alone that may see each of the ships
}

// suggested is the answer about a port.
type suggested struct {
	Records  []suggestion `json:"records"`
	Warnings []string     `json:"warnings,omitempty"`
}

// suggestions returns the places of a port where ships lie again and again and where it has no berth. They name no ship. Places that fewer than
// three ships used are for callers that may see each of these and their calls.
func (s *Server) suggestions(c *request.Request) error {
	port, err := s.pathPort(c)
	if err != nil {
		return err
	}
	l, err := s.deps.Desk.Listener(c)
	if err != nil {
		return err
	}
	ctx := c.HTTP.Context()
	lain, err := s.deps.Calls.LainAt(ctx, l, port.ID)
	if err != nil {
		return err
	}
	few, history := portcalls.LyingPlaces{}, l.User.May(right.ViewHistory)
	if history {
		if few, err = s.fewPlaces(ctx, l, port, lain); err != nil {
			return err
		}
	}
	answer := suggested{Records: []suggestion{}}
	answer.add(port, lain.All, false)
	answer.add(port, few, true)
	if len(lain.All.Berths)+len(lain.All.Anchorages)+len(few.Berths)+len(few.Anchorages) == 0 {
		answer.Warnings = []string{whyNone(history, few.Stays)}
	}
	return c.SendJSON(http.StatusOK, answer)
}

// fewPlaces returns the places that fewer than three ships used, as the caller finds them in the calls that it may see.
func (s *Server) fewPlaces(ctx context.Context, l *telling.Listener, port *chart.Port, lain telling.KnownPlaces) (portcalls.LyingPlaces, error) {
	key := fmt.Sprintf("%d %s %d", port.ID, l.Viewer.Key(), lain.Found.UnixNano())
	return s.fewKept.answerOf(ctx, key, l.Viewer.Now(), func() (portcalls.LyingPlaces, error) { return lain.Few(ctx, l) })
}

// add adds places, but for berths that the port has.
func (a *suggested) add(port *chart.Port, places portcalls.LyingPlaces, few bool) {
	for _, p := range places.Berths {
		if !hasBerthAt(port, p) {
			a.Records = append(a.Records, suggestionOf("berth", p, few))
		}
	}
	for _, p := range places.Anchorages {
		a.Records = append(a.Records, suggestionOf("anchorage", p, few))
	}
}

// whyNone says why there is no place. A caller without the right to see calls does not learn whether there are any.
func whyNone(history bool, stays int) string {
	switch {
	case !history:
		return "no place of this port was used five times by three different ships of one size for an hour or more"
	case stays == 0:
		return "no ship is known to have lain at this port for an hour or more"
	}
	return "no place of this port was used five times by ships of one size for an hour or more"
}

func suggestionOf(kind string, p berthing.LyingPlace, few bool) suggestion {
	r := suggestion{Kind: kind, Position: wire.At(p.Middle), Length: 10 * math.Ceil(p.Length/10), Radius: math.Ceil(p.Radius), Ships: p.Ships,
		Stays: p.Stays, Few: few}
	if p.Direction >= 0 {
		d := math.Mod(math.Round(p.Direction), 180)
		r.Direction = &d
	}
	return r
}

// besideBerth is how far from a berth ships lie that are at it, at least: metres.
const besideBerth = 40

// hasBerthAt reports whether a port has a berth at a place.
func hasBerthAt(port *chart.Port, p berthing.LyingPlace) bool {
	for i := range port.Berths {
		b := &port.Berths[i]
		if b.Position != nil && geo.Distance(*b.Position, p.Middle) <= max(b.Length/2, besideBerth) {
			return true
		}
	}
	return false
}
