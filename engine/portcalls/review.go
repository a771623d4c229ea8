package portcalls

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strconv"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/wake"
	"quaywatch/ship"
	"quaywatch/store/records"
)

// Review looks at the past again when a port was drawn anew. Then its border, its inner shapes or its berths are others than those by which its past was looked
// at. Afterwards the calls are those that the border would have given if it had been drawn first. What users confirmed, corrected or deleted stays.
type Review struct {
	voyages *Calls
	table   *records.Table[reviewedPort]
	known   map[uint64]reviewedPort // by the id of the port; for the goroutine of run alone
	asked   wake.Kick               // ports may have changed

	mu sync.Mutex
	is Reviewing
}

// Reviewing tells how far a review is. It is zero while there is none.
type Reviewing struct {
	Ports []uint64 // that were drawn anew, by id
	Ships int      // that passed them
	Done  int      // of them, those that were looked at
}

// reviewedPort is the shape by which the past of a port was looked at.
type reviewedPort struct {
	Shape  uint64   `json:"shape"` // see shapeOf
	Bounds geo.Rect `json:"bounds"`
}

// redrawn is a port whose shape has changed.
type redrawn struct {
	id     uint64
	now    reviewedPort
	drawn  bool       // now is more than the list of ports says
	bounds []geo.Rect // that hold it, as it was and as it is
}

// reviewAgain is how long after a failure a review is tried again.
const reviewAgain = time.Minute

// openReview reads which shapes were reviewed.
func openReview(v *Calls) (*Review, error) {
	table, rows, err := records.ReadTable[reviewedPort](v.config.DB.Database, "reviewed")
	if err != nil {
		return nil, err
	}
	r := &Review{voyages: v, table: table, known: map[uint64]reviewedPort{}, asked: wake.NewKick()}
	for _, row := range rows {
		r.known[row.ID] = row.Value
	}
	return r, nil
}

// Reviewing tells how far the review is that goes on; false while there is none.
func (r *Review) Reviewing() (Reviewing, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.is, len(r.is.Ports) > 0
}

// requestReview says that ports may have changed.
func (r *Review) requestReview() {
	r.asked.Wake()
}

// run reviews the past of each port that was drawn anew, until ctx is done. One that is cut off is done again at the next start.
func (r *Review) run(ctx context.Context) {
	again := time.NewTimer(reviewAgain)
	defer again.Stop()
	for {
		ports := r.ports()
		list := r.changedPorts(ports)
		if len(list) > 0 {
			if err := r.reviewPorts(ctx, ports, list); err != nil && ctx.Err() == nil {
				r.voyages.config.Log.Error("the past of ports that were drawn anew cannot be looked at; it is tried again", "error", err)
			}
		}
		again.Reset(reviewAgain)
		select {
		case <-ctx.Done():
			return
		case <-r.asked:
		case <-again.C:
		}
	}
}

// ports returns the ports that the engine has.
func (r *Review) ports() *chart.Ports {
	r.voyages.mu.Lock()
	defer r.voyages.mu.Unlock()
	return r.voyages.ports
}

// changedPorts returns the ports whose past was looked at by another shape, by id. A port that is no longer in the list keeps the calls that it had.
func (r *Review) changedPorts(ports *chart.Ports) (list []redrawn) {
	for _, port := range ports.All() {
		now, drawn := shapeOf(port)
		was, known := r.known[port.ID]
		if drawn == known && now.Shape == was.Shape {
			continue
		}
		change := redrawn{id: port.ID, now: now, drawn: drawn}
		if bounds, ok := port.Bounds(); ok {
			change.bounds = append(change.bounds, bounds)
		}
		if known {
			change.bounds = append(change.bounds, was.Bounds)
		} else if port.Placed { // a port of the list had the circle that every map shows
			change.bounds = append(change.bounds, geo.Circle{Center: port.Position, Radius: chart.DefaultRadius}.Bounds())
		}
		list = append(list, change)
	}
	slices.SortFunc(list, func(a, b redrawn) int { return cmp.Compare(a.id, b.id) })
	return list
}

