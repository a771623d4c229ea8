package stats

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// mostDistance is how many metres may lie between ships that are near each other. A near miss is exact to a centimetre below 10 km alone.
const mostDistance = 10_000

// mostLengths is how many lengths of its ship a semi-axis of a domain may have.
const mostLengths = 50

// nearMisses are pairs of ships that came near each other in a shape.
func nearMisses() Kind {
	return Kind{Name: "nmss", Keys: append(nearKeys(), "domain", "meeting"), Check: checkNearMisses, Open: openNearMisses}
}

// nearKeys are the fields of near misses and near points.
func nearKeys() []string {
	return []string{"shape", "distance", "dsog", "dcog", "sog", "duration", "a_team"}
}

// nearPlan is what is asked of near misses and near points. Shape or Place is set.
type nearPlan struct {
	Shape    *AreaShape      `json:"shape,omitempty"`
	Place    *geo.Point      `json:"place,omitempty"`
	Distance float64         `json:"distance"` // metres
	SOG      statistic.Range `json:"sog"`
	DSOG     statistic.Range `json:"dsog"`
	DCOG     statistic.Range `json:"dcog"`
	Team     []ais.MMSI      `json:"team,omitempty"`
	Duration bool            `json:"duration,omitempty"` // it is given, and not supported

	Domain   *semiAxes           `json:"domain,omitempty"` // of near misses alone
	Meetings []statistic.Meeting `json:"meeting,omitempty"`
}

// semiAxes are those of the domain of a ship, in its lengths.
type semiAxes struct {
	Ahead float64 `json:"ahead"`
	Abeam float64 `json:"abeam"`
}

func checkNearMisses(f *form.Fields, who Asker) (any, error) {
	p := readNear(f)
	f.Require("shape")
	p.Shape = ReadArea(f, "shape", who)
	p.DSOG, p.DCOG = readRange(f, "dsog"), readRange(f, "dcog")
	p.Domain, p.Meetings = readDomain(f), readMeetings(f)
	return p, nil
}

// readDomain reads a domain by its name, or the semi-axes of one; nil for none.
func readDomain(f *form.Fields) *semiAxes {
	if !f.Given("domain") {
		return nil
	}
	fits := rule.New("stat_domain", "must be fujii, or an object with the type ellipse, ahead and abeam")
	if bytes.HasPrefix(bytes.TrimSpace(f.Raw("domain")), []byte{'"'}) {
		if f.Text("domain") != "fujii" {
			f.Refuse("domain", fits)
		}
		fujii := statistic.FujiiDomain()
		return &semiAxes{fujii.Ahead, fujii.Abeam}
	}
	own := f.Inner("domain", fits)
	if own.Require("type", "ahead", "abeam"); own.Given("type") && own.Text("type") != "ellipse" {
		own.Refuse("type", rule.New("one_of", "must be one of {words}", "words", "ellipse"))
	}
	return &semiAxes{readLengths(own, "ahead"), readLengths(own, "abeam")}
}

// readLengths reads a semi-axis.
func readLengths(f *form.Fields, key string) float64 {
	n := f.Number(key)
	if f.Given(key) && !(n > 0 && n <= mostLengths) {
		f.Refuse(key, rule.New("stat_lengths", "must be above 0 and at most {max} lengths of the ship", "max", mostLengths))
	}
	return n
}

// readMeetings reads a list of kinds of meeting; none for all.
func readMeetings(f *form.Fields) (asked []statistic.Meeting) {
	known, list := statistic.Meetings(), f.List("meeting")
	if f.Given("meeting") && (len(list) == 0 || len(list) > len(known)) {
		f.Refuse("meeting", rule.New("stat_count", "must have {min} to {max} elements", "min", 1, "max", len(known)))
		return nil
	}
	for i, raw := range list {
		var meeting statistic.Meeting
		if json.Unmarshal(raw, &meeting) != nil || !slices.Contains(known, meeting) {
			f.Refuse(fmt.Sprintf("meeting/%d", i), rule.New("one_of", "must be one of {words}", "words", meetingWords()))
			continue
		}
		asked = append(asked, meeting)
	}
	return asked
}

