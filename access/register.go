package access

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
	"quaywatch/store"
)

// FirstPseudoMMSI is the first number given to registered ships that have none: above 2^31, so that it never meets a number
// of the radio.
const FirstPseudoMMSI = 9900000001

// Registered is what the register says of a ship. Zero and empty fields are not known.
type Registered struct {
	MMSI         int64      `json:"mmsi"`
	IMO          uint32     `json:"imo,omitempty"`
	Name         string     `json:"name,omitempty"`
	CallSign     string     `json:"callsign,omitempty"`
	TypeCode     uint8      `json:"type_code,omitempty"`
	Class        string     `json:"class,omitempty"`
	Length       int        `json:"length,omitempty"` // metres, as Width and the four of Dimensions
	Width        int        `json:"width,omitempty"`
	DimA         uint16     `json:"dim_a,omitempty"`
	DimB         uint16     `json:"dim_b,omitempty"`
	DimC         uint16     `json:"dim_c,omitempty"`
	DimD         uint16     `json:"dim_d,omitempty"`
	Draught      float64    `json:"draught,omitempty"` // metres
	Destination  string     `json:"destination,omitempty"`
	Deadweight   int64      `json:"dwt,omitempty"` // tonnes
	GrossTonnage int64      `json:"gt,omitempty"`
	Displacement float64    `json:"displacement,omitempty"` // tonnes
	Virtual      bool       `json:"virtual,omitempty"`      // of an aid to navigation
	Note         string     `json:"note,omitempty"`
	Position     *geo.Point `json:"position,omitempty"`
	Updated      time.Time  `json:"updated"`
}

// Register is the ships that were entered by hand. An MMSI and an IMO number stand in it once.
type Register struct {
	table *store.Table[Registered]
	now   func() time.Time

	mu     sync.RWMutex
	ids    map[int64]uint64
	byMMSI map[int64]Registered
}

// OpenRegister reads the register of the database. A nil now is the wall clock.
func OpenRegister(db *store.DB, now func() time.Time) (*Register, error) {
	if now == nil {
		now = time.Now
	}
	table, err := store.OpenTable[Registered](db, "register")
	if err != nil {
		return nil, fmt.Errorf("open register: %w", err)
	}
	rows, err := table.All()
	if err != nil {
		return nil, fmt.Errorf("read register: %w", err)
	}
	r := &Register{table: table, now: now, ids: map[int64]uint64{}, byMMSI: map[int64]Registered{}}
	for _, row := range rows {
		r.ids[row.Value.MMSI], r.byMMSI[row.Value.MMSI] = row.ID, row.Value
	}
	return r, nil
}

// Find gives the entry of a number.
func (r *Register) Find(mmsi int64) (Registered, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, ok := r.byMMSI[mmsi]
	return e, ok
}

// All gives every entry by name, those without one last.
func (r *Register) All() []Registered {
	r.mu.RLock()
	defer r.mu.RUnlock()
	var all []Registered
	for _, e := range r.byMMSI {
		all = append(all, e)
	}
	slices.SortFunc(all, func(a, b Registered) int {
		if (a.Name == "") != (b.Name == "") {
			return cmp.Compare(len(b.Name), len(a.Name))
		}
		return cmp.Or(cmp.Compare(fold(a.Name), fold(b.Name)), cmp.Compare(a.MMSI, b.MMSI))
	})
	return all
}

// Add enters a ship, with a number of our own where it has no MMSI. It fails with ErrTaken when MMSI or IMO number are entered
// already, or with TooMany.
func (r *Register) Add(e Registered) (Registered, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.MMSI == 0 {
		e.MMSI = FirstPseudoMMSI
		for r.used(e.MMSI) {
			e.MMSI++
		}
	}
	if r.used(e.MMSI) || r.imoOfOther(e) {
		return e, fmt.Errorf("register %d: %w", e.MMSI, ErrTaken)
	}
	if err := room("ships in the register", MaxRegistered, len(r.byMMSI), len(r.byMMSI)+1); err != nil {
		return e, err
	}
	e.Updated = r.now().UTC()
	id, err := r.table.Insert(fmt.Sprint(e.MMSI), e)
	if err != nil {
		return e, fmt.Errorf("register %d: %w", e.MMSI, taken(err))
	}
	r.ids[e.MMSI], r.byMMSI[e.MMSI] = id, e
	return e, nil
}

func (r *Register) used(mmsi int64) bool {
	_, ok := r.byMMSI[mmsi]
	return ok
}

