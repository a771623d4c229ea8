package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/app/config"
	"quaywatch/ship/rows"
	"quaywatch/store"
	"quaywatch/store/records"
)

// stamped returns the sentences of messages as a log with the time of each.
func stamped(t *testing.T, at time.Time, messages ...ais.Message) string {
	t.Helper()
	var text strings.Builder
	encoder := ais.NewEncoder("AIVDM")
	for _, m := range messages {
		at = at.Add(10 * time.Second)
		sentences, err := encoder.Sentences(nil, m, 'A')
		if err != nil {
			t.Fatal(err)
		}
		for line := range ais.SplitLines(sentences) {
			fmt.Fprintf(&text, "%s%s\r\n", ais.AppendTag(nil, "", at.Unix()), line)
		}
	}
	return text.String()
}

func openedStore(t *testing.T) *store.DB {
	t.Helper()
	cfg := config.Default()
	cfg.DataDir = t.TempDir()
	db, err := openStore(cfg, records.RefuseVital)
	if err != nil {
		t.Fatal(err)
	}
	return db
}

func harbourReport(minute int) *ais.PositionReport {
	return &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 211378120}, SOG: ais.SOGTenths(50), COG: ais.COGTenths(900),
		Place: ais.Place{Lon: 6_000_000 + int32(200*minute), Lat: 32_400_000}}
}

