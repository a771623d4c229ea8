// Package brokertest runs a real MQTT broker, mosquitto, for a test.
package brokertest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"quaywatch/internal/await"
)

// Free returns an address where nothing listens. It lies below the ports that the system gives out by itself. So no connection of another test has it, and none
// is connected to itself because it tries while nothing listens there yet. Another program may take it before the caller does.
func Free(t testing.TB) string {
	t.Helper()
	for range 1000 {
		l, err := net.Listen("tcp", fmt.Sprint("127.0.0.1:", 12000+rand.IntN(20000)))
		if err == nil {
			defer l.Close()
			return l.Addr().String()
		}
	}
	t.Fatal("no port is free")
	return ""
}

// Need skips a test where mosquitto is not installed.
func Need(t testing.TB) {
	t.Helper()
	for _, name := range []string{"mosquitto", "mosquitto_passwd"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip("needs mosquitto (Debian)")
		}
	}
}

// Start starts a broker and waits until it listens. Its configuration is made anew for each try, with the addresses at which it is to listen. This is because
// another program may take one of them before the broker does. The broker ends with stop, or else with the test.
func Start(t testing.TB, configure func() (text string, at []string)) (process *os.Process, stop func()) {
	t.Helper()
	Need(t)
	for range 5 {
		text, at := configure()
		run := exec.Command("mosquitto", "-c", writeConfig(t, text))
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan struct{})
		go func() {
			_ = run.Wait() // it is killed
			close(ended)
		}()
		stop := func() {
			_ = run.Process.Kill() // it may have ended
			<-ended
		}
		t.Cleanup(stop)
		if listens(t, at, ended) {
			return run.Process, stop
		}
	}
	t.Fatal("the broker ended each time before it listened")
	return nil, nil
}

// writeConfig writes a configuration. A broker of root stays root, to read the files of the test.
func writeConfig(t testing.TB, text string) (file string) {
	t.Helper()
	if os.Geteuid() == 0 {
		text = "user root\n" + text
	}
	file = filepath.Join(t.TempDir(), "mosquitto.conf")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// listens waits until something listens at all addresses, and reports whether it does before the broker has ended.
func listens(t testing.TB, at []string, ended <-chan struct{}) bool {
	t.Helper()
	for _, address := range at {
		reached := false
		await.That(t, "the broker listens", func() bool {
			conn, err := net.Dial("tcp", address)
			if reached = err == nil; reached {
				conn.Close()
				return true
			}
			select {
			case <-ended:
				return true
			default:
				return false
			}
		})
		if !reached {
			return false
		}
	}
	return true
}
