//go:build linux

package feed

import (
	"bufio"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quaywatch/ais"
)

// A device hears what is said to it and is heard; while it is open no feed and no second caller has its port.
func TestDevice(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ttyUSB2")
	far := plug(t, path)
	feeds, err := New(nil, ais.NewPool(1), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	url := "serial://" + path + "?baud=115200"
	d, err := feeds.OpenDevice(url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := feeds.OpenDevice(url); err == nil || !strings.Contains(err.Error(), "in use") {
		t.Errorf("opened twice: %v", err)
	}
	if _, free := feeds.ports.claimPort(path); free {
		t.Error("a feed may read the port of the device")
	}
	if _, err := d.Write([]byte("AT\n")); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(far).ReadString('\n'); line != "AT\n" {
		t.Errorf("heard %q, %v", line, err)
	}
	say(t, far, "OK")
	answer := make([]byte, 10)
	if n, err := d.Read(answer); string(answer[:n]) != "OK" {
		t.Errorf("answered %q, %v", answer[:n], err)
	}
	if err := d.SetReadDeadline(time.Now()); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Read(answer); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a silent device: %v", err)
	}
	d.Close()
	again, err := feeds.OpenDevice(url)
	if err != nil {
		t.Fatalf("after it was closed: %v", err)
	}
	d.Close() // of the first one, which has nothing to give back
	if _, free := feeds.ports.claimPort(path); free {
		t.Error("a second Close gave the port of another away")
	}
	again.Close()
	for _, wrong := range []string{"serial://auto", "tcp://host:1", "serial:///dev/x?baud=0", "serial:///dev/x?speed=1", "/dev/x", ""} {
		if ParseDevice(wrong) == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
	if err := ParseDevice(url); err != nil {
		t.Error(err)
	}
}
