package feed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"syscall"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
	"golang.org/x/sys/unix"
)

const (
	udpBuffer   = 16 << 20        // bytes asked of the kernel: about a second of 30,000 datagrams
	maxDatagram = 64 << 10        // no UDP datagram is longer
	drainBytes  = 1 << 20         // after so much without a pause other work gets its turn
	rejoinEvery = 5 * time.Second // interfaces that came up late are joined then
)

// receive reads datagrams until the socket fails or ctx is done.
func (in *inlet) receive(ctx context.Context) error {
	conn, join, err := in.target.openUDP(ctx)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer conn.Close()
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	in.opened(conn.LocalAddr().String())
	r := receiver{intake: in.newIntake(), raw: raw, buffer: make([]byte, maxDatagram)}
	defer r.intake.close(ctx)
	r.drops = openDrops(raw)
	joined := time.Now()
	for {
		conn.SetReadDeadline(time.Now().Add(tickEvery))
		if err := r.drain(ctx); err != nil {
			return err
		}
		if join != nil && time.Since(joined) >= rejoinEvery {
			join() // those already joined refuse, which is no news
			joined = time.Now()
		}
	}
}

// receiver empties one socket.
type receiver struct {
	intake *intake
	raw    syscall.RawConn
	buffer []byte
	drops  drops
	looked time.Time // when the kernel's drops were looked at last
	pause  lull
}

// drain waits for a datagram, reads until there is no more and hands the reports over. One system call reads one datagram
// and nothing is allocated, so no address is asked for.
func (r *receiver) drain(ctx context.Context) error {
	got, failed := 0, error(nil)
	now := time.Time{}
	err := r.raw.Read(func(fd uintptr) bool {
		now = time.Now()
		for got < drainBytes {
			n, err := unix.Read(int(fd), r.buffer)
			if err == unix.EAGAIN {
				return got > 0
			}
			if err != nil && err != unix.EINTR && err != unix.ECONNREFUSED {
				failed = err
				return true
			}
			if n > 0 {
				r.intake.datagram(ctx, r.buffer[:n], now)
			}
			got += max(n, 1)
		}
		return true
	})
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err, now = nil, time.Now()
	}
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	r.intake.handOver(ctx)
	r.intake.tick(now)
	r.count(now)
	r.pause.after(got, now)
	return nil
}

// count brings the kernel's drops up to date once a second.
func (r *receiver) count(now time.Time) {
	if now.Sub(r.looked) < tickEvery {
		return
	}
	r.looked = now
	if n := r.drops.more(); n > 0 {
		r.intake.inlet.ledger.change(func(s *Status) { s.KernelDrops += n })
	}
}

// openUDP binds the target's address. For a multicast group, join joins it on the interfaces that there are now.
func (t target) openUDP(ctx context.Context) (conn *net.UDPConn, join func() error, err error) {
	address, err := net.ResolveUDPAddr("udp", t.address)
	if err != nil {
		return nil, nil, err
	}
	group := address.AddrPort().Addr().Unmap()
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		return prepareSocket(c, group.IsMulticast())
	}}
	network := "udp"
	if group.Is4() {
		network = "udp4"
	}
	packets, err := config.ListenPacket(ctx, network, address.String())
	if err != nil {
		return nil, nil, err
	}
	conn = packets.(*net.UDPConn)
	if !group.IsMulticast() {
		return conn, nil, nil
	}
	join = func() error { return joinGroup(conn, group, t.multicast) }
	if err := join(); err != nil {
		conn.Close()
		return nil, nil, err
	}
	return conn, join, nil
}

// prepareSocket asks for a large receive buffer, and for a multicast group lets other programs listen to it too.
func prepareSocket(c syscall.RawConn, shared bool) (err error) {
	control := c.Control(func(fd uintptr) {
		if shared {
			err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
		}
		if !forceReceiveBuffer(int(fd), udpBuffer) {
			// Not privileged: the kernel gives what net.core.rmem_max allows.
			unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF, udpBuffer)
		}
	})
	return errors.Join(control, err)
}

// joinGroup joins the group on the named interface, or on every one that is up and can; it fails when none could.
func joinGroup(conn *net.UDPConn, group netip.Addr, only string) error {
	interfaces, err := net.Interfaces()
	if err != nil {
		return err
	}
	joined := 0
	err = fmt.Errorf("no interface %q that is up and does multicast", only)
	for _, i := range interfaces {
		suitable := i.Flags&net.FlagUp != 0 && i.Flags&(net.FlagMulticast|net.FlagLoopback) != 0
		if !suitable || only != "" && i.Name != only {
			continue
		}
		if e := joinOn(conn, &i, group); e == nil || errors.Is(e, unix.EADDRINUSE) {
			joined++
		} else {
			err = e
		}
	}
	if joined == 0 {
		return fmt.Errorf("join %s: %w", group, err)
	}
	return nil
}

func joinOn(conn *net.UDPConn, i *net.Interface, group netip.Addr) error {
	address := &net.UDPAddr{IP: group.AsSlice()}
	if group.Is4() {
		return ipv4.NewPacketConn(conn).JoinGroup(i, address)
	}
	return ipv6.NewPacketConn(conn).JoinGroup(i, address)
}
