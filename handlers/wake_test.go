package handlers

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/handlers/live"
	"quaywatch/users/access"
)

// recorder is an httptest.ResponseRecorder that may be read while it is written.
type recorder struct {
	*httptest.ResponseRecorder
	said journal
}

func (r *recorder) Write(b []byte) (int, error) { return r.said.Write(b) }

// A live stream sleeps until a change for it exists: the first after a rest is sent at once, without time passing. What comes within
// the next second is sent together. A selection and the loss of a right do not wait for the clock either.
func TestALiveStreamIsWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := httptest.NewRequestWithContext(ctx, "GET", live.Path, nil)
		r.Header.Set("Authorization", basic(access.AdminName, adminPassword))
		w := &recorder{ResponseRecorder: httptest.NewRecorder()}
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.server.Handler().ServeHTTP(w, r)
		}()
		events := func(name string) int {
			synctest.Wait()
			return strings.Count(w.said.String(), "event: "+name+"\n")
		}
		if n := events("picture"); n != 1 {
			t.Fatalf("%d pictures: %d %s", n, w.Code, w.said.String())
		}
		time.Sleep(3 * live.ChangeEvery)
		for i := range 3 {
			s.hear(noon().Add(time.Duration(i)*time.Minute), position(nordic, 10.3+float64(i)/1000, 56.14, 100, 900))
			if n := events("change"); n != 1 {
				t.Errorf("after report %d within a second: %d changes", i+1, n)
			}
		}
		time.Sleep(live.ChangeEvery)
		if n := events("change"); n != 2 {
			t.Errorf("a second later: %d changes", n)
		}
		time.Sleep(10 * live.ChangeEvery)
		if n := events("change"); n != 2 {
			t.Errorf("nothing changed: %d changes", n)
		}
		s.post(selectPath, `{"owner":"erp1","ships":[{"mmsi":219018765}]}`).is(t, 200)
		if n := events("select"); n != 1 {
			t.Errorf("%d selections", n)
		}
		if err := s.users.SetPassword(access.AdminName, "a completely new one"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		select {
		case <-ended:
		default:
			t.Error("the stream outlives the password")
		}
	})
}
