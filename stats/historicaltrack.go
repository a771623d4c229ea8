package stats

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/rule"
	"quaywatch/ship"
	"quaywatch/ship/statistic"
)

// Bounds of a record of a track, and of what is held to fill one.
const (
	pieceFixes = 1000
	heldFixes  = 200_000   // of all ships; 7 MB
	mostFixes  = 2_000_000 // of one result; 250 MB
)

// errLong ends a run that told as many fixes as it may.
var errLong = errors.New("the tracks are too long")

// historicalTracks are the tracks of ships.
func historicalTracks() Kind {
	return Kind{Name: "historicaltrack", Keys: []string{"ships", "mmsi", "shiplist", "shape", "resolution"}, Check: checkTracks, Open: openTracks}
}

// tracksPlan is what is asked: Ships or ShipList is set.
type tracksPlan struct {
	Ships      []ais.MMSI    `json:"ships,omitempty"`
	ShipList   string        `json:"shiplist,omitempty"`
	Shape      *Area         `json:"shape,omitempty"`
	Resolution time.Duration `json:"resolution,omitempty"`
}

func checkTracks(f *form.Fields, who Asker) (any, error) {
	var p tracksPlan
	var err error
	switch OneOf(f, "ships", "mmsi", "shiplist") {
	case "ships":
		p.Ships, err = ReadIdentities(f, "ships", who)
	case "mmsi":
		p.Ships = ReadShips(f, "mmsi")
	case "shiplist":
		p.ShipList = ReadShipList(f, "shiplist", who)
	}
	p.Shape, p.Resolution = ReadArea(f, "shape", who), f.Duration("resolution", 0)
	return p, err
}

// tracksAsked is a question about tracks.
type tracksAsked struct {
	run   *Run
	plan  tracksPlan
	ships []ais.MMSI
	seen  *statistic.Seen // nil without a shape
	held  map[ais.MMSI]ship.Track
	count int // of held
	told  int // fixes
}

func openTracks(r *Run) (Question, error) {
	q := &tracksAsked{run: r, held: map[ais.MMSI]ship.Track{}}
	err := r.Plan(&q.plan)
	if q.ships = q.plan.Ships; err == nil && q.plan.ShipList != "" {
		q.ships, err = r.listed(q.plan.ShipList)
	}
	if err == nil && q.plan.Shape != nil {
		var area *geo.Area
		if area, err = r.inside(q.plan.Shape); err == nil {
			q.seen = statistic.NewSeen(r.Period, area)
		}
	}
	return Question{Ask: q.ask, Ships: some(q.ships)}, err
}

// listed gives the ships that are on a ship list by now.
func (r *Run) listed(name string) (ships []ais.MMSI, err error) {
	has, err := r.shipList(name)
	if err != nil {
		return nil, err
	}
	err = r.stats.config.DB.EachShip(func(s ship.State) error {
		if has(&s) {
			ships = append(ships, s.MMSI)
		}
		return r.Past.ctx.Err()
	})
	return ships, err
}

// ask reads the tracks; with a shape in a second round, of those ships alone that were in it.
func (q *tracksAsked) ask(ctx context.Context) error {
	if q.seen != nil {
		if err := q.run.scan(ctx, Question{Counter: q.seen, Ships: some(q.ships)}); err != nil {
			return err
		}
		q.ships = slices.DeleteFunc(slices.Clone(q.ships), func(m ais.MMSI) bool { return !q.seen.Has(m) })
	}
	tracks := statistic.NewTracks(statistic.TracksQuestion{Period: q.run.Period, Resolution: q.plan.Resolution}, q.take)
	err := q.run.scan(ctx, Question{Counter: tracks, Ships: some(q.ships)})
	if err == nil {
		q.flush()
		err = q.run.out.failed
	}
	if errors.Is(err, errLong) {
		q.run.Warn(rule.New("stat_long", "the tracks have {max} positions, which is as many as they may have; there are more: ask for a resolution or a shorter period",
			"max", mostFixes))
		return nil
	}
	return err
}

// some makes a list without ships one that is not nil, which would stand for all.
func some(ships []ais.MMSI) []ais.MMSI {
	if ships == nil {
		return []ais.MMSI{}
	}
	return ships
}

// take holds a piece until there is a record full of that ship.
func (q *tracksAsked) take(p statistic.TrackPiece) {
	track := append(q.held[p.MMSI], p.Track...)
	q.count += len(p.Track)
	for len(track) >= pieceFixes {
		q.tell(p.MMSI, track[:pieceFixes])
		track = slices.Clone(track[pieceFixes:])
		q.count -= pieceFixes
	}
	if q.held[p.MMSI] = track; len(track) == 0 {
		delete(q.held, p.MMSI)
	}
	if q.count > heldFixes {
		q.flush()
	}
}

// flush tells all that is held, in the order of the ships.
func (q *tracksAsked) flush() {
	for _, m := range slices.Sorted(maps.Keys(q.held)) {
		q.tell(m, q.held[m])
	}
	clear(q.held)
	q.count = 0
}

// tell keeps a piece of a track. Where a shape is asked for, a reader must have seen that the ship was in it.
func (q *tracksAsked) tell(m ais.MMSI, track ship.Track) {
	if q.told += len(track); q.told > mostFixes {
		q.run.fail(errLong)
		return
	}
	then, err := q.run.Past.At(m, track[0])
	if err != nil {
		q.run.fail(err)
		return
	}
	one := Record{Track: pieceOf(m, track)}
	if q.seen != nil {
		first, _ := q.seen.First(m)
		one.Moments = []statistic.Moment{first}
	}
	q.run.keep(one, struct {
		Ship Ship `json:"ship"`
	}{Described(then)})
}
