package stats

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/engine/stats/past"
	"quaywatch/engine/stats/scan"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// Kind is one kind of statistics. Each has a file of its own, with a function that gives it, and a line in Kinds.
type Kind struct {
	Name string
	Keys []string // the fields of a definition beside the common ones

	// Check reads these fields, and notes there what is wrong. It returns what Open needs of them, which is kept as JSON: what a name means may
	// change, so names stay names. An error is of ours.
	Check func(f *form.Fields, who Asker) (plan any, err error)

	// Open prepares a run. It fails with a *rule.Rule where what the plan names is gone: then the statistic is aborted, and the rule says why.
	Open func(r *Run) (Question, error)
}

// Kinds are those that can be asked for.
func Kinds() []Kind {
	return []Kind{
		portCalls(),
		areaKind(), passageLine(), multiPassageLine(), sogDist(), density(),
		nearMisses(), nearPoints(), multiShip(), historicalTracks(),
		transitPilot(), trips(), pilotBoats(),
	}
}

// Names are those of all kinds.
func Names() []string {
	return []string{"multipassageline", "passageline", "sogdist", "nmss", "historicaltrack", "area", "transitpilot", "trip", "pilotboat", "multiship",
		"portcalls", "nmsp", "density"}
}

// NameOf returns the name of a kind by a word of the interface; false for none.
func NameOf(word string) (string, bool) {
	if word == "pilot" {
		word = "transitpilot"
	}
	return word, slices.Contains(Names(), word)
}

// Kind returns a kind by its name; false for none.
func (s *Statistics) Kind(name string) (*Kind, bool) {
	k, ok := s.kinds[name]
	return k, ok
}

// Asker is what the user that defines a statistic may name.
type Asker struct {
	Names ship.Lookup
	Ports func(ref string) []*chart.Port // those of an id, a LOCODE or a name

	// Ship returns the one ship that is meant, as it was described at a time or is now. It fails with a *rule.Rule where there is none, or several.
	Ship func(q ship.Identity, at time.Time) (ais.MMSI, error)
}

// filter returns the filter of a text, nil for none.
func (a *Asker) filter(text string) (*ship.Filter, error) {
	if text == "" {
		return nil, nil
	}
	return ship.ParseFilter(text, a.Names)
}

// Question is a kind as it is asked once. It has a Counter, which gets the tracks, or Ask, which looks elsewhere.
type Question struct {
	Counter statistic.Counter
	Near    geo.Rect               // what lies outside is not handed to the Counter, but perhaps some of it; Everywhere is all
	Ships   []ais.MMSI             // that are handed to it alone, wherever they are; nil for all
	Only    func(*ship.State) bool // picks fixes by what was known of the ship at their time, as the filter does; nil for all
	Read    *statistic.Period      // what is read where that is more than what is asked; nil for that
	Aside   []ais.MMSI             // that the filter does not judge: it picks the others

	// Where stands in place of Near where that would be the half of a world; nil is Near. It is called in a goroutine of its own.
	Where scan.Where

	Ask     func(ctx context.Context) error // with Ships it reads their tracks, with Near those of ships there
	Callers []ais.MMSI                      // whose calls at ports it reads, where it has no Ships; nil for all
	Ports   map[uint64]bool                 // at which these calls are; nil for all
}

// Everywhere is the whole world.
func Everywhere() geo.Rect { return geo.Rect{West: -180, South: -90, East: 180, North: 90} }

// Run is a statistic that runs, as its kind sees it. It is for one goroutine.
type Run struct {
	Period  statistic.Period // what is asked, up to now
	Names   ship.Lookup      // what the owner may name
	Filter  *ship.Filter     // nil lets all pass; tracks that a Counter gets have passed it
	Past    *past.Past       // what was known of ships
	stats   *Statistics
	job     Job
	plan    json.RawMessage
	going   *going
	out     writer
	warned  []Note
	counted counted
}

// counted is what a run looked at, to say why it found nothing.
type counted struct{ read, passed int64 }

// shipList returns the test of membership in a ship list.
func (r *Run) shipList(name string) (func(*ship.State) bool, error) {
	if find := r.Names.ShipList; find != nil {
		if listed, ok := find(name); ok {
			return listed, nil
		}
	}
	return nil, rule.New("stat_list_gone", "the ship list {name} is there no more", "name", name)
}

// Plan reads what Check gave.
func (r *Run) Plan(into any) error { return json.Unmarshal(r.plan, into) }
