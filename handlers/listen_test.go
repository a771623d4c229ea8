package handlers

import (
	"bufio"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// TestASignedInConnectionKeepsItsPlace while more silent connections of its own address come than there are places for it.
func TestASignedInConnectionKeepsItsPlace(t *testing.T) {
	onPipes(t, func(_ *site, p *pipes) {
		conn := p.dial()
		defer conn.Close()
		answers := bufio.NewReader(conn)
		ask := func() {
			t.Helper()
			if _, err := io.WriteString(conn, rawRequest("/api/session")); err != nil {
				t.Fatal(err)
			}
			response, err := http.ReadResponse(answers, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := io.Copy(io.Discard, response.Body); err != nil || response.StatusCode != http.StatusOK {
				t.Errorf("%s, %v", response.Status, err)
			}
		}
		ask()
		time.Sleep(time.Second) // so that it is the one that was silent for longest
		for range connectionsEach + 10 {
			defer p.dial().Close()
		}
		synctest.Wait()
		ask()
	})
}
