package feed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"slices"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/admission"
)

// output is one configured stream at work.
type output[K any] struct {
	all    *Outputs[K]
	config Output
	target target
	ports  *claims
	log    *slog.Logger

	gone departed // belongs to the lock of all

	mu  sync.Mutex
	now ais.OutputStatus
}

// departed is what is kept of the subscribers that have ended.
type departed struct {
	tally
	cut, revoked uint64
}

func (o *output[K]) updateStatus(fn func(*ais.OutputStatus)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	fn(&o.now)
}

// Status tells how each output is doing, in the order of NewOutputs. It is safe to call at any time.
func (all *Outputs[K]) Status() []ais.OutputStatus {
	byOutput := map[*output[K]][]ais.SubscriberStatus{}
	all.mu.Lock()
	subscribers := make([]*subscriber[K], 0, len(all.subscribers))
	for s := range all.subscribers {
		subscribers = append(subscribers, s)
	}
	gone := make([]departed, len(all.outputs)) // of the same moment, so that each subscriber counts once, and none as cut that is listed
	for i, o := range all.outputs {
		gone[i] = o.gone
	}
	all.mu.Unlock()
	for _, s := range subscribers {
		byOutput[s.output] = append(byOutput[s.output], s.shownStatus())
	}
	list := make([]ais.OutputStatus, 0, len(all.outputs))
	for i, o := range all.outputs {
		list = append(list, o.outputStatus(byOutput[o], &gone[i]))
	}
	return list
}

func (o *output[K]) outputStatus(subscribers []ais.SubscriberStatus, gone *departed) ais.OutputStatus {
	o.mu.Lock()
	st := o.now
	o.mu.Unlock()
	st.Messages, st.Bytes, st.Dropped = gone.messages, gone.bytes, gone.dropped.droppedCounts()
	st.Cut, st.Revoked = gone.cut, gone.revoked
	for i := range subscribers {
		s := &subscribers[i]
		st.Messages += s.Messages
		st.Bytes += s.Bytes
		st.Dropped.Behind += s.Dropped.Behind
		st.Dropped.Rate += s.Dropped.Rate
		st.Dropped.Interval += s.Dropped.Interval
		st.Dropped.Congestion += s.Dropped.Congestion
	}
	slices.SortFunc(subscribers, func(a, b ais.SubscriberStatus) int {
		return cmp.Or(a.Since.Compare(b.Since), cmp.Compare(a.From, b.From))
	})
	st.Subscribers = subscribers
	return st
}

// run keeps the output open until ctx is done.
func (o *output[K]) run(ctx context.Context) {
	wait := firstRetry
	for ctx.Err() == nil {
		began := time.Now()
		err := o.session(ctx)
		if ctx.Err() != nil {
			break
		}
		o.noteLoss(err)
		switch {
		case errors.As(err, new(Refusal)), o.target.kind == kindSerial:
			wait = serialRetry // an administrator may have changed it by now
		case time.Since(began) >= settled:
			wait = firstRetry
		}
		sleep(ctx, wait)
		wait = min(2*wait, lastRetry)
	}
	o.updateStatus(func(s *ais.OutputStatus) { s.Open = false })
}

// session serves the output until it is lost or ctx is done.
func (o *output[K]) session(ctx context.Context) error {
	if o.target.kind == kindTCPListen {
		return o.listen(ctx)
	}
	pass, err := o.all.options.Named(o.config.Name, o.config.User)
	if err != nil {
		return Refusal(err.Error())
	}
	if o.target.kind == kindSerial {
		release, free := o.ports.claimPort(o.target.address)
		if !free {
			return fmt.Errorf("port %s belongs to another output", o.target.address)
		}
		defer release()
	}
	w, err := o.target.openWire(ctx)
	if err != nil {
		return err
	}
	o.updateStatus(func(s *ais.OutputStatus) { s.Open, s.LastError = true, ""; s.Connects++ })
	o.log.Info("output opened", "to", o.config.URL, "user", pass.User)
	return o.serveWire(ctx, pass, w, o.target.address)
}

// noteLoss notes why the output is not there. Only a change is logged.
func (o *output[K]) noteLoss(err error) {
	news := false
	o.updateStatus(func(s *ais.OutputStatus) {
		news = s.Open || s.LastError != err.Error()
		s.Open, s.LastError = false, err.Error()
	})
	if news {
		o.log.Warn("output lost", "error", err)
	}
}

