package acceptance

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

// TestGPSDReadsTheStream: gpsd subscribes through direct_access and decodes what we forward to the same messages as
// gpsdecode does from the log that went in.
func TestGPSDReadsTheStream(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"gpsd", "gpsdecode"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is not here (Debian: gpsd, gpsd-clients)", program)
		}
	}
	for _, test := range []struct {
		name, format string
		log          func(*testing.T) []byte
	}{
		{"own fixture", "nmea", ownLog},
		{"own fixture with TAG blocks", "nmea_tag", ownLog},
		{"own fixture after PGHP", "nmea_pghp", ownLog},
		{"kadetrenden", "nmea", kadetrenden},
	} {
		t.Run(test.name, func(t *testing.T) {
			log := test.log(t)
			want := gpsdecode(t, log)
			if len(want) < 20 {
				t.Fatalf("gpsdecode finds only %d messages", len(want))
			}
			got := throughGPSD(t, test.format, messagesOf(log))
			holdSameMessages(t, got, want)
		})
	}
}

func ownLog(t *testing.T) []byte {
	log, err := os.ReadFile(everyType)
	if err != nil {
		t.Fatal(err)
	}
	return log
}

func kadetrenden(t *testing.T) []byte {
	return []byte(strings.Join(recordedKadetrenden(t).lines, "\n") + "\n")
}

// holdSameMessages holds that both lists are the same messages in the same order.
func holdSameMessages(t *testing.T, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || got[i] != want[i] {
			t.Fatalf("%d messages came, want %d; the first that is not the same is number %d:\n%s\n%s", len(got), len(want), i,
				strings.Join(got[min(i, len(got)):min(i+2, len(got))], "\n"), strings.Join(want[min(i, len(want)):min(i+2, len(want))], "\n"))
		}
	}
}

// gpsdecode returns what gpsd's own decoder makes of a log, each message as JSON.
func gpsdecode(t *testing.T, log []byte) (all []string) {
	t.Helper()
	cmd := exec.Command("gpsdecode", "-s")
	cmd.Stdin = bytes.NewReader(log)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("gpsdecode: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		if message, ok := aisOfGPSD(line); ok {
			all = append(all, message)
		}
	}
	return all
}

// aisOfGPSD takes the device out of an AIS message; other lines are none.
func aisOfGPSD(line string) (string, bool) {
	var message map[string]any
	if json.Unmarshal([]byte(line), &message) != nil || message["class"] != "AIS" {
		return "", false
	}
	delete(message, "device")
	text, err := json.Marshal(message)
	return string(text), err == nil
}

// throughGPSD sends messages into a box, lets gpsd subscribe, and returns what gpsd says.
func throughGPSD(t *testing.T, format string, messages []string) (all []string) {
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t, "tcp"))
	// The log of hours comes in seconds: what it says again must not count as heard twice.
	s := openStation(t, fmt.Sprintf("[[feed]]\nname = \"log\"\nurl = \"tcp-listen://%s\"\n[traffic]\nduplicate_window = \"0s\"\n", address))
	s.addUser("gpsd", fmt.Sprintf(`"direct_access":{"enabled":true,"hosts":["127.0.0.1"]},"settings":{"output_format":%q,"include_peep":true}`, format))
	client, said := watchGPSD(t, s.stream)
	eventually(t, patience, "gpsd subscribes", func() bool { return len(s.outputs()[0]["subscribers"].([]any)) == 1 })

	feed, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	for piece := range slices.Chunk(messages, 200) {
		mark := fmt.Sprintf("MARK %d", len(all)) // gpsd leaves out what a slow reader does not take, so none is made slow
		lines := strings.Join(piece, "\r\n") + "\r\n"
		for _, conn := range []net.Conn{feed, client} {
			if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
				t.Fatal(err)
			}
		}
		say(t, feed, append([]byte(lines), sentences(t, &ais.BroadcastSafety{Header: ais.Header{Type: 14, MMSI: 2190099}, Text: mark})...))
		all = append(all, until(t, s, said, mark)...)
	}
	return all
}

// until reads what gpsd says up to a text message.
func until(t *testing.T, s *station, said *bufio.Scanner, mark string) (all []string) {
	for said.Scan() {
		message, ok := aisOfGPSD(said.Text())
		if ok && strings.Contains(message, mark) {
			return all
		}
		if ok {
			all = append(all, message)
		}
	}
	t.Fatalf("gpsd ended %d messages after the last mark, before %q: %v; the outputs say %v", len(all), mark, said.Err(), s.outputs())
	return nil
}

// watchGPSD starts gpsd as a subscriber of a stream and requests JSON from it. The lines come over the connection. gpsd ends with
// the test.
func watchGPSD(t *testing.T, stream string) (client net.Conn, said *bufio.Scanner) {
	port := freePort(t, "tcp")
	cmd := exec.Command("gpsd", "-N", "-n", "-S", fmt.Sprint(port), "-D", "2", "tcp://"+stream)
	var noise lockedBuffer
	cmd.Stdout, cmd.Stderr = &noise, &noise
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("gpsd says:\n%.8000s", noise.String())
		}
	})
	eventually(t, patience, "gpsd listens", func() (ok bool) {
		var err error
		client, err = net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		return err == nil
	})
	t.Cleanup(func() { client.Close() })
	if err := client.(*net.TCPConn).SetReadBuffer(1 << 20); err != nil {
		t.Fatal(err)
	}
	if err := client.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	say(t, client, []byte(`?WATCH={"enable":true,"json":true,"scaled":true,"split24":true};`+"\n"))
	said = bufio.NewScanner(client)
	said.Buffer(nil, 1<<20)
	for said.Scan() {
		if strings.Contains(said.Text(), `"class":"WATCH"`) {
			return client, said
		}
	}
	t.Fatalf("gpsd does not answer: %v", said.Err())
	return nil, nil
}
