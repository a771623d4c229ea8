//go:build linux

package sms

import (
	"bufio"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/internal/await"
	"quaywatch/internal/rule"
	"quaywatch/notify/outbound"
)

// plug makes a pseudo-terminal and puts its near end at path, as udev does for a modem that is plugged in. It keeps the near end open too, because
// the far end of one that nobody has open is broken.
func plug(t *testing.T, path string) *os.File {
	t.Helper()
	far, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		t.Skipf("needs pseudo-terminals: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	raw, err := far.SyscallConn() // Fd would make reads block that Close cannot end
	if err != nil {
		t.Fatal(err)
	}
	n, numbered := 0, error(nil)
	err = raw.Control(func(fd uintptr) {
		if numbered = unix.IoctlSetPointerInt(int(fd), unix.TIOCSPTLCK, 0); numbered == nil {
			n, numbered = unix.IoctlGetInt(int(fd), unix.TIOCGPTN)
		}
	})
	if err := errors.Join(err, numbered); err != nil {
		t.Fatal(err)
	}
	os.Remove(path)
	if err := os.Symlink(fmt.Sprintf("/dev/pts/%d", n), path); err != nil {
		t.Fatal(err)
	}
	near, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		far.Close()
		near.Close()
	})
	return far
}

// telephone is a modem with a SIM card at the far end of a pseudo-terminal. It speaks as modems do: with echo until it is told not to, and
// with words of its own between its answers.
type telephone struct {
	far      *os.File
	out      io.Writer         // far, by default
	answers  map[string]string // instead of what a modem answers to a command; "" is silence
	unplug   string            // the command at which it is unplugged
	refuse   string            // instead of +CMGS: once, of the network
	silentAt bool              // the network never answers
	drips    bool              // it speaks one byte at a time
	commands []string
	messages chan pdu
}

// talk answers until the port is gone.
func (p *telephone) talk() {
	in := bufio.NewReader(p.far)
	if p.drips {
		p.out = single{p.far}
	}
	echo, length := true, 0
	for {
		end := byte('\r')
		if length > 0 {
			end = 0x1a
		}
		text, err := in.ReadString(end)
		if err != nil {
			return
		}
		if length > 0 {
			p.text(text, length)
			length = 0
			continue
		}
		command := strings.TrimSpace(strings.Trim(text, "\r\x1b"))
		if command == "" {
			continue
		}
		p.commands = append(p.commands, command)
		if echo {
			fmt.Fprintf(p.out, "%s\r", command)
		}
		if command == p.unplug {
			p.far.Close()
			return
		}
		if answer, set := p.answers[command]; set {
			fmt.Fprint(p.out, answer)
			continue
		}
		switch {
		case strings.HasPrefix(command, "AT+CMGS="):
			fmt.Sscanf(command, "AT+CMGS=%d", &length)
			fmt.Fprint(p.out, "\r\n> ")
		case command == "AT+CPIN?":
			fmt.Fprint(p.out, "\r\n^RSSI:17\r\n\r\n+CPIN: READY\r\n\r\nOK\r\n")
		default:
			echo = echo && command != "ATE0"
			fmt.Fprint(p.out, "\r\nOK\r\n")
		}
	}
}

// text takes the text of a message.
func (p *telephone) text(text string, length int) {
	bytes, err := hex.DecodeString(strings.TrimSuffix(text, "\x1a"))
	switch {
	case p.unplug == "text":
		p.far.Close()
	case p.silentAt:
	case p.refuse != "":
		fmt.Fprint(p.out, p.refuse)
		p.refuse = ""
	case err != nil || len(bytes) != length+1:
		fmt.Fprint(p.out, "\r\n+CMS ERROR: 304\r\n")
	default:
		p.messages <- pdu{bytes, length}
		fmt.Fprint(p.out, "\r\n+CMTI: \"SM\",3\r\n\r\n+CMGS: 12\r\n\r\nOK\r\n")
	}
}

// rig is a modem at a port, as the program has it.
type rig struct {
	path  string
	modem *Modem
}

