package library

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/users/document"
)

func opened(t *testing.T) *Library {
	t.Helper()
	db, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	l, err := Open(db.Database, Options{})
	if err != nil {
		t.Fatal(err)
	}
	l.Join(document.NewBox(db.Database, l))
	return l
}

// A change of one thing does not cost the work on all the others.
func TestWhatDidNotChangeIsNotWorkedOutAgain(t *testing.T) {
	var c compiled
	worked := 0
	get := func(r Resource) {
		workedOut(&c, &c.members, &r, func() func(*ship.State) bool { worked++; return ship.Members(r.Ships) })
	}
	list := Resource{UID: "a", Ships: []ship.Listed{{MMSI: 219018765}}}
	get(list)
	list.Color, list.Changed = "red", list.Changed.Add(time.Hour)
	get(list)
	get(Resource{UID: "b"})
	get(list)
	if worked != 2 {
		t.Errorf("worked %d times on two things", worked)
	}
	list.Ships = []ship.Listed{{MMSI: 211222333}}
	get(list)
	if worked != 3 {
		t.Error("a change was missed")
	}
	c.forgetThing("a")
	if _, kept := c.members["a"]; kept {
		t.Error("what is gone is kept")
	}
}

// A user may give a thing any name. The name neither reaches a thing of another user nor takes the place of a thing that a filter
// means.
func TestNumbersComeBeforeNames(t *testing.T) {
	l := opened(t)
	for k := range kinds {
		meant, err := l.Insert(k, Resource{Name: "meant"})
		if err != nil {
			t.Fatal(err)
		}
		number := strconv.FormatUint(meant.ID, 10)
		named, err := l.Insert(k, Resource{Name: number})
		if err != nil {
			t.Fatal(err)
		}
		for ref, want := range map[string]string{
			meant.UID: meant.UID, number: meant.UID, " 0" + number + " ": meant.UID, "MEANT": meant.UID, strings.ToUpper(named.UID): named.UID,
		} {
			if r, ok := l.Get(k, ref); !ok || r.UID != want {
				t.Errorf("%s %q finds %+v", k, ref, r)
			}
		}
	}
}

// Of nothing there is more than there may be, by the interface or by an import; of one owner an import may bring more, as reassign does.
func TestThereIsRoomForSoMany(t *testing.T) {
	for words, row := range map[string]struct{ count, owners int }{
		"there may be at most 5000 filters": {MaxKept, MaxKept / 500}, "there may be at most 1000 filters of one owner": {MaxKeptOfOne, 1},
	} {
		l := opened(t)
		for i := range row.count {
			owner := fmt.Sprint("owner", i%row.owners)
			l.all[Filters] = append(l.all[Filters], Resource{ID: uint64(i + 1000), UID: fmt.Sprint(i), Name: fmt.Sprint("filter ", i), Owned: form.Owned{Owner: owner}})
		}
		var many form.TooMany
		if _, err := l.Insert(Filters, Resource{Name: "more", Owned: form.Owned{Owner: "owner0"}}); !errors.As(err, &many) || many.Error() != words {
			t.Errorf("one more: %v; want %q", err, words)
		}
		doc, err := document.Read([]byte(`{"filters":[{"name":"more","filter":"sog > 1"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.box.Import(t.Context(), doc, true); (err != nil) != (row.owners > 1) {
			t.Errorf("one more by an import: %v", err)
		}
	}
}
