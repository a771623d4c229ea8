package stats

import (
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// sogDist is how long ships sailed how fast, by days.
func sogDist() Kind {
	return Kind{Name: "sogdist", Keys: []string{"mmsi", "shiplist", "shape", "polygon", "sog_threshold"}, Check: checkSOGs, Open: openSOGs}
}

// sogPlan is what is asked: Ships or ShipList is set.
type sogPlan struct {
	Ships     []ais.MMSI `json:"ships,omitempty"`
	ShipList  string     `json:"shiplist,omitempty"`
	Shape     *AreaShape `json:"shape,omitempty"`
	Threshold float64    `json:"threshold"`
}

func checkSOGs(f *form.Fields, who Asker) (any, error) {
	p := sogPlan{Threshold: statistic.DefaultThreshold}
	switch OneOf(f, "mmsi", "shiplist") {
	case "mmsi":
		p.Ships = ReadShips(f, "mmsi")
	case "shiplist":
		p.ShipList = ReadShipList(f, "shiplist", who)
	}
	if f.Given("shape") || f.Given("polygon") {
		p.Shape = ReadArea(f, OneOf(f, "shape", "polygon"), who)
	}
	if f.Given("sog_threshold") {
		p.Threshold = f.Number("sog_threshold")
	}
	return p, nil
}

// sogAsked is a question about speeds.
type sogAsked struct {
	*statistic.SOGs
	run  *Run
	told map[ais.MMSI]bool // ships of which the static data are told
}

func openSOGs(r *Run) (Question, error) {
	var p sogPlan
	if err := r.Plan(&p); err != nil {
		return Question{}, err
	}
	asked := statistic.SOGQuestion{Period: r.Period, Threshold: p.Threshold}
	var err error
	if p.Shape != nil {
		if asked.Area, err = r.areaWithInside(p.Shape); err != nil {
			return Question{}, err
		}
	}
	q := &sogAsked{run: r, told: map[ais.MMSI]bool{}}
	q.SOGs = statistic.NewSOGs(asked, q.keepDay)
	of := Question{Near: Everywhere(), Ships: p.Ships, Counter: q, Read: r.withSilences()} // the report that ends a time in the shape may lie anywhere
	if p.ShipList != "" {
		of.Only, err = r.shipList(p.ShipList)
	}
	return of, err
}

// Take warns of the speeds that the store left out.
func (q *sogAsked) Take(m ais.MMSI, part ship.Track) {
	for i := range part {
		if part[i].LeftOut > 0 {
			q.run.Warn(rule.New("stat_thinned", "the store left out reports of this period: speeds between those that it has are known to 1 kn"))
			break
		}
	}
	q.SOGs.Take(m, part)
}

// staticRecord tells the data of a ship.
type staticRecord struct {
	Result int        `json:"result_id"` // below 0
	Ship   ResultShip `json:"ship"`
}

// sogRecord is a day of a ship.
type sogRecord struct {
	Result int        `json:"result_id"` // 0 or more
	Ship   ResultShip `json:"ship"`      // its number alone
	Day    string     `json:"day"`
	SOGs   []int64    `json:"sogs"` // seconds, in steps of half a knot
	Gap    int64      `json:"gap_seconds"`
}

// keepDay keeps a day, and before the first one the data of the ship as they were at the end of that day.
func (q *sogAsked) keepDay(d statistic.SOGDay) {
	moments := d.Moments()
	last := moments[len(moments)-1]
	if !q.told[d.MMSI] {
		q.told[d.MMSI] = true
		q.run.keepFound(found{moments: []statistic.Moment{last}, at: last}, func(then *ship.State) any { return staticRecord{-1, Described(then)} })
	}
	q.run.keepFound(found{moments: moments, at: last}, func(*ship.State) any {
		return sogRecord{Ship: ResultShip{MMSI: d.MMSI}, Day: d.Day.Format(time.DateOnly), SOGs: d.Seconds, Gap: d.Gap}
	})
}
