package settings

import (
	"slices"

	"quaywatch/handlers/request"
	"quaywatch/internal/rule"
	"quaywatch/users/library"
)

// listRecorder returns what makes the ship lists of an answer. The ships of those that watchdogs make are those of now that the caller may see.
func (b shelf) listRecorder(c *request.Request) (func(*library.Resource) library.Record, error) {
	plain := func(r *library.Resource) library.Record { return b.deps.Library.Record(b.kind, r) }
	if !slices.ContainsFunc(b.deps.Library.List(library.ShipLists), func(r library.Resource) bool { return r.Of != 0 }) {
		return plain, nil
	}
	ships, err := b.deps.Listed(c)
	return func(r *library.Resource) library.Record {
		record := plain(r)
		if r.Of != 0 {
			var why *rule.Rule
			if record.Ships, why = ships(r); why != nil {
				record.Problem, record.ProblemRule = why.Error(), why
			}
		}
		return record
	}, err
}
