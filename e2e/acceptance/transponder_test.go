//go:build linux

package acceptance

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"quaywatch/ais"
)

// transponder takes sentences as a real one does: it puts the parts of a message together, and answers each with ABK.
type transponder struct {
	t testing.TB

	mu     sync.Mutex
	parts  map[string]string // of messages that are not whole, by type and sequence
	took   []string          // messages, as their addressee and the payload
	result map[string]int    // of ABK by addressee, "" for all; 9 is silence
}

// heard counts the messages that were given to it.
func (d *transponder) heard() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.took)
}

// serve reads what the box writes until that ends.
func (d *transponder) serve(port io.ReadWriter) {
	d.mu.Lock()
	d.parts = map[string]string{}
	d.mu.Unlock()
	lines := bufio.NewScanner(port)
	for lines.Scan() {
		d.line(lines.Text(), port)
	}
}

func (d *transponder) line(line string, port io.Writer) {
	body, _, ok := strings.Cut(strings.TrimSpace(line), "*")
	f := strings.Split(body, ",")
	if !ok || withSum(body) != strings.TrimSpace(line) || len(f) < 7 {
		d.t.Errorf("the transponder was given %q", line)
		return
	}
	to, kind, at := "", "14", 6
	if f[0] == "!AIABM" {
		to, kind, at = f[4], "12", 7
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	key := kind + " " + f[3]
	if f[2] == "1" {
		d.parts[key] = ""
	}
	d.parts[key] += f[at]
	if f[2] != f[1] {
		return
	}
	d.took = append(d.took, to+" "+d.parts[key])
	result, known := d.result[to]
	if !known {
		result = 0
		if to == "" {
			result = 3
		}
	}
	if result < 9 {
		_, _ = io.WriteString(port, withSum(fmt.Sprintf("$AIABK,%s,A,%s,%s,%d", to, kind, f[3], result))+"\r\n") // it may be unplugged by now
	}
}

// once holds that a text goes on air one time. The box writes it before the transponder has read it, so it is waited for.
func (d *transponder) once(to, text string) {
	d.t.Helper()
	eventually(d.t, patience, fmt.Sprintf("%.10s is on air", text), func() bool { return d.times(to, text) > 0 })
	if n := d.times(to, text); n != 1 {
		d.t.Errorf("to %q the text %.10s went on air %d times", to, text, n)
	}
}

// times returns how often a text went on air to an addressee.
func (d *transponder) times(to, text string) (n int) {
	var m ais.Message = &ais.BroadcastSafety{Header: ais.Header{Type: 14}, Text: text}
	var out []byte
	var err error
	if to == "" {
		out, err = ais.AppendBBM(nil, m, 0, 0)
	} else {
		var mmsi ais.MMSI
		fmt.Sscan(to, &mmsi)
		out, err = ais.AppendABM(nil, &ais.AddressedSafety{Header: ais.Header{Type: 12}, Destination: mmsi, Text: text}, 0)
	}
	if err != nil {
		d.t.Fatal(err)
	}
	payload := ""
	for line := range strings.Lines(string(out)) {
		f := strings.Split(line, ",")
		payload += f[len(f)-2]
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, one := range d.took {
		if one == to+" "+payload {
			n++
		}
	}
	return n
}

// withSum ends a sentence with its checksum. It shares no code with the program.
func withSum(body string) string {
	sum := byte(0)
	for _, c := range []byte(body[1:]) {
		sum ^= c
	}
	return fmt.Sprintf("%s*%02X", body, sum)
}

// plugIn makes a pseudo-terminal and puts its far end at path.
func plugIn(t testing.TB, path string) *os.File {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		t.Skipf("needs pseudo-terminals: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	device := os.NewFile(uintptr(fd), "/dev/ptmx") // not blocking, so that Close ends a read
	t.Cleanup(func() { device.Close() })
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	_ = os.Remove(path)
	if err := os.Symlink(fmt.Sprintf("/dev/pts/%d", number), path); err != nil {
		t.Fatal(err)
	}
	return device
}

// post sends a text, and returns its number; 0 where the box did not take it.
func (p *process) post(body string) uint64 {
	response, answer, err := p.try("POST", "/api/messages", body)
	var taken struct{ ID uint64 }
	if err != nil || response.StatusCode != 200 || json.Unmarshal(answer, &taken) != nil {
		return 0
	}
	return taken.ID
}

// stateOf returns what became of a text.
func (p *process) stateOf(id uint64) string {
	var list struct {
		Records []struct {
			ID            uint64
			State, Reason string
		}
	}
	p.get("/api/messages?direction=sent&from=2020-01-01", &list)
	for _, r := range list.Records {
		if r.ID == id {
			return strings.TrimSuffix(r.State+": "+r.Reason, ": ")
		}
	}
	return "unknown"
}

func (p *process) becomes(id uint64, want string) {
	p.t.Helper()
	eventually(p.t, patience, fmt.Sprintf("text %d is %q", id, want), func() bool { return p.stateOf(id) == want })
}

const transmitConfig = "[[feed]]\nname = \"vhf\"\nurl = %q\ntransmit = true\n[safety]\nship_per_hour = 1000\nbroadcast_per_hour = 1000\nper_minute = 1000\n"

// TestATransponderOnACable: a box hears ships by the transponder that it sends by. Its answers give the texts their states, and what was sent while it was
// unplugged goes on air when it is back, once.
func TestATransponderOnACable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "transponder")
	device := plugIn(t, path)
	d := &transponder{t: t, result: map[string]int{"211000002": 2, "211000003": 1, "211000004": 9}}
	go d.serve(device)
	p := startServe(t, dir, fmt.Sprintf(transmitConfig, "serial://"+path))
	p.awaitFeeds("serial://")
	for m := range ais.MMSI(4) {
		if _, err := device.Write(sentences(t, aShip(211000001+m, 1))); err != nil {
			t.Fatal(err)
		}
	}
	eventually(t, patience, "the ships are heard", func() bool { return p.post(`{"mmsi":211000004,"text":"SILENCE"}`) != 0 })
	long := strings.Repeat("0123456789", 15) + "ABCDEF"
	for mmsi, want := range map[string]string{"211000001": "acknowledged", "211000002": "refused: by the transponder", "211000003": "unanswered: the ship did not answer",
		"211000004": "transmitted"} {
		p.becomes(p.post(`{"mmsi":`+mmsi+`,"text":"`+long+`"}`), want)
		d.once(mmsi, long)
	}
	p.becomes(p.post(`{"broadcast":true,"text":"fog"}`), "transmitted: on air")
	d.once("", "FOG")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	device.Close()
	eventually(t, patience, "the box sees that the transponder is gone", func() bool {
		var status struct{ Feeds []struct{ Connected bool } }
		p.get("/api/status", &status)
		return !status.Feeds[0].Connected
	})
	id := p.post(`{"mmsi":211000001,"text":"BACK AGAIN"}`)
	p.becomes(id, "waiting")
	device = plugIn(t, path)
	go d.serve(device)
	p.becomes(id, "acknowledged")
	d.once("211000001", "BACK AGAIN")
}

// slowPort is a port that is read when that is allowed, and written one byte at a time.
type slowPort struct {
	*os.File
	reads <-chan struct{}
}

func (p *slowPort) Read(b []byte) (int, error) {
	<-p.reads
	return p.File.Read(b)
}

func (p *slowPort) Write(b []byte) (n int, err error) {
	for i := range b {
		if _, err := p.File.Write(b[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(b), nil
}

// TestASlowTransponder: while a transponder reads nothing and answers nothing, ships are heard by it and events are raised at once. It has four texts, and the
// others wait. When it reads, and answers one byte at a time, each text goes on air once, and is acknowledged.
func TestASlowTransponder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "transponder")
	device, reads := plugIn(t, path), make(chan struct{})
	d := &transponder{t: t, result: map[string]int{}}
	p := startServe(t, dir, fmt.Sprintf(transmitConfig, "serial://"+path))
	p.awaitFeeds("serial://")
	go d.serve(&slowPort{device, reads})
	if r, answer := p.do("POST", "/api/watchdog/definition", around(`"send_ship_notification":true,"ship_notification_text":"KEEP CLEAR"`)); r.StatusCode != 200 {
		t.Fatalf("%d %s", r.StatusCode, answer)
	}
	told := func() (count, on int) {
		var all struct {
			Records []struct {
				ShipNotification string `json:"ship_notification"`
			}
		}
		p.get("/api/watchdog/event?after_id=0", &all)
		for _, e := range all.Records {
			if e.ShipNotification == "transmitted" {
				on++
			}
		}
		return len(all.Records), on
	}
	const ships = 6
	step := 0
	eventually(t, patience, "an event of each ship, and four texts at the transponder", func() bool {
		step++
		for m := range ais.MMSI(ships) {
			if _, err := device.Write(sentences(t, aShip(211000001+m, step))); err != nil {
				t.Fatal(err)
			}
		}
		count, on := told()
		return count == ships && on == 4
	})
	id := p.post(`{"mmsi":211000001,"text":"FIFTH"}`)
	if state := p.stateOf(id); state != "waiting" {
		t.Errorf("the text behind them is %q", state)
	}
	close(reads)
	p.becomes(id, "acknowledged")
	eventually(t, patience, "all are acknowledged", func() bool {
		var all struct{ Records []struct{ State string } }
		p.get("/api/messages?direction=sent&from=2020-01-01", &all)
		n := 0
		for _, r := range all.Records {
			if r.State == "acknowledged" {
				n++
			}
		}
		return n == ships+1
	})
	for m := range ships {
		d.once(fmt.Sprint(211000001+m), "KEEP CLEAR")
	}
}

// TestNoTextGoesOnAirTwice pulls the plug while texts are sent: none that a caller was told to be taken is lost, and none goes on air twice.
func TestNoTextGoesOnAirTwice(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	d := &transponder{t: t, result: map[string]int{}}
	ready := make(chan net.Conn, 100)
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			ready <- conn
			go d.serve(conn)
		}
	}()
	dir, config := t.TempDir(), fmt.Sprintf(transmitConfig, "tcp://"+listener.Addr().String())
	taken := map[uint64]string{}
	var p *process
	for kill := range killsOr(t, 3) {
		p = startServe(t, dir, config)
		<-ready
		stop := make(chan struct{})
		var senders sync.WaitGroup
		var mu sync.Mutex
		for i := range 2 {
			senders.Go(func() {
				for n := 0; ; n++ {
					text := fmt.Sprintf("KILL %d SENDER %d TEXT %d", kill, i, n)
					id := p.post(`{"broadcast":true,"text":"` + text + `"}`)
					if id == 0 {
						return
					}
					mu.Lock()
					taken[id] = text
					mu.Unlock()
					select {
					case <-stop:
						return
					default:
					}
				}
			})
		}
		eventually(t, patience, "texts are taken, and go on air", func() bool {
			mu.Lock()
			defer mu.Unlock()
			return len(taken) >= 5*(kill+1) && d.heard() > kill
		})
		goesOnFor(time.Duration(100*kill) * time.Millisecond)
		p.kill()
		close(stop)
		senders.Wait()
	}
	p = startServe(t, dir, config)
	var list struct {
		Records []struct {
			ID    uint64
			Text  string
			State string
		}
		More bool
	}
	for offset := 0; offset == 0 || list.More; offset += 350 {
		part := list
		part.Records, part.More = nil, false
		p.get(fmt.Sprintf("/api/messages?direction=sent&from=2020-01-01&limit=350&offset=%d", offset), &part)
		list.Records, list.More = append(list.Records, part.Records...), part.More
	}
	known, once := map[uint64]string{}, 0
	for _, r := range list.Records {
		known[r.ID] = r.Text
		n := d.times("", r.Text)
		if n > 1 {
			t.Errorf("%q went on air %d times", r.Text, n)
		}
		once += n
	}
	for id, text := range taken {
		if known[id] != text {
			t.Errorf("text %d was %q, and is %q", id, text, known[id])
		}
	}
	if len(taken) < 10 || once < 3 {
		t.Errorf("only %d texts were taken, and %d went on air", len(taken), once)
	}
}
