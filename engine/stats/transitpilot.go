package stats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// mostShapes is how many areas of transfers a definition may have.
const mostShapes = 100

// transitPilot are ships that took a pilot in one area and let it go in another.
func transitPilot() Kind {
	return Kind{Name: "transitpilot", Keys: []string{"shapes", "intervals", "a_team", "b_team"}, Check: checkTransitPilot, Open: openTransitPilot}
}

// transitPlan is what is asked.
type transitPlan struct {
	Shapes    []*AreaShape      `json:"shapes"`
	Labels    []string          `json:"labels"`
	Intervals [][]time.Duration `json:"intervals"` // from a shape to another; 0 is not allowed
	Boats     []ais.MMSI        `json:"boats"`
	Ships     []ais.MMSI        `json:"ships,omitempty"`
}

func checkTransitPilot(f *form.Fields, who Asker) (any, error) {
	f.Require("shapes", "intervals", "a_team")
	p := transitPlan{Boats: ReadShips(f, "a_team"), Ships: ReadShips(f, "b_team")}
	list := f.List("shapes")
	if n := len(list); list != nil && (n < 2 || n > mostShapes) {
		f.Refuse("shapes", rule.New("stat_count", "must have {min} to {max} elements", "min", 2, "max", mostShapes))
		return p, nil
	}
	for i, object := range f.Objects("shapes", list) {
		p.Shapes = append(p.Shapes, areaOf(f, fmt.Sprintf("shapes/%d", i), list[i], who))
		label := object.Inner("properties", rule.New("object", "must be an object")).TidyOr("label", "")
		p.Labels = append(p.Labels, label)
	}
	if len(p.Shapes) > 0 {
		p.Intervals = readIntervals(f, "intervals", len(p.Shapes))
	}
	return p, nil
}

// readIntervals reads the longest times from each of some areas to each: one for all, or all of them, flat or in rows.
func readIntervals(f *form.Fields, key string, areas int) [][]time.Duration {
	list := f.List(key)
	if list == nil {
		return nil
	}
	if len(list) == 1 && !isArray(list[0]) {
		interval := readInterval(f, key+"/0", list[0])
		return rowsOf(areas, func(int) time.Duration { return interval })
	}
	if len(list) != areas && len(list) != areas*areas {
		f.Refuse(key, countRule(areas))
		return nil
	}
	var flat []time.Duration
	for i, raw := range list {
		var row []json.RawMessage
		at := fmt.Sprintf("%s/%d", key, i)
		if !isArray(raw) {
			flat = append(flat, readInterval(f, at, raw))
		} else if err := json.Unmarshal(raw, &row); err != nil || len(row) != areas || len(list) != areas {
			f.Refuse(at, countRule(areas))
			return nil
		}
		for k, text := range row {
			flat = append(flat, readInterval(f, fmt.Sprintf("%s/%d", at, k), text))
		}
	}
	if len(flat) != areas*areas {
		f.Refuse(key, countRule(areas))
		return nil
	}
	return rowsOf(areas, func(i int) time.Duration { return flat[i] })
}

func countRule(areas int) *rule.Rule {
	return rule.New("stat_intervals", "must have one element, or {count} rows of as many", "count", areas)
}

func isArray(raw json.RawMessage) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) }

// rowsOf makes rows of what a flat list has.
func rowsOf(areas int, at func(i int) time.Duration) (rows [][]time.Duration) {
	for i := range areas {
		var row []time.Duration
		for k := range areas {
			row = append(row, at(i*areas+k))
		}
		rows = append(rows, row)
	}
	return rows
}

// readInterval reads one of them. null, 0 and a duration of nothing are 0, which allows no pilotage.
func readInterval(f *form.Fields, key string, raw json.RawMessage) time.Duration {
	var text string
	switch string(bytes.TrimSpace(raw)) {
	case "null", "0", `""`:
		return 0
	}
	if json.Unmarshal(raw, &text) != nil {
		f.Refuse(key, rule.New("text", "must be a string"))
		return 0
	}
	d, err := form.ParseDuration(text)
	f.Check(key, err)
	return d
}

func openTransitPilot(r *Run) (Question, error) {
	var p transitPlan
	if err := r.Plan(&p); err != nil {
		return Question{}, err
	}
	q := statistic.PilotageQuestion{Period: r.Period, Longest: p.Intervals, Transfers: r.transfersOf(p.Boats)}
	q.Transfers.Ships, q.Transfers.Period = p.Ships, q.Reading()
	near := geo.RectOf()
	for _, shape := range p.Shapes {
		area, err := r.areaWithInside(shape)
		if err != nil {
			return Question{}, err
		}
		q.Areas = append(q.Areas, area)
		near = near.Union(area.Bounds())
	}
	asked := r.askTransfers(&q.Transfers, statistic.NewPilotages(q, func(pilotage statistic.Pilotage) { r.pilotage(&pilotage, p.Labels) }))
	asked.Near = near.Expand(statistic.TransferWay)
	return asked, nil
}

// operationRecord is a transfer of a pilot in an area.
type operationRecord struct {
	Index    int       `json:"index"`
	Label    string    `json:"label,omitempty"`
	Position placeText `json:"position"`
	Ship     struct {
		MMSI ais.MMSI `json:"mmsi"`
	} `json:"ship"`
	At string `json:"timestamp"`
}

func (r *Run) pilotage(p *statistic.Pilotage, labels []string) {
	var pilot [2]operationRecord
	for i := range p {
		o := &p[i]
		pilot[i] = operationRecord{Index: o.Area, Label: labels[o.Area], Position: placeOf(o.Boat.Fix), At: timeText(o.At())}
		pilot[i].Ship.MMSI = o.Boat.MMSI
	}
	r.keepFound(found{moments: p.Moments(), at: p[0].Ship.Moment}, func(then *ship.State) any {
		return struct {
			Ship  ResultShip         `json:"ship"`
			Pilot [2]operationRecord `json:"pilot"`
		}{ShipAt(then), pilot}
	})
}
