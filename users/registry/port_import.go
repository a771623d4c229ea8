package registry

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/fold"
	"quaywatch/store/records"
	"quaywatch/users/registry/portfile"
)

// PortsTaken tells what an import took of a file. Rows are the ports that the file says something of, and lines that were refused.
type PortsTaken struct {
	File      string                 `json:"file"`
	Rows      int                    `json:"rows"`
	New       int                    `json:"new"`
	Changed   int                    `json:"changed"`
	Unchanged int                    `json:"unchanged"`
	Refused   []portfile.RefusedLine `json:"refused,omitempty"`
}

// How far a port of an index may lie from one of ours, in metres.
const (
	sameName   = 25_000 // that it may be meant by its name
	sameLOCODE = 50_000 // that it can be the one with its LOCODE
)

// Import takes files about ports in, all in one commit with also, or only tells what that would do. It never changes what users wrote: of a
// value it knows whether the last import wrote it. It fails with a portfile.RefusedLine when a file is no such file, or as CheckPort and Add do;
// then nothing was changed.
func (p *PortTable) Import(files []portfile.NamedFile, dry bool, also func([]PortsTaken) records.CommitPart) ([]PortsTaken, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	im := p.newImport()
	var report []PortsTaken
	for _, f := range files {
		rows, refused, err := portfile.Read(f)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		im.taken = PortsTaken{File: f.Name, Rows: len(rows) + len(refused), Refused: refused}
		im.takeAll(rows)
		if im.full != nil {
			return nil, im.full
		}
		slices.SortStableFunc(im.taken.Refused, func(a, b portfile.RefusedLine) int { return a.Line - b.Line })
		report = append(report, im.taken)
	}
	if dry || len(im.write) == 0 {
		return report, nil
	}
	if err := p.db.Together(im.Write, also(report)); err != nil {
		return nil, fmt.Errorf("import ports: %w", err)
	}
	im.Adopt()
	return report, nil
}

// portImport is an import that is under way.
type portImport struct {
	*portDraft
	taken   PortsTaken
	full    error               // there is no room for all the new ports
	fresh   int                 // ports that it makes
	touched map[uint64]int      // the line of an index that means a port
	indexed map[string]uint64   // ids by number in the World Port Index
	byName  map[string][]uint64 // ids by name and other names, in plain letters
}

func (p *PortTable) newImport() *portImport {
	im := &portImport{portDraft: p.draft(), touched: map[uint64]int{}, indexed: map[string]uint64{}, byName: map[string][]uint64{}}
	for id, k := range im.before {
		if k.Imported != nil && k.Imported.Index != "" {
			im.indexed[k.Imported.Index] = id
		}
	}
	for _, port := range p.Current().All() {
		im.learnNames(port)
		for _, code := range port.Codes {
			if _, taken := im.codes[code]; !taken {
				im.codes[code] = port.ID
			}
		}
	}
	return im
}

// learnNames makes a port findable by its names.
func (im *portImport) learnNames(port *chart.Port) {
	for _, name := range append(port.OtherNames(), port.Name) {
		if key := chart.PlainName(name); !slices.Contains(im.byName[key], port.ID) {
			im.byName[key] = append(im.byName[key], port.ID)
		}
	}
}

// currentPort returns a port as it is by now, nil if there is none.
func (im *portImport) currentPort(id uint64) *chart.Port {
	if port, ok := im.trial.made[id]; ok {
		return port
	}
	listed, _ := im.trial.chart.ByID(id)
	return listed
}

// takeAll takes the rows of a file, and counts them.
func (im *portImport) takeAll(rows []portfile.PortRow) {
	twice := im.chooseRows(rows)
	for i := range rows {
		r := &rows[i]
		what, err := &im.taken.Unchanged, twice[i]
		if err == nil {
			what, err = im.addRow(r)
		}
		var refusal portfile.RefusedLine
		switch {
		case im.full != nil:
			return
		case err == nil:
			*what++
		case errors.As(err, &refusal):
			im.taken.Refused = append(im.taken.Refused, refusal)
		default:
			im.taken.Refused = append(im.taken.Refused, portfile.RefusedLine{Line: r.Line, Column: pointerOf(err), Why: textOf(err)})
		}
	}
}

