// Package named finds the ships, ports and places that a request names, and the ways by sea between them.
//
// A ship that the caller does not see is none that is known, as is a port that was made here for a caller without view_port.
package named

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"quaywatch/handlers/call"
	"quaywatch/handlers/wire"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/sight"
)

// ambiguousMost is how many ships are named where a description fits several.
const ambiguousMost = 100

// Ship finds the one ship that fits a description, at a time, or now for the zero time. The warnings name what contradicts the
// description. None or several ships are a problem.
func Ship(ctx context.Context, v *sight.Viewer, q ship.Identity, at time.Time) (ship.State, []string, error) {
	ships, contradict, err := v.Identify(ctx, q, at)
	switch {
	case errors.Is(err, sight.ErrTooMany):
		why := rule.New("too_many_renamed", "too many ships have changed since that time; name the ship by its MMSI")
		return ship.State{}, nil, &call.Problem{Status: http.StatusBadRequest, Code: call.CodeLimitReached, Rule: why}
	case err != nil:
		return ship.State{}, nil, err
	case len(ships) == 0:
		return ship.State{}, nil, &call.Problem{Status: http.StatusUnprocessableEntity, Code: call.CodeShipNotFound,
			Rule: rule.New("no_match", "no known ship matches")}
	case len(ships) > 1:
		p := call.Conflict(call.CodeAmbiguousShip, rule.New("ambiguous_ship", "{count} ships match equally well", "count", len(ships)))
		for i := range ships[:min(len(ships), ambiguousMost)] {
			p.Records = append(p.Records, json.RawMessage(wire.Ship(&ships[i], nil, nil, nil)))
		}
		return ship.State{}, nil, p
	}
	var warnings []string
	for _, name := range contradict.Names() {
		warnings = append(warnings, name+" is not that of the ship found")
	}
	return ships[0], warnings, nil
}
