package acceptance

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

// killSync is the sync interval of the killed store: soon after it what was sent is stored, and is there after any kill.
const (
	killSync   = 200 * time.Millisecond
	killCycles = 50
)

// plugPuller sends a log by UDP to a service that it kills and starts again, and keeps what was surely stored.
type plugPuller struct {
	t      *testing.T
	r      recording
	dir    string
	config string
	conn   net.Conn
	life   *process // the service that runs
	spoken int      // lines of the recording that it was sent
	marks  int      // places of the marker so far
	next   int      // line to send next
	lost   [][2]int // lines sent within the last interval before a kill: they may be missing
	index  logIndex
	// confirmed gives the line at which the life began in which a ship was heard three times before the last interval.
	confirmed map[string]int
	// settled is the line before which all was sent an interval before the last kill.
	settled int
}

// TestKillAtAnyMoment pulls the plug at random moments of a replay: each restart is quick, every ship is back, nothing older than
// one sync interval is lost, and the store is clean.
func TestKillAtAnyMoment(t *testing.T) {
	if _, err := os.Stat("../../../shared/data"); err != nil && os.Getenv("QUAYWATCH_TESTDATA") == "" {
		pullPlugs(t, ownRecording(t))
		return
	}
	pullPlugs(t, recordedKadetrenden(t))
}

func pullPlugs(t *testing.T, r recording) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	port := freePort(t, "udp")
	p := &plugPuller{t: t, r: r, dir: t.TempDir(), config: feedText(fmt.Sprintf("udp://127.0.0.1:%d", port)), index: indexLog(r), confirmed: map[string]int{}}
	conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	p.conn = conn
	perCycle := len(r.lines) / (killCycles + 1) // the last life is not cut short
	ships := map[string]bool{}
	var took []time.Duration
	for cycle := range killCycles {
		q := startServe(t, p.dir, p.config)
		p.life, p.spoken = q, 0
		p.shipsAreBack(q, ships)
		began := p.next
		p.send(perCycle*(cycle+1), time.Duration(100+random.IntN(400))*time.Millisecond)
		p.settled = p.next
		took = append(took, p.stored())
		for _, record := range livePicture(q) {
			ships[fmt.Sprint(record["mmsi"])] = true
		}
		p.send(min(p.next+perCycle/4, len(r.lines)), time.Duration(random.IntN(300))*time.Millisecond)
		q.kill()
		p.confirm(began)
		p.lost = append(p.lost, [2]int{p.settled, p.next})
		p.checkClean()
	}
	if median(took) > busySecond {
		t.Errorf("what was sent was stored after %v, want %v", took, busySecond)
	}
	q := startServe(t, p.dir, p.config)
	p.life, p.spoken = q, 0
	p.send(len(r.lines), time.Second)
	p.stored()
	p.compare(q)
}

// stored waits until all that was sent is stored, and returns how long that took. It sends a ship of its own last. When that ship
// is seen, the store has got everything before it. Then nothing may wait for a sync.
func (p *plugPuller) stored() time.Duration {
	p.t.Helper()
	start := time.Now()
	p.marks++
	canary(p.t, p.life, p.conn, 200000001, p.marks, patience)
	eventually(p.t, patience, "all is synced", func() bool { return storeCount(p.life, "pending") == 0 })
	return time.Since(start)
}

// send sends lines up to line end within the time, in bursts as a receiver does.
func (p *plugPuller) send(end int, within time.Duration) {
	p.t.Helper()
	start, from := time.Now(), p.next
	for p.next < end {
		if _, err := fmt.Fprint(p.conn, p.r.lines[p.next], "\r\n"); err != nil {
			p.t.Fatal(err)
		}
		p.next++
		if p.spoken++; p.spoken%paceLines == 0 {
			settle(p.life, p.spoken)
		}
		due := start.Add(within * time.Duration(p.next-from) / time.Duration(max(1, end-from)))
		keepPace(due)
	}
}