func newRig(t *testing.T, p Patience) *rig {
	t.Helper()
	r := &rig{path: filepath.Join(t.TempDir(), "ttyUSB2")}
	feeds, err := feed.New(nil, ais.NewPool(1), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	r.modem = NewModem(func() (SerialPort, error) { return feeds.OpenDevice("serial://" + r.path + "?baud=115200") }, p)
	t.Cleanup(func() { noneLeft(t) })
	return r
}

// plug plugs a telephone in and lets it talk.
func (r *rig) plug(t *testing.T, p telephone) *telephone {
	t.Helper()
	p.far, p.messages = plug(t, r.path), make(chan pdu, 100)
	p.out = p.far
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.talk()
	}()
	t.Cleanup(func() {
		p.far.Close()
		<-done
	})
	return &p
}

// noneLeft holds that no goroutine of this package but the test's own is alive.
func noneLeft(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	left := ""
	for range await.Looks(await.Limit) {
		left = ""
		for _, g := range strings.Split(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(g, "notify/sms.(") && !strings.Contains(g, "testing.") && !strings.Contains(g, "telephone") {
				left = g
			}
		}
		if left == "" {
			return
		}
	}
	t.Fatalf("a goroutine is left:\n%s", left)
}

// A long text goes out in parts that a telephone joins, whatever the modem says in between, and one notice after the other.
func TestModemSends(t *testing.T) {
	r := newRig(t, Patience{time.Minute, time.Minute})
	phone := r.plug(t, telephone{})
	long := strings.Repeat("NORDIC HAV enters [Anchorage West] <SCRIPT>\r\n", 5)
	for _, text := range []string{"short", long, "Überfahrt → Åland"} {
		if err := r.modem.Send(t.Context(), "17", "+4512345678", text); err != nil {
			t.Fatal(err)
		}
		got := ""
		for len(phone.messages) > 0 {
			got += read(t, <-phone.messages).text
		}
		if got != clean(text) {
			t.Errorf("%q came as %q", text, got)
		}
	}
}

// Each way in which a modem or its network refuses has its own words; only a number that does not exist is the last word.
func TestModemRefuses(t *testing.T) {
	for _, c := range []struct {
		phone telephone
		word  string
		final bool
	}{
		{telephone{answers: map[string]string{"AT+CPIN?": "\r\n+CPIN: SIM PIN\r\n\r\nOK\r\n"}}, "modem_pin", false},
		{telephone{answers: map[string]string{"AT+CPIN?": "\r\n+CME ERROR: 10\r\n"}}, "modem_no_sim", false},
		{telephone{answers: map[string]string{"AT+CMGF=0": "\r\nERROR\r\n"}}, "modem_error", false},
		{telephone{answers: map[string]string{"ATE0": "\r\nERROR\r\n", "AT+CMEE=1": "\r\nERROR\r\n", "AT+CMGF=0": "\r\n+CME ERROR: SIM busy\r\n"}}, "modem_error", false},
		{telephone{refuse: "\r\n+CMS ERROR: 28\r\n"}, "modem_unknown_number", true},
		{telephone{refuse: "\r\n+CMS ERROR: 331\r\n"}, "modem_no_network", false},
		{telephone{refuse: "\r\n+CMS ERROR: 42\r\n"}, "modem_refuses", false},
		{telephone{refuse: "\r\nERROR\r\n"}, "modem_error", false},
		{telephone{refuse: "\r\nOK\r\n"}, "modem_untold", false},
	} {
		r := newRig(t, Patience{time.Minute, time.Minute})
		phone := r.plug(t, c.phone)
		err := r.modem.Send(t.Context(), "17", "+4512345678", "text")
		if err == nil || rule.Of(err).Word != c.word || outbound.IsFinal(err) != c.final {
			t.Errorf("%v, want %s", err, c.word)
		}
		if c.phone.refuse == "" {
			continue
		}
		if err := r.modem.Send(t.Context(), "17", "+4512345678", "text"); err != nil || len(phone.messages) != 1 {
			t.Errorf("after %s: %v", c.word, err)
		}
	}
}

