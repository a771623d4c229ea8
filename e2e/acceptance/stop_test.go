package acceptance

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"
)

// busyStop is below the shortest time-out of a client, 10 s: a stop that waits for one takes longer.
const busyStop = 8 * time.Second

// TestStopIsQuickWithSlowClients: half-sent bodies, a half-sent header, a client that does not read and open live streams do not hold a stop up.
func TestStopIsQuickWithSlowClients(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	config, conn := udpFeed(t)
	withinLimit(t, busyStop, "the stop", func() time.Duration {
		p := startServe(t, dir, config)
		canary(t, p, conn, 219000001, 1, patience)
		address := strings.TrimPrefix(p.base, "http://")
		request := func(head, body string) {
			client, err := net.Dial("tcp", address)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { client.Close() })
			const credentials = "Authorization: Basic YWRtaW46aGFyYm91ci1tYXN0ZXItMQ==\r\n" // admin, adminPassword
			if _, err := fmt.Fprintf(client, "%s HTTP/1.1\r\nHost: %s\r\n%s%s", head, address, credentials, body); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			request("POST /api/config/group", "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"name\":")
			request("GET /api/status", "X-Half")
			request("GET /api/live", "\r\n")
			request("GET /api/openapi.yaml", "\r\n")
		}
		eventually(t, patience, "the streams are open", func() bool {
			var status struct{ Live struct{ Clients int } }
			p.get("/api/status", &status)
			return status.Live.Clients == 5
		})
		began := time.Now()
		if code := p.stop(patience); code != 0 {
			t.Errorf("exit %d: %s", code, p.stderr.String())
		}
		return time.Since(began)
	})
}
