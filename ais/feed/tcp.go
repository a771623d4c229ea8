package feed

import (
	"context"
	"net"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/admission"
)

const (
	dialTimeout = 10 * time.Second
	maxSenders  = 64 // of one feed
)

// keepAlive notices a peer that vanished without a word (power, cable, NAT) within 30 s. A peer that is alive and quiet
// is left alone: at night a small port has no traffic.
var keepAlive = net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}

// dialAndRead connects and reads until the connection is lost or ctx is done.
func (in *inlet) dialAndRead(ctx context.Context) error {
	dialer := net.Dialer{Timeout: dialTimeout, KeepAliveConfig: keepAlive}
	conn, err := dialer.DialContext(ctx, "tcp", in.target.address)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer conn.Close()
	defer in.linked(conn)()
	in.opened(conn.RemoteAddr().String())
	return in.converse(ctx, conn, nil)
}

// converse reads a connection to its end; guest is the place of one that came to us.
func (in *inlet) converse(ctx context.Context, conn net.Conn, guest *admission.Guest) error {
	intake := in.newIntake()
	intake.guest = guest
	defer intake.close(ctx)
	return intake.readStream(ctx, timedConn{conn, tickEvery})
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
		in.ledger.updateStatus(func(s *ais.FeedStatus) { s.Connected = true })
		in.log.Info("feed listens", "at", at)
	}, in.serveSender)
}

// admitSender finds a place for a sender, if there is one, and counts it. A sender that never sent a valid sentence may have to go for it, the
// one that was silent for longest first.
func (in *inlet) admitSender(caller string, conn net.Conn) (guest *admission.Guest, room bool) {
	guest, room = in.places.Enter(caller, time.Now(), func() { conn.Close() })
	in.ledger.updateStatus(func(s *ais.FeedStatus) {
		if room {
			s.Senders++
			s.Connects++
		} else {
			s.Refused++
		}
	})
	return guest, room
}

// dismiss gives the place of a sender back.
func (in *inlet) dismiss(guest *admission.Guest) {
	guest.Leave()
	in.ledger.updateStatus(func(s *ais.FeedStatus) { s.Senders-- })
}

// serveSender reads one sender of a tcp-listen feed, if there is room for it. Its going is no fault of the feed.
func (in *inlet) serveSender(ctx context.Context, conn net.Conn) {
	if !allowed(in.source.Allow, admission.AddressOf(conn)) {
		in.ledger.updateStatus(func(s *ais.FeedStatus) { s.Refused++ })
		return
	}
	if in.source.SignIn != nil {
		in.serveSigned(ctx, conn)
		return
	}
	guest, room := in.admitSender(callerOf(conn), conn)
	if !room {
		return
	}
	in.log.Info("sender came", "from", conn.RemoteAddr())
	err := in.converse(ctx, conn, guest)
	in.dismiss(guest)
	in.log.Info("sender went", "from", conn.RemoteAddr(), "why", err)
}
