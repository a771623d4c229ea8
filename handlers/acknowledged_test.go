package handlers

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"quaywatch/access"
	"quaywatch/store"
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

// asKilled gives what is configured in a copy of the files after a kill.
func (s *site) asKilled() (*access.Users, *access.Register) {
	s.t.Helper()
	db := s.copyAsKilled()
	opened, err := access.OpenUsers(db, access.Options{Dir: s.t.TempDir(), Now: s.clock.now})
	if err != nil {
		s.t.Fatal(err)
	}
	register, err := access.OpenRegister(db, s.clock.now)
	if err != nil {
		s.t.Fatal(err)
	}
	return opened, register
}

// What was acknowledged is on the disk: a kill right after any 2xx loses nothing.
func TestWhatIsAcknowledgedOutlivesAKill(t *testing.T) {
	s := newSite(t)
	for i := range 6 {
		name := fmt.Sprint("thing", i)
		s.post(users, `{"name":"`+name+`","password":"`+adminPassword+`"}`).is(t, 200)
		if u, _ := s.asKilled(); !found(u.Find(name)) {
			t.Errorf("user %s is lost", name)
		}
		s.call("admin", "PUT", users+"/"+name, `{"description":"changed"}`).is(t, 200)
		if u, _ := s.asKilled(); true {
			if user, _ := u.Find(name); user.Description != "changed" {
				t.Errorf("the change of %s is lost", name)
			}
		}
		s.call("admin", "PUT", groups, `{"name":"`+name+`"}`).is(t, 200)
		if u, _ := s.asKilled(); !found(u.Group(name)) {
			t.Errorf("group %s is lost", name)
		}
		s.post(configPath+"/filter", `{"name":"`+name+`","filter":"sog > 1"}`).is(t, 200)
		if u, _ := s.asKilled(); !found(u.Library().Find(access.Filters, name)) {
			t.Errorf("filter %s is lost", name)
		}
		s.post(registerPath, `{"name":"`+name+`"}`).is(t, 200)
		if _, r := s.asKilled(); !found(r.Find(int64(access.FirstPseudoMMSI + i))) {
			t.Errorf("entry %s is lost", name)
		}
		s.call("admin", "DELETE", users+"/"+name, "").is(t, 204)
		if u, _ := s.asKilled(); found(u.Find(name)) {
			t.Errorf("user %s is back", name)
		}
	}
}

func found[T any](_ T, ok bool) bool { return ok }
