package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/fold"
	"quaywatch/users/registry/portfile"
)

// imported is what imports wrote of a port. By it the next import knows what users wrote since.
type imported struct {
	Index string            `json:"index,omitempty"` // number in the World Port Index
	Marks map[string]string `json:"marks,omitempty"` // by field: the kind of file, and a sum of the value
}

// The kinds of file in a mark. What an own file said an index does not change.
const (
	markIndex = "i"
	markOwn   = "o"
)

// portChange is what a row does to a port.
type portChange struct {
	row     *portfile.PortRow
	port    chart.Port
	listed  *chart.Port // as the built-in list has it, nil for a port that was made here
	index   string
	marks   map[string]string
	changed bool
}

// errByHand tells that an own file would change what a user wrote.
var errByHand = errors.New("was written here by hand, and differs")

// applyRow writes what the row says and what may be written. It fails with the first value that the row must not write.
func (c *portChange) applyRow() error {
	for _, write := range []func() error{c.writePosition, c.writeDraught, c.addNames, c.outer, c.inner, c.addBerths} {
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// may reports whether the row may write over a value: only imports wrote it, and no own file where the row is of an index. untouched is the value
// that nobody wrote.
func (c *portChange) may(field string, now, untouched any) bool {
	mark, marked := c.marks[field]
	if !marked {
		return form.Same(now, untouched)
	}
	return mark[1:] == sumOf(now) && (c.row.Own || mark[:1] == markIndex)
}

// write notes that the row wrote a value.
func (c *portChange) write(field string, value any) {
	kind := markIndex
	if c.row.Own {
		kind = markOwn
	}
	c.marks[field], c.changed = kind+sumOf(value), true
}

// sumOf returns a short sum of a value.
func sumOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil { // no value of a port makes it fail
		return ""
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// refuseField is the end of a value that the row may not write: an index leaves it, an own file is told.
func (c *portChange) refuseField(field string) error {
	if c.row.Own {
		return fmt.Errorf("%s: %w", field, errByHand)
	}
	return nil
}

func (c *portChange) writePosition() error {
	there := c.row.Position
	switch {
	case there == nil || c.port.Placed && c.port.Position == *there:
		return nil
	case c.port.Placed && !c.row.Own && geo.Distance(c.port.Position, *there) > sameLOCODE:
		return fmt.Errorf("lies %.0f km from %s, which has the same number or LOCODE", geo.Distance(c.port.Position, *there)/1000, c.port.Name)
	case !c.row.Own && (c.port.Outer != nil || len(c.port.Inner) > 0):
		return nil // the borders were drawn around the position of now
	case !c.may("position", placeOf(&c.port), placeOf(c.listed)):
		return c.refuseField("position")
	}
	c.port.Position, c.port.Placed = *there, true
	c.write("position", there)
	return nil
}

// placeOf returns the position of a port, nil for none.
func placeOf(p *chart.Port) *geo.Point {
	if p == nil || !p.Placed {
		return nil
	}
	at := p.Position
	return &at
}

func (c *portChange) writeDraught() error {
	if d := c.row.MaxDraught; d > 0 && d != c.port.MaxDraught {
		if !c.may("max_draught", c.port.MaxDraught, 0) {
			return c.refuseField("max_draught")
		}
		c.port.MaxDraught = d
		c.write("max_draught", d)
	}
	return nil
}

// addNames adds the names that the port has not. One that an import added before, and that is gone, a user took away.
func (c *portChange) addNames() error {
	known := map[string]bool{}
	for _, name := range append(c.port.OtherNames(), c.port.Name) {
		known[fold.Name(name)] = true
	}
	for _, name := range append([]string{c.row.Name}, c.row.Aliases...) {
		folded := fold.Name(name)
		if _, before := c.marks["alias "+folded]; folded == "" || known[folded] || before || len(c.port.Added) >= maxAliases {
			continue
		}
		known[folded] = true
		c.port.Added = append(slices.Clone(c.port.Added), name)
		c.write("alias "+folded, name)
	}
	return nil
}

func (c *portChange) outer() error {
	return c.writeBorder("outer", noneOr(c.port.Outer), noneOr(c.row.Outer), func() { c.port.Outer = c.row.Outer })
}

func (c *portChange) inner() error {
	return c.writeBorder("inner", noneOr(c.port.Inner), noneOr(c.row.Inner), func() { c.port.Inner = c.row.Inner })
}

// noneOr returns nil for a border that was not drawn.
func noneOr[T any](border []T) any {
	if len(border) == 0 {
		return nil
	}
	return border
}

// writeBorder sets a border of the port as the row has it.
func (c *portChange) writeBorder(field string, now, row any, set func()) error {
	switch {
	case row == nil || form.Same(now, row):
		return nil
	case !c.may(field, now, nil):
		return c.refuseField(field)
	}
	set()
	c.write(field, row)
	return nil
}

// addBerths adds the berths of the row, and changes those of the same name.
func (c *portChange) addBerths() error {
	all, last := slices.Clone(c.port.Berths), int64(0)
	for _, b := range all {
		last = max(last, b.ID)
	}
	for _, b := range c.row.Berths {
		i := slices.IndexFunc(all, func(berth chart.Berth) bool { return fold.Name(berth.Name) == fold.Name(b.Name) })
		var now any
		if i >= 0 {
			was := all[i]
			was.ID = 0
			now = was
		}
		field := "berth " + fold.Name(b.Name)
		if form.Same(now, b) {
			continue
		}
		if !c.may(field, now, nil) {
			return c.refuseField(field)
		}
		c.write(field, b)
		if i >= 0 {
			b.ID = all[i].ID
			all[i] = b
			continue
		}
		last++
		b.ID = last
		all = append(all, b)
	}
	c.port.Berths = all
	return nil
}
