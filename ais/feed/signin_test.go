package feed

import (
	"io"
	"net"
	"strings"
	"testing"
)

// TestRefusedConnectionsAreFew: refused connections that do not close take a bounded number of descriptors, however many come. Each is
// told why.
func TestRefusedConnectionsAreFew(t *testing.T) {
	const connections, kept = 5000, 400
	noAddress := "GET / HTTP/1.1\r\n"
	for name, open := range map[string]func(*testing.T) string{
		"outgoing": func(t *testing.T) string {
			return openHarbour(t, Output{Name: "port", URL: "tcp-listen://127.0.0.1:0"}).address[0]
		},
		"incoming": func(t *testing.T) string {
			d := &gatekeeper{}
			r := start(t, Source{Name: "ferry", URL: "tcp-listen://127.0.0.1:0", SignIn: d.open})
			return r.events.await(t, "feed listens").at
		},
	} {
		t.Run(name, func(t *testing.T) {
			at := open(t)
			before, most, reset := openFiles(t), 0, 0
			var ours []net.Conn // those that do not go
			defer func() {
				for _, conn := range ours {
					conn.Close()
				}
			}()
			for range connections {
				if len(ours) == kept {
					ours[0].Close()
					ours = ours[1:]
				}
				conn, err := net.Dial("tcp4", at)
				if err != nil {
					t.Fatal(err)
				}
				ours = append(ours, conn)
				send(t, conn, noAddress)
				answer, err := io.ReadAll(conn) // to its end: the other side has closed it, or has made room for it
				if err != nil {
					reset++
				} else if !strings.HasPrefix(string(answer), "$PQWA,refused,") {
					t.Fatalf("answer %q", answer)
				}
				most = max(most, openFiles(t)-before-len(ours))
			}
			// Connections that leave, those about to be asked, and one on its way in or out.
			if bound := mostLeaving + mostWaitingOf + 8; most > bound {
				t.Errorf("%d descriptors open for refused connections, at most %d", most, bound)
			}
			if reset > connections/10 {
				t.Errorf("%d of %d were not told why", reset, connections)
			}
			t.Logf("%d descriptors at most, %d of %d were not told why", most, reset, connections)
		})
	}
}
