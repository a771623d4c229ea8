package wms

import (
	"context"
	"slices"

	"quaywatch/engine/stats"
	"quaywatch/handlers/request"
	"quaywatch/handlers/statistics"
	"quaywatch/render"
	"quaywatch/sight"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// layer is a layer of the service. What it draws lies on the canvas of the picture, over the layers before.
type layer struct {
	name, title string
	rights      []right.Name // that a caller needs, beside the one of the service
	viewed      bool         // it shows ships, as the caller sees them
	past        bool         // it shows what was, in a period
	asked       bool         // it tells what lies at a pixel
	legend      bool         // it has one
	memory      int64        // that drawing takes, beside the pixels; of the statistics it is that of the result
	draw        func(context.Context, *work) error
}

// statisticsLayer is the layer that is of a job.
const statisticsLayer = "statistics"

// shipsLayer is the layer of the ships of now.
const shipsLayer = "ships"

// landLayer is the layer that a server without a chart has not.
const landLayer = "land"

// layers are all layers, in the order in which a map has them from the lowest to the highest.
func layers() []layer {
	return []layer{
		{name: landLayer, title: "Land", memory: landBytes, draw: drawLand},
		{name: "shapes", title: "Shapes", memory: shapeBytes, draw: drawShapes},
		{name: "ports", title: "Ports", rights: []right.Name{right.ViewPort}, memory: shapeBytes, draw: drawPorts},
		{name: statisticsLayer, title: "Statistics", asked: true, legend: true, draw: drawStatistic},
		{name: densityLayer, title: "Density", rights: tracksRights(), viewed: true, past: true, legend: true, memory: tracksBytes + denseBytes, draw: drawDense},
		{name: tracksLayer, title: "Tracks", rights: tracksRights(), viewed: true, past: true, memory: tracksBytes, draw: drawSailed},
		{name: shipsLayer, title: "Ships", viewed: true, asked: true, memory: shipsBytes, draw: drawShips},
	}
}

// layerOf returns a layer by its name; nil for none.
func layerOf(name string) *layer {
	all := layers()
	if i := slices.IndexFunc(all, func(l layer) bool { return l.name == name }); i >= 0 {
		return &all[i]
	}
	return nil
}

// layerNames are the names of all layers.
func layerNames() (names []string) {
	for _, l := range layers() {
		names = append(names, l.name)
	}
	return names
}

// mayDraw reports whether a user has the rights of a layer.
func (l *layer) mayDraw(who *access.User) bool {
	return !slices.ContainsFunc(l.rights, func(name right.Name) bool { return !who.May(name) })
}

// entitled asks for the rights of layers, and for the chart of the land.
func (s *Server) entitled(c *request.Request, names []string) error {
	for _, name := range names {
		if name == landLayer && s.deps.Tiles == nil {
			return makeException(codeLayer, "this server has no chart")
		}
		for _, needed := range layerOf(name).rights {
			if err := request.Entitled(c.Caller.User, needed); err != nil {
				return err
			}
		}
	}
	return nil
}

// work is a picture that is being drawn, for a caller.
type work struct {
	*Server
	*mapRequest
	who     *access.User
	canvas  *render.Canvas
	reading *statistics.ResultReading // nil for no job
	viewer  *sight.Viewer             // nil where no layer shows ships
	legend  render.Legend             // of the statistic, else of the density; empty for none
}

// work returns what a picture is drawn of.
func (s *Server) work(c *request.Request, m *mapRequest) (w *work, err error) {
	w = &work{Server: s, mapRequest: m, who: c.Caller.User}
	if slices.ContainsFunc(m.layers, func(name string) bool { return layerOf(name).past }) {
		if err := s.mayLookBack(c, m); err != nil {
			return nil, err
		}
	}
	if slices.Contains(m.layers, statisticsLayer) {
		if w.reading, err = s.findStatistic(c, m.job); err != nil {
			return nil, err
		}
	}
	if slices.ContainsFunc(m.layers, func(name string) bool { return layerOf(name).viewed }) {
		w.viewer, err = s.deps.Desk.Viewer(c)
	}
	return w, err
}

// memory tells how much drawing takes beside the pixels: one layer is drawn after the other.
func (w *work) memory() (most int64) {
	for _, name := range w.layers {
		most = max(most, layerOf(name).memory)
	}
	if w.reading != nil {
		most += w.reading.Memory()
	}
	return most
}

// draw draws the picture as a PNG file, from the lowest layer to the highest. A picture of a single layer is that layer.
func (w *work) draw(ctx context.Context) ([]byte, error) {
	w.canvas = render.New(w.frame)
	defer w.canvas.Drop()
	for i, name := range w.layers {
		if i > 0 {
			w.canvas.Next()
		}
		if err := layerOf(name).draw(ctx, w); err != nil {
			return nil, err
		}
	}
	if w.mapRequest.legend && len(w.legend.Rows) > 0 {
		w.canvas.Legend(w.legendX, w.legendY, w.legend)
	}
	return w.canvas.PNG(&w.style, w.ground)
}

// drawStatistic draws the result of a statistic. Without a job, and before it is done, there is nothing to draw.
func drawStatistic(ctx context.Context, w *work) error {
	of := w.reading
	if of == nil || of.Job.State != stats.Completed {
		return nil
	}
	k := &sketch{canvas: w.canvas, asked: of.Asked, shapes: of.Names.Shape, port: w.portPlace, german: w.german, months: statistics.Months(&of.Job)}
	err := k.draw(ctx, of.Job.Kind, of.Each)
	w.legend = k.legend
	return err
}
