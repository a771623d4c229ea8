package feed

import (
	"math/bits"
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"
)

// readerSlots is how many datagrams one system call reads at most.
const readerSlots = 32

// reader reads many datagrams with one system call (recvmmsg(2)) and allocates nothing meanwhile. At 30,000 a second, a call and an
// address on the heap for each cost as much as all the rest together.
//
// The kernel writes through the pointers in headers. That is safe, because they point to one reader only. It stands on the heap, where Go does not move it, and
// the caller of read keeps it.
type reader struct {
	headers [readerSlots]multiHeader
	vectors [readerSlots]unix.Iovec
	names   [readerSlots]unix.RawSockaddrAny
	bytes   [readerSlots][maxDatagram]byte // untouched pages take no memory
}

// multiHeader is C's struct mmsghdr.
type multiHeader struct {
	header unix.Msghdr
	length uint32
}

func newReader() *reader {
	r := &reader{}
	for i := range r.headers {
		r.vectors[i].Base = &r.bytes[i][0]
		r.vectors[i].SetLen(maxDatagram)
		r.headers[i].header.Iov = &r.vectors[i]
		r.headers[i].header.SetIovlen(1)
		r.headers[i].header.Name = (*byte)(unsafe.Pointer(&r.names[i]))
	}
	return r
}

// read takes what there is, at most readerSlots datagrams, and tells how many; unix.EAGAIN when there is nothing.
func (r *reader) read(fd int) (int, error) {
	for i := range r.headers {
		r.headers[i].header.Namelen = unix.SizeofSockaddrAny // the kernel has put the last address's length here
	}
	n, _, errno := unix.Syscall6(unix.SYS_RECVMMSG, uintptr(fd), uintptr(unsafe.Pointer(&r.headers)), readerSlots, 0, 0, 0)
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// datagram returns the i-th of what was read and where it came from; valid until the next read.
func (r *reader) datagram(i int) (from netip.AddrPort, p []byte) {
	switch name := &r.names[i]; name.Addr.Family {
	case unix.AF_INET:
		a := (*unix.RawSockaddrInet4)(unsafe.Pointer(name))
		from = netip.AddrPortFrom(netip.AddrFrom4(a.Addr), bits.ReverseBytes16(a.Port))
	case unix.AF_INET6:
		a := (*unix.RawSockaddrInet6)(unsafe.Pointer(name))
		from = netip.AddrPortFrom(netip.AddrFrom16(a.Addr), bits.ReverseBytes16(a.Port))
	}
	return from, r.bytes[i][:r.headers[i].length]
}