// listen takes subscribers until the port fails or ctx is done, and returns when all of them have ended.
func (o *output[K]) listen(ctx context.Context) error {
	return listenOn(ctx, o.target.address, func(at net.Addr) {
		o.updateStatus(func(s *ais.OutputStatus) { s.Open, s.LastError, s.Address = true, "", at.String() })
		o.log.Info("output listens", "at", at.String())
	}, o.guest)
}

// guest lets one connection in and serves it.
func (o *output[K]) guest(ctx context.Context, conn net.Conn) {
	if !allowed(o.config.Allow, admission.AddressOf(conn)) {
		o.updateStatus(func(s *ais.OutputStatus) { s.Refused++ })
		return
	}
	pass, signed, err := o.welcome(ctx, conn)
	if err == nil {
		err = o.entertain(ctx, pass, conn, signed)
	}
	if errors.As(err, new(Refusal)) {
		o.updateStatus(func(s *ais.OutputStatus) { s.Refused++ })
		o.all.gate.refuseCaller(conn, err)
	}
}

// welcome finds the user of a connection: by the address, or by the first line. A connection without a useful line is counted and not
// logged, because any stranger can connect as often as it likes.
func (o *output[K]) welcome(ctx context.Context, conn net.Conn) (pass *Pass[K], signed bool, err error) {
	from := admission.AddressOf(conn)
	pass, err = o.all.options.Direct(o.config.Name, from)
	if pass == nil && err == nil {
		pass, _, err = signIn(ctx, o.all.gate, conn, func(ctx context.Context, login Login) (*Pass[K], error) {
			pass, err := o.all.options.SignIn(ctx, o.config.Name, login.Name, login.Password, from)
			return pass, o.logRefusal(conn, err)
		})
		return pass, true, err
	}
	return pass, false, o.logRefusal(conn, err)
}

// logRefusal logs why a connection is refused.
func (o *output[K]) logRefusal(conn net.Conn, why error) error {
	if why != nil {
		o.log.Info("subscriber refused", "from", conn.RemoteAddr().String(), "why", why)
	}
	return why
}

// entertain serves a connection that was let in to its end, which is no error.
func (o *output[K]) entertain(ctx context.Context, pass *Pass[K], conn net.Conn, signed bool) error {
	s := o.newSubscriber(pass, conn, conn.RemoteAddr().String(), time.Now())
	if err := o.all.admitSubscriber(s); err != nil {
		return err
	}
	if signed {
		s.buffer = AppendWelcome(s.buffer, pass.User)
	}
	o.updateStatus(func(st *ais.OutputStatus) { st.Connects++ })
	o.log.Info("subscriber came", "from", conn.RemoteAddr().String(), "user", pass.User)
	err := o.attend(ctx, s)
	o.log.Info("subscriber went", "from", conn.RemoteAddr().String(), "user", pass.User, "why", err)
	return nil
}

// serveWire makes a subscriber of a wire and serves it to its end.
func (o *output[K]) serveWire(ctx context.Context, pass *Pass[K], w wire, to string) error {
	s := o.newSubscriber(pass, w, to, time.Now())
	if err := o.all.admitSubscriber(s); err != nil {
		return err
	}
	return o.attend(ctx, s)
}

// attend runs a subscriber to its end, which always has a reason, and keeps what was counted. That is done before the other side sees the end: the status
// has it then, and there is room for the next one.
func (o *output[K]) attend(ctx context.Context, s *subscriber[K]) (err error) {
	ctx, broken := context.WithCancelCause(ctx)
	defer broken(nil)
	var reading sync.WaitGroup
	if conn, ok := s.wire.(*net.TCPConn); ok {
		_ = conn.SetWriteBuffer(sendBuffer)
		reading.Go(func() { s.discard(conn, broken) })
	}
	err = s.run(ctx)
	if cause := context.Cause(ctx); cause != nil {
		err = cause
	}
	o.all.dismiss(s, err)
	switch {
	case errors.Is(err, errStalled), errors.Is(err, errRevoked):
		cutWire(s.wire)
	default:
		s.wire.Close()
	}
	reading.Wait()
	return err
}
