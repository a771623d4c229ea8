package feed

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"go.bug.st/serial"
)

// readSerial reads the configured port until it is unplugged or ctx is done.
func (in *inlet) readSerial(ctx context.Context) error {
	release, free := in.ports.claimPort(in.target.address)
	if !free {
		return fmt.Errorf("port %s is read by another feed", in.target.address)
	}
	defer release()
	port, err := openPort(in.target.address, in.target.baud)
	if err != nil {
		return err
	}
	defer in.linked(port.file)()
	in.opened(in.target.address)
	return in.listenTo(ctx, port, nil)
}

// listenTo reads an open port until it is unplugged or ctx is done, and closes it. What was read before comes first.
func (in *inlet) listenTo(ctx context.Context, p *port, before []byte) error {
	defer context.AfterFunc(ctx, func() { p.file.Close() })()
	defer p.Close()
	intake := in.newIntake()
	defer intake.close(ctx)
	intake.chunk(ctx, before, time.Now())
	return intake.readStream(ctx, p)
}

// port is an open serial port.
type port struct {
	file     *os.File    // read by way of Go's poller
	settings serial.Port // holds the line settings and keeps others out
}

// openPort opens a serial port with 8 data bits, no parity and 1 stop bit.
//
// Both ways of opening it say O_NOCTTY. Else the port would become the terminal of a server that leads its session (systemd). Unplugging the
// receiver would then kill the server. The serial package sets the line but does not read: its Read calls select, which
// panics for a file number beyond 1023. A server with many clients has such numbers.
func openPort(path string, baud int) (*port, error) {
	file, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	settings, err := serial.Open(path, &serial.Mode{
		BaudRate: baud,
		DataBits: 8,
		Parity:   serial.NoParity,
		StopBits: serial.OneStopBit,
	})
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	return &port{file, settings}, nil
}

// Read waits for bytes for a second at most.
func (p *port) Read(buffer []byte) (int, error) {
	if err := p.file.SetReadDeadline(time.Now().Add(tickEvery)); err != nil {
		return 0, err
	}
	return p.file.Read(buffer)
}

// Close gives the port back.
func (p *port) Close() {
	p.settings.Close()
	p.file.Close()
}

// claims are the serial ports in use, so that no two feeds read one port: root is not kept out by the kernel.
type claims struct {
	mu    sync.Mutex
	taken map[string]bool
}

func newClaims() *claims { return &claims{taken: map[string]bool{}} }

// claimPort reserves the port that path leads to, if it is free.
func (c *claims) claimPort(path string) (release func(), free bool) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.taken[path] {
		return nil, false
	}
	c.taken[path] = true
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.taken, path)
	}, true
}
