package call

import (
	"io"
	"net/http"
	"time"

	"quaywatch/rule"
)

// wholeUpTo is how many bytes an answer in parts may have that is sent as a whole, with its length.
const wholeUpTo = 256 << 10

// SendParts is SendAs of a body that write makes part by part. A long one is sent while it is made, so that the memory never holds all of it,
// however many callers ask and however slowly they read.
func (c *Call) SendParts(l Layout, file string, write func(io.Writer)) error {
	p := parts{call: c, contentType: c.laidOut(l, file)}
	write(&p)
	if p.to == nil {
		c.Send(http.StatusOK, p.contentType, p.held)
		return nil
	}
	p.end()
	return nil
}

// HoldAnswer counts the memory that a long answer holds until the call is answered: a slow client may read it for a minute. Where there is no
// room the error is a problem. An answer that is being sent ends for that of a caller that holds less.
func (c *Call) HoldAnswer(bytes int64) error {
	if bytes <= wholeUpTo {
		return nil
	}
	payer, stranger := c.payer()
	control := http.NewResponseController(c.Writer)
	c.answer = c.base.Answers.Hold(payer, stranger, func() { _ = control.SetWriteDeadline(time.Unix(1, 0)) })
	if !c.answer.Take(bytes) {
		return &Problem{Status: http.StatusServiceUnavailable, Code: CodeBusy, RetryAfter: busyRetry,
			Rule: rule.New("answers_full", "too many long answers are being sent at once")}
	}
	return nil
}

// parts is the body of an answer that is being made.
type parts struct {
	call        *Call
	contentType string
	held        []byte    // what is not sent yet
	to          io.Writer // nil until it is known that the answer is a long one
	packer      *packer   // nil of an answer that is not compressed
	err         error     // of the client, which went away
}

// Write takes a part. Once it failed it takes nothing more.
func (p *parts) Write(b []byte) (int, error) {
	if p.to == nil && len(p.held)+len(b) <= wholeUpTo {
		p.held = append(p.held, b...)
		return len(b), nil
	}
	if p.to == nil {
		p.begin()
	}
	if p.err == nil {
		_, p.err = p.to.Write(b)
	}
	return len(b), p.err
}

// begin sends the headers and what is held.
func (p *parts) begin() {
	c := p.call
	h := c.Writer.Header()
	h.Set("Content-Type", p.contentType)
	h.Add("Vary", "Accept-Encoding")
	p.to = c.Writer
	if c.AcceptsGzip() {
		h.Set("Content-Encoding", "gzip")
		p.packer = c.base.packer()
		p.packer.writer.Reset(c.Writer)
		p.to = p.packer.writer
	}
	c.Writer.WriteHeader(http.StatusOK)
	_, p.err = p.to.Write(p.held)
	p.held = nil
}

// end sends the rest.
func (p *parts) end() {
	if p.packer != nil {
		if err := p.packer.writer.Close(); p.err == nil {
			p.err = err
		}
		p.call.base.packers.Put(p.packer)
	}
	if p.err != nil {
		p.call.base.Log.Debug("client went away", "path", p.call.Request.URL.EscapedPath(), "error", p.err)
	}
}
