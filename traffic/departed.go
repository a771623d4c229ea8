package traffic

import (
	"math"
	"slices"
	"sync"

	"quaywatch/ais"
	"quaywatch/geo"
	"quaywatch/ship"
)

// departed is what the picture keeps of ships that it evicted: the place with its time, and the signature. With it a question about now
// finds them in the store without a walk over the store. A ship leaves the table when it is heard again. What the store forgets stays
// until the next start. Of ships that never told what they are, as invented numbers, it keeps mostNameless; they stay in the store.
type departed struct {
	lock         *sync.RWMutex // of the picture
	mostNameless int
	nameless     int // how many rows are
	handAt       int // where in the rows the search for a nameless one to drop goes on
	rows         []departedShip
	signatures   signatures          // of the rows
	slots        map[ais.MMSI]uint32 // of the rows
	cells        map[cell][]uint32   // rows by place; those without a place are in none
}

// departedShip is where a ship was last, 32 bytes.
type departedShip struct {
	mmsi     uint32
	inCell   uint32 // where it stands in the list of its cell
	at       int64  // Unix milliseconds; noPlace when it was never placed
	lon, lat int32  // in ais.PlaceUnit
	nameless bool
}

const noPlace = math.MinInt64

// cell is a square of one degree: the whole degrees, rounded down, of its south-west corner.
type cell struct{ lon, lat int16 }

func cellOf(p geo.Point) cell { return cell{int16(math.Floor(p.Lon)), int16(math.Floor(p.Lat))} }

func newDeparted(lock *sync.RWMutex, mostNameless int) *departed {
	return &departed{lock: lock, mostNameless: mostNameless, slots: map[ais.MMSI]uint32{}, cells: map[cell][]uint32{}}
}

func (r *departedShip) lastPoint() geo.Point {
	return ship.Fix{Lon: r.lon, Lat: r.lat}.Point().Normalized()
}

// add takes a ship that leaves the picture. A nil table takes none.
func (d *departed) add(s *ship.State) {
	if d == nil || s.MMSI > ship.LargestMMSI {
		return
	}
	d.remove(s.MMSI)
	row := departedShip{mmsi: uint32(s.MMSI), nameless: s.Static == nil, at: noPlace}
	if row.nameless {
		if d.nameless++; d.nameless > d.mostNameless {
			d.dropNameless()
		}
	}
	slot := uint32(len(d.rows))
	if s.HasFix {
		row.at, row.lon, row.lat = s.Fix.At, s.Fix.Lon, s.Fix.Lat
		in := cellOf(row.lastPoint())
		row.inCell = uint32(len(d.cells[in]))
		d.cells[in] = append(d.cells[in], slot)
	}
	d.rows = append(d.rows, row)
	d.slots[s.MMSI] = slot
	d.signatures.add(s.Signature())
}

// dropNameless drops the nameless ship whose report is the oldest among those of the next 256 rows that have some. That is near enough to the oldest of all.
func (d *departed) dropNameless() {
	const looked = 256
	oldest := -1
	for i := 0; i < len(d.rows) && (i < looked || oldest < 0); i++ {
		if d.handAt++; d.handAt >= len(d.rows) {
			d.handAt = 0
		}
		if row := &d.rows[d.handAt]; row.nameless && (oldest < 0 || row.at < d.rows[oldest].at) {
			oldest = d.handAt
		}
	}
	if oldest >= 0 {
		d.remove(ais.MMSI(d.rows[oldest].mmsi))
	}
}

// remove takes out a ship that is in the picture again.
func (d *departed) remove(m ais.MMSI) {
	if d == nil {
		return
	}
	slot, ok := d.slots[m]
	if !ok {
		return
	}
	delete(d.slots, m)
	if d.rows[slot].nameless {
		d.nameless--
	}
	d.unplace(slot)
	last := uint32(len(d.rows) - 1)
	if slot != last {
		moved := d.rows[last]
		if moved.at != noPlace {
			d.cells[cellOf(moved.lastPoint())][moved.inCell] = slot
		}
		d.rows[slot], d.slots[ais.MMSI(moved.mmsi)] = moved, slot
	}
	d.rows = d.rows[:last]
	d.signatures.remove(int(slot))
}

