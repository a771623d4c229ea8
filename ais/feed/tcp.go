package feed

import (
	"context"
	"net"
	"sync"
	"time"
)

const (
	dialTimeout = 10 * time.Second
	maxSenders  = 64 // of one feed
)

// keepAlive notices a peer that vanished without a word (power, cable, NAT) within 30 s. A peer that is alive and quiet
// is left alone: at night a small port has no traffic.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}

// dial connects and reads until the connection is lost or ctx is done.
func (in *inlet) dial(ctx context.Context) error {
	dialer := net.Dialer{Timeout: dialTimeout, KeepAliveConfig: keepAlive}
	conn, err := dialer.DialContext(ctx, "tcp", in.target.address)
	if err != nil {
		return err
	}
	in.opened(conn.RemoteAddr().String())
	return in.converse(ctx, conn)
}

// converse reads a connection to its end and closes it.
func (in *inlet) converse(ctx context.Context, conn net.Conn) error {
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer conn.Close()
	intake := in.newIntake()
	defer intake.close(ctx)
	return intake.stream(ctx, timedConn{conn, tickEvery})
}

// timedConn is a connection whose reads come back after some time.
type timedConn struct {
	net.Conn
	every time.Duration
}

func (c timedConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.every)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

// listen takes senders until the port fails or ctx is done, and returns when all senders are closed.
func (in *inlet) listen(ctx context.Context) error {
	config := net.ListenConfig{KeepAliveConfig: keepAlive}
	port, err := config.Listen(ctx, "tcp", in.target.address)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { port.Close() })()
	defer port.Close()
	in.ledger.change(func(s *Status) { s.Connected = true })
	in.log.Info("feed listens", "at", port.Addr())

	ctx, stop := context.WithCancel(ctx)
	var senders sync.WaitGroup
	defer senders.Wait()
	defer stop()
	for {
		conn, err := port.Accept()
		if err != nil {
			return err
		}
		if in.admit() {
			senders.Go(func() { in.serve(ctx, conn) })
		} else {
			conn.Close()
		}
	}
}

// admit tells whether there is room for one more sender, and counts it.
func (in *inlet) admit() (room bool) {
	in.ledger.change(func(s *Status) {
		if room = s.Senders < maxSenders; room {
			s.Senders++
			s.Connects++
		} else {
			s.Refused++
		}
	})
	return room
}

// serve reads one sender of a tcp-listen feed. Its going is no fault of the feed.
func (in *inlet) serve(ctx context.Context, conn net.Conn) {
	in.log.Info("sender came", "from", conn.RemoteAddr())
	converse := in.converse
	if in.source.SignIn != nil {
		converse = in.converseSigned
	}
	err := converse(ctx, conn)
	in.ledger.change(func(s *Status) { s.Senders-- })
	in.log.Info("sender went", "from", conn.RemoteAddr(), "why", err)
}
