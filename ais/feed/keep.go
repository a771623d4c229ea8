package feed

import (
	"context"
	"errors"
	"io"
	"time"

	"quaywatch/ais"
)

const (
	serialRetry = 500 * time.Millisecond // a plugged-in receiver must be heard again within 2 s
	firstRetry  = 500 * time.Millisecond
	lastRetry   = 10 * time.Second
	settled     = 5 * time.Second // a connection that lived so long starts the back-off anew
)

// errEnded says that a live source has come to its end, which is a loss all the same.
var errEnded = errors.New("the other side closed it")

// keepOpen opens a live source again and again until ctx is done. Serial ports are tried at a fixed interval, others
// with growing intervals of at most ten seconds.
func (in *inlet) keepOpen(ctx context.Context) {
	wait := firstRetry
	for ctx.Err() == nil {
		began := time.Now()
		err := in.session(ctx)
		if ctx.Err() != nil {
			break
		}
		in.noteLoss(err)
		switch {
		case in.target.kind.isSerial():
			wait = serialRetry
		case time.Since(began) >= settled:
			wait = firstRetry
		}
		sleep(ctx, wait)
		wait = min(2*wait, lastRetry)
	}
	in.ended(nil)
}

// sleep waits for d or until ctx is done.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// opened notes and logs that the source is there. what says where, for the log.
func (in *inlet) opened(what string) {
	in.ledger.updateStatus(func(s *ais.FeedStatus) { s.Connected = true; s.Connects++ })
	in.log.Info("feed opened", "at", what)
}

// noteLoss notes why the source is not there. Only a change is logged, so a missing receiver is one line, not one a second.
func (in *inlet) noteLoss(err error) {
	if err == nil || errors.Is(err, io.EOF) {
		err = errEnded
	}
	news := false
	in.ledger.updateStatus(func(s *ais.FeedStatus) {
		news = s.Connected || s.LastError != err.Error()
		s.Connected, s.LastError = false, err.Error()
	})
	if news {
		in.log.Warn("feed lost", "error", err)
	}
}

// ended notes that the source will not come back: it was finite, or Run ends, which is no error.
func (in *inlet) ended(err error) {
	failed := err != nil && !errors.Is(err, context.Canceled)
	in.ledger.updateStatus(func(s *ais.FeedStatus) {
		s.Connected = false
		if failed {
			s.LastError = err.Error()
		}
	})
	if failed {
		in.log.Warn("feed ended", "error", err)
		return
	}
	in.log.Info("feed ended")
}