func (r *Register) imoOfOther(e Registered) bool {
	if e.IMO == 0 {
		return false
	}
	for _, other := range r.byMMSI {
		if other.IMO == e.IMO && other.MMSI != e.MMSI {
			return true
		}
	}
	return false
}

// Change writes a changed copy of an entry; its number stays. It fails with ErrUnknown, or with ErrTaken when another entry has
// the IMO number.
func (r *Register) Change(mmsi int64, edit func(*Registered) error) (Registered, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, ok := r.byMMSI[mmsi]
	if !ok {
		return now, fmt.Errorf("change register entry %d: %w", mmsi, ErrUnknown)
	}
	if err := edit(&now); err != nil {
		return now, err
	}
	now.MMSI, now.Updated = mmsi, changedAt(r.byMMSI[mmsi].Updated, r.now())
	if r.imoOfOther(now) {
		return now, fmt.Errorf("change register entry %d: %w", mmsi, ErrTaken)
	}
	if err := r.table.Put(r.ids[mmsi], fmt.Sprint(mmsi), now); err != nil {
		return now, fmt.Errorf("change register entry %d: %w", mmsi, err)
	}
	r.byMMSI[mmsi] = now
	return now, nil
}

// Delete removes an entry. It fails with ErrUnknown.
func (r *Register) Delete(mmsi int64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.used(mmsi) {
		return fmt.Errorf("delete register entry %d: %w", mmsi, ErrUnknown)
	}
	if err := r.table.Delete(r.ids[mmsi]); err != nil {
		return fmt.Errorf("delete register entry %d: %w", mmsi, err)
	}
	delete(r.ids, mmsi)
	delete(r.byMMSI, mmsi)
	return nil
}

// State gives the ship as she enters the picture: what is known of her already (a zero State when nothing is), its gaps
// filled from the register, and the register's draught unless a newer one was heard.
func (e *Registered) State(known ship.State) ship.State {
	s := known
	at := e.Updated.UnixMilli()
	s.MMSI = ais.MMSI(e.MMSI)
	if s.First == 0 {
		s.First, s.Heard = at, at
	}
	if s.Feed == "" {
		s.Class, s.Age = classNamed(e.Class), ship.Live
	}
	s.Static = e.static(known, at)
	if v := e.voyage(known, at); v != nil {
		s.Voyage = v
	}
	if e.Position != nil && (s.Feed == "" || !s.HasFix) {
		s.HasFix = true
		s.Fix = ship.Fix{
			At: at, Lon: int32(math.Round(e.Position.Lon / ais.PlaceUnit)), Lat: int32(math.Round(e.Position.Lat / ais.PlaceUnit)),
			Status: ais.StatusUndefined,
		}
	}
	return s
}

func (e *Registered) static(known ship.State, at int64) *ship.Static {
	k := ship.Static{At: at}
	if known.Static != nil && known.Feed != "" {
		k = *known.Static
	}
	k.IMO, k.Name, k.CallSign = cmp.Or(k.IMO, e.IMO), cmp.Or(k.Name, e.Name), cmp.Or(k.CallSign, e.CallSign)
	k.Type, k.Virtual = cmp.Or(k.Type, ais.ShipType(e.TypeCode)), k.Virtual || e.Virtual
	if k.Dimensions == (ais.Dimensions{}) {
		k.Dimensions = ais.Dimensions{Bow: e.DimA, Stern: e.DimB, Port: e.DimC, Starboard: e.DimD}
		if k.Dimensions == (ais.Dimensions{}) {
			k.Dimensions = ais.Dimensions{Stern: uint16(e.Length), Starboard: uint16(e.Width)}
		}
	}
	return &k
}

func (e *Registered) voyage(known ship.State, at int64) *ship.VoyageData {
	if e.Draught == 0 && e.Destination == "" {
		return nil
	}
	v := ship.VoyageData{At: at}
	heard := known.Voyage != nil && known.Feed != ""
	if heard {
		v = *known.Voyage
	}
	v.Destination = cmp.Or(v.Destination, e.Destination)
	if e.Draught > 0 && (!heard || v.Draught == 0 || known.Voyage.At < at) {
		v.Draught = ais.Decimetres(e.Draught*10 + 0.5)
	}
	return &v
}

func classNamed(name string) ship.Class {
	for c := range ship.Class(ship.ClassCount) {
		if c.String() == name {
			return c
		}
	}
	return ship.ClassUnknown
}
