package registry

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/store/records"
	"quaywatch/users/document"
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
	ETA          string     `json:"eta,omitempty"` // as ParseETA gives it
	Deadweight   int64      `json:"dwt,omitempty"` // tonnes
	GrossTonnage int64      `json:"gt,omitempty"`
	Displacement float64    `json:"displacement,omitempty"` // tonnes
	Virtual      bool       `json:"virtual,omitempty"`      // of an aid to navigation
	Note         string     `json:"note,omitempty"`
	Position     *geo.Point `json:"position,omitempty"`
	Updated      time.Time  `json:"updated"`
}

// keptShip is an entry as it is stored.
type keptShip struct {
	Registered
	Removed bool `json:"removed,omitempty"` // the ship is there no more, but its number, which is one of ours, is not given again
}

// Register is the list of ships that were entered by hand. Each MMSI and each IMO number occurs once.
type Register struct {
	document.Free
	table *records.Table[keptShip]
	now   func() time.Time

	tell func(numbers ...int64) // of what was changed

	writing sync.Mutex // held by a change from its first look to the answer of the database; taken before mu

	mu     sync.RWMutex
	ids    map[int64]uint64 // of the rows, those that were removed among them
	byMMSI map[int64]Registered
}

// OpenRegister reads the register of the database. A nil now is the wall clock.
func OpenRegister(db *records.Database, now func() time.Time) (*Register, error) {
	if now == nil {
		now = time.Now
	}
	table, rows, err := records.ReadTable[keptShip](db, "register")
	if err != nil {
		return nil, err
	}
	r := &Register{table: table, now: now, tell: func(...int64) {}, ids: map[int64]uint64{}, byMMSI: map[int64]Registered{}}
	for _, row := range rows {
		r.ids[row.Value.MMSI] = row.ID
		if !row.Value.Removed {
			r.byMMSI[row.Value.MMSI] = row.Value.Registered
		}
	}
	return r, nil
}

// OnChange sets the function that gets the numbers of added, changed and removed entries. The call that made the change waits for
// the function.
func (r *Register) OnChange(tell func(numbers ...int64)) { r.tell = tell }

// Get returns the entry of a number.
func (r *Register) Get(mmsi int64) (Registered, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, ok := r.byMMSI[mmsi]
	return e, ok
}

// All returns every entry by name, those without one last.
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
		return cmp.Or(cmp.Compare(fold.Name(a.Name), fold.Name(b.Name)), cmp.Compare(a.MMSI, b.MMSI))
	})
	return all
}

// EntryTaken is the error of a number that another entry has; it is an ErrTaken.
type EntryTaken struct{ Key string } // mmsi or imo

// Error says which number.
func (t EntryTaken) Error() string { return "another entry has the " + t.Key }

// Unwrap makes it an ErrTaken.
func (t EntryTaken) Unwrap() error { return form.ErrTaken }

// Add enters a ship, in one commit with the changes that also makes of the entry. The ship gets a number of our own where it has no MMSI. It fails with
// ErrTaken when MMSI or IMO number are entered already, or with TooMany.
func (r *Register) Add(e Registered, also ...func(made Registered) records.CommitPart) (Registered, error) {
	e, err := r.add(e, also)
	if err == nil {
		r.tell(e.MMSI)
	}
	return e, err
}

func (r *Register) add(e Registered, also []func(Registered) records.CommitPart) (Registered, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	if e.MMSI == 0 {
		e.MMSI = r.nextNumber()
	}
	switch {
	case r.used(e.MMSI):
		return e, fmt.Errorf("register %d: %w", e.MMSI, EntryTaken{"mmsi"})
	case r.imoOfOther(e):
		return e, fmt.Errorf("register %d: %w", e.MMSI, EntryTaken{"imo"})
	}
	if err := roomInRegister(len(r.byMMSI), len(r.byMMSI)+1); err != nil {
		return e, err
	}
	e.Updated = r.now().UTC()
	var with []records.CommitPart
	for _, of := range also {
		with = append(with, of(e))
	}
	if err := r.write(e, with); err != nil {
		return e, fmt.Errorf("register %d: %w", e.MMSI, err)
	}
	return e, nil
}

func roomInRegister(now, then int) error {
	return form.Room(MaxRegistered, now, then, rule.New("register_full", "there may be at most {max} ships in the register", "max", MaxRegistered))
}

// write stores an entry, in the row of its number, together with also.
func (r *Register) write(e Registered, also []records.CommitPart) error {
	id, there := r.ids[e.MMSI]
	var err error
	if there {
		err = r.table.Put(id, fmt.Sprint(e.MMSI), keptShip{Registered: e}, also...)
	} else {
		id, err = r.table.Insert(fmt.Sprint(e.MMSI), keptShip{Registered: e}, also...)
	}
	if err != nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids[e.MMSI], r.byMMSI[e.MMSI] = id, e
	return nil
}

// lastPseudoMMSI bounds the numbers that the box gives.
const lastPseudoMMSI = 1 << 52

// MaxRegistered bounds the ships in the register. A port has fewer; more would fill the memory.
const MaxRegistered = 50_000

// Revision is another one after each change of the entry.
func (e *Registered) Revision() string { return form.Revision(e.Updated) }

func isPseudo(mmsi int64) bool { return mmsi >= FirstPseudoMMSI && mmsi <= lastPseudoMMSI }

