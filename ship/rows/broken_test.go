package rows

import (
	"errors"
	"io"
	"strings"
	"testing"
)

const good = "mmsi,time,lat,lon,sog,name\n211378120,2026-03-01T12:00:00Z,54.5,10.25,12.3,ANNA\n"

// TestTwentyBrokenFiles: each says what is wrong, with line and column, and what can be done.
func TestTwentyBrokenFiles(t *testing.T) {
	row := func(r string) string { return good + r + "\n" }
	for name, one := range map[string]struct {
		text string
		o    Options
		says string
	}{
		"empty":            {"", Options{}, "the file is empty"},
		"UTF-16":           {"\xff\xfem\x00m\x00s\x00i\x00", Options{}, "UTF-16; save it as UTF-8"},
		"no header":        {"211378120,1772366400,54.5,10.25\n", Options{}, "line 1: no column has one of the usual names"},
		"only remarks":     {strings.Repeat("# nothing\n", 30), Options{}, "not stand in the first 20 lines"},
		"no time":          {"# a list\nmmsi,lat,lon\n", Options{}, `line 2: no column for time; it has "mmsi", "lat", "lon"; say --columns time=…`},
		"no MMSI":          {"time,lat,lon\n", Options{}, "line 1: no column for mmsi; it has \"time\", \"lat\", \"lon\"; say --columns mmsi=…, or --mmsi NUMBER"},
		"unknown column":   {good, Options{Columns: map[Field]string{SOG: "Fahrt"}}, "line 1: no column for sog=Fahrt"},
		"day or month":     {"mmsi,time,lat,lon\n1,03/04/2026 12:00:00,54,10\n", Options{}, `line 2, column time: "03/04/2026 12:00:00": day and month cannot be told apart; say --time-format`},
		"time format":      {good, Options{TimeFormat: "%Q"}, "behind % comes one of Y y m d"},
		"MMSI":             {row("21137812O,2026-03-01T12:00:00Z,54.5,10.25,,"), Options{}, `line 3, column mmsi: "21137812O": the MMSI is a number`},
		"time":             {row("211378120,2026-02-30T12:00:00Z,54.5,10.25,,"), Options{}, `line 3, column time: "2026-02-30T12:00:00Z": the time is not one`},
		"old":              {row("211378120,1926-03-01T12:00:00Z,54.5,10.25,,"), Options{}, `line 3, column time: "1926-03-01T12:00:00Z": the time is not one`},
		"date alone":       {row("211378120,2026-03-01,54.5,10.25,,"), Options{}, `line 3, column time: "2026-03-01": the time is not one`},
		"latitude":         {row("211378120,2026-03-01T12:00:00Z,north,10.25,,"), Options{}, `line 3, column lat: "north": the latitude is from -90`},
		"longitude":        {row("211378120,2026-03-01T12:00:00Z,54.5,190.25,,"), Options{}, `line 3, column lon: "190.25"`},
		"exchanged":        {row("211378120,2026-03-01T12:00:00Z,110.25,54.5,,"), Options{}, `line 3, column lat: "110.25" (are latitude and longitude exchanged?)`},
		"integers of AIS":  {row("211378120,2026-03-01T12:00:00Z,32700000,6150000,,"), Options{}, `line 3, column lat: "32700000" (the integers of AIS are read with --raw)`},
		"zero":             {row("211378120,2026-03-01T12:00:00Z,0,0.0,,"), Options{}, "line 3, column lon: 0° 0° is the place of receivers without a position"},
		"no place":         {row("211378120,2026-03-01T12:00:00Z,91.0,181.0,1,"), Options{}, "line 3, column lon: the row has no position, and says nothing of the ship"},
		"cut":              {row("211378120,2026-03-01T12:00:00Z,54.5,1"), Options{}, "line 3 (4, not 6): the row has another number of fields than the header"},
		"too many":         {row("211378120,2026-03-01T12:00:00Z,54.5,10.25,1,ANNA,KIEL"), Options{}, "line 3 (7, not 6): the row has another number of fields"},
		"open quotation":   {row(`211378120,2026-03-01T12:00:00Z,54.5,10.25,1,"ANNA`) + good[27:], Options{}, "line 3: a quotation mark is not closed"},
		"behind quotation": {row(`211378120,2026-03-01T12:00:00Z,54.5,10.25,1,"ANNA" II`), Options{}, "line 3: a quotation mark is not closed in its line, or text follows it"},
		"long line":        {row("211378120," + strings.Repeat("x", 3*longest)), Options{}, "line 3: the line is longer than 65,536 bytes"},
		"no text":          {row("211378120,2026-03-01T12:00:00Z,54.5,10.25,1,AN\x00NA"), Options{}, "line 3: the line has bytes that are no text"},
	} {
		t.Run(name, func(t *testing.T) {
			fault := firstFault(t, one.text, one.o)
			if fault == nil || !strings.Contains(fault.Error(), one.says) {
				t.Errorf("%v\nwant %s", fault, one.says)
			}
		})
	}
}

// firstFault reads a file to its end, and returns the first error. After a fault in a row the next row must be read.
func firstFault(t *testing.T, text string, o Options) (first error) {
	t.Helper()
	const last = "211378121,2026-03-01T12:00:10Z,54.6,10.26,,\n"
	r, err := NewReader(strings.NewReader(text+last), o)
	if text == "" {
		r, err = NewReader(strings.NewReader(text), o)
	}
	if err != nil {
		return err
	}
	var row Row
	for {
		err := r.Next(&row)
		if errors.Is(err, io.EOF) {
			break
		}
		if first == nil {
			first = err
		}
	}
	if row.MMSI != 211378121 {
		t.Errorf("the rows after the fault were not read")
	}
	return first
}

