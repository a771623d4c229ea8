package acceptance

import (
	"bytes"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
)

// timedLog is a log whose true times are known.
type timedLog struct {
	lines []string
	truth map[ais.MMSI]map[ship.Fix][]int64 // of each place with its motion, at these Unix milliseconds
	fixes int
}

// told notes that a ship said this at that time.
func (l *timedLog) told(m ais.Message, at time.Time) {
	r := ais.Report{Message: m, Received: at}
	limits := ship.DefaultLimits()
	out := ship.Merge(&ship.State{}, ship.Gate{}, &r, &limits)
	if out.Change&ship.ChangedFix == 0 {
		return
	}
	head := m.Head()
	if l.truth == nil {
		l.truth = map[ais.MMSI]map[ship.Fix][]int64{}
	}
	if l.truth[head.MMSI] == nil {
		l.truth[head.MMSI] = map[ship.Fix][]int64{}
	}
	key := content(out.Fix)
	l.truth[head.MMSI][key] = append(l.truth[head.MMSI][key], at.UnixMilli())
	l.fixes++
}

// content is what a fix says, without when and how it came.
func content(f ship.Fix) ship.Fix {
	f.At, f.Mark, f.Feeds = 0, 0, 0
	return f
}

// message appends the sentences of a message that is sent at that time, each with what stands around it.
func (l *timedLog) message(t testing.TB, m ais.Message, at time.Time, around func(sentence string) string) {
	t.Helper()
	l.told(m, at)
	for line := range ais.SplitLines(sentences(t, m)) {
		l.lines = append(l.lines, around(string(line)))
	}
}

