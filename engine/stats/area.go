package stats

import (
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// areaKind are the times that ships spent in an area.
func areaKind() Kind {
	return Kind{Name: "area", Keys: []string{"shape", "group_by", "interval", "shiplist", "tracks"}, Check: checkArea, Open: openArea}
}

// areaPlan is what is asked.
type areaPlan struct {
	Shape    *AreaShape `json:"shape"`
	Grouped  bool       `json:"grouped,omitempty"`
	Interval string     `json:"interval,omitempty"`
	ShipList string     `json:"shiplist,omitempty"` // "" for all ships
}

func checkArea(f *form.Fields, who Asker) (any, error) {
	var p areaPlan
	f.Require("shape")
	p.Shape = ReadArea(f, "shape", who)
	switch f.TextOr("group_by", "ungrouped") {
	case "ungrouped":
	case "shiplist":
		p.Grouped = true
		f.Require("shiplist")
	default:
		f.Refuse("group_by", rule.New("one_of", "must be one of {words}", "words", "ungrouped, shiplist"))
	}
	p.Interval = f.TextOr("interval", statistic.Day.String())
	if _, ok := statistic.IntervalOf(p.Interval); !ok {
		f.Refuse("interval", rule.New("one_of", "must be one of {words}", "words", "day, week, month, quarter, year"))
	}
	if f.Given("shiplist") {
		p.ShipList = ReadShipList(f, "shiplist", who)
	}
	if f.Boolean("tracks", false) && p.Grouped {
		f.Refuse("tracks", rule.New("stat_no_tracks", "goes only with group_by ungrouped"))
	}
	return p, nil
}

// areaAsked is a question about an area.
type areaAsked struct {
	run  *Run
	plan areaPlan
}

func openArea(r *Run) (Question, error) {
	q := &areaAsked{run: r}
	if err := r.Plan(&q.plan); err != nil {
		return Question{}, err
	}
	shape, err := r.areaWithInside(q.plan.Shape)
	if err != nil {
		return Question{}, err
	}
	asked := Question{Near: shape.Bounds(), Counter: q.counter(shape), Read: r.withSilences()}
	if q.plan.ShipList != "" {
		asked.Only, err = r.shipList(q.plan.ShipList)
	}
	return asked, err
}

// withSilences returns the period with so much around it that a silence over its border is judged as one within it.
func (r *Run) withSilences() *statistic.Period {
	return &statistic.Period{Begin: r.Period.Begin.Add(-statistic.SilenceMargin), End: r.Period.End.Add(statistic.SilenceMargin)}
}

func (q *areaAsked) counter(shape *geo.Area) statistic.Counter {
	of := statistic.AreaQuestion{Period: q.run.Period, Area: shape}
	if q.plan.Grouped {
		by, _ := statistic.IntervalOf(q.plan.Interval)
		return statistic.NewGrouped(of, by, q.presence)
	}
	return statistic.NewArea(of, q.keepVisit)
}

// visitRecord is a visit of a ship.
type visitRecord struct {
	In       string     `json:"time_in"`
	Out      string     `json:"time_out"`
	Position placeText  `json:"position"`
	Before   bool       `json:"entered_before,omitempty"`
	Silence  bool       `json:"left_by_silence,omitempty"`
	Ship     ResultShip `json:"ship"`
}

func (q *areaAsked) keepVisit(v statistic.Visit) {
	q.run.keepFound(found{v.Moments(), v.In}, func(then *ship.State) any {
		return visitRecord{timeText(v.In.Fix.At), timeText(v.Out.Fix.At), placeOf(v.In.Fix), v.EnteredBefore, v.LeftBySilence, ShipAt(then)}
	})
}

// presenceRecord is what a ship spent in the area in an interval.
type presenceRecord struct {
	Period string     `json:"period"`
	In     []string   `json:"times_in"`
	Out    []string   `json:"times_out"`
	Inside []string   `json:"times_inside"`
	Sum    string     `json:"time_inside"`
	Metres float64    `json:"distance"`
	Ship   ResultShip `json:"ship"`
}

func (q *areaAsked) presence(p statistic.Presence) {
	q.run.keepFound(found{p.Moments(), p.Visits[0].In}, func(then *ship.State) any {
		record := presenceRecord{Period: p.Interval, Sum: form.DurationText(p.Inside), Metres: roundTenths(p.Metres), Ship: Described(then)}
		for _, v := range p.Visits {
			record.In, record.Out = append(record.In, timeText(v.In.Fix.At)), append(record.Out, timeText(v.Out.Fix.At))
			record.Inside = append(record.Inside, form.DurationText(v.Inside))
		}
		return record
	})
}
