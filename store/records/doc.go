// Package records is the database of a store: one bbolt file, quaywatch.db, in which each value has its checksum behind it. It has tables and
// series of records, for all that an administrator makes and all that engines keep. Package store keeps tracks beside them, by its
// transactions.
//
// It promises that what a Table or a Series has acknowledged was committed. A value that cannot be read is told and set aside, and no
// other is lost with it. Nothing of a damaged file is overwritten, but zeros (mend).
//
// It knows nothing of what is in memory, nor of the log: View and Update are for package store alone.
package records
