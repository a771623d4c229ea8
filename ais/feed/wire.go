package feed

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// wire is where lines of ours go, those of a subscriber or for a transponder: a connection or a serial port.
type wire interface {
	Write(p []byte) (int, error)
	SetWriteDeadline(t time.Time) error
	Close() error
}

// How much is made ready for a wire at once: what waits there is older than what is in the ring.
const (
	streamFill   = 16 << 10
	serialFill   = 1 << 10
	mostDatagram = 1400      // bytes: below what any network takes whole
	sendBuffer   = 256 << 10 // of the kernel: a peer that stalls shows soon
)

// openWire opens what a sender sends to.
func (t target) openWire(ctx context.Context) (wire, error) {
	switch t.kind {
	case kindSerial:
		p, err := openPort(t.address, t.baud)
		if err != nil {
			return nil, err
		}
		return serialWire{p}, nil
	case kindTCP:
		dialer := net.Dialer{Timeout: dialTimeout, KeepAliveConfig: keepAlive}
		return dialer.DialContext(ctx, "tcp", t.address)
	default:
		dialer := net.Dialer{Timeout: dialTimeout, Control: t.prepareSending}
		return dialer.DialContext(ctx, "udp", t.address)
	}
}

// prepareSending makes datagrams to a multicast group leave by the named interface. They do not leave the network: that is
// what kernels do, and what is said here all the same.
func (t target) prepareSending(network, _ string, c syscall.RawConn) (err error) {
	index := 0
	if t.multicast != "" {
		i, err := net.InterfaceByName(t.multicast)
		if err != nil {
			return fmt.Errorf("interface %q: %w", t.multicast, err)
		}
		index = i.Index
	}
	control := c.Control(func(number uintptr) {
		fd := int(number)
		if network == "udp6" {
			err = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_HOPS, 1)
			if err == nil && index != 0 {
				err = unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_MULTICAST_IF, index)
			}
			return
		}
		err = unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_TTL, 1)
		if err == nil && index != 0 {
			err = unix.SetsockoptIPMreqn(fd, unix.IPPROTO_IP, unix.IP_MULTICAST_IF, &unix.IPMreqn{Ifindex: int32(index)})
		}
	})
	if control != nil {
		return control
	}
	return err
}

// serialWire is a serial port to write to.
type serialWire struct{ *port }

func (w serialWire) Write(b []byte) (int, error)        { return w.file.Write(b) }
func (w serialWire) SetWriteDeadline(t time.Time) error { return w.file.SetWriteDeadline(t) }

func (w serialWire) Close() error {
	w.port.Close()
	return nil
}
