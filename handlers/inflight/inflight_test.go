package inflight_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"quaywatch/handlers/inflight"
)

func budget() *inflight.Budget {
	return inflight.New(inflight.Limits{All: 1000, Share: 600, Strangers: 700})
}

// hold begins a body of n bytes that does not end.
func hold(t *testing.T, b *inflight.Budget, caller string, stranger bool, n int) (*inflight.Hold, error) {
	t.Helper()
	h := b.Hold(caller, stranger, func() {})
	broken := errors.New("no more")
	_, err := h.Read(io.MultiReader(strings.NewReader(strings.Repeat("x", n)), iotest.ErrReader(broken)), 5000, 5000)
	if errors.Is(err, broken) {
		err = nil
	}
	return h, err
}

func TestReadGivesTheBody(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		want := make([]byte, dice.IntN(3000))
		for i := range want {
			want[i] = byte(dice.Uint32())
		}
		b := inflight.New(inflight.Limits{All: 1 << 20, Share: 1 << 20})
		said := int64(len(want))
		if dice.IntN(2) == 0 {
			said = -1
		}
		h := b.Hold("a", false, func() {})
		got, err := h.Read(iotest.HalfReader(bytes.NewReader(want)), 3000, said)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, said %d: got %d, %v", len(want), said, len(got), err)
		}
		if used := b.Used(); used < int64(len(want)) || used > 3001 {
			t.Errorf("%d bytes hold %d", len(want), used)
		}
		h.Release()
		if b.Used() != 0 {
			t.Errorf("%d are held after the end", b.Used())
		}
	}
}

func TestErrLarge(t *testing.T) {
	for _, said := range []int64{-1, 10, 4000} {
		b := budget()
		if _, err := b.Hold("a", false, func() {}).Read(strings.NewReader(strings.Repeat("x", 4000)), 100, said); !errors.Is(err, inflight.ErrLarge) {
			t.Errorf("said %d: %v", said, err)
		}
		if b.Used() > 512 {
			t.Errorf("said %d: %d bytes are held", said, b.Used())
		}
	}
}

// TestWhatIsSaidTakesNoRoom: only what has come counts.
func TestWhatIsSaidTakesNoRoom(t *testing.T) {
	b := inflight.New(inflight.Limits{All: 10000, Share: 10000})
	for range 10 {
		h := b.Hold("a", false, func() {})
		if _, err := h.Read(iotest.ErrReader(io.ErrUnexpectedEOF), 1<<20, 1<<20); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal(err)
		}
	}
	if used := b.Used(); used > 5120 {
		t.Errorf("ten bodies of which nothing came hold %d bytes", used)
	}
}

func TestErrFull(t *testing.T) {
	b := budget()
	one, err := hold(t, b, "user 1", false, 500)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := hold(t, b, "user 1", false, 10); !errors.Is(err, inflight.ErrFull) {
		t.Errorf("beyond the share of one: %v", err)
	}
	if _, err := hold(t, b, "user 2", false, 10); !errors.Is(err, inflight.ErrFull) {
		t.Errorf("beyond what there is: %v", err)
	}
	one.Release()
	if _, err := hold(t, b, "user 2", false, 10); err != nil {
		t.Errorf("after the release: %v", err)
	}
}

// TestStrangersLeaveRoom: however many they are, a user still has room.
func TestStrangersLeaveRoom(t *testing.T) {
	b := inflight.New(inflight.Limits{All: 2000, Share: 600, Strangers: 1000})
	refused := 0
	for _, from := range []string{"a", "b", "c", "d"} {
		if _, err := hold(t, b, from, true, 10); errors.Is(err, inflight.ErrFull) {
			refused++
		}
	}
	if refused != 3 {
		t.Errorf("%d of four strangers are refused", refused)
	}
	if _, err := hold(t, b, "user 1", false, 10); err != nil {
		t.Errorf("a user beside them: %v", err)
	}
}

// arrive begins a body of n bytes that goes on to arrive until it is cut; then ended gives its error.
func arrive(t *testing.T, b *inflight.Budget, caller string, stranger bool, n int) (ended chan error) {
	t.Helper()
	r, w := io.Pipe()
	h := b.Hold(caller, stranger, func() { w.CloseWithError(io.ErrUnexpectedEOF) })
	ended = make(chan error, 1)
	go func() {
		_, err := h.Read(r, 5000, 5000)
		h.Release()
		ended <- err
	}()
	for range n {
		_, _ = w.Write([]byte("x")) // has been read when it returns
	}
	t.Cleanup(func() { w.Close() })
	return ended
}

// Where there is no room, the caller that holds most loses a body that arrives to one that holds less, and no other.
func TestTheCallerThatHoldsMostGivesWay(t *testing.T) {
	b := inflight.New(inflight.Limits{All: 5000, Share: 4000, Strangers: 3000})
	large, small := arrive(t, b, "address 1", true, 600), arrive(t, b, "address 1", true, 10) // 1024 and 512 bytes of room
	middle := arrive(t, b, "address 2", true, 600)
	if _, err := hold(t, b, "address 3", true, 600); err != nil {
		t.Fatalf("a newcomer that holds less: %v", err)
	}
	if err := <-large; !errors.Is(err, inflight.ErrFull) {
		t.Errorf("what went for it ends with %v", err)
	}
	if _, err := hold(t, b, "address 2", true, 600); !errors.Is(err, inflight.ErrFull) {
		t.Errorf("the caller that holds most has room for more: %v", err)
	}
	select {
	case err := <-small:
		t.Errorf("a small body ends with %v", err)
	case err := <-middle:
		t.Errorf("a body of another caller ends with %v", err)
	default:
	}
	if b.Used() > 5000 {
		t.Errorf("%d bytes are held", b.Used())
	}
}

// A stranger's body goes for a user's, and never the other way. A body that has come whole is worked on, and stays.
func TestAStrangerGivesWayToAUser(t *testing.T) {
	b := inflight.New(inflight.Limits{All: 3000, Share: 3000, Strangers: 3000})
	whole := b.Hold("address 1", true, func() { t.Error("a body that is worked on is cut") })
	if _, err := whole.Read(strings.NewReader(strings.Repeat("x", 900)), 5000, 900); err != nil {
		t.Fatal(err)
	}
	arriving := arrive(t, b, "address 2", true, 10)
	user, err := hold(t, b, "user 1", false, 2000) // 512, 1024 and 2048 bytes of room
	if err != nil {
		t.Fatal(err)
	}
	if err := <-arriving; !errors.Is(err, inflight.ErrFull) {
		t.Errorf("the stranger's body ends with %v", err)
	}
	if _, err := hold(t, b, "address 3", true, 10); !errors.Is(err, inflight.ErrFull) {
		t.Errorf("a stranger took the room of a user: %v", err)
	}
	whole.Release()
	user.Release()
	if b.Used() != 0 {
		t.Errorf("%d bytes are held after the end", b.Used())
	}
}
