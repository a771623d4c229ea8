package statistics

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"quaywatch/engine/stats"
	"quaywatch/geo"
	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/ship/statistic/mixture"
)

// Numbers of a lateral distribution.
const (
	lateralBins  = 60     // at most, where the caller names no width
	mostLateral  = 10_000 // bins, where the caller names one
	lateralLeast = 1.0    // metres: the least deviation, as a place on a line is known to 0.2 m and a receiver to some metres
	lateralBytes = 32 << 20
)

// lateral is where along a line ships crossed it. The whole line stands first, then each group, both ways of each.
type lateral struct {
	ID      int64    `json:"id"`
	Length  float64  `json:"length"` // metres of the line
	Bin     int64    `json:"bin"`    // metres
	By      string   `json:"by,omitempty"`
	Spreads []spread `json:"spreads"`
}

// spread is where ships of a group crossed a line one way.
type spread struct {
	Flag      bool         `json:"direction_flag"`
	Group     *group       `json:"group,omitempty"` // nil for all ships
	Count     int          `json:"count"`
	Mean      float64      `json:"mean"`      // metres from the first point of the line
	Deviation float64      `json:"deviation"` // the standard deviation
	Counts    []int        `json:"counts"`    // of each bin from the first point on
	Mixture   []normalText `json:"mixture"`
}

// normalText is a normal distribution of a mixture.
type normalText struct {
	Weight    float64 `json:"weight"`
	Mean      float64 `json:"mean"`
	Deviation float64 `json:"deviation"`
}

// group is what ships have in common: a type, or a figure of From <= x < To. One with none of them is of ships of which it is not known.
type group struct {
	Type string   `json:"type,omitempty"`
	From *float64 `json:"from,omitempty"`
	To   *float64 `json:"to,omitempty"`
}

// crossing is what of a record is counted.
type crossing struct {
	Flag  bool    `json:"direction_flag"`
	At    string  `json:"timestamp"`
	Along float64 `json:"distance"`
	Ship  struct {
		Type    string  `json:"type"`
		Length  float64 `json:"length"`
		Draught float64 `json:"draught"`
	} `json:"ship"`
}

// criterion puts crossings into groups. Number orders the groups; what is not known has -1.
type criterion struct {
	name   string
	number func(*crossing) int
	steps  []float64 // the lower ends of the groups; nil for types
}

// criteria are those by which passages are told apart.
func criteria() []criterion {
	lengths, draughts := []float64{0, 25, 50, 100, 150, 200, 250, 300, 350}, []float64{0, 2, 4, 6, 8, 10, 12, 14, 16}
	hours := make([]float64, 24)
	for i := range hours {
		hours[i] = float64(i)
	}
	return []criterion{
		{"type", nil, nil},
		{"length", func(c *crossing) int { return stepOf(lengths, c.Ship.Length) }, lengths},
		{"draught", func(c *crossing) int { return stepOf(draughts, c.Ship.Draught) }, draughts},
		{"hour", func(c *crossing) int {
			at, err := time.Parse(time.RFC3339, c.At)
			if err != nil {
				return -1
			}
			return at.UTC().Hour()
		}, hours},
	}
}

// stepOf returns which step a figure lies in; -1 for 0, which is not known.
func stepOf(steps []float64, x float64) int {
	if x <= 0 {
		return -1
	}
	i, found := slices.BinarySearch(steps, x)
	if !found {
		i--
	}
	return i
}

// lateral tells where along its line the passages of a result are, as far as the caller may have them.
func (s *Server) lateral(c *request.Request) error {
	j, line, err := s.crossedLine(c)
	if err != nil {
		return err
	}
	by, err := criterionOf(c)
	if err != nil {
		return err
	}
	if done, err := complete(c, &j); !done {
		return err
	}
	length := line.Length()
	width, err := widthOf(c, length)
	if err != nil {
		return err
	}
	v, err := s.deps.Desk.Viewer(c)
	if err != nil {
		return err
	}
	if err := c.HoldResult(lateralBytes); err != nil {
		return err
	}
	all := &tally{by: by, numbers: map[lane][]float64{}}
	of := &cursor{reader: s.reader(c.Caller.User, &j, v, places{entry: true})}
	ctx := c.HTTP.Context()
	if err := all.read(ctx, of); err != nil {
		return goneProblem(err)
	}
	told := lateral{ID: j.ID, Length: math.Round(length*10) / 10, Bin: width, By: by.name, Spreads: []spread{}}
	lanes := all.lanes()
	err = v.InTurns(ctx, len(lanes), func(i int) { told.Spreads = append(told.Spreads, all.laneSpread(lanes[i], length, width)) })
	if err != nil {
		return err
	}
	return c.SendJSON(http.StatusOK, told)
}

// crossedLine returns the statistic of the path, if its result is about one line that the caller may read, and that line.
func (s *Server) crossedLine(c *request.Request) (j stats.Job, line geo.Line, err error) {
	word, err := c.PathText("type")
	if err != nil {
		return j, nil, err
	}
	if _, ok := stats.NameOf(word); !ok {
		return j, nil, noStatistic()
	}
	if j, err = s.askedJob(c); err != nil {
		return j, nil, err
	}
	if err := request.Entitled(c.Caller.User, needs(j.Kind)...); err != nil {
		return j, nil, err
	}
	if j.Kind != "passageline" {
		return j, nil, request.NotFound(rule.New("stat_lateral", "only passages of one line have a lateral distribution"))
	}
	posted, err := s.deps.Stats.Posted(j.ID)
	if err != nil {
		return j, nil, goneProblem(err)
	}
	shape, err := geo.ParseShape(posted["passageline"])
	if err != nil {
		return j, nil, fmt.Errorf("the line of a statistic: %w", err)
	}
	line, _ = shape.(geo.Line)
	return j, line, nil
}

