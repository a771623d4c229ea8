package feed

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// forceReceiveBuffer sets the receive buffer beyond net.core.rmem_max, which a privileged process may.
func forceReceiveBuffer(fd, bytes int) bool {
	return unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, bytes) == nil
}

// drops reads how many datagrams the kernel dropped at one socket.
type drops struct {
	inode []byte // of the socket, in digits
	seen  uint64
}

// openDrops finds the socket's inode; without one the drops stay 0.
func openDrops(fd int) drops {
	var stat unix.Stat_t
	if unix.Fstat(fd, &stat) != nil {
		return drops{}
	}
	return drops{inode: strconv.AppendUint(nil, stat.Ino, 10)}
}

// more returns how many were dropped since it was asked last.
func (d *drops) more() uint64 {
	if len(d.inode) == 0 {
		return 0
	}
	for _, table := range []string{"/proc/self/net/udp", "/proc/self/net/udp6"} {
		if now, ok := dropsIn(table, d.inode); ok {
			n := now - d.seen
			d.seen = now
			return n
		}
	}
	return 0
}

// dropsIn reads the last column, drops, of the line whose tenth column is the inode (net/ipv4/udp.c, udp4_format_sock).
func dropsIn(table string, inode []byte) (uint64, bool) {
	file, err := os.Open(table)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		if !bytes.Contains(lines.Bytes(), inode) {
			continue
		}
		columns := bytes.Fields(lines.Bytes())
		if len(columns) >= 13 && bytes.Equal(columns[9], inode) {
			n, err := strconv.ParseUint(string(columns[12]), 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// inputWatch waits until a socket has something to read.
//
// Go's poller would be woken for each datagram, also while they gather. A thread that waits in poll(2) costs more still: Go's scheduler looks after it some
// fifty times. So an epoll of its own watches the socket. It tells of one datagram each time that it is asked, and Go's poller watches it.
type inputWatch struct {
	socket int
	file   *os.File // the epoll
	conn   syscall.RawConn
}

func openInputWatch(socket int) (*inputWatch, error) {
	fd, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create", err)
	}
	err = errors.Join(unix.SetNonblock(fd, true), unix.EpollCtl(fd, unix.EPOLL_CTL_ADD, socket, &unix.EpollEvent{Events: unix.EPOLLONESHOT}))
	file := os.NewFile(uintptr(fd), "epoll")
	conn, raw := file.SyscallConn()
	if err := errors.Join(err, raw); err != nil {
		file.Close()
		return nil, os.NewSyscallError("epoll_ctl", err)
	}
	return &inputWatch{socket, file, conn}, nil
}

// wait returns when there is something to read, and at until at the latest.
func (w *inputWatch) wait(until time.Time) error {
	if err := w.file.SetReadDeadline(until); err != nil {
		return err
	}
	asked := false
	var refused error
	err := w.conn.Read(func(epoll uintptr) bool {
		if !asked {
			asked = true
			once := unix.EpollEvent{Events: unix.EPOLLIN | unix.EPOLLONESHOT}
			refused = os.NewSyscallError("epoll_ctl", unix.EpollCtl(int(epoll), unix.EPOLL_CTL_MOD, w.socket, &once))
		}
		return refused != nil || toldOf(int(epoll))
	})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = nil
	}
	return errors.Join(err, refused)
}

// toldOf reports whether an epoll tells of something.
func toldOf(epoll int) bool {
	var event [1]unix.EpollEvent
	n, err := unix.EpollWait(epoll, event[:], 0)
	return n > 0 && err == nil
}

func (w *inputWatch) close() { w.file.Close() }