// shipsAreBack: every ship that was in the picture an interval before the kill is known again. A ship counts from its third report
// in one life of the service on: one or two may be noise or an invention, and are not kept over a restart (docs/format.md).
func (p *plugPuller) shipsAreBack(q *process, ships map[string]bool) {
	p.t.Helper()
	back := map[string]bool{}
	for _, record := range livePicture(q) {
		back[fmt.Sprint(record["mmsi"])] = true
	}
	missing := 0
	for mmsi := range ships {
		if _, confirmed := p.confirmed[mmsi]; back[mmsi] || !confirmed {
			continue
		}
		if response, _ := q.do("GET", "/api/portserver/ship/info/"+mmsi, ""); response.StatusCode != 200 {
			missing++
		}
	}
	if missing > 0 {
		p.t.Errorf("after line %d: %d of %d ships are not back", p.next, missing, len(ships))
	}
}

func (p *plugPuller) checkClean() {
	p.t.Helper()
	out, stderr, code := runCommand(p.t, "", "check", "--data-dir", filepath.Join(p.dir, "data"))
	if code != 0 {
		p.t.Fatalf("check after a kill: exit %d\n%s%s", code, out, stderr)
	}
}

// compare holds every track against that of a run that was not killed.
func (p *plugPuller) compare(q *process) {
	p.t.Helper()
	want := byFile(p.t, p.r)
	spared := p.sparedFixes()
	fixes, missing := 0, 0
	for name, whole := range want.Tracks {
		var id int64
		fmt.Sscan(name, &id)
		mmsi := fmt.Sprint(float64(id))
		if _, confirmed := p.confirmed[mmsi]; !confirmed {
			continue
		}
		have := map[string]bool{}
		for _, fix := range track(q, id, p.r.begin, p.r.end) {
			have[fixKey(fix)] = true
		}
		for _, fix := range whole.([]any) {
			fixes++
			if key := fixKey(fix); !have[key] && !spared[mmsi+" "+fixPlace(fix)] && p.keeps(mmsi, fix) {
				missing++
				if missing <= 5 {
					p.t.Errorf("ship %s lost %s", mmsi, key)
				}
			}
		}
	}
	p.t.Logf("%d fixes, %d missing outside the last interval before a kill", fixes, missing)
	if fixes < 1000 || missing > 0 {
		p.t.Errorf("%d of %d fixes are missing", missing, fixes)
	}
}

func fixKey(fix any) string {
	c := fix.([]any)
	return fmt.Sprint(c[0], " ", c[1], " ", c[2])
}

// sparedFixes are the ships and places that were said within the last interval before a kill, or after it while the service was
// away: these may be missing.
func (p *plugPuller) sparedFixes() map[string]bool {
	spared := map[string]bool{}
	for _, lines := range p.lost {
		for _, reports := range p.index.heard[lines[0]:lines[1]] {
			for _, report := range reports {
				spared[report.mmsi+" "+report.place] = true
			}
		}
	}
	return spared
}

// placeKey is a place as precise as the API says it.
func placeKey(lon, lat float64) string { return fmt.Sprintf("%.6f %.6f", lon, lat) }

func fixPlace(fix any) string {
	c := fix.([]any)
	return placeKey(c[0].(float64), c[1].(float64))
}

// confirm notes the ships that were heard three times between line began and the last interval before the kill.
func (p *plugPuller) confirm(began int) {
	heard := map[string]map[uint64]bool{}
	for _, h := range p.index.heard[began:p.settled] {
		for _, report := range h {
			if heard[report.mmsi] == nil {
				heard[report.mmsi] = map[uint64]bool{}
			}
			heard[report.mmsi][report.hash] = true // a message said twice counts once
		}
	}
	for mmsi, hashes := range heard {
		if _, known := p.confirmed[mmsi]; !known && len(hashes) >= 3 {
			p.confirmed[mmsi] = began
		}
	}
}

// keeps reports whether the fix is of a ship that was confirmed at the time of the fix. line is the line that confirmed it.
func (p *plugPuller) keeps(mmsi string, fix any) bool {
	line, confirmed := p.confirmed[mmsi]
	at, err := time.Parse(time.RFC3339, fix.([]any)[2].(string))
	return confirmed && err == nil && !at.Before(p.index.clock[line])
}

