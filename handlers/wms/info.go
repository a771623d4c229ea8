package wms

import (
	"bytes"
	"context"
	"slices"
	"strconv"
	"strings"

	"quaywatch/engine/stats"
	"quaywatch/handlers/request"
	"quaywatch/handlers/statistics"
)

// infoRequest asks which records lie at a pixel of a picture.
type infoRequest struct {
	*mapRequest
	x, y   int
	most   int // records
	layout statistics.ExportLayout
	ships  bool // it asks for ships, and not for records of a statistic
}

// readInfo reads the parameters of GetFeatureInfo: those of the picture, and the place on it. Its errors are *exception.
func readInfo(p params) (*infoRequest, error) {
	m, err := readMap(p)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"query_layers", "info_format", "i", "j"} {
		if p[name] == "" {
			return nil, makeException(codeMissing, "the parameter "+name+" is missing")
		}
	}
	r := &infoRequest{mapRequest: m, most: 1}
	if r.ships, err = m.readAsked(p["query_layers"]); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(statistics.Layouts(), func(l statistics.ExportLayout) bool { return strings.EqualFold(string(l), p["info_format"]) })
	if at < 0 {
		return nil, makeException(codeFormat, "info_format must be application/json, application/geo+json or text/plain")
	}
	r.layout = statistics.Layouts()[at]
	var wrong, also error
	r.x, wrong = strconv.Atoi(p["i"])
	r.y, also = strconv.Atoi(p["j"])
	if wrong != nil || also != nil || r.x < 0 || r.y < 0 || r.x >= m.width || r.y >= m.height {
		return nil, makeException(codePoint, "i and j must be a pixel of the picture")
	}
	if text := p["feature_count"]; text != "" {
		if r.most, err = strconv.Atoi(text); err != nil || r.most < 1 {
			return nil, makeException(codeValue, "feature_count must be a positive number")
		}
		r.most = min(r.most, mostFound)
	}
	return r, nil
}

// readAsked reads which layer is asked, and reports whether that is the one of the ships. The records of two layers have no common form.
func (m *mapRequest) readAsked(text string) (ships bool, err error) {
	names := strings.Split(text, ",")
	for _, name := range names {
		switch {
		case !slices.Contains(m.layers, name):
			return false, makeException(codeLayer, "query_layers must name layers of the picture")
		case !layerOf(name).asked:
			return false, makeException(codeNotQueryable, "the layer "+name+" cannot be asked")
		case name != names[0]:
			return false, makeException(codeValue, "query_layers must name one layer")
		}
	}
	return names[0] == shipsLayer, nil
}

// getFeatureInfo tells which records lie at a pixel of a picture.
func (s *Server) getFeatureInfo(c *request.Request, p params) error {
	r, err := readInfo(p)
	if err != nil {
		return err
	}
	if r.ships {
		return s.askShips(c, r)
	}
	reading, err := s.findStatistic(c, r.job)
	if err != nil {
		return err
	}
	if reading == nil {
		return makeException(codeNotQueryable, "without a job there is nothing to ask")
	}
	var body bytes.Buffer
	err = s.inTurn(c, statistics.ReadingBytes+2*foundBytes, func(ctx context.Context) error {
		records, err := s.find(ctx, r, reading)
		if err != nil {
			return err
		}
		return reading.Write(ctx, &body, r.layout, records)
	})
	if err != nil {
		return err
	}
	sendInfo(c, r.layout, body.Bytes())
	return nil
}

// find returns the records at a place, the nearest first.
func (s *Server) find(ctx context.Context, r *infoRequest, of *statistics.ResultReading) (records [][]byte, err error) {
	if of.Job.State != stats.Completed {
		return nil, nil
	}
	at := newProbe(r.frame, r.x, r.y, r.most)
	k := &sketch{canvas: at.canvas, asked: of.Asked, shapes: of.Names.Shape, port: s.portPlace, probe: at}
	if err := k.draw(ctx, of.Job.Kind, of.Each); err != nil {
		return nil, err
	}
	for _, hit := range at.hits {
		text, err := of.With(hit.text, hit.fix)
		if err != nil {
			return nil, err
		}
		records = append(records, text)
	}
	return records, nil
}
