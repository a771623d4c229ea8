package feed

import (
	"bufio"
	"context"
	"net"
	"path/filepath"
	"testing"

	"quaywatch/ais"

	"golang.org/x/sys/unix"
)

// TestSerialOutput: lines reach the port, and reach it again after it was unplugged.
func TestSerialOutput(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ttyUSB1")
	far := plug(t, path)
	h := openHarbour(t, Output{Name: "plotter", URL: "serial://" + path + "?baud=4800", User: "anna"})
	for cycle := range uint64(3) {
		h.until(t, "it sends", func(all []ais.OutputStatus) bool { return len(all[0].Subscribers) == 1 && all[0].Connects == cycle+1 })
		publish(h, 211000001, "!one")
		if got := line(t, bufio.NewReader(far)); got != "!one\n" && got != "!one\r\n" {
			t.Errorf("%q", got)
		}
		unplug(t, far, path)
		h.until(t, "the loss is noticed", func(all []ais.OutputStatus) bool {
			publish(h, 211000001, "!nobody")
			return !all[0].Open && len(all[0].Subscribers) == 0 && all[0].LastError != ""
		})
		far = plug(t, path)
	}
}

// TestMulticastStaysOnTheNetwork: a group is sent to by the named interface, no farther than the next router.
func TestMulticastStaysOnTheNetwork(t *testing.T) {
	target, err := parseURL("udp://239.192.0.4:60004?interface=lo", outputSchemes)
	if err != nil {
		t.Fatal(err)
	}
	w, err := target.openWire(context.Background())
	if noSuchNetwork(err) {
		t.Skipf("no multicast here: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	raw, err := w.(*net.UDPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err := raw.Control(func(fd uintptr) {
		if hops, err := unix.GetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_MULTICAST_TTL); err != nil || hops != 1 {
			t.Errorf("%d hops, %v", hops, err)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := (target.withInterface("no-such")).openWire(context.Background()); err == nil {
		t.Error("an interface that is not there was taken")
	}
}

func (t target) withInterface(name string) target {
	t.multicast = name
	return t
}
