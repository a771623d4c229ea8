package logtime

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

// begin is when the logs of the tests begin: on a day that is no month, and 30 s before midnight.
var begin = time.Date(2026, 11, 20, 23, 59, 30, 0, time.UTC)

// written is after that.
var written = begin.Add(72 * time.Hour)

// line is one line of a log: when it was heard, and its sentence.
type line struct {
	at       time.Time
	sentence string
}

// traffic returns reports each 5 s of two ships, and with stations a message 4 each 20 s.
func traffic(tb testing.TB, n int, stations bool) (lines []line) {
	tb.Helper()
	encoder := ais.NewEncoder("AIVDM")
	for i := range n {
		at := begin.Add(time.Duration(5*i) * time.Second)
		var m ais.Message = &ais.PositionReport{Header: ais.Header{Type: 1, MMSI: 636018333 + ais.MMSI(i%2)}, SOG: ais.SOGTenths(50), COG: ais.COGTenths(900),
			Place: ais.Place{Lon: 6_000_000 + int32(50*i), Lat: 32_400_000}, Second: ais.Second(at.Second())}
		if stations && i%4 == 0 {
			m = &ais.BaseStationReport{Header: ais.Header{Type: 4, MMSI: 2190001}, Year: at.Year(), Month: int(at.Month()), Day: at.Day(),
				Hour: at.Hour(), Minute: at.Minute(), Second: at.Second()}
		}
		sentences, err := encoder.Sentences(nil, m, 'A')
		if err != nil {
			tb.Fatal(err)
		}
		lines = append(lines, line{at, strings.TrimSpace(string(sentences))})
	}
	return lines
}

// put writes each line in a way of a program.
func put(lines []line, write func(at time.Time, sentence string) string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(write(l.at, l.sentence) + "\r\n")
	}
	return b.String()
}

// layout writes the time by a layout of package time.
func layout(form string) func(time.Time, string) string {
	return func(at time.Time, sentence string) string {
		return strings.ReplaceAll(at.Format(form), "@", sentence)
	}
}

func sealed(body string) string {
	sum := byte(0)
	for _, c := range []byte(body) {
		sum ^= c
	}
	return fmt.Sprintf("%s*%02X", body, sum)
}

// decoded decodes a log by its own clock, and returns when its reports were received.
func decoded(tb testing.TB, in io.Reader) (times []time.Time) {
	tb.Helper()
	d, b := ais.NewDecoder(ais.DecoderConfig{Clock: ais.LogClock}), &ais.Batch{}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		d.Line(b, lines.Bytes(), time.Time{})
	}
	d.Flush(b, time.Time{})
	if lines.Err() != nil {
		tb.Fatal(lines.Err())
	}
	for i := range b.Reports {
		times = append(times, b.Reports[i].Received)
	}
	return times
}

// program is how a program writes a line.
type program struct {
	name  string
	write func(at time.Time, sentence string) string
	says  string // part of what the column is called
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // with < and > as escapes
	return string(b)
}

func unix(at time.Time) int64 { return at.Unix() }

