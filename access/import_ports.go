package access

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"quaywatch/form"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/store"
)

// PortEntry is a port in a document: one that was made by hand, or what was written over one of the chart.
type PortEntry struct {
	ID       uint64            `json:"id,omitempty"`
	LOCODE   string            `json:"locode,omitempty"`
	Name     string            `json:"name"`
	Position json.RawMessage   `json:"position,omitempty"` // GeoJSON Point
	Outer    json.RawMessage   `json:"outer,omitempty"`    // GeoJSON Polygon
	Inner    []json.RawMessage `json:"inner,omitempty"`
	Berths   []BerthEntry      `json:"berths,omitempty"`
}

// BerthEntry is a berth in a document.
type BerthEntry struct {
	chart.Berth
	Position json.RawMessage `json:"position,omitempty"` // GeoJSON Point
}

func portEntry(k *KeptPort) PortEntry {
	e := PortEntry{ID: k.ID, LOCODE: k.LOCODE, Name: k.Name, Position: pointEntry(k.Position), Outer: k.Outer, Inner: k.Inner}
	for _, b := range k.Berths {
		e.Berths = append(e.Berths, BerthEntry{Berth: b, Position: pointEntry(b.Position)})
	}
	return e
}

// pointEntry writes a place in GeoJSON, nil for none.
func pointEntry(p *geo.Point) json.RawMessage {
	if p == nil {
		return nil
	}
	return fmt.Appendf(nil, `{"type":"Point","coordinates":[%v,%v]}`, p.Lon, p.Lat)
}

// point reads a place, nil for none.
func (im *importer) point(kind, name, key string, raw json.RawMessage) *geo.Point {
	if raw == nil {
		return nil
	}
	at, err := form.ParsePoint(raw)
	if err != nil {
		im.refuse(kind, name, "%s: %v", key, err)
	}
	return &at
}

// portPlan is what an import does to the ports.
type portPlan struct {
	before map[uint64]KeptPort // what it was planned for
	trial  *Ports
	write  []uint64
}

// ports takes the document's ports into a plan.
func (im *importer) ports(ports *Ports) *portPlan {
	if ports == nil {
		return nil
	}
	ports.mu.Lock()
	trial := &Ports{now: ports.now, chart: ports.chart, rows: maps.Clone(ports.rows), kept: maps.Clone(ports.kept), made: maps.Clone(ports.made)}
	plan := &portPlan{before: maps.Clone(ports.kept), trial: trial}
	current, made := ports.Current(), ports.countMade()
	ports.mu.Unlock()
	if len(im.doc.Ports) == 0 {
		return plan
	}
	codes := map[string]uint64{}
	for _, port := range current.All() {
		codes[port.LOCODE] = port.ID
	}
	for i := range im.doc.Ports {
		e := &im.doc.Ports[i]
		k := im.kept(e)
		if err := trial.identify(&k, codes); err != nil {
			im.refuse("port", e.Name, "%v", err)
			continue
		}
		if other, taken := codes[k.LOCODE]; taken && k.LOCODE != "" && other != k.ID {
			im.refuse("port", e.Name, "locode: another port has %s", k.LOCODE)
		}
		if slices.Contains(plan.write, k.ID) {
			im.refuse("port", e.Name, "stands twice in this document")
		}
		was, there := trial.kept[k.ID]
		there = there && !was.Removed
		k.Changed = was.Changed
		changed := !there || !sameStored(was, k)
		if changed {
			k.Changed = im.opts.Now().UTC()
			im.takePort(trial, k, e.Name)
			codes[k.LOCODE] = k.ID
			plan.write = append(plan.write, k.ID)
		}
		im.note("port", e.Name, there, changed)
	}
	if err := roomForPorts(made, trial.countMade()); err != nil {
		im.wrong = append(im.wrong, err.Error())
	}
	return plan
}

// kept reads an entry as it is kept.
func (im *importer) kept(e *PortEntry) KeptPort {
	k := KeptPort{ID: e.ID, LOCODE: e.LOCODE, Name: e.Name, Position: im.point("port", e.Name, "position", e.Position), Outer: e.Outer, Inner: e.Inner}
	if code, ok := chart.ParseLOCODE(e.LOCODE); ok {
		k.LOCODE = code
	}
	for i, b := range e.Berths {
		berth := b.Berth
		berth.Position = im.point("port", e.Name, fmt.Sprintf("berths/%d/position", i), b.Position)
		k.Berths = append(k.Berths, berth)
	}
	return k
}

// identify finds which port is meant: by its number, else by LOCODE, else one made here of that name, else a new one.
func (p *Ports) identify(k *KeptPort, codes map[string]uint64) error {
	if k.ID == 0 && k.LOCODE != "" {
		k.ID = codes[k.LOCODE]
	}
	if k.ID == 0 || k.ID >= chart.FirstMadePort {
		if k.ID == 0 {
			k.ID = p.nextID()
		}
		k.ID = p.placeFor(k)
		return nil
	}
	if _, ok := p.chart.ByID(k.ID); !ok {
		return fmt.Errorf("id: the chart of this program has no port %d", k.ID)
	}
	return nil
}

// takePort checks a port and holds it in the trial.
func (im *importer) takePort(trial *Ports, k KeptPort, name string) {
	port, err := trial.port(&k)
	if err != nil {
		im.refuse("port", name, "%v", err)
		return
	}
	var broken *geo.ShapeError
	if err := CheckPort(port); errors.As(err, &broken) {
		im.refuse("port", name, "%s: %s", strings.TrimPrefix(broken.Pointer, "/"), broken.Rule.Error())
	}
	trial.kept[k.ID], trial.made[k.ID] = k, port
}

// enter carries a plan out: adopt commits what more writes.
func (p *Ports) enter(plan *portPlan, adopt func(more func(*store.Batch) error) error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !maps.EqualFunc(p.kept, plan.before, func(a, b KeptPort) bool { return a.Changed.Equal(b.Changed) }) {
		return errMeanwhile
	}
	err := adopt(func(b *store.Batch) (err error) {
		for _, id := range plan.write {
			k, name := plan.trial.kept[id], ""
			if id >= chart.FirstMadePort {
				name = k.Name
			}
			if plan.trial.rows[id], err = p.table.SetIn(b, plan.trial.rows[id], name, k); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && len(plan.write) > 0 {
		p.rows, p.kept, p.made = plan.trial.rows, plan.trial.kept, plan.trial.made
		p.publish()
	}
	return err
}
