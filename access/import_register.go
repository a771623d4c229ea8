package access

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"quaywatch/form"
	"quaywatch/store"
)

// shipPlan is what an import does to the register.
type shipPlan struct {
	before map[int64]Registered // the register that it was planned for
	after  map[int64]Registered
	write  []int64 // numbers of what was added or changed
	next   int64   // the number of the next ship that brings none

	hulls map[uint32][]int64 // numbers of those who have, or had, the IMO number
	named map[string][]int64 // and the name, folded
}

// put takes an entry into a plan.
func (p *shipPlan) put(e Registered) {
	p.after[e.MMSI] = e
	p.index(e)
}

func (p *shipPlan) index(e Registered) {
	if e.IMO != 0 && !slices.Contains(p.hulls[e.IMO], e.MMSI) {
		p.hulls[e.IMO] = append(p.hulls[e.IMO], e.MMSI)
	}
	if name := form.Fold(e.Name); name != "" && !slices.Contains(p.named[name], e.MMSI) {
		p.named[name] = append(p.named[name], e.MMSI)
	}
}

// ships takes the document's register entries into a plan.
func (im *importer) ships(register *Register) *shipPlan {
	if register == nil {
		return nil
	}
	register.mu.RLock()
	plan := &shipPlan{before: maps.Clone(register.byMMSI), after: maps.Clone(register.byMMSI), next: register.nextNumber(), hulls: map[uint32][]int64{}, named: map[string][]int64{}}
	register.mu.RUnlock()
	for _, e := range plan.before {
		plan.index(e)
	}
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
			plan.put(e)
			plan.write = append(plan.write, e.MMSI)
		}
		im.note("register", label, there, changed)
	}
	if err := roomInRegister(len(plan.before), len(plan.after)); err != nil {
		im.wrong = append(im.wrong, err.Error())
	}
	for _, mmsi := range plan.write {
		e := plan.after[mmsi]
		for _, number := range plan.hulls[e.IMO] {
			if other := plan.after[number]; number != mmsi && other.IMO == e.IMO {
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
	numbers := p.hulls[e.IMO]
	if e.IMO == 0 {
		numbers = p.named[form.Fold(e.Name)]
	}
	for _, mmsi := range slices.Sorted(slices.Values(numbers)) {
		if other := p.after[mmsi]; other.IMO == e.IMO && e.IMO != 0 || e.IMO == 0 && form.Fold(other.Name) == form.Fold(e.Name) {
			return mmsi
		}
	}
	for given[p.next] {
		p.next++
	}
	p.next++
	return p.next - 1
}

// registered checks an entry by the rules of the interface.
func (im *importer) registered(given *RegisteredShip) Registered {
	e := given.Registered
	name := registerLabel(&e)
	e.Updated, e.Position = given.Updated.UTC(), im.point("register", name, "position", given.Position)
	if eta, err := ParseETA(e.ETA); err == nil {
		e.ETA = eta
	}
	im.broken("register", name, e.Check())
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
			if ids[mmsi], err = r.table.SetIn(b, ids[mmsi], fmt.Sprint(mmsi), keptShip{Registered: plan.after[mmsi]}); err != nil {
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