// TestValuesThatAreLeftOut: a value out of its range costs itself and is counted; what means "not available" is not.
func TestValuesThatAreLeftOut(t *testing.T) {
	const head = "mmsi,time,lat,lon,sog,cog,heading,rot,status,class,imo,type,length,draught,name,eta\n211378120,2026-03-01T12:00:00Z,54.5,10.25,"
	for rule, cells := range map[BrokenRule]string{
		RuleSOG: "200,,,,,,,,,,,", RuleCOG: ",400,,,,,,,,,,", RuleHeading: ",,400,,,,,,,,,", RuleROT: ",,,2.5,,,,,,,,",
		RuleStatus: ",,,,asleep,,,,,,,", RuleClass: ",,,,,Z,,,,,,", RuleIMO: ",,,,,,IMO97X,,,,,", RuleType: ",,,,,,,submarine,,,,",
		RuleDimension: ",,,,,,,,5000,,,", RuleDraught: ",,,,,,,,,99,,", RuleText: ",,,,,,,,,,AN\tNA,", RuleETA: ",,,,,,,,,,,soon",
	} {
		r, row := read(t, head+cells+"\n", Options{})
		if r.Broken(rule) != 1 || !row.HasFix || rule.Refuses() {
			t.Errorf("%v: %d, %+v", rule, r.Broken(rule), row)
		}
	}
	for _, cells := range []string{"102.3,360.0,511,-128,15,,0,0,0,0.0,,00-00 24:60", "NULL,NaN,-1,Unknown,Unknown value,,Unknown,Undefined,-,None,N/A,"} {
		r, row := read(t, head+cells+"\n", Options{})
		for rule := range BrokenRule(Rules) {
			if r.Broken(rule) != 0 {
				t.Errorf("%s: %v", cells, rule)
			}
		}
		if row.saysStatic() || row.Fix.SOG != 0 || row.Fix.COG != 0 || row.Fix.Heading != 0 || row.Fix.ROT != 0 {
			t.Errorf("%s: %+v", cells, row)
		}
	}
}

// read reads one row.
func read(t *testing.T, text string, o Options) (*Reader, Row) {
	t.Helper()
	r, err := NewReader(strings.NewReader(text), o)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	var row Row
	if err := r.Next(&row); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return r, row
}

// TestTimes: all the ways in which files write one moment.
func TestTimes(t *testing.T) {
	const want = 1772370305000 // 2026-03-01T13:05:05Z
	for _, text := range []string{"2026-03-01T13:05:05Z", "2026-03-01 13:05:05", "2026/03/01 13:05:05", "2026-03-01T13:05:05.000", "2026-3-1 13:05:05 UTC",
		"2026-03-01 13:05:05 GMT", "2026-03-01T15:05:05+02:00", "2026-03-01T10:35:05-0230", "2026-03-01 14:05:05+01", "2026-03-01t13:05:05z",
		"20260301T130505Z", "20260301130505", "20260301 130505", "1772370305", "1772370305.0", "1772370305000", "1772370305000000", "01.03.2026 13:05:05"} {
		var reader timeReader
		if ms, ok := reader.readMillis([]byte(text)); !ok || ms != want {
			t.Errorf("%s: %d %v", text, ms, ok)
		}
	}
	for text, format := range map[string]string{"03/01/26 01:05:05 PM": "%m/%d/%y %I:%M:%S %p", "1-MAR-2026 130505": "%d-%b-%Y %H%M%S",
		"1772370305": "unix", "1772370305000.4": "unix-ms", "13:05:05.000 01032026 +0000": "%H:%M:%S.%f %d%m%Y %z"} {
		reader := timeReader{format: format}
		if ms, ok := reader.readMillis([]byte(text)); !ok || ms != want {
			t.Errorf("%s: %d %v", text, ms, ok)
		}
	}
	for _, text := range []string{"", "x", "2026", "2026-13-01 00:00:00", "2026-02-29 00:00:00", "2026-03-01 24:00:00", "2026-03-01 12:60:00",
		"2026-03-01 12:00:00 CET", "2026-03-01T12:00:00+2", "01/03/2026 13:05:05", "31.04.2026 00:00", "17723703050000000000000", "-1772370305",
		"2026-03-01T", "2026-03-01T12", "20260301T13050", "1772370305x", "1.1.1 1:1"} {
		var reader timeReader
		if ms, ok := reader.readMillis([]byte(text)); ok {
			t.Errorf("%q is read as %d", text, ms)
		}
	}
}

// FuzzRows: whatever a file holds, reading it ends, and what is read lies on the earth and in our time.
func FuzzRows(f *testing.F) {
	f.Add([]byte(good), "%d/%m/%Y %H:%M")
	f.Add([]byte("a;b;c\n\"1\"\";2;\"3\n"), "")
	f.Add([]byte("mmsi\ttime\tlat\tlon\trot\teta\n1\t1772370305\t1\t2\t-3.5\t03-04 12:00\n"), "unix")
	f.Fuzz(func(t *testing.T, text []byte, format string) {
		Looks(text)
		for _, o := range []Options{{}, {MMSI: 1, Raw: true}, {TimeFormat: format}, {Columns: map[Field]string{MMSI: "1", Time: "2", Lat: "3", Lon: "4"}}} {
			r, err := NewReader(strings.NewReader(string(text)), o)
			if err != nil {
				continue
			}
			for {
				var row Row
				err := r.Next(&row)
				var fault *RowFault
				if errors.As(err, &fault) {
					continue
				}
				if err != nil {
					break
				}
				if row.MMSI < 1 || row.Fix.At < earliest || row.Fix.At >= latest || row.Fix.Lat > 54000000 || row.Fix.Lat < -54000000 {
					t.Fatalf("%+v", row)
				}
			}
		}
	})
}
