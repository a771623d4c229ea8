package request

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"

	"quaywatch/handlers/inflight"
	"quaywatch/internal/rule"
)

// Limits of a request body, in bytes.
const (
	MaxBody       = 1 << 20
	MaxShapeBody  = 10 << 20
	MaxSignInBody = 4 << 10
)

// busyRetry is what a caller is told to wait when the bodies of all callers take too much memory.
const busyRetry = 5 * time.Second

// BodyRate is how fast a body has to come: it may take First, and from then on each second brings Rate bytes. It never takes longer than Most.
type BodyRate struct {
	First, Most time.Duration
	Rate        int64 // bytes a second
}

// by returns how long a body may take until its next bytes come, when it has n bytes.
func (p BodyRate) by(n int64) time.Duration {
	return min(p.First+time.Duration(n*int64(time.Second)/max(p.Rate, 1)), p.Most)
}

// pacedBody gives up when the next bytes come too late.
type pacedBody struct {
	body    io.Reader
	control *http.ResponseController
	pace    BodyRate
	lost    func() bool // it goes for another caller's
	began   time.Time
	n       int64
}

func (b *pacedBody) Read(p []byte) (int, error) {
	if err := b.control.SetReadDeadline(b.began.Add(b.pace.by(b.n))); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return 0, err
	}
	if b.lost() { // after the deadline was set: what sets it to the past does that after it is lost
		return 0, os.ErrDeadlineExceeded
	}
	n, err := b.body.Read(p)
	b.n += int64(n)
	return n, err
}

// CloseUnread has the connection closed after the answer, unless the body is read to its end. Else the server would wait for the rest of a body that nobody
// wants. HTTP/2 needs none of that.
func CloseUnread(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
}

// readBody reads the body to its end. What it takes is held until Done.
func (c *Request) readBody(most int64) ([]byte, error) {
	control := http.NewResponseController(c.Writer)
	payer, stranger := c.payer()
	c.held = c.base.Bodies.Hold(payer, stranger, func() { _ = control.SetReadDeadline(time.Unix(1, 0)) })
	paced := &pacedBody{body: c.HTTP.Body, control: control, pace: c.base.Pace, lost: c.held.Lost, began: time.Now()}
	body, err := c.held.Read(paced, most, c.HTTP.ContentLength)
	switch {
	case errors.Is(err, inflight.ErrLarge):
		return nil, &Problem{Status: http.StatusRequestEntityTooLarge, Code: CodeTooLarge,
			Rule: rule.New("body_large", "the body may have at most {max} bytes", "max", most)}
	case errors.Is(err, inflight.ErrFull):
		return nil, &Problem{Status: http.StatusServiceUnavailable, Code: CodeBusy, RetryAfter: busyRetry,
			Rule: rule.New("bodies_full", "too many large requests at once")}
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, &Problem{Status: http.StatusRequestTimeout, Code: CodeTimeout, Rule: rule.New("body_slow", "the body came too slowly")}
	case err != nil:
		return nil, BadRequest(rule.New("body_cut", "the body could not be read to its end"))
	}
	c.Writer.Header().Del("Connection")
	// A deadline that passes while the request is worked on would look as if the client had gone.
	if err := control.SetReadDeadline(time.Time{}); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return nil, err
	}
	return body, nil
}

// DropBody reads the body of a request that needs none. Until a body is read to its end the server does not see that the caller has gone.
func (c *Request) DropBody() error {
	if c.HTTP.ContentLength == 0 {
		return nil
	}
	_, err := c.readBody(MaxSignInBody)
	c.held.Release()
	c.held = nil
	return err
}

// payer returns the caller that the memory of the body counts for, and whether that is a stranger.
func (c *Request) payer() (key string, stranger bool) {
	if !c.Caller.Stranger() {
		return c.Caller.Key, false
	}
	return c.base.Proxies.network(c.HTTP), true
}

// Done gives back what the call held. The call is answered then.
func (c *Request) Done() {
	for _, held := range []*inflight.Hold{c.held, c.answer} {
		if held != nil {
			held.Release()
		}
	}
}
