package stats

import (
	"encoding/json"
	"fmt"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// Bounds of a passage over several lines.
const (
	mostLines    = 100
	usualPassing = 24 * time.Hour
)

// multiPassageLine are passages over several lines.
func multiPassageLine() Kind {
	return Kind{Name: "multipassageline", Keys: []string{"passagelines", "max_duration", "both_directions", "tracks"}, Check: checkMultiPassage,
		Open: openMultiPassage}
}

// multiPlan is what is asked.
type multiPlan struct {
	Lines  []json.RawMessage `json:"lines"`
	Within time.Duration     `json:"within"`
	Both   bool              `json:"both,omitempty"`
}

func checkMultiPassage(f *form.Fields, _ Asker) (any, error) {
	f.Require("passagelines")
	p := multiPlan{Lines: f.List("passagelines"), Within: f.Duration("max_duration", usualPassing), Both: f.Boolean("both_directions", false)}
	f.Boolean("tracks", false) // for the readers of the result
	if n := len(p.Lines); p.Lines != nil && (n < 2 || n > mostLines) {
		f.Refuse("passagelines", rule.New("stat_count", "must have {min} to {max} elements", "min", 2, "max", mostLines))
		return p, nil
	}
	for i, line := range p.Lines {
		readEnds(f, fmt.Sprintf("passagelines/%d", i), line)
	}
	return p, nil
}

// readEnds reads a line of which the first and the last point count. They are two places.
func readEnds(f *form.Fields, key string, raw json.RawMessage) {
	line := readLine(f, key, raw)
	if n := len(line); n > 0 && line[0].Normalized() == line[n-1].Normalized() {
		f.Refuse(key, rule.New("line_points", "must have at least two different points"))
	}
}

func openMultiPassage(r *Run) (Question, error) {
	var p multiPlan
	if err := r.Plan(&p); err != nil {
		return Question{}, err
	}
	asked := statistic.ChainQuestion{Period: r.Period, MaxDuration: p.Within, BothDirections: p.Both}
	var points []geo.Point
	for _, given := range p.Lines {
		line, err := form.ParseLine(given)
		if err != nil {
			return Question{}, err
		}
		asked.Lines, points = append(asked.Lines, line), append(points, line...)
	}
	counter := statistic.NewChains(asked, func(c statistic.Chain) { r.keepChain(&c) })
	return Question{Near: geo.RectOf(points...), Counter: counter, Read: &statistic.Period{Begin: r.Period.Begin, End: asked.Until()}}, nil
}

// chainRecord is a passage over several lines.
type chainRecord struct {
	Index     int        `json:"direction_index"` // 1 from the last line to the first
	Direction string     `json:"direction"`
	First     string     `json:"time_first"`
	Last      string     `json:"time_last"`
	Duration  string     `json:"duration"`
	Ship      ResultShip `json:"ship"`
}

func (r *Run) keepChain(c *statistic.Chain) {
	r.keepFound(found{c.Moments(), c.First()}, func(then *ship.State) any {
		record := chainRecord{Direction: c.Direction, First: timeText(c.First().Fix.At), Last: timeText(c.Last().Fix.At),
			Duration: form.DurationText(c.Duration()), Ship: ShipAt(then)}
		if c.Reverse {
			record.Index = 1
		}
		return record
	})
}
