package request

import (
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"time"

	"quaywatch/internal/rule"
)

const (
	// wholeUpTo is how many bytes an answer in parts may have that is sent as a whole, with its length.
	wholeUpTo = 256 << 10

	// uncounted is how many bytes an answer may have that does not count in the budget of answers.
	uncounted = 16 << 10

	// streamRoom is what an answer in parts holds beside what it is made of: a packer, and the part that is sent.
	streamRoom = 1 << 20
)

// SendParts is SendAs of a body that write makes part by part. A long body is sent while it is made. So the memory never holds all of it, however many callers
// ask and however slowly they read.
func (c *Request) SendParts(l Layout, file string, write func(io.Writer)) error {
	return c.SendReading(l, file, func(w io.Writer) error { write(w); return nil })
}

// SendReading is SendParts of a body that write may fail to read to its end. What is sent by then must not look whole: the connection is aborted, so that the
// client sees an error. Where nothing is sent yet the error is that of the call.
func (c *Request) SendReading(l Layout, file string, write func(io.Writer) error) error {
	buffer, ok := c.base.buffers.Get().(*[]byte)
	if !ok {
		buffer = new([]byte)
	}
	p := parts{call: c, contentType: c.laidOut(l, file), held: (*buffer)[:0]}
	p.free = func() {
		*buffer, p.held = p.held, nil
		c.base.buffers.Put(buffer)
	}
	if err := write(&p); err != nil {
		return p.failAnswer(err)
	}
	if p.to == nil {
		c.sendFrom(http.StatusOK, p.contentType, p.held, p.free)
		return nil
	}
	p.sendRest()
	return nil
}

// failAnswer ends an answer that cannot be read to its end.
func (p *parts) failAnswer(err error) error {
	if p.to == nil {
		p.free()
		p.call.Writer.Header().Del("Content-Disposition") // a problem is no file to save
		return err
	}
	if p.err == nil && p.call.HTTP.Context().Err() == nil { // the client is still there
		p.call.base.Log.Error("an answer breaks off: it cannot be read to its end", "path", p.call.HTTP.URL.EscapedPath(), "error", err)
	}
	panic(http.ErrAbortHandler)
}

// HoldResult counts the memory of what an answer in parts is made of until the call is answered. A slow client may read it for a minute. Where there is no room
// the error is a problem. An answer that is being sent ends for that of a caller that holds less.
func (c *Request) HoldResult(bytes int64) error {
	if bytes <= uncounted/4 { // its text is up to four times as long
		return nil
	}
	return c.holdAnswer(bytes + streamRoom)
}

// DropResult gives back what HoldResult counted, where the answer is made and needs no more than its own bytes.
func (c *Request) DropResult() {
	if c.answer != nil {
		c.answer.Release()
		c.answer = nil
	}
}

// holdAnswer counts the memory of the answer. What is longer than a caller's share counts as the share, so it can be sent.
func (c *Request) holdAnswer(bytes int64) error {
	payer, stranger := c.payer()
	control := http.NewResponseController(c.Writer)
	c.answer = c.base.Answers.Hold(payer, stranger, func() { _ = control.SetWriteDeadline(time.Unix(1, 0)) })
	if !c.answer.Take(min(bytes, c.base.Answers.Share())) {
		return &Problem{Status: http.StatusServiceUnavailable, Code: CodeBusy, RetryAfter: busyRetry,
			Rule: rule.New("answers_full", "too many long answers are being sent at once")}
	}
	return nil
}

// SendRecords answers with a list of records that are made while it is sent, so that the memory never holds all of them. more says that there are
// others.
func (c *Request) SendRecords(records iter.Seq[any], more bool) error {
	return c.SendParts(Layout{Name: "json", ContentType: "application/json"}, "", func(w io.Writer) {
		before := `{"records":[`
		for r := range records {
			text, err := json.Marshal(r)
			if err != nil {
				c.base.Log.Error("encode a record of an answer", "error", err)
				return
			}
			if _, err := w.Write(append([]byte(before), text...)); err != nil {
				return // the client went away
			}
			before = ","
		}
		end := "]}"
		if more {
			end = `],"more":true}`
		}
		if before != "," {
			end = before + end
		}
		_, _ = io.WriteString(w, end) // what fails was noted
	})
}

// parts is the body of an answer that is being made.
type parts struct {
	call        *Request
	contentType string
	held        []byte    // what is not sent yet
	free        func()    // takes held back, once
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
		p.sendHead()
	}
	if p.err == nil {
		_, p.err = p.to.Write(b)
	}
	return len(b), p.err
}

// sendHead sends the headers and what is held.
func (p *parts) sendHead() {
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
	p.free()
}

// sendRest sends the rest.
func (p *parts) sendRest() {
	if p.packer != nil {
		if err := p.packer.writer.Close(); p.err == nil {
			p.err = err
		}
		p.call.base.packers.Put(p.packer)
	}
	if p.err != nil {
		p.call.base.Log.Debug("client went away", "path", p.call.HTTP.URL.EscapedPath(), "error", p.err)
	}
}
