package stats

import (
	"encoding/json"
	"math"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// found is what a Counter told.
type found struct {
	moments []statistic.Moment
	at      statistic.Moment // of which the data of the ship are told
}

// keepFound keeps a record of what was found. The record gets the ship as it was. What goes wrong ends the run.
func (r *Run) keepFound(entry found, record func(then *ship.State) any) {
	if r.out.failed != nil {
		return
	}
	then, err := r.Past.At(entry.at.MMSI, entry.at.Fix)
	if err != nil {
		r.failRun(err)
		return
	}
	r.keepRecord(Record{Moments: entry.moments}, record(then))
}

// placeText is a GeoJSON Point.
type placeText struct {
	Type        string     `json:"type"`
	Coordinates [2]float64 `json:"coordinates"`
}

// placeOf returns the place of a fix, with the six decimals that tell two places apart.
func placeOf(f ship.Fix) placeText {
	at := f.Point()
	return placeText{"Point", [2]float64{math.Round(at.Lon*1e6) / 1e6, math.Round(at.Lat*1e6) / 1e6}}
}

// roundTenths rounds metres.
func roundTenths(metres float64) float64 { return math.Round(metres*10) / 10 }

// mostLinePoints bounds the work for each leg.
const mostLinePoints = 1000

// readLine reads a line that ships cross.
func readLine(f *form.Fields, key string, raw json.RawMessage) geo.Line {
	line, err := form.ParseLine(raw)
	f.CheckShape(key, err)
	if len(line) > mostLinePoints {
		_, pointer := geo.Geometry(raw)
		f.Refuse(key+pointer+"/coordinates", rule.New("stat_count", "must have {min} to {max} elements", "min", 2, "max", mostLinePoints))
	}
	return line
}
