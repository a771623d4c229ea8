package config

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// entries writes feeds and outputs, each "name url", outputs behind a ">", as a configuration.
func entries(list ...string) string {
	var text strings.Builder
	for _, entry := range list {
		kind, user := "feed", ""
		if rest, is := strings.CutPrefix(entry, ">"); is {
			entry, kind = rest, "output"
			if !strings.Contains(entry, "tcp-listen:") {
				user = "user = \"plotter\"\n"
			}
		}
		name, url, _ := strings.Cut(entry, " ")
		fmt.Fprintf(&text, "[[%s]]\nname = %q\nurl = %q\n%s", kind, name, url, user)
	}
	return text.String()
}

// TestEntriesThatClash: what cannot be open together, what makes a loop, and names, each with the names of both and the rule.
func TestEntriesThatClash(t *testing.T) {
	const only, loop = "already, and only one can", "in a loop"
	for _, tt := range []struct {
		text string
		want []string // parts of one line each, in order; none: it is good
	}{
		{entries("a tcp-listen://0.0.0.0:10111", "b tcp-listen://127.0.0.1:10111"), []string{`feed 2 ("b"): url: feed 1 ("a") has TCP port 10111 ` + only}},
		{entries("a udp://0.0.0.0:10110", "b udp://:10110"), []string{`feed 2 ("b"): url: feed 1 ("a") has UDP port 10110 ` + only}},
		{entries("a udp://0.0.0.0:10110", "b tcp-listen://0.0.0.0:10110"), nil},
		{entries("a udp://0.0.0.0:10110", "b udp://0.0.0.0:10111"), nil},
		{entries("a tcp-listen://0.0.0.0:10111", ">a tcp-listen://0.0.0.0:10111"), []string{`output 1 ("a"): url: feed 1 ("a") has TCP port 10111 ` + only}},
		{entries(">a tcp-listen://127.0.0.1:10120", ">b tcp-listen://127.0.0.2:10120"), nil},
		{entries(">a tcp-listen://127.0.0.1:10120", ">b tcp-listen://:10120"), []string{`output 2 ("b"): url: output 1 ("a") has TCP port 10120 ` + only}},
		{entries("a tcp-listen://127.0.0.1:8080"), []string{`feed 1 ("a"): url: http.listen has TCP port 8080 ` + only}},
		{entries(">a tcp-listen://127.0.0.1:8080"), []string{`output 1 ("a"): url: http.listen has TCP port 8080 ` + only}},
		{"[http]\nlisten = \"127.0.0.1:8080\"\n" + entries(">a tcp-listen://127.0.0.2:8080"), nil},
		{"[http]\nlisten = \"8080\"\n", []string{`http.listen: "8080": want address:port`}},
		{entries("a udp://127.0.0.1:8080"), nil},
		{entries("a serial:///dev/ttyUSB7", "b serial:///dev/ttyUSB7?baud=4800"), []string{`feed 2 ("b"): url: feed 1 ("a") has /dev/ttyUSB7 ` + only}},
		{entries("a serial:///dev/ttyUSB7", ">b serial:///dev/ttyUSB7"), []string{`output 1 ("b"): url: feed 1 ("a") has /dev/ttyUSB7 ` + only}},
		{entries(">a serial:///dev/ttyUSB7", ">b serial:///dev/ttyUSB8"), nil},

		{entries("a udp://0.0.0.0:10110", ">b udp://127.0.0.1:10110"), []string{`output 1 ("b"): url: sends to feed 1 ("a") on this box`}},
		{entries("a udp://239.192.0.4:60004", ">b udp://239.192.0.4:60004"), []string{`output 1 ("b"): url: sends to feed 1 ("a") on this box`}},
		{entries("a tcp-listen://0.0.0.0:10111", ">b tcp://localhost:10111"), []string{`output 1 ("b"): url: sends to feed 1 ("a") on this box`}},
		{entries("a tcp://127.0.0.1:10120", ">b tcp-listen://0.0.0.0:10120"), []string{`feed 1 ("a"): url: reads output 1 ("b") of this box`}},
		{entries("a udp://0.0.0.0:10110", ">b udp://192.0.2.1:10110"), nil},
		{entries("a tcp-listen://0.0.0.0:10111", "c udp://:10110", ">b tcp://127.0.0.1:10111", ">d udp://127.0.0.1:10110"), []string{loop, loop}},

		{entries(">a file:///tmp/out"), []string{`output 1 ("a"): url "file:///tmp/out": unknown scheme "file"; known are tcp-listen, tcp, udp, serial`}},
		{entries(">a stdin://"), []string{`known are tcp-listen, tcp, udp, serial`}},

		{entries("Pier udp://:1", "pier udp://:2"), []string{`feed 2 ("pier"): name: used twice, by feed 1 ("Pier") first; case and white space do not`}},
		{entries("pier udp://:1", ">pier tcp-listen://:2"), nil},
		{strings.ReplaceAll(entries(">Pier_1 tcp-listen://:1", ">pier__1 tcp-listen://:2"), "_", " "), []string{`output 2 ("pier  1"): name: used twice, by output 1 ("Pier 1") first`}},
		{entries(strings.Repeat("é", 64) + " udp://:1"), nil},
		{entries(strings.Repeat("é", 65) + " udp://:1"), []string{`name: has 65 characters, may have 64`}},
		{entries("pi\x1ber udp://:1"), []string{`feed 1 ("pi\x1ber"): name: may hold no character that cannot be printed, as '\x1b'`}},
		{entries(">pi\u202eer tcp-listen://:1"), []string{`output 1 ("pi\u202eer"): name: may hold no character that cannot be printed, as '\u202e'`}},
		{entries(">\u00a0 tcp-listen://:1"), []string{"name: must be given", "cannot be printed"}},
	} {
		_, err := Origin{File: configFile(t, strings.ReplaceAll(tt.text, `\x1b`, `\u001b`))}.Read()
		var wrong Error
		if errors.As(err, &wrong); len(wrong) != len(tt.want) {
			t.Errorf("%s\nwant %q, got\n%v", tt.text, tt.want, err)
			continue
		}
		for i, want := range tt.want {
			if !strings.Contains(wrong[i], want) {
				t.Errorf("%s\nwant %q in %q", tt.text, want, wrong[i])
			}
		}
	}
}

// TestLoopsOverOwnAddresses: the addresses of the box itself lead back to it.
func TestLoopsOverOwnAddresses(t *testing.T) {
	c := Default()
	c.Feed = []Feed{{Name: "a", URL: "udp://0.0.0.0:10110"}}
	c.Output = []OutputConfig{{Name: "b", URL: "udp://192.0.2.7:10110", User: "u"}, {Name: "c", URL: "udp://192.0.2.255:10110", User: "u"},
		{Name: "d", URL: "udp://192.0.2.8:10110", User: "u"}}
	wrong := c.checkEnds([]netip.Prefix{netip.MustParsePrefix("192.0.2.7/24")})
	if len(wrong) != 2 || !strings.HasPrefix(wrong[0], `output 1 ("b")`) || !strings.HasPrefix(wrong[1], `output 2 ("c")`) {
		t.Errorf("%q", wrong)
	}
	if own := ownAddresses(); !slices.ContainsFunc(own, func(p netip.Prefix) bool { return p.Addr().IsLoopback() }) {
		t.Errorf("the box has no address of its own: %v", own)
	}
}
