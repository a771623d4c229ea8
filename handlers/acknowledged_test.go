package handlers

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"quaywatch/store"
	"quaywatch/users"
	"quaywatch/users/access"
	"quaywatch/users/library"
	"quaywatch/users/registry"
)

// copyAsKilled opens a copy of the files as they lie on the disk now, as after a kill.
func (s *site) copyAsKilled() *store.DB {
	s.t.Helper()
	dir := s.t.TempDir()
	for _, name := range []string{"quaywatch.db", "quaywatch.wal"} {
		body, err := os.ReadFile(filepath.Join(s.dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), body, 0o600)
		}
		if err != nil {
			s.t.Fatal(err)
		}
	}
	db, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { db.Close() })
	return db
}

// asKilled returns what is configured in a copy of the files after a kill.
func (s *site) asKilled() users.Areas {
	s.t.Helper()
	areas, err := users.Open(s.copyAsKilled().Database, access.Options{Dir: s.t.TempDir(), Now: s.clock.now, HashMemory: 64})
	if err != nil {
		s.t.Fatal(err)
	}
	return areas
}

// What was acknowledged is on the disk: a kill right after any 2xx loses nothing.
func TestWhatIsAcknowledgedOutlivesAKill(t *testing.T) {
	s := newSite(t)
	for i := range 6 {
		name := fmt.Sprint("thing", i)
		s.post(usersPath, `{"name":"`+name+`","password":"`+adminPassword+`"}`).is(t, 200)
		if u := s.asKilled(); !found(u.Users.User(name)) {
			t.Errorf("user %s is lost", name)
		}
		s.call("admin", "PUT", usersPath+"/"+name, `{"description":"changed"}`).is(t, 200)
		if u := s.asKilled(); true {
			if user, _ := u.Users.User(name); user.Description != "changed" {
				t.Errorf("the change of %s is lost", name)
			}
		}
		s.call("admin", "PUT", groups, `{"name":"`+name+`"}`).is(t, 200)
		if u := s.asKilled(); !found(u.Users.Groups().Get(name)) {
			t.Errorf("group %s is lost", name)
		}
		s.post(configPath+"/filter", `{"name":"`+name+`","filter":"sog > 1"}`).is(t, 200)
		if u := s.asKilled(); !found(u.Library.Get(library.Filters, name)) {
			t.Errorf("filter %s is lost", name)
		}
		s.post(registerPath, `{"name":"`+name+`"}`).is(t, 200)
		if u := s.asKilled(); !found(u.Register.Get(int64(registry.FirstPseudoMMSI + i))) {
			t.Errorf("entry %s is lost", name)
		}
		s.call("admin", "DELETE", usersPath+"/"+name, "").is(t, 204)
		if u := s.asKilled(); found(u.Users.User(name)) {
			t.Errorf("user %s is back", name)
		}
	}
}

func found[T any](_ T, ok bool) bool { return ok }
