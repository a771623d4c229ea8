package acceptance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/ais"
)

// wildTerms is the filter of quick terms that asks as much of each ship as a filter may.
func wildTerms() string { return strings.Repeat("*q|", 177) + "*q" }

// BenchmarkSystemReaders holds a feed of 500 sentences a second beside the live streams of 64 callers with the most costly filters, over
// 20,000 ships. It reports what share of the sentences was lost, and how long a position takes another caller.
func BenchmarkSystemReaders(b *testing.B) {
	for name, filter := range map[string]string{"none": "", "terms": wildTerms(), "shape": "pos within shape(Comb)"} {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				times, lost := besideReaders(b, 64, 20_000, 30*time.Second, filter)
				b.ReportMetric(100*lost, "lost-%")
				b.ReportMetric(percentile(times, 0.5).Seconds()*1000, "position-p50-ms")
				b.ReportMetric(percentile(times, 0.99).Seconds()*1000, "position-p99-ms")
				b.ReportMetric(percentile(times, 1).Seconds()*1000, "position-max-ms")
			}
		})
	}
}

// TestReadersLoseNoSentence: callers with the most costly filters cost no sentence, and others are answered meanwhile.
func TestReadersLoseNoSentence(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector makes the filters cost more than they may")
	}
	for _, filter := range []string{wildTerms(), "pos within shape(Comb)"} {
		times, lost := besideReaders(t, 6, 2000, 5*time.Second, filter)
		if lost > 0 || len(times) < 20 {
			t.Errorf("%.20s: %v of the sentences are lost, %d positions are answered", filter, lost, len(times))
		}
	}
}

// besideReaders gives the times of answers to another caller, and the share of sentences that were lost.
func besideReaders(t testing.TB, callers, ships int, during time.Duration, filter string) (times []time.Duration, lost float64) {
	t.Helper()
	config, conn := udpFeed(t)
	p := startServe(t, t.TempDir(), config)
	defer p.kill()
	before := sail(t, conn, ships, 2000, time.Duration(2*ships)*time.Second/2000)
	mustDo(t, p, "POST", "/api/config/shape", combShape("Comb", 9998))
	return underReaders(t, p, conn, callers, ships, during, filter, before)
}

// combShape is a polygon with long edges from west to east, each of which is above all others.
func combShape(name string, points int) string {
	var ring []string
	for i := range points {
		lon, lat := 0.0, 40+20*float64(i)/float64(points)
		if i%2 == 1 {
			lon = 30
		}
		ring = append(ring, fmt.Sprintf("[%.1f,%.6f]", lon, lat))
	}
	ring = append(ring, ring[0])
	return fmt.Sprintf(`{"name":%q,"acl":["viewer"],"polygon":{"type":"Polygon","coordinates":[[%s]]}}`, name, strings.Join(ring, ","))
}

func mustDo(t testing.TB, p *process, method, path, body string) {
	t.Helper()
	if response, text := p.do(method, path, body); response.StatusCode >= 300 {
		t.Fatalf("%s %s: %s %.500s", method, path, response.Status, text)
	}
}

// sail sends messages of ships at a rate for a time, and gives how many sentences they were.
func sail(t testing.TB, conn net.Conn, ships, rate int, during time.Duration) (sent int) {
	t.Helper()
	encoder := ais.NewEncoder("AIVDM")
	begin := time.Now()
	for i := 0; ; i++ {
		due := begin.Add(time.Duration(i) * time.Second / time.Duration(rate))
		if due.Sub(begin) >= during {
			return sent
		}
		time.Sleep(time.Until(due))
		number, round := i%ships, i/ships*2
		if round == 2 {
			round = 1 // static data in the second round
		}
		message := messageAtSea(number, round)
		if report, ok := message.(*ais.PositionReport); ok {
			report.Place.Lon += int32(round)
		}
		text, err := encoder.Sentences(nil, message, 'A')
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(text); err != nil {
			t.Fatal(err)
		}
		sent += bytes.Count(text, []byte("\n"))
	}
}

// underReaders runs a feed beside a stream of each of the callers.
func underReaders(t testing.TB, p *process, conn net.Conn, callers, ships int, during time.Duration, filter string, before int) ([]time.Duration, float64) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var streams sync.WaitGroup
	var events atomic.Int64
	for caller := range callers {
		name := fmt.Sprintf("reader%d", caller)
		mustDo(t, p, "POST", "/api/config/user", fmt.Sprintf(`{"name":%q,"password":%q,"groups":["viewer"]}`, name, adminPassword))
		streams.Go(func() { readLive(ctx, t, p, name, filter, &events) })
	}
	eventually(t, patience, "the streams bring events", func() bool { return events.Load() > 0 })
	flowing, sent := make(chan struct{}), 0
	go func() {
		defer close(flowing)
		sent = sail(t, conn, ships, 500, during)
	}()
	times := latencies(t, p, 219000001, func(int) bool {
		select {
		case <-flowing:
			return true
		default:
			return false
		}
	})
	cancel()
	streams.Wait()
	shed, counted, dropped, looks := 0, 0, 0, 0
	eventually(t, patience, "the status is answered", func() bool {
		_, text, err := p.try("GET", "/api/status", "")
		var status struct {
			Feeds []struct {
				Sentences, Overflow int
				KernelDrops         int `json:"kernel_drops"`
			}
		}
		if err != nil || json.Unmarshal(text, &status) != nil || len(status.Feeds) != 1 {
			return false
		}
		shed, counted, dropped = status.Feeds[0].Overflow, status.Feeds[0].Sentences, status.Feeds[0].KernelDrops
		looks++
		return counted >= before+sent || looks > 500 // some seconds
	})
	t.Logf("%d sent, %d counted, %d shed, %d dropped by the kernel; %d answers, %d events", before+sent, counted, shed, dropped, len(times), events.Load())
	return times, float64(before+sent-counted+shed) / float64(sent)
}

// readLive keeps a live stream open and counts its events.
func readLive(ctx context.Context, t testing.TB, p *process, user, filter string, events *atomic.Int64) {
	request, err := http.NewRequestWithContext(ctx, "GET", p.base+"/api/live?filter="+url.QueryEscape(filter), nil)
	if err != nil {
		t.Error(err)
		return
	}
	request.SetBasicAuth(user, adminPassword)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return // the test is over
	}
	defer response.Body.Close()
	lines := bufio.NewReader(response.Body)
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		t.Errorf("a stream of %s: %s %.300s", user, response.Status, text)
	}
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
		if bytes.HasPrefix(line, []byte("event: ")) {
			events.Add(1)
		}
	}
}
