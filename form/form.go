// Package form reads and checks the JSON of the interface. It collects all errors of a body at once, each with its JSON pointer and
// its rule. It also holds what several kinds of things share: names, texts, times, references, owner, access list, and the errors
// of a change. It opens no file and no connection.
package form
