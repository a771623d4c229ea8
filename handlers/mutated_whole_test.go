//go:build !race

package handlers

import (
	"cmp"
	"compress/gzip"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/handlers/requesttest"
)

// TestMutatedRequests sends requests with faults of every kind to every route, as each of the callers. Each gets an answer that the
// contract allows, nothing panics and nothing stays behind. QUAYWATCH_MUTATIONS is how many are sent.
func TestMutatedRequests(t *testing.T) {
	count, err := strconv.Atoi(cmp.Or(os.Getenv("QUAYWATCH_MUTATIONS"), "3000"))
	if err != nil {
		t.Fatal(err)
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	document, err := openAPIDocument()
	if err != nil {
		t.Fatal(err)
	}
	maker, err := requesttest.New(document, seed, "owner", "member", "crew", "bridge", "tugs", "quay", "fast")
	if err != nil {
		t.Fatal(err)
	}
	answers := &[600]atomic.Int64{}
	for round := uint64(0); count > 0; round++ {
		count -= askMutatedRound(t, maker, seed+round<<32, count, answers)
		if t.Failed() {
			break
		}
	}
	told := map[int]int64{}
	for status := range answers {
		if n := answers[status].Load(); n > 0 {
			told[status] = n
		}
	}
	t.Logf("answers by status: %v", told)
	for _, status := range []int{200, 204, 400, 401, 403, 404, 405} {
		if told[status] == 0 {
			t.Errorf("no request was answered with %d: the requests do not come far", status)
		}
	}
}

// A long track comes in parts and is whole in each layout, compressed or not; a short one comes with its length.
func TestALongTrackComesInParts(t *testing.T) {
	s := newSite(t)
	const long, short = 20000, 100
	s.past(nordic, long)
	s.past(nordic+1, short)
	server := s.serve()
	for _, row := range []struct {
		m     ais.MMSI
		count int
	}{{nordic, long}, {nordic + 1, short}} {
		path := s.trackOf("admin", row.m)
		s.finish("admin", path)
		for format, sign := range map[string]string{"json": ",\"", "geojson": "[1", "csv": "\n", "gpx": "<trkpt", "kml": "<when>"} {
			var texts []string
			for _, packing := range []string{"", "gzip"} {
				r, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+path+"&format="+format, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Header.Set("Authorization", s.credentials("admin"))
				r.Header.Set("Accept-Encoding", packing)
				response, err := http.DefaultTransport.RoundTrip(r)
				if err != nil {
					t.Fatal(err)
				}
				defer response.Body.Close()
				if whole := response.ContentLength >= 0; whole != (row.count == short) || response.Header.Get("Content-Encoding") != packing {
					t.Errorf("%d fixes as %s: length %d, packed as %q", row.count, format, response.ContentLength, response.Header.Get("Content-Encoding"))
				}
				body := io.Reader(response.Body)
				if packing != "" {
					if body, err = gzip.NewReader(body); err != nil {
						t.Fatal(err)
					}
				}
				text, err := io.ReadAll(body)
				if err != nil {
					t.Fatal(err)
				}
				texts = append(texts, string(text))
			}
			if texts[0] != texts[1] {
				t.Errorf("%d fixes as %s: %d bytes, and unpacked %d", row.count, format, len(texts[0]), len(texts[1]))
			}
			if found := strings.Count(texts[0], sign); found < row.count || found > 2*row.count+20 {
				t.Errorf("%d fixes as %s: %q stands there %d times", row.count, format, sign, found)
			}
		}
		if fixes := coordinates(t, s.get(path)); len(fixes) != row.count {
			t.Errorf("%d fixes of %d", len(fixes), row.count)
		}
	}
}
