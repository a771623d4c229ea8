package feed

import (
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"slices"
	"sync"
	"time"

	"quaywatch/internal/admission"
)

// mostLeaving bounds how many refused connections are kept open until the other side has read why. A further one is told and closed at
// once.
const mostLeaving = 64

// signInGate counts the connections that have not signed in yet, and those that are refused and not yet closed. Both are bounded, so that
// strangers take neither the room nor the file descriptors of users. Where all places are taken, the one that was silent for longest goes.
type signInGate struct {
	waiting *admission.Guests

	mu      sync.Mutex
	leaving int
}

// knownFor is how long a program that signed in, or sent valid sentences, gets a place before those that never did.
const knownFor = 24 * time.Hour

// newSignInGate makes the gate with room for connections that have not signed in.
func newSignInGate(room int) *signInGate {
	return &signInGate{waiting: admission.New(admission.Limits{All: room, Each: mostWaitingOf, Reserve: room / 8, Lately: knownFor})}
}

// signIn waits for the first line of a connection, and calls ask with it for what the other side gets. rest is what came after the line.
// The error is a Refusal if the other side may read it too.
func signIn[P any](ctx context.Context, d *signInGate, conn net.Conn, ask func(context.Context, Login) (P, error)) (got P, rest []byte, err error) {
	guest, room := d.waiting.Enter(callerOf(conn), time.Now(), func() { conn.Close() })
	if !room {
		return got, nil, Refusal("too many connections")
	}
	defer guest.Leave()
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
	guest.Begin() // nobody takes its place while its password is looked at
	got, err = ask(within, login)
	guest.End(time.Now())
	if err == nil {
		guest.Prove(time.Now())
	}
	return got, rest, err
}

// refuseCaller closes a connection. If why is a Refusal, it tells the other side first.
func (d *signInGate) refuseCaller(conn net.Conn, why error) {
	defer conn.Close()
	var refusal Refusal
	if !errors.As(why, &refusal) || sendAnswer(conn, AppendRefusal(nil, refusal.Error())) != nil {
		return
	}
	if !d.linger(1) {
		return
	}
	defer d.linger(-1)
	defer conn.Close() // before another one takes its place
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

// sendAnswer writes the first line that the other side gets. It has as much time as the other side had for its own. No slow peer needs a short limit, as
// the line goes into an empty buffer at once. A box that stands still for a moment would miss it.
func sendAnswer(conn net.Conn, line []byte) error {
	if err := conn.SetWriteDeadline(time.Now().Add(loginTime)); err != nil {
		return err
	}
	_, err := conn.Write(line)
	return err
}

// callerOf returns what counts as one caller: the address of a connection, of IPv6 its network.
func callerOf(conn net.Conn) string { return admission.Network(admission.AddressOf(conn)).String() }

// allowed reports whether an address may send or subscribe. Without a list every one may.
func allowed(list []netip.Prefix, from netip.Addr) bool {
	from = from.Unmap().WithZone("")
	return len(list) == 0 || slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(from) })
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