// unplace takes a row out of its cell.
func (d *departed) unplace(slot uint32) {
	row := &d.rows[slot]
	if row.at == noPlace {
		return
	}
	in := cellOf(row.lastPoint())
	list := d.cells[in]
	last := len(list) - 1
	list[row.inCell] = list[last]
	d.rows[list[last]].inCell = row.inCell
	if last == 0 {
		delete(d.cells, in)
	} else {
		d.cells[in] = list[:last]
	}
}

// wasWithin reports whether a ship was last inside one of the parts that searched returned, not before since.
func (r *departedShip) wasWithin(parts []geo.Rect, since int64) bool {
	return r.at >= since && r.at != noPlace && slices.ContainsFunc(parts, func(part geo.Rect) bool { return planarContains(part, r.lastPoint()) })
}

// rowsNear returns the rows of the cells that a part touches. It gives up when the cells or the rows are not few.
func (d *departed) rowsNear(rows []uint32, part geo.Rect) (near []uint32, few bool) {
	const mostCells = 256
	first, last := cellOf(geo.Point{Lon: part.West, Lat: part.South}), cellOf(geo.Point{Lon: part.East, Lat: part.North})
	if (int(last.lon)-int(first.lon)+1)*(int(last.lat)-int(first.lat)+1) > mostCells {
		return nil, false
	}
	for lon := first.lon; lon <= last.lon; lon++ {
		for lat := first.lat; lat <= last.lat; lat++ {
			in := d.cells[cell{lon, lat}]
			if len(rows)+len(in) > lookAtOnce {
				return nil, false
			}
			rows = append(rows, in...)
		}
	}
	return rows, true
}

// appendWithin appends the numbers of the ships that were last inside one of the parts that searched returned, not before since. A number
// may come twice.
func (d *departed) appendWithin(dst []ais.MMSI, parts []geo.Rect, since int64) []ais.MMSI {
	note := func(row *departedShip) {
		if row.wasWithin(parts, since) {
			dst = append(dst, ais.MMSI(row.mmsi))
		}
	}
	if !d.visitNear(parts, note) {
		d.each(note)
	}
	return dst
}

// visitNear calls fn with the rows of the cells that the parts touch, when they are few.
func (d *departed) visitNear(parts []geo.Rect, fn func(*departedShip)) (few bool) {
	if d == nil {
		return true
	}
	d.lock.RLock()
	defer d.lock.RUnlock()
	var rows []uint32
	for _, part := range parts {
		if rows, few = d.rowsNear(rows, part); !few {
			return false
		}
	}
	for _, slot := range rows {
		fn(&d.rows[slot])
	}
	return true
}

// each calls fn with each ship.
func (d *departed) each(fn func(*departedShip)) {
	d.visitSlots(func(from, to int) {
		for slot := from; slot < to; slot++ {
			fn(&d.rows[slot])
		}
	})
}

// visitSlots calls fn under the lock with some slots at a time. It goes from the last slots to the first. A row that takes the place of another comes from behind, so
// that none is left out. A ship may come twice.
func (d *departed) visitSlots(fn func(from, to int)) {
	for end := math.MaxInt; end > 0; end -= lookAtOnce {
		end = d.lookAt(end, fn)
	}
}

// lookAt is one step of look: the slots before end. It returns where they end.
func (d *departed) lookAt(end int, fn func(from, to int)) int {
	if d == nil {
		return 0
	}
	d.lock.RLock()
	defer d.lock.RUnlock()
	end = min(end, len(d.rows))
	fn(max(0, end-lookAtOnce), end)
	return end
}

// DepartedLike returns the numbers of the ships that had to leave the picture and whose signature covers one of those that are asked for.
// A number may come twice.
func (p *Picture) DepartedLike(asked ...ship.Signature) []ais.MMSI {
	var found []ais.MMSI
	d := p.departed
	d.visitSlots(func(from, to int) {
		for _, signature := range asked {
			d.signatures.each(signature, from, to, func(slot int) { found = append(found, ais.MMSI(d.rows[slot].mmsi)) })
		}
	})
	return found
}