// logIndex holds, for each line of a log, the time of the last report so far, and the reports that the line completes.
type logIndex struct {
	clock []time.Time
	heard [][]heardReport
}

type heardReport struct {
	mmsi  string
	hash  uint64
	place string // "" when the report has none
}

func indexLog(r recording) logIndex {
	index := logIndex{clock: make([]time.Time, len(r.lines)), heard: make([][]heardReport, len(r.lines))}
	decoder := ais.NewDecoder(ais.DecoderConfig{Feed: "log", Clock: ais.LogClock})
	batch := ais.NewPool(1).Get()
	var now time.Time
	for i, line := range r.lines {
		decoder.Line(batch, []byte(line), time.Time{})
		for _, report := range batch.Reports {
			now = report.Received
			heard := heardReport{mmsi: fmt.Sprint(float64(report.Message.Head().MMSI)), hash: report.Hash}
			switch m := report.Message.(type) {
			case *ais.PositionReport:
				heard.place = placeKey(m.Place.Degrees())
			case *ais.ClassBReport:
				heard.place = placeKey(m.Place.Degrees())
			case *ais.BaseStationReport:
				heard.place = placeKey(m.Place.Degrees())
			case *ais.AidToNavigation:
				heard.place = placeKey(m.Place.Degrees())
			case *ais.SARAircraftReport:
				heard.place = placeKey(m.Place.Degrees())
			case *ais.LongRangeReport:
				heard.place = placeKey(m.Place.Degrees())
			}
			index.heard[i] = append(index.heard[i], heard)
		}
		batch.Reset()
		index.clock[i] = now
	}
	return index
}

// TestBackupUnderLoad: a backup is taken while sentences come in. The restored store gives the same answers as the first store gave
// at that moment.
func TestBackupUnderLoad(t *testing.T) {
	r := ownRecording(t)
	port := freePort(t, "udp")
	dir := t.TempDir()
	config := feedText(fmt.Sprintf("udp://127.0.0.1:%d", port))
	p := startServe(t, dir, config)
	conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sender := &plugPuller{t: t, r: r, conn: conn, life: p}
	sender.send(len(r.lines)/2, time.Second)
	half := readOutcome(p, r, len(r.lines)/2)
	copies := make(chan string, 1)
	go func() {
		file := filepath.Join(dir, "backup")
		if _, stderr, code := runCommand(t, "", "backup", "--data-dir", filepath.Join(dir, "data"), file); code != 0 {
			t.Errorf("backup: exit %d\n%s", code, stderr)
		}
		copies <- file
	}()
	sender.send(len(r.lines), 2*time.Second)
	file := <-copies
	restored := t.TempDir()
	if _, stderr, code := runCommand(t, "", "restore", "--data-dir", filepath.Join(restored, "data"), file); code != 0 {
		t.Fatalf("restore: exit %d\n%s", code, stderr)
	}
	whole := readOutcome(p, r, len(r.lines))
	q := startServe(t, restored, feedText(fmt.Sprintf("udp://127.0.0.1:%d", freePort(t, "udp"))))
	// The backup is a moment between half and whole: all of the first half, and nothing that the whole has not.
	for mmsi, want := range half.Tracks {
		var id int64
		fmt.Sscan(mmsi, &id)
		got, all := map[string]bool{}, map[string]bool{}
		for _, fix := range track(q, id, r.begin, r.end) {
			got[fixKey(fix)] = true
		}
		for _, fix := range whole.Tracks[mmsi].([]any) {
			all[fixKey(fix)] = true
		}
		for _, fix := range want.([]any) {
			if !got[fixKey(fix)] {
				t.Fatalf("ship %s: the backup lacks %s", mmsi, fixKey(fix))
			}
		}
		for key := range got {
			if !all[key] {
				t.Fatalf("ship %s: the backup invented %s", mmsi, key)
			}
		}
	}
	stdout, stderr, code := runCommand(t, "", "check", "--data-dir", filepath.Join(dir, "data"))
	if code != 0 || !strings.Contains(stdout, " ships, ") || strings.Contains(stdout, " 0 ships, ") {
		t.Errorf("check of a live store: exit %d, %s%s", code, stdout, stderr)
	}
}
