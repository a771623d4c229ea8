package feed

import (
	"errors"
	"net"
	"os"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A client that sends its line slowly has ten seconds; what came behind the line is not lost.
func TestLoginTakesTenSeconds(t *testing.T) {
	read := func(t *testing.T, send func(net.Conn)) (login Login, rest []byte, err error) {
		synctest.Test(t, func(t *testing.T) {
			here, there := net.Pipe()
			var sending sync.WaitGroup
			sending.Go(func() { send(there) })
			began := time.Now()
			login, rest, err = ReadLogin(here)
			if took := time.Since(began); err != nil && took != loginTime {
				t.Errorf("given up after %v", took)
			}
			here.Close()
			sending.Wait()
		})
		return login, rest, err
	}
	_, _, err := read(t, func(conn net.Conn) {
		for _, c := range "LOGIN pilot secret" {
			if _, err := conn.Write([]byte(string(c))); err != nil {
				return
			}
			time.Sleep(time.Second)
		}
	})
	if !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a slow client: %v", err)
	}
	login, rest, err := read(t, func(conn net.Conn) { _, _ = conn.Write([]byte("LOGIN pilot secret\r\n!AIVDM")) })
	if err != nil || login != (Login{"pilot", "secret"}) || string(rest) != "!AIVDM" {
		t.Errorf("%+v, %q, %v", login, rest, err)
	}
}

func TestLogin(t *testing.T) {
	tests := []struct {
		line string
		want Login
		ok   bool
	}{
		{"LOGIN pilot correct horse", Login{"pilot", "correct horse"}, true},
		{"login pilot secret\r", Login{"pilot", "secret"}, true},
		{`LOGIN "Port Office" secret`, Login{"Port Office", "secret"}, true},
		{"LOGIN  pilot secret ", Login{"pilot", "secret "}, true},
		{"LOGIN pilot", Login{}, false},
		{`LOGIN "Port Office`, Login{}, false},
		{"!AIVDM,1,1,,A,13@:`L001N0ded0O6Fp8wW<00<0t,0*7B", Login{}, false},
		{"", Login{}, false},
	}
	for _, test := range tests {
		got, ok := parseLogin(test.line)
		if ok != test.ok || ok && got != test.want {
			t.Errorf("%q: %+v, %v", test.line, got, ok)
		}
	}
}