// criterionOf reads by what passages are told apart; the zero criterion where the caller asks for none.
func criterionOf(c *request.Request) (criterion, error) {
	name, all := c.Query("by"), criteria()
	i := slices.IndexFunc(all, func(known criterion) bool { return known.name == name })
	switch {
	case name == "":
		return criterion{}, nil
	case i < 0:
		return criterion{}, request.BadField("by", rule.New("one_of", "must be one of {words}", "words", "type, length, draught, hour"))
	}
	return all[i], nil
}

// widthOf reads how many metres a bin has: a round number where the caller names none.
func widthOf(c *request.Request, length float64) (int64, error) {
	width, err := c.QueryNumber("bin")
	if err != nil {
		return 0, err
	}
	if width == 0 {
		for ten := int64(10); ; ten *= 10 {
			for _, round := range []int64{1, 2, 5} {
				if length/float64(round*ten) <= lateralBins {
					return round * ten, nil
				}
			}
		}
	}
	if length/float64(width) > mostLateral {
		return 0, request.BadField("bin", rule.New("stat_bins", "must leave at most {max} bins of the line", "max", mostLateral))
	}
	return width, nil
}

// lane is a group of crossings one way: number of its group, or its type. All ships of a way are group all.
type lane struct {
	all    bool
	number int
	kind   string
	flag   bool
}

// tally is the places of crossings, lane by lane.
type tally struct {
	by      criterion
	numbers map[lane][]float64 // metres along the line
}

// read counts the records of a result.
func (t *tally) read(ctx context.Context, of *cursor) error {
	for {
		rows, err := of.next(ctx)
		if err != nil {
			return err
		}
		for _, row := range rows {
			var x crossing
			if err := json.Unmarshal(row.text, &x); err != nil {
				return fmt.Errorf("a passage: %w", err)
			}
			t.addCrossing(&x)
		}
		if of.isOver() {
			return nil
		}
	}
}

func (t *tally) addCrossing(x *crossing) {
	add := func(l lane) { t.numbers[l] = append(t.numbers[l], x.Along) }
	add(lane{all: true, flag: x.Flag})
	switch {
	case t.by.name == "":
	case t.by.number == nil:
		kind, _, _ := strings.Cut(x.Ship.Type, ",")
		add(lane{kind: kind, flag: x.Flag})
	default:
		add(lane{number: t.by.number(x), flag: x.Flag})
	}
}

// lanes returns all lanes that have a crossing: those of all ships first, then by group, the way from left to right first. What is not known comes last.
func (t *tally) lanes() (lanes []lane) {
	for l := range t.numbers {
		lanes = append(lanes, l)
	}
	unknown := func(l lane) bool {
		return !l.all && t.by.name != "" && (l.number < 0 || t.by.number == nil && l.kind == "")
	}
	slices.SortFunc(lanes, func(a, b lane) int {
		for _, order := range []int{trueFirst(a.all, b.all), -trueFirst(unknown(a), unknown(b)), a.number - b.number, strings.Compare(a.kind, b.kind)} {
			if order != 0 {
				return order
			}
		}
		return trueFirst(a.flag, b.flag)
	})
	return lanes
}

func trueFirst(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}

// laneSpread describes a lane.
func (t *tally) laneSpread(l lane, length float64, width int64) spread {
	numbers := t.numbers[l]
	s := spread{Flag: l.flag, Group: t.laneGroup(l), Count: len(numbers), Counts: make([]int, max(1, int(math.Ceil(length/float64(width)))))}
	for _, x := range numbers {
		s.Counts[max(0, min(len(s.Counts)-1, int(x/float64(width))))]++
	}
	s.Mean, s.Deviation = meanOf(numbers)
	for _, n := range mixture.Fit(numbers, lateralLeast) {
		s.Mixture = append(s.Mixture, normalText{math.Round(n.Weight*1000) / 1000, roundTenth(n.Mean), roundTenth(n.Deviation)})
	}
	return s
}

// laneGroup returns what the ships of a lane have in common, nil for all ships.
func (t *tally) laneGroup(l lane) *group {
	g := &group{Type: l.kind}
	switch {
	case l.all:
		return nil
	case t.by.number == nil || l.number < 0:
		return g
	}
	from := t.by.steps[l.number]
	if g.From = &from; t.by.name == "hour" {
		to := from + 1
		g.To = &to
	} else if l.number+1 < len(t.by.steps) {
		to := t.by.steps[l.number+1]
		g.To = &to
	}
	return g
}

// meanOf returns the mean and the standard deviation of numbers, 0 for that of one number.
func meanOf(numbers []float64) (mean, deviation float64) {
	var sum, square float64
	for _, x := range numbers {
		sum += x
	}
	mean = sum / float64(len(numbers))
	for _, x := range numbers {
		square += (x - mean) * (x - mean)
	}
	return roundTenth(mean), roundTenth(math.Sqrt(square / float64(max(1, len(numbers)-1))))
}

func roundTenth(x float64) float64 { return math.Round(x*10) / 10 }
