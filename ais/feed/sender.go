package feed

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/admission"
)

// Sender is a signed-in sender to a tcp-listen feed, as of now. It is not changed after it is made.
type Sender struct {
	User  string
	May   func(r *ais.Report) bool // whether a message is taken; nil is all
	Renew func() (*Sender, error)  // the sender of now; the error says why there is none any more. nil is for ever
}

// SignIn lets a sender in. A Refusal is told to the other side in its words.
type SignIn func(ctx context.Context, name, password string, from netip.Addr) (*Sender, error)

// serveSigned reads one sender that signs in first. Senders count by their user: one that has signed in needs no place among strangers.
func (in *inlet) serveSigned(ctx context.Context, conn net.Conn) {
	in.log.Info("sender came", "from", conn.RemoteAddr())
	sender, rest, err := signIn(ctx, in.gate, conn, func(ctx context.Context, login Login) (*Sender, error) {
		return in.source.SignIn(ctx, login.Name, login.Password, admission.AddressOf(conn))
	})
	if err != nil {
		in.ledger.updateStatus(func(s *ais.FeedStatus) { s.Unsigned++ })
	} else {
		err = in.converseSigned(ctx, conn, sender, rest)
	}
	in.gate.refuseCaller(conn, err)
	in.log.Info("sender went", "from", conn.RemoteAddr(), "why", err)
}

// converseSigned is converse with a sender that has each message judged. The error has words for the other side where it is or holds a
// Refusal.
func (in *inlet) converseSigned(ctx context.Context, conn net.Conn, sender *Sender, rest []byte) error {
	guest, room := in.admitSender("user "+sender.User, conn)
	if !room {
		return Refusal("too many senders")
	}
	defer in.dismiss(guest)
	guest.Prove(time.Now())
	if err := sendAnswer(conn, AppendWelcome(nil, sender.User)); err != nil {
		return err
	}
	in.log.Info("sender signed in", "from", conn.RemoteAddr(), "user", sender.User)
	intake := in.newIntake()
	intake.sender, intake.renewed, intake.guest = sender, time.Now(), guest
	defer intake.close(ctx)
	intake.chunk(ctx, rest, time.Now())
	err := intake.readStream(ctx, timedConn{conn, renewEvery / 2})
	if errors.Is(err, errRevoked) {
		in.ledger.updateStatus(func(s *ais.FeedStatus) { s.Revoked++ })
	}
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
		t.inlet.ledger.updateStatus(func(s *ais.FeedStatus) { s.Filtered += withheld })
	}
}
