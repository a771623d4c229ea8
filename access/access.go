// Package access decides what a caller may do. It keeps the users with their passwords, their sessions and their rights. It keeps
// only the argon2id hash of a password, never the password. A sign-in with an unknown name takes as long as one with a known name.
// An address may try at most 100 passwords an hour. The package does not know HTTP.
//
// Dangerous: User.May is the only place that decides about a right. No other code may read User.Rights.
package access