// TestImportOfTwoLogs: a ship that said its name in the first log keeps it when the second has only positions.
func TestImportOfTwoLogs(t *testing.T) {
	db := openedStore(t)
	defer db.Close()
	named := &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: 211378120}, Name: "ANNA", ShipType: 70}
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	logs := []string{
		stamped(t, day, harbourReport(0), harbourReport(1), named, harbourReport(2)),
		stamped(t, day.Add(24*time.Hour), harbourReport(3), harbourReport(4), harbourReport(5), harbourReport(6)),
	}
	for _, text := range logs {
		if _, err := importLog(t.Context(), strings.NewReader(text), db, "log", logBegin{}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Ship(211378120)
	if err != nil || s.Static == nil || s.Static.Name != "ANNA" || s.Reports != 8 {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestImportOfAnOlderLog: what a ship said last stays the last, and what it said before is in its history.
func TestImportOfAnOlderLog(t *testing.T) {
	db := openedStore(t)
	defer db.Close()
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for _, log := range []struct {
		at                time.Time
		name, destination string
	}{{day, "NEW NAME", "KIEL"}, {day.AddDate(0, -1, 0), "OLD NAME", "ROSTOCK"}} {
		said := &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: 211378120}, Name: log.name, Destination: log.destination}
		text := stamped(t, log.at, harbourReport(0), harbourReport(1), said, harbourReport(2))
		if _, err := importLog(t.Context(), strings.NewReader(text), db, "log", logBegin{}); err != nil {
			t.Fatal(err)
		}
	}
	s, err := db.Ship(211378120)
	if err != nil || s.Static.Name != "NEW NAME" || s.Voyage.Destination != "KIEL" || !s.Fix.Time().After(day) {
		t.Errorf("last: %+v %+v %+v, %v", s, s.Static, s.Voyage, err)
	}
	for at, want := range map[time.Time]string{day.AddDate(0, 0, -10): "OLD NAME", day.Add(time.Hour): "NEW NAME"} {
		if st, _, err := db.StaticAt(211378120, at); err != nil || st.Name != want {
			t.Errorf("at %v: %+v, %v", at, st, err)
		}
	}
}

// TestImportOfLogsInAnyOrder: three logs tell of a ship that was renamed, or kept its name. In whatever order they come, and if one comes twice, its history is the same,
// and what it said last is what it is.
func TestImportOfLogsInAnyOrder(t *testing.T) {
	day := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	for _, names := range [][3]string{{"ANNA", "BERTA", "CLARA"}, {"ANNA", "ANNA", "BERTA"}, {"ANNA", "BERTA", "ANNA"}, {"ANNA", "ANNA", "ANNA"}} {
		for _, order := range [][]int{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}, {2, 0, 0, 1, 0}} {
			db := openedStore(t)
			for _, n := range order {
				said := &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: 211378120}, Name: names[n], CallSign: "DABC", Destination: "KIEL", Draught: 50}
				at := day.AddDate(0, n, 0)
				text := stamped(t, at, harbourReport(0), said, harbourReport(1)) + stamped(t, at.Add(6*time.Minute), harbourReport(2), said)
				if _, err := importLog(t.Context(), strings.NewReader(text), db, "log", logBegin{}); err != nil {
					t.Fatal(err)
				}
			}
			changes, err := db.StaticChanges(t.Context(), 211378120, day.AddDate(0, -1, 0), day.AddDate(0, 4, 0))
			if err != nil {
				t.Fatal(err)
			}
			var history []string
			for _, c := range changes {
				if c.Static != nil {
					history = append(history, c.Static.Name)
				}
			}
			if history = slices.Compact(history); !slices.Equal(history, slices.Compact(slices.Clone(names[:]))) {
				t.Errorf("%v in the order %v: the history is %v", names, order, history)
			}
			for n, name := range names {
				if st, v, err := db.StaticAt(211378120, day.AddDate(0, n, 0).Add(10*time.Minute)); err != nil || st.Name != name || st.CallSign != "DABC" || v.Destination != "KIEL" {
					t.Errorf("%v in the order %v: at log %d %+v, %v", names, order, n, st, err)
				}
			}
			if s, err := db.Ship(211378120); err != nil || s.Static.Name != names[2] {
				t.Errorf("%v in the order %v: at last %+v, %v", names, order, s.Static, err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestImportSaysThatNothingIsStored: an import whose messages cannot be written must not succeed.
func TestImportSaysThatNothingIsStored(t *testing.T) {
	db := openedStore(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	text := stamped(t, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), harbourReport(0), harbourReport(1), harbourReport(2), harbourReport(3))
	if counted, err := importLog(t.Context(), strings.NewReader(text), db, "log", logBegin{}); err == nil {
		t.Errorf("no error: %+v", counted)
	}
}

// TestImportedStaticDataHoldsFromItsFirstRow: in the middle of an imported day the name is known, and a row that lacks a value
// does not take it away.
func TestImportedStaticDataHoldsFromItsFirstRow(t *testing.T) {
	db := openedStore(t)
	defer db.Close()
	const table = "MMSI,BaseDateTime,LAT,LON,SOG,COG,VesselName,CallSign\n" +
		"367000001,2026-03-01T12:00:00,29.5,-94.5,10.2,180.0,GULF STAR,WDA1234\n" +
		"367000001,2026-03-01T12:20:00,29.4,-94.5,10.2,180.0,GULF STAR,\n" +
		"367000001,2026-03-01T12:10:00,29.4,-94.5,10.2,180.0,,\n"
	if _, err := importCSV(t.Context(), strings.NewReader(table), db, rows.Options{}); err != nil {
		t.Fatal(err)
	}
	st, _, err := db.StaticAt(367000001, time.Date(2026, 3, 1, 12, 5, 0, 0, time.UTC))
	if err != nil || st.Name != "GULF STAR" || st.CallSign != "WDA1234" {
		t.Errorf("%+v, %v", st, err)
	}
}

// TestImportWarnsOfRetention: history from before the retention would be gone within an hour of the next start.
func TestImportWarnsOfRetention(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "old.csv")
	rows := "MMSI,BaseDateTime,LAT,LON,SOG,COG\n367000001,2016-03-01T12:00:00,29.5,-94.5,10.2,180.0\n"
	if err := os.WriteFile(path, []byte(rows), 0o600); err != nil {
		t.Fatal(err)
	}
	for retention, warns := range map[string]bool{"365d": true, "0s": false} {
		var out, errs bytes.Buffer
		c := console{out: &out, err: &errs}
		err := importCommand(t.Context(), c, []string{"--data-dir", filepath.Join(dir, retention), "--store.retention", retention, path})
		if err != nil || strings.Contains(errs.String(), "store.retention") != warns {
			t.Errorf("retention %s: %v, %s", retention, err, errs.String())
		}
	}
}

// TestImportOfALogWithoutTime: such a log is refused with words, and taken when a user says when it began.
func TestImportOfALogWithoutTime(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "log.nmea")
	var log []byte
	encoder := ais.NewEncoder("AIVDM")
	for i := range 30 {
		r := harbourReport(i)
		r.Second = ais.Second(i * 10 % 60)
		var err error
		if log, err = encoder.Sentences(log, r, 'A'); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, log, 0o600); err != nil {
		t.Fatal(err)
	}
	table := filepath.Join(dir, "table.csv")
	if err := os.WriteFile(table, []byte("MMSI,BaseDateTime,LAT,LON,SOG,COG\n367000001,2016-03-01T12:00:00,29.5,-94.5,10.2,180.0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		args []string
		code int
		says string
		last time.Time // of the ship's fixes
	}{
		{[]string{path}, 1, "the log tells none", time.Time{}},
		{[]string{"--start", "2026-03-01T12:00:00Z", path}, 0, "", time.Date(2026, 3, 1, 12, 4, 50, 0, time.UTC)},
		{[]string{"--start", "2026-03-01T12:00:00Z", "--rate", "2", path}, 0, "", time.Date(2026, 3, 1, 12, 0, 14, 5e8, time.UTC)},
		{[]string{"--start", "yesterday", path}, 2, "--start", time.Time{}},
		{[]string{"--start", "0016-03-01T12:00:00Z", path}, 2, "1990", time.Time{}},
		{[]string{"--start", "2026-03-01T12:00:00Z", path, path}, 2, "one file", time.Time{}},
		{[]string{"--start", "2026-03-01T12:00:00Z", "--rate", "-1", path}, 2, "--rate", time.Time{}},
		{[]string{"--rate", "2", path}, 2, "--start", time.Time{}},
		{[]string{"--start", "2026-03-01T12:00:00Z", table}, 1, "table", time.Time{}},
	} {
		data := t.TempDir()
		var out, errs bytes.Buffer
		code := run(t.Context(), console{out: &out, err: &errs}, append([]string{"import", "--data-dir", data, "--store.retention", "0s"}, row.args...))
		if code != row.code || !strings.Contains(errs.String(), row.says) {
			t.Errorf("%v: exit %d, want %d\n%s%s", row.args, code, row.code, out.String(), errs.String())
		}
		if row.code == 2 {
			continue
		}
		cfg := config.Default()
		cfg.DataDir = data
		db, err := openStore(cfg, records.RefuseVital)
		if err != nil {
			t.Fatal(err)
		}
		s, _ := db.Ship(211378120)
		if s.HasFix == row.last.IsZero() || s.HasFix && !s.Fix.Time().Equal(row.last) {
			t.Errorf("%v: last fix %v at %v, want %v", row.args, s.HasFix, s.Fix.Time(), row.last)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestDecodeInventsNoTime: what is decoded from a file or a pipe has the times that it tells, and no others.
func TestDecodeInventsNoTime(t *testing.T) {
	report := harbourReport(1)
	report.Second = 10
	plain, err := ais.NewEncoder("AIVDM").Sentences(nil, report, 'A')
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "log.nmea")
	if err := os.WriteFile(path, plain, 0o600); err != nil {
		t.Fatal(err)
	}
	told := stamped(t, time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), report)
	for _, row := range []struct {
		in             string
		args           []string
		received, sent string // patterns; "" is left out
	}{
		{"", []string{"decode", path}, "", ""},
		{string(plain), []string{"decode"}, "", ""},
		{told, []string{"decode"}, "", "2026-03-01T12:00:10Z"},
		{string(plain), []string{"decode", "--live"}, "Z", ":10Z"},
	} {
		var out, errs bytes.Buffer
		if code := run(t.Context(), console{in: strings.NewReader(row.in), out: &out, err: &errs}, row.args); code != 0 {
			t.Fatalf("%v: exit %d, %s", row.args, code, errs.String())
		}
		var got struct{ Received, Sent string }
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if (got.Received == "") != (row.received == "") || !strings.HasSuffix(got.Received, row.received) ||
			(got.Sent == "") != (row.sent == "") || !strings.HasSuffix(got.Sent, row.sent) {
			t.Errorf("%v: received %q, sent %q; want %q, %q", row.args, got.Received, got.Sent, row.received, row.sent)
		}
	}
}
