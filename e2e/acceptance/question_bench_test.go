package acceptance

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"quaywatch/ais"
)

// BenchmarkSystemQuestions fills a store with ships in 600 squares of one degree, kills the service and starts it again. Then it asks over
// HTTP for areas of one degree, for ships by number and for ships by name. It reports the processor time of the service for one answer. An
// answer without a ship fails it.
func BenchmarkSystemQuestions(b *testing.B) {
	for _, ships := range []int{60_000, 500_000} {
		b.Run(fmt.Sprint(ships), func(b *testing.B) {
			p := killedSea(b, ships)
			defer p.kill()
			for range b.N {
				records := areaOfSea(b, p, 0)
				if records < ships/600 {
					b.Fatalf("a square of the sea has %d ships, want %d", records, ships/600)
				}
				b.ReportMetric(float64(records), "area-records")
				b.ReportMetric(questionCost(b, p, func(i int) int { return areaOfSea(b, p, i) }), "area-cpu-ms")
				b.ReportMetric(questionCost(b, p, func(i int) int { return search(b, p, fmt.Sprint(219000000+i*97%ships)) }), "number-cpu-ms")
				b.ReportMetric(questionCost(b, p, func(i int) int { return search(b, p, fmt.Sprintf("VESSEL%%20%06d", i*97%ships)) }), "name-cpu-ms")
			}
		})
	}
}

// killedSea returns a service that was killed after it stored so many ships, and was started again.
func killedSea(b *testing.B, ships int) *process {
	b.Helper()
	dir := b.TempDir()
	log := filepath.Join(dir, "log.nmea")
	writeLog(b, log, messagesAtSea(ships, time.Now().Add(-20*time.Minute)))
	p := startServe(b, dir, "[[feed]]\nname = \"big\"\nurl = \"file://"+log+"?speed=0\"\n[store]\nfull_rate = true\n")
	eventually(b, patience, "all ships are heard", func() bool {
		read, _ := feedCounters(p)["sentences"].(float64)
		return read >= float64(4*ships) // two of the four are static data
	})
	rests(b, p)
	eventually(b, patience, "all is synced", func() bool { return storeCount(p, "pending") == 0 })
	p.kill()
	q := startEmpty(b, dir)
	rests(b, q) // after a start it writes static data of the log to the database
	return q
}

// rests waits until a service has nothing to do.
func rests(b *testing.B, p *process) {
	b.Helper()
	eventually(b, patience, "the service rests", func() bool { return processorShare(b, p, 2*time.Second) < 0.03 })
}

// messagesAtSea returns what makes each of the ships stored: three messages, one of them static data. The picture holds fewer ships than
// there are, so they come in parts.
func messagesAtSea(ships int, at time.Time) iter.Seq2[time.Time, ais.Message] {
	const part = 10_000
	return func(yield func(time.Time, ais.Message) bool) {
		for first := 0; first < ships; first += part {
			for round := range 3 {
				at = at.Add(5 * time.Second)
				for i := first; i < min(first+part, ships); i++ {
					if !yield(at, messageAtSea(i, round)) {
						return
					}
				}
			}
		}
	}
}

func messageAtSea(i, round int) ais.Message {
	m := ais.MMSI(219000000 + i)
	if round == 1 {
		return &ais.StaticVoyage{Header: ais.Header{Type: 5, MMSI: m}, Name: fmt.Sprintf("VESSEL %06d", i), ShipType: 70, Destination: "DKAAR"}
	}
	report := aShip(m, round)
	lon, lat := float64(i%30)+float64(i/600%97)/97, 40+float64(i/30%20)+float64(i/600%89)/89
	report.Place = ais.Place{Lon: int32(lon * 600000), Lat: int32(lat * 600000)}
	return report
}

// areaOfSea asks for the ships of a square of one degree, compressed, and returns how many there are.
func areaOfSea(b *testing.B, p *process, i int) (records int) { return areaOfSeaIn(b, p, i, "gzip") }

// areaOfSeaIn is areaOfSea in an encoding: gzip or identity.
func areaOfSeaIn(b *testing.B, p *process, i int, encoding string) (records int) {
	b.Helper()
	const path = "/api/portserver/ship/area"
	west, south := i%30, 40+i/30%20
	response, text := p.do("POST", path, fmt.Sprintf(`{"area":{"type":"Polygon","coordinates":[[[%d,%d],[%d,%d],[%d,%d],[%d,%d],[%d,%d]]]}}`,
		west, south, west+1, south, west+1, south+1, west, south+1, west, south))
	var job struct{ ID int64 }
	if err := json.Unmarshal(text, &job); err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("%s %s: %v", response.Status, text, err)
	}
	return recordsIn(b, p, fmt.Sprintf("%s/%d", path, job.ID), encoding)
}

func search(b *testing.B, p *process, query string) (records int) {
	b.Helper()
	return recordsOf(b, p, "/api/portserver/ship/search/"+query)
}

func recordsOf(b *testing.B, p *process, path string) int { return recordsIn(b, p, path, "gzip") }

// recordsIn returns how many records an answer has, in an encoding: gzip or identity.
func recordsIn(b *testing.B, p *process, path, encoding string) int {
	b.Helper()
	request, err := http.NewRequest("GET", p.base+path, nil)
	if err != nil {
		b.Fatal(err)
	}
	request.SetBasicAuth("admin", adminPassword)
	request.Header.Set("Accept-Encoding", encoding)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	var text []byte
	answer := io.Reader(response.Body)
	if response.Header.Get("Content-Encoding") == "gzip" {
		if answer, err = gzip.NewReader(response.Body); err != nil {
			b.Fatal(err)
		}
	}
	if text, err = io.ReadAll(answer); err != nil || response.StatusCode != http.StatusOK {
		b.Fatalf("GET %s: %s %.200s, %v", path, response.Status, text, err)
	}
	return bytes.Count(text, []byte(`"mmsi":`))
}

// questionCost asks some hundred questions, and returns the milliseconds of the service's processor time that one takes.
func questionCost(b *testing.B, p *process, ask func(i int) (records int)) float64 {
	b.Helper()
	const questions = 600
	before := cpuTime(b, p)
	for i := range questions {
		if ask(i) == 0 {
			b.Fatalf("answer %d has no ship", i)
		}
	}
	return float64((cpuTime(b, p) - before).Microseconds()) / 1000 / questions
}
