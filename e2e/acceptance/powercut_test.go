package acceptance

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/store/records"
)

// The tests of this file write down what the real binary writes to its two files, and make of it what a power cut would have left.

// diskStep is a write, a new length or a sync of one of the files, as strace saw it. start and end count the lines of the trace.
type diskStep struct {
	file       string
	sync       bool
	at         int64
	data       []byte
	length     int64 // the new length, else -1
	start, end int
	durable    int // the line of the trace from which on it outlives a power cut
}

// never is the line of a trace that does not come.
const never = math.MaxInt

// powerCut is a recorded life of a service.
type powerCut struct {
	t       *testing.T
	base    map[string][]byte // the files before
	steps   []diskStep        // in the order of start
	stamps  []time.Time       // of each line of the trace: when its call began, or when it ended if another line had come between
	changes []madeAndGone
	synced  []syncedUntil
	fixes   map[ais.MMSI]ship.Track // of the whole life
}

// madeAndGone says when a list was acknowledged, and when the call that removed it began and was acknowledged; zero when it was not removed.
type madeAndGone struct {
	name              string
	made, going, gone time.Time
}

// syncedUntil says that at a time everything that was heard before another time, by the clock of the log, had been synced.
type syncedUntil struct {
	time  time.Time
	heard time.Time
}

// TestPowerCut makes images of a power cut at random moments: what was synced is there, of the rest any part, in any order, torn within
// sectors. Each image is whole for quaywatch check, starts without damage, and has all that was acknowledged. make faults makes 2,000 images.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("strace"); err != nil {
		t.Skip("strace is not installed; make test installs it")
	}
	images, changes := 60, 40
	if os.Getenv("QUAYWATCH_FAULTS") == "all" {
		images, changes = 2000, 300
	}
	c := recordLife(t, changes)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d; %d steps on the disk, %d changes, %d ships", seed, len(c.steps), len(c.changes), len(c.fixes))
	random := rand.New(rand.NewPCG(seed, 4))
	last := 0
	for _, s := range c.steps {
		last = max(last, s.start)
	}
	var cuts []int
	for range images {
		cuts = append(cuts, c.steps[random.IntN(len(c.steps))].start+random.IntN(2))
	}
	slices.Sort(cuts)
	disk := newPlatter(c)
	loose, lists, fixes := 0, 0, 0
	for _, cut := range cuts {
		files, n := disk.image(cut, random)
		judged := c.judge(cut, files)
		loose, lists, fixes = loose+n, lists+judged[0], fixes+judged[1]
		if t.Failed() {
			t.Fatalf("after the image of line %d of %d", cut, last)
		}
	}
	t.Logf("%d images, with %d unsynced steps, %d lists and %d fixes that had to be there", images, loose, lists, fixes)
	if loose < images/4 || lists == 0 || fixes == 0 {
		t.Error("the images prove nothing")
	}
}

