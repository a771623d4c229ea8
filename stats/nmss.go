package stats

import (
	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/rule"
	"quaywatch/ship/statistic"
)

// mostDistance is how many metres may lie between ships that are near each other. A near miss is exact to a centimetre below 10 km alone.
const mostDistance = 10_000

// nearMisses are pairs of ships that came near each other in a shape.
func nearMisses() Kind {
	return Kind{Name: "nmss", Keys: nearKeys(), Check: checkNearMisses, Open: openNearMisses}
}

// nearKeys are the fields of near misses and near points.
func nearKeys() []string {
	return []string{"shape", "distance", "dsog", "dcog", "sog", "duration", "a_team"}
}

// nearPlan is what is asked of near misses and near points. Shape or Place is set.
type nearPlan struct {
	Shape    *Area           `json:"shape,omitempty"`
	Place    *geo.Point      `json:"place,omitempty"`
	Distance float64         `json:"distance"` // metres
	SOG      statistic.Range `json:"sog"`
	DSOG     statistic.Range `json:"dsog"`
	DCOG     statistic.Range `json:"dcog"`
	Team     []ais.MMSI      `json:"team,omitempty"`
	Duration bool            `json:"duration,omitempty"` // it is given, and not supported
}

func checkNearMisses(f *form.Fields, who Asker) (any, error) {
	p := readNear(f)
	f.Require("shape")
	p.Shape = ReadArea(f, "shape", who)
	p.DSOG, p.DCOG = readRange(f, "dsog"), readRange(f, "dcog")
	return p, nil
}

// readNear reads what near misses and near points have in common.
func readNear(f *form.Fields) (p nearPlan) {
	f.Require("distance")
	if f.Given("distance") {
		distance := f.Inner("distance", rule.New("object", "must be an object"))
		distance.Require("max")
		p.Distance = distance.Number("max")
		if distance.Given("max") && !(p.Distance > 0 && p.Distance <= mostDistance) {
			distance.Refuse("max", rule.New("stat_distance", "must be above 0 and at most {max} metres", "max", mostDistance))
		}
	}
	p.SOG, p.Team, p.Duration = readRange(f, "sog"), ReadShips(f, "a_team"), f.Given("duration")
	return p
}

// readRange reads an object of min and max. An end that is not given bounds nothing.
func readRange(f *form.Fields, key string) (r statistic.Range) {
	if !f.Given(key) {
		return r
	}
	ends := f.Inner(key, rule.New("object", "must be an object"))
	if ends.Given("min") {
		least := ends.Number("min")
		r.Min = &least
	}
	if ends.Given("max") {
		most := ends.Number("max")
		r.Max = &most
	}
	if r.Min != nil && r.Max != nil && *r.Min > *r.Max {
		ends.Refuse("min", rule.New("stat_min_max", "must not be above max"))
	}
	return r
}

// openNear reads the plan of near misses and near points.
func openNear(r *Run) (p nearPlan, err error) {
	err = r.Plan(&p)
	if p.Duration {
		r.Warn(rule.New("stat_duration", "duration is not supported"))
	}
	return p, err
}

func openNearMisses(r *Run) (Question, error) {
	p, err := openNear(r)
	if err != nil {
		return Question{}, err
	}
	area, err := r.inside(p.Shape)
	if err != nil {
		return Question{}, err
	}
	asked := statistic.NearMissQuestion{Period: r.Period, Area: area, Distance: p.Distance, SOG: p.SOG, DSOG: p.DSOG, DCOG: p.DCOG, Team: p.Team}
	count := statistic.NewNearMiss(asked, func(e statistic.Encounter) { r.tellEncounter(&e) })
	// Whole hours of a ship come: one that is back within 30 minutes is not missed in between.
	return Question{Counter: &nearCount{count, r}, Near: area.Bounds().Expand(p.Distance)}, nil
}

// nearCount counts near misses, and says at the end how many pairs it left out.
type nearCount struct {
	*statistic.NearMiss
	run *Run
}

// End ends the count.
func (c *nearCount) End() {
	c.NearMiss.End()
	if n := c.Rafted(); n > 0 {
		c.run.Warn(rule.New("stat_rafted", "{count} pairs of ships that lay beside each other are left out; they count with sog.min", "count", n))
	}
}

// nearReport is a ship as it was when it was nearest.
type nearReport struct {
	CallSign string    `json:"callsign,omitempty"`
	COG      *float64  `json:"cog,omitempty"`
	Draught  float64   `json:"draught,omitempty"`
	IMO      uint32    `json:"imo,omitempty"`
	MMSI     ais.MMSI  `json:"mmsi"`
	Name     string    `json:"name,omitempty"`
	Position placeText `json:"position"`
	SOG      *float64  `json:"sog,omitempty"`
}

// nearReport gives a ship with what was known of it then.
func (r *Run) nearReport(n *statistic.Near) (nearReport, error) {
	then, err := r.Past.At(n.MMSI, n.Fix)
	if err != nil {
		return nearReport{}, err
	}
	known := Described(then)
	one := nearReport{CallSign: known.CallSign, Draught: known.Draught, IMO: known.IMO, MMSI: n.MMSI, Name: known.Name, Position: placeOf(n.Fix)}
	if degrees, ok := n.COG.Degrees(); ok {
		one.COG = &degrees
	}
	if knots, ok := n.SOG.Knots(); ok {
		one.SOG = &knots
	}
	return one, nil
}

func (r *Run) tellEncounter(e *statistic.Encounter) {
	var ships [2]nearReport
	for i := range ships {
		var err error
		if ships[i], err = r.nearReport(&e.Ships[i]); err != nil {
			r.fail(err)
			return
		}
	}
	r.keep(Record{Moments: e.Moments()}, struct {
		Timestamp string        `json:"timestamp"`
		Distance  float64       `json:"distance"`
		Ship      [2]nearReport `json:"ship"`
	}{timeText(e.At), tenths(e.Distance), ships})
}
