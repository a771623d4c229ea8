package feed

import (
	"context"
	"net"
	"net/netip"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestEndpointsClash: by the rule, and where the kernel can be asked, by what it says when both are opened.
func TestEndpointsClash(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"tcp-listen://0.0.0.0:P", "tcp-listen://127.0.0.1:P", true},
		{"tcp-listen://127.0.0.1:P", "tcp-listen://:P", true},
		{"tcp-listen://[::]:P", "tcp-listen://127.0.0.1:P", true},
		{"tcp-listen://0.0.0.0:P", "tcp-listen://[::1]:P", true}, // Go listens for both
		{"tcp-listen://0.0.0.0:P", "tcp-listen://[::]:P", true},
		{"tcp-listen://LOCALHOST:P", "tcp-listen://127.0.0.1:P", true},
		{"tcp-listen://localhost:P", "tcp-listen://[::1]:P", false},
		{"tcp-listen://127.0.0.1:P", "tcp-listen://127.0.0.2:P", false},
		{"tcp-listen://127.0.0.1:P", "tcp-listen://127.0.0.1:Q", false},
		{"tcp-listen://127.0.0.1:P", "udp://127.0.0.1:P", false},
		{"tcp-listen://127.0.0.1:0", "tcp-listen://127.0.0.1:0", false},
		{"udp://0.0.0.0:P", "udp://127.0.0.1:P", true},
		{"udp://:P", "udp://[::1]:P", true},
		{"udp://0.0.0.0:P", "udp://[::1]:P", false},
		{"udp://[::1]:P", "udp://0.0.0.0:P", false},
		{"udp://0.0.0.0:P", "udp://[::]:P", true},
		{"udp://0.0.0.0:P", "udp://:P", true},
		{"udp://0.0.0.0:P", "udp://239.192.0.4:P", true},
		{"udp://239.192.0.4:P", "udp://0.0.0.0:P", true},
		{"udp://239.192.0.4:P", "udp://239.192.0.5:P", false},
	} {
		t.Run(tt.a+" "+tt.b, func(t *testing.T) {
			var first, second error
			for range 5 { // another program may take a port of the two before it is opened here
				p, q := twoPorts(t)
				fill := strings.NewReplacer(":P", ":"+p, ":Q", ":"+q).Replace
				a, b := fill(tt.a), fill(tt.b)
				if got := SourceEndpoint(a).Clashes(SourceEndpoint(b)); got != tt.want {
					t.Errorf("clash by the rule: %v, want %v", got, tt.want)
				}
				first, second = openBoth(t, a, b)
				if noSuchNetwork(first) {
					t.Skipf("%s cannot be opened here: %v", a, first)
				}
				if first == nil && (tt.want || !inUse(second)) {
					break
				}
			}
			if first != nil {
				t.Fatal(first)
			}
			if (second != nil) != tt.want && (second == nil || inUse(second)) {
				t.Errorf("both opened: %v, and the rule says %v", second, tt.want)
			}
		})
	}
}

// openBoth opens what two URLs listen on at the same time, closes it, and tells how each went.
func openBoth(t *testing.T, a, b string) (first, second error) {
	t.Helper()
	closer, first := openOf(t, a)
	if first != nil {
		return first, nil
	}
	defer closer()
	other, second := openOf(t, b)
	if second == nil {
		other()
	}
	return nil, second
}

func inUse(err error) bool {
	return err != nil && strings.Contains(err.Error(), "address already in use")
}

// twoPorts returns two ports that are free for TCP and UDP.
func twoPorts(t *testing.T) (p, q string) {
	t.Helper()
	var ports []string
	for len(ports) < 2 {
		tcp, err := net.Listen("tcp", ":0")
		if err != nil {
			t.Fatal(err)
		}
		defer tcp.Close()
		_, port, _ := net.SplitHostPort(tcp.Addr().String())
		if udp, err := net.ListenPacket("udp", ":"+port); err == nil {
			udp.Close()
			ports = append(ports, port)
		}
	}
	return ports[0], ports[1]
}

// openOf opens what a feed's URL listens on.
func openOf(t *testing.T, url string) (closer func(), err error) {
	t.Helper()
	target, err := parseURL(url, sourceSchemes)
	if err != nil {
		t.Fatal(err)
	}
	if target.kind == kindUDP {
		s, err := target.openUDP(context.Background())
		if err != nil {
			return nil, err
		}
		return func() { unix.Close(s.fd) }, nil
	}
	port, err := net.Listen("tcp", target.address)
	if err != nil {
		return nil, err
	}
	return func() { port.Close() }, nil
}

