package access

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"quaywatch/store"
)

// draft is a copy of all users, groups and what they keep, for changes that touch many of them: it is changed and checked
// freely, and then written in one step or not at all.
type draft struct {
	*Users
	generation uint64          // of what was copied
	dirty      map[string]bool // uids of what was changed or made
	gone       []uint64        // the places of groups that are removed
	ended      []string        // uids of users whose sessions end
	populated  bool            // it brings users of its own, and so may bring the group admin as those left it
}

// errMeanwhile says that something was changed between the copying of a draft and its writing.
var errMeanwhile = errors.New("it was changed in the meantime; try again")

// triesToAmend is how often a draft is made anew when somebody else was quicker.
const triesToAmend = 5

// amend lets edit change a draft, and writes it. It fails with ErrLastAdmin when nobody could undo it.
func (u *Users) amend(edit func(*draft) error) error {
	err := errMeanwhile
	for try := 0; try < triesToAmend && errors.Is(err, errMeanwhile); try++ {
		d := u.draft()
		if err = edit(d); err == nil {
			err = u.adopt(d, nil)
		}
	}
	return err
}

func (u *Users) draft() *draft {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.library.mu.RLock()
	defer u.library.mu.RUnlock()
	trial := &Users{opts: u.opts, byName: maps.Clone(u.byName), groups: maps.Clone(u.groups)}
	trial.library = &Library{users: trial}
	for k := range kinds {
		trial.library.all[k] = slices.Clone(u.library.all[k])
	}
	return &draft{Users: trial, generation: u.Generation(), dirty: map[string]bool{}}
}

// adopt writes what a draft changed, with what more writes, and ends the sessions of those who may have lost them. What more
// writes counts once adopt has succeeded.
func (u *Users) adopt(d *draft, more func(*store.Batch) error) error {
	if err := u.replace(d, more); err != nil {
		return err
	}
	for _, uid := range d.ended {
		if err := u.sessions.endAll(uid, ""); err != nil {
			return fmt.Errorf("end the sessions of %s: %w", uid, err)
		}
	}
	return nil
}

// stands tells whether an administrator stays when the draft is written. The caller holds the lock of u.
func (d *draft) stands(u *Users) bool {
	was := u.footing()
	was.group = was.group && !d.populated
	return d.footing().keeps(was)
}

func (u *Users) replace(d *draft, more func(*store.Batch) error) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.library.mu.Lock()
	defer u.library.mu.Unlock()
	if u.Generation() != d.generation {
		return errMeanwhile
	}
	if !d.stands(u) {
		return ErrLastAdmin
	}
	err := u.db.Together(func(b *store.Batch) error {
		if err := d.free(b, u); err != nil {
			return err
		}
		if err := d.write(b, u); err != nil || more == nil {
			return err
		}
		return more(b)
	})
	if err != nil {
		return taken(err)
	}
	u.byName, u.groups, u.library.all = d.byName, d.groups, d.library.all
	clear(u.verified)
	u.generation.Add(1)
	return nil
}

// free removes what is gone, and makes room for what is written, so that two may change names with each other.
func (d *draft) free(b *store.Batch, u *Users) error {
	var errs []error
	for _, id := range d.gone {
		errs = append(errs, u.groupTable.FreeIn(b, id))
	}
	for _, e := range d.byName {
		if d.dirty[e.user.UID] && e.id != 0 {
			errs = append(errs, u.table.FreeIn(b, e.id))
		}
	}
	for uid, e := range d.groups {
		if d.dirty[uid] && e.id != 0 {
			errs = append(errs, u.groupTable.FreeIn(b, e.id))
		}
	}
	for k := range kinds {
		for _, r := range d.library.all[k] {
			if d.dirty[r.UID] && r.ID != 0 {
				errs = append(errs, u.library.tables[k].FreeIn(b, r.ID))
			}
		}
	}
	return errors.Join(errs...)
}

