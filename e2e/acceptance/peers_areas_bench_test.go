package acceptance

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

// tile38 is a Tile38 server with places, asked over a connection of its own.
type tile38 struct {
	pid  int
	conn net.Conn
	in   *bufio.Reader
}

// startTile38 starts a server that keeps nothing on the disk.
func startTile38(b *testing.B) *tile38 {
	b.Helper()
	port, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	_, number, _ := net.SplitHostPort(port.Addr().String())
	port.Close()
	run := exec.Command("tile38-server", "-q", "-h", "127.0.0.1", "-p", number, "-d", b.TempDir(), "--appendonly", "no")
	if err := run.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait()
	})
	d := &tile38{pid: run.Process.Pid}
	eventually(b, patience, "Tile38 answers", func() bool {
		d.conn, err = net.Dial("tcp4", "127.0.0.1:"+number)
		return err == nil
	})
	b.Cleanup(func() { d.conn.Close() })
	d.in = bufio.NewReaderSize(d.conn, 1<<16)
	d.send(b, "OUTPUT json")
	d.answer(b)
	return d
}

// send sends a command of words, as Redis takes it.
func (d *tile38) send(b *testing.B, command string) {
	b.Helper()
	var text strings.Builder
	words := strings.Fields(command)
	fmt.Fprintf(&text, "*%d\r\n", len(words))
	for _, word := range words {
		fmt.Fprintf(&text, "$%d\r\n%s\r\n", len(word), word)
	}
	if _, err := io.WriteString(d.conn, text.String()); err != nil {
		b.Fatal(err)
	}
}

// answer returns one answer in JSON.
func (d *tile38) answer(b *testing.B) []byte {
	b.Helper()
	line, err := d.in.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "{") || strings.HasPrefix(line, "+") {
		return []byte(line)
	}
	n, err := strconv.Atoi(strings.TrimPrefix(line, "$"))
	if err != nil || n < 0 {
		b.Fatalf("Tile38 answers %.200q", line)
	}
	text := make([]byte, n+len("\r\n"))
	if _, err := io.ReadFull(d.in, text); err != nil {
		b.Fatal(err)
	}
	return text
}

// setShips sets the latest place of so many ships of messagesAtSea.
func (d *tile38) setShips(b *testing.B, ships int) {
	b.Helper()
	const part = 1000
	for first := 0; first < ships; first += part {
		for i := first; i < min(first+part, ships); i++ {
			report := messageAtSea(i, 2).(*ais.PositionReport)
			d.send(b, fmt.Sprintf("SET ships %d POINT %f %f", report.MMSI, float64(report.Place.Lat)/600000, float64(report.Place.Lon)/600000))
		}
		for i := first; i < min(first+part, ships); i++ {
			d.answer(b)
		}
	}
}

// areaOfSea asks for the ships of the square of one degree for which areaOfSea asks us, and returns how many there are.
func (d *tile38) areaOfSea(b *testing.B, i int) (points int) {
	b.Helper()
	west, south := i%30, 40+i/30%20
	d.send(b, fmt.Sprintf("WITHIN ships LIMIT 100000 POINTS BOUNDS %d %d %d %d", south, west, south+1, west+1))
	return bytes.Count(d.answer(b), []byte(`"id":`))
}

// BenchmarkPeersAreas asks this program over HTTP, and Tile38 over its own protocol, for the ships of squares of one degree, in turn. Ours tells what it knows of
// each ship, Tile38 its number and place. It tells the middle of the times and the processor's time of an answer. `make bench-peers` runs it where
// tile38-server is installed.
func BenchmarkPeersAreas(b *testing.B) {
	if os.Getenv("QUAYWATCH_PEERS") == "" {
		b.Skip("make bench-peers runs this")
	}
	if _, err := exec.LookPath("tile38-server"); err != nil {
		b.Skip("tile38-server is not installed")
	}
	for _, ships := range []int{60_000, 500_000} {
		b.Run(fmt.Sprint(ships), func(b *testing.B) {
			p := killedSea(b, ships)
			defer p.kill()
			peer := startTile38(b)
			peer.setShips(b, ships)
			var ours, theirs, compressed []time.Duration
			var processor, its time.Duration
			records, points := 0, 0
			const questions = 200
			for range b.N {
				before, itsBefore := cpuTime(b, p), cpuTimeOf(b, peer.pid)
				for i := range questions {
					begun := time.Now()
					records += areaOfSeaIn(b, p, i, "identity") // as Tile38 does not compress
					ours = append(ours, time.Since(begun))
					begun = time.Now()
					points += peer.areaOfSea(b, i)
					theirs = append(theirs, time.Since(begun))
				}
				processor, its = processor+cpuTime(b, p)-before, its+cpuTimeOf(b, peer.pid)-itsBefore
				for i := range questions {
					begun := time.Now()
					areaOfSea(b, p, i)
					compressed = append(compressed, time.Since(begun))
				}
			}
			if records < questions*ships/600*9/10 || points < records*9/10 || records < points*9/10 {
				b.Fatalf("%d ships, and %d of Tile38", records, points)
			}
			n := time.Duration(questions * b.N)
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(float64(records)/float64(n), "records")
			b.ReportMetric(float64(median(ours).Microseconds())/1000, "ms")
			b.ReportMetric(float64(median(compressed).Microseconds())/1000, "compressed-ms")
			b.ReportMetric(float64(median(theirs).Microseconds())/1000, "Tile38-ms")
			b.ReportMetric(float64((processor/n).Microseconds())/1000, "processor-ms")
			b.ReportMetric(float64((its/n).Microseconds())/1000, "Tile38-processor-ms")
			b.ReportMetric(float64(median(theirs))/float64(median(ours)), "Tile38-times")
		})
	}
}
