package feed

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// Device is the open serial port of a device that is no feed, as a modem. Read and Write wait until their deadlines.
type Device struct {
	file  *os.File
	close func()
}

// ParseDevice reports whether a URL names the serial port of a device: serial:///dev/ttyUSB2?baud=115200.
func ParseDevice(url string) error {
	_, err := parseDevice(url)
	return err
}

func parseDevice(url string) (target, error) {
	t, err := parseURL(url, "serial")
	if err == nil && t.kind == kindSerialAuto {
		err = fmt.Errorf("needs the form serial:///dev/name: a device that is no receiver is not searched for")
	}
	if err != nil {
		return target{}, fmt.Errorf("url %q: %w", url, err)
	}
	return t, nil
}

// OpenDevice opens the serial port of a device. No feed reads that port until it is closed.
func (f *Sources) OpenDevice(url string) (*Device, error) {
	t, err := parseDevice(url)
	if err != nil {
		return nil, err
	}
	release, free := f.ports.claimPort(t.address)
	if !free {
		return nil, fmt.Errorf("port %s is in use", t.address)
	}
	p, err := openPort(t.address, t.baud)
	if err != nil {
		release()
		return nil, err
	}
	return &Device{p.file, sync.OnceFunc(func() {
		p.Close()
		release()
	})}, nil
}

func (d *Device) Read(b []byte) (int, error)  { return d.file.Read(b) }
func (d *Device) Write(b []byte) (int, error) { return d.file.Write(b) }

// SetReadDeadline says until when Read waits.
func (d *Device) SetReadDeadline(t time.Time) error { return d.file.SetReadDeadline(t) }

// SetWriteDeadline says until when Write waits.
func (d *Device) SetWriteDeadline(t time.Time) error { return d.file.SetWriteDeadline(t) }

// Close returns the port back, and ends what waits for it. It may be called more than once.
func (d *Device) Close() error {
	d.close()
	return nil
}
