// Package store is then: the tracks, the static history and the last states of ships. They stand in the database of package records,
// quaywatch.db, with a short append log beside it, quaywatch.wal.
//
// It promises that what was synced is never lost, by a kill or by a power cut at any moment. What was not synced is at most one sync
// interval of positions. Nothing of a damaged file is overwritten, but zeros (mend).
//
// It does not promise to take every fix: when the disk stands still it drops what it cannot hold, and counts it. Ships that were heard
// fewer than three times are not stored.
//
// Dangerous: the two files belong together; copy a live store with Backup only. Nothing but this package and records may write or truncate them while
// it has them open, for the database is mapped into memory.
package store
