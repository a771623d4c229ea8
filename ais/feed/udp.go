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

	"quaywatch/ais"

	"golang.org/x/sys/unix"
)

const (
	udpBuffer   = 16 << 20        // bytes asked of the kernel: about a second of 30,000 datagrams
	maxDatagram = 64 << 10        // no UDP datagram is longer
	drainBytes  = 1 << 20         // after so much without a pause other work gets its turn
	seldomEvery = 5 * time.Second // interfaces that came up late are joined then, and the kernel's drops are read
	senderGone  = time.Minute     // an address that has been silent so long is forgotten
)

// receive reads datagrams until the socket fails or ctx is done.
func (in *inlet) receive(ctx context.Context) error {
	s, err := in.target.openUDP(ctx)
	if err != nil {
		return err
	}
	defer unix.Close(s.fd)
	watch, err := openInputWatch(s.fd)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, watch.close)()
	defer watch.close()
	in.opened(s.address)
	r := receiver{
		inlet: in, socket: s, drops: openDrops(s.fd), reader: newReader(),
		senders: map[netip.Addr]*sender{}, ticked: time.Now(), seldom: time.Now(),
		pauses: pauses{quiet: s.quietPause()},
	}
	defer r.close(ctx)
	for ctx.Err() == nil {
		got, err := r.drainSocket(ctx)
		if err != nil {
			return err
		}
		now := time.Now()
		r.doDueWork(ctx, now)
		if got > 0 {
			time.Sleep(r.pauses.pauseAfter(got, now))
		} else if err := watch.wait(r.ticked.Add(tickEvery)); err != nil && ctx.Err() == nil {
			return err
		}
	}
	return ctx.Err()
}

// receiver empties one socket.
type receiver struct {
	inlet   *inlet
	socket  socket
	reader  *reader
	senders map[netip.Addr]*sender
	drops   drops
	ticked  time.Time
	seldom  time.Time
	pauses  pauses
}

// sender is one address that datagrams come from. Each has its own decoder. The stations that send to one port hear the same ships at the same moment, and
// number their multi-part messages by themselves. Programs of one host are told apart by their ports, but some programs send each datagram from another one.
type sender struct {
	intake *intake
	last   time.Time
	ports  lately
	halves []half
}

// senderOf returns the sender with an address; when there are too many, the rest share one.
func (r *receiver) senderOf(address netip.Addr, now time.Time) *sender {
	s := r.senders[address]
	if s == nil && len(r.senders) >= maxSenders {
		address = netip.Addr{}
		s = r.senders[address]
	}
	if s == nil {
		s = &sender{intake: r.inlet.newIntake()}
		r.senders[address] = s
	}
	s.last = now
	return s
}

// handOver sends the batches of all senders.
func (r *receiver) handOver(ctx context.Context) {
	for _, s := range r.senders {
		if len(s.intake.batch.Reports) > 0 {
			s.intake.handOver(ctx)
		}
	}
}

// doDueWork drops senders that have gone, once a second. Seldom, it reads the kernel's drops, and joins interfaces that came up.
func (r *receiver) doDueWork(ctx context.Context, now time.Time) {
	if now.Sub(r.ticked) < tickEvery {
		return
	}
	r.ticked = now
	for address, s := range r.senders {
		s.expireHalves(ctx, now)
		s.intake.doDueWork(now)
		if now.Sub(s.last) > senderGone {
			s.intake.close(ctx)
			delete(r.senders, address)
		}
	}
	r.inlet.ledger.updateStatus(func(s *ais.FeedStatus) { s.Senders = len(r.senders) })
	if now.Sub(r.seldom) < seldomEvery {
		return
	}
	r.seldom = now
	if n := r.drops.more(); n > 0 {
		r.inlet.ledger.updateStatus(func(s *ais.FeedStatus) { s.KernelDrops += n })
	}
	if r.socket.group.IsValid() {
		r.socket.joinGroup() // an interface that is there no more is no news
	}
}

func (r *receiver) close(ctx context.Context) {
	for _, s := range r.senders {
		s.expireHalves(ctx, s.last.Add(2*halfLimit))
		s.intake.close(ctx)
	}
	r.inlet.ledger.updateStatus(func(s *ais.FeedStatus) { s.Senders = 0 })
}