// recordLife runs a service under strace, with sentences and changes of the configuration, and kills it.
func recordLife(t *testing.T, changes int) *powerCut {
	c := &powerCut{t: t, base: map[string][]byte{}}
	dir := t.TempDir()
	path := filepath.Join(t.TempDir(), "hour.nmea") // it goes over a full hour, so that blocks are written
	if _, stderr, code := runCommand(t, "", "simulate", "--to", path, "--start", "2026-03-01T11:52:00Z", "--duration", "15m", "--seed", "7",
		"--speed", "0"); code != 0 {
		t.Fatalf("simulate: exit %d\n%s", code, stderr)
	}
	r := recording{lines: readLines(t, path)}
	port := freePort(t, "udp")
	config := feedText(fmt.Sprintf("udp://127.0.0.1:%d", port))
	startServe(t, dir, config).stop(patience)
	for _, name := range []string{"quaywatch.db", "quaywatch.wal"} {
		text, err := os.ReadFile(filepath.Join(dir, "data", name))
		if err != nil {
			t.Fatal(err)
		}
		c.base[name] = text
	}
	trace := filepath.Join(dir, "trace")
	p := launchPrefixed(t, dir, []string{"strace", "-D", "-f", "--seccomp-bpf", "-qq", "-e", "signal=none", "-ttt", "-y", "-xx",
		"-s", strconv.Itoa(64 << 20), "-o", trace, "-e", "trace=pwrite64,write,ftruncate,fallocate,fsync,fdatasync", "-P", filepath.Join(dir, "data", "quaywatch.db"),
		"-P", filepath.Join(dir, "data", "quaywatch.wal")}, "serve", "--config", filepath.Join(dir, "quaywatch.toml"))
	p.waitReady(patience)
	p.awaitFeeds("udp://")
	conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	puller := &plugPuller{t: t, r: r, dir: dir, life: p, conn: conn, index: indexLog(r)}
	for n := range changes {
		puller.send(len(r.lines)*(n+1)/changes, 0)
		c.change(p, n)
		if n%10 == 9 {
			puller.stored()
			c.synced = append(c.synced, syncedUntil{time.Now(), puller.index.clock[puller.next-1].Add(-time.Minute)})
		}
	}
	p.kill()
	c.read(trace)
	c.fixes = fixesOf(t, filepath.Join(dir, "data"))
	return c
}

// change makes a list, and removes each third one.
func (c *powerCut) change(p *process, n int) {
	c.t.Helper()
	list := madeAndGone{name: fmt.Sprint("list ", n)}
	if response, text := p.do("POST", "/api/config/shiplist", fmt.Sprintf(`{"name":%q,"ships":[{"mmsi":%d}]}`, list.name, n+1)); response.StatusCode >= 300 {
		c.t.Fatalf("%s %s", response.Status, text)
	}
	list.made = time.Now()
	if n%3 == 0 {
		list.going = time.Now()
		if response, text := p.do("DELETE", fmt.Sprintf("/api/config/shiplist/list%%20%d", n), ""); response.StatusCode >= 300 {
			c.t.Fatalf("%s %s", response.Status, text)
		}
		list.gone = time.Now()
	}
	c.changes = append(c.changes, list)
}

// read takes the steps from a trace. A call that another one interrupts stands on two lines.
func (c *powerCut) read(path string) {
	c.t.Helper()
	f, err := os.Open(path)
	if err != nil {
		c.t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 1<<20)
	under := map[string]int{} // thread -> its step
	for line := 0; ; line++ {
		text, err := lines.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			c.t.Fatal(err)
		}
		thread, text, _ := strings.Cut(strings.TrimSpace(text), " ")
		stamp, text, _ := strings.Cut(strings.TrimSpace(text), " ")
		seconds, micros, _ := strings.Cut(stamp, ".")
		s, err1 := strconv.ParseInt(seconds, 10, 64)
		us, err2 := strconv.ParseInt(micros, 10, 64)
		if err := errors.Join(err1, err2); err != nil {
			c.t.Fatalf("the time of %.80s: %v", text, err)
		}
		c.stamps = append(c.stamps, time.UnixMicro(s*1e6+us))
		if strings.HasPrefix(text, "<...") {
			c.steps[under[thread]].end = line
			continue
		}
		step, ok := c.step(text)
		if !ok {
			continue
		}
		step.start, step.end = line, line
		if strings.HasSuffix(text, "<unfinished ...>") {
			step.end = never
			under[thread] = len(c.steps)
		}
		c.steps = append(c.steps, step)
	}
	c.findDurable()
}

