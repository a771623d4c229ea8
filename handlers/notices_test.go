package handlers

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/box/health"
	"quaywatch/handlers/status"
	"quaywatch/internal/rule"
	"quaywatch/store"
	"quaywatch/store/records"
	"quaywatch/users/access"
	"quaywatch/users/access/right"
)

// TestReadinessSaysWhy: readiness fails while the store does not write, and the caller learns why. A disk that fails is not a full one.
func TestReadinessSaysWhy(t *testing.T) {
	var now atomic.Pointer[store.Status]
	var stuck atomic.Pointer[[]string]
	stuck.Store(&[]string{})
	s := newSite(t, func(_ *Config, d *Deps) {
		d.Status.StoreStatus = func() store.Status { return *now.Load() }
		d.Status.Stuck = func() []string { return *stuck.Load() }
	})
	for _, row := range []struct {
		status     store.Status
		code       int
		kind, rule string
	}{
		{store.Status{}, 200, "", ""},
		{store.Status{Stalled: time.Second}, 200, "", ""},
		{store.Status{Stalled: 3 * time.Second}, 503, "storage_failed", "disk_stalled"},
		{store.Status{Full: true, ReadOnly: "no space left on device"}, 503, "storage_full", "disk_full"},
		{store.Status{ReadOnly: "input/output error"}, 503, "storage_failed", "disk_failed"},
		{store.Status{Folder: records.Folder{Gone: true}, ReadOnly: "gone"}, 503, "storage_failed", "folder_gone"},
	} {
		now.Store(&row.status)
		a := s.send("GET", "/readyz", "").is(t, row.code).json(t)
		if row.code != 200 && (a["code"] != row.kind || a["rule"] != row.rule) {
			t.Errorf("%+v: %v", row.status, a)
		}
		s.send("GET", "/healthz", "").is(t, 200)
	}
	stuck.Store(&[]string{"picture"})
	if a := s.send("GET", "/healthz", "").is(t, 503).json(t); a["rule"] != "part_stuck" {
		t.Errorf("a part is stuck: %v", a)
	}
}

// TestFailingDiskIsNotAFullOne: the answers of a write on either.
func TestFailingDiskIsNotAFullOne(t *testing.T) {
	for _, row := range []struct {
		err  error
		want string
	}{
		{fmt.Errorf("put: %w", records.ErrFull), "507 storage_full"}, {fmt.Errorf("put: %w", records.ErrReadOnly), "503 storage_failed"},
		{errors.New("other"), "none"},
	} {
		got := "none"
		if p := status.StorageProblem(row.err); p != nil {
			got = fmt.Sprint(p.Status, " ", p.Code)
		}
		if got != row.want {
			t.Errorf("%v: %s, want %s", row.err, got, row.want)
		}
	}
}

// TestNoticesAreForOperators: the status, the metrics and the live stream have what an operator must know, of the feeds that it may hear of.
// The live stream of another user has nothing of it, and a new notice is sent at once.
func TestNoticesAreForOperators(t *testing.T) {
	var list atomic.Pointer[[]health.Notice]
	list.Store(&[]health.Notice{})
	s := newSite(t, func(_ *Config, d *Deps) { d.Status.Notices = func() []health.Notice { return *list.Load() } })
	rights := append(access.Anonymous().Effective(), right.GetSystemStatusInformation)
	s.may("pier", rights...)
	s.may("guest", access.Anonymous().Effective()...)
	s.call("admin", "PUT", usersPath+"/pier", `{"settings":{"allowed_pss_list":["tower"]}}`).is(t, 200)
	base := s.serve().URL
	operator, guest := listenAs(t, "admin", base, "", ""), listenAs(t, "guest", base, "", "")
	operator.until("status")
	guest.until("status")
	since := time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC)
	list.Store(&[]health.Notice{
		{Rule: rule.New("disk_filling", "the disk is {percent} % full", "percent", 93), Severity: health.Warning, Since: since},
		{Rule: rule.New("feed_silent", "the feed {feed} is connected and hears nothing", "feed", "roof"), Severity: health.Warning, Since: since, Feed: "roof"},
	})
	for name, want := range map[string]string{"admin": "disk_filling feed_silent", "pier": "disk_filling"} {
		a := s.call(name, "GET", "/api/status", "").is(t, 200).json(t)
		var words []string
		for _, n := range a["notices"].([]any) {
			words = append(words, n.(map[string]any)["rule"].(string))
		}
		if got := strings.Join(words, " "); got != want {
			t.Errorf("%s gets %q, want %q", name, got, want)
		}
	}
	first := s.get("/api/status").json(t)["notices"].([]any)[0].(map[string]any)
	if got := fmt.Sprint(first["detail"], first["severity"], first["since"], first["params"]); got != "the disk is 93 % full"+"warning2026-11-20T11:00:00Zmap[percent:93]" {
		t.Errorf("a notice is %s", got)
	}
	if text := s.get("/metrics").is(t, 200).body; !strings.Contains(string(text), `quaywatch_notices{notice="disk_filling"} 1`) {
		t.Error("no notice in the metrics")
	}
	told := operator.until("status").data
	for told["notices"] == nil { // one from before may be on its way
		told = operator.until("status").data
	}
	if len(told["notices"].([]any)) != 2 {
		t.Errorf("the live stream of an operator has %v", told)
	}
	if told := guest.until("status").data; told["notices"] != nil {
		t.Errorf("the live stream of a guest has %v", told)
	}
}