// pointerOf and textOf give the two parts of an error about a field.
func pointerOf(err error) string {
	var broken *geo.ShapeError
	if errors.As(err, &broken) {
		return broken.Pointer
	}
	return ""
}

func textOf(err error) string {
	var broken *geo.ShapeError
	if errors.As(err, &broken) {
		return broken.Rule.Error()
	}
	return err.Error()
}

// chooseRows decides which of several rows with the same LOCODE is meant, and returns for each of the others why it is not. Of a port that is here it is the row
// with its name, then the nearest. Of others the first row, if all are one place, and else none.
func (im *portImport) chooseRows(rows []portfile.PortRow) map[int]error {
	byCode := map[string][]int{}
	for i := range rows {
		if code := rows[i].LOCODE; code != "" && !rows[i].Own {
			byCode[code] = append(byCode[code], i)
		}
	}
	refused := map[int]error{}
	for code, some := range byCode {
		if len(some) == 1 {
			continue
		}
		best := im.bestOf(rows, some, im.currentPort(im.codes[code]))
		for _, i := range some {
			switch {
			case best < 0:
				refused[i] = portfile.RefusedLine{Line: rows[i].Line, Column: "UN/LOCODE",
					Why: fmt.Sprintf("%s is the LOCODE of places far apart, in lines %d and %d", code, rows[some[0]].Line, rows[some[len(some)-1]].Line)}
			case i != best:
				refused[i] = portfile.RefusedLine{Line: rows[i].Line, Column: "UN/LOCODE",
					Why: fmt.Sprintf("line %d has %s too, and is the port that is meant", rows[best].Line, code)}
			}
		}
	}
	return refused
}

// bestOf returns the row that is meant, -1 for none.
func (im *portImport) bestOf(rows []portfile.PortRow, some []int, port *chart.Port) int {
	if port != nil && port.Placed {
		return slices.MinFunc(some, func(a, b int) int {
			if named := im.isName(port, rows[a].Name); named != im.isName(port, rows[b].Name) {
				if named {
					return -1
				}
				return 1
			}
			return int(geo.Distance(*rows[a].Position, port.Position) - geo.Distance(*rows[b].Position, port.Position))
		})
	}
	for _, i := range some {
		if geo.Distance(*rows[i].Position, *rows[some[0]].Position) > sameName {
			return -1
		}
	}
	return some[0]
}

// isName reports whether a port has a name.
func (im *portImport) isName(port *chart.Port, name string) bool {
	return slices.Contains(im.byName[chart.PlainName(name)], port.ID)
}

// addRow takes a row, and returns the count that it belongs to.
func (im *portImport) addRow(r *portfile.PortRow) (*int, error) {
	id, err := im.find(r)
	if err != nil {
		return nil, err
	}
	if id == 0 {
		return &im.taken.New, im.makePort(r)
	}
	if line, twice := im.touched[id]; twice && !r.Own {
		return nil, fmt.Errorf("is the same port as line %d", line)
	}
	if !r.Own {
		im.touched[id] = r.Line
	}
	c := portChange{row: r, port: *im.currentPort(id), marks: map[string]string{}}
	c.listed, _ = im.trial.chart.ByID(id)
	if k := im.trial.kept[id]; k.Imported != nil {
		maps.Copy(c.marks, k.Imported.Marks)
		c.index = k.Imported.Index
	}
	if err := c.applyRow(); err != nil {
		return nil, err
	}
	if !c.changed {
		return &im.taken.Unchanged, nil
	}
	if r.Index != "" {
		c.index = r.Index
	}
	return &im.taken.Changed, im.keepImported(&c.port, c.index, c.marks)
}

