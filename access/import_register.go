package access

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"quaywatch/ship"
	"quaywatch/store"
)

// shipPlan is what an import does to the register.
type shipPlan struct {
	before map[int64]Registered // the register that it was planned for
	after  map[int64]Registered
	write  []int64 // numbers of what was added or changed
}

// ships takes the document's register entries into a plan.
func (im *importer) ships(register *Register) *shipPlan {
	if register == nil {
		return nil
	}
	register.mu.RLock()
	plan := &shipPlan{before: maps.Clone(register.byMMSI), after: maps.Clone(register.byMMSI)}
	register.mu.RUnlock()
	given := map[int64]bool{}
	for _, e := range im.doc.Register {
		given[e.MMSI] = true
	}
	for i := range im.doc.Register {
		e := im.registered(&im.doc.Register[i])
		label := registerLabel(&e)
		if e.MMSI == 0 {
			e.MMSI = plan.number(&e, given)
		}
		if slices.Contains(plan.write, e.MMSI) {
			im.refuse("register", label, "stands twice in this document")
		}
		was, there := plan.before[e.MMSI]
		changed := !there || !sameEntry(was, e)
		if changed {
			if e.Updated.IsZero() {
				e.Updated = im.opts.Now().UTC()
			}
			if there {
				e.Updated = changedAt(was.Updated, e.Updated)
			}
			plan.after[e.MMSI] = e
			plan.write = append(plan.write, e.MMSI)
		}
		im.note("register", label, there, changed)
	}
	for _, mmsi := range plan.write {
		e := plan.after[mmsi]
		for _, other := range plan.after {
			if e.IMO != 0 && other.IMO == e.IMO && other.MMSI != mmsi {
				im.refuse("register", registerLabel(&e), "imo: %d is registered for %s too", e.IMO, registerLabel(&other))
			}
		}
	}
	return plan
}

// entered gives the entries that the plan adds or changes.
func (p *shipPlan) entered() (list []Registered) {
	for _, mmsi := range p.write {
		list = append(list, p.after[mmsi])
	}
	return list
}

func registerLabel(e *Registered) string {
	return cmp.Or(strings.TrimSpace(e.Name), fmt.Sprint(cmp.Or(e.MMSI, int64(e.IMO))))
}

// sameEntry tells whether two entries say the same, whenever they did: one that says it anew, later, is another.
func sameEntry(was, now Registered) bool {
	if !now.Updated.After(was.Updated) {
		now.Updated = was.Updated
	}
	return sameStored(was, now)
}

// number gives the number of an entry without an MMSI: that of the same ship, by IMO number or else by name, or the next free one.
func (p *shipPlan) number(e *Registered, given map[int64]bool) int64 {
	for _, mmsi := range slices.Sorted(maps.Keys(p.after)) {
		other := p.after[mmsi]
		if e.IMO != 0 && other.IMO == e.IMO || e.IMO == 0 && fold(e.Name) != "" && fold(other.Name) == fold(e.Name) {
			return mmsi
		}
	}
	mmsi := int64(FirstPseudoMMSI)
	for _, used := p.after[mmsi]; used || given[mmsi]; _, used = p.after[mmsi] {
		mmsi++
	}
	return mmsi
}

// registered checks an entry by the rules of the interface.
func (im *importer) registered(given *RegisteredShip) Registered {
	e := given.Registered
	name := registerLabel(&e)
	e.Updated, e.Position = given.Updated.UTC(), im.point("register", name, "position", given.Position)
	if e.MMSI == 0 && e.IMO == 0 && fold(e.Name) == "" {
		im.refuse("register", name, "needs one of mmsi, imo and name")
	}
	for _, limit := range []struct {
		key   string
		value float64
		most  float64
	}{
		{"mmsi", float64(e.MMSI), 1 << 53}, {"imo", float64(e.IMO), 9999999}, {"length", float64(e.Length), 1022}, {"width", float64(e.Width), 126},
		{"dim_a", float64(e.DimA), 511}, {"dim_b", float64(e.DimB), 511}, {"dim_c", float64(e.DimC), 511}, {"dim_d", float64(e.DimD), 511},
		{"draught", e.Draught, 25.5}, {"dwt", float64(e.Deadweight), 1 << 31}, {"gt", float64(e.GrossTonnage), 1 << 31}, {"displacement", e.Displacement, math.MaxFloat64},
	} {
		if limit.value < 0 || limit.value > limit.most {
			im.refuse("register", name, "%s: must be from 0 to %v", limit.key, limit.most)
		}
	}
	if classNamed(e.Class) == ship.ClassUnknown && e.Class != "" && e.Class != ship.ClassUnknown.String() {
		im.refuse("register", name, "class: %q is not one of the classes", e.Class)
	}
	for key, text := range map[string]string{"name": e.Name, "callsign": e.CallSign, "destination": e.Destination, "note": e.Note} {
		if len(text) > maxText {
			im.refuse("register", name, "%s: may have at most %d bytes", key, maxText)
		}
	}
	return e
}

// enter carries a plan out: adopt commits what more writes.
func (r *Register) enter(plan *shipPlan, adopt func(more func(*store.Batch) error) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !maps.Equal(r.byMMSI, plan.before) {
		return errMeanwhile
	}
	ids := maps.Clone(r.ids)
	err := adopt(func(b *store.Batch) (err error) {
		for _, mmsi := range plan.write {
			if ids[mmsi], err = r.table.SetIn(b, ids[mmsi], fmt.Sprint(mmsi), plan.after[mmsi]); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		r.ids, r.byMMSI = ids, plan.after
	}
	return err
}
