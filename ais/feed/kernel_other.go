//go:build !linux

package feed

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// forceReceiveBuffer is known to Linux only.
func forceReceiveBuffer(fd, bytes int) bool { return false }

// drops are known to Linux only.
type drops struct{}

func openDrops(int) drops { return drops{} }

func (drops) more() uint64 { return 0 }

// inputWatch waits until a socket has something to read.
type inputWatch struct{ socket int }

func openInputWatch(socket int) (*inputWatch, error) { return &inputWatch{socket}, nil }

// wait returns when there is something to read, and after readWait or at until at the latest.
func (w *inputWatch) wait(until time.Time) error {
	pause := max(0, min(readWait, time.Until(until)))
	_, err := unix.Poll([]unix.PollFd{{Fd: int32(w.socket), Events: unix.POLLIN}}, int(pause/time.Millisecond))
	if err == unix.EINTR {
		err = nil
	}
	return os.NewSyscallError("poll", err)
}

func (w *inputWatch) close() {}
