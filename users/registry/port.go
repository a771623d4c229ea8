package registry

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/internal/country"
	"quaywatch/internal/fold"
	"quaywatch/internal/rule"
	"quaywatch/internal/wake"
	"quaywatch/store/records"
	"quaywatch/users/document"
)

// keptPort is a port written by hand. It replaces a port of the chart, or from chart.FirstMadePort on it is a new one.
type keptPort struct {
	ID       uint64            `json:"id"`
	LOCODE   string            `json:"locode,omitempty"`
	Name     string            `json:"name"`
	Position *geo.Point        `json:"position,omitempty"`
	Outer    json.RawMessage   `json:"outer,omitempty"` // GeoJSON Polygon
	Inner    []json.RawMessage `json:"inner,omitempty"`
	Berths   []chart.Berth     `json:"berths,omitempty"`
	Aliases  []string          `json:"aliases,omitempty"`     // beside those of the chart
	Draught  float64           `json:"max_draught,omitempty"` // metres
	Removed  bool              `json:"removed,omitempty"`     // it is there no more, but its id is not given again
	Imported *imported         `json:"imported,omitempty"`
	Changed  time.Time         `json:"changed"`
}

// PortTable are the ports of the chart with what was written over them, and those that were made here.
type PortTable struct {
	document.Free
	db         *records.Database
	table      *records.Table[keptPort]
	now        func() time.Time
	generation *wake.ChangeCount
	chart      *chart.Ports
	current    atomic.Pointer[chart.Ports]

	mu   sync.Mutex // of writers
	rows map[uint64]uint64
	kept map[uint64]keptPort
	made map[uint64]*chart.Port // what kept says, of those that are there
}

// OpenPorts reads what was written over the chart's ports. A nil now is the wall clock. Each change raises generation; nil is one of its own.
func OpenPorts(db *records.Database, listed *chart.Ports, now func() time.Time, generation *wake.ChangeCount) (*PortTable, error) {
	if now == nil {
		now = time.Now
	}
	if generation == nil {
		generation = &wake.ChangeCount{}
	}
	table, rows, err := records.ReadTable[keptPort](db, "ports")
	if err != nil {
		return nil, err
	}
	p := &PortTable{db: db, table: table, now: now, generation: generation, chart: listed, rows: map[uint64]uint64{}, kept: map[uint64]keptPort{},
		made: map[uint64]*chart.Port{}}
	for _, row := range rows {
		if err := p.holdPort(row.ID, row.Value); err != nil {
			return nil, fmt.Errorf("read ports: %s: %w", row.Value.Name, err)
		}
	}
	p.publish()
	return p, nil
}

// holdPort holds what is on the disk in memory too.
func (p *PortTable) holdPort(row uint64, k keptPort) error {
	delete(p.made, k.ID)
	if !k.Removed {
		port, err := p.chartPort(&k)
		if err != nil {
			return err
		}
		p.made[k.ID] = port
	}
	p.rows[k.ID], p.kept[k.ID] = row, k
	return nil
}

// chartPort returns what is kept as a port of the chart, with what only the chart knows of it.
func (p *PortTable) chartPort(k *keptPort) (*chart.Port, error) {
	var port chart.Port
	if listed, ok := p.chart.ByID(k.ID); ok {
		port = *listed
		if fold.Name(port.Name) != fold.Name(k.Name) {
			port.Aliases = append(slices.Clone(port.Aliases), port.Name)
		}
	}
	port.ID, port.LOCODE, port.Name, port.Berths = k.ID, k.LOCODE, k.Name, k.Berths
	port.Aliases, port.Added, port.MaxDraught = slices.Concat(port.Aliases, k.Aliases), k.Aliases, k.Draught
	port.Changed = k.Changed
	if port.Country == "" {
		port.Country = country.Name(port.CountryCode())
	}
	if port.Placed = k.Position != nil; port.Placed {
		port.Position = *k.Position
	}
	var err error
	if k.Outer != nil {
		if port.Outer, err = form.ParsePolygon(k.Outer); err != nil {
			return nil, fmt.Errorf("outer: %w", err)
		}
	}
	for i, raw := range k.Inner {
		inner, err := form.ParsePolygon(raw)
		if err != nil {
			return nil, fmt.Errorf("inner %d: %w", i, err)
		}
		port.Inner = append(port.Inner, inner)
	}
	return &port, nil
}

