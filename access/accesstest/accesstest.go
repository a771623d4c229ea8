// Package accesstest makes users for the tests of other packages.
package accesstest

import (
	"encoding/json"
	"testing"

	"quaywatch/access"
	"quaywatch/form"
	"quaywatch/store"
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
	users, err := access.OpenUsers(db, access.Options{})
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
		u.Settings, u.ReceiveFilter = keys(t, users, access.SettingKeys, settings), keys(t, users, access.ReceiveKeys, filter)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return user
}

func keys(t testing.TB, users *access.Users, set access.KeySet, text string) form.Keys {
	t.Helper()
	var written form.Keys
	if err := json.Unmarshal([]byte("{"+text+"}"), &written); err != nil {
		t.Fatal(err)
	}
	kept, wrong := users.TakeKeys(set, nil, written)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	return kept
}
