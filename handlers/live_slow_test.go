package handlers

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"quaywatch/ais"
	"quaywatch/handlers/live"
)

// TestSlowReadersShareThePicture: clients that have taken a part of the picture and read no more hold no ships of their own. Each gets the
// whole picture when it reads on.
func TestSlowReadersShareThePicture(t *testing.T) {
	const ships, clients = 4000, 31 // one more is the most of one caller
	onPipes(t, func(s *site, p *pipes) {
		for i := range ships {
			s.hear(noon(), position(ais.MMSI(219000001+i), 10, 56, 0, 0))
		}
		var conns []net.Conn
		begin := func() {
			conn := p.dial()
			conns = append(conns, conn)
			if _, err := io.WriteString(conn, rawRequest(live.Path)); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
		}
		begin() // what the first one costs for good does not count
		before := heap()
		for range clients {
			begin()
		}
		if each := (heap() - before) / clients; each > 320<<10 {
			t.Errorf("a client that waits holds %d KiB", each>>10)
		} else {
			t.Logf("a client that waits holds %d KiB", each>>10)
		}
		var reading sync.WaitGroup
		for i, conn := range conns {
			reading.Go(func() {
				defer conn.Close()
				if n, err := shipsOfPicture(conn); n != ships {
					t.Errorf("client %d: %d ships, want %d: %v", i, n, ships, err)
				}
			})
		}
		reading.Wait()
	})
}

// heap returns the bytes in use.
func heap() int {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// shipsOfPicture reads a stream up to its picture and counts the ships in it.
func shipsOfPicture(conn net.Conn) (int, error) {
	response, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return 0, err
	}
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, 16<<20)
	read := 0
	for lines.Scan() {
		read += len(lines.Text())
		var picture struct{ Records []json.RawMessage }
		if text, ok := strings.CutPrefix(lines.Text(), "data: {\"time\""); ok {
			err := json.Unmarshal([]byte("{\"time\""+text), &picture)
			return len(picture.Records), err
		}
	}
	return 0, fmt.Errorf("no picture in %d bytes: %v", read, lines.Err())
}
