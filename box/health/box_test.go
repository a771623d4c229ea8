package health

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/box/backups"
	"quaywatch/store"
	"quaywatch/store/records"
)

func noon() time.Time { return time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC) }

// words returns what is noticed, each with its feed and severity.
func words(list []Notice) string {
	var text []string
	for _, n := range list {
		text = append(text, strings.TrimSpace(fmt.Sprint(n.Word, " ", n.Feed, "/", n.Severity)))
	}
	return strings.Join(text, ", ")
}

// TestWhatAnOperatorMustKnow goes through a day of the box, moment by moment.
func TestWhatAnOperatorMustKnow(t *testing.T) {
	built := noon().AddDate(0, 0, -10)
	j := Assessor{Built: built}
	whole := records.Folder{Size: 1000, Free: 500}
	roof := func(heard time.Duration, open bool) []ais.FeedStatus {
		return []ais.FeedStatus{{Name: "roof", URL: "udp://:1", Connected: open, LastMessage: noon().Add(heard), LastError: "no such device"},
			{Name: "log", URL: "file:day.nmea", Clock: ais.LogClock}}
	}
	const min = time.Minute
	for _, moment := range []struct {
		after time.Duration
		f     Figures
		want  string
	}{
		{0, Figures{Store: store.Status{Folder: whole}}, ""},
		{1 * min, Figures{Store: store.Status{Stalled: 1900 * time.Millisecond}}, ""},
		{1 * min, Figures{Store: store.Status{Stalled: 2 * time.Second}}, "disk_stalled /alarm"},
		{1 * min, Figures{Store: store.Status{Folder: records.Folder{Looking: 3 * time.Second}}}, "disk_stalled /alarm"},
		{2 * min, Figures{Store: store.Status{Folder: records.Folder{Size: 1000, Free: 101}}}, ""},
		{2 * min, Figures{Store: store.Status{Folder: records.Folder{Size: 1000, Free: 100}}}, "disk_filling /warning"},
		{2 * min, Figures{Store: store.Status{Folder: records.Folder{Size: 1000, Free: 105}}}, "disk_filling /warning"}, // not on and off at the limit
		{2 * min, Figures{Store: store.Status{Folder: records.Folder{Size: 1000, Free: 120}}}, ""},
		{3 * min, Figures{Store: store.Status{Full: true, ReadOnly: "no space left", Folder: whole}}, "disk_full /alarm"},
		{3 * min, Figures{Store: store.Status{ReadOnly: "input/output error", Folder: whole}}, "disk_failed /alarm"},
		{3 * min, Figures{Store: store.Status{ReadOnly: "gone", Folder: records.Folder{Gone: true}}}, "folder_gone /alarm"},
		{4 * min, Figures{Stuck: []string{"picture"}}, "part_stuck /alarm"},
		{5 * min, Figures{Store: store.Status{Dropped: 7}}, "positions_lost /alarm"},
		{14 * min, Figures{Store: store.Status{Dropped: 7}}, "positions_lost /alarm"},
		{16 * min, Figures{Store: store.Status{Dropped: 7}}, ""},
		{20 * min, Figures{Feeds: roof(11*min, true)}, ""},
		{21 * min, Figures{Feeds: roof(11*min, true)}, "feed_silent roof/warning"},
		{22 * min, Figures{Feeds: roof(11*min, false)}, ""}, // it may be back at once
		{23 * min, Figures{Feeds: roof(11*min, false)}, "feed_down roof/warning"},
		{24 * min, Figures{Feeds: roof(24*min, true)}, ""},
		{24 * min, Figures{Store: store.Status{Damaged: map[string]int{records.DamagedHour: 2, records.DamagedLog: 1}}}, "damage_set_aside /warning"},
		{24 * min, Figures{Store: store.Status{Damaged: map[string]int{}}}, ""},
		{24 * min, Figures{Backups: &backups.Status{Every: time.Hour, Result: backups.OK, Known: noon()}}, ""},
		{24 * min, Figures{Backups: &backups.Status{Every: time.Hour, Result: backups.Failed, Known: noon()}}, "backup_failed /warning"},
		{24 * min, Figures{Backups: &backups.Status{Every: time.Hour, Result: backups.Incomplete, Known: noon()}}, "backup_incomplete /warning"},
		{24 * min, Figures{Backups: &backups.Status{Every: 20 * min, Result: backups.OK, Known: noon().Add(-10 * min)}}, "backup_old /warning"},
		{24 * min, Figures{Backups: &backups.Status{Every: 10 * min, Result: backups.None}}, "backup_none /warning"},
		{24 * min, Figures{Backups: &backups.Status{Every: 10 * min, Result: backups.Failed, Unread: true}}, "backup_failed /warning"},
		{24 * min, Figures{Backups: &backups.Status{Every: 20 * min, Result: backups.Failed, Unread: true, Known: noon().Add(-10 * min)}}, "backup_failed /warning, backup_old /warning"},
		{24 * min, Figures{Backups: &backups.Status{Every: 10 * min, Result: backups.Incomplete}}, "backup_incomplete /warning, backup_none /warning"},
		{25 * min, Figures{Store: store.Status{NewestFix: noon().Add(29 * min)}}, ""},
		{25 * min, Figures{Store: store.Status{NewestFix: noon().Add(31 * min)}}, "clock_wrong /alarm"},
		{25 * min, Figures{Store: store.Status{NewestFix: noon().Add(31 * min)}, LogClock: true}, ""},
		{26 * min, Figures{Watchdogs: Watchdogs{Lost: 3, Idle: 1}}, "events_lost /alarm, watchdogs_idle /warning"},
		{37 * min, Figures{Watchdogs: Watchdogs{Lost: 3}}, ""},
		{37 * min, Figures{Watchdogs: Watchdogs{Lost: 3}, Outbox: OutboxHealth{Failing: []string{"mail"}, Since: noon().Add(36*min + 1)}}, ""}, // it may work again at once
		{38 * min, Figures{Watchdogs: Watchdogs{Lost: 3}, Outbox: OutboxHealth{Failing: []string{"mail"}, Since: noon().Add(36*min + 1), Pushed: 2}}, "notices_given_up /alarm, notices_wait /warning"},
		{39 * min, Figures{Watchdogs: Watchdogs{Lost: 3, Evicted: 5000, PutAway: 200}, Outbox: OutboxHealth{Pushed: 2}}, "alarms_evicted /warning, alerts_put_away /warning, notices_given_up /alarm"},
		{52 * min, Figures{Watchdogs: Watchdogs{Lost: 3, Evicted: 5000, PutAway: 200, Crowded: 8, Paused: 2}, Outbox: OutboxHealth{Pushed: 2}}, "events_lost_busy /alarm, watchdogs_paused /warning"},
		{63 * min, Figures{Behind: 1900 * time.Millisecond}, ""},
		{63 * min, Figures{Behind: 41 * time.Second}, "picture_behind /alarm"},
		{63 * min, Figures{Behind: time.Second}, "picture_behind /alarm"}, // no dance around the limit
		{63 * min, Figures{Behind: 900 * time.Millisecond}, ""},
		{63 * min, Figures{Behind: time.Second}, ""},
		{-20 * 24 * 60 * min, Figures{}, "clock_wrong /alarm"}, // before the program was built
	} {
		moment.f.Now = noon().Add(moment.after)
		if got := words(j.Notices(moment.f)); got != moment.want {
			t.Errorf("after %v, %+v: %q, want %q", moment.after, moment.f, got, moment.want)
		}
	}
}

