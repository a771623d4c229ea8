package acceptance

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quaywatch/ship"

	"github.com/google/go-cmp/cmp"
)

// recording is a log with its own clock, and the span that its tracks lie in.
type recording struct {
	lines      []string
	begin, end string
}

// ownRecording is twenty minutes of the simulated harbour, written by the binary under test.
func ownRecording(t testing.TB) recording {
	t.Helper()
	path := filepath.Join(t.TempDir(), "harbour.nmea")
	_, stderr, code := runCommand(t, "", "simulate", "--to", path, "--start", "2026-03-01T12:00:00Z", "--duration", "20m", "--seed", "7", "--speed", "0")
	if code != 0 {
		t.Fatalf("simulate: exit %d\n%s", code, stderr)
	}
	return recording{readLines(t, path), "2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"}
}

func recordedKadetrenden(t testing.TB) recording {
	t.Helper()
	return recording{readLines(t, testData(t, "nmea/kadetrenden_2013-07-31.nmea.gz")), "2013-07-31T00:00:00Z", "2013-08-01T00:00:00Z"}
}

// readLines reads a log, also a packed one.
func readLines(t testing.TB, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil && strings.HasSuffix(path, ".gz") {
		var unpacked *gzip.Reader
		if unpacked, err = gzip.NewReader(bytes.NewReader(text)); err == nil {
			text, err = io.ReadAll(unpacked)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n"), "\n")
}

// outcome is what must be the same by whatever way the sentences came.
type outcome struct {
	Records  []map[string]any
	Tracks   map[string]any
	Counters map[string]any
}

// feedCounters reads the counters of the only feed that do not depend on wall time.
func feedCounters(p *process) map[string]any {
	p.t.Helper()
	var status struct {
		Feeds []map[string]any `json:"feeds"`
	}
	p.get("/api/status", &status)
	if len(status.Feeds) != 1 {
		p.t.Fatalf("status: want one feed, got %v", status.Feeds)
	}
	counters := map[string]any{}
	for _, key := range []string{"messages", "bad", "duplicates", "ships", "sentences", "other_sentences"} {
		counters[key] = status.Feeds[0][key]
	}
	return counters
}

// settle waits until the picture has taken this many lines of the only feed. No line may be lost: a lost line means that the sender
// was too fast for the machine.
func settle(p *process, lines int) {
	p.t.Helper()
	eventually(p.t, patience, fmt.Sprintf("%d lines are in the picture", lines), func() bool {
		var status struct {
			Feeds []struct {
				Lines       int
				Messages    map[string]uint64
				Overflow    int
				KernelDrops int `json:"kernel_drops"`
			}
			Picture struct {
				Reports, Duplicates uint64
				Rejected            map[string]uint64
			}
		}
		p.get("/api/status", &status)
		if len(status.Feeds) != 1 {
			p.t.Fatalf("status: want one feed, got %v", status.Feeds)
		}
		f := status.Feeds[0]
		if f.Overflow+f.KernelDrops > 0 {
			p.t.Fatalf("%d sentences shed and %d dropped by the kernel", f.Overflow, f.KernelDrops)
		}
		heard := uint64(0)
		for _, n := range f.Messages {
			heard += n
		}
		return f.Lines >= lines && heard == status.Picture.Reports+status.Picture.Duplicates+status.Picture.Rejected[ship.BadMMSI.String()]
	})
}

// livePicture reads the first event of the live stream.
func livePicture(p *process) []map[string]any {
	p.t.Helper()
	request, err := http.NewRequest("GET", p.base+"/api/live", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	request.SetBasicAuth("admin", adminPassword)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	scanner := bufio.NewScanner(response.Body)
	scanner.Buffer(nil, 64<<20)
	event := ""
	for scanner.Scan() {
		line := scanner.Text()
		if name, ok := strings.CutPrefix(line, "event:"); ok {
			event = strings.TrimSpace(name)
		}
		data, ok := strings.CutPrefix(line, "data:")
		if !ok || event != "picture" {
			continue
		}
		var picture struct {
			Records []map[string]any `json:"records"`
		}
		if err := json.Unmarshal([]byte(data), &picture); err != nil {
			p.t.Fatal(err)
		}
		slices.SortFunc(picture.Records, func(a, b map[string]any) int { return int(a["mmsi"].(float64) - b["mmsi"].(float64)) })
		return picture.Records
	}
	p.t.Fatalf("the live stream ended without a picture: %v", scanner.Err())
	return nil
}

// track requests the stored track of a ship by a job, as a program does.
func track(p *process, mmsi int64, begin, end string) []any {
	p.t.Helper()
	body := fmt.Sprintf(`{"mmsi":%d,"begin":%q,"end":%q}`, mmsi, begin, end)
	response, text := p.do("POST", "/api/portserver/ship/historical/track", body)
	if response.StatusCode != http.StatusAccepted {
		p.t.Fatalf("historical track of %d: %s\n%s", mmsi, response.Status, text)
	}
	var job struct {
		ID int64 `json:"id"`
	}
	if err := json.Unmarshal(text, &job); err != nil {
		p.t.Fatal(err)
	}
	var result struct {
		Track struct {
			Coordinates []any `json:"coordinates"`
		} `json:"track"`
	}
	eventually(p.t, patience, "the track is there", func() bool {
		response, text := p.do("GET", fmt.Sprintf("/api/portserver/ship/historical/track?id=%d", job.ID), "")
		if response.StatusCode == http.StatusAccepted {
			return false
		}
		if response.StatusCode != http.StatusOK {
			p.t.Fatalf("historical track of %d: %s\n%s", mmsi, response.Status, text)
		}
		if err := json.Unmarshal(text, &result); err != nil {
			p.t.Fatal(err)
		}
		return true
	})
	return result.Track.Coordinates
}

// readOutcome requests everything when this many lines of the recording are in.
func readOutcome(p *process, r recording, lines int) outcome {
	p.t.Helper()
	settle(p, lines)
	o := outcome{Records: livePicture(p), Tracks: map[string]any{}, Counters: feedCounters(p)}
	for _, record := range o.Records {
		mmsi := int64(record["mmsi"].(float64))
		o.Tracks[fmt.Sprint(mmsi)] = track(p, mmsi, r.begin, r.end)
	}
	return o
}

const replayStore = "[store]\nsync_interval = \"200ms\"\nfull_rate = true\nretention = \"0s\"\n"

func feedText(url string) string {
	return fmt.Sprintf("[[feed]]\nname = \"log\"\nurl = %q\ntime = \"log\"\n", url) + replayStore
}

// byFile plays the log from a file as fast as it goes.
func byFile(t *testing.T, r recording) outcome {
	path := filepath.Join(t.TempDir(), "log.nmea")
	if err := os.WriteFile(path, []byte(strings.Join(r.lines, "\r\n")+"\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return readOutcome(startServe(t, t.TempDir(), feedText("file://"+path+"?speed=0")), r, len(r.lines))
}

// byUDP sends a datagram a line.
func byUDP(t *testing.T, r recording) outcome {
	port := freePort(t, "udp")
	p := startServe(t, t.TempDir(), feedText(fmt.Sprintf("udp://127.0.0.1:%d", port)))
	conn, err := net.Dial("udp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sendPaced(p, r.lines, func(lines []string) error {
		for _, line := range lines {
			if _, err := fmt.Fprint(conn, line, "\r\n"); err != nil {
				return err
			}
		}
		return nil
	})
	return readOutcome(p, r, len(r.lines))
}

// byTCP is the server that the feed connects to.
func byTCP(t *testing.T, r recording) outcome {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	p := startServe(t, t.TempDir(), feedText("tcp://"+listener.Addr().String()))
	conn, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	sendPaced(p, r.lines, asStream(conn))
	return readOutcome(p, r, len(r.lines))
}

// bySerial writes into one end of a pseudo-terminal pair made by socat; the feed reads the other as its serial port.
func bySerial(t *testing.T, r recording) outcome {
	if _, err := exec.LookPath("socat"); err != nil {
		t.Skip("socat is not installed; make test installs it")
	}
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "receiver"), filepath.Join(dir, "port")
	socat := exec.Command("socat", "pty,raw,echo=0,link="+ours, "pty,raw,echo=0,link="+theirs)
	if err := socat.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socat.Process.Kill(); _ = socat.Wait() })
	eventually(t, patience, "socat made the pair", func() bool {
		_, err := os.Stat(ours)
		_, err2 := os.Stat(theirs)
		return err == nil && err2 == nil
	})
	p := startServe(t, t.TempDir(), feedText("serial://"+theirs+"?baud=38400"))
	p.awaitFeeds("serial://")
	port, err := os.OpenFile(ours, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer port.Close()
	sendPaced(p, r.lines, asStream(port))
	return readOutcome(p, r, len(r.lines))
}

// sendPaced sends lines as fast as the picture takes them: a live feed sheds what it cannot take.
func sendPaced(p *process, lines []string, send func([]string) error) {
	p.t.Helper()
	sent := 0
	for chunk := range slices.Chunk(lines, paceLines) {
		if err := send(chunk); err != nil {
			p.t.Fatal(err)
		}
		sent += len(chunk)
		settle(p, sent)
	}
}

// paceLines is the most lines under way: the kernel and the service have buffers for no more.
const paceLines = 200

func asStream(w io.Writer) func([]string) error {
	return func(lines []string) error {
		_, err := io.WriteString(w, strings.Join(lines, "\r\n")+"\r\n")
		return err
	}
}

// TestSameByEveryWay plays one log by UDP, as serial, by TCP and from a file: the same picture, the same tracks, the same counters.
func TestSameByEveryWay(t *testing.T) {
	logs := map[string]func(testing.TB) recording{"simulated": ownRecording, "kadetrenden": recordedKadetrenden}
	for name, get := range logs {
		t.Run(name, func(t *testing.T) {
			r := get(t)
			want := byFile(t, r)
			if len(want.Records) < 30 || len(want.Tracks) < 30 {
				t.Fatalf("only %d ships", len(want.Records))
			}
			ways := map[string]func(*testing.T, recording) outcome{"udp": byUDP, "tcp": byTCP, "serial": bySerial}
			for name, way := range ways {
				t.Run("by "+name, func(t *testing.T) {
					t.Parallel()
					if diff := cmp.Diff(want, way(t, r)); diff != "" {
						t.Errorf("differs from the file (-file +%s):\n%.4000s", name, diff)
					}
				})
			}
		})
	}
}