// makeKept returns a port as it is kept.
func (p *PortTable) makeKept(port *chart.Port) (keptPort, error) {
	k := keptPort{ID: port.ID, LOCODE: port.LOCODE, Name: port.Name, Berths: port.Berths, Aliases: p.added(port), Draught: port.MaxDraught,
		Imported: p.kept[port.ID].Imported}
	if port.Placed {
		at := port.Position
		k.Position = &at
	}
	var err error
	if port.Outer != nil {
		if k.Outer, err = json.Marshal(port.Outer); err != nil {
			return k, err
		}
	}
	for _, inner := range port.Inner {
		raw, err := json.Marshal(inner)
		if err != nil {
			return k, err
		}
		k.Inner = append(k.Inner, raw)
	}
	return k, nil
}

// added returns the names that users gave to a port, each once, without those that it has anyway.
func (p *PortTable) added(port *chart.Port) []string {
	known := []string{port.Name}
	if listed, ok := p.chart.ByID(port.ID); ok {
		known = slices.Concat(known, []string{listed.Name}, listed.Aliases)
	}
	seen := map[string]bool{}
	for _, name := range known {
		seen[fold.Name(name)] = true
	}
	var added []string
	for _, name := range port.Added {
		if folded := fold.Name(name); !seen[folded] {
			seen[folded] = true
			added = append(added, name)
		}
	}
	return added
}

// publish makes the ports of now findable, and then tells that they changed. Without a port made here they are those of the chart, whose index is
// made already.
func (p *PortTable) publish() {
	if len(p.made) == 0 {
		p.current.Store(p.chart)
		p.generation.Add()
		return
	}
	var all []*chart.Port
	own := map[string]*chart.Port{}
	for _, port := range p.made {
		if port.ID >= chart.FirstMadePort {
			own[port.LOCODE], own[fold.Name(port.Name)] = port, port
		}
	}
	for _, port := range p.chart.All() {
		if _, over := p.made[port.ID]; !over && !samePlace(own[port.LOCODE], port) && !samePlace(own[fold.Name(port.Name)], port) {
			all = append(all, port)
		}
	}
	for _, port := range p.made {
		all = append(all, port)
	}
	p.current.Store(chart.NewPorts(all))
	p.generation.Add()
}

// samePlaceMetres is how far a port that was made here may lie from a port of the list to be that port. The two have the same LOCODE or name.
const samePlaceMetres = 20_000

// samePlace reports whether a port that was made here stands for one of the list: it was made before the list had the port. It is false for nil.
func samePlace(made, listed *chart.Port) bool {
	return made != nil && made.Placed && listed.Placed && geo.Distance(made.Position, listed.Position) <= samePlaceMetres
}

// Current returns the ports as they are now. The value does not change; call Current again for later changes.
func (p *PortTable) Current() *chart.Ports { return p.current.Load() }

// Add makes a port of LOCODE, name, position, borders and berths, and returns its id, in one commit with also. It fails as CheckPort does, or
// with ErrTaken when another port has the LOCODE, or another that was made here the name.
func (p *PortTable) Add(port chart.Port, also ...records.CommitPart) (*chart.Port, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	made := p.countMade()
	if err := roomForPorts(made, made+1); err != nil {
		return nil, err
	}
	port.ID = p.nextID()
	return p.write(&port, also)
}

func roomForPorts(now, then int) error {
	return form.Room(MaxMadePorts, now, then, rule.New("too_many_ports", "there may be at most {max} ports that were made here", "max", MaxMadePorts))
}

