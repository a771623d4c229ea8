// Package selection keeps the ships that users selected, so that their open clients can pan and zoom to them.
//
// A user has one selection for each owner, which is the program or place that selects. Versions grow, so that a stream knows which
// selections are new. The reader decides whether a user may still see a selected ship.
package selection

import (
	"fmt"
	"slices"
	"sync"

	"quaywatch/internal/wake"
	"quaywatch/store/records"
)

// SelectedShip is one selected ship.
type SelectedShip struct {
	Owner string `json:"owner"`
	MMSI  int64  `json:"mmsi"`
	Name  string `json:"name,omitempty"`
	Time  string `json:"time"` // when it was selected, as the API writes times
}

// Selection is what one user selected for one owner.
type Selection struct {
	User    string         `json:"user"` // uid
	Owner   string         `json:"owner"`
	Zoom    float64        `json:"zoom,omitempty"`
	Ships   []SelectedShip `json:"ships"`
	Version uint64         `json:"version"` // given by Put
}

// Selections are those of all users, in memory and in the database.
type Selections struct {
	table   *records.Table[Selection]
	changed wake.Signal
	mu      sync.Mutex
	all     []records.Record[Selection]
	last    uint64 // version of the latest
}

// Open reads the selections of a database.
func Open(db *records.Database) (*Selections, error) {
	table, rows, err := records.ReadTable[Selection](db, "selections")
	if err != nil {
		return nil, err
	}
	s := &Selections{table: table, all: rows}
	for _, row := range rows {
		s.last = max(s.last, row.Value.Version)
	}
	return s, nil
}

// Put replaces the selection of a user and owner. The version becomes the latest of all.
func (s *Selections) Put(sel Selection) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	sel.Version = s.last + 1
	i := slices.IndexFunc(s.all, func(r records.Record[Selection]) bool { return r.Value.User == sel.User && r.Value.Owner == sel.Owner })
	var err error
	if i >= 0 {
		err = s.table.Put(s.all[i].ID, "", sel)
	} else {
		var id uint64
		if id, err = s.table.Insert("", sel); err == nil {
			i, s.all = len(s.all), append(s.all, records.Record[Selection]{ID: id})
		}
	}
	if err != nil {
		return fmt.Errorf("select for %s %s: %w", sel.User, sel.Owner, err)
	}
	s.all[i].Value, s.last = sel, sel.Version
	s.changed.Raise()
	return nil
}

// Changed returns a channel that is closed when anything is selected next.
func (s *Selections) Changed() <-chan struct{} { return s.changed.Next() }

// Of returns the selections of a user after a version, oldest first, and the latest version of all users.
func (s *Selections) Of(user string, after uint64) (found []Selection, last uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if after == s.last {
		return nil, after
	}
	for _, r := range s.all {
		if r.Value.User == user && r.Value.Version > after {
			found = append(found, r.Value)
		}
	}
	slices.SortFunc(found, func(a, b Selection) int { return int(int64(a.Version) - int64(b.Version)) })
	return found, s.last
}

// Reassign hands the selections of a user to another, and returns how many. If both have a selection for the same owner, the other
// user keeps its own.
func (s *Selections) Reassign(from, to string) (count int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	has := map[string]bool{}
	for _, r := range s.all {
		if r.Value.User == to {
			has[r.Value.Owner] = true
		}
	}
	var kept []records.Record[Selection]
	for i, r := range s.all {
		switch {
		case r.Value.User != from:
		case has[r.Value.Owner]:
			err = s.table.Delete(r.ID)
		default:
			r.Value.User = to
			err = s.table.Put(r.ID, "", r.Value)
			count++
		}
		if err != nil {
			s.all = append(kept, s.all[i:]...)
			return count, fmt.Errorf("reassign selections: %w", err)
		}
		if r.Value.User != from {
			kept = append(kept, r)
		}
	}
	s.all = kept
	return count, nil
}
