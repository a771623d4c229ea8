package access

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"quaywatch/store/records"
)

// TestSessionsWhileNothingCanBeWritten: they begin in memory, are bounded, end with what ends others, and are gone after a restart.
func TestSessionsWhileNothingCanBeWritten(t *testing.T) {
	h := newHouse(t)
	for _, name := range []string{"anna", "bert"} {
		if err := h.users.Add(name, "a-long-password"); err != nil {
			t.Fatal(err)
		}
	}
	sessions := h.users.Sessions()
	begin := func(name string) string {
		t.Helper()
		user, _ := h.users.User(name)
		token, err := sessions.Begin(user, "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		h.pass(time.Second)
		return token
	}
	stored := begin("anna")
	write := sessions.together
	broken := errors.New("broken")
	for _, why := range []error{records.ErrFull, records.ErrReadOnly, broken} {
		sessions.together = func(records.CommitPart, ...records.CommitPart) error { return fmt.Errorf("put: %w", why) }
		anna, _ := h.users.User("anna")
		if _, err := sessions.Begin(anna, ""); (err == nil) != (why != broken) {
			t.Errorf("while writing gives %v: %v", why, err)
		}
	}
	sessions.together = func(records.CommitPart, ...records.CommitPart) error { return records.ErrFull }
	token := begin("anna")
	h.pass(2 * seenEvery)
	if _, err := sessions.User(token, "192.0.2.2"); err != nil {
		t.Error(err)
	}
	anna, _ := h.users.User("anna")
	list := sessions.Of(anna, token)
	if len(list) != 4 || !list[0].Current || !list[0].Passing || list[0].ID <= passingIDs || list[3].Passing {
		t.Errorf("%+v", list)
	}
	if err := sessions.SignOut(token); err != nil {
		t.Errorf("sign out: %v", err)
	}
	if _, err := sessions.User(token, ""); !errors.Is(err, ErrWrong) {
		t.Errorf("after signing out: %v", err)
	}
	first := begin("bert")
	for range mostPassing {
		token = begin("bert")
	}
	if _, err := sessions.User(first, ""); !errors.Is(err, ErrWrong) {
		t.Errorf("of too many the one not used for longest is still open (%v)", err)
	}
	if _, err := sessions.User(token, ""); err != nil {
		t.Error(err)
	}
	sessions.together = write
	if _, err := h.users.Change("bert", func(u *User) error { u.Disabled = true; return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := sessions.User(token, ""); !errors.Is(err, ErrWrong) {
		t.Errorf("of a user that was disabled: %v", err)
	}
	token = begin("anna")
	h.restart()
	if list := h.users.Sessions().Of(anna, token); len(list) != 2 || list[0].Passing || list[1].Passing {
		t.Errorf("after a restart: %+v", list)
	}
	if _, err := h.users.Sessions().User(stored, ""); err != nil {
		t.Errorf("the session from before: %v", err)
	}
}