// step reads one call of a trace. ok is false for one that changes no file of the store.
func (c *powerCut) step(text string) (s diskStep, ok bool) {
	c.t.Helper()
	call, rest, _ := strings.Cut(text, "(")
	_, rest, known := strings.Cut(rest, "<")
	path, rest, closed := strings.Cut(rest, ">")
	if !known || !closed || strings.Contains(text, ") = -1 ") {
		return s, false
	}
	s.file, s.length = filepath.Base(string(unhex(c.t, path))), -1
	rest = strings.TrimPrefix(rest, ", ")
	number := func(text string) int64 {
		n, err := strconv.ParseInt(strings.TrimSpace(text[:strings.IndexAny(text+")", ") <")]), 10, 64)
		if err != nil {
			c.t.Fatalf("trace: %.200s: %v", text, err)
		}
		return n
	}
	switch call {
	case "pwrite64":
		data, rest, _ := strings.Cut(strings.TrimPrefix(rest, `"`), `"`)
		_, at, _ := strings.Cut(strings.TrimPrefix(rest, ", "), ", ")
		s.data, s.at = unhex(c.t, data), number(at)
	case "ftruncate":
		s.length = number(rest)
	case "fsync", "fdatasync":
		s.sync = true
	default:
		c.t.Fatalf("the store wrote by a call that this test does not know: %.200s", text)
	}
	if _, ours := c.base[s.file]; !ours {
		c.t.Fatalf("a step on another file: %.200s", text)
	}
	return s, true
}

// unhex reads a string of \x00 as strace -xx prints it.
func unhex(t *testing.T, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, `\x`, ""))
	if err != nil {
		t.Fatalf("trace: %.80q: %v", text, err)
	}
	return b
}

// findDurable finds for each step the end of the first sync of its file that began when the step was done.
func (c *powerCut) findDurable() {
	next := map[string][]int{} // syncs of a file that begin later, the next one last
	for i := len(c.steps) - 1; i >= 0; i-- {
		s := &c.steps[i]
		s.durable = never
		for _, at := range slices.Backward(next[s.file]) {
			if sync := &c.steps[at]; sync.start > s.end {
				s.durable = min(s.durable, sync.end)
				if sync.end < never {
					break
				}
			}
		}
		if s.sync {
			next[s.file] = append(next[s.file], i)
		}
	}
}

// platter is what lies safely on the disk at one line of the trace after the other.
type platter struct {
	steps []diskStep // by the line from which on they are durable
	files map[string][]byte
	all   []diskStep // in the order of start
}

func newPlatter(c *powerCut) *platter {
	p := &platter{all: slices.DeleteFunc(slices.Clone(c.steps), func(s diskStep) bool { return s.sync }), files: map[string][]byte{}}
	for name, b := range c.base {
		p.files[name] = bytes.Clone(b)
	}
	p.steps = slices.Clone(p.all)
	slices.SortStableFunc(p.steps, func(a, b diskStep) int { return a.durable - b.durable })
	return p
}

// image returns the files after a cut right before a line of the trace, and how many steps were not synced. Lines may only grow.
func (p *platter) image(cut int, random *rand.Rand) (files map[string][]byte, loose int) {
	for len(p.steps) > 0 && p.steps[0].durable < cut {
		p.steps[0].apply(p.files, nil)
		p.steps = p.steps[1:]
	}
	files = map[string][]byte{}
	for name, b := range p.files {
		files[name] = bytes.Clone(b)
	}
	var rest []*diskStep
	for i := range p.all {
		if s := &p.all[i]; s.start < cut && s.durable >= cut {
			rest = append(rest, s)
		}
	}
	random.Shuffle(len(rest), func(i, j int) { rest[i], rest[j] = rest[j], rest[i] })
	for _, s := range rest {
		switch random.IntN(3) {
		case 0:
			s.apply(files, nil)
		case 1:
			s.apply(files, random)
		}
	}
	return files, len(rest)
}

// apply does a step to the files; torn does it with half of its sectors.
func (s *diskStep) apply(files map[string][]byte, torn *rand.Rand) {
	const sector = 512
	file := files[s.file]
	if s.length >= 0 {
		files[s.file] = append(file, make([]byte, max(0, int(s.length)-len(file)))...)[:s.length]
		return
	}
	for from := 0; from < len(s.data); {
		at := int(s.at) + from
		to := min(len(s.data), from+sector-at%sector)
		if torn == nil {
			to = len(s.data)
		}
		if torn == nil || torn.IntN(2) == 0 {
			file = append(file, make([]byte, max(0, at+to-from-len(file)))...)
			copy(file[at:], s.data[from:to])
		}
		from = to
	}
	files[s.file] = file
}

