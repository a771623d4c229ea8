package portcalls

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/chart/water"
	"quaywatch/ship"
	"quaywatch/ship/learn"
	"quaywatch/ship/portcall"
	"quaywatch/store/records"
)

// farthest is how far from a receiver water is learned.
const farthest = 60_000 // metres

// Learning is how water is learned from what is recorded.
type Learning struct {
	Days  int     `json:"days"`  // on which ships must have sailed in a cell; 0 is 3
	Alone float64 `json:"alone"` // metres; see learn.Options
}

// Learned tells what learning gave.
type Learned struct {
	Ships   int  `json:"ships"`   // that were read
	Learned int  `json:"learned"` // cells of learned water
	Seen    int  `json:"seen"`    // cells in which fewer ships sailed
	Full    bool `json:"full"`    // cells were left out, because they were too many
}

// Rows of the table of learned water: what is learned, and what is known of the cells that are not learned yet.
const (
	waterRow    = 1
	evidenceRow = 2
)

// storedWater is a row of the table of learned water: an overlay, or an area that a user rejected.
type storedWater struct {
	Overlay  []byte                   `json:"overlay,omitempty"`
	Evidence []byte                   `json:"evidence,omitempty"`
	Unsure   map[ais.MMSI]learn.Trust `json:"unsure,omitempty"`   // beside the evidence
	Rejected json.RawMessage          `json:"rejected,omitempty"` // GeoJSON
	By       string                   `json:"by,omitempty"`
	At       portcall.Millis          `json:"at,omitempty"`
}

// Waters are the water that ships taught, and what users rejected of it.
//
// Locks: writing is held while the database writes. What readers need is guarded by mu, which is taken after it and held for a moment.
type Waters struct {
	config *Config
	table  *records.Table[storedWater]

	writing sync.Mutex
	learned *water.Overlay // with what users rejected; nil for none

	mu       sync.Mutex
	rejected []Rejected // replaced, never changed, by the holder of writing

	lessons lessons
}

// openWaters reads the learned water that is kept.
func openWaters(c *Config) (*Waters, error) {
	table, rows, err := records.ReadTable[storedWater](c.DB.Database, "water")
	if err != nil {
		return nil, err
	}
	w := &Waters{config: c, table: table}
	var o *water.Overlay
	var evidence []byte
	var unsure map[ais.MMSI]learn.Trust
	for _, row := range rows {
		switch {
		case row.ID >= firstRejected:
			w.readRejected(row.ID, &row.Value)
		case row.ID == waterRow:
			if o, err = water.Decode(row.Value.Overlay); err != nil {
				c.Log.Warn("learned water cannot be read; learn-water makes it anew", "error", err)
				o = nil
			}
		case row.ID == evidenceRow:
			evidence, unsure = row.Value.Evidence, row.Value.Unsure
		}
	}
	w.lessons.restoreUnsure(unsure)
	w.lessons.beginLearning(c, o, evidence)
	if o != nil {
		w.learned = o
		w.useLearned()
	}
	return w, nil
}

// useLearned tells of learned water without what users rejected. It takes the place of what was learned before. It is called while writing is held, and at
// the start. It returns how many cells were left out.
func (w *Waters) useLearned() (left int) {
	o, left := w.learned.Without(w.areas())
	if w.config.Learned != nil && o != nil {
		w.config.Learned(o)
	}
	return left
}

// LearnWater learns water from all that is recorded, in the place of what was learned before, and keeps it. Without receivers that tell
// their place water is learned everywhere.
func (w *Waters) LearnWater(ctx context.Context, how Learning) (Learned, error) {
	land := w.config.Land
	if land == nil {
		var err error
		if land, err = chart.Load(); err != nil {
			return Learned{}, err
		}
	}
	r := reading{waters: w, learner: learn.New(land, learn.Options{Days: how.Days, Alone: how.Alone}), ships: map[ais.MMSI]pupil{}}
	if err := w.config.DB.Passing(ctx, world, time.Time{}, endOfTime, r.addHour); err != nil {
		return Learned{}, err
	}
	o, full := r.learner.Overlay()
	learned, seen := o.Cells()
	w.writing.Lock()
	defer w.writing.Unlock()
	r.learner.Follow(o)
	r.learner.Forget(r.learner.Known())
	evidence := r.learner.Evidence()
	if err := w.putOverlay(o, evidence); err != nil {
		return Learned{}, err
	}
	w.lessons.beginLearning(w.config, o, evidence)
	return Learned{len(r.ships), len(learned), len(seen), full || r.learner.Full()}, nil
}

// reading is one reading of the past for water.
type reading struct {
	waters  *Waters
	learner *learn.Learner
	ships   map[ais.MMSI]pupil
}

// pupil is what is known of a ship whose tracks are read.
type pupil struct {
	teaches bool // by its static data
	breadth float64
	last    ship.Fix // of the hour before
	so      learn.Trust
}

// addHour takes the positions of a ship in an hour, with the last one before.
func (r *reading) addHour(m ais.MMSI, track ship.Track) error {
	track = track.Trusted()
	p, known := r.ships[m]
	if !known {
		state, err := r.waters.config.DB.Ship(m)
		if err == nil && isKnown(state.Static) && callsAtPorts(state.Class) {
			p = pupil{teaches: true, breadth: float64(state.Static.Dimensions.Width())}
		}
	}
	if p.teaches {
		near := track
		if p.last.At != 0 && len(track) > 0 && track[0].At > p.last.At {
			near = append(ship.Track{p.last}, track...)
		}
		if r.inReach(near) {
			p.so = r.learner.Sail(m, p.breadth, near, p.so)
		}
	}
	if len(track) > 0 {
		p.last = track[len(track)-1]
	}
	r.ships[m] = p
	return nil
}

// isKnown reports whether a ship is known by its static data.
func isKnown(s *ship.Static) bool {
	return s != nil && (s.Name != "" || s.Dimensions != ais.Dimensions{})
}

// inReach reports whether a stretch begins or ends near a receiver.
func (r *reading) inReach(t ship.Track) bool {
	return len(t) > 0 && r.waters.config.isNearReceiver(t[0].Point(), t[len(t)-1].Point())
}

// isNearReceiver reports whether one of two places lies near a receiver.
func (c *Config) isNearReceiver(a, b geo.Point) bool {
	for _, at := range c.Receivers {
		if !geo.Farther(at, a, farthest) || !geo.Farther(at, b, farthest) {
			return true
		}
	}
	return len(c.Receivers) == 0
}

// putOverlay stores an overlay and the evidence that goes with it. It is called while writing is held.
func (w *Waters) putOverlay(o *water.Overlay, evidence []byte) error {
	row := storedWater{Evidence: evidence, Unsure: w.lessons.doubts()}
	err := w.config.DB.Together(func(tx *records.Tx) error {
		_, err := w.table.SetIn(tx, waterRow, "learned", storedWater{Overlay: o.Encode()})
		if err == nil {
			err = w.putEvidence(tx, row)
		}
		return err
	})
	if err != nil {
		return err
	}
	w.learned = o
	w.useLearned()
	return nil
}

// putEvidence stores evidence and the ships in doubt.
func (w *Waters) putEvidence(tx *records.Tx, row storedWater) error {
	_, err := w.table.SetIn(tx, evidenceRow, "evidence", row)
	return err
}
