package library

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/google/uuid"

	"quaywatch/form"
	"quaywatch/internal/fold"
	"quaywatch/store/records"
)

// Insert adds a thing, in one commit with also. It fails with ErrTaken when the name is, or the region.
func (l *Library) Insert(k Kind, r Resource, also ...records.CommitPart) (Resource, error) {
	l.writing.Lock()
	defer l.writing.Unlock()
	if err := cmp.Or(l.checkRoom(k, r.Owner), l.weight(&Resource{}, &r), l.listTaken(k, &r)); err != nil {
		return r, err
	}
	if by, taken := regionTaken(l.all[k], 0, &r); taken {
		return r, &RegionTaken{r.Region, by}
	}
	r.UID, r.Created = uuid.NewString(), l.opts.Now().UTC()
	r.Changed = r.Created
	var err error
	if r.ID, err = l.tables[k].Insert(r.Name, r, also...); err != nil {
		return r, fmt.Errorf("add %s %s: %w", k, r.Name, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[k] = append(l.all[k], r)
	l.stored[r.Owner] += r.countBytes()
	l.sort(k)
	l.raiseVersion()
	return r, nil
}

// RegionTaken is the error of giving a shape the number of a region that another has; it is an ErrTaken.
type RegionTaken struct {
	Region int
	By     Resource
}

// Error says which number. Which shape has it is not for everybody.
func (r *RegionTaken) Error() string { return fmt.Sprintf("another shape is region %d", r.Region) }

// Unwrap makes it an ErrTaken.
func (r *RegionTaken) Unwrap() error { return form.ErrTaken }

// regionTaken returns the other shape that is the region which a shape becomes. Those that were the same in older versions may stay.
func regionTaken(all []Resource, was int, now *Resource) (by Resource, taken bool) {
	if now.Region == 0 || now.Region == was {
		return by, false
	}
	i := slices.IndexFunc(all, func(r Resource) bool { return r.Region == now.Region && r.UID != now.UID })
	if i < 0 {
		return by, false
	}
	return all[i], true
}

// Change writes a changed copy of a thing, in one commit with also. It fails with form.ErrNotFound, and with ErrTaken if another thing has the name or is the
// region. It fails with ErrReferenced if the name changes while an expression of a filter says it. Another user could take the name, and with it the filter.
func (l *Library) Change(k Kind, uid string, edit func(*Resource) error, also ...records.CommitPart) (Resource, error) {
	by := l.box.Referring(form.Reference{Kind: k.String(), Means: l.byName(k, uid)})
	ofList := l.listReferrers(k, uid)
	l.writing.Lock()
	defer l.writing.Unlock()
	i := slices.IndexFunc(l.all[k], func(r Resource) bool { return r.UID == uid })
	if i < 0 {
		return Resource{}, fmt.Errorf("change %s: %w", k, form.ErrNotFound)
	}
	now := l.all[k][i]
	if err := edit(&now); err != nil {
		return now, err
	}
	if len(by) > 0 && fold.Name(now.Name) != fold.Name(l.all[k][i].Name) {
		return now, fmt.Errorf("rename %s: %w", k, &form.Referenced{By: by})
	}
	if by := ofList.referrersOf(&l.all[k][i], &now); len(by) > 0 {
		return now, fmt.Errorf("change %s and its list: %w", k, &form.Referenced{By: by})
	}
	if err := l.listTaken(k, &now); err != nil {
		return now, err
	}
	if by, taken := regionTaken(l.all[k], l.all[k][i].Region, &now); taken {
		return now, &RegionTaken{now.Region, by}
	}
	if err := l.weight(&l.all[k][i], &now); err != nil {
		return now, err
	}
	now.Changed = form.ChangedAt(l.all[k][i].Changed, l.opts.Now())
	if err := l.tables[k].Put(now.ID, now.Name, now, also...); err != nil {
		return now, fmt.Errorf("change %s %s: %w", k, now.Name, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.stored[now.Owner] += now.countBytes() - l.all[k][i].countBytes()
	l.all[k][i] = now
	l.sort(k)
	l.raiseVersion()
	return now, nil
}

// Delete removes a thing, in one commit with also. It fails with form.ErrNotFound, or with ErrReferenced while a filter of a user or group names it. A filter
// that lost a condition would show more than it was written to. A built-in watchdog stays: ErrBuiltIn.
func (l *Library) Delete(k Kind, uid string, also ...records.CommitPart) error {
	by := l.box.Referring(form.Reference{Kind: k.String(), UID: uid, Means: l.means(k, uid)})
	if by = append(by, l.listReferrers(k, uid).all...); len(by) > 0 {
		return fmt.Errorf("delete %s: %w", k, &form.Referenced{By: by})
	}
	defer l.compiled.forgetThing(uid) // after the lock
	l.writing.Lock()
	defer l.writing.Unlock()
	i := slices.IndexFunc(l.all[k], func(r Resource) bool { return r.UID == uid })
	if i < 0 {
		return fmt.Errorf("delete %s: %w", k, form.ErrNotFound)
	}
	if l.all[k][i].BuiltIn() {
		return fmt.Errorf("delete %s: %w", k, ErrBuiltIn)
	}
	if err := l.tables[k].Delete(l.all[k][i].ID, also...); err != nil {
		return fmt.Errorf("delete %s %s: %w", k, l.all[k][i].Name, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unweigh(&l.all[k][i])
	l.all[k] = slices.Delete(l.all[k], i, i+1)
	l.raiseVersion()
	return nil
}

// means returns a function that reports whether a word of a filter means the thing of that uid.
func (l *Library) means(k Kind, uid string) func(word string) bool {
	own, there := l.Get(k, uid)
	return func(word string) bool {
		if !there || !own.called(fold.Name(word)) { // filters are many, and few of them say the word
			return false
		}
		r, ok := l.Get(k, word)
		return ok && r.UID == uid
	}
}
