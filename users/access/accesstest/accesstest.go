// Package accesstest makes users for the tests of other packages.
package accesstest

import (
	"encoding/json"
	"testing"

	"quaywatch/form"
	"quaywatch/store"
	"quaywatch/users/access"
)

// Password is what each user signs in with.
const Password = "signal-station-2"

// Open opens the users of a new store.
func Open(t testing.TB) *access.Users {
	t.Helper()
	db, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	users, err := access.OpenUsers(db.Database, access.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return users
}

// Create makes an operator. Settings and the receive filter are JSON without its braces, as `"priority":"high"`.
func Create(t testing.TB, users *access.Users, name, settings, filter string) *access.User {
	t.Helper()
	if _, err := users.Create(access.User{Name: name, Groups: []string{access.GroupOperator}}, Password); err != nil {
		t.Fatal(err)
	}
	user, err := users.Change(name, func(u *access.User) error {
		written := form.Of(form.Keys{"settings": json.RawMessage("{" + settings + "}"), "receive_filter": json.RawMessage("{" + filter + "}")})
		users.Apply(written, u)
		return written.Err()
	})
	if err != nil {
		t.Fatal(err)
	}
	return user
}
