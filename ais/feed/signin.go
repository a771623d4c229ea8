package feed

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// mostLeaving bounds how many refused connections are kept open until the other side has read why. A further one is told and closed at
// once.
const mostLeaving = 64

// signInGate counts the connections that have not signed in yet, and those that are refused and not yet closed. Both are bounded, so that
// strangers take neither the room nor the file descriptors of users.
type signInGate struct {
	room int // for connections that have not signed in

	mu      sync.Mutex
	waiting map[netip.Addr]int
	total   int
	leaving int
}

func newSignInGate(room int) *signInGate {
	return &signInGate{room: room, waiting: map[netip.Addr]int{}}
}

// enter counts a connection among those that have not signed in, if there is room.
func (d *signInGate) enter(from netip.Addr) (room bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.total >= d.room || d.waiting[from] >= mostWaitingOf {
		return false
	}
	d.waiting[from]++
	d.total++
	return true
}

// leave gives the room back.
func (d *signInGate) leave(from netip.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total--
	if d.waiting[from]--; d.waiting[from] == 0 {
		delete(d.waiting, from)
	}
}

// signIn waits for the first line of a connection, and calls ask with it for what the other side gets. rest is what came after the line.
// The error is a Refusal if the other side may read it too.
func signIn[P any](ctx context.Context, d *signInGate, conn net.Conn, ask func(context.Context, Login) (P, error)) (got P, rest []byte, err error) {
	from := addressOf(conn)
	if !d.enter(from) {
		return got, nil, Refusal("too many connections")
	}
	defer d.leave(from)
	login, rest, err := ReadLogin(conn)
	switch {
	case errors.Is(err, ErrNoLogin), errors.Is(err, ErrLongLine):
		return got, nil, Refusal("expected LOGIN name password")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return got, nil, Refusal("no sign-in in time")
	case err != nil:
		return got, nil, err
	}
	within, cancel := context.WithTimeout(ctx, loginTime)
	defer cancel()
	got, err = ask(within, login)
	return got, rest, err
}

// refuse closes a connection. If why is a Refusal, it tells the other side first.
func (d *signInGate) refuse(conn net.Conn, why error) {
	defer conn.Close()
	var refusal Refusal
	if !errors.As(why, &refusal) || answer(conn, AppendRefusal(nil, refusal.Error())) != nil {
		return
	}
	if !d.linger(1) {
		return
	}
	defer d.linger(-1)
	// Without reading what the other side sent, the kernel would take the answer back.
	if tcp, ok := conn.(*net.TCPConn); ok && tcp.CloseWrite() == nil && conn.SetReadDeadline(time.Now().Add(writeSlice)) == nil {
		_, _ = io.CopyN(io.Discard, conn, 2*loginBytes)
	}
}

// linger counts refused connections that are still open, by one more or one less, if there is room.
func (d *signInGate) linger(by int) (room bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.leaving+by > mostLeaving {
		return false
	}
	d.leaving += by
	return true
}

func answer(conn net.Conn, line []byte) error {
	if err := conn.SetWriteDeadline(time.Now().Add(writeSlice)); err != nil {
		return err
	}
	_, err := conn.Write(line)
	return err
}

func addressOf(conn net.Conn) netip.Addr {
	a, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if err != nil {
		return netip.Addr{}
	}
	return a.Addr().Unmap()
}

// listenOn accepts connections at an address, each in a goroutine of its own, until the port fails or ctx is done. It closes them then,
// and returns when their goroutines have ended.
func listenOn(ctx context.Context, address string, opened func(at net.Addr), serve func(context.Context, net.Conn)) error {
	config := net.ListenConfig{KeepAliveConfig: keepAlive}
	port, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { port.Close() })()
	defer port.Close()
	opened(port.Addr())

	ctx, stop := context.WithCancel(ctx)
	var guests sync.WaitGroup
	defer guests.Wait()
	defer stop()
	for {
		conn, err := port.Accept()
		switch {
		case err == nil:
			guests.Go(func() {
				defer context.AfterFunc(ctx, func() { conn.Close() })()
				defer conn.Close()
				serve(ctx, conn)
			})
		case ctx.Err() != nil:
			return ctx.Err()
		case temporary(err):
			sleep(ctx, 100*time.Millisecond)
		default:
			return err
		}
	}
}

// temporary tells the errors of Accept that concern one connection, or that end when others close theirs.
func temporary(err error) bool {
	var transient interface{ Temporary() bool }
	return errors.As(err, &transient) && transient.Temporary()
}
