package access

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"quaywatch/users/document"
)

// A document comes in on a box without its feeds too, and says so; the log says so at every start.
func TestImportNamesFeedsThatAreNotHere(t *testing.T) {
	h := newHouse(t)
	h.add("root", GroupAdmin)
	h.users.opts.Feeds = []string{"roof"}
	text := `{"users":[{"name":"anna","receive_filter":{"psss":["pier","roof"]}}]}`
	for _, want := range []int{1, 0} { // a second time it says nothing new
		doc, err := document.Read([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		report, err := h.box.Import(t.Context(), doc, false)
		if err != nil || len(report.Strange) != want {
			t.Fatalf("%v, %+v", err, report)
		}
		if want == 1 && !strings.HasPrefix(report.Strange[0], `user "anna": receive_filter/psss/0: names "pier"`) {
			t.Error(report.Strange)
		}
	}
	if err := h.db.Close(); err != nil {
		t.Fatal(err)
	}
	h.open()
	var log bytes.Buffer
	if _, err := OpenUsers(h.db.Database, Options{Dir: h.dir, Log: slog.New(slog.NewTextHandler(&log, nil)), Feeds: []string{"roof"}}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(log.String(), "user=anna") || !strings.Contains(log.String(), "pier") {
		t.Errorf("the log says %s", log.String())
	}
}