// nextNumber returns a number that no ship ever had. Users write numbers too, and large ones; so it counts on from the lower half, and skips
// those that are there.
func (r *Register) nextNumber() int64 {
	next := int64(FirstPseudoMMSI)
	for mmsi := range r.ids {
		if isPseudo(mmsi) && mmsi < lastPseudoMMSI/2 {
			next = max(next, mmsi+1)
		}
	}
	for r.ids[next] != 0 {
		next++
	}
	return next
}

// Gone reports whether a number is one of ours whose ship is gone. No other ship gets it.
func (r *Register) Gone(mmsi int64) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, there := r.ids[mmsi]
	return there && !r.used(mmsi)
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

// Change writes a changed copy of an entry, in one commit with also; its number stays. It fails with form.ErrNotFound, or with ErrTaken when another entry has
// the IMO number.
func (r *Register) Change(mmsi int64, edit func(*Registered) error, also ...records.CommitPart) (Registered, error) {
	now, err := r.changeEntry(mmsi, edit, also)
	if err == nil {
		r.tell(mmsi)
	}
	return now, err
}

func (r *Register) changeEntry(mmsi int64, edit func(*Registered) error, also []records.CommitPart) (Registered, error) {
	r.writing.Lock()
	defer r.writing.Unlock()
	now, ok := r.byMMSI[mmsi]
	if !ok {
		return now, fmt.Errorf("change register entry %d: %w", mmsi, form.ErrNotFound)
	}
	if err := edit(&now); err != nil {
		return now, err
	}
	now.MMSI, now.Updated = mmsi, form.ChangedAt(r.byMMSI[mmsi].Updated, r.now())
	if r.imoOfOther(now) {
		return now, fmt.Errorf("change register entry %d: %w", mmsi, EntryTaken{"imo"})
	}
	if err := r.write(now, also); err != nil {
		return now, fmt.Errorf("change register entry %d: %w", mmsi, err)
	}
	return now, nil
}

// Delete removes an entry, in one commit with also. It fails with form.ErrNotFound.
func (r *Register) Delete(mmsi int64, also ...records.CommitPart) error {
	err := r.deleteEntry(mmsi, also)
	if err == nil {
		r.tell(mmsi)
	}
	return err
}

func (r *Register) deleteEntry(mmsi int64, also []records.CommitPart) error {
	r.writing.Lock()
	defer r.writing.Unlock()
	if !r.used(mmsi) {
		return fmt.Errorf("delete register entry %d: %w", mmsi, form.ErrNotFound)
	}
	if err := r.remove(mmsi, also); err != nil {
		return fmt.Errorf("delete register entry %d: %w", mmsi, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.byMMSI, mmsi)
	if !isPseudo(mmsi) {
		delete(r.ids, mmsi)
	}
	return nil
}

// remove takes an entry off the disk, and leaves a number of ours there.
func (r *Register) remove(mmsi int64, also []records.CommitPart) error {
	if isPseudo(mmsi) {
		return r.table.Put(r.ids[mmsi], fmt.Sprint(mmsi), keptShip{Registered{MMSI: mmsi, Updated: r.now().UTC()}, true}, also...)
	}
	return r.table.Delete(r.ids[mmsi], also...)
}

// Entry returns what the picture puts over what is heard of the ship.
func (e *Registered) Entry() *ship.ManualEntry {
	entry := &ship.ManualEntry{
		MMSI: ais.MMSI(e.MMSI), At: e.Updated.UnixMilli(), Class: classNamed(e.Class),
		Static: ship.Static{
			IMO: e.IMO, Name: e.Name, CallSign: e.CallSign, Type: ais.ShipType(e.TypeCode), Virtual: e.Virtual,
			Deadweight: e.Deadweight, GrossTonnage: e.GrossTonnage,
			Dimensions: ais.Dimensions{Bow: e.DimA, Stern: e.DimB, Port: e.DimC, Starboard: e.DimD},
		},
		Voyage: ship.VoyageData{Destination: e.Destination, ETA: e.aisETA(), Draught: ais.Decimetres(e.Draught*10 + 0.5), Written: uint16(math.Round(e.Draught * 100))},
	}
	if entry.Static.Dimensions == (ais.Dimensions{}) {
		entry.Static.Dimensions = ais.Dimensions{Stern: uint16(e.Length), Starboard: uint16(e.Width)}
	}
	if e.Position != nil {
		entry.HasPlace = true
		entry.Lon, entry.Lat = int32(math.Round(e.Position.Lon/ais.PlaceUnit)), int32(math.Round(e.Position.Lat/ais.PlaceUnit))
	}
	return entry
}

// etaLayout is how an ETA is written: in UTC, without a zone.
const etaLayout = "2006-01-02T15:04:05"

// aisETA returns the ETA as AIS has it, without a year.
func (e *Registered) aisETA() ais.ETA {
	at, err := time.Parse(etaLayout, e.ETA)
	if err != nil {
		return ais.ETA{}
	}
	return ais.ETA{Month: uint8(at.Month()), Day: uint8(at.Day()), Hour: uint8(at.Hour()), Minute: uint8(at.Minute())}
}

func classNamed(name string) ship.Class {
	for c := range ship.Class(ship.ClassCount) {
		if c.String() == name {
			return c
		}
	}
	return ship.ClassUnknown
}
