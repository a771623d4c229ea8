package command

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

// logged writes reports of one ship, each 10 s, in the way of a program.
func logged(t *testing.T, n int, write func(at time.Time, sentence string) string) string {
	t.Helper()
	var log strings.Builder
	for i := range n {
		at := time.Date(2026, 3, 1, 12, 0, 10*i, 0, time.UTC)
		m := harbourReport(i)
		m.Second = ais.Second(at.Second())
		sentences, err := ais.NewEncoder("AIVDM").Sentences(nil, m, 'A')
		if err != nil {
			t.Fatal(err)
		}
		log.WriteString(write(at, strings.TrimSpace(string(sentences))) + "\n")
	}
	return log.String()
}

// TestImportSaysWhereTheTimesStand: a log of another program lands at its time, and the table and a dry run name the column.
func TestImportSaysWhereTheTimesStand(t *testing.T) {
	t.Parallel()
	for says, write := range map[string]func(at time.Time, s string) string{
		"before the sentence, as 2026-03-01 12:00:00,000; taken as UTC": func(at time.Time, s string) string { return at.Format("2006-01-02 15:04:05,000 - INFO - ") + s },
		`member "rxuxtime", as 1772366400`:                              func(at time.Time, s string) string { return fmt.Sprintf(`{"rxuxtime":%d,"nmea":["%s"]}`, at.Unix(), s) },
	} {
		text := logged(t, 30, write)
		code, out, errs := imported(t, "log", text)
		if code != exitOK || row(out, "times") != says || row(out, "fixes stored") != "30" || row(out, "period") != "2026-03-01T12:00:00Z to 2026-03-01T12:04:50Z" {
			t.Errorf("%s: exit %d, %s\n%s", says, code, errs, out)
		}
		if code, out, errs = imported(t, "log", text, "--dry-run"); code != exitOK || row(out, "times") != says || !strings.Contains(out, `"received":"2026-03-01T12:00:00Z"`) {
			t.Errorf("dry run, %s: exit %d, %s\n%s", says, code, errs, out)
		}
	}
	undecided := logged(t, 30, func(at time.Time, s string) string { return at.Format("02/01/2006 15:04:05 ") + s })
	code, out, errs := imported(t, "log", undecided)
	if code != exitFail || !strings.Contains(errs, "day and month cannot be told apart") {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	if code, out, errs = imported(t, "log", undecided, "--start", "2026-03-01T12:00:00Z"); code != exitOK || row(out, "fixes stored") != "30" || row(out, "times") != "" {
		t.Errorf("with --start: exit %d, %s\n%s", code, errs, out)
	}
}

// TestImportSaysWhyNoFixIsStored: a log of which messages were read and no fix was stored says why.
func TestImportSaysWhyNoFixIsStored(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	nowhere := harbourReport(0)
	nowhere.Place = ais.Place{Lon: 181 * 600000, Lat: 91 * 600000}
	said := &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: 211378120}, Name: "ANNA"}
	once := stamped(t, day, harbourReport(1))
	for name, one := range map[string]struct{ text, says string }{
		"static data":            {stamped(t, day, said, said), "0 no position is reported, as by messages 1, 2, 3, 18, 19 and 27"},
		"no place":               {stamped(t, day, nowhere, nowhere), "0 place: the ship says that it has none"},
		"heard once":             {once, "0 no ship was heard 3 times, as it takes to be stored"},
		"without time":           {strings.TrimPrefix(once, once[:strings.IndexByte(once, '!')]), "0 time: the log tells none, by stamps, RMC, ZDA or messages 4; --start TIME says when it began"},
		"no sentence":            {"hello\nworld\n", "0 nothing was read that could have one"},
		"an empty file":          {"", "0"},
		"a table of static data": {"mmsi,time,lat,lon,name\n211378120,2026-03-01T12:00:00Z,,,ANNA\n", "0 no row has a position"},
		"a table without times":  {"mmsi,time,lat,lon\n211378120,x,54.5,10.25\n", "0 row: the time is not one that can be read, of the years 1990 to 2100"},
	} {
		code, out, errs := imported(t, "log", one.text)
		if row(out, "fixes stored") != one.says {
			t.Errorf("%s: %q, want %q; exit %d, %s", name, row(out, "fixes stored"), one.says, code, errs)
		}
	}
}

// TestImportSaysWhichColumnHasTheTimes: a table whose column of times has no usual name is taken in, and the column is named.
func TestImportSaysWhichColumnHasTheTimes(t *testing.T) {
	t.Parallel()
	const table = "mmsi,lat,lon,quand,pos_vue\n211378120,54.5,10.25,2026-03-01 13:00:00,2026-03-01 12:00:00\n211378120,54.6,10.25,2026-03-01 13:00:00,2026-03-01 12:10:00\n"
	code, out, errs := imported(t, "table.csv", table)
	if code != exitOK || row(out, "times") != `column "pos_vue", by its values; --columns time=… names another` || row(out, "period") != "2026-03-01T12:00:00Z to 2026-03-01T12:10:00Z" {
		t.Errorf("exit %d, %s\n%s", code, errs, out)
	}
	if code, out, errs = imported(t, "table.csv", table, "--columns", "time=quand"); code != exitOK || row(out, "times") != "" || row(out, "period") != "2026-03-01T13:00:00Z to 2026-03-01T13:00:00Z" {
		t.Errorf("by a flag: exit %d, %s\n%s", code, errs, out)
	}
}

// TestImportSaysWhichColumnsHaveDateAndTime: a table with date and time of day in two columns is taken in at its times, and both are named; so is a log of sentences.
func TestImportSaysWhichColumnsHaveDateAndTime(t *testing.T) {
	t.Parallel()
	const period = "2026-03-01T12:00:00Z to 2026-03-01T12:10:00Z"
	for name, one := range map[string]struct {
		header, says string
		args         []string
	}{
		"usual names":   {"mmsi,lat,lon,date,time", `columns "date" and "time"; --columns date=…,clock=… names others`, nil},
		"day and hour":  {"mmsi,lat,lon,day,hour", `columns "day" and "hour"; --columns date=…,clock=… names others`, nil},
		"by values":     {"mmsi,lat,lon,jour,moment", `columns "jour" and "moment", by their values; --columns date=…,clock=… names others`, nil},
		"of the caller": {"mmsi,lat,lon,a,b", `columns "a" and "b"; --columns date=…,clock=… names others`, []string{"--columns", "date=a,clock=b"}},
	} {
		table := one.header + "\n211378120,54.5,10.25,2026-03-01,12:00:00\n211378120,54.6,10.25,2026-03-01,12:10:00\n"
		code, out, errs := imported(t, "table.csv", table, one.args...)
		if code != exitOK || row(out, "times") != one.says || row(out, "period") != period || row(out, "fixes stored") != "2" {
			t.Errorf("%s: exit %d, %s\n%s", name, code, errs, out)
		}
		if code, out, errs = imported(t, "table.csv", table, append(one.args, "--dry-run")...); code != exitOK || row(out, "times") != one.says {
			t.Errorf("dry run, %s: exit %d, %s\n%s", name, code, errs, out)
		}
	}
	code, out, errs := imported(t, "log.csv", "time;date;nmea\n"+logged(t, 61, func(at time.Time, s string) string { return at.Format("15:04:05;02.01.2006;") + s }))
	if code != exitOK || row(out, "times") != "before the sentence, as 01.03.2026 12:00:00; taken as UTC" || row(out, "period") != period {
		t.Errorf("a log: exit %d, %s\n%s", code, errs, out)
	}
}
