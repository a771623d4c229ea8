package access

import (
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// invited makes the first administrator with a password that the start invents, and the invitation.
func invited(t *testing.T) (h *house, password, text string) {
	t.Helper()
	h = newHouse(t)
	password, err := h.users.EnsureAdmin("")
	if err != nil {
		t.Fatal(err)
	}
	if text = h.users.Invite(); len(text) < 40 {
		t.Fatalf("the invitation is %q", text)
	}
	return h, password, text
}

func TestAnInvitationIsAcceptedOnce(t *testing.T) {
	h, invented, text := invited(t)
	if _, err := h.users.Accept(text, "short"); err == nil || errors.Is(err, ErrLapsed) {
		t.Fatalf("a short password: %v", err)
	}
	if _, err := h.users.Accept(text+"x", goodPassword); !errors.Is(err, ErrLapsed) {
		t.Fatalf("another text: %v", err)
	}
	user, err := h.users.Accept(text, goodPassword)
	if err != nil || user.Name != AdminName {
		t.Fatalf("%v, %v", user, err)
	}
	if err := h.verify(AdminName, goodPassword, "::1"); err != nil {
		t.Error(err)
	}
	if err := h.verify(AdminName, invented, "::1"); err == nil {
		t.Error("the invented password still counts")
	}
	if _, err := os.Stat(filepath.Join(h.dir, PasswordFile)); !os.IsNotExist(err) {
		t.Errorf("the file of the invented password: %v", err)
	}
	if _, err := h.users.Accept(text, "quite another password"); !errors.Is(err, ErrLapsed) {
		t.Errorf("the second time: %v", err)
	}
}

func TestAnInvitationLapses(t *testing.T) {
	for name, lapse := range map[string]func(h *house) error{
		"after a day":             func(h *house) error { h.pass(InvitedFor); return nil },
		"with a password":         func(h *house) error { return h.users.SetPassword(AdminName, "quite another password") },
		"with the service":        func(h *house) error { h.restart(); return nil },
		"with another invitation": func(h *house) error { h.users.Invite(); return nil },
		"with a user that is no more": func(h *house) error {
			if err := h.users.Add("other", "quite another password"); err != nil {
				return err
			}
			return h.users.Delete(AdminName)
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, _, text := invited(t)
			if err := lapse(h); err != nil {
				t.Fatal(err)
			}
			if _, err := h.users.Accept(text, goodPassword); !errors.Is(err, ErrLapsed) {
				t.Errorf("%v", err)
			}
		})
	}
	h := newHouse(t)
	if text := h.users.Invite(); text != "" {
		t.Errorf("nobody was invited by %q", text)
	}
	if _, err := h.users.Accept("", goodPassword); !errors.Is(err, ErrLapsed) {
		t.Errorf("without an invitation: %v", err)
	}
}

func TestOfManyThatAcceptOneDoes(t *testing.T) {
	h, _, text := invited(t)
	h.pass(time.Second)
	var all sync.WaitGroup
	errs := make([]error, 6)
	for i := range errs {
		all.Go(func() { _, errs[i] = h.users.Accept(text, goodPassword) })
	}
	all.Wait()
	accepted := 0
	for _, err := range errs {
		if err == nil {
			accepted++
		} else if !errors.Is(err, ErrLapsed) {
			t.Error(err)
		}
	}
	if accepted != 1 {
		t.Errorf("%d of %d were accepted", accepted, len(errs))
	}
}
