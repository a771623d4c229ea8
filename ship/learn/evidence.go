package learn

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/klauspost/compress/gzip"

	"quaywatch/geo/chart/water"
)

// evidence is what is known of a cell that the chart has as land: 28 bytes.
type evidence struct {
	Row, Col int32
	Ships    [3]uint32
	Days     [3]uint16 // since 1970, plus one
}

func (e *evidence) waterCell() water.Square { return water.Square{Row: e.Row, Col: e.Col} }

// evidences is a hash table of evidence, probed one by one. A slot without a ship is free. Finding allocates nothing, and neither does adding
// while there are free slots.
type evidences struct {
	slots []evidence // a power of two, or none
	used  int
}

func (t *evidences) slot(c water.Square) int {
	hash := (uint64(uint32(c.Row))<<32 | uint64(uint32(c.Col))) * 0x9E3779B97F4A7C15
	return int(hash >> (64 - bits.TrailingZeros(uint(len(t.slots)))))
}

// find returns the evidence of a cell, nil for none.
func (t *evidences) find(c water.Square) *evidence {
	if i := t.slotIndex(c); i >= 0 {
		return &t.slots[i]
	}
	return nil
}

func (t *evidences) slotIndex(c water.Square) int {
	if t.used == 0 {
		return -1
	}
	for i := t.slot(c); t.slots[i].Ships[0] != 0; i = (i + 1) & (len(t.slots) - 1) {
		if t.slots[i].waterCell() == c {
			return i
		}
	}
	return -1
}

// add takes the evidence of a cell that has none yet.
func (t *evidences) add(e evidence) {
	if 5*(t.used+1) > 4*len(t.slots) {
		old := t.slots
		t.slots, t.used = make([]evidence, max(1024, 2*len(old))), 0
		for i := range old {
			if old[i].Ships[0] != 0 {
				t.add(old[i])
			}
		}
	}
	i := t.slot(e.waterCell())
	for t.slots[i].Ships[0] != 0 {
		i = (i + 1) & (len(t.slots) - 1)
	}
	t.slots[i] = e
	t.used++
}

// remove forgets a cell. Those that stand behind it move up, so that they are found.
func (t *evidences) remove(c water.Square) {
	hole := t.slotIndex(c)
	if hole < 0 {
		return
	}
	t.used--
	last := len(t.slots) - 1
	for i := (hole + 1) & last; t.slots[i].Ships[0] != 0; i = (i + 1) & last {
		if home := t.slot(t.slots[i].waterCell()); (i-home)&last >= (i-hole)&last {
			t.slots[hole], hole = t.slots[i], i
		}
	}
	t.slots[hole] = evidence{}
}

// allEvidence returns the evidence of every cell, in the order of the cells.
func (t *evidences) allEvidence() []evidence {
	list := make([]evidence, 0, t.used)
	for i := range t.slots {
		if t.slots[i].Ships[0] != 0 {
			list = append(list, t.slots[i])
		}
	}
	slices.SortFunc(list, func(a, b evidence) int { return cmp.Or(cmp.Compare(a.Row, b.Row), cmp.Compare(a.Col, b.Col)) })
	return list
}

const magic = "QWCELLS1"

var errDamaged = errors.New("no evidence of learned water, or damaged")

// Evidence writes what is known of the cells that are not learned yet. Read takes it back.
func (l *Learner) Evidence() []byte {
	var out bytes.Buffer
	out.WriteString(magic)
	z := gzip.NewWriter(&out)
	binary.Write(z, binary.LittleEndian, l.cells.allEvidence()) // to memory: it cannot fail
	z.Close()
	return out.Bytes()
}

// Read takes evidence that was written by Evidence. Cells beyond the bound of the learner are left out.
func (l *Learner) Read(data []byte) error {
	packed, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return errDamaged
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return fmt.Errorf("%w: %w", errDamaged, err)
	}
	var cells evidences
	for {
		var e evidence
		err := binary.Read(z, binary.LittleEndian, &e)
		switch {
		case errors.Is(err, io.EOF):
			l.cells = cells
			return nil
		case err != nil || e.Ships[0] == 0 || e.Row < 0 || e.Col < 0 || cells.find(e.waterCell()) != nil:
			return errDamaged
		case cells.used < l.options.Most:
			cells.add(e)
		}
	}
}
