package feed

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"quaywatch/ais"
)

// kind is the way sentences come in.
type kind int

const (
	kindSerial kind = iota
	kindSerialAuto
	kindUDP
	kindTCP
	kindTCPListen
	kindFile
	kindStdin
)

// finite reports whether a source of this kind ends by itself. Such a source is slowed down by its reader, never shed.
func (k kind) finite() bool { return k == kindFile || k == kindStdin }

// isSerial reports whether a source of this kind is a serial port, which is too slow to need any care.
func (k kind) isSerial() bool { return k == kindSerial || k == kindSerialAuto }

// target is a feed's URL, understood.
type target struct {
	kind      kind
	address   string // host:port, or a path
	baud      int
	speed     float64 // of a file: 1 is its own pace, 0 as fast as it goes
	multicast string  // name of the one interface to join a group on, "" for all
}

const (
	defaultBaud = 38400 // IEC 61162-2, what AIS transponders speak
	maxBaud     = 4_000_000
	maxSpeed    = 1_000_000
)

// The schemes of feeds and of outputs.
const (
	sourceSchemes = "serial, udp, tcp, tcp-listen, file, stdin"
	outputSchemes = "tcp-listen, tcp, udp, serial"
)

// Parse reports whether the source's URL is one of those that this package opens:
//
//	serial:///dev/ttyUSB0?baud=38400   8 data bits, no parity, 1 stop bit; baud is 38400 when left out
//	serial://auto                      finds port and baud rate
//	udp://host:port                    host may be a multicast group, then ?interface=eth0 joins on that one only
//	tcp://host:port                    connects, again and again
//	tcp-listen://host:port             takes several senders at once
//	file:///path?speed=10              plays a log, gzip or not; speed 1 is its own pace and the default, 0 full speed
//	stdin://
func Parse(s Source) error {
	_, err := parse(s)
	return err
}

func parse(s Source) (target, error) {
	t, err := parseURL(s.URL, sourceSchemes)
	if err != nil {
		return target{}, fmt.Errorf("feed %s: url %q: %w", s.Name, s.URL, err)
	}
	if s.Transmit && t.kind != kindSerial && t.kind != kindTCP {
		return target{}, fmt.Errorf("feed %s: %w", s.Name, errTransmit)
	}
	if s.Transmit && s.Clock == ais.LogClock {
		return target{}, fmt.Errorf("feed %s: transmit: what was recorded has no transponder", s.Name)
	}
	if s.Position != nil && !s.Position.Valid() {
		return target{}, fmt.Errorf("feed %s: position %v: not a place on earth", s.Name, *s.Position)
	}
	return t, nil
}

func parseURL(text, schemes string) (target, error) {
	u, err := url.Parse(text)
	if err != nil {
		return target{}, fmt.Errorf("no URL: %w", errors.Unwrap(err))
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return target{}, fmt.Errorf("query: %w", err)
	}
	if u.User != nil || u.Fragment != "" || u.Opaque != "" {
		return target{}, fmt.Errorf("needs the form %s://", u.Scheme)
	}
	if !slices.Contains(strings.Split(schemes, ", "), u.Scheme) {
		return target{}, fmt.Errorf("unknown scheme %q; known are %s", u.Scheme, schemes)
	}
	t, known, err := byScheme(u, query)
	if err != nil {
		return target{}, err
	}
	for key, values := range query {
		if key != known {
			return target{}, fmt.Errorf("unknown parameter %q", key)
		}
		if len(values) > 1 {
			return target{}, fmt.Errorf("parameter %q stands twice", key)
		}
	}
	return t, nil
}

// byScheme returns the target and the one query parameter that its kind knows.
func byScheme(u *url.URL, query url.Values) (t target, parameter string, err error) {
	switch u.Scheme {
	case "serial":
		t, err = serialTarget(u, query)
		if t.kind == kindSerial {
			parameter = "baud"
		}
	case "udp":
		t, err = netTarget(kindUDP, u)
		t.multicast, parameter = query.Get("interface"), "interface"
	case "tcp":
		t, err = netTarget(kindTCP, u)
		if err == nil && u.Hostname() == "" {
			err = fmt.Errorf("needs a host to connect to")
		}
	case "tcp-listen":
		t, err = netTarget(kindTCPListen, u)
	case "file":
		t, err = fileTarget(u, query)
		parameter = "speed"
	default:
		t.kind = kindStdin
		if u.Host != "" || u.Path != "" {
			err = fmt.Errorf("takes nothing after stdin://")
		}
	}
	return t, parameter, err
}

func serialTarget(u *url.URL, query url.Values) (target, error) {
	if u.Host == "auto" && (u.Path == "" || u.Path == "/") {
		return target{kind: kindSerialAuto}, nil
	}
	if u.Host != "" || len(u.Path) < 2 {
		return target{}, fmt.Errorf("needs the form serial:///dev/name or serial://auto")
	}
	t := target{kind: kindSerial, address: u.Path, baud: defaultBaud}
	if text := query.Get("baud"); query.Has("baud") {
		baud, err := strconv.Atoi(text)
		if err != nil || baud < 1 || baud > maxBaud {
			return target{}, fmt.Errorf("baud %q: needs a whole number from 1 to %d", text, maxBaud)
		}
		t.baud = baud
	}
	return t, nil
}

func netTarget(k kind, u *url.URL) (target, error) {
	if u.Path != "" && u.Path != "/" {
		return target{}, fmt.Errorf("takes no path after host:port")
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return target{}, fmt.Errorf("needs host:port with a port from 0 to 65535")
	}
	return target{kind: k, address: net.JoinHostPort(u.Hostname(), strconv.FormatUint(port, 10))}, nil
}

func fileTarget(u *url.URL, query url.Values) (target, error) {
	t := target{kind: kindFile, address: u.Host + u.Path, speed: 1}
	if t.address == "" || t.address == "/" {
		return target{}, fmt.Errorf("needs the form file:///path")
	}
	if text := query.Get("speed"); query.Has("speed") {
		speed, err := strconv.ParseFloat(text, 64)
		if err != nil || !(speed >= 0 && speed <= maxSpeed) {
			return target{}, fmt.Errorf("speed %q: needs a number from 0 (as fast as it goes) to %d", text, maxSpeed)
		}
		t.speed = speed
	}
	return t, nil
}