// off returns how far each stored time of a folder's store lies from the truth.
func (l *timedLog) off(t testing.TB, folder string) (off []time.Duration) {
	t.Helper()
	db, err := store.Open(store.Options{Dir: folder, FullRate: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for m, said := range l.truth {
		fixes, err := db.Track(t.Context(), m, time.UnixMilli(0), time.UnixMilli(store4000))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range fixes {
			times := said[content(f)]
			if len(times) == 0 {
				t.Fatalf("%d never said %+v", m, f)
			}
			nearest := slices.MinFunc(times, func(a, b int64) int { return int(max(a-f.At, f.At-a) - max(b-f.At, f.At-b)) })
			off = append(off, time.Duration(nearest-f.At).Abs()*time.Millisecond)
		}
	}
	return off
}

// store4000 is a time after all others, in Unix milliseconds.
const store4000 = 64060588800000

// hold wants that at least so many of a hundred fixes are there, that all but one in a thousand lie within 2 s of the truth, and that none is off
// by a minute.
func (l *timedLog) hold(t testing.TB, off []time.Duration, least int) {
	t.Helper()
	wide, worst := 0, time.Duration(0)
	for _, d := range off {
		if worst = max(worst, d); d > 2*time.Second {
			wide++
		}
	}
	t.Logf("%d of %d fixes stored, %d off by more than 2 s, one by %v", len(off), l.fixes, wide, worst)
	if len(off)*100 < l.fixes*least || wide*1000 > len(off) || worst >= time.Minute {
		t.Errorf("of %d fixes %d are stored, %d are off by more than 2 s, one by %v", l.fixes, len(off), wide, worst)
	}
}

const everyFix = "[store]\nsync_interval = \"200ms\"\nfull_rate = true\nretention = \"0s\"\n"

// byImport takes the log into a store and returns its folder.
func (l *timedLog) byImport(t *testing.T, flags ...string) string {
	t.Helper()
	path, folder := l.written(t), t.TempDir()
	args := append([]string{"import", "--config", configFile(t, everyFix), "--data-dir", folder}, flags...)
	if out, stderr, code := runCommand(t, "", append(args, path)...); code != 0 {
		t.Fatalf("import: exit %d\n%s%s", code, out, stderr)
	}
	return folder
}

func (l *timedLog) written(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "log.nmea")
	if err := os.WriteFile(path, []byte(strings.Join(l.lines, "\r\n")+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// byFeed serves a feed of the log until it is in, and returns the folder of the store.
func (l *timedLog) byFeed(t *testing.T) string {
	dir := t.TempDir()
	p := startServe(t, dir, feedText("file://"+l.written(t)+"?speed=0"))
	settle(p, len(l.lines))
	p.stop(patience)
	return filepath.Join(dir, "data")
}

func (l *timedLog) byReplay(t *testing.T) string {
	dir := t.TempDir()
	p := start(t, dir, "replay", "--config", configFile(t, everyFix), "--data-dir", filepath.Join(dir, "data"), "--speed", "0", l.written(t))
	settle(p, len(l.lines))
	p.stop(patience)
	return filepath.Join(dir, "data")
}

// byDatagrams sends the log to a feed that goes by its time.
func (l *timedLog) byDatagrams(t *testing.T) string {
	dir, port := t.TempDir(), freePort(t, "udp")
	p := startServe(t, dir, feedText(fmt.Sprintf("udp://127.0.0.1:%d", port)))
	conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sendPaced(p, l.lines, asStream(datagrams{conn}))
	p.stop(patience)
	return filepath.Join(dir, "data")
}

// datagrams sends each line as a datagram.
type datagrams struct{ conn net.Conn }

func (d datagrams) Write(text []byte) (int, error) {
	for line := range bytes.Lines(text) {
		if _, err := d.conn.Write(line); err != nil {
			return 0, err
		}
	}
	return len(text), nil
}

// simulatedLog returns hours of a simulated harbour as the binary writes it. A log of TAG blocks knows its truth.
func simulatedLog(t *testing.T, clock, duration string) *timedLog {
	t.Helper()
	path := filepath.Join(t.TempDir(), clock+".nmea")
	_, stderr, code := runCommand(t, "", "simulate", "--to", path, "--start", "2026-03-01T12:00:00Z", "--duration", duration, "--seed", "7",
		"--ships", "60", "--speed", "0", "--clock", clock)
	if code != 0 {
		t.Fatalf("simulate: exit %d\n%s", code, stderr)
	}
	l := &timedLog{}
	l.read(t, path)
	return l
}

// read takes the lines of a file, and the truth that its TAG blocks tell.
func (l *timedLog) read(t *testing.T, path string) {
	l.lines = readLines(t, path)
	decoder, batch := ais.NewDecoder(ais.DecoderConfig{Clock: ais.NoClock}), &ais.Batch{}
	for _, line := range l.lines {
		decoder.Line(batch, []byte(line), time.Time{})
		for i := range batch.Reports {
			if r := &batch.Reports[i]; !r.Sent.IsZero() {
				l.told(r.Message, r.Sent)
			}
		}
		batch.Reset()
	}
}

// TestStoredTimesOfLongLogs: of a log of 6 h that messages 4 alone time, or an RMC that dies, or that has wrong stamps, 99.9 % of the stored times
// lie within 2 s of the truth, and none is off by a minute.
func TestStoredTimesOfLongLogs(t *testing.T) {
	if testing.Short() {
		t.Skip("sails a harbour for 6 h and imports it five times")
	}
	told := simulatedLog(t, "tag", "6h")
	if told.fixes < 30000 {
		t.Fatalf("only %d fixes", told.fixes)
	}
	const suffix = ",d-106,S9999,r14xkaa1,1264100667"
	seldom := 0
	wrong := []time.Duration{-365 * 24 * time.Hour, 400 * 24 * time.Hour, -26 * time.Hour, time.Hour, 7 * time.Minute}
	for _, row := range []struct {
		name string
		from *timedLog
		line func(i int, line string) string
	}{
		{"messages 4 each 10 s", simulatedLog(t, "base", "6h"), func(_ int, line string) string { return line }},
		{"messages 4 each 20 s", told, func(_ int, line string) string {
			line = untagged(line)
			if !strings.HasPrefix(line, "!AIVDM,1,1,,") || line[14] != '4' {
				return line
			}
			if seldom++; seldom%2 == 0 {
				return ""
			}
			return line
		}},
		{"an RMC that dies after an hour", simulatedLog(t, "rmc", "6h"), func(_ int, line string) string {
			if strings.HasPrefix(line, "$GPRMC,") && line[7:13] > "130000" {
				return ""
			}
			return line
		}},
		{"one wrong stamp in 10,000", told, func(i int, line string) string {
			if i%10000 != 200 {
				return line
			}
			at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC).Add(wrong[i/10000%len(wrong)])
			return string(ais.AppendTag(nil, "", at.Unix())) + untagged(line)
		}},
		{"messages 4 and one wrong suffix in 10,000", told, func(i int, line string) string {
			if line = untagged(line); i%10000 == 200 {
				line += suffix
			}
			return line
		}},
	} {
		t.Run(row.name, func(t *testing.T) {
			l := &timedLog{truth: told.truth, fixes: told.fixes}
			for i, line := range row.from.lines {
				if line = row.line(i, line); line != "" {
					l.lines = append(l.lines, line)
				}
			}
			l.fixes -= seldom / 2
			seldom = 0
			l.hold(t, l.off(t, l.byImport(t)), 99)
		})
	}
}

// untagged is a line without its TAG block.
func untagged(line string) string {
	_, sentence, found := strings.Cut(strings.TrimPrefix(line, `\`), `\`)
	if !found {
		return line
	}
	return sentence
}

// TestStoredTimesOfAFeed: what comes now, by UDP without stamps, is stored with the time of now.
func TestStoredTimesOfAFeed(t *testing.T) {
	t.Parallel()
	dir, port := t.TempDir(), freePort(t, "udp")
	address := fmt.Sprintf("udp://127.0.0.1:%d", port)
	p := startServe(t, dir, fmt.Sprintf("[[feed]]\nname = \"roof\"\nurl = %q\n", address)+everyFix)
	begin := time.Now().UTC().Truncate(time.Second).Format(time.RFC3339)
	told := &timedLog{}
	for _, more := range [][]string{{"--clock", "base", "--to", address}, {"--speed", "0", "--to", filepath.Join(dir, "truth.nmea")}} {
		args := append([]string{"simulate", "--start", begin, "--duration", "30s", "--seed", "7", "--ships", "60"}, more...)
		if _, stderr, code := runCommand(t, "", args...); code != 0 {
			t.Fatalf("simulate: exit %d\n%s", code, stderr)
		}
	}
	told.read(t, filepath.Join(dir, "truth.nmea"))
	settle(p, len(told.lines))
	p.stop(patience)
	if told.fixes < 25 {
		t.Fatalf("only %d fixes", told.fixes)
	}
	told.hold(t, told.off(t, filepath.Join(dir, "data")), 25) // ships that were heard once or twice are not stored yet
}

// noTime is the name of a log that is taken by import alone, with --start.
const noTime = "no time"

// faultyLogs are small logs with the faults of recordings that spoiled their times or tracks.
func faultyLogs(t *testing.T) map[string]*timedLog {
	begin := time.Date(2011, 1, 21, 18, 0, 0, 0, time.UTC)
	place := func(second int) ais.Place { return ais.Place{Lon: 6_000_000 + 20*int32(second), Lat: 33_600_000} }
	rmc := func(at time.Time) string {
		return withSum("$GPRMC," + at.Format("150405") + ",A,5600.0,N,01000.0,E,5.0,90.0," + at.Format("020106") + ",,")
	}
	base := func(mmsi ais.MMSI, at time.Time) string {
		m := &ais.BaseStationReport{Header: ais.Header{Type: 4, MMSI: mmsi}, Year: at.Year(), Month: int(at.Month()), Day: at.Day(), Hour: at.Hour(),
			Minute: at.Minute(), Second: at.Second(), Place: place(0)}
		return strings.TrimSpace(string(sentences(t, m)))
	}
	tagged := func(at time.Time, line string) string { return string(ais.AppendTag(nil, "", at.Unix())) + line }
	logs := map[string]*timedLog{}
	log := func(name string, before func(second int, at time.Time) []string, around func(second int, at time.Time, sentence string) string) {
		l := &timedLog{}
		for second := range 1200 {
			at := begin.Add(time.Duration(second) * time.Second)
			l.lines = append(l.lines, before(second, at)...)
			r := aShip(ais.MMSI(219000111+second%3), 0)
			r.Place, r.Second, r.SOG, r.COG = place(second), ais.Second(second%60), ais.SOGTenths(70), ais.COGTenths(900)
			l.message(t, r, at, func(sentence string) string { return around(second, at, sentence) })
		}
		logs[name] = l
	}
	nothing := func(int, time.Time) []string { return nil }
	bare := func(_ int, _ time.Time, sentence string) string { return sentence }
	log(noTime, nothing, bare)
	log("a suffix of another year", func(_ int, at time.Time) []string { return []string{rmc(at)} }, func(second int, _ time.Time, sentence string) string {
		if second == 150 {
			return sentence + ",d-106,S9999,r14xkaa1,1264100667"
		}
		return sentence
	})
	log("RMC falls silent", func(second int, at time.Time) (lines []string) {
		if second < 300 {
			lines = append(lines, rmc(at))
		}
		if second%10 == 0 {
			lines = append(lines, base(2190001, at))
		}
		return lines
	}, bare)
	log("one of three base stations at 411 s", func(second int, at time.Time) []string {
		if second%5 != 0 {
			return nil
		}
		return []string{base(ais.MMSI(2190001+second/5%3), at.Add([]time.Duration{0, 0, 411 * time.Second}[second/5%3]))}
	}, bare)
	log("one base station each 20 s", func(second int, at time.Time) []string {
		if second%20 != 0 {
			return nil
		}
		return []string{base(2190001, at)}
	}, bare)
	log("ZDA with a year of two digits", func(_ int, at time.Time) []string {
		return []string{withSum("$GPZDA," + at.Format("150405") + ",21,01,11,-02,00")}
	}, bare)
	log("surplus fields", nothing, func(_ int, at time.Time, sentence string) string {
		body, _, _ := strings.Cut(sentence, "*")
		return tagged(at, withSum(body+",0"))
	})
	log("coarse places and addressed messages", func(second int, at time.Time) (lines []string) {
		if second%90 != 45 {
			return nil
		}
		for _, m := range []ais.Message{
			&ais.LongRangeReport{Header: ais.Header{Type: 27, MMSI: 219000111}, Place: ais.Place{Lon: 6_001_000, Lat: 33_601_000}, SOG: ais.SOGTenths(70)},
			&ais.SingleSlotBinary{Header: ais.Header{Type: 25, MMSI: 219000111}, Addressed: true, Structured: true, Destination: 2190001,
				Application: ais.Application{DAC: 1, FI: 16, Bits: 16, Data: []byte{0, 80}}},
		} {
			lines = append(lines, tagged(at, strings.TrimSpace(string(sentences(t, m)))))
		}
		return lines
	}, func(_ int, at time.Time, sentence string) string { return tagged(at, sentence) })
	return logs
}

// TestFaultyLogsByEveryWay: by import, replay, file and UDP a log with faults gives all its places at their times, and none besides.
func TestFaultyLogsByEveryWay(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seven logs in by four ways")
	}
	logs := faultyLogs(t)
	untold := logs[noTime]
	delete(logs, noTime)
	t.Run(noTime, func(t *testing.T) {
		if _, stderr, code := runCommand(t, "", "import", "--data-dir", t.TempDir(), untold.written(t)); code != 1 || !strings.Contains(stderr, "--start") {
			t.Errorf("exit %d, %s", code, stderr)
		}
		untold.hold(t, untold.off(t, untold.byImport(t, "--start", "2011-01-21T18:00:00Z")), 99)
	})
	for name, l := range logs {
		ways := map[string]func(*testing.T) string{
			"import": func(t *testing.T) string { return l.byImport(t) }, "file": l.byFeed, "replay": l.byReplay, "udp": l.byDatagrams,
		}
		for way, take := range ways {
			t.Run(name+" by "+way, func(t *testing.T) { l.hold(t, l.off(t, take(t)), 99) })
		}
	}
}
