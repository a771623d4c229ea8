package feed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"quaywatch/ais"
)

// Sender is who signed in to send to a tcp-listen feed, as of now. Who makes it must not change it afterwards.
type Sender struct {
	User  string
	May   func(r *ais.Report) bool // whether a message is taken; nil is all
	Renew func() (*Sender, error)  // the sender of now; the error says why there is none any more. nil is for ever
}

// SignIn lets a sender in. A Refusal is told to the other side in its words.
type SignIn func(ctx context.Context, name, password string, from netip.Addr) (*Sender, error)

// converseSigned is converse with a sender that signs in first and has each message judged.
func (in *inlet) converseSigned(ctx context.Context, conn net.Conn) error {
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer conn.Close()
	sender, rest, err := in.signIn(ctx, conn)
	if err != nil {
		in.ledger.change(func(s *Status) { s.Unsigned++ })
		refuseSender(conn, err)
		return err
	}
	if err := answer(conn, AppendWelcome(nil, sender.User)); err != nil {
		return err
	}
	in.log.Info("sender signed in", "from", conn.RemoteAddr(), "user", sender.User)
	intake := in.newIntake()
	intake.sender, intake.renewed = sender, time.Now()
	defer intake.close(ctx)
	intake.chunk(ctx, rest, time.Now())
	err = intake.stream(ctx, timedConn{conn, renewEvery / 2})
	if errors.Is(err, errRevoked) {
		in.ledger.change(func(s *Status) { s.Revoked++ })
		refuseSender(conn, errors.Unwrap(err))
	}
	return err
}

// doorway counts who is connected and has not signed in yet, so that strangers do not take the room of those who have.
type doorway struct {
	mu      sync.Mutex
	waiting map[netip.Addr]int
	total   int
}

func (d *doorway) enter(from netip.Addr) (room bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.total >= maxSenders/2 || d.waiting[from] >= mostWaitingOf {
		return false
	}
	if d.waiting == nil {
		d.waiting = map[netip.Addr]int{}
	}
	d.waiting[from]++
	d.total++
	return true
}

func (d *doorway) leave(from netip.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.total--
	if d.waiting[from]--; d.waiting[from] == 0 {
		delete(d.waiting, from)
	}
}

// signIn reads the first line and gives what came behind it.
func (in *inlet) signIn(ctx context.Context, conn net.Conn) (*Sender, []byte, error) {
	from := addressOf(conn)
	if !in.door.enter(from) {
		return nil, nil, Refusal("too many connections")
	}
	defer in.door.leave(from)
	login, rest, err := ReadLogin(conn)
	switch {
	case errors.Is(err, ErrNoLogin), errors.Is(err, ErrLongLine):
		return nil, nil, Refusal("expected LOGIN name password")
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, nil, Refusal("no sign-in in time")
	case err != nil:
		return nil, nil, err
	}
	within, cancel := context.WithTimeout(ctx, loginTime)
	defer cancel()
	sender, err := in.source.SignIn(within, login.Name, login.Password, from)
	return sender, rest, err
}

// refuseSender tells the other side why, where that is said in words for it.
func refuseSender(conn net.Conn, why error) {
	var refusal Refusal
	if errors.As(why, &refusal) {
		_ = answer(conn, AppendRefusal(nil, refusal.Error())) // it is closed all the same
	}
}

func answer(conn net.Conn, line []byte) error {
	if err := conn.SetWriteDeadline(time.Now().Add(writeSlice)); err != nil {
		return err
	}
	_, err := conn.Write(line)
	return err
}

// renew asks whether the sender may go on, and follows changed filters.
func (t *intake) renew(now time.Time) error {
	if t.sender == nil || t.sender.Renew == nil || now.Sub(t.renewed) < renewEvery {
		return nil
	}
	t.renewed = now
	sender, err := t.sender.Renew()
	if err != nil {
		return revoked{err}
	}
	t.sender = sender
	return nil
}

// revoked is errRevoked with the reason.
type revoked struct{ why error }

func (r revoked) Error() string        { return fmt.Sprintf("%v: %v", errRevoked, r.why) }
func (r revoked) Is(target error) bool { return target == errRevoked }
func (r revoked) Unwrap() error        { return r.why }

// sift takes those reports out of the batch, from one on, that are not taken from the sender.
func (t *intake) sift(from int) {
	if t.sender == nil || t.sender.May == nil {
		return
	}
	reports := t.batch.Reports
	kept := reports[:from]
	for i := from; i < len(reports); i++ {
		if t.sender.May(&reports[i]) {
			kept = append(kept, reports[i])
		}
	}
	if withheld := uint64(len(reports) - len(kept)); withheld > 0 {
		clear(reports[len(kept):])
		t.batch.Reports = kept
		t.inlet.ledger.change(func(s *Status) { s.Filtered += withheld })
	}
}