// meetingWords returns the kinds of meeting for the text of an error.
func meetingWords() string {
	var words []string
	for _, meeting := range statistic.Meetings() {
		words = append(words, string(meeting))
	}
	return strings.Join(words, ", ")
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
	area, err := r.areaWithInside(p.Shape)
	if err != nil {
		return Question{}, err
	}
	asked := statistic.NearMissQuestion{Period: r.Period, Area: area, Distance: p.Distance, SOG: p.SOG, DSOG: p.DSOG, DCOG: p.DCOG, Team: p.Team,
		Domain: r.domain(p.Domain), Meetings: p.Meetings}
	count := statistic.NewNearMiss(asked, func(e statistic.Encounter) { r.tellEncounter(&e, p.Domain != nil) })
	// Whole hours of a ship come: one that is back within 30 minutes is not missed in between.
	return Question{Counter: ofShips{&nearCount{count, r}, r.shipsOrNamed(p.Team)}, Near: area.Bounds().Expand(p.Distance)}, nil
}

// domain returns the domain that is asked for, with the lengths that ships had then; nil for none.
func (r *Run) domain(of *semiAxes) *statistic.Domain {
	if of == nil {
		return nil
	}
	return &statistic.Domain{Ahead: of.Ahead, Abeam: of.Abeam, Length: func(m ais.MMSI, f ship.Fix) (float64, bool) {
		then, err := r.Past.At(m, f)
		if err != nil {
			r.failRun(err)
			return 0, false
		}
		length := Described(then).Length
		return float64(length), length > 0
	}}
}

// nearCount counts near misses, and says at the end how many pairs it left out.
type nearCount struct {
	*statistic.NearMiss
	run *Run
}

// ofShips is a Counter that is handed the tracks of what counts alone.
type ofShips struct {
	statistic.Counter
	counts func(ais.MMSI) bool
}

// Take takes a part of a track, unless it is of what does not count.
func (c ofShips) Take(m ais.MMSI, part ship.Track) {
	if c.counts(m) {
		c.Counter.Take(m, part)
	}
}

// shipsOrNamed returns a function that reports whether a number is of a ship, or is among those that the question names. A buoy beside the fairway and a
// helicopter above a ship are no near miss. Nor is a mark that lies at the place for ever.
func (r *Run) shipsOrNamed(named []ais.MMSI) func(ais.MMSI) bool {
	judged := map[ais.MMSI]bool{}
	for _, m := range named {
		judged[m] = true
	}
	return func(m ais.MMSI) bool {
		counts, known := judged[m]
		if !known {
			class, err := r.Past.Class(m)
			if err != nil {
				r.failRun(err)
			}
			counts = class.IsShip()
			judged[m] = counts
		}
		return counts
	}
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

// nearReport returns a ship with what was known of it then.
func (r *Run) nearReport(n *statistic.Near) (nearReport, error) {
	then, err := r.Past.At(n.MMSI, n.Fix)
	if err != nil {
		return nearReport{}, err
	}
	known := Described(then)
	report := nearReport{CallSign: known.CallSign, Draught: known.Draught, IMO: known.IMO, MMSI: n.MMSI, Name: known.Name, Position: placeOf(n.Fix)}
	if degrees, ok := n.COG.Degrees(); ok {
		report.COG = &degrees
	}
	if knots, ok := n.SOG.Knots(); ok {
		report.SOG = &knots
	}
	return report, nil
}

// encounterRecord is a near miss.
type encounterRecord struct {
	Timestamp string            `json:"timestamp"`
	Distance  float64           `json:"distance"`
	Meeting   statistic.Meeting `json:"meeting,omitempty"`
	Domain    *float64          `json:"domain,omitempty"`
	DomainOf  *int              `json:"domain_of,omitempty"`
	Assumed   bool              `json:"length_assumed,omitempty"` // of the ship whose domain it is
	Ship      [2]nearReport     `json:"ship"`
}

func (r *Run) tellEncounter(e *statistic.Encounter, domain bool) {
	record := encounterRecord{Timestamp: timeText(e.At), Distance: roundTenths(e.Distance), Meeting: e.Meeting}
	for i := range record.Ship {
		var err error
		if record.Ship[i], err = r.nearReport(&e.Ships[i]); err != nil {
			r.failRun(err)
			return
		}
	}
	if domain {
		ratio := math.Round(e.Intrusion.Ratio*100) / 100
		record.Domain, record.DomainOf, record.Assumed = &ratio, &e.Intrusion.Of, e.Intrusion.Assumed
	}
	r.keepRecord(Record{Moments: e.Moments()}, record)
}
