package stats

import (
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// multiShip is what changed of some ships.
func multiShip() Kind {
	return Kind{Name: "multiship", Keys: []string{"ships"}, Check: checkMultiShip, Open: openMultiShip}
}

// shipsPlan is which ships are asked for.
type shipsPlan struct {
	Ships []ais.MMSI `json:"ships"`
}

func checkMultiShip(f *form.Fields, who Asker) (any, error) {
	f.Require("ships")
	ships, err := ReadIdentities(f, "ships", who)
	return shipsPlan{ships}, err
}

func openMultiShip(r *Run) (Question, error) {
	var p shipsPlan
	if err := r.Plan(&p); err != nil {
		return Question{}, err
	}
	c := &changeCount{run: r, filter: r.Filter, ships: p.Ships, fed: r.Period.Begin, told: map[ais.MMSI]*toldOf{}}
	r.Filter = nil // it judges records: a ship whose reports it takes away would seem lost
	c.ShipChanges = statistic.NewChanges(statistic.ChangesQuestion{Period: r.Period, Silence: statistic.DefaultSilences()}, c.keepChange)
	for _, m := range p.Ships {
		if err := c.sendStartState(m); err != nil {
			return Question{}, err
		}
	}
	return Question{Counter: c, Ships: p.Ships}, nil
}

// changeCount counts changes. It hands on what became known of the ships day by day, beside their tracks.
type changeCount struct {
	*statistic.ShipChanges
	run    *Run
	filter *ship.Filter // nil lets all pass
	ships  []ais.MMSI
	fed    time.Time // what became known before was handed on
	told   map[ais.MMSI]*toldOf
}

// sendStartState hands on what was known of a ship when the period began: its class, its data and its last place.
func (c *changeCount) sendStartState(m ais.MMSI) error {
	known, begin := c.run.Past, c.run.Period.Begin
	class, err := known.Class(m)
	if err != nil {
		return err
	}
	if class != ship.ClassUnknown {
		c.Class(m, class)
	}
	if err := c.states(m, begin.Add(-time.Millisecond), begin, true); err != nil {
		return err
	}
	last, ok, err := known.LastBefore(m, begin)
	if ok {
		c.Take(m, ship.Track{last})
	}
	return err
}

// states hands on what became known of a ship in a time. What held before belongs to it when the period begins alone.
func (c *changeCount) states(m ais.MMSI, from, to time.Time, first bool) error {
	changes, err := c.run.stats.config.DB.StaticChanges(c.run.Past.Context(), m, from, to)
	if err != nil {
		return err
	}
	var known []statistic.KnownShip
	for i := range changes {
		if change := &changes[i]; first || !change.At.Before(from) {
			known = append(known, statistic.KnownShip{At: change.At.UnixMilli(), Static: change.Static, Voyage: change.Voyage})
		}
	}
	c.States(m, known)
	return nil
}

// Over hands on the days that begin by then, and counts up to it.
func (c *changeCount) Over(now time.Time) {
	for end := c.run.Period.End; c.fed.Before(now) && c.fed.Before(end); {
		to := c.fed.Add(24 * time.Hour)
		if to.After(end) {
			to = end
		}
		for _, m := range c.ships {
			if err := c.states(m, c.fed, to, false); err != nil {
				c.run.failRun(err)
				return
			}
		}
		c.fed = to
	}
	c.ShipChanges.Over(now)
}

// toldOf is what the records of a ship told last.
type toldOf struct {
	static ship.Static
	voyage ship.VoyageData
}

// changeRecord is a record of a change. Of the data it has what is new.
type changeRecord struct {
	Timestamp   string               `json:"timestamp"`
	Change      statistic.ChangeCode `json:"change"`
	Ship        justMMSI             `json:"ship"`
	Name        *string              `json:"name,omitempty"`
	CallSign    *string              `json:"callsign,omitempty"`
	IMO         *uint32              `json:"imo,omitempty"`
	Type        *string              `json:"type,omitempty"`
	Length      *int                 `json:"length,omitempty"`
	Width       *int                 `json:"width,omitempty"`
	Destination *string              `json:"destination,omitempty"`
	ETA         *string              `json:"eta,omitempty"`
	Draught     *float64             `json:"draught,omitempty"`
	COG         *float64             `json:"cog,omitempty"`
	SOG         *float64             `json:"sog,omitempty"`
	Longitude   *float64             `json:"longitude,omitempty"`
	Latitude    *float64             `json:"latitude,omitempty"`
}

// justMMSI is a ship by its number.
type justMMSI struct {
	MMSI ais.MMSI `json:"mmsi"`
}

// keepChange keeps the record of a change. One without a place nobody can judge: it is for readers that see all.
func (c *changeCount) keepChange(change statistic.ShipChange) {
	record := c.recordOf(&change)
	then := change.Fix
	then.At = change.At // a reader that is told late is not told of it before
	if c.filter != nil && !c.passesFilter(&change, then) {
		return
	}
	kept := Record{Moments: change.Moments(), Bare: !change.HasFix}
	if change.HasFix && then.At > change.Fix.At {
		kept.Moments = append(kept.Moments, statistic.Moment{MMSI: change.MMSI, Fix: then})
	}
	c.run.keepRecord(kept, record)
}

// passesFilter reports whether the filter lets a change pass.
func (c *changeCount) passesFilter(change *statistic.ShipChange, at ship.Fix) bool {
	then, err := c.run.Past.At(change.MMSI, at)
	if err != nil {
		c.run.failRun(err)
		return false
	}
	state := *then
	state.HasFix = change.HasFix
	return c.filter.Match(&state, at.Time())
}

// recordOf returns what is told of a change.
func (c *changeCount) recordOf(change *statistic.ShipChange) changeRecord {
	made := changeRecord{Timestamp: timeText(change.At), Change: change.Code, Ship: justMMSI{change.MMSI}}
	was := c.told[change.MMSI]
	if was == nil {
		was = &toldOf{}
		c.told[change.MMSI] = was
	}
	if k := change.Static; k != nil {
		made.tellStatic(&was.static, k)
		was.static = *k
	}
	if v := change.Voyage; v != nil {
		made.tellVoyage(&was.voyage, v)
		was.voyage = *v
	}
	if change.HasFix {
		made.setPlace(&change.Fix)
	}
	return made
}

// tellStatic tells what is new of the static data.
func (r *changeRecord) tellStatic(was, is *ship.Static) {
	r.Name, r.CallSign, r.IMO = news(was.Name, is.Name), news(was.CallSign, is.CallSign), news(was.IMO, is.IMO)
	r.Type = news(was.Type.String(), is.Type.String())
	r.Length, r.Width = news(was.Dimensions.Length(), is.Dimensions.Length()), news(was.Dimensions.Width(), is.Dimensions.Width())
}

// tellVoyage tells what is new of the voyage data.
func (r *changeRecord) tellVoyage(was, is *ship.VoyageData) {
	r.Destination = news(was.Destination, is.Destination)
	r.Draught = news(float64(was.Centimetres())/100, float64(is.Centimetres())/100)
	if was.ETA != is.ETA {
		r.ETA = news("", ship.ETAText(is.ETA, ship.Time(is.At)))
	}
}

// setPlace tells where the ship was, and how it sailed.
func (r *changeRecord) setPlace(f *ship.Fix) {
	at := placeOf(*f).Coordinates
	r.Longitude, r.Latitude = &at[0], &at[1]
	if degrees, ok := f.COG.Degrees(); ok {
		r.COG = &degrees
	}
	if knots, ok := f.SOG.Knots(); ok {
		r.SOG = &knots
	}
}

// news returns a value that is another than before; nil for the same.
func news[T comparable](was, is T) *T {
	if was == is {
		return nil
	}
	return &is
}
