package registry

import (
	"errors"
	"strings"
	"testing"
	"time"

	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/store/records"
	"quaywatch/users/document"
)

// opened returns a new store.
func opened(t *testing.T) *records.Database {
	t.Helper()
	db, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db.Database
}

// took imports a document in JSON into one area and compares what was done, as "added register BARGE".
func took(t *testing.T, db *records.Database, area document.Collection, text, want string) {
	t.Helper()
	doc, err := document.Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	report, err := document.NewBox(db, area).Import(t.Context(), doc, false)
	if err != nil {
		t.Fatal(err)
	}
	var did []string
	for _, one := range report.Things {
		did = append(did, one.What+" "+one.Kind+" "+one.Name)
	}
	if got := strings.Join(did, ", "); got != want {
		t.Errorf("%s: %s, want %s", text, got, want)
	}
}

func TestRegister(t *testing.T) {
	db, now := opened(t), func() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }
	r, err := OpenRegister(db, now)
	if err != nil {
		t.Fatal(err)
	}
	barge, err := r.Add(Registered{Name: "Barge", IMO: 9074729})
	if err != nil || barge.MMSI != FirstPseudoMMSI {
		t.Fatalf("%+v, %v", barge, err)
	}
	if _, err := r.Add(Registered{Name: "Other", IMO: 9074729}); !errors.Is(err, form.ErrTaken) {
		t.Errorf("the same IMO number: %v", err)
	}
	if next, err := r.Add(Registered{Name: "Anchor pontoon"}); err != nil || next.MMSI != FirstPseudoMMSI+1 {
		t.Errorf("%+v, %v", next, err)
	}
	if _, err := r.Change(1, func(*Registered) error { return nil }); !errors.Is(err, form.ErrNotFound) {
		t.Error(err)
	}
	if r, err = OpenRegister(db, now); err != nil {
		t.Fatal(err)
	}
	if all := r.All(); len(all) != 2 || all[0].Name != "Anchor pontoon" || all[1] != barge {
		t.Errorf("after a restart: %+v", all)
	}
	if err := errors.Join(r.Delete(barge.MMSI), r.Delete(barge.MMSI)); !errors.Is(err, form.ErrNotFound) {
		t.Error(err)
	}
	// The box gives each of its numbers once, also after a restart, and also to a ship of an import. An entry that brings such a
	// number gets it.
	if err := r.Delete(FirstPseudoMMSI + 1); err != nil {
		t.Fatal(err)
	}
	for want := int64(FirstPseudoMMSI + 2); want < FirstPseudoMMSI+8; want += 2 {
		if r, err = OpenRegister(db, now); err != nil {
			t.Fatal(err)
		}
		if e, err := r.Add(Registered{Name: "Next"}); err != nil || e.MMSI != want {
			t.Errorf("%+v, %v, want %d", e, err, want)
		}
		if err := r.Delete(want); err != nil {
			t.Error(err)
		}
		took(t, db, r, `{"register":[{"name":"Imported"}]}`, "added register Imported")
		if r, err = OpenRegister(db, now); err != nil {
			t.Fatal(err)
		}
		if e, ok := r.Get(want + 1); !ok || e.Name != "Imported" {
			t.Errorf("imported: %+v", r.All())
		}
		if err := r.Delete(want + 1); err != nil {
			t.Error(err)
		}
	}
	if e, err := r.Add(barge); err != nil || e.MMSI != barge.MMSI {
		t.Errorf("%+v, %v", e, err)
	}
	if r, err = OpenRegister(db, now); err != nil || len(r.All()) != 1 {
		t.Errorf("%v, %v", r, err)
	}
	// An entry with the highest number that a user may write leaves the next number free.
	highest := Registered{MMSI: form.MaxInteger, Name: "Highest"}
	if wrong := highest.Check(); len(wrong) > 0 {
		t.Errorf("%v", wrong)
	}
	for _, e := range []Registered{highest, {Name: "Next"}, {Name: "After"}} {
		if _, err := r.Add(e); err != nil {
			t.Errorf("%s: %v", e.Name, err)
		}
	}
}

