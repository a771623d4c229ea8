package access

import (
	"testing"

	"quaywatch/store/records"
)

// TestReadersDoNotWaitForAWriteThatHangs: while the database takes its time for a change, users sign in by password, sessions go on, and
// users are read. The last use of a session is written later.
func TestReadersDoNotWaitForAWriteThatHangs(t *testing.T) {
	h := newHouse(t)
	if err := h.users.Add("anna", "a-long-password"); err != nil {
		t.Fatal(err)
	}
	anna, _ := h.users.User("anna")
	token, err := h.users.Sessions().Begin(anna, "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.users.Passwords().Verify(t.Context(), "anna", "a-long-password", "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	hang, hanging, ended := make(chan struct{}), make(chan struct{}), make(chan error)
	go func() {
		ended <- h.db.Together(func(*records.Tx) error {
			close(hanging)
			<-hang
			return nil
		})
	}()
	<-hanging
	waiting := make(chan error)
	go func() {
		_, err := h.users.Change("anna", func(u *User) error { u.Email = "anna@port.example"; return nil })
		waiting <- err
	}()
	for !h.users.busy() { // until the change holds its lock, and waits for the database
	}
	h.pass(2 * seenEvery)
	if _, err := h.users.Sessions().User(token, "192.0.2.2"); err != nil {
		t.Error(err)
	}
	if _, err := h.users.Passwords().Verify(t.Context(), "anna", "a-long-password", "192.0.2.1"); err != nil {
		t.Error(err)
	}
	if now, _ := h.users.User("anna"); now.Email != "" || len(h.users.List()) == 0 {
		t.Errorf("%+v counts before it is written", now)
	}
	close(hang)
	for _, done := range []chan error{ended, waiting} {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	h.restart()
	if list := h.users.Sessions().Of(anna, token); len(list) != 1 || list[0].Address != "192.0.2.2" {
		t.Errorf("after a restart: %+v, want the last use", list)
	}
}

// busy reports whether a change is under way.
func (u *Users) busy() bool {
	if !u.writing.TryLock() {
		return true
	}
	u.writing.Unlock()
	return false
}
