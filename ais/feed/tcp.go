package feed

import (
	"context"
	"net"
	"time"

	"quaywatch/ais"
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
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer conn.Close()
	in.opened(conn.RemoteAddr().String())
	return in.converse(ctx, conn)
}

// converse reads a connection to its end.
func (in *inlet) converse(ctx context.Context, conn net.Conn) error {
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
	return listenOn(ctx, in.target.address, func(at net.Addr) {
		in.ledger.change(func(s *ais.FeedStatus) { s.Connected = true })
		in.log.Info("feed listens", "at", at)
	}, in.serve)
}

// admit tells whether there is room for one more sender, and counts it.
func (in *inlet) admit() (room bool) {
	in.ledger.change(func(s *ais.FeedStatus) {
		if room = s.Senders < maxSenders; room {
			s.Senders++
			s.Connects++
		} else {
			s.Refused++
		}
	})
	return room
}

// serve reads one sender of a tcp-listen feed, if there is room for it. Its going is no fault of the feed.
func (in *inlet) serve(ctx context.Context, conn net.Conn) {
	if !in.admit() {
		return
	}
	in.log.Info("sender came", "from", conn.RemoteAddr())
	converse := in.converse
	if in.source.SignIn != nil {
		converse = in.converseSigned
	}
	err := converse(ctx, conn)
	in.ledger.change(func(s *ais.FeedStatus) { s.Senders-- }) // while it is told why it has no place any more
	in.gate.refuse(conn, err)
	in.log.Info("sender went", "from", conn.RemoteAddr(), "why", err)
}
