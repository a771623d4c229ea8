// Package access decides what a caller may do. It keeps the users with their passwords, sessions, tokens and rights. It keeps only the
// argon2id hash of a password and the SHA-256 of a token, never the secret itself. A sign-in with an unknown name takes as long as one
// with a known name. An address may try at most 100 passwords an hour. The package does not know HTTP.
//
// Dangerous: User.May is the only place that decides about a right. No other code may read User.Rights.
package access
