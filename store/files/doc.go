// Package files writes files that last. A file gets its name only when it is whole and synced. Folders for work are removed when the process that made them was
// killed.
//
// It does not know what the files hold. Its locks tell processes apart, not goroutines.
package files
