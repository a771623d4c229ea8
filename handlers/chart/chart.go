// Package chart answers the calls for the vector tiles of the built-in chart, and for the water that ships taught.
package chart

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/klauspost/compress/gzip"

	"quaywatch/engine/portcalls"
	"quaywatch/geo/chart"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
)

// tileType is the media type of a vector tile.
const tileType = "application/vnd.mapbox-vector-tile"

// Server answers for the chart. Tiles may be nil: then there is no chart.
type Server struct {
	Tiles *chart.Tiles
	Water *portcalls.Waters // that ships teach
	Now   func() time.Time
	Desk  *request.Desk
}

// Routes are the calls about the chart.
func (s *Server) Routes() []request.Route {
	return append(s.waterRoutes(),
		request.Route{Method: "GET", Path: "/api/chart", Read: true, Handle: s.sendInfo},
		request.Route{Method: "GET", Path: "/api/chart/:z/:x/:y", Read: true, Packed: true, Handle: s.tile},
	)
}

// answer says what the chart is and where its tiles are.
type answer struct {
	Attribution string   `json:"attribution"`
	MaxZoom     int      `json:"max_zoom"`
	Tiles       string   `json:"tiles"` // relative to the base URL
	Layers      []string `json:"layers"`
}

func (s *Server) sendInfo(c *request.Request) error {
	if s.Tiles == nil {
		return request.NotFound(rule.New("no_chart", "this server has no chart"))
	}
	return c.SendJSON(http.StatusOK, answer{s.Tiles.Attribution(), chart.MaxZoom, "api/chart/{z}/{x}/{y}", []string{"land", "learned", "seen"}})
}

// tile returns one vector tile. The chart is part of the program, so a tile changes only with a new version of it. Browsers keep it for a week and then ask by
// ETag. Where water is learned, they ask each time.
func (s *Server) tile(c *request.Request) error {
	if s.Tiles == nil {
		return request.NotFound(rule.New("no_chart", "this server has no chart"))
	}
	var at [3]int
	for i, name := range [...]string{"z", "x", "y"} {
		n, err := strconv.Atoi(c.Param(name))
		if err != nil || n < 0 {
			return request.BadField(name, rule.New("whole", "must be a whole number"))
		}
		at[i] = n
	}
	z, x, y := at[0], at[1], at[2]
	if z > chart.MaxZoom || x >= 1<<z || y >= 1<<z {
		return request.NotFound(rule.New("no_tile", "no such tile"))
	}
	cut, err := s.cutFor(c)
	if err != nil {
		return err
	}
	tile, err := cut(z, x, y)
	if err != nil {
		return fmt.Errorf("chart tile %d/%d/%d: %w", z, x, y, err)
	}
	c.Writer.Header().Set("Cache-Control", "private, max-age=604800")
	if s.Tiles.Learned() {
		c.Writer.Header().Set("Cache-Control", "private, no-cache")
	}
	if len(tile.Data) == 0 {
		return c.NoContent()
	}
	return s.sendTile(c, tile)
}

// cutFor returns what cuts the tiles for a caller. Where a single ship sailed is for callers that see all ships at once. Others would find on the chart a ship
// that is hidden, or that they are told of later.
func (s *Server) cutFor(c *request.Request) (func(z, x, y int) (chart.CutTile, error), error) {
	if !s.Tiles.Learned() {
		return s.Tiles.Tile, nil
	}
	all, err := s.seesAll(c)
	if err != nil {
		return nil, err
	}
	if all {
		return s.Tiles.Tile, nil
	}
	return s.Tiles.TileWithoutSeen, nil
}

// seesAll reports whether a caller sees all ships at once.
func (s *Server) seesAll(c *request.Request) (bool, error) {
	v, err := s.Desk.Viewer(c)
	return err == nil && v.Everything() && !v.Late(), err
}

// sendTile sends what is compressed already, and unpacks it, piece by piece, for the rare client that cannot.
func (s *Server) sendTile(c *request.Request, tile chart.CutTile) error {
	h := c.Writer.Header()
	h.Set("ETag", tile.Tag)
	if c.HTTP.Header.Get("If-None-Match") == tile.Tag {
		c.Writer.WriteHeader(http.StatusNotModified)
		return nil
	}
	if c.AcceptsGzip() {
		h.Set("Content-Encoding", "gzip")
		c.Send(http.StatusOK, tileType, tile.Data)
		return nil
	}
	plain, err := gzip.NewReader(bytes.NewReader(tile.Data))
	if err != nil {
		return fmt.Errorf("unpack a tile: %w", err)
	}
	h.Set("Content-Type", tileType)
	h.Add("Vary", "Accept-Encoding")
	_, err = io.Copy(c.Writer, plain)
	return err
}
