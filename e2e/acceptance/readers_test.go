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

// reader is what one caller does until ctx ends; it counts what it is told.
type reader func(ctx context.Context, t testing.TB, p *process, user string, told *atomic.Int64)

// BenchmarkSystemReaders holds a feed of 500 sentences a second beside 64 callers that read, over 20,000 ships: nothing, live streams with the
// most costly filters, areas of one degree, and searches that find every ship, each again as soon as it is answered. It reports what share
// of the sentences was lost, how long a position takes another caller, what the readers were told, and the processor time. It fails when
// the readers were told nothing. The streams of 64 callers with the most costly filters may need longer than it lasts for their next event.
func BenchmarkSystemReaders(b *testing.B) {
	for _, row := range []struct {
		name string
		read reader
	}{
		{"nobody", nil}, {"all", streaming("")}, {"terms", streaming(wildTerms())}, {"shape", streaming("pos within shape(Comb)")},
		{"areas", asksAreas}, {"searches", asksSearches},
	} {
		b.Run(row.name, func(b *testing.B) {
			for range b.N {
				r := besideReaders(b, 64, 20_000, 20*time.Second, row.read)
				if len(r.times) < 100 {
					b.Fatalf("%d positions were answered", len(r.times))
				}
				b.ReportMetric(100*r.lost, "lost-%")
				b.ReportMetric(percentile(r.times, 0.5).Seconds()*1000, "position-p50-ms")
				b.ReportMetric(percentile(r.times, 0.99).Seconds()*1000, "position-p99-ms")
				b.ReportMetric(percentile(r.times, 1).Seconds()*1000, "position-max-ms")
				b.ReportMetric(float64(r.told)/r.took.Seconds(), "told/s")
				b.ReportMetric(100*r.busy.Seconds()/r.took.Seconds(), "cpu-%")
			}
		})
	}
}

// TestReadersLoseNoSentence: callers with the most costly filters cost no sentence, and others are answered meanwhile.
func TestReadersLoseNoSentence(t *testing.T) {
	for _, filter := range []string{wildTerms(), "pos within shape(Comb)"} {
		if r := besideReaders(t, 6, 2000, 5*time.Second, streaming(filter)); r.lost > 0 || len(r.times) < 20 {
			t.Errorf("%.20s: %v of the sentences are lost, %d positions are answered", filter, r.lost, len(r.times))
		}
	}
}

// beside is what was seen beside readers.
type beside struct {
	times []time.Duration // of answers to another caller, in their order
	lost  float64         // the share of sentences
	told  int64           // events and answers of the readers meanwhile
	took  time.Duration
	busy  time.Duration // processor time of the service meanwhile
}

// besideReaders runs a feed beside callers that read, none of them for a nil reader.
func besideReaders(t testing.TB, callers, ships int, during time.Duration, read reader) beside {
	t.Helper()
	config, conn := udpFeed(t)
	p := startServe(t, t.TempDir(), config)
	defer p.kill()
	before := sail(t, conn, ships, 2000, time.Duration(2*ships)*time.Second/2000)
	mustDo(t, p, "POST", "/api/config/shape", combShape("Comb", 9998))
	return underReaders(t, p, conn, callers, ships, during, read, before)
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

// sail sends messages of ships at a rate for a time, and returns how many sentences they were.
func sail(t testing.TB, conn net.Conn, ships, rate int, during time.Duration) (sent int) {
	t.Helper()
	encoder := ais.NewEncoder("AIVDM")
	begin := time.Now()
	for i := 0; ; i++ {
		due := begin.Add(time.Duration(i) * time.Second / time.Duration(rate))
		if due.Sub(begin) >= during {
			return sent
		}
		keepPace(due)
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

// underReaders is besideReaders of a service that has heard so many sentences before.
func underReaders(t testing.TB, p *process, conn net.Conn, callers, ships int, during time.Duration, read reader, before int) (r beside) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var readers sync.WaitGroup
	var told atomic.Int64
	for caller := range callers {
		if read == nil {
			break
		}
		name := fmt.Sprintf("reader%d", caller)
		mustDo(t, p, "POST", "/api/config/user", fmt.Sprintf(`{"name":%q,"password":%q,"groups":["viewer"]}`, name, adminPassword))
		readers.Go(func() { read(ctx, t, p, name, &told) })
	}
	eventually(t, patience, "the readers are told something", func() bool { return read == nil || told.Load() > 0 })
	flowing, sent := make(chan struct{}), 0
	began, busy, already := time.Now(), cpuTime(t, p), told.Load()
	go func() {
		defer close(flowing)
		sent = sail(t, conn, ships, 500, during)
	}()
	r.times = latencies(t, p, 219000001, func(int) bool {
		select {
		case <-flowing:
			return true
		default:
			return false
		}
	})
	r.took, r.busy, r.told = time.Since(began), cpuTime(t, p)-busy, told.Load()-already
	cancel()
	readers.Wait()
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
	t.Logf("%d sent, %d counted, %d shed, %d dropped by the kernel; %d answers, %d to the readers", before+sent, counted, shed, dropped, len(r.times), r.told)
	r.lost = float64(before+sent-counted+shed) / float64(sent)
	return r
}

// streaming keeps a live stream with a filter open.
func streaming(filter string) reader {
	return func(ctx context.Context, t testing.TB, p *process, user string, told *atomic.Int64) {
		readLive(ctx, t, p, user, filter, told)
	}
}

// asksAreas asks for one area of one degree after the other.
func asksAreas(ctx context.Context, t testing.TB, p *process, user string, told *atomic.Int64) {
	const path = "/api/portserver/ship/area"
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for i := 0; ctx.Err() == nil; i++ {
		west, south := i%30, 40+i/30%20
		text := asks(ctx, t, p, client, user, "POST", path, fmt.Sprintf(`{"area":{"type":"Polygon","coordinates":[[[%d,%d],[%d,%d],[%d,%d],[%d,%d],[%d,%d]]]}}`,
			west, south, west+1, south, west+1, south+1, west, south+1, west, south))
		var job struct{ ID int64 }
		if json.Unmarshal(text, &job) == nil && bytes.Contains(asks(ctx, t, p, client, user, "GET", fmt.Sprintf("%s/%d", path, job.ID), ""), []byte(`"mmsi"`)) {
			told.Add(1)
		}
	}
}

// asksSearches asks for the ships that have a 2 in their number, which all have: for a page far down the list.
func asksSearches(ctx context.Context, t testing.TB, p *process, user string, told *atomic.Int64) {
	client := &http.Client{Transport: &http.Transport{}}
	defer client.CloseIdleConnections()
	for i := 0; ctx.Err() == nil; i++ {
		path := fmt.Sprintf("/api/portserver/ship/search/2?limit=100&offset=%d", 1+i%100*150)
		if bytes.Contains(asks(ctx, t, p, client, user, "GET", path, ""), []byte(`"mmsi"`)) {
			told.Add(1)
		}
	}
}

// asks returns the answer to a caller, nil when ctx ended before.
func asks(ctx context.Context, t testing.TB, p *process, client *http.Client, user, method, path, body string) []byte {
	request, err := http.NewRequestWithContext(ctx, method, p.base+path, strings.NewReader(body))
	if err != nil {
		t.Error(err)
		return nil
	}
	request.SetBasicAuth(user, adminPassword)
	request.Header.Set("Content-Type", "application/json")
	response, err := client.Do(request)
	if err != nil {
		return nil // the test is over
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode >= 400 {
		t.Errorf("%s %s of %s: %s %.300s", method, path, user, response.Status, text)
	}
	return text
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