// countMade counts the ports that were made here.
func (p *PortTable) countMade() (count int) {
	for id := range p.made {
		if id >= chart.FirstMadePort {
			count++
		}
	}
	return count
}

// nextID returns an id that no port ever had.
func (p *PortTable) nextID() uint64 {
	id := uint64(chart.FirstMadePort)
	for used := range p.kept {
		id = max(id, used+1)
	}
	return id
}

// Change writes now over a port as it was read, in one commit with also. It fails with form.ErrNotFound, with ErrStale when was is the port
// no more, or as Add does.
func (p *PortTable) Change(was *chart.Port, now chart.Port, also ...records.CommitPart) (*chart.Port, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.checkFresh(was); err != nil {
		return nil, err
	}
	now.ID = was.ID
	return p.write(&now, also)
}

// checkFresh reports whether the port is still as the caller read it.
func (p *PortTable) checkFresh(was *chart.Port) error {
	switch is, ok := p.Current().ByID(was.ID); {
	case !ok:
		return fmt.Errorf("change port %s: %w", was.Name, form.ErrNotFound)
	case is != was:
		return fmt.Errorf("change port %s: %w", was.Name, form.ErrStale)
	}
	return nil
}

// write puts a port on the disk, then in memory.
func (p *PortTable) write(port *chart.Port, also []records.CommitPart) (*chart.Port, error) {
	if err := CheckPort(port); err != nil {
		return nil, err
	}
	k, err := p.makeKept(port)
	if err != nil {
		return nil, fmt.Errorf("keep port %s: %w", port.Name, err)
	}
	if err := p.putPort(k, also); err != nil {
		return nil, err
	}
	return p.made[k.ID], nil
}

func (p *PortTable) putPort(k keptPort, also []records.CommitPart) error {
	if other, ok := p.Current().ByLOCODE(k.LOCODE); ok && other.ID != k.ID {
		return fmt.Errorf("keep port %s: LOCODE %s: %w", k.Name, k.LOCODE, form.ErrTaken)
	}
	if _, err := p.chartPort(&k); err != nil {
		return fmt.Errorf("keep port %s: %w", k.Name, err)
	}
	name := "" // of a port of the chart: the chart's names are not unique
	if k.ID >= chart.FirstMadePort {
		name = k.Name
	}
	if k.Removed {
		name = ""
	}
	k.Changed = form.ChangedAt(p.kept[k.ID].Changed, p.now())
	row, kept := p.rows[k.ID]
	var err error
	if kept {
		err = p.table.Put(row, name, k, also...)
	} else {
		row, err = p.table.Insert(name, k, also...)
	}
	if err != nil {
		return fmt.Errorf("keep port %s: %w", k.Name, err)
	}
	if err := p.holdPort(row, k); err != nil {
		return err
	}
	p.publish()
	return nil
}

// Delete takes away what was written over a port as it was read. A port of the chart is again as the chart has it. A port that was made here is gone. It does
// so in one commit with also, and fails with form.ErrNotFound or ErrStale as Change does.
func (p *PortTable) Delete(was *chart.Port, also ...records.CommitPart) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.checkFresh(was); err != nil {
		return err
	}
	k, kept := p.kept[was.ID]
	switch {
	case !kept:
		return nil
	case was.ID >= chart.FirstMadePort:
		k.Removed, k.LOCODE, k.Outer, k.Inner, k.Berths, k.Aliases = true, "", nil, nil, nil, nil
		return p.putPort(k, also)
	}
	if err := p.table.Delete(p.rows[was.ID], also...); err != nil {
		return fmt.Errorf("delete port %s: %w", was.Name, err)
	}
	delete(p.rows, was.ID)
	delete(p.kept, was.ID)
	delete(p.made, was.ID)
	p.publish()
	return nil
}

// largestID is that of a port or berth: the largest number that every JSON reader keeps.
const largestID = 1 << 53

// MaxMadePorts bounds the ports that are made here.
const MaxMadePorts = 5000