// A modem that says nothing, at all or from some point on, is waited for so long as is said; the next attempt begins anew.
func TestModemIsSilent(t *testing.T) {
	const moment = 50 * time.Millisecond
	for _, c := range []struct {
		phone telephone
		waits Patience
		word  string
	}{
		{telephone{answers: map[string]string{"AT": ""}}, Patience{moment, time.Minute}, "modem_silent"},
		{telephone{silentAt: true}, Patience{time.Minute, moment}, "modem_stopped"},
	} {
		r := newRig(t, c.waits)
		r.plug(t, c.phone)
		if err := r.modem.Send(t.Context(), "17", "+4512345678", "text"); err == nil || rule.Of(err).Word != c.word || outbound.IsFinal(err) {
			t.Errorf("%v, want %s", err, c.word)
		}
	}
}

// impatient is a port at which the first reads are over before anything came.
type impatient struct {
	SerialPort
	reads int
}

func (p *impatient) Read(b []byte) (int, error) {
	if p.reads > 0 {
		p.reads--
		return 0, os.ErrDeadlineExceeded
	}
	return p.SerialPort.Read(b)
}

// behind is a modem that answers each command when the next one comes, and the last one at once. It loses a text that comes before it asked for it.
func behind(far *os.File, texts chan<- string) {
	in, held := bufio.NewReader(far), ""
	for {
		command, err := in.ReadString('\r')
		if err != nil {
			return
		}
		switch command = strings.Trim(command, "\r\x1b"); {
		case command == "":
			continue
		case !strings.HasPrefix(command, "AT+CMGS="):
			fmt.Fprint(far, held)
			if held = "\r\nOK\r\n"; command == "AT+CPIN?" {
				held = "\r\n+CPIN: READY\r\n\r\nOK\r\n"
			}
			continue
		}
		fmt.Fprint(far, held)
		held = ""
		_ = far.SetReadDeadline(time.Now().Add(50 * time.Millisecond)) // what comes now comes too early
		_, early := in.ReadByte()
		_ = far.SetReadDeadline(time.Time{})
		if early == nil {
			fmt.Fprint(far, "\r\nERROR\r\n")
			continue
		}
		fmt.Fprint(far, "\r\n> ")
		text, err := in.ReadString(0x1a)
		if err != nil {
			return
		}
		texts <- text
		fmt.Fprint(far, "\r\n+CMGS: 12\r\n\r\nOK\r\n")
	}
}

// A modem whose answers come after their time gets the text when it asks for it, and once.
func TestModemAnswersLate(t *testing.T) {
	r := newRig(t, Patience{time.Minute, time.Minute})
	far, texts, done := plug(t, r.path), make(chan string, 10), make(chan struct{})
	go func() {
		defer close(done)
		behind(far, texts)
	}()
	t.Cleanup(func() {
		far.Close()
		<-done
	})
	open := r.modem.open
	r.modem.open = func() (SerialPort, error) {
		port, err := open()
		return &impatient{port, 2}, err // AT, and what ends a text
	}
	if err := r.modem.Send(t.Context(), "17", "+4512345678", "text"); err != nil {
		t.Error(err)
	}
	if len(texts) != 1 {
		t.Errorf("%d texts", len(texts))
	}
}

// single writes one byte at a time.
type single struct{ io.Writer }

