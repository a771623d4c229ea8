package acceptance

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// decoderPeer is a program that reads sentences from a file and writes each message as JSON.
type decoderPeer struct {
	name    string
	command func(file string) []string
	stdin   bool // it reads standard input
}

func decoderPeers(b *testing.B) []decoderPeer {
	return []decoderPeer{
		{"ours", func(file string) []string { return []string{binary(b), "decode", file} }, false},
		{"gpsdecode", func(string) []string { return []string{"gpsdecode"} }, true},
		{"AIS-catcher", func(file string) []string { return []string{"AIS-catcher", "-r", "txt", file, "-o", "5", "-X", "off"} }, false},
	}
}

// linesOf returns how many lines the program writes of a file.
func (d decoderPeer) linesOf(b *testing.B, file string) int {
	b.Helper()
	out, err := os.Create(filepath.Join(b.TempDir(), "out.json"))
	if err != nil {
		b.Fatal(err)
	}
	defer out.Close()
	d.run(b, file, out)
	text, err := os.ReadFile(out.Name())
	if err != nil {
		b.Fatal(err)
	}
	return bytes.Count(text, []byte("\n"))
}

// run lets the program read a file, and returns the processor's time. Without a place for what it writes, that is lost: a disk that others use is not measured.
func (d decoderPeer) run(b *testing.B, file string, out *os.File) (processor time.Duration) {
	b.Helper()
	line := d.command(file)
	command := exec.Command(line[0], line[1:]...)
	if out != nil {
		command.Stdout = out
	}
	if d.stdin {
		in, err := os.Open(file)
		if err != nil {
			b.Fatal(err)
		}
		defer in.Close()
		command.Stdin = in
	}
	if err := command.Run(); err != nil {
		b.Fatalf("%s: %v", d.name, err)
	}
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime()
}

// BenchmarkPeersDecode has this program, gpsdecode and AIS-catcher read the same sentences and write them as JSON, each as a whole process and in turn.
// It tells the processor's time that a line of JSON costs, and how many times ours a peer takes. A peer that is not installed is left out. The lines that are written
// have to be about as many. `make bench-peers` runs it.
func BenchmarkPeersDecode(b *testing.B) {
	if os.Getenv("QUAYWATCH_PEERS") == "" {
		b.Skip("make bench-peers installs gpsdecode and runs this")
	}
	file := filepath.Join(b.TempDir(), "sentences.nmea")
	var text bytes.Buffer
	lines := loopableLog(b)
	for text.Len() < 20<<20 {
		for _, line := range lines {
			text.WriteString(line + "\r\n")
		}
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	peers := decoderPeers(b)
	took, wrote := make([][]time.Duration, len(peers)), make([]int, len(peers))
	for range b.N {
		for i, peer := range peers {
			if _, err := exec.LookPath(peer.command(file)[0]); err != nil {
				continue
			}
			if wrote[i] == 0 {
				wrote[i] = peer.linesOf(b, file)
			}
			took[i] = append(took[i], peer.run(b, file, nil))
		}
	}
	b.ReportMetric(0, "ns/op")
	for i, peer := range peers {
		if len(took[i]) == 0 {
			b.Logf("%s is not installed", peer.name)
			continue
		}
		if wrote[i] < wrote[0]*9/10 || wrote[0] < wrote[i]*9/10 {
			b.Errorf("%s wrote %d lines, we %d", peer.name, wrote[i], wrote[0])
		}
		b.ReportMetric(float64(median(took[i]).Nanoseconds())/float64(wrote[i]), peer.name+"-ns/line")
		if i > 0 {
			b.ReportMetric(float64(median(took[i]))/float64(median(took[0])), peer.name+"-times")
		}
	}
}
