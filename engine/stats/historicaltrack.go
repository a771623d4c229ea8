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
	"quaywatch/internal/rule"
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
	return Kind{Name: "historicaltrack", Keys: []string{"ships", "mmsi", "shiplist", "shape", "inside", "resolution"}, Check: checkTracks, Open: openTracks}
}

// tracksPlan is what is asked: one of Ships, ShipList and Shape is set, or Shape beside one of the others.
type tracksPlan struct {
	Ships      []ais.MMSI    `json:"ships,omitempty"`
	ShipList   string        `json:"shiplist,omitempty"`
	Shape      *AreaShape    `json:"shape,omitempty"`
	Inside     bool          `json:"inside,omitempty"` // only the positions in Shape
	Resolution time.Duration `json:"resolution,omitempty"`
}

func checkTracks(f *form.Fields, who Asker) (any, error) {
	var p tracksPlan
	var err error
	ships := ""
	if !f.Given("shape") || f.Given("ships") || f.Given("mmsi") || f.Given("shiplist") { // a shape alone means all ships in it
		ships = OneOf(f, "ships", "mmsi", "shiplist")
	}
	switch ships {
	case "ships":
		p.Ships, err = ReadIdentities(f, "ships", who)
	case "mmsi":
		p.Ships = ReadShips(f, "mmsi")
	case "shiplist":
		p.ShipList = ReadShipList(f, "shiplist", who)
	}
	p.Shape, p.Resolution = ReadArea(f, "shape", who), f.Duration("resolution", 0)
	if p.Inside = f.Boolean("inside", false); p.Inside && !f.Given("shape") {
		f.Refuse("inside", rule.New("stat_inside", "goes only with shape"))
	}
	return p, err
}

// tracksAsked is a question about tracks.
type tracksAsked struct {
	run   *Run
	plan  tracksPlan
	ships []ais.MMSI
	area  *geo.Area            // nil without a shape
	seen  *statistic.SeenShips // the same
	in    map[ais.MMSI]bool    // whether the last position of a ship was in the shape, where those inside are asked for
	held  map[ais.MMSI]ship.Track
	count int // of held
	told  int // fixes
}

func openTracks(r *Run) (Question, error) {
	q := &tracksAsked{run: r, held: map[ais.MMSI]ship.Track{}, in: map[ais.MMSI]bool{}}
	err := r.Plan(&q.plan)
	if q.ships = q.plan.Ships; err == nil && q.plan.ShipList != "" {
		q.ships, err = r.listedShips(q.plan.ShipList)
	}
	if err == nil && q.plan.Shape != nil {
		if q.area, err = r.areaWithInside(q.plan.Shape); err == nil {
			q.seen = statistic.NewSeen(r.Period, q.area)
		}
	}
	if q.wantsAll() { // for the estimate
		return Question{Ask: q.readTracks, Near: q.searchRect()}, err
	}
	return Question{Ask: q.readTracks, Ships: some(q.ships)}, err
}

// listedShips returns the ships that are on a ship list by now.
func (r *Run) listedShips(name string) (ships []ais.MMSI, err error) {
	has, err := r.shipList(name)
	if err != nil {
		return nil, err
	}
	err = r.stats.config.DB.EachShip(func(s ship.State) error {
		if has(&s) {
			ships = append(ships, s.MMSI)
		}
		return r.Past.Context().Err()
	})
	return ships, err
}

// wantsAll reports whether all ships in the shape are asked for.
func (q *tracksAsked) wantsAll() bool { return q.plan.ShipList == "" && len(q.plan.Ships) == 0 }

// searchRect returns where the ships are looked for.
func (q *tracksAsked) searchRect() geo.Rect {
	if q.area == nil {
		return Everywhere()
	}
	return q.area.Bounds()
}

// readTracks reads the tracks. With a shape a first round finds the ships that were in it, where more of them is told than what they sailed there.
func (q *tracksAsked) readTracks(ctx context.Context) error {
	tracks := statistic.NewTracks(statistic.TracksQuestion{Period: q.run.Period, Resolution: q.plan.Resolution}, q.addPiece)
	first, second := q.rounds(tracks)
	if first != nil {
		if err := q.run.scanTracks(ctx, *first); err != nil {
			return err
		}
	}
	if second.Ships != nil && q.seen != nil {
		second.Ships = slices.DeleteFunc(slices.Clone(q.ships), func(m ais.MMSI) bool { return !q.seen.Has(m) })
	}
	err := q.run.scanTracks(ctx, second)
	if err == nil {
		q.tellHeld()
		err = q.run.out.failed
	}
	if errors.Is(err, errLong) {
		q.run.Warn(rule.New("stat_long", "the tracks have {max} positions, which is as many as they may have; there are more: ask for a resolution or a shorter period",
			"max", mostFixes))
		return nil
	}
	return err
}

