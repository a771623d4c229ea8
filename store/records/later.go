package records

import (
	"errors"
	"sync"
)

// mostLater is how many changes wait at most for the keeper.
const mostLater = 10_000

// later is changes that no caller waits for.
type later struct {
	mu      sync.Mutex
	changes []CommitPart
}

// Later commits what fn does to tables within a second or two while Run goes on, and at Close; it does not wait for that. It is for what may be lost: a kill
// before the commit loses it. So does a disk that takes nothing for so long that too much waits. fn makes one change.
func (db *Database) Later(fn CommitPart) {
	db.later.mu.Lock()
	defer db.later.mu.Unlock()
	if len(db.later.changes) < mostLater {
		db.later.changes = append(db.later.changes, fn)
	}
}

// WriteLater commits what waits, all of it at once. Changes of what was removed meanwhile are none.
func (db *Database) WriteLater() error {
	db.later.mu.Lock()
	changes := db.later.changes
	db.later.changes = nil
	db.later.mu.Unlock()
	if len(changes) == 0 {
		return nil
	}
	return db.Together(func(tx *Tx) error {
		for _, fn := range changes {
			if err := fn(tx); err != nil && !errors.Is(err, ErrNotFound) {
				return err
			}
		}
		return nil
	})
}