// shapeOf returns a number that changes with all that tells where a call at the port begins, ends and lies. drawn is false for a port as the list has it.
func shapeOf(port *chart.Port) (now reviewedPort, drawn bool) {
	bounds, ok := port.Bounds()
	if !ok || !port.Drawn() && len(port.Inner)+len(port.Berths) == 0 && port.Changed.IsZero() {
		return reviewedPort{}, false
	}
	h := fnv.New64a()
	numbers := func(list ...float64) {
		for _, n := range list {
			_ = binary.Write(h, binary.LittleEndian, math.Float64bits(n)) // a hash takes all
		}
	}
	polygon := func(p geo.Polygon) {
		numbers(float64(len(p)))
		for _, ring := range p {
			numbers(float64(len(ring)))
			for _, at := range ring {
				numbers(at.Lon, at.Lat)
			}
		}
	}
	numbers(port.Position.Lon, port.Position.Lat)
	polygon(port.Outer)
	for _, inner := range port.Inner {
		polygon(inner)
	}
	for _, b := range port.Berths {
		if b.Position != nil {
			numbers(float64(b.ID), b.Position.Lon, b.Position.Lat, b.Length)
		}
	}
	return reviewedPort{h.Sum64(), bounds}, true
}

// span is the first and the last time at which a ship passed a port that was drawn anew.
type span struct{ first, last int64 }

// reviewPorts looks at the past of the ships that passed the ports of a list.
func (r *Review) reviewPorts(ctx context.Context, ports *chart.Ports, list []redrawn) error {
	ships := map[ais.MMSI]span{}
	var ids []uint64
	for _, change := range list {
		ids = append(ids, change.id)
		for _, area := range change.bounds {
			if err := r.notePassing(ctx, area, ships); err != nil {
				return err
			}
		}
	}
	r.setReviewing(Reviewing{Ports: ids, Ships: len(ships)})
	defer r.setReviewing(Reviewing{})
	log := r.voyages.config.Log
	log.Info("looks at the past again, by ports that were drawn anew", "ports", ids, "ships", len(ships))
	pass := newPass(r.voyages, ports, ids)
	left := sorted(ships)
	for len(left) > 0 {
		behind, err := r.reviewShips(ctx, pass, left, ships)
		if err != nil {
			return err
		}
		if len(behind) == len(left) {
			return errBehind
		}
		left = behind
	}
	if err := r.putShapes(list); err != nil {
		return err
	}
	log.Info("the past was looked at again, by ports that were drawn anew", "ports", ids, "ships", len(ships), "new", pass.fresh, "changed", pass.changed,
		"gone", pass.gone)
	return nil
}

// reviewShips looks at the past of ships, and returns those that are to be looked at once more.
func (r *Review) reviewShips(ctx context.Context, pass *pass, list []ais.MMSI, near map[ais.MMSI]span) (behind []ais.MMSI, err error) {
	for _, m := range list {
		switch err := pass.reviewShip(ctx, m, near[m]); {
		case errors.Is(err, errBehind):
			behind = append(behind, m)
			continue
		case err != nil:
			return nil, err
		}
		r.mu.Lock()
		r.is.Done++
		r.mu.Unlock()
	}
	return behind, nil
}

func (r *Review) setReviewing(now Reviewing) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.is = now
}

// notePassing notes the ships that came near an area.
func (r *Review) notePassing(ctx context.Context, area geo.Rect, ships map[ais.MMSI]span) error {
	near := area.Expand(reviewMargin)
	return r.voyages.config.DB.Passing(ctx, near, time.Time{}, endOfTime, func(m ais.MMSI, t ship.Track) error {
		if len(t) == 0 || !t.Bounds().Intersects(near) {
			return nil
		}
		s, known := ships[m]
		if first := t[0].At; !known || first < s.first {
			s.first = first
		}
		s.last = max(s.last, t[len(t)-1].At)
		ships[m] = s
		return nil
	})
}

// reviewMargin is how far outside of a border a ship may still belong to the port, in metres: it has left it only further out.
const reviewMargin = 1000

// putShapes notes by which shapes the past was looked at.
func (r *Review) putShapes(list []redrawn) error {
	known := maps.Clone(r.known)
	err := r.voyages.config.DB.Together(func(tx *records.Tx) error {
		for _, change := range list {
			var err error
			if change.drawn {
				known[change.id] = change.now
				_, err = r.table.SetIn(tx, change.id, strconv.FormatUint(change.id, 10), change.now)
			} else if _, was := known[change.id]; was {
				delete(known, change.id)
				err = r.table.FreeIn(tx, change.id)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		r.known = known
	}
	return err
}
