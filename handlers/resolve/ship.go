// Package resolve finds the ships, ports and places that a request names, and the ways by sea between them.
//
// A ship that the caller does not see counts as unknown. So does a port that was made here, for a caller without view_port.
package resolve

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/sight"
)

// ambiguousMost is how many ships are named where a description fits several.
const ambiguousMost = 100

// Hull finds the one ship that fits a description, and the transmitters that it had in begin <= time < end. It is found as it was at a time, as it is now, or
// as it was at any time.
func Hull(ctx context.Context, v *sight.Viewer, q ship.Identity, at, begin, end time.Time) (ship.State, []sight.Tenure, []string, error) {
	found, warnings, err := Ship(ctx, v, q, at)
	if p := (*request.Problem)(nil); !at.IsZero() && errors.As(err, &p) && p.Code == request.CodeShipNotFound {
		found, warnings, err = Ship(ctx, v, q, time.Time{})
	}
	if err != nil {
		return ship.State{}, nil, nil, err
	}
	had, err := sight.Tenures(ctx, v, q, &found, begin, end)
	return found, had, warnings, err
}

// Ship finds the one ship that fits a description, at a time, or now for the zero time. The warnings name what contradicts the
// description. None or several ships are a problem.
func Ship(ctx context.Context, v *sight.Viewer, q ship.Identity, at time.Time) (ship.State, []string, error) {
	ships, contradict, err := v.Identify(ctx, q, at)
	switch {
	case err != nil:
		return ship.State{}, nil, err
	case len(ships) == 0:
		return ship.State{}, nil, &request.Problem{Status: http.StatusUnprocessableEntity, Code: request.CodeShipNotFound,
			Rule: rule.New("no_match", "no known ship matches")}
	case len(ships) > 1:
		p := request.Conflict(request.CodeAmbiguousShip, rule.New("ambiguous_ship", "{count} ships match equally well", "count", len(ships)))
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
