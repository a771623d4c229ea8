package feed

import (
	"bufio"
	"bytes"
	"os"
	"strconv"

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
