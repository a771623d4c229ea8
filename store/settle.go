package store

// Settle writes out what is pending before it returns: the log is synced, and full hours, too many open blocks and too many changes of
// static data go into the database. A source that can wait calls it now and then: an import, or a recorded log played as fast as it goes.
// So nothing of it is dropped when the disk is slower.
func (db *DB) Settle() error {
	if err := db.sync(); err != nil {
		return err
	}
	if db.manyStatics() {
		if err := db.flushStatics(); err != nil {
			return err
		}
	}
	if db.manyDeparted() {
		if err := db.flushDeparted(); err != nil {
			return err
		}
	}
	crowded := db.crowded()
	select {
	case <-db.wantFlush:
	default:
		if !crowded {
			return nil
		}
	}
	return db.flush(crowded)
}