// find returns the port that a row means, 0 for a new port. It finds it by LOCODE, by its number in the index, then by a name near the same place.
func (im *portImport) find(r *portfile.PortRow) (uint64, error) {
	if r.Own {
		return im.findRef(r)
	}
	if id, ok := im.codes[r.LOCODE]; ok && r.LOCODE != "" {
		return id, nil
	}
	if id, ok := im.indexed[r.Index]; ok && r.Index != "" { // numbers of the index are not unique
		if im.trial.kept[id].Removed {
			return 0, errors.New("an earlier import made the port, and it was deleted here")
		}
		return id, nil
	}
	var near []uint64
	for _, id := range im.byName[chart.PlainName(r.Name)] {
		port := im.currentPort(id)
		k := im.trial.kept[id]
		other := k.Imported != nil && k.Imported.Index != "" && k.Imported.Index != r.Index // the index has it as another port
		switch {
		case other:
		case port.Placed && geo.Distance(port.Position, *r.Position) <= sameName:
			near = append(near, id)
		case !port.Placed && r.LOCODE != "" && port.CountryCode() == r.LOCODE[:2]:
			near = append(near, id)
		}
	}
	switch len(near) {
	case 0:
		return 0, nil
	case 1:
		return near[0], nil
	}
	return 0, fmt.Errorf("%d ports near there have this name", len(near))
}

// findRef returns the port that an own file names, 0 for one that the file makes.
func (im *portImport) findRef(r *portfile.PortRow) (uint64, error) {
	var ids []uint64
	for _, port := range im.ports.Current().Find(r.Ref) {
		ids = append(ids, port.ID)
	}
	if code, ok := chart.ParseLOCODE(r.Ref); len(ids) == 0 && ok && im.codes[code] != 0 {
		ids = []uint64{im.codes[code]}
	}
	if len(ids) == 0 {
		ids = im.byName[chart.PlainName(r.Ref)]
	}
	switch {
	case len(ids) == 1:
		return ids[0], nil
	case len(ids) > 1:
		return 0, fmt.Errorf("%d ports are called %s: name the port by LOCODE or id", len(ids), r.Ref)
	case r.Position == nil:
		return 0, fmt.Errorf("there is no port %s, and the file has no feature of kind port for it", r.Ref)
	}
	return 0, nil
}

// makePort makes a port that is not here yet.
func (im *portImport) makePort(r *portfile.PortRow) error {
	then := im.made + im.fresh + 1
	if im.full = roomForPorts(im.made, then); im.full != nil {
		return im.full
	}
	c := portChange{row: r, port: chart.Port{ID: im.next, LOCODE: r.LOCODE}, marks: map[string]string{}}
	if other, taken := im.codes[r.LOCODE]; taken && r.LOCODE != "" {
		return fmt.Errorf("%s has the LOCODE %s", im.currentPort(other).Name, r.LOCODE)
	}
	if r.Name == "" {
		return errors.New("a new port needs a name")
	}
	for _, name := range []string{r.Name, fmt.Sprintf("%s (%s)", r.Name, r.Country), fmt.Sprintf("%s (%s)", r.Name, r.LOCODE)} {
		if _, taken := im.named[fold.Name(name)]; !taken && !strings.HasSuffix(name, "()") {
			c.port.Name = name
			break
		}
	}
	if c.port.Name == "" {
		return fmt.Errorf("a port that was made here is called %s already", r.Name)
	}
	if err := c.applyRow(); err != nil {
		return err
	}
	if err := im.keepImported(&c.port, r.Index, c.marks); err != nil {
		return err
	}
	im.fresh++
	if !r.Own {
		im.touched[c.port.ID] = r.Line
	}
	return nil
}

// keepImported holds a port in the trial, with what the import wrote of it.
func (im *portImport) keepImported(port *chart.Port, index string, marks map[string]string) error {
	if other, taken := im.indexed[index]; taken && other != port.ID {
		index = "" // numbers of the index are not unique
	}
	k, err := im.trial.makeKept(port)
	if err != nil {
		return err
	}
	k.Imported, k.Changed = &imported{index, marks}, im.trial.now().UTC()
	now, err := im.trial.chartPort(&k)
	if err == nil {
		err = CheckPort(now)
	}
	if err != nil {
		return err
	}
	im.putPort(k, now)
	im.learnNames(now)
	if index != "" {
		im.indexed[index] = k.ID
	}
	return nil
}
