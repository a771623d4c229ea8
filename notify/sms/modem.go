package sms

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"
	"time"

	"quaywatch/form/phone"
	"quaywatch/internal/rule"
	"quaywatch/notify/outbound"
)

// SerialPort is an open serial port.
type SerialPort interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

// Patience is how long a modem may take.
type Patience struct {
	Command time.Duration // for its answer to a command
	Network time.Duration // for the answer of the network to a message
}

// Modem is a GSM modem. It opens its port for each notice, so it may be unplugged and plugged in again at any time.
type Modem struct {
	open     func() (SerialPort, error)
	patience Patience
	turn     chan struct{} // holds one notice at a time
}

// NewModem makes a modem of what opens its port. The zero patience is that of a slow modem.
func NewModem(open func() (SerialPort, error), p Patience) *Modem {
	if p == (Patience{}) {
		p = Patience{Command: 5 * time.Second, Network: time.Minute}
	}
	return &Modem{open, p, make(chan struct{}, 1)}
}

// Send sends a text. It is the same notice for the receiver's telephone whenever id is the same. It returns when the network took each part.
func (m *Modem) Send(ctx context.Context, id string, to phone.Number, text string) error {
	select {
	case m.turn <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-m.turn }()
	port, err := m.open()
	if err != nil {
		return rule.New("modem_unopened", "the modem cannot be opened: {problem}", "problem", outbound.Excerpt([]byte(err.Error())))
	}
	defer port.Close()
	defer context.AfterFunc(ctx, func() { port.Close() })()
	d := dialogue{port: port, patience: m.patience}
	err = d.sendMessages(pdusOf(to, text, byte(crc32.ChecksumIEEE([]byte(id)))))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}

// dialogue is what is said and heard on an open port.
type dialogue struct {
	port     SerialPort
	patience Patience
	heard    []byte // that is no whole line yet
}

// The signs of the dialogue.
const (
	prompt = ">"
	ctrlZ  = "\x1a"
	esc    = "\x1b"
)

// sendMessages greets the modem and sends messages.
func (d *dialogue) sendMessages(messages []pdu) error {
	if err := d.greet(); err != nil {
		return err
	}
	for i := range messages {
		if err := d.submit(&messages[i]); err != nil {
			return err
		}
	}
	return nil
}

// greet wakes the modem and sets how it speaks.
func (d *dialogue) greet() error {
	var err error
	for range 3 { // a modem finds its speed by the first letters
		if err = d.sendCommand("AT"); !errors.Is(err, errSilent) {
			break
		}
		if hushed := d.hush(); hushed != nil { // it is gone, or takes nothing more
			err = hushed
			break
		}
	}
	if errors.Is(err, errSilent) {
		return rule.New("modem_silent", "the modem does not answer")
	}
	if err != nil {
		return err
	}
	for _, step := range []struct {
		command string
		needed  bool
	}{{"ATE0", false}, {"AT+CMEE=1", false}, {"AT+CPIN?", true}, {"AT+CMGF=0", true}} {
		if err := d.sendCommand(step.command); err != nil && (step.needed || isGone(err)) {
			return d.commandError(step.command, err)
		}
	}
	return nil
}

// mostAnswers bounds the answers to what was said before, of a modem that was too slow.
const mostAnswers = 20

// hush ends a message that the modem may still wait for, and hears what it says of that.
func (d *dialogue) hush() error {
	if err := d.sendText(esc + "\r"); err != nil {
		return err
	}
	for range mostAnswers {
		if _, err := d.awaitAnswer(d.patience.Command/5, false); errors.Is(err, errSilent) {
			return nil
		} else if err != nil && isGone(err) {
			return err
		}
	}
	return nil
}

// commandError returns an error of a command as a user reads it.
func (d *dialogue) commandError(command string, err error) error {
	if errors.Is(err, errSilent) {
		return rule.New("modem_stopped", "the modem does not answer to {command}", "command", command)
	}
	var refused refusal
	if errors.As(err, &refused) {
		return refused.rule(command)
	}
	return err
}

// submit sends one message.
func (d *dialogue) submit(p *pdu) error {
	command := "AT+CMGS=" + strconv.Itoa(p.length)
	err := d.sendText(command + "\r")
	if err == nil {
		_, err = d.awaitAnswer(d.patience.Command, true)
	}
	if err == nil {
		if err = d.sendText(strings.ToUpper(hex.EncodeToString(p.bytes)) + ctrlZ); err == nil {
			err = d.awaitTaken()
		}
	}
	if errors.Is(err, errSilent) {
		d.sendText(esc) // it may still wait for the text; should it be gone, the port says so next
	}
	return d.commandError("AT+CMGS", err)
}

// awaitTaken waits until the network took the message.
func (d *dialogue) awaitTaken() error {
	lines, err := d.awaitAnswer(d.patience.Network, false)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "+CMGS:") {
			return nil
		}
	}
	return rule.New("modem_untold", "the modem does not say that the message was taken")
}

