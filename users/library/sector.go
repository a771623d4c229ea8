package library

import (
	"slices"

	"quaywatch/form"
	"quaywatch/internal/rule"
)

// Sector makes a shape an area that operators look after: an alert in it concerns them first.
type Sector struct {
	Groups []string `json:"groups"` // uids of groups and users
	*Escalation
}

// sectorRecord is a sector as it is read.
type sectorRecord struct {
	Groups []form.Ref `json:"groups"`
	*escalationRecord
}

// applySector takes what makes a shape a sector; null makes it none.
func applySector(f *form.Fields, r *Resource, find form.Finder) {
	if !f.Said("sector") {
		return
	}
	if !f.Given("sector") {
		r.Sector = nil
		return
	}
	var was Sector
	if r.Sector != nil {
		was = *r.Sector
	}
	inner := f.Inner("sector", rule.New("object", "must be an object"))
	now := Sector{was.Groups, was.Escalation.readFields(inner, find)}
	if inner.Given("groups") {
		now.Groups = inner.Holders("groups", maxRefs, find)
	}
	if len(now.Groups) == 0 {
		inner.Refuse("groups", rule.New("no_group_or_user", "must name a group or user"))
	}
	if r.Line != nil {
		f.Refuse("sector", rule.New("sector_line", "needs an area: a line is none"))
	}
	r.Sector = &now
}

// sector returns a sector as it is read.
func (l *Library) sector(s *Sector) *sectorRecord {
	if s == nil {
		return nil
	}
	return &sectorRecord{form.Finder(l.box.Find).Named(s.Groups), l.escalation(s.Escalation)}
}

// alerted returns the uids of the groups and users that a thing names for its alerts.
func (r *Resource) alerted() (uids []string) {
	if r.Sector != nil {
		uids = slices.Clone(r.Sector.Groups)
		if e := r.Sector.Escalation; e != nil {
			uids = append(uids, e.To...)
		}
	}
	if w := r.Watchdog; w != nil && w.Escalation != nil {
		uids = append(uids, w.Escalation.To...)
	}
	return uids
}

// realert puts a uid in the place of another among those that a thing names for its alerts, and reports whether it was there.
func (r *Resource) realert(from, to string) bool {
	if !slices.Contains(r.alerted(), from) {
		return false
	}
	of := func(e *Escalation) *Escalation {
		if e == nil {
			return nil
		}
		return &Escalation{e.After, form.Replaced(e.To, from, to)}
	}
	if s := r.Sector; s != nil {
		r.Sector = &Sector{form.Replaced(s.Groups, from, to), of(s.Escalation)}
	}
	if w := r.Watchdog; w != nil {
		now := *w
		now.Escalation = of(w.Escalation)
		r.Watchdog = &now
	}
	return true
}
