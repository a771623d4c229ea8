package chart

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/geo"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/users/access/right"
)

// RejectedPath is that of the areas in which no water is learned.
const RejectedPath = "/api/chart/rejected"

// most is how many bytes an area takes at most as JSON.
const most = 256 << 10

func (s *Server) waterRoutes() []request.Route {
	return []request.Route{
		{Method: "GET", Path: RejectedPath, Right: right.AdminShapes, Read: true, Handle: s.rejected},
		{Method: "POST", Path: RejectedPath, Right: right.AdminShapes, Remote: request.RemoteConfig, Audit: "water", Handle: s.reject},
		{Method: "DELETE", Path: RejectedPath + "/:id", Right: right.AdminShapes, Remote: request.RemoteConfig, Audit: "water", Handle: s.acceptArea},
	}
}

// rejectedArea is an area in which no water is learned.
type rejectedArea struct {
	ID    uint64      `json:"id"`
	Area  geo.Polygon `json:"area"`
	By    string      `json:"by"`
	Time  string      `json:"time"`
	Cells *int        `json:"cells,omitempty"` // that were taken off the chart with it
}

func areaOf(r *portcalls.Rejected) rejectedArea {
	return rejectedArea{ID: r.ID, Area: r.Area, By: r.By, Time: r.At.UTC().Format(time.RFC3339)}
}

// rejected returns the areas in which no water is learned.
func (s *Server) rejected(c *request.Request) error {
	records := []rejectedArea{}
	for _, r := range s.Water.Rejected() {
		records = append(records, areaOf(&r))
	}
	return c.SendJSON(http.StatusOK, request.Records[rejectedArea]{Records: records})
}

// reject takes what was learned in an area off the chart, for good.
func (s *Server) reject(c *request.Request) error {
	f, err := c.BindConfig(most)
	if err != nil {
		return err
	}
	f.Require("area")
	area := f.Polygon("area")
	if err := f.Err(); err != nil {
		return err
	}
	all, err := s.seesAll(c)
	if err != nil {
		return err
	}
	middle := area.Bounds().Center()
	c.Object = fmt.Sprintf("%.3f %.3f", middle.Lon, middle.Lat)
	made, cells, err := s.Water.Reject(portcalls.Rejected{Area: area, By: c.Caller.User.Name, At: s.Now()}, c.Line())
	var why *rule.Rule
	if errors.As(err, &why) {
		return request.BadField("/area", why)
	}
	if err != nil {
		return err
	}
	answer := areaOf(&made)
	if all { // the number counts where a single ship sailed
		answer.Cells = &cells
	}
	return c.SendJSON(http.StatusOK, answer)
}

// acceptArea takes an area back.
func (s *Server) acceptArea(c *request.Request) error {
	id, err := c.PathNumber("id")
	if err != nil {
		return err
	}
	c.Object = fmt.Sprint(id)
	err = s.Water.Accept(uint64(id), c.Line())
	if errors.Is(err, portcalls.ErrNotRejected) {
		return request.NotFound(rule.New("no_rejected_area", "no such area is rejected"))
	}
	if err != nil {
		return err
	}
	return c.NoContent()
}