// judge checks and starts an image. It returns how many lists and fixes had to be there.
func (c *powerCut) judge(cut int, files map[string][]byte) (had [2]int) {
	c.t.Helper()
	dir := c.t.TempDir()
	defer os.RemoveAll(dir)
	for name, b := range files {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, bytes.TrimRight(b, "\x00"), 0o600), os.Truncate(path, int64(len(b)))); err != nil {
			c.t.Fatal(err)
		}
	}
	if report, err := store.Check(dir); err != nil || len(report.Problems) > 0 {
		c.t.Errorf("check: %v %q", err, report.Problems)
	}
	at := c.timeOf(cut)
	db, err := store.Open(store.Options{Dir: dir, FullRate: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		c.t.Fatalf("the start: %v", err)
	}
	defer db.Close()
	if list := db.Damages(); len(list) > 0 {
		c.t.Errorf("the start tells of damage: %+v", list)
	}
	had[0] = c.judgeLists(db, at)
	until := time.Time{}
	for _, s := range c.synced {
		if s.time.Before(at) {
			until = s.heard
		}
	}
	for m, want := range c.fixes {
		early := slices.DeleteFunc(slices.Clone(want), func(f ship.Fix) bool { return !f.Time().Before(until) })
		if len(early) < 3 {
			continue // it is stored from its third report on
		}
		have := map[string]bool{}
		for _, f := range fixesOfShip(c.t, db, m) {
			have[fixText(f)] = true
		}
		for _, f := range early {
			if had[1]++; !have[fixText(f)] {
				c.t.Fatalf("ship %d lost %s, which was synced before %v", m, fixText(f), at)
			}
		}
	}
	return had
}

func fixText(f ship.Fix) string { return fmt.Sprint(f.At, " ", f.Lon, " ", f.Lat) }

// timeOf returns the time of the first line that a cut leaves out. That line may be the end of a sync, which nobody was told of before it.
func (c *powerCut) timeOf(cut int) time.Time { return c.stamps[min(cut, len(c.stamps)-1)] }

// judgeLists: a list that was acknowledged is there until the call that removes it begins, and is gone when that was acknowledged.
func (c *powerCut) judgeLists(db *store.DB, at time.Time) (had int) {
	c.t.Helper()
	table, err := records.OpenTable[json.RawMessage](db.Database, "lists")
	if err != nil {
		c.t.Fatal(err)
	}
	records, err := table.All()
	if err != nil {
		c.t.Fatal(err)
	}
	there := map[string]bool{}
	for _, r := range records {
		there[r.Name] = true
	}
	for _, list := range c.changes {
		if list.made.Before(at) && (list.going.IsZero() || at.Before(list.going)) {
			if had++; !there[list.name] {
				c.t.Errorf("%s was acknowledged at %v, and is not there after a cut at %v", list.name, list.made, at)
			}
		}
		if !list.gone.IsZero() && list.gone.Before(at) && there[list.name] {
			c.t.Errorf("%s was removed at %v, and is there after a cut at %v", list.name, list.gone, at)
		}
	}
	return had
}

// fixesOf reads the tracks of all ships of a store that a kill left. It works on a copy of the files.
func fixesOf(t *testing.T, from string) map[ais.MMSI]ship.Track {
	t.Helper()
	dir := t.TempDir()
	for name, text := range filesOf(t, from) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	db, err := store.Open(store.Options{Dir: dir, FullRate: true, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	all := map[ais.MMSI]ship.Track{}
	for _, s := range db.States() {
		all[s.MMSI] = fixesOfShip(t, db, s.MMSI)
	}
	return all
}

func fixesOfShip(t *testing.T, db *store.DB, m ais.MMSI) ship.Track {
	t.Helper()
	fixes, err := db.Track(t.Context(), m, time.UnixMilli(0), time.Now().AddDate(10, 0, 0))
	if err != nil {
		t.Fatal(err)
	}
	return fixes
}
