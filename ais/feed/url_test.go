package feed

import (
	"log/slog"
	"strings"
	"testing"

	"quaywatch/ais"
	"quaywatch/geo"
)

func TestParse(t *testing.T) {
	for text, want := range map[string]target{
		"serial:///dev/ttyUSB0?baud=4800":     {kind: kindSerial, address: "/dev/ttyUSB0", baud: 4800},
		"serial:///dev/ttyUSB0":               {kind: kindSerial, address: "/dev/ttyUSB0", baud: 38400},
		"serial://auto":                       {kind: kindSerialAuto},
		"udp://0.0.0.0:10110":                 {kind: kindUDP, address: "0.0.0.0:10110"},
		"udp://:10110":                        {kind: kindUDP, address: ":10110"},
		"udp://239.192.0.4:60004":             {kind: kindUDP, address: "239.192.0.4:60004"},
		"udp://239.192.0.4:60004?interface=l": {kind: kindUDP, address: "239.192.0.4:60004", multicast: "l"},
		"udp://[::1]:10110":                   {kind: kindUDP, address: "[::1]:10110"},
		"tcp://ais.example:2101":              {kind: kindTCP, address: "ais.example:2101"},
		"tcp-listen://0.0.0.0:10111":          {kind: kindTCPListen, address: "0.0.0.0:10111"},
		"file:///a/b%20c.nmea?speed=10":       {kind: kindFile, address: "/a/b c.nmea", speed: 10},
		"file:///a/b":                         {kind: kindFile, address: "/a/b", speed: 1},
		"file://logs/b.gz?speed=0":            {kind: kindFile, address: "logs/b.gz", speed: 0},
		"stdin://":                            {kind: kindStdin},
	} {
		got, err := parse(Source{Name: "roof", URL: text})
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v; want %+v", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, rule := range map[string]string{
		"":                                  "unknown scheme",
		"roof":                              "unknown scheme",
		"http://a:1":                        "unknown scheme",
		"::":                                "no URL",
		"udp://host":                        "port",
		"udp://host:70000":                  "port",
		"udp://h:1/path":                    "no path",
		"udp://h:1?buffer=3":                `unknown parameter "buffer"`,
		"tcp://:1":                          "host",
		"tcp://a@h:1":                       "form",
		"tcp-listen://1":                    "port",
		"serial://":                         "form",
		"serial://ttyUSB0":                  "form",
		"serial://auto?baud=4800":           "unknown parameter",
		"serial:///dev/ttyUSB0?baud=fast":   "baud",
		"serial:///dev/ttyUSB0?baud=0":      "baud",
		"serial:///dev/ttyS0?baud=1&baud=2": "twice",
		"file://":                           "form",
		"file:///a?speed=-1":                "speed",
		"file:///a?speed=NaN":               "speed",
		"file:///a?speed=":                  "speed",
		"file:a":                            "form",
		"stdin://x":                         "nothing after",
		"file:///a?speed=%zz":               "query",
		"tcp://host:port":                   "port",
	} {
		err := Parse(Source{Name: "roof", URL: text})
		if err == nil || !strings.Contains(err.Error(), rule) || !strings.Contains(err.Error(), "feed roof") {
			t.Errorf("%s: %v; want %q", text, err, rule)
		}
	}
	nowhere := Source{Name: "roof", URL: "stdin://", Position: &geo.Point{Lon: 10, Lat: 91}}
	if err := Parse(nowhere); err == nil || !strings.Contains(err.Error(), "position") {
		t.Errorf("latitude 91: %v", err)
	}
}

func TestNamesAreUnique(t *testing.T) {
	for _, names := range [][]string{{""}, {"a", "a"}} {
		var sources []Source
		for _, n := range names {
			sources = append(sources, Source{Name: n, URL: "stdin://"})
		}
		if _, err := New(sources, ais.NewPool(1), slog.New(slog.DiscardHandler)); err == nil {
			t.Errorf("%q: taken", names)
		}
	}
}
