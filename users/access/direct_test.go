package access

import (
	"context"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"quaywatch/users/access/right"
)

// directUser makes a user with direct_access.
func (h *house) directUser(name string, edit func(*User), hosts ...string) {
	h.t.Helper()
	user := User{Name: name, Direct: DirectAccess{Enabled: true, Hosts: hosts}, Profile: own(right.LSSAccess, right.Allow)}
	if edit != nil {
		edit(&user)
	}
	if _, err := h.users.Create(user, goodPassword); err != nil {
		h.t.Fatal(err)
	}
}

func TestDirectAccess(t *testing.T) {
	h := newHouse(t)
	h.directUser("zoe", nil, "10.0.0.0/8", "::ffff:192.0.2.9")
	h.directUser("bert", nil, "10.1.0.7", "2001:db8::/32", "localhost.")
	h.directUser("carl", func(u *User) { u.Direct.Enabled = false }, "10.2.0.0/16")
	h.directUser("anna", func(u *User) { u.Rights = nil }, "0.0.0.0/0")
	h.directUser("aaron", func(u *User) { u.Disabled = true }, "0.0.0.0/0")
	h.directUser("abel", func(u *User) { u.Expires = h.now().Add(time.Minute) }, "10.3.0.0/16")
	for from, want := range map[string]string{
		"10.9.0.1": "zoe", "10.1.0.7": "bert", "10.1.0.8": "zoe", "::ffff:10.1.0.7": "bert", "192.0.2.9": "zoe", "192.0.2.8": "",
		"2001:db8::5": "bert", "2001:db9::5": "", "fe80::1%eth0": "", "10.2.0.1": "zoe", "10.3.0.1": "abel", "127.0.0.1": "",
	} {
		h.directIs(from, want)
	}
	h.pass(2 * time.Minute)
	h.directIs("10.3.0.1", "zoe") // abel expired
	if _, ok := h.users.Hosts().User(netip.Addr{}); ok {
		t.Error("no address at all is a user's")
	}
}

func (h *house) directIs(from, want string) {
	h.t.Helper()
	user, ok := h.users.Hosts().User(netip.MustParseAddr(from))
	if ok != (want != "") || ok && user.Name != want {
		h.t.Errorf("%s is %v, want %q", from, user, want)
	}
}

// A name counts once it is resolved, which no connection waits for.
func TestDirectAccessByName(t *testing.T) {
	h := newHouse(t)
	h.directUser("bert", nil, "LocalHost", "no-such-host.invalid")
	h.directIs("127.0.0.1", "")
	if names := h.users.hosts.hostNames(); len(names) != 2 {
		t.Fatalf("the names are %q", names)
	}
	gone, cancel := context.WithCancel(context.Background())
	cancel()
	if h.users.hosts.resolveNames(gone, []string{"localhost"}, true) {
		t.Error("a name that nobody answered for is not asked for again")
	}
	if !h.users.hosts.resolveNames(context.Background(), []string{"localhost"}, false) {
		t.Error("localhost has no address")
	}
	h.directIs("127.0.0.1", "bert")
	h.users.hosts.resolveNames(gone, []string{"localhost"}, true) // no answer: what was known stays
	h.directIs("127.0.0.1", "bert")
	h.users.hosts.resolveNames(context.Background(), nil, false)
	h.directIs("127.0.0.1", "")
}

func TestResolveHostsEndsWithItsContext(t *testing.T) {
	h := newHouse(t)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { h.users.Hosts().Resolve(ctx); close(done) }()
		synctest.Wait()
		cancel()
		<-done
	})
}
