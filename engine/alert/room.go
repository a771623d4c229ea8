package alert

import (
	"cmp"
	"slices"
	"time"
)

// retire puts away the alerts that are over, when nothing more joins them. Where there are too many, others go.
func (k *Keeper) retire(d *draft) {
	r := room{d: d, owners: map[string][]*Alert{}}
	for _, a := range d.allAlerts() {
		if a.State(All(d.now)) == Normal && time.Duration(d.now-a.Last()).Abs()*time.Millisecond > Together && a.ID != 0 {
			d.done[a.ID] = true
			continue
		}
		r.countAlert(a)
	}
	if r.count <= mostCurrent && r.parts <= mostAll {
		return
	}
	gone := r.makeRoom()
	k.mu.Lock()
	defer k.mu.Unlock()
	k.dropped += gone
}

// room is the alerts that stand, by the owners of their watchdogs. An event by hand counts as one of its author.
type room struct {
	d            *draft
	owners       map[string][]*Alert // those that may go, in the order in which they go
	count, parts int
}

// countAlert counts an alert.
func (r *room) countAlert(a *Alert) {
	r.count++
	r.parts += len(a.Parts)
	if a.ID != 0 {
		r.owners[a.Owner] = append(r.owners[a.Owner], a)
	}
}

// makeRoom puts away alerts until a tenth of the room is free, and returns how many. Each time the owner with the most activations gives one: so a user that
// raises very many pushes away its own. Of an owner cautions go first, then what is acknowledged, then the oldest.
func (r *room) makeRoom() (gone uint64) {
	shares := map[string]int{}
	for owner, list := range r.owners {
		slices.SortStableFunc(list, func(a, b *Alert) int {
			return cmp.Or(graver(a.Priority, b.Priority), cmp.Compare(a.unanswered(), b.unanswered()))
		})
		for _, a := range list {
			shares[owner] += len(a.Parts)
		}
	}
	for r.count > mostCurrent*9/10 || r.parts > mostAll*9/10 {
		largest, found := "", false
		for owner, list := range r.owners {
			if len(list) > 0 && (!found || cmp.Or(cmp.Compare(shares[owner], shares[largest]), cmp.Compare(largest, owner)) > 0) {
				largest, found = owner, true
			}
		}
		if !found {
			return gone
		}
		a := r.owners[largest][0]
		r.owners[largest] = r.owners[largest][1:]
		shares[largest] -= len(a.Parts)
		r.count--
		r.parts -= len(a.Parts)
		r.d.done[a.ID] = true
		gone++
	}
	return gone
}

// unanswered is 1 while nobody has acknowledged some of the alert, and else 0.
func (a *Alert) unanswered() int {
	if slices.ContainsFunc(a.Parts, func(p Part) bool { return p.Seen == 0 }) {
		return 1
	}
	return 0
}
