package portcalls

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/rule"
	"quaywatch/ship/portcall"
	"quaywatch/store/records"
)

// ErrNotRejected says that there is no such area.
var ErrNotRejected = errors.New("no such area is rejected")

// firstRejected is the first row of the table of learned water that is an area.
const firstRejected = 16

// Bounds of what is rejected: areas, and the points of one.
const (
	mostRejected      = 200
	mostPointsOfWater = 1000
)

// Rejected is an area in which no water is learned: a user says that what ships taught there is none.
type Rejected struct {
	ID   uint64
	Area geo.Polygon
	By   string
	At   time.Time
}

// readRejected takes an area out of the store.
func (w *Waters) readRejected(id uint64, row *storedWater) {
	area, err := form.ParsePolygon(row.Rejected)
	if err != nil {
		w.config.Log.Warn("an area in which no water is learned cannot be read", "id", id, "error", err)
		return
	}
	w.rejected = append(w.rejected, Rejected{id, area, row.By, row.At.Time()})
}

// Rejected returns the areas in which no water is learned, in the order in which they were drawn.
func (w *Waters) Rejected() []Rejected {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rejected
}

// Reject keeps an area in which no water is learned from now on, in one commit with also. It takes what was learned there off the chart. It returns how many
// cells that were. It returns a *rule.Rule for an area with too many points, and when there are too many areas.
func (w *Waters) Reject(r Rejected, also ...records.CommitPart) (Rejected, int, error) {
	w.writing.Lock()
	defer w.writing.Unlock()
	points := 0
	for _, ring := range r.Area {
		points += len(ring)
	}
	switch {
	case points > mostPointsOfWater:
		return r, 0, rule.New("too_many_points", "may have at most {max} points", "max", mostPointsOfWater)
	case len(w.rejected) >= mostRejected:
		return r, 0, rule.New("too_many_areas", "there are {max} areas already; draw one around several of them", "max", mostRejected)
	}
	area, err := json.Marshal(r.Area)
	if err != nil {
		return r, 0, fmt.Errorf("reject learned water: %w", err)
	}
	last, err := w.table.Last()
	if err != nil {
		return r, 0, err
	}
	r.ID = max(last+1, firstRejected)
	err = w.config.DB.Together(func(tx *records.Tx) error {
		_, err := w.table.SetIn(tx, r.ID, "", storedWater{Rejected: area, By: r.By, At: portcall.Millis(r.At.UnixMilli())})
		return err
	}, also...)
	if err != nil {
		return r, 0, err
	}
	_, before := w.learned.Without(w.areas())
	w.setRejected(append(slices.Clone(w.rejected), r))
	return r, w.useLearned() - before, nil
}

// Accept takes an area back, in one commit with also: what ships taught there counts again. It returns ErrNotRejected for no such area.
func (w *Waters) Accept(id uint64, also ...records.CommitPart) error {
	w.writing.Lock()
	defer w.writing.Unlock()
	i := slices.IndexFunc(w.rejected, func(r Rejected) bool { return r.ID == id })
	if i < 0 {
		return ErrNotRejected
	}
	if err := w.table.Delete(id, also...); err != nil {
		return err
	}
	w.setRejected(slices.Delete(slices.Clone(w.rejected), i, i+1))
	w.useLearned()
	return nil
}

func (w *Waters) setRejected(list []Rejected) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.rejected = list
}

// areas returns what is rejected, for the holder of writing.
func (w *Waters) areas() (list []geo.Polygon) {
	for _, r := range w.rejected {
		list = append(list, r.Area)
	}
	return list
}
