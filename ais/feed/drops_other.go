//go:build !linux

package feed

import "syscall"

// forceReceiveBuffer is known to Linux only.
func forceReceiveBuffer(fd, bytes int) bool { return false }

// drops are known to Linux only.
type drops struct{}

func openDrops(syscall.RawConn) drops { return drops{} }

func (drops) more() uint64 { return 0 }
