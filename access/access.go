// Package access decides what a caller may do: the users with their passwords, their sessions and their rights. It promises that a
// password is never kept, only its argon2id hash, that a name that does not exist costs a guesser as much time as one
// that does, and that guessing slows down to at most 100 tries an hour and address. It knows nothing of HTTP.
//
// Dangerous: User.May is the one place where a right is decided; nothing else may look at User.Rights.
package access
