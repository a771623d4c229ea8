package config

import (
	"slices"

	"quaywatch/access"
	"quaywatch/access/right"
	"quaywatch/handlers/call"
	"quaywatch/library"
	"quaywatch/rule"
	"quaywatch/ship/watchdog"
)

// mayKnowList reports whether a user may know of a ship list, by the type of the watchdog that makes it. When ships come to a port and leave it is only for
// those that are told so.
func mayKnowList(who *access.User, r *library.Resource) bool {
	return r.Of == 0 || r.Watchdog.Type != watchdog.Port || who.May(right.ViewPort) && who.May(right.ViewATAATD)
}

// mayFilterByList reports whether a filter of a user may name a ship list. One that a watchdog makes is of now, so it is not for a user that is told
// late. One of ships near others is not for a user from whom a ship may be hidden: it would tell where that ship is.
func mayFilterByList(who *access.User, r *library.Resource) bool {
	if r.Of == 0 {
		return true
	}
	near := r.Watchdog.Type == watchdog.CPA || r.Watchdog.Type == watchdog.Around
	return mayKnowList(who, r) && !who.Paced() && !(near && who.Narrowed())
}

// listRecorder returns what makes the ship lists of an answer. The ships of those that watchdogs make are those of now that the caller may see.
func (b shelf) listRecorder(c *call.Call) (func(*library.Resource) library.Record, error) {
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
