package certs

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

func TestNamesOfABox(t *testing.T) {
	own := []netip.Addr{netip.MustParseAddr("192.0.2.7"), netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("192.0.2.7")}
	for _, row := range []struct {
		host  string
		given []string
		dns   string
		at    string
	}{
		{"Kontor", nil, "kontor kontor.local localhost", ""},
		{"kontor.port.example.", nil, "kontor kontor.local kontor.port.example localhost", ""},
		{"a_b", []string{"AIS.port.example", "203.0.113.9", "::ffff:203.0.113.9"}, "ais.port.example localhost", "203.0.113.9"},
		{"", []string{"not a name", "*.port.example"}, "localhost", ""},
	} {
		n := makeNames(row.host, own, row.given)
		var at []string
		for _, a := range n.Given {
			at = append(at, a.String())
		}
		if got := strings.Join(n.DNS, " "); got != row.dns || strings.Join(at, " ") != row.at || len(n.Own) != 2 {
			t.Errorf("%q %v: %q %v %v", row.host, row.given, got, at, n.Own)
		}
	}
}

func TestIsName(t *testing.T) {
	for text, want := range map[string]bool{
		"box": true, "box.local": true, "a-b.c1": true, "xn--hfen-loa.example": true,
		"": false, "-box": false, "box-": false, "a..b": false, "a b": false, "*.example": false, "192.0.2.7": false, "häfen.example": false,
		strings.Repeat("a", 64): false, strings.Repeat("a.", 126) + "a": true, strings.Repeat("a.", 126) + "aa": false,
	} {
		if IsName(text) != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}

func TestTemporaryAddressesDoNotCount(t *testing.T) {
	table := "00000000000000000000000000000001 01 80 10 80       lo\n" +
		"20010db8000000000000000000000007 02 40 00 00     eth0\n" +
		"20010db80000000012345678abcdef01 02 40 00 01     eth0\n" +
		"fe80000000000000 02 40 20 01 eth0\nnot a line\n"
	if got := temporary(table); !slices.Equal(got, []netip.Addr{netip.MustParseAddr("2001:db8::1234:5678:abcd:ef01")}) {
		t.Errorf("%v", got)
	}
}

func TestLookAtThisBox(t *testing.T) {
	n := Look("", []string{"ais.port.example"})()
	if !slices.Contains(n.DNS, "localhost") || !slices.Contains(n.DNS, "ais.port.example") || !slices.Contains(n.Own, netip.MustParseAddr("127.0.0.1")) {
		t.Errorf("%+v", n)
	}
	if n := Look("192.0.2.7", nil)(); len(n.Own) != 1 || n.Own[0] != netip.MustParseAddr("192.0.2.7") {
		t.Errorf("a box that listens on one address has %v", n.Own)
	}
}