// sendCommand says a command and waits for its answer.
func (d *dialogue) sendCommand(text string) error {
	if err := d.sendText(text + "\r"); err != nil {
		return err
	}
	lines, err := d.awaitAnswer(d.patience.Command, false)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if state, tells := strings.CutPrefix(line, "+CPIN: "); tells && state != "READY" {
			return rule.New("modem_pin", "the SIM card is locked ({state}): switch its PIN off in a telephone", "state", outbound.Excerpt([]byte(state)))
		}
	}
	return nil
}

func (d *dialogue) sendText(text string) error {
	if err := d.port.SetWriteDeadline(time.Now().Add(d.patience.Command)); err != nil {
		return portError(err)
	}
	if _, err := io.WriteString(d.port, text); err != nil {
		return portError(err)
	}
	return nil
}

// errSilent says that the modem said nothing in time that ends an answer.
var errSilent = errors.New("no answer in time")

// awaitAnswer reads until the modem has answered, or until it asks for the text of a message when the prompt is what is waited for. Then an OK is the late answer to
// something before. It returns the lines before the end of the answer. What the modem says by itself in between is among them.
func (d *dialogue) awaitAnswer(wait time.Duration, forPrompt bool) (lines []string, err error) {
	if err := d.port.SetReadDeadline(time.Now().Add(wait)); err != nil {
		return nil, portError(err)
	}
	chunk := make([]byte, 256)
	for {
		for line, whole := d.nextLine(); whole; line, whole = d.nextLine() {
			if done, err := endsAnswer(line); done && (err != nil || !forPrompt) {
				return lines, err
			}
			if len(lines) < mostLines {
				lines = append(lines, line)
			}
		}
		if forPrompt && strings.TrimSpace(string(d.heard)) == prompt {
			d.heard = nil
			return lines, nil
		}
		n, err := d.port.Read(chunk)
		d.heard = append(d.heard, chunk[:n]...)
		if err != nil && n == 0 {
			return nil, portError(err)
		}
	}
}

// What is kept of what a modem says.
const (
	mostLines = 100
	mostLine  = 512
)

// nextLine takes the next line from what was heard; false when no line is whole.
func (d *dialogue) nextLine() (string, bool) {
	text, rest, whole := strings.Cut(string(d.heard), "\n")
	if !whole {
		if len(d.heard) > mostLine {
			d.heard = d.heard[len(d.heard)-len(prompt):]
		}
		return "", false
	}
	d.heard = []byte(rest)
	return strings.TrimSpace(text), true
}

// endsAnswer reports whether a line ends an answer, and how.
func endsAnswer(line string) (done bool, err error) {
	switch {
	case line == "OK":
		return true, nil
	case line == "ERROR":
		return true, refusal{}
	}
	for _, kind := range []string{"+CMS ERROR:", "+CME ERROR:"} {
		if text, is := strings.CutPrefix(line, kind); is {
			code, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil { // in words, of a modem that does not know AT+CMEE
				return true, refusal{}
			}
			return true, refusal{kind[1:4], code}
		}
	}
	return false, nil
}

// refusal is an error that the modem said.
type refusal struct {
	kind string // CMS, CME, or "" for one without a number
	code int
}

func (r refusal) Error() string { return fmt.Sprintf("+%s ERROR: %d", r.kind, r.code) }

// rule returns the words of a refusal: codes of 3GPP TS 27.005 and 27.007.
func (r refusal) rule(command string) error {
	switch r {
	case refusal{"CMS", 1}, refusal{"CMS", 28}, refusal{"CMS", 30}:
		return outbound.Final(rule.New("modem_unknown_number", "the network does not know the number (+CMS ERROR: {code})", "code", r.code))
	case refusal{"CMS", 310}, refusal{"CME", 10}:
		return rule.New("modem_no_sim", "there is no SIM card in the modem")
	case refusal{"CMS", 331}, refusal{"CMS", 332}, refusal{"CME", 30}, refusal{"CME", 31}:
		return rule.New("modem_no_network", "the modem has no network")
	case refusal{}:
		return rule.New("modem_error", "the modem answers ERROR to {command}", "command", command)
	}
	return rule.New("modem_refuses", "the modem refuses {command} with +{kind} ERROR: {code}", "command", command, "kind", r.kind, "code", r.code)
}

// portError returns what a failed read or write of the port means.
func portError(err error) error {
	var timeout interface{ Timeout() bool }
	if errors.As(err, &timeout) && timeout.Timeout() {
		return errSilent
	}
	return rule.New("modem_gone", "the modem is gone")
}

// isGone tells that the port is of no more use.
func isGone(err error) bool {
	var refused refusal
	return !errors.As(err, &refused) && !errors.Is(err, errSilent)
}
