package rows

import (
	"strings"
	"testing"
)

// TestATimeMayStandInSeveralColumns: date and time of day are put together, by the names of their columns and else by their values, and the reader
// says which columns they are.
func TestATimeMayStandInSeveralColumns(t *testing.T) {
	const want = 1772370305000 // 2026-03-01T13:05:05Z
	for name, one := range map[string]struct {
		text, columns string
		o             Options
	}{
		"usual names":        {"mmsi,date,time,lat,lon\n211378120,2026-03-01,13:05:05,54.5,10.25\n", "date + time", Options{}},
		"time first":         {"time;date;mmsi;lat;lon\n13:05:05;01.03.2026;211378120;54,5;10,25\n", "date + time", Options{}},
		"the day first":      {"Date (UTC),Time (UTC),mmsi,lat,lon\n01/03/2026,13:05:05,211378120,54.5,10.25\n13/03/2026,13:05:05,211378120,54.5,10.25\n", "Date (UTC) + Time (UTC)", Options{}},
		"day and hour":       {"mmsi,day,hour,lat,lon\n211378120,2026-03-01,13:05:05,54.5,10.25\n", "day + hour", Options{}},
		"without marks":      {"mmsi,date,time,lat,lon\n211378120,20260301,130505,54.5,10.25\n211378120,20260301,905,54.5,10.25\n", "date + time", Options{}},
		"midnight":           {"mmsi,Date,Time,lat,lon\n211378120,2026-03-01 00:00:00,13:05:05,54.5,10.25\n", "Date + Time", Options{}},
		"a usual midnight":   {"mmsi,timestamp,clock,lat,lon\n211378120,2026-03-01 00:00:00,13:05:05,54.5,10.25\n", "timestamp + clock", Options{}},
		"half of a day":      {"mmsi,date,time,lat,lon\n211378120,2026-03-01,1:05:05 PM,54.5,10.25\n", "date + time", Options{}},
		"a zone":             {"mmsi,date,time,lat,lon\n211378120,2026-03-01,15:05:05+02:00,54.5,10.25\n", "date + time", Options{}},
		"a named month":      {"mmsi,date,time,lat,lon\n211378120,1-Mar-2026,13:05:05,54.5,10.25\n", "date + time", Options{}},
		"six numbers":        {"mmsi,year,month,day,hour,minute,second,lat,lon\n211378120,2026,3,1,13,5,5,54.5,10.25\n", "year + month + day + hour + minute + second", Options{}},
		"six decimals":       {"mmsi,yyyy,mm,dd,hh,mi,ss,lat,lon\n211378120,2026,03,01,13,5.0,5.0,54.5,10.25\n", "yyyy + mm + dd + hh + mi + ss", Options{}},
		"day and numbers":    {"mmsi,date,hour,min,sec,lat,lon\n211378120,2026-03-01,13,05,05,54.5,10.25\n", "date + hour + min + sec", Options{}},
		"by values":          {"mmsi,jour,moment,lat,lon\n211378120,2026-03-01,13:05:05,54.5,10.25\n", "jour + moment", Options{}},
		"side by side":       {"mmsi,d1,n,h1,d2,h2,lat,lon\n211378120,2026-03-02,1,11:00:00,2026-03-01,13:05:05,54.5,10.25\n", "d2 + h2", Options{}},
		"not when created":   {"created_on,mmsi,jour,moment,lat,lon\n2026-04-01 10:00:00,211378120,2026-03-01,13:05:05,54.5,10.25\n", "jour + moment", Options{}},
		"not of the ETA":     {"mmsi,eta_date,eta_time,jour,moment,lat,lon\n211378120,2026-03-02,10:00:00,2026-03-01,13:05:05,54.5,10.25\n", "jour + moment", Options{}},
		"one that has both":  {"mmsi,date,time,seen,lat,lon\n211378120,x,y,2026-03-01 13:05:05,54.5,10.25\n", "seen", Options{}},
		"of the caller":      {"mmsi,a,b,c,lat,lon\n211378120,2026-03-01,2026-03-02,13:05:05,54.5,10.25\n", "a + c", Options{Columns: map[Field]string{Date: "a", Clock: "c"}}},
		"by number":          {"211378120,2026-03-01,13:05:05,54.5,10.25\n", "2 + 3", Options{Columns: map[Field]string{MMSI: "1", Date: "2", Clock: "3", Lat: "4", Lon: "5"}}},
		"format of a caller": {"mmsi,date,time,lat,lon\n211378120,03.01.26,13h05m05,54.5,10.25\n", "date + time", Options{TimeFormat: "%m.%d.%y %Hh%Mm%S"}},
	} {
		r, row := read(t, one.text, one.o)
		if row.Fix.At != want || r.Found()[Time] != one.columns {
			t.Errorf("%s: columns %q, want %q; %d is off by %d s", name, r.Found()[Time], one.columns, row.Fix.At, (row.Fix.At-want)/1000)
		}
		if parts := r.TimeParts(); strings.Join(parts, " + ") != one.columns && len(parts) > 0 {
			t.Errorf("%s: parts %q", name, parts)
		}
	}
}

// TestPartsThatAreNoTime: a day without a time of day is no time, and of a row that lacks a part the fault names the columns.
func TestPartsThatAreNoTime(t *testing.T) {
	if _, err := NewReader(strings.NewReader("mmsi,date,lat,lon\n211378120,2026-03-01,54.5,10.25\n"), Options{}); err == nil || !strings.Contains(err.Error(), "no column for time") {
		t.Error(err)
	}
	const text = "mmsi,date,time,lat,lon\n211378120,2026-03-01,13:05:05,54.5,10.25\n211378120,2026-03-01,,54.5,10.25\n"
	r, err := NewReader(strings.NewReader(text), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var row Row
	_ = r.Next(&row)
	if err := r.Next(&row); err == nil || !strings.Contains(err.Error(), `line 3, column date + time: "2026-03-01 ": the time is not one`) {
		t.Error(err)
	}
	if _, err = NewReader(strings.NewReader("mmsi,date,time,lat,lon\n1,03/04/2026,12:00:00,54,10\n"), Options{}); err == nil || !strings.Contains(err.Error(), "column date + time: \"03/04/2026 12:00:00\": day and month cannot be told apart") {
		t.Error(err)
	}
}
