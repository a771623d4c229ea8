//go:build linux

package feed

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"quaywatch/ais"
)

// plug makes a pseudo-terminal and puts its far end at path, as udev does for a receiver that is plugged in. Writing to
// the file is what the receiver says; unplug closes it.
func plug(t testing.TB, path string) *os.File {
	t.Helper()
	receiver, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		t.Skipf("needs pseudo-terminals: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	fd := int(receiver.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(fmt.Sprintf("/dev/pts/%d", n), path); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { receiver.Close() })
	return receiver
}

func unplug(t testing.TB, receiver *os.File, path string) {
	t.Helper()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	receiver.Close()
}

func say(t testing.TB, receiver *os.File, text string) {
	t.Helper()
	if _, err := receiver.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// A receiver that is unplugged and plugged in again is heard within two seconds, twenty times; half sentences are
// dropped, and no file stays open.
func TestSerialUnplugged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ttyUSB0")
	receiver := plug(t, path)
	r := start(t, Source{Name: "roof", URL: "serial://" + path})
	r.events.await(t, "feed opened")
	before := openFiles(t)
	var took []time.Duration
	for cycle := range ais.MMSI(20) {
		say(t, receiver, position(t, 211000100+cycle)+position(t, 211000000)[:25])
		r.expect(t, 211000100+cycle)
		unplug(t, receiver, path)
		r.events.await(t, "feed lost")
		receiver = plug(t, path)
		plugged := time.Now()
		r.events.await(t, "feed opened")
		say(t, receiver, position(t, 211000000)[25:]+position(t, 211000200+cycle))
		r.expect(t, 211000200+cycle)
		took = append(took, time.Since(plugged))
	}
	if slices.Sort(took); took[len(took)/2] > 2*time.Second { // of each, on a machine that has nothing else to do
		t.Errorf("heard again after %v", took)
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d open files, %d before", after, before)
	}
	s := r.feeds.Status()[0]
	if s.Connects != 21 || s.Counters.Messages[1] != 40 || !s.Connected {
		t.Errorf("%+v", s)
	}
}

// A megabyte of noise does no harm: it is cut into lines that are refused, and the first sentence after it is heard.
func TestSerialNoise(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ttyUSB0")
	receiver := plug(t, path)
	r := start(t, Source{Name: "roof", URL: "serial://" + path + "?baud=4800"})
	r.events.await(t, "feed opened")
	random := rand.New(rand.NewPCG(1, 2))
	noise := make([]byte, 1<<20)
	for i := range noise {
		noise[i] = byte(random.Uint32())
		if noise[i] == '\n' || noise[i] == '\r' {
			noise[i] = 0
		}
	}
	say(t, receiver, string(noise[:len(noise)/2]))
	for at := len(noise) / 2; at < len(noise); at += 100 {
		noise[at] = '\n'
	}
	say(t, receiver, string(noise[len(noise)/2:])+"\n"+position(t, 211000001))
	r.expect(t, 211000001)
	r.stop()
	r.rest()
	s := r.feeds.Status()[0]
	bad := uint64(0)
	for _, n := range s.Counters.Bad {
		bad += n
	}
	if s.LongLines != 1 || bad+s.Counters.Other < 1000 {
		t.Errorf("%d long lines, %d bad, %d other", s.LongLines, bad, s.Counters.Other)
	}
	if ends := uint64(len(noise)/100) + 2; s.Bytes+ends < uint64(len(noise)) {
		t.Errorf("%d of %d bytes counted", s.Bytes, len(noise))
	}
}

func TestSerialIsNoTerminal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "ttyUSB0")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before := openFiles(t)
	if _, err := openPort(path, defaultBaud); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("a plain file as port: %v", err)
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d open files, %d before", after, before)
	}
}

func TestTwoFeedsDoNotReadOnePort(t *testing.T) {
	directory := t.TempDir()
	path := filepath.Join(directory, "ttyUSB0")
	plug(t, path)
	alias := filepath.Join(directory, "by-id")
	if err := os.Symlink(path, alias); err != nil {
		t.Fatal(err)
	}
	r := start(t, Source{Name: "one", URL: "serial://" + path}, Source{Name: "two", URL: "serial://" + alias})
	if lost := r.events.await(t, "feed lost"); !strings.Contains(lost.at, "another feed") {
		t.Errorf("lost: %q", lost.at)
	}
}

