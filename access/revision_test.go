package access

import "testing"

// A register entry that an import changes is of another revision, also where the document was edited by hand and tells the time
// of what it was before; the same document again changes nothing.
func TestRevisionOfAnImportedEntry(t *testing.T) {
	h := newHouse(t)
	entry := func() Registered {
		t.Helper()
		e, ok := h.beside().Register.Find(219000001)
		if !ok {
			t.Fatal("the entry is gone")
		}
		return e
	}
	document := func(name string) string {
		return `{"register":[{"mmsi":219000001,"name":"` + name + `","updated":"2026-11-01T06:00:00Z"}]}`
	}
	h.took(document("PILOT"), "added register PILOT")
	first := entry()
	if got := first.Updated.Format("2006-01-02"); got != "2026-11-01" {
		t.Errorf("a new entry is of %s, not of when it was written elsewhere", got)
	}
	h.took(document("PILOT TWO"), "changed register PILOT TWO")
	second := entry()
	if second.Revision() == first.Revision() || second.Name != "PILOT TWO" {
		t.Errorf("%+v is of the revision of %+v", second, first)
	}
	h.took(document("PILOT TWO"), "unchanged register PILOT TWO")
	if again := entry(); again.Revision() != second.Revision() {
		t.Errorf("what did not change is of the revision %s, not %s", again.Revision(), second.Revision())
	}
	h.took(document("PILOT"), "changed register PILOT")
	if third := entry(); third.Revision() == first.Revision() || third.Revision() == second.Revision() {
		t.Errorf("the third is of the revision %s, as one before", third.Revision())
	}
}