func TestEndpointsThatTheKernelDoesNotJudge(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"udp://239.192.0.4:60004", "udp://239.192.0.4:60004", true},
		{"udp://239.192.0.4:60004?interface=eth0", "udp://239.192.0.4:60004", true},
		{"udp://239.192.0.4:60004?interface=eth0", "udp://239.192.0.4:60004?interface=eth1", false},
		{"serial:///dev/ttyUSB0", "serial:///dev//ttyUSB0?baud=4800", true},
		{"serial:///dev/ttyUSB0", "serial:///dev/ttyUSB1", false},
		{"serial://auto", "serial://auto", false},
		{"tcp://127.0.0.1:4001", "tcp://127.0.0.1:4001", false},
		{"stdin://", "stdin://", false},
		{"ftp://x", "ftp://x", false},
	} {
		if got := SourceEndpoint(tt.a).Clashes(SourceEndpoint(tt.b)); got != tt.want {
			t.Errorf("%s and %s: %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
	for address, wrong := range map[string]bool{":8080": false, "127.0.0.1:8080": false, "[::1]:http": false, "8080": true, ":x8080": true, "": true,
		":70000": true} {
		if _, err := ListenEndpoint(address); (err != nil) != wrong {
			t.Errorf("listen at %q: %v", address, err)
		}
	}
}

// TestEndpointsCall: an output reaches a feed of the same box on its own addresses, by broadcast and by its groups.
func TestEndpointsCall(t *testing.T) {
	own := []netip.Prefix{netip.MustParsePrefix("192.0.2.7/28"), netip.MustParsePrefix("2001:db8::7/64")}
	for _, tt := range []struct {
		output, feed string
		want         bool
	}{
		{"udp://127.0.0.1:10110", "udp://0.0.0.0:10110", true},
		{"udp://127.0.0.1:10110", "udp://127.0.0.1:10110", true},
		{"udp://127.0.0.1:10110", "udp://192.0.2.7:10110", false},
		{"udp://localhost:10110", "udp://:10110", true},
		{"udp://0.0.0.0:10110", "udp://127.0.0.1:10110", true},
		{"udp://192.0.2.7:10110", "udp://0.0.0.0:10110", true},
		{"udp://192.0.2.7:10110", "udp://192.0.2.7:10110", true},
		{"udp://192.0.2.9:10110", "udp://0.0.0.0:10110", false}, // another box
		{"udp://192.0.2.15:10110", "udp://0.0.0.0:10110", true}, // all boxes of the network
		{"udp://192.0.2.255:10110", "udp://0.0.0.0:10110", false},
		{"udp://255.255.255.255:10110", "udp://0.0.0.0:10110", true},
		{"udp://[2001:db8::7]:10110", "udp://:10110", true},
		{"udp://[2001:db8::7]:10110", "udp://0.0.0.0:10110", false},
		{"udp://127.0.0.1:10110", "udp://0.0.0.0:10111", false},
		{"udp://127.0.0.1:10110", "tcp-listen://0.0.0.0:10110", false},
		{"udp://plotter.example:10110", "udp://0.0.0.0:10110", false}, // it is not known yet where that is
		{"udp://plotter.example:10110", "udp://:10110", false},
		{"udp://239.192.0.4:60004", "udp://239.192.0.4:60004", true},
		{"udp://239.192.0.4:60004?interface=eth0", "udp://239.192.0.4:60004?interface=eth1", false},
		{"udp://239.192.0.4:60004", "udp://239.192.0.5:60004", false},
		{"tcp://127.0.0.1:10111", "tcp-listen://0.0.0.0:10111", true},
		{"tcp://relay.example:10111", "tcp-listen://0.0.0.0:10111", false},
		{"tcp://relay.example:10111", "tcp-listen://Relay.example:10111", true},
		{"tcp://127.0.0.1:10111", "tcp://127.0.0.1:10111", false},
		{"tcp-listen://:10111", "tcp-listen://:10111", false},
		{"serial:///dev/ttyUSB0", "serial:///dev/ttyUSB0", false},
	} {
		if got := OutputEndpoint(tt.output).Calls(SourceEndpoint(tt.feed), own); got != tt.want {
			t.Errorf("%s reaches %s: %v, want %v", tt.output, tt.feed, got, tt.want)
		}
	}
	// The other way round: a feed that connects to an output.
	if !SourceEndpoint("tcp://127.0.0.1:10120").Calls(OutputEndpoint("tcp-listen://:10120"), own) {
		t.Error("a feed that reads an output is not told")
	}
}
