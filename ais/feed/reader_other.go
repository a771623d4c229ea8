//go:build !linux

package feed

import (
	"net/netip"

	"golang.org/x/sys/unix"
)

// reader reads datagrams one by one where there is no call for many.
type reader struct {
	from   netip.AddrPort
	length int
	bytes  [maxDatagram]byte
}

func newReader() *reader { return &reader{} }

// read takes one datagram; unix.EAGAIN when there is none.
func (r *reader) read(fd int) (int, error) {
	n, from, err := unix.Recvfrom(fd, r.bytes[:], 0)
	if err != nil {
		return 0, err
	}
	r.from, r.length = netip.AddrPort{}, n
	switch a := from.(type) {
	case *unix.SockaddrInet4:
		r.from = netip.AddrPortFrom(netip.AddrFrom4(a.Addr), uint16(a.Port))
	case *unix.SockaddrInet6:
		r.from = netip.AddrPortFrom(netip.AddrFrom16(a.Addr), uint16(a.Port))
	}
	return 1, nil
}

// datagram returns what was read and where it came from; valid until the next read.
func (r *reader) datagram(int) (from netip.AddrPort, p []byte) { return r.from, r.bytes[:r.length] }
