//go:build !race

package handlers

import (
	"strconv"
	"testing"

	"quaywatch/handlers/request"
	"quaywatch/users/access/right"
)

// TestEachCallerMayCallItsRoutes asks every route from another machine as every caller, each time about a thing made for it.
func TestEachCallerMayCallItsRoutes(t *testing.T) {
	s := newSite(t)
	s.invite()
	table := whoMayCallWhat()
	number := 100
	for _, r := range (&Server{}).routeTable() {
		what := r.Method + " " + r.Path
		row, ok := table[what]
		if !ok {
			t.Errorf("%s: no row says which users may call it", what)
			continue
		}
		delete(table, what)
		first := right.WebOnlineAccess
		if len(row.rights) > 0 {
			first = row.rights[0]
		}
		s.allowAllBut("without", first, false)
		s.allow("with", append(keepers(), row.rights...))
		for i, name := range callers() {
			number++
			for _, u := range s.users.List() {
				s.server.jobs.Forget(request.OwnerKey(u.UID)) // room for the jobs of this route
			}
			thing := "x"
			if row.thing != nil {
				thing = row.thing(s, strconv.Itoa(number))
			}
			if got := s.ask(name, r, row, thing, strconv.Itoa(number)); got != row.statuses[i] {
				t.Errorf("%s by %q: %d, want %d", what, name, got, row.statuses[i])
			}
		}
	}
	for what := range table {
		t.Errorf("%s: there is no such route", what)
	}
}
