// Package wms answers the calls of the map overlay: a Web Map Service 1.3.0 (ISO 19128). Its layers are the result of a statistic, the land, the ports, the
// saved shapes, and the ships of now and of before.
//
// A picture is cut for its reader as the JSON result is: it has nothing of a ship that the reader may not see. A client that knows no statistics works too. The
// capabilities of a job name the job in the address of its pictures. Without a job the layer of the statistics is empty.
package wms

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"net/http"
	"strings"
	"time"

	"quaywatch/engine/stats"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/handlers/request"
	"quaywatch/handlers/statistics"
	"quaywatch/handlers/wire"
	"quaywatch/internal/rule"
	"quaywatch/users/access/right"
	"quaywatch/users/library"
	"quaywatch/users/registry"
)

// Path is that of the map overlay.
const Path = "/api/wms"

// Bounds of the work for pictures.
const (
	atOnce       = 2                // pictures that are drawn at once
	longest      = 50 * time.Second // that one may take; the server ends an answer after a minute
	pixelBytes   = 4                // of memory for each pixel: the canvas, the layers below, and its file twice while that grows
	retryDrawing = 10 * time.Second
)

// Deps is what the map overlay asks.
type Deps struct {
	Statistics *statistics.Server
	Ports      *registry.PortTable
	Tiles      *chart.Tiles // nil: there is no land
	Library    *library.Library
	Register   wire.RegisterLookup // what is known of a ship beside AIS
	Desk       *request.Desk
	Proxies    request.Proxies
	BasePath   string // in front of every path, "" for none
}

// Server answers about the map overlay.
type Server struct {
	deps  Deps
	slots chan struct{} // one for each picture that is drawn
}

// New makes the server.
func New(d Deps) *Server { return &Server{d, make(chan struct{}, atOnce)} }

// Routes are the calls of the map overlay: clients write its address with a slash at the end and without one.
func (s *Server) Routes() []request.Route {
	route := request.Route{Method: "GET", Path: Path, Right: right.ViewWMSLayers, Packed: true, Problem: problem, Handle: s.handle}
	other := route
	other.Path += "/"
	return []request.Route{route, other}
}

// handle answers one request of the service.
func (s *Server) handle(c *request.Request) error {
	p := paramsOf(c.HTTP.URL.Query())
	var wrong *exception
	err := s.answerRequest(c, p)
	if !errors.As(err, &wrong) {
		return err
	}
	return s.sendException(c, p, wrong)
}

// answerRequest answers by what is asked for. An *exception is what the caller did wrong.
func (s *Server) answerRequest(c *request.Request, p params) error {
	if service, given := p["service"]; given && !strings.EqualFold(service, "WMS") {
		return makeException(codeValue, "service must be WMS")
	}
	switch request := p["request"]; {
	case request == "":
		return makeException(codeMissing, "the parameter request is missing")
	case strings.EqualFold(request, "GetCapabilities"):
		return s.capabilities(c, p)
	case strings.EqualFold(request, "GetMap"):
		return s.getMap(c, p)
	case strings.EqualFold(request, "GetFeatureInfo"):
		return s.getFeatureInfo(c, p)
	case strings.EqualFold(request, "GetLegendGraphic"):
		return s.getLegend(c, p)
	}
	return makeException(codeOperation, "the operations are GetCapabilities, GetMap, GetFeatureInfo and GetLegendGraphic")
}

// getMap draws a picture.
func (s *Server) getMap(c *request.Request, p params) error {
	m, err := readMap(p)
	if err != nil {
		return err
	}
	if err := s.entitled(c, m.layers); err != nil {
		return err
	}
	w, err := s.work(c, m)
	if err != nil {
		return err
	}
	var file []byte
	err = s.inTurn(c, int64(m.width)*int64(m.height)*pixelBytes+w.memory(), func(ctx context.Context) error {
		file, err = w.draw(ctx)
		return err
	})
	if err != nil {
		return err
	}
	c.Writer.Header().Set("X-Labels", labelsText(w.canvas.Labels()))
	return sendPicture(c, file)
}

// labelsText writes the left, top, width and height of each label of a picture. So a map that writes upon the picture leaves room.
func labelsText(boxes []image.Rectangle) string {
	var all []string
	for _, b := range boxes {
		all = append(all, fmt.Sprintf("%d %d %d %d", b.Min.X, b.Min.Y, b.Dx(), b.Dy()))
	}
	return strings.Join(all, ", ")
}

// timeoutProblem makes of an error that the time ran out the answer that says so.
func timeoutProblem(c *request.Request, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && c.HTTP.Context().Err() == nil {
		return &request.Problem{Status: http.StatusServiceUnavailable, Code: request.CodeBusy, RetryAfter: retryDrawing,
			Rule: rule.New("wms_slow", "the picture takes too long, or too many are being drawn")}
	}
	return err
}

// inTurn does work that reads a result when it is its turn. What waits for its turn holds no memory: the many pictures that a program asks for at once
// come one after the other. The answer is sent after the turn, however slow its caller is.
func (s *Server) inTurn(c *request.Request, memory int64, work func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(c.HTTP.Context(), longest)
	defer cancel()
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return timeoutProblem(c, ctx.Err())
	}
	if err := c.HoldResult(memory); err != nil {
		return err
	}
	defer c.DropResult()
	return timeoutProblem(c, work(ctx))
}

// portPlace returns where a port is; false where that is not known.
func (s *Server) portPlace(id uint64) (geo.Point, bool) {
	p, ok := s.deps.Ports.Current().ByID(id)
	if !ok || !p.Placed {
		return geo.Point{}, false
	}
	return p.Position, true
}

// findStatistic returns the statistic of a request; nil for none. One that the caller may not see, or that was aborted, is a wrong value.
func (s *Server) findStatistic(c *request.Request, job int64) (*statistics.ResultReading, error) {
	if job == 0 {
		return nil, nil
	}
	r, err := s.deps.Statistics.Reading(c, job)
	if errors.Is(err, statistics.ErrNone) {
		return nil, makeException(codeValue, "there is no such job")
	}
	if err == nil && r.Job.State == stats.Aborted {
		return nil, makeException(codeValue, "the job was aborted")
	}
	return r, err
}

// sendPicture sends a picture, or says that the caller has it already. The picture may change at any time with the rights of its reader, so it is always asked for.
func sendPicture(c *request.Request, file []byte) error {
	sum := sha256.Sum256(file)
	tag := `"` + hex.EncodeToString(sum[:12]) + `"`
	h := c.Writer.Header()
	h.Set("Cache-Control", "private, no-cache")
	h.Set("ETag", tag)
	if strings.Contains(c.HTTP.Header.Get("If-None-Match"), tag) {
		c.Writer.WriteHeader(http.StatusNotModified)
		return nil
	}
	c.Send(http.StatusOK, pictureType, file)
	return nil
}