func (s single) Write(b []byte) (n int, err error) {
	for i := range b {
		if _, err := s.Writer.Write(b[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(b), nil
}

// A modem that speaks one byte at a time is understood. One that never ends, and one that never reads, are given up in time.
func TestModemIsSlow(t *testing.T) {
	r := newRig(t, Patience{time.Minute, time.Minute})
	phone := r.plug(t, telephone{drips: true})
	if err := r.modem.Send(t.Context(), "17", "+4512345678", "text"); err != nil || len(phone.messages) != 1 {
		t.Errorf("byte by byte: %v", err)
	}

	const moment = 50 * time.Millisecond
	for name, says := range map[string]string{"endless words": "RING ", "endless lines": "RING\r\n", "endless answers": "OK\r\n"} {
		r = newRig(t, Patience{moment, moment})
		far, done := plug(t, r.path), make(chan struct{})
		go func() {
			defer close(done)
			for {
				if _, err := io.WriteString(far, says); err != nil {
					return
				}
			}
		}()
		err := r.modem.Send(t.Context(), "17", "+4512345678", "text")
		if err == nil || outbound.IsFinal(err) || rule.Of(err).Word != "modem_silent" && rule.Of(err).Word != "modem_stopped" {
			t.Errorf("%s: %v", name, err)
		}
		far.Close()
		<-done
	}

	r = newRig(t, Patience{moment, moment})
	plug(t, r.path)
	full, err := os.OpenFile(r.path, os.O_WRONLY|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer full.Close()
	if err := full.SetWriteDeadline(time.Now().Add(moment)); err != nil {
		t.Fatal(err)
	}
	if _, err := full.Write(make([]byte, 1<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("the port takes all: %v", err)
	}
	if err := r.modem.Send(t.Context(), "17", "+4512345678", "text"); err == nil || rule.Of(err).Word != "modem_silent" {
		t.Errorf("never reads: %v", err)
	}
}

// deaf is a port that takes so many writes, and then none in time.
type deaf struct {
	SerialPort
	writes int
}

func (p *deaf) Write(b []byte) (int, error) {
	if p.writes == 0 {
		return 0, os.ErrDeadlineExceeded
	}
	p.writes--
	return len(b), nil
}

func (p *deaf) Read([]byte) (int, error)         { return 0, os.ErrDeadlineExceeded }
func (p *deaf) SetReadDeadline(time.Time) error  { return nil }
func (p *deaf) SetWriteDeadline(time.Time) error { return nil }
func (p *deaf) Close() error                     { return nil }

// A modem that stops reading while it is greeted is silent, at whatever it was said.
func TestModemStopsReading(t *testing.T) {
	for writes := range 7 {
		m := NewModem(func() (SerialPort, error) { return &deaf{writes: writes}, nil }, Patience{time.Minute, time.Minute})
		if err := m.Send(t.Context(), "17", "+4512345678", "text"); err == nil || rule.Of(err).Word != "modem_silent" || outbound.IsFinal(err) {
			t.Errorf("after %d writes: %v", writes, err)
		}
	}
}

// A modem that is not there, or is unplugged at any step, gives an error, and is used again when it is plugged in.
func TestModemUnplugged(t *testing.T) {
	r := newRig(t, Patience{time.Minute, time.Minute})
	if err := r.modem.Send(t.Context(), "17", "+4512345678", "text"); err == nil || rule.Of(err).Word != "modem_unopened" {
		t.Errorf("not there: %v", err)
	}
	commands := []string{"AT", "ATE0", "AT+CMEE=1", "AT+CPIN?", "AT+CMGF=0", "AT+CMGS=17"}
	for _, at := range append(slices.Clone(commands), "text") {
		r.plug(t, telephone{unplug: at})
		if err := r.modem.Send(t.Context(), "17", "+4512345678", "text"); err == nil || rule.Of(err).Word != "modem_gone" {
			t.Errorf("unplugged at %s: %v", at, err)
		}
	}
	phone := r.plug(t, telephone{})
	if err := r.modem.Send(t.Context(), "17", "+4512345678", "text"); err != nil || len(phone.messages) != 1 {
		t.Errorf("plugged in again: %v", err)
	}
	if !slices.Equal(phone.commands, commands) {
		t.Errorf("said %q", phone.commands)
	}
}

// Who waits for a silent modem, or for its turn, can give up.
func TestModemGivenUp(t *testing.T) {
	r := newRig(t, Patience{time.Hour, time.Hour})
	r.plug(t, telephone{silentAt: true})
	ctx, end := context.WithCancel(t.Context())
	results := make(chan error, 2)
	for range 2 {
		go func() { results <- r.modem.Send(ctx, "17", "+4512345678", "text") }()
	}
	select {
	case err := <-results:
		t.Fatalf("did not wait: %v", err)
	default:
	}
	end()
	for range 2 {
		if err := <-results; !errors.Is(err, context.Canceled) {
			t.Errorf("given up: %v", err)
		}
	}
}