// programs are the lines of other programs. Each tells the time wholly.
func programs() []program {
	local := time.FixedZone("", 3600)
	return []program{
		{name: "AIS-catcher, JSON", says: `member "rxuxtime"`, write: func(at time.Time, s string) string {
			return fmt.Sprintf(`{"class":"AIS","device":"AIS-catcher","version":70,"channel":"A","repeat":0,"signalpower":-37.4,"ppm":-0.3,"rxtime":"%s","rxuxtime":%d.359632,"nmea":["%s"],"mmsi":211378120,"type":1}`,
				at.Format("20060102150405"), unix(at), s)
		}},
		{name: "AIS-catcher, JSON of an older build", says: `member "rxtime"`, write: func(at time.Time, s string) string {
			return fmt.Sprintf(`{"class":"AIS","device":"AIS-catcher","rxtime":"%s","scaled":true,"nmea":["%s"],"eta":"11-20T18:30Z"}`, at.Format("20060102150405"), s)
		}},
		{name: "AIS-catcher, JSON in an envelope", says: `member "rxuxtime"`, write: func(at time.Time, s string) string {
			return fmt.Sprintf(`{"protocol":"jsonaiscatcher","encodetime":"20300101000000","msgs":[{"class":"AIS","rxuxtime":%d.5,"nmea":["%s"]}]}`, unix(at), s)
		}},
		{name: "JSON of a program in Go", says: `member "timestamp"`, write: func(at time.Time, s string) string {
			return fmt.Sprintf(`{"message":%s,"timestamp":%s,"created":"2031-01-01T00:00:00Z"}`, quoted(s), quoted(at.Format(time.RFC3339Nano)))
		}},
		{name: "JSON with toa in milliseconds", says: `member "toa"`, write: func(at time.Time, s string) string {
			return fmt.Sprintf(`{"mmsi":636018333,"toa":%d,"nmea":"%s"}`, at.UnixMilli(), s)
		}},
		{name: "journald, JSON", says: `member "__REALTIME_TIMESTAMP"`, write: func(at time.Time, s string) string {
			return fmt.Sprintf(`{"__REALTIME_TIMESTAMP":"%d","_PID":"1234567890","MESSAGE":"%s"}`, at.UnixMicro(), s)
		}},
		{name: "gpspipe -t", says: "before the sentence", write: layout("2006-01-02 15:04:05: @")},
		{name: "gpspipe -u", says: "before the sentence", write: layout("2006-01-02 15:04:05.000000: @")},
		{name: "gpspipe -uu", says: "before the sentence", write: func(at time.Time, s string) string { return fmt.Sprintf("%d.000123: %s", unix(at), s) }},
		{name: "OpenCPN VDR", says: "before the sentence", write: layout(`2006-01-02T15:04:05.000Z,AIS,"UDP port:6039","@"`)},
		{name: "OpenCPN VDR, as documented", says: "before the sentence", write: layout(`2006-01-02T15:04:05.000Z,NMEA0183,AIVDM,"UDP","@"`)},
		{name: "aisdispatcher", says: "TAG c:", write: func(at time.Time, s string) string {
			return `\` + sealed(fmt.Sprintf("s:roof,c:%d", unix(at))) + `\` + s
		}},
		{name: "kplex with timestamp=ms", says: "TAG c:", write: func(at time.Time, s string) string {
			return `\` + sealed(fmt.Sprintf("c:%d", at.UnixMilli())) + `\` + s
		}},
		{name: "Kystverket", says: "TAG c:", write: func(at time.Time, s string) string {
			return `\` + sealed(fmt.Sprintf("s:2573105,c:%d", unix(at))) + `\!` + sealed("BS"+s[3:strings.IndexByte(s, '*')])
		}},
		{name: "TAG block within a syslog", says: "TAG c:", write: func(at time.Time, s string) string {
			return at.Add(40*time.Second).Format("Jan _2 15:04:05 host relay[123]: ") + `\` + sealed(fmt.Sprintf("s:roof,c:%d", unix(at))) + `\` + s
		}},
		{name: "PGHP", says: "$PGHP", write: func(at time.Time, s string) string {
			return "$" + sealed("PGHP,1,"+at.Format("2006,")+at.Format("1,2,15,4,5")+",0,219,,2190067,1,69") + "\r\n" + s
		}},
		{name: "rtl-ais behind ts", says: "before the sentence", write: layout("2006-01-02T15:04:05.000000 @")},
		{name: "ts of moreutils", says: "before the sentence", write: layout("Jan 02 15:04:05 @")},
		{name: "suffix of the Coast Guard", says: "behind the sentence", write: func(at time.Time, s string) string {
			return fmt.Sprintf("%s,d-091,S0077,r003669987,%d", s, unix(at))
		}},
		{name: "ShipPlotter, time behind", says: "behind the sentence", write: layout("@,2006/01/02 15:04:05")},
		{name: "time behind a tab", says: "behind the sentence", write: layout("@\t2006-01-02T15:04:05Z")},
		{name: "brackets", says: "before the sentence", write: layout("[2006-01-02 15:04:05] @")},
		{name: "brackets with milliseconds and a station", says: "before the sentence", write: layout("[2006-01-02 15:04:05.000] [roof] @")},
		{name: "logging of Python", says: "before the sentence", write: layout("2006-01-02 15:04:05,000 - INFO - @")},
		{name: "comma", says: "before the sentence", write: layout("2006-01-02,15:04:05,@")},
		{name: "semicolon", says: "before the sentence", write: layout("2006-01-02 15:04:05;roof;@")},
		{name: "semicolon between day and time", says: "before the sentence", write: layout("2006-01-02;15:04:05;@")},
		{name: "quotation marks", says: "before the sentence", write: layout(`"2006-01-02 15:04:05","@"`)},
		{name: "Signal K", says: "before the sentence", write: func(at time.Time, s string) string { return fmt.Sprintf("%d;N;%s", at.UnixMilli(), s) }},
		{name: "candump", says: "before the sentence", write: func(at time.Time, s string) string { return fmt.Sprintf("(%d.000000) nmea %s", unix(at), s) }},
		{name: "packed", says: "before the sentence", write: layout("20060102150405 @")},
		{name: "packed with a mark", says: "before the sentence", write: layout("20060102-150405 @")},
		{name: "syslog", says: "before the sentence", write: layout("<30>Jan _2 15:04:05 quay ais[17]: @")},
		{name: "syslog of RFC 5424", says: "before the sentence", write: layout("<30>1 2006-01-02T15:04:05.000000Z quay ais 17 - - @")},
		{name: "syslog behind which the program writes its own", says: ".000Z", write: func(at time.Time, s string) string {
			return at.Add(time.Second).Format("Jan _2 15:04:05 quay ais[17]: ") + at.Format("2006-01-02T15:04:05.000Z ") + s
		}},
		{name: "journalctl -o short-iso", says: "before the sentence", write: func(at time.Time, s string) string {
			return at.In(local).Format("2006-01-02T15:04:05-0700 quay ais[17]: ") + s
		}},
		{name: "docker logs -t", says: "before the sentence", write: layout("2006-01-02T15:04:05.000000000Z @")},
		{name: "a zone of its own", says: "before the sentence", write: func(at time.Time, s string) string {
			return at.In(local).Format("2006-01-02 15:04:05 -07:00 ") + s
		}},
		{name: "German", says: "before the sentence", write: layout("02.01.2006 15:04:05 @")},
		{name: "British", says: "before the sentence", write: layout("02/01/2006 15:04:05 @")},
		{name: "American with AM and PM", says: "before the sentence", write: layout("1/2/2006 3:04:05 PM @")},
		{name: "ctime", says: "before the sentence", write: layout("Mon Jan _2 15:04:05 2006 @")},
		{name: "mail", says: "before the sentence", write: layout("Mon, 02 Jan 2006 15:04:05 GMT @")},
		{name: "web server", says: "before the sentence", write: layout("[02/Jan/2006:15:04:05 +0000] @")},
		{name: "the ship's number beside the time", says: "before the sentence", write: layout("636018333,2006-01-02 15:04:05,@")},
		{name: "a remark before each sentence", says: "lines of its own", write: layout("# 2006-01-02 15:04:05\r\n@")},
	}
}

// TestLinesOfOtherPrograms: each report gets the time of its line.
func TestLinesOfOtherPrograms(t *testing.T) {
	for _, stations := range []bool{false, true} {
		lines := traffic(t, 60, stations)
		for _, one := range programs() {
			name := fmt.Sprintf("%s, stations %v", one.name, stations)
			r := NewReader(strings.NewReader(put(lines, one.write)), written)
			got := decoded(t, r)
			if len(got) != len(lines) || !strings.Contains(r.Column(), one.says) {
				t.Errorf("%s: %d reports, want %d; column %q, want %q; doubt %q", name, len(got), len(lines), r.Column(), one.says, r.Doubt())
				continue
			}
			for i, at := range got {
				if !at.Truncate(time.Second).Equal(lines[i].at) {
					t.Errorf("%s: report %d at %v, want %v; column %q", name, i, at, lines[i].at, r.Column())
					break
				}
			}
		}
	}
}

// TestAClockThatIsNotUTC: message 4 tells by how much a local clock is off; a whole log of another time is not followed.
func TestAClockThatIsNotUTC(t *testing.T) {
	for _, row := range []struct {
		off            time.Duration
		stations       bool
		want           time.Duration // by which the reports are off
		column, reason string        // "" for none
	}{
		{2 * time.Hour, true, 0, "2h0m0s ahead of message 4", ""},
		{-5*time.Hour - 30*time.Minute, true, 0, "5h30m0s behind message 4", ""},
		{2 * time.Hour, false, 2 * time.Hour, "taken as UTC", ""},
		{-3000 * time.Hour, true, 0, "", "message 4 tells another time"},
	} {
		lines := traffic(t, 60, row.stations)
		text := put(lines, func(at time.Time, s string) string { return at.Add(row.off).Format("2006-01-02 15:04:05 ") + s })
		r := NewReader(strings.NewReader(text), written)
		got := decoded(t, r)
		if !strings.Contains(r.Column(), row.column) || (row.column == "") != (r.Column() == "") || !strings.Contains(r.Doubt(), row.reason) {
			t.Errorf("off by %v: column %q, doubt %q", row.off, r.Column(), r.Doubt())
		}
		if off := got[len(got)-1].Sub(lines[len(lines)-1].at); (off - row.want).Abs() > 10*time.Second {
			t.Errorf("off by %v: the last report is off by %v", row.off, off)
		}
	}
}

// TestATimeOfDayNeedsADate: message 4 tells the date, also over midnight, and without one there is no time.
func TestATimeOfDayNeedsADate(t *testing.T) {
	for _, stations := range []bool{true, false} {
		lines := traffic(t, 60, stations)
		r := NewReader(strings.NewReader(put(lines, layout("15:04:05.000 (AIS) @"))), written)
		got := decoded(t, r)
		if stations && (r.Column() == "" || !got[0].Equal(lines[0].at) || !got[59].Equal(lines[59].at)) {
			t.Errorf("column %q, doubt %q, last at %v", r.Column(), r.Doubt(), got[59])
		}
		if !stations && (r.Column() != "" || !strings.Contains(r.Doubt(), "no date") || !got[59].IsZero()) {
			t.Errorf("without message 4: column %q, doubt %q, last at %v", r.Column(), r.Doubt(), got[59])
		}
	}
}

// TestYearsThatAreNotWritten: a log of syslog goes over the turn of the year, and lies in the past of the day on which it was written.
func TestYearsThatAreNotWritten(t *testing.T) {
	turn := time.Date(2024, 12, 31, 23, 58, 0, 0, time.UTC)
	lines := traffic(t, 60, false)
	for i := range lines {
		lines[i].at = turn.Add(time.Duration(5*i) * time.Second)
	}
	r := NewReader(strings.NewReader(put(lines, layout("Jan _2 15:04:05 quay ais[17]: @"))), turn.Add(40*24*time.Hour))
	got := decoded(t, r)
	if !got[0].Equal(lines[0].at) || !got[59].Equal(lines[59].at) || !strings.Contains(r.Column(), "the year is taken as 2024") {
		t.Errorf("column %q, from %v to %v", r.Column(), got[0], got[59])
	}
}

// TestLeapDays: a log of syslog that begins on 29 February, or goes over it, is of the last year that had one.
func TestLeapDays(t *testing.T) {
	for _, begins := range []time.Time{time.Date(2024, 2, 29, 10, 0, 0, 0, time.UTC), time.Date(2024, 2, 29, 23, 58, 0, 0, time.UTC), time.Date(2024, 2, 28, 23, 58, 0, 0, time.UTC)} {
		for _, later := range []int{0, 20, 790, 1100} { // days
			lines := traffic(t, 60, false)
			for i := range lines {
				lines[i].at = begins.Add(time.Duration(5*i) * time.Second)
			}
			r := NewReader(strings.NewReader(put(lines, layout("Jan _2 15:04:05 quay ais[17]: @"))), begins.AddDate(0, 0, later+1))
			got := decoded(t, r)
			if !got[0].Equal(lines[0].at) || !got[59].Equal(lines[59].at) || !strings.Contains(r.Column(), "the year is taken as 2024") {
				t.Errorf("%d days after %v: column %q, from %v to %v", later, begins, r.Column(), got[0], got[59])
			}
		}
	}
}

// TestCountsBehindTheSentence: a count since 1970 is read behind whatever stands between it and the sentence.
func TestCountsBehindTheSentence(t *testing.T) {
	lines := traffic(t, 60, false)
	for _, between := range []string{",", " ", "\t", ";", " rx=", " [", ", "} {
		for _, unit := range []time.Duration{time.Second, time.Millisecond} {
			r := NewReader(strings.NewReader(put(lines, func(at time.Time, s string) string { return fmt.Sprint(s, between, at.UnixNano()/int64(unit)) })), written)
			got := decoded(t, r)
			if len(got) != 60 || !got[0].Equal(lines[0].at) || !got[59].Equal(lines[59].at) {
				t.Errorf("behind %q: column %q, doubt %q, from %v to %v", between, r.Column(), r.Doubt(), got[0], got[len(got)-1])
			}
		}
	}
}

// TestManyPostsInALine: a receiver posts as many sentences as it has heard, in one line of JSON, and each has its time.
func TestManyPostsInALine(t *testing.T) {
	lines := traffic(t, 900, false)
	for _, each := range []int{1, 12, 60, 900} {
		var log strings.Builder
		for i := range lines {
			if i%each == 0 {
				fmt.Fprintf(&log, `{"protocol":"jsonaiscatcher","stationid":"roof","msgs":[`)
			}
			fmt.Fprintf(&log, `{"class":"AIS","rxtime":%q,"rxuxtime":%d,"nmea":[%q]},`, lines[i].at.Format("20060102150405"), lines[i].at.Unix(), lines[i].sentence)
			if i%each == each-1 {
				log.WriteString("{}]}\n")
			}
		}
		r := NewReader(strings.NewReader(log.String()), written)
		got := decoded(t, r)
		if len(got) != len(lines) {
			t.Errorf("%d in a line: %d reports; column %q, doubt %q", each, len(got), r.Column(), r.Doubt())
			continue
		}
		for i := range got {
			if !got[i].Equal(lines[i].at) {
				t.Errorf("%d in a line: report %d is of %v, not %v", each, i, got[i], lines[i].at)
				break
			}
		}
	}
}

// TestWhatIsNoTime: numbers and times that are not those of the reports are not taken, and the reason is said.
func TestWhatIsNoTime(t *testing.T) {
	for name, one := range map[string]struct {
		write func(i int, at time.Time, s string) string
		says  string
	}{
		"none": {func(_ int, _ time.Time, s string) string { return s }, ""},
		"day or month": {func(i int, at time.Time, s string) string {
			return time.Date(2026, 3, 4, 12, 0, 5*i, 0, time.UTC).Format("01/02/2006 15:04:05 ") + s
		}, "cannot be told apart"},
		"the future": {func(_ int, at time.Time, s string) string {
			return at.AddDate(3, 0, 0).Format("2006-01-02 15:04:05 ") + s
		}, "times that are none"},
		"to and fro": {func(i int, at time.Time, s string) string {
			return at.Add(-time.Duration(i*i*7919%997)*time.Hour).Format("2006-01-02 15:04:05 ") + s
		}, "to and fro"},
		"when the log was begun": {func(_ int, _ time.Time, s string) string { return begin.Format("[2006-01-02 15:04:05] ") + s }, "stands still"},
		"some lines": {func(i int, at time.Time, s string) string {
			if i%4 > 0 {
				return s
			}
			return at.Format("2006-01-02 15:04:05 ") + s
		}, "most lines have none"},
		"the numbers of ships": {func(i int, _ time.Time, s string) string { return fmt.Sprintf("%d,%d,%s", 636018333+i%3, 211378120, s) }, ""},
		"addresses":            {func(_ int, _ time.Time, s string) string { return "10.0.0.1:4001 00:11:22:33:44:55 v1.2.3 " + s }, ""},
	} {
		lines := traffic(t, 60, false)
		var log strings.Builder
		for i, l := range lines {
			log.WriteString(one.write(i, l.at, l.sentence) + "\n")
		}
		r := NewReader(strings.NewReader(log.String()), written)
		got := decoded(t, r)
		if r.Column() != "" || !strings.Contains(r.Doubt(), one.says) || len(got) != len(lines) || !got[59].IsZero() {
			t.Errorf("%s: column %q, doubt %q, %d reports, last at %v", name, r.Column(), r.Doubt(), len(got), got[len(got)-1])
		}
	}
}

// TestPartsAndManySentencesOnALine: each sentence has the time before it, and parts of a message stay together.
func TestPartsAndManySentencesOnALine(t *testing.T) {
	sentences, err := ais.NewEncoder("AIVDM").Sentences(nil, &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: 211378120}, Name: "ANNA"}, 'A')
	if err != nil {
		t.Fatal(err)
	}
	two := strings.Fields(string(sentences))
	lines := traffic(t, 20, false)
	objects, texts := "", ""
	for i := 0; i < len(lines); i += 2 {
		a, b := lines[i], lines[i+1]
		object := func(l line, all ...string) string {
			return fmt.Sprintf(`{"rxuxtime":%d,"nmea":["%s"]}`, unix(l.at), strings.Join(all, `","`))
		}
		objects += `{"msgs":[` + object(a, a.sentence) + "," + object(b, b.sentence) + "," + object(b, two...) + "]}\n"
		stamp := func(l line) string { return l.at.Format("2006-01-02 15:04:05 ") }
		texts += stamp(a) + a.sentence + " " + stamp(b) + b.sentence + "\n" + stamp(b) + two[0] + "\n" + stamp(b) + two[1] + "\n"
	}
	for name, text := range map[string]string{"JSON": objects, "text": texts} {
		got := decoded(t, NewReader(strings.NewReader(text), written))
		if len(got) != 30 {
			t.Errorf("%s: %d reports", name, len(got))
			continue
		}
		for i, at := range got {
			want := lines[i/3*2+min(1, i%3)].at
			if !at.Equal(want) {
				t.Errorf("%s: report %d at %v, want %v", name, i, at, want)
			}
		}
	}
}

// TestTimesThatAreWrittenInAnotherWayFromALineOn: the program that wrote the log was updated, or two logs were joined.
func TestTimesThatAreWrittenInAnotherWayFromALineOn(t *testing.T) {
	lines := traffic(t, 600, false)
	json := func(at time.Time, s string) string {
		return fmt.Sprintf(`{"toa":%q,"nmea":%q}`, at.Format(time.RFC3339), s)
	}
	ways := []func(time.Time, string) string{layout("2006-01-02 15:04:05 @"), layout("02.01.2006 15:04:05 ; @"), json, layout("@,2006-01-02T15:04:05Z")}
	for i, first := range ways {
		for j, then := range ways {
			got := decoded(t, NewReader(strings.NewReader(put(lines[:250], first)+put(lines[250:], then)), written))
			if len(got) != len(lines) {
				t.Errorf("%d, then %d: %d reports", i, j, len(got))
				continue
			}
			wrong := 0
			for n, l := range lines {
				if off := got[n].Sub(l.at).Abs(); off > time.Duration(5*mostMissed)*time.Second || n > 250+mostMissed && off != 0 {
					wrong++
				}
			}
			if wrong > 0 {
				t.Errorf("%d, then %d: %d reports are at a wrong time", i, j, wrong)
			}
		}
	}
}

// TestLogsThatPassAsTheyAre: what the decoder reads itself is not touched, byte by byte.
func TestLogsThatPassAsTheyAre(t *testing.T) {
	for _, text := range []string{
		"", "\n\n", "not a log", strings.Repeat("x", 3*sampleBytes),
		put(traffic(t, 60, true), func(_ time.Time, s string) string { return s }),
		put(traffic(t, 60, true), func(at time.Time, s string) string {
			return `\` + sealed(fmt.Sprintf("s:roof,c:%d", unix(at))) + `\` + s
		}),
	} {
		got, err := io.ReadAll(NewReader(strings.NewReader(text), written))
		if err != nil || string(got) != text {
			t.Errorf("%.40q: %v, %d bytes, want %d", text, err, len(got), len(text))
		}
	}
}

// TestLongLines: lines longer than all bounds cost only themselves.
func TestLongLines(t *testing.T) {
	lines := traffic(t, 60, false)
	write := layout("2006-01-02 15:04:05 @")
	text := put(lines[:30], write) + "2026-11-20 12:00:00 " + strings.Repeat("12:00:00 ", sampleBytes) + "\n" + put(lines[30:], write)
	r := NewReader(strings.NewReader(text), written)
	all, err := io.ReadAll(r)
	if got := strings.Count(string(all), `\!AIVDM`); err != nil || got != 60 {
		t.Errorf("%d sentences with a time, %v; column %q, doubt %q", got, err, r.Column(), r.Doubt())
	}
}

// FuzzReader: whatever a log holds, reading it ends, gives no more than a bounded multiple of it, and loses no sentence.
func FuzzReader(f *testing.F) {
	for _, one := range programs() {
		f.Add([]byte(put(traffic(f, 3, true), one.write)))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		r := NewReader(strings.NewReader(string(text)), written)
		out, err := io.ReadAll(r)
		if err != nil || len(out) > 100+40*len(text) {
			t.Fatalf("%d bytes become %d, %v", len(text), len(out), err)
		}
		_, _ = r.Column(), r.Doubt()
	})
}