// speaker is a receiver that speaks at one baud rate: at any other its bytes are noise. Real ones do so by physics, a
// pseudo-terminal asks what its far end is set to.
func speaker(t *testing.T, receiver *os.File, baud uint32, text string) {
	raw, err := receiver.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for tick := time.NewTicker(10 * time.Millisecond); ; <-tick.C {
			line := strings.Repeat("\xf8\x00\x9e", 50)
			raw.Control(func(fd uintptr) {
				settings, err := unix.IoctlGetTermios(int(fd), unix.TCGETS)
				if err == nil && settings.Cflag&unix.CBAUD == baud {
					line = text
				}
			})
			if _, err := receiver.WriteString(line); err != nil {
				return
			}
		}
	}()
}

func TestSerialAuto(t *testing.T) {
	directory := t.TempDir()
	deaf := plug(t, filepath.Join(directory, "ttyACM0"))
	speaker(t, deaf, unix.B50, "never")
	path := filepath.Join(directory, "ttyUSB3")
	receiver := plug(t, path)
	speaker(t, receiver, unix.B4800, position(t, 211000001))
	r := prepare(t, Source{Name: "roof", URL: "serial://auto"})
	r.feeds.inlets[0].globs = []string{filepath.Join(directory, "ttyA*"), filepath.Join(directory, "ttyU*")}
	r.run(t)
	r.expect(t, 211000001)
	s := r.feeds.Status()[0]
	if want := path + " at 4800 baud"; s.Device != want || !s.Connected {
		t.Errorf("found %q, want %q", s.Device, want)
	}

	// Plugged into another socket it gets another name, and perhaps another speed.
	unplug(t, receiver, path)
	path = filepath.Join(directory, "ttyUSB4")
	speaker(t, plug(t, path), unix.B38400, position(t, 211000002))
	r.expect(t, 211000002)
	if want := path + " at 38400 baud"; r.feeds.Status()[0].Device != want {
		t.Errorf("found %q, want %q", r.feeds.Status()[0].Device, want)
	}
}

func TestSpeaksNMEA(t *testing.T) {
	good := position(t, 211000001)
	for text, want := range map[string]int{
		"":                                 -1,
		good:                               0,
		"\xff$GP!" + good:                  5,
		strings.Replace(good, "1", "0", 1): -1,
		good[:len(good)-4]:                 -1,
		"$*00!*00":                         -1,
		"$GPGGA,x*zz\r\n" + good:           13,
	} {
		if got := speaksNMEA([]byte(text)); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

const childPort = "QUAYWATCH_TEST_SERIAL_PORT"

// A process that leads its session, as a systemd service does, survives the unplugging. If the port had become its terminal, the kernel
// would have hung it up.
func TestSerialSessionLeader(t *testing.T) {
	if path := os.Getenv(childPort); path != "" {
		leadSession(t, path)
		return
	}
	path := filepath.Join(t.TempDir(), "ttyUSB0")
	receiver := plug(t, path)
	child := exec.Command(os.Args[0], "-test.run=^TestSerialSessionLeader$")
	child.Env = append(os.Environ(), childPort+"="+path)
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	child.Stderr = os.Stderr
	pipe, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	said := bufio.NewScanner(pipe)
	expect := func(want string) {
		t.Helper()
		if !said.Scan() || said.Text() != want {
			t.Fatalf("child said %q, want %q; %v", said.Text(), want, child.Wait())
		}
	}
	expect("opened")
	say(t, receiver, position(t, 211000001))
	expect("heard 211000001")
	unplug(t, receiver, path)
	receiver = plug(t, path)
	expect("opened")
	say(t, receiver, position(t, 211000002))
	expect("heard 211000002")
	for said.Scan() {
	}
	if err := child.Wait(); err != nil {
		t.Fatalf("child: %v", err)
	}
}

// leadSession is the child: it reads the port through one unplugging and says what it sees.
func leadSession(t *testing.T, path string) {
	if leader, err := unix.Getsid(0); err != nil || leader != os.Getpid() {
		t.Fatalf("session %d, %v: not its leader", leader, err)
	}
	r := start(t, Source{Name: "roof", URL: "serial://" + path})
	for range 2 {
		r.events.await(t, "feed opened")
		fmt.Println("opened")
		fmt.Println("heard", <-r.heard)
	}
}