// What AIS says wins, but for the draught until it says a newer one; gaps are filled.
func TestRegisteredState(t *testing.T) {
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	e := Registered{MMSI: 219018765, IMO: 9321483, Name: "REGISTERED", CallSign: "AAAA", Draught: 9.3, Destination: "DKAAR", Length: 100, Width: 20, Updated: at}
	heard := ship.State{MMSI: 219018765, Class: ship.ClassA, Feed: "roof", Heard: 5, First: 5, Static: &ship.Static{Name: "HEARD"},
		Voyage: &ship.VoyageData{Draught: 74, At: at.Add(-time.Hour).UnixMilli()}}
	s := e.Entry().Overlay(&heard)
	if s.Static.Name != "HEARD" || s.Static.IMO != 9321483 || s.Static.CallSign != "AAAA" || s.Static.Dimensions.Length() != 100 ||
		s.Voyage.Draught != 93 || s.Voyage.Destination != "DKAAR" || s.Class != ship.ClassA || s.Heard != 5 {
		t.Errorf("%+v %+v %+v", s, s.Static, s.Voyage)
	}
	heard.Voyage = &ship.VoyageData{Draught: 74, At: at.Add(time.Hour).UnixMilli()}
	if s := e.Entry().Overlay(&heard); s.Voyage.Draught != 74 {
		t.Errorf("a newer draught lost: %+v", s.Voyage)
	}
}

// An import that changes an entry gives it a new revision, even if the document was edited by hand and still holds the old time.
// The same document again changes nothing.
func TestRevisionOfAnImportedEntry(t *testing.T) {
	db := opened(t)
	r, err := OpenRegister(db, nil)
	if err != nil {
		t.Fatal(err)
	}
	entry := func() Registered {
		t.Helper()
		e, ok := r.Get(219000001)
		if !ok {
			t.Fatal("the entry is gone")
		}
		return e
	}
	document := func(name string) string {
		return `{"register":[{"mmsi":219000001,"name":"` + name + `","updated":"2026-11-01T06:00:00Z"}]}`
	}
	took(t, db, r, document("PILOT"), "added register PILOT")
	first := entry()
	if got := first.Updated.Format("2006-01-02"); got != "2026-11-01" {
		t.Errorf("a new entry is of %s, not of when it was written elsewhere", got)
	}
	took(t, db, r, document("PILOT TWO"), "changed register PILOT TWO")
	second := entry()
	if second.Revision() == first.Revision() || second.Name != "PILOT TWO" {
		t.Errorf("%+v is of the revision of %+v", second, first)
	}
	took(t, db, r, document("PILOT TWO"), "unchanged register PILOT TWO")
	if again := entry(); again.Revision() != second.Revision() {
		t.Errorf("what did not change is of the revision %s, not %s", again.Revision(), second.Revision())
	}
	took(t, db, r, document("PILOT"), "changed register PILOT")
	if third := entry(); third.Revision() == first.Revision() || third.Revision() == second.Revision() {
		t.Errorf("the third is of the revision %s, as one before", third.Revision())
	}
}

func TestTheRegisterHasRoomForSoMany(t *testing.T) {
	db := opened(t)
	r, err := OpenRegister(db, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range int64(MaxRegistered) {
		r.byMMSI[1000+i] = Registered{MMSI: 1000 + i}
	}
	var many form.TooMany
	if _, err := r.Add(Registered{MMSI: 5}); !errors.As(err, &many) {
		t.Errorf("one more: %v", err)
	}
	doc, err := document.Read([]byte(`{"register":[{"mmsi":5}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := document.NewBox(db, r).Import(t.Context(), doc, true); err == nil || !strings.Contains(err.Error(), "there may be at most 50000 ships in the register") {
		t.Errorf("one more by an import: %v", err)
	}
}