// rounds returns what is read: first, if not nil, to find the ships in the shape, and then to tell their tracks.
func (q *tracksAsked) rounds(tracks *statistic.TrackPieces) (first *Question, second Question) {
	switch {
	case q.wantsAll() && q.plan.Inside:
		return nil, Question{Counter: &seenTracks{tracks, q.seen, true}, Near: q.searchRect()}
	case q.wantsAll():
		return &Question{Counter: q.seen, Near: q.searchRect()}, Question{Counter: &seenTracks{tracks, q.seen, false}, Near: Everywhere()}
	case q.seen != nil:
		return &Question{Counter: q.seen, Ships: some(q.ships)}, Question{Counter: tracks, Ships: some(q.ships)}
	}
	return nil, Question{Counter: tracks, Ships: some(q.ships)}
}

// seenTracks tells the tracks of ships that were in a shape. Looking finds them in the same round.
type seenTracks struct {
	*statistic.TrackPieces
	seen    *statistic.SeenShips
	looking bool
}

// Take takes a part of a track.
func (s *seenTracks) Take(m ais.MMSI, part ship.Track) {
	if s.looking {
		s.seen.Take(m, part)
	}
	if s.seen.Has(m) {
		s.TrackPieces.Take(m, part)
	}
}

// positionsInside returns the positions of a piece that lie in the shape. No leg leads over those that do not.
func (q *tracksAsked) positionsInside(p statistic.TrackPiece) (track ship.Track) {
	for _, f := range p.Track {
		was := q.in[p.MMSI]
		q.in[p.MMSI] = q.area.Contains(f.Point())
		if !q.in[p.MMSI] {
			continue
		}
		if !was {
			f.Mark |= ship.NewSegment
		}
		track = append(track, f)
	}
	return track
}

// some makes a list without ships one that is not nil, which would stand for all.
func some(ships []ais.MMSI) []ais.MMSI {
	if ships == nil {
		return []ais.MMSI{}
	}
	return ships
}

// addPiece holds a piece until there is a record full of that ship.
func (q *tracksAsked) addPiece(p statistic.TrackPiece) {
	if q.plan.Inside {
		p.Track = q.positionsInside(p)
	}
	track := append(q.held[p.MMSI], p.Track...)
	q.count += len(p.Track)
	for len(track) >= pieceFixes {
		q.keepPiece(p.MMSI, track[:pieceFixes])
		track = slices.Clone(track[pieceFixes:])
		q.count -= pieceFixes
	}
	if q.held[p.MMSI] = track; len(track) == 0 {
		delete(q.held, p.MMSI)
	}
	if q.count > heldFixes {
		q.tellHeld()
	}
}

// tellHeld tells all that is held, in the order of the ships.
func (q *tracksAsked) tellHeld() {
	for _, m := range slices.Sorted(maps.Keys(q.held)) {
		q.keepPiece(m, q.held[m])
	}
	clear(q.held)
	q.count = 0
}

// keepPiece keeps a piece of a track. Where a shape is asked for, a reader must have seen that the ship was in it.
func (q *tracksAsked) keepPiece(m ais.MMSI, track ship.Track) {
	if q.told += len(track); q.told > mostFixes {
		q.run.failRun(errLong)
		return
	}
	then, err := q.run.Past.At(m, track[0])
	if err != nil {
		q.run.failRun(err)
		return
	}
	record := Record{Track: pieceOf(m, track)}
	if q.seen != nil {
		first, _ := q.seen.First(m)
		record.Moments = []statistic.Moment{first}
	}
	q.run.keepRecord(record, struct {
		Ship trackedShip `json:"ship"`
	}{trackedOf(then)})
}

// trackedShip is a ship of which the track is told, with what its transponder said as numbers: other programs take these.
type trackedShip struct {
	ResultShip
	TypeCode  uint8  `json:"type_code,omitempty"` // ITU-R M.1371-5, table 53
	Bow       uint16 `json:"bow,omitempty"`       // metres from the antenna, as the others
	Stern     uint16 `json:"stern,omitempty"`
	Port      uint16 `json:"port,omitempty"`
	Starboard uint16 `json:"starboard,omitempty"`
}

func trackedOf(then *ship.State) trackedShip {
	told := trackedShip{ResultShip: Described(then)}
	if k := then.Static; k != nil {
		d := k.Dimensions
		told.TypeCode, told.Bow, told.Stern, told.Port, told.Starboard = uint8(k.Type), uint16(d.Bow), uint16(d.Stern), uint16(d.Port), uint16(d.Starboard)
	}
	return told
}
