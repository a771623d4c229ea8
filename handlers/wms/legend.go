package wms

import (
	"context"

	"quaywatch/engine/stats"
	"quaywatch/handlers/request"
	"quaywatch/handlers/statistics"
	"quaywatch/render"
)

// legendBytes is the memory that the picture of a legend takes.
const legendBytes = 4 << 20

// getLegend draws the legend of a layer alone. Its operation is that of the profile SLD of OGC. Before a statistic is done its legend is empty.
func (s *Server) getLegend(c *request.Request, p params) error {
	for _, name := range []string{"version", "layer", "format"} {
		if p[name] == "" {
			return makeException(codeMissing, "the parameter "+name+" is missing")
		}
	}
	if p["version"] != version {
		return makeException(codeValue, "version must be "+version)
	}
	m := &mapRequest{}
	if err := m.readLayers(params{"layers": p["layer"], "styles": p["style"], "format": p["format"]}); err != nil {
		return err
	}
	if len(m.layers) > 1 || !layerOf(m.layers[0]).legend {
		return makeException(codeValue, "layer must be "+statisticsLayer+" or "+densityLayer+": the others have no legend")
	}
	if err := s.entitled(c, m.layers); err != nil {
		return err
	}
	for _, read := range []func(params) error{m.readGround, m.readLanguage} {
		if err := read(p); err != nil {
			return err
		}
	}
	job, err := jobOf(p)
	if err != nil {
		return err
	}
	reading, err := s.findStatistic(c, job)
	if err != nil {
		return err
	}
	var file []byte
	err = s.inTurn(c, reading.Memory()+legendBytes, func(ctx context.Context) error {
		legend, err := s.legend(ctx, m, reading)
		if err != nil {
			return err
		}
		file, err = legend.Alone().PNG(&m.style, m.ground)
		return err
	})
	if err != nil {
		return err
	}
	return sendPicture(c, file)
}

// legend returns the legend of a layer. The numbers of a statistic are those of the whole result, which is drawn on a pixel.
func (s *Server) legend(ctx context.Context, m *mapRequest, of *statistics.ResultReading) (render.Legend, error) {
	if m.layers[0] == densityLayer {
		return denseLegend(m.german), nil
	}
	if of == nil || of.Job.State != stats.Completed {
		return render.Legend{}, nil
	}
	f, err := render.NewFrame(render.CRS84, [4]float64{-180, -90, 180, 90}, 1, 1)
	if err != nil {
		return render.Legend{}, err
	}
	k := &sketch{canvas: render.New(f), asked: of.Asked, shapes: of.Names.Shape, port: s.portPlace, german: m.german, months: statistics.Months(&of.Job)}
	err = k.draw(ctx, of.Job.Kind, of.Each)
	return k.legend, err
}