// drainSocket reads until there is no more, and sends the reports.
func (r *receiver) drainSocket(ctx context.Context) (got int, err error) {
	defer r.handOver(ctx)
	var refused uint64
	defer func() {
		if refused > 0 {
			r.inlet.ledger.updateStatus(func(s *ais.FeedStatus) { s.Refused += refused })
		}
	}()
	for now := time.Now(); got < drainBytes; {
		n, err := r.reader.read(r.socket.fd)
		switch err {
		case nil:
			for i := range n {
				from, datagram := r.reader.datagram(i)
				if allowed(r.inlet.source.Allow, from.Addr()) {
					r.senderOf(from.Addr(), now).datagram(ctx, from.Port(), datagram, now)
				} else {
					refused++
				}
				got += max(len(datagram), 1)
			}
			if n < readerSlots {
				return got, nil // there was no more
			}
		case unix.EAGAIN:
			return got, nil
		case unix.EINTR, unix.ECONNREFUSED:
		default:
			return got, os.NewSyscallError("receive", err)
		}
	}
	return got, nil
}

// socket is a bound UDP socket that does not block. It is no net.UDPConn, because Go's poller would be woken for each datagram while they gather. That was two
// fifths of the whole cost at 30,000 a second.
type socket struct {
	fd      int
	address string     // where it is bound
	group   netip.Addr // the multicast group, if any
	only    string     // the interface to join on, "" for all
}

// openUDP binds the target's address, and joins its multicast group on the interfaces that there are now.
func (t target) openUDP(ctx context.Context) (socket, error) {
	address, err := net.ResolveUDPAddr("udp", t.address)
	if err != nil {
		return socket{}, err
	}
	host := address.AddrPort().Addr().Unmap()
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		return prepareSocket(c, host.IsMulticast())
	}}
	network := "udp"
	if host.Is4() {
		network = "udp4"
	}
	conn, err := config.ListenPacket(ctx, network, address.String())
	if err != nil {
		return socket{}, err
	}
	defer conn.Close()
	fd, err := duplicate(conn.(*net.UDPConn))
	if err != nil {
		return socket{}, err
	}
	s := socket{fd: fd, address: conn.LocalAddr().String(), only: t.multicast}
	if !host.IsMulticast() {
		return s, nil
	}
	s.group = host
	if err := s.joinGroup(); err != nil {
		unix.Close(fd)
		return socket{}, err
	}
	return s, nil
}

// burst is what a burst of 25,000 datagrams a second takes of a socket's buffer, in bytes a second. The kernel counts some 800 bytes for each short one.
const burst = 20_000_000

// quietPause returns the pause, after little has come, that the socket's buffer allows: a burst has to fit.
func (s socket) quietPause() time.Duration {
	n, err := unix.GetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_RCVBUF)
	if err != nil {
		return shortPause
	}
	return min(max(time.Duration(n)*time.Second/burst, shortPause), longPause)
}

// duplicate returns a second file number for the connection's socket, which Go's poller does not know.
func duplicate(conn *net.UDPConn) (fd int, err error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return 0, err
	}
	control := raw.Control(func(own uintptr) {
		fd, err = unix.FcntlInt(own, unix.F_DUPFD_CLOEXEC, 0)
	})
	return fd, errors.Join(control, os.NewSyscallError("fcntl", err))
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

// joinGroup joins the group on the named interface, or on every one that is up and can; it fails when none could. Those that
// have joined already refuse, which counts as joined.
func (s socket) joinGroup() error {
	interfaces, err := net.Interfaces()
	if err != nil {
		return err
	}
	joined := 0
	err = fmt.Errorf("no interface %q that is up and does multicast", s.only)
	for _, i := range interfaces {
		suitable := i.Flags&net.FlagUp != 0 && i.Flags&(net.FlagMulticast|net.FlagLoopback) != 0
		if !suitable || s.only != "" && i.Name != s.only {
			continue
		}
		if e := s.joinOn(i.Index); e == nil || e == unix.EADDRINUSE {
			joined++
		} else {
			err = e
		}
	}
	if joined == 0 {
		return fmt.Errorf("join %s: %w", s.group, err)
	}
	return nil
}

func (s socket) joinOn(index int) error {
	if s.group.Is4() {
		membership := unix.IPMreqn{Multiaddr: s.group.As4(), Ifindex: int32(index)}
		return unix.SetsockoptIPMreqn(s.fd, unix.IPPROTO_IP, unix.IP_ADD_MEMBERSHIP, &membership)
	}
	membership := unix.IPv6Mreq{Multiaddr: s.group.As16(), Interface: uint32(index)}
	return unix.SetsockoptIPv6Mreq(s.fd, unix.IPPROTO_IPV6, unix.IPV6_JOIN_GROUP, &membership)
}
