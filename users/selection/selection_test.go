package selection

import (
	"fmt"
	"testing"

	"quaywatch/store"
)

func opened(t *testing.T, dir string) *Selections {
	t.Helper()
	db, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(db.Database)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return s
}

// told returns the owners, ships and versions of a user's selections after a version.
func told(s *Selections, user string, after uint64) string {
	found, last := s.Of(user, after)
	text := ""
	for _, sel := range found {
		text += fmt.Sprintf("%s:%d@%d ", sel.Owner, sel.Ships[0].MMSI, sel.Version)
	}
	return fmt.Sprint(text, last)
}

func TestSelections(t *testing.T) {
	dir := t.TempDir()
	s := opened(t, dir)
	put := func(user, owner string, mmsi int64) {
		t.Helper()
		if err := s.Put(Selection{User: user, Owner: owner, Ships: []SelectedShip{{Owner: owner, MMSI: mmsi}}}); err != nil {
			t.Fatal(err)
		}
	}
	is := func(user string, after uint64, want string) {
		t.Helper()
		if got := told(s, user, after); got != want {
			t.Errorf("%s after %d: %s, want %s", user, after, got, want)
		}
	}
	put("anna", "bridge", 1)
	put("anna", "vts", 2)
	put("bert", "bridge", 3)
	put("anna", "bridge", 4) // in the place of the first
	is("anna", 0, "vts:2@2 bridge:4@4 4")
	is("anna", 2, "bridge:4@4 4")
	is("anna", 4, "4")
	if n, err := s.Reassign("anna", "bert"); n != 1 || err != nil { // bert keeps its own of the bridge
		t.Errorf("reassigned %d, %v", n, err)
	}
	is("anna", 0, "4")
	is("bert", 0, "vts:2@2 bridge:3@3 4")
}

func TestSelectionsOutliveARestart(t *testing.T) {
	dir := t.TempDir()
	t.Run("before", func(t *testing.T) {
		if err := opened(t, dir).Put(Selection{User: "anna", Owner: "bridge", Ships: []SelectedShip{{MMSI: 1}}}); err != nil {
			t.Fatal(err)
		}
	})
	if got := told(opened(t, dir), "anna", 0); got != "bridge:1@1 1" {
		t.Errorf("after a restart: %s", got)
	}
}
