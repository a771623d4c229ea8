package sight

import (
	"context"
	"fmt"
	"slices"
	"time"

	"quaywatch/ship"
)

// Tenure is the times in which a transmitter was that of one ship. An MMSI goes to another ship when it is sold with the set, and a ship gets another
// one with another flag.
type Tenure struct {
	Ship  ship.State // the transmitter, as the user sees it by now
	Spans []TimeSpan // in order, apart from each other
}

// TimeSpan is a time from From on, before To.
type TimeSpan struct{ From, To time.Time }

// Meets reports whether some of a time belongs to the ship. A zero to is that of a time that goes on.
func (t *Tenure) Meets(from, to time.Time) bool {
	n, _ := slices.BinarySearchFunc(t.Spans, from, func(s TimeSpan, from time.Time) int {
		if s.To.After(from) {
			return 1
		}
		return -1
	})
	return n < len(t.Spans) && (to.IsZero() || !t.Spans[n].From.After(to))
}

// wholeTenure returns the tenure of a ship that always had its number.
func wholeTenure(of *ship.State, begin, end time.Time) []Tenure {
	return []Tenure{{*of, []TimeSpan{{begin, end}}}}
}

// Tenures returns, for the user of v, the transmitters that the ship had in begin <= time < end which a question means, and when. found is the ship of the
// question, as Identify returned it. Who asks by MMSI means the transmitter. Otherwise a ship with an IMO number is that hull, under whatever name and number.
// A ship without an IMO number is its MMSI while it had the name or the call sign of the question.
func Tenures(ctx context.Context, v *Viewer, q ship.Identity, found *ship.State, begin, end time.Time) ([]Tenure, error) {
	hull := hullOf(q, found)
	if q.MMSI == found.MMSI || hull.Empty() || found.MMSI > ship.LargestMMSI {
		return wholeTenure(found, begin, end), nil
	}
	own, err := v.Ship(found.MMSI)
	if err != nil {
		return nil, err
	}
	had := []ship.State{own}
	if hull.IMO != 0 {
		now, before, err := v.shipsAlike(ctx, ship.Identity{IMO: hull.IMO})
		if err != nil {
			return nil, err
		}
		for _, s := range slices.Concat(now, before) {
			if s.MMSI != own.MMSI && s.MMSI <= ship.LargestMMSI {
				had = append(had, s)
			}
		}
	}
	var all []Tenure
	for i := range had {
		known, err := v.Descriptions(ctx, &had[i], begin, end)
		if err != nil {
			return nil, fmt.Errorf("tenures: %w", err)
		}
		if spans := spansOf(hull, known, begin, end); len(spans) > 0 {
			all = append(all, Tenure{had[i], spans})
		}
	}
	if len(all) == 0 { // nothing is recorded of what it was
		return wholeTenure(&own, begin, end), nil
	}
	return all, nil
}

// hullOf returns what a description must say to be of the ship that was found. That is its IMO number, and its name where a description has no number. Else it
// is the name or the call sign by which the ship was found.
func hullOf(q ship.Identity, found *ship.State) ship.Identity {
	who := ship.IdentityOf(found.Static)
	agree, _ := q.Compare(found)
	switch {
	case ship.ValidIMO(who.IMO):
		return ship.Identity{IMO: who.IMO, Name: who.Name}
	case agree&ship.FieldName != 0:
		return ship.Identity{Name: who.Name}
	case agree&ship.FieldCallSign != 0:
		return ship.Identity{CallSign: who.CallSign}
	}
	return ship.Identity{}
}

// belonging is what a description says of whose it is.
type belonging int8

const (
	silent belonging = iota // it says nothing of it
	another
	ours
)

// judgeHull judges a description. An IMO number decides before a name: a hull may be renamed.
func judgeHull(hull ship.Identity, known *ship.Static) belonging {
	agree, contradict := hull.Compare(&ship.State{Static: known})
	switch {
	case agree&ship.FieldIMO != 0:
		return ours
	case contradict != 0:
		return another
	case agree != 0:
		return ours
	}
	return silent
}

// spansOf returns the times of a hull within begin <= time < end by what was known of a transmitter. What is not known yet is what is known next, and what
// is never known is what it was last.
func spansOf(hull ship.Identity, known []Description, begin, end time.Time) (spans []TimeSpan) {
	says := make([]belonging, len(known))
	said := silent
	for i, d := range slices.Backward(known) {
		if says[i] = judgeHull(hull, d.Static); says[i] == silent {
			says[i] = said
		}
		said = says[i]
	}
	said = silent
	for i := range says {
		if says[i] == silent {
			says[i] = said
		}
		said = says[i]
	}
	for i, d := range known {
		if says[i] != ours {
			continue
		}
		from, to := begin, end
		if at := time.UnixMilli(d.From).UTC(); i > 0 && at.After(begin) {
			from = at
		}
		if i+1 < len(known) {
			to = time.UnixMilli(known[i+1].From).UTC()
		}
		if last := len(spans) - 1; last >= 0 && !from.After(spans[last].To) {
			spans[last].To = to
		} else if from.Before(to) {
			spans = append(spans, TimeSpan{from, to})
		}
	}
	return spans
}
