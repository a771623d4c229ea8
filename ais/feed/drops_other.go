//go:build !linux

package feed

// forceReceiveBuffer is known to Linux only.
func forceReceiveBuffer(fd, bytes int) bool { return false }

// drops are known to Linux only.
type drops struct{}

func openDrops(int) drops { return drops{} }

func (drops) more() uint64 { return 0 }
