// Package form is the JSON of the interface: it reads the fields of a body and says of all that is wrong at once, each by its JSON pointer
// and its rule. What several kinds of things have in common stands here too: names, texts, times, references, owner and access list, and
// the errors of changing them. It opens nothing.
package form