// TestAFailureOfTheBackupIsNotOverWhenTheNewestIsOld: the log says once that it fails, and nothing of an end.
func TestAFailureOfTheBackupIsNotOverWhenTheNewestIsOld(t *testing.T) {
	var b Board
	var text strings.Builder
	log := slog.New(slog.NewTextHandler(&text, nil))
	var j Assessor
	for _, after := range []time.Duration{time.Minute, 2 * time.Hour} {
		now := noon().Add(after)
		status := backups.Status{Every: time.Hour, Result: backups.Failed, Error: "no medium", Unread: true, Known: noon()}
		b.Hold(log, now, j.Notices(Figures{Now: now, Backups: &status}))
	}
	if got := words(b.Notices()); got != "backup_failed /warning, backup_old /warning" || b.Notices()[0].Error() != "the last backup failed: no medium" {
		t.Errorf("%s", got)
	}
	if strings.Contains(text.String(), "is over") || strings.Count(text.String(), "no medium") != 1 {
		t.Errorf("logged\n%s", text.String())
	}
}

// TestNoticeStandsWhileItsCauseDoes: it keeps the time since when, takes new values, is logged once, and goes.
func TestNoticeStandsWhileItsCauseDoes(t *testing.T) {
	var b Board
	var text strings.Builder
	log := slog.New(slog.NewTextHandler(&text, nil))
	var j Assessor
	hold := func(after time.Duration, free uint64, feeds ...ais.FeedStatus) {
		now := noon().Add(after)
		b.Hold(log, now, j.Notices(Figures{Now: now, Store: store.Status{Folder: records.Folder{Size: 100, Free: free}}, Feeds: feeds}))
	}
	hold(0, 50)
	hold(time.Minute, 8)
	hold(2*time.Minute, 7)
	list := b.Notices()
	if len(list) != 1 || list[0].Error() != "the disk is 93 % full" || !list[0].Since.Equal(noon().Add(time.Minute)) {
		t.Errorf("%+v", list)
	}
	silent := ais.FeedStatus{Name: "a", Connected: true}
	also := ais.FeedStatus{Name: "b", Connected: true}
	hold(11*time.Minute, 7, silent, also)
	if list = b.Notices(); words(list) != "disk_filling /warning, feed_silent a/warning, feed_silent b/warning" {
		t.Errorf("%s", words(list))
	}
	hold(12*time.Minute, 50)
	if list = b.Notices(); len(list) != 0 {
		t.Errorf("%+v when all is well", list)
	}
	if n := strings.Count(text.String(), "notice=disk_filling"); n != 2 {
		t.Errorf("logged %d times, want once when it begins and once when it ends:\n%s", n, text.String())
	}
}
