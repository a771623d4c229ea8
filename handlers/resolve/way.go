package resolve

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"quaywatch/form"
	"quaywatch/geo/route"
	"quaywatch/geo/route/graph"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
)

// WayProblem returns the problem of an error of a search for a way from one stop of a request to the next ones. The source is stop 0, then come
// so many waypoints, and then the destination.
func WayProblem(err error, from, waypoints int) error {
	unprocessable := func(code string, why *rule.Rule) error {
		return &request.Problem{Status: http.StatusUnprocessableEntity, Code: code, Rule: why}
	}
	var unknown *route.UnknownPassage
	var ashore *route.OnLand
	var closed *route.Closed
	switch {
	case errors.As(err, &unknown):
		return request.BadField("/avoid", rule.New("passage", "{name} is no passage; known are {known}", "name", unknown.Name,
			"known", strings.Join(unknown.Known, ", ")))
	case errors.As(err, &ashore):
		pointer, why := onLand(from+ashore.Stop, waypoints)
		return &request.Problem{Status: http.StatusUnprocessableEntity, Code: request.CodeNoRoute, Rule: why,
			Fields: form.Errors{{Pointer: pointer, Rule: why}}}
	case errors.Is(err, route.ErrTooDeep):
		return unprocessable(request.CodeNoRoute, rule.New("route_too_deep", "the ship is too deep for each way there"))
	case errors.Is(err, route.ErrTooLarge):
		return unprocessable(request.CodeNoRoute, rule.New("route_too_large", "the ship is too long, too wide or too high for each way there"))
	case errors.As(err, &closed):
		return unprocessable(request.CodeNoRoute, rule.New("sea_route_closed", "no way by sea leads there while these passages are closed: {passages}",
			"passages", strings.Join(closed.Passages, ", ")))
	case errors.Is(err, route.ErrNoRoute):
		return unprocessable(request.CodeNoRoute, rule.New("no_sea_route", "no way by sea leads there"))
	}
	return err
}

// onLand tells which stop lies on land.
func onLand(stop, waypoints int) (pointer string, why *rule.Rule) {
	switch {
	case stop == 0:
		return "/source", rule.New("source_on_land", "the source lies more than {km} km from water that joins the sea", "km", graph.MostOnLand)
	case stop <= waypoints:
		return fmt.Sprintf("/waypoints/%d", stop-1), rule.New("waypoint_on_land", "waypoint {number} lies more than {km} km from water that joins the sea",
			"number", stop, "km", graph.MostOnLand)
	}
	return "/destination", rule.New("destination_on_land", "the destination lies more than {km} km from water that joins the sea", "km", graph.MostOnLand)
}
