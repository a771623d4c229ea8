package stats

import (
	"encoding/json"

	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// passageLine are the crossings of a line.
func passageLine() Kind {
	return Kind{Name: "passageline", Keys: []string{"passageline", "tracks"}, Check: checkPassageLine, Open: openPassageLine}
}

// passagePlan is what is asked.
type passagePlan struct {
	Line json.RawMessage `json:"line"`
}

func checkPassageLine(f *form.Fields, _ Asker) (any, error) {
	f.Require("passageline")
	if f.Given("passageline") {
		readLine(f, "passageline", f.Raw("passageline"))
	}
	f.Boolean("tracks", false) // for the readers of the result
	return passagePlan{f.Raw("passageline")}, nil
}

func openPassageLine(r *Run) (Question, error) {
	var p passagePlan
	if err := r.Plan(&p); err != nil {
		return Question{}, err
	}
	line, err := form.ParseLine(p.Line)
	if err != nil {
		return Question{}, err
	}
	counter := statistic.NewPassages(statistic.PassageQuestion{Period: r.Period, Line: line}, func(passage statistic.LineCrossing) { r.passage(&passage) })
	return Question{Near: line.Bounds(), Counter: counter}, nil
}

// passageRecord is a crossing.
type passageRecord struct {
	Direction string     `json:"direction"`
	Flag      bool       `json:"direction_flag"` // from left to right
	Position  placeText  `json:"position"`
	At        string     `json:"timestamp"`
	Along     float64    `json:"distance"`
	Ship      ResultShip `json:"ship"`
}

func (r *Run) passage(p *statistic.LineCrossing) {
	r.keepFound(found{p.Moments(), p.Moment}, func(then *ship.State) any {
		return passageRecord{p.Direction, p.LeftToRight, placeOf(p.Fix), timeText(p.Fix.At), roundTenths(p.Along), ShipAt(then)}
	})
}