func (d *draft) write(b *store.Batch, u *Users) (err error) {
	for key, e := range d.byName {
		if !d.dirty[e.user.UID] {
			continue
		}
		if e.id, err = u.table.SetIn(b, e.id, e.user.Name, *e.user); err != nil {
			return err
		}
		d.byName[key] = e
	}
	for uid, e := range d.groups {
		if !d.dirty[uid] {
			continue
		}
		if e.id, err = u.groupTable.SetIn(b, e.id, e.group.Name, *e.group); err != nil {
			return err
		}
		d.groups[uid] = e
	}
	for k := range kinds {
		if err := d.writeKept(b, k, u.library); err != nil {
			return err
		}
	}
	return nil
}

// writeKept writes the things of a kind, those first that bring their number with them.
func (d *draft) writeKept(b *store.Batch, k Kind, kept *Library) (err error) {
	for _, numbered := range []bool{true, false} {
		for i := range d.library.all[k] {
			r := &d.library.all[k][i]
			if !d.dirty[r.UID] || (r.ID != 0) != numbered {
				continue
			}
			if r.ID == 0 {
				r.ID, err = kept.number(b, k, r)
			} else {
				r.ID, err = kept.tables[k].SetIn(b, r.ID, r.Name, *r)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// Reassigned counts what came to another owner or group.
type Reassigned struct {
	Users int // who became members of a group
	Kept  [kinds]int
}

// Reassign gives everything that one user owns to another, all or nothing.
func (u *Users) Reassign(from, to *User) (count Reassigned, err error) {
	err = u.amend(func(d *draft) error {
		count = Reassigned{}
		d.eachKept(func(k Kind, r *Resource) bool {
			if r.Owner != from.UID {
				return false
			}
			r.Owner = to.UID
			count.Kept[k]++
			return true
		})
		return nil
	})
	if err != nil {
		return count, fmt.Errorf("reassign %s: %w", from.Name, err)
	}
	return count, nil
}

// ReassignGroup makes the members of a group members of another, and lets the other stand in the access lists in its place, all
// or nothing. The group itself stays, named by nobody. It fails with ErrLastAdmin when nobody could undo it.
func (u *Users) ReassignGroup(from, to *Group) (count Reassigned, err error) {
	if from.UID == to.UID {
		return count, nil
	}
	err = u.amend(func(d *draft) error {
		count = Reassigned{}
		places := map[string]string{from.UID: to.UID}
		for name, e := range d.byName {
			groups, member := inPlaceOf(e.user.Groups, places)
			if !member {
				continue
			}
			now := *e.user
			now.Groups, now.Changed = groups, changedAt(now.Changed, d.opts.Now())
			d.byName[name] = entry{e.id, d.resolved(&now)}
			d.dirty[now.UID] = true
			count.Users++
		}
		d.eachKept(func(k Kind, r *Resource) (named bool) {
			if r.ACL, named = inPlaceOf(r.ACL, places); named {
				count.Kept[k]++
			}
			return named
		})
		return nil
	})
	if err != nil {
		return count, fmt.Errorf("reassign group %s: %w", from.Name, err)
	}
	return count, nil
}

// eachKept lets change look at each ship list, shape and filter, and change it where it says so.
func (d *draft) eachKept(change func(Kind, *Resource) bool) {
	for k := range kinds {
		for i := range d.library.all[k] {
			if r := &d.library.all[k][i]; change(k, r) {
				r.Changed = changedAt(r.Changed, d.opts.Now())
				d.dirty[r.UID] = true
			}
		}
	}
}

// inPlaceOf gives a list of uids with others in the place of some, each once; false where none of those stands in it.
func inPlaceOf(list []string, others map[string]string) ([]string, bool) {
	if !slices.ContainsFunc(list, func(uid string) bool { return others[uid] != "" }) {
		return list, false
	}
	var now []string
	for _, uid := range list {
		if uid = cmp.Or(others[uid], uid); !slices.Contains(now, uid) {
			now = append(now, uid)
		}
	}
	return now, true
}
