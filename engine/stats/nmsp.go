package stats

import (
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/ship/statistic"
)

// nearPoints are ships that came near a place.
func nearPoints() Kind {
	return Kind{Name: "nmsp", Keys: nearKeys(), Check: checkNearPoints, Open: openNearPoints}
}

// checkNearPoints reads no dsog and dcog: they mean nothing at a place.
func checkNearPoints(f *form.Fields, _ Asker) (any, error) {
	p := readNear(f)
	f.Require("shape")
	if f.Given("shape") {
		at := f.Point("shape")
		p.Place = &at
	}
	return p, nil
}

func openNearPoints(r *Run) (Question, error) {
	p, err := openNear(r)
	if err != nil {
		return Question{}, err
	}
	asked := statistic.NearPointQuestion{Period: r.Period, Place: *p.Place, Distance: p.Distance, SOG: p.SOG, Team: p.Team}
	count := statistic.NewNearPoint(asked, func(a statistic.NearPass) { r.tellApproach(&a) })
	// An approach is over at twice the distance.
	return Question{Counter: ofShips{count, r.shipsOrNamed(p.Team)}, Near: geo.Circle{Center: *p.Place, Radius: 2 * p.Distance}.Bounds()}, nil
}

func (r *Run) tellApproach(a *statistic.NearPass) {
	ship, err := r.nearReport(&a.Ship)
	if err != nil {
		r.failRun(err)
		return
	}
	r.keepRecord(Record{Moments: a.Moments()}, struct {
		Timestamp string     `json:"timestamp"`
		Distance  float64    `json:"distance"`
		Ship      nearReport `json:"ship"`
	}{timeText(a.At), roundTenths(a.Distance), ship})
}
