// Package chart answers the calls for the vector tiles of the built-in chart.
package chart

import (
	"bytes"
	"fmt"
	"hash/fnv"
	"io"
	"net/http"
	"strconv"

	"github.com/klauspost/compress/gzip"

	"quaywatch/geo/chart"
	"quaywatch/handlers/call"
	"quaywatch/rule"
)

// Server answers for the chart. Chart may be nil: then there are no tiles.
type Server struct{ Chart *chart.Chart }

// Routes are the calls about the chart.
func (s *Server) Routes() []call.Route {
	return []call.Route{
		{Method: "GET", Path: "/api/chart", Read: true, Handle: s.info},
		{Method: "GET", Path: "/api/chart/:z/:x/:y", Read: true, Packed: true, Handle: s.tile},
	}
}

// answer says what the chart is and where its tiles are.
type answer struct {
	Attribution string   `json:"attribution"`
	MaxZoom     int      `json:"max_zoom"`
	Tiles       string   `json:"tiles"` // relative to the base URL
	Layers      []string `json:"layers"`
}

func (s *Server) info(c *call.Call) error {
	if s.Chart == nil {
		return call.NotFound(rule.New("no_chart", "this server has no chart"))
	}
	return c.SendJSON(http.StatusOK, answer{s.Chart.Attribution(), chart.MaxZoom, "api/chart/{z}/{x}/{y}", []string{"land"}})
}

// tile gives one vector tile. The chart is part of the program, so a tile changes only with a new version of it;
// browsers keep it for a week and then ask by ETag.
func (s *Server) tile(c *call.Call) error {
	if s.Chart == nil {
		return call.NotFound(rule.New("no_chart", "this server has no chart"))
	}
	var at [3]int
	for i, name := range [...]string{"z", "x", "y"} {
		n, err := strconv.Atoi(c.Param(name))
		if err != nil || n < 0 {
			return call.BadField(name, rule.New("whole", "must be a whole number"))
		}
		at[i] = n
	}
	z, x, y := at[0], at[1], at[2]
	if z > chart.MaxZoom || x >= 1<<z || y >= 1<<z {
		return call.NotFound(rule.New("no_tile", "no such tile"))
	}
	tile, err := s.Chart.Tile(z, x, y)
	if err != nil {
		return fmt.Errorf("chart tile %d/%d/%d: %w", z, x, y, err)
	}
	c.Writer.Header().Set("Cache-Control", "private, max-age=604800")
	if len(tile) == 0 {
		return c.NoContent()
	}
	return s.sendTile(c, tile)
}

// sendTile sends what is compressed already, and unpacks it for the rare client that cannot.
func (s *Server) sendTile(c *call.Call, tile []byte) error {
	sum := fnv.New64a()
	sum.Write(tile)
	tag := fmt.Sprintf(`"%x"`, sum.Sum64())
	c.Writer.Header().Set("ETag", tag)
	if c.Request.Header.Get("If-None-Match") == tag {
		c.Writer.WriteHeader(http.StatusNotModified)
		return nil
	}
	if c.AcceptsGzip() {
		c.Writer.Header().Set("Content-Encoding", "gzip")
	} else {
		r, err := gzip.NewReader(bytes.NewReader(tile))
		if err != nil {
			return fmt.Errorf("unpack a tile: %w", err)
		}
		if tile, err = io.ReadAll(r); err != nil {
			return fmt.Errorf("unpack a tile: %w", err)
		}
	}
	c.Send(http.StatusOK, "application/vnd.mapbox-vector-tile", tile)
	return nil
}
