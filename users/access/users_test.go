package access

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"quaywatch/form"
	"quaywatch/geo/chart"
	"quaywatch/internal/wake"
	"quaywatch/store"
	"quaywatch/users/access/right"
	"quaywatch/users/document"
	"quaywatch/users/library"
	"quaywatch/users/registry"
)

const goodPassword = "correct horse battery"

// house is a database with its users, and a clock that tests set.
type house struct {
	lib      *library.Library
	register *registry.Register
	box      *document.Box
	t        testing.TB
	dir      string
	db       *store.DB
	users    *Users
	mu       sync.Mutex
	at       time.Time
}

func newHouse(t testing.TB) *house {
	h := &house{t: t, dir: t.TempDir(), at: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}
	h.open()
	t.Cleanup(func() { h.db.Close() })
	return h
}

func (h *house) open() {
	h.t.Helper()
	db, err := store.Open(store.Options{Dir: h.dir})
	if err != nil {
		h.t.Fatal(err)
	}
	h.db = db
	generation := &wake.ChangeCount{}
	if h.users, err = OpenUsers(db.Database, Options{Dir: h.dir, Now: h.now, Generation: generation, HashMemory: 64}); err != nil {
		h.t.Fatal(err)
	}
	if h.lib, err = library.Open(db.Database, library.Options{Now: h.now, Generation: generation}); err != nil {
		h.t.Fatal(err)
	}
	if h.register, err = registry.OpenRegister(db.Database, h.now); err != nil {
		h.t.Fatal(err)
	}
	listed, err := chart.LoadPorts()
	if err != nil {
		h.t.Fatal(err)
	}
	ports, err := registry.OpenPorts(db.Database, listed, h.now, nil)
	if err != nil {
		h.t.Fatal(err)
	}
	h.box = document.NewBox(db.Database, h.users, h.lib, h.register, ports)
	h.lib.Join(h.box)
	h.users.Join(Neighbours{Box: h.box, Names: h.lib.Anything(), Regions: h.lib.Regions})
}

func (h *house) restart() {
	h.t.Helper()
	if err := h.db.Close(); err != nil {
		h.t.Fatal(err)
	}
	h.open()
}

func (h *house) now() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

func (h *house) pass(d time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = h.at.Add(d)
}

func (h *house) verify(name, password, address string) error {
	_, err := h.users.Passwords().Verify(context.Background(), name, password, address)
	return err
}

func TestFirstAdministratorWithAPasswordOfTheirOwn(t *testing.T) {
	h := newHouse(t)
	invented, err := h.users.EnsureAdmin(goodPassword)
	if err != nil || invented != "" {
		t.Fatalf("%q, %v", invented, err)
	}
	if err := h.verify("Admin", goodPassword, "::1"); err != nil {
		t.Error(err)
	}
	if again, err := h.users.EnsureAdmin("another password"); again != "" || err != nil || len(h.users.List()) != 1 {
		t.Errorf("a second start made %q, %v", again, err)
	}
	if err := newHouse(t).verifyAfterEnsure("short"); err == nil {
		t.Error("a short first password was taken")
	}
}

func (h *house) verifyAfterEnsure(password string) error {
	_, err := h.users.EnsureAdmin(password)
	return err
}

func TestFirstAdministratorWithAnInventedPassword(t *testing.T) {
	h := newHouse(t)
	invented, err := h.users.EnsureAdmin("")
	if err != nil || len(invented) < minPassword {
		t.Fatalf("%q, %v", invented, err)
	}
	file := filepath.Join(h.dir, PasswordFile)
	text, err := os.ReadFile(file)
	if err != nil || strings.TrimSpace(string(text)) != invented {
		t.Errorf("the file holds %q, %v", text, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file may be read by others: %v, %v", info.Mode(), err)
	}
	h.restart()
	if err := h.verify(AdminName, invented, "::1"); err != nil {
		t.Error(err)
	}
	h.add("anna", GroupViewer)
	if err := h.users.SetPassword("anna", goodPassword+"!"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Errorf("the password of the administrator went with another's: %v", err)
	}
	if err := h.users.SetPassword(AdminName, goodPassword); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the first password still lies about: %v", err)
	}
	if h.verify(AdminName, invented, "::1") == nil || h.verify(AdminName, goodPassword, "::1") != nil {
		t.Error("the password did not change")
	}
}

// A change with a password is one write: either both are there, or neither.
func TestAChangeWithAPasswordIsOneWrite(t *testing.T) {
	h := newHouse(t)
	h.add("anna", GroupViewer)
	h.add("bert", GroupViewer)
	before := h.users.Generation()
	rename := func(to string) error {
		_, err := h.users.ChangeAndPassword("anna", goodPassword+"!", func(u *User) error { u.Name = to; return nil })
		return err
	}
	if err := rename("bert"); !errors.Is(err, form.ErrTaken) || h.verify("anna", goodPassword, "::1") != nil {
		t.Errorf("%v, and the old password no longer counts", err)
	}
	if err := rename("clara"); err != nil {
		t.Fatal(err)
	}
	if writes := h.users.Generation() - before; writes != 1 {
		t.Errorf("%d writes, want 1", writes)
	}
	if h.verify("clara", goodPassword+"!", "::1") != nil || h.verify("clara", goodPassword, "::1") == nil {
		t.Error("the password did not change with the name")
	}
}

func TestNamesAndPasswordsThatAreRefused(t *testing.T) {
	h := newHouse(t)
	for _, row := range []struct{ name, password string }{
		{"", goodPassword}, {"with blank", goodPassword}, {strings.Repeat("x", 65), goodPassword}, {"ok\n", goodPassword},
		{"ø", goodPassword}, {"11111111-1111-4111-8111-111111111111", goodPassword}, {"fine", "elevenchars"}, {"fine", ""}, {"fine", strings.Repeat("x", 2000)},
	} {
		if err := h.users.Add(row.name, row.password); err == nil {
			t.Errorf("%q with a password of %d was taken", row.name, len(row.password))
		}
	}
	if err := h.users.Add("fine.name_1@port-x", "øøøøøøøøøøøø"); err != nil {
		t.Error(err)
	}
	if err := h.users.Add("FINE.name_1@port-x", goodPassword); !errors.Is(err, form.ErrTaken) {
		t.Errorf("the same name in capitals: %v", err)
	}
	if err := h.users.SetPassword("nobody", goodPassword); !errors.Is(err, form.ErrNotFound) {
		t.Errorf("a password for nobody: %v", err)
	}
}

// The database holds no password and no session token in clear.
func TestNothingSecretIsOnDisk(t *testing.T) {
	h := newHouse(t)
	if err := h.users.Add("anna", goodPassword); err != nil {
		t.Fatal(err)
	}
	user, err := h.users.Passwords().Verify(context.Background(), "anna", goodPassword, "::1")
	if err != nil {
		t.Fatal(err)
	}
	token, err := h.users.Sessions().Begin(user, "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	h.restart()
	if _, err := h.users.Sessions().User(token, ""); err != nil {
		t.Errorf("the session did not survive a restart: %v", err)
	}
	for _, name := range []string{"quaywatch.db", "quaywatch.wal"} {
		body, err := os.ReadFile(filepath.Join(h.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(body), goodPassword) || strings.Contains(string(body), token) {
			t.Errorf("%s holds a secret in clear", name)
		}
	}
}

func TestSessionsOfOneUserAreBounded(t *testing.T) {
	h := newHouse(t)
	if err := h.users.Add("anna", goodPassword); err != nil {
		t.Fatal(err)
	}
	user, _ := h.users.User("anna")
	var tokens []string
	for range maxSessions + 1 {
		h.pass(time.Second)
		token, err := h.users.Sessions().Begin(user, "192.0.2.1")
		if err != nil {
			t.Fatal(err)
		}
		tokens = append(tokens, token)
	}
	if _, err := h.users.Sessions().User(tokens[0], ""); !errors.Is(err, ErrWrong) {
		t.Errorf("the oldest of too many lives on: %v", err)
	}
	for _, token := range tokens[1:] {
		if _, err := h.users.Sessions().User(token, ""); err != nil {
			t.Errorf("a younger one does not: %v", err)
		}
	}
	if err := h.users.Sessions().SignOut("no such token"); err != nil {
		t.Error(err)
	}
}

func TestLockOutIsOfOneNameAtOneAddress(t *testing.T) {
	h := newHouse(t)
	if err := h.users.Add("anna", goodPassword); err != nil {
		t.Fatal(err)
	}
	for range SignInTries {
		if err := h.verify("anna", "wrong", "10.0.0.1"); !errors.Is(err, ErrWrong) {
			t.Fatal(err)
		}
	}
	var locked *Locked
	if err := h.verify("ANNA", goodPassword, "10.0.0.1"); !errors.As(err, &locked) || locked.RetryAfter != time.Second {
		t.Errorf("sixth try: %v", err)
	}
	if err := h.verify("anna", goodPassword, "10.0.0.2"); err != nil {
		t.Errorf("from elsewhere: %v", err)
	}
	h.pass(time.Second)
	if err := h.verify("anna", goodPassword, "10.0.0.1"); err != nil {
		t.Errorf("after the wait: %v", err)
	}
}

// Tries sent at once are judged one after the other: no more than the free ones get through.
func TestGuessesAtOnceDoNotPassTheLockOut(t *testing.T) {
	h := newHouse(t)
	if err := h.users.Add("anna", goodPassword); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	results := make(chan error, 30)
	for range cap(results) {
		group.Go(func() { results <- h.verify("anna", "wrong", "10.0.0.1") })
	}
	group.Wait()
	close(results)
	judged := 0
	for err := range results {
		if errors.Is(err, ErrWrong) {
			judged++
		}
	}
	if judged != SignInTries {
		t.Errorf("%d guesses were judged, want %d", judged, SignInTries)
	}
}

func TestGuessesAnHour(t *testing.T) {
	l, now, judged := newLockout(SignInTries), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), 0
	for end := now.Add(time.Hour); now.Before(end); now = now.Add(time.Second) {
		all := l.guardOf(guardKey{"", "10.0.0.1"}, now)
		for range 20 { // twenty names a second from one address
			if l.startTry(all, now) {
				if last := l.failAt(all, now); last != (judged == SignInTries*addressShare-1) {
					t.Fatalf("failure %d is the last: %v", judged, last)
				}
				l.endTry(all)
				judged++
			}
		}
	}
	if judged != SignInTries*addressShare {
		t.Errorf("%d guesses in an hour, want %d", judged, SignInTries*addressShare)
	}
	all := l.guardOf(guardKey{"", "10.0.0.1"}, now)
	if now = now.Add(time.Second); !l.startTry(all, now) {
		t.Error("after the hour none is judged")
	}
}

// TestTriesUnderWayCount: many sent at once do not pass the bound of their address.
func TestTriesUnderWayCount(t *testing.T) {
	l, now, under := newLockout(SignInTries), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), 0
	all := l.guardOf(guardKey{"", "10.0.0.1"}, now)
	for range 3 * SignInTries * addressShare {
		if l.startTry(all, now) {
			under++
		}
	}
	if under != SignInTries*addressShare {
		t.Errorf("%d tries at once, want %d", under, SignInTries*addressShare)
	}
	l.endTry(all)
	if !l.startTry(all, now) {
		t.Error("none is judged after one that did not fail")
	}
}

func TestOneNameMayFailFewerThanAHundredTimesAnHour(t *testing.T) {
	l, now, judged := newLockout(SignInTries), time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC), 0
	for end := now.Add(time.Hour); now.Before(end); now = now.Add(time.Second) {
		named := l.guardOf(guardKey{"anna", "10.0.0.1"}, now)
		if l.waitTime(named, now) == 0 {
			l.countFailure(named, now)
			judged++
		}
	}
	if judged < SignInTries || judged > 25 {
		t.Errorf("%d guesses in an hour", judged)
	}
}

// TestSprayLocksNobodyOut: an address failed with more names than an hour allows. A caller with the right password still gets in,
// at the first try or the fifth. Every other caller gets the same answer after the same time, for known and unknown names. The box
// keeps nothing about names that no user has.
func TestSprayLocksNobodyOut(t *testing.T) {
	const address = "10.0.0.1"
	h := newHouse(t)
	users, err := OpenUsers(h.db.Database, Options{Dir: h.dir, SignInTries: 2, Now: h.now, HashMemory: 64})
	if err != nil {
		t.Fatal(err)
	}
	h.users = users
	for _, name := range []string{"anna", "bert"} {
		if err := users.Add(name, goodPassword); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 * addressShare {
		if err := h.verify(fmt.Sprint("invented ", i), "wrong", address); !errors.Is(err, ErrWrong) {
			t.Fatalf("try %d: %v", i, err)
		}
	}
	getsIn := func(name string) {
		t.Helper()
		var err error
		for range 50 { // on a busy machine a hash takes longer than a refusal, and counts at the next try
			if err = h.verify(name, goodPassword, address); err == nil {
				return
			}
		}
		t.Errorf("%s does not get in: %v", name, err)
	}
	getsIn("anna")
	guards := func() int {
		users.passwords.lock.mu.Lock()
		defer users.passwords.lock.mu.Unlock()
		return len(users.passwords.lock.guards)
	}
	kept := guards()
	var group sync.WaitGroup
	for _, row := range [][2]string{{"bert", "wrong"}, {"nobody", "wrong"}, {"invented 3", "wrong"}, {"nobody else", goodPassword}} {
		group.Go(func() {
			began := time.Now()
			err := h.verify(row[0], row[1], address)
			var locked *Locked
			if took := time.Since(began); !errors.As(err, &locked) || locked.RetryAfter != unsaidRetry || took < unsaidTakes {
				t.Errorf("%s: %v after %s", row[0], err, took)
			}
		})
	}
	group.Wait()
	if n := guards(); n > kept+1 { // bert's
		t.Errorf("%d names and addresses are remembered, %d before", n, kept)
	}
	getsIn("bert")

	// The bound of a name at its address holds there too, and a right password has to wait for it.
	for range 3 {
		var locked *Locked
		if err := h.verify("bert", "wrong again", address); !errors.As(err, &locked) {
			t.Errorf("a wrong password: %v", err)
		}
	}
	var locked *Locked
	if err := h.verify("bert", goodPassword, address); !errors.As(err, &locked) || locked.RetryAfter != unsaidRetry {
		t.Errorf("after too many failures of this name: %v", err)
	}
	getsIn("anna")
	h.pass(time.Hour + time.Second)
	if err := h.verify("bert", goodPassword, address); err != nil {
		t.Errorf("after the hour: %v", err)
	}
	if err := h.verify("nobody", "wrong", address); !errors.Is(err, ErrWrong) {
		t.Errorf("an unknown name after the hour: %v", err)
	}
}

func TestGuardsAreBounded(t *testing.T) {
	l, now := newLockout(SignInTries), time.Now()
	for i := range 3 * maxGuards {
		l.countFailure(l.guardOf(guardKey{"anna", time.Duration(i).String()}, now), now)
	}
	if len(l.guards) > maxGuards {
		t.Errorf("%d guards", len(l.guards))
	}
}

// TestGuardsAge: what failed an hour ago is not remembered, without a flood too.
func TestGuardsAge(t *testing.T) {
	l, now := newLockout(SignInTries), time.Now()
	for i := range 100 {
		l.countFailure(l.guardOf(guardKey{"anna", time.Duration(i).String()}, now), now)
	}
	l.guardOf(guardKey{"bert", "new"}, now.Add(time.Hour+time.Second))
	if len(l.guards) != 1 {
		t.Errorf("%d guards, want that of bert alone", len(l.guards))
	}
}

// TestGuardsUnderWayStay: a flood of names takes neither a try that is judged nor, while there are others, a wait.
func TestGuardsUnderWayStay(t *testing.T) {
	l, now := newLockout(SignInTries), time.Now()
	judged, waits := guardKey{"judged", "a"}, guardKey{"waits", "a"}
	l.guardOf(judged, now).turn <- struct{}{}
	for range 2 * SignInTries {
		l.countFailure(l.guardOf(waits, now), now)
	}
	for i := range maxGuards {
		l.countFailure(l.guardOf(guardKey{"anna", time.Duration(i).String()}, now), now)
	}
	if l.guards[judged] == nil || l.guards[waits] == nil || len(l.guards) > maxGuards {
		t.Errorf("judged %v, waits %v, of %d", l.guards[judged], l.guards[waits], len(l.guards))
	}
}

// TestLongNamesAreCut: what no user can have is neither remembered nor logged whole.
func TestLongNamesAreCut(t *testing.T) {
	h := newHouse(t)
	long := strings.Repeat("ä", 1<<16)
	if err := h.verify(long, goodPassword, "192.0.2.1"); !errors.Is(err, ErrWrong) {
		t.Fatal(err)
	}
	for k := range h.users.passwords.lock.guards {
		if utf8.RuneCountInString(k.name) > form.MaxName {
			t.Errorf("%d characters of a name are remembered", utf8.RuneCountInString(k.name))
		}
	}
}

func TestNetwork(t *testing.T) {
	for address, want := range map[string]string{
		"10.0.0.1": "10.0.0.1", "::ffff:10.0.0.1": "10.0.0.1", "2001:db8:1:2:3::4": "2001:db8:1:2::/64", "fe80::1%eth0": "fe80::/64", "nonsense": "nonsense",
	} {
		if got := network(address); got != want {
			t.Errorf("network(%s) = %s, want %s", address, got, want)
		}
	}
}

func TestHashes(t *testing.T) {
	h := newHouse(t)
	users, err := OpenUsers(h.db.Database, Options{Dir: h.dir}) // as the program opens them
	if err != nil {
		t.Fatal(err)
	}
	h.users = users
	hash := h.add("anna", GroupViewer).Hash
	if !strings.HasPrefix(hash, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("hash is %s", hash)
	}
	if ok, err := verifyPassword(hash, goodPassword); !ok || err != nil {
		t.Errorf("right password: %v, %v", ok, err)
	}
	if ok, err := verifyPassword(hash, goodPassword+" "); ok || err != nil {
		t.Errorf("wrong password: %v, %v", ok, err)
	}
	if hashPassword(goodPassword, hashMemoryKiB) == hash {
		t.Error("two hashes share a salt")
	}
	for _, broken := range []string{"", "$argon2i$v=19$m=19456,t=2,p=1$AAAA$AAAA", strings.Replace(hash, "v=19", "v=16", 1),
		strings.Replace(hash, "t=2", "t=0", 1),
		strings.Replace(hash, "m=19456", "m=99999999", 1), strings.Replace(hash, "p=1$", "p=1$!", 1), hash[:len(hash)-40]} {
		if ok, err := verifyPassword(broken, goodPassword); ok || err == nil {
			t.Errorf("%s: %v, %v", broken, ok, err)
		}
	}
}

func groups(name string) []*Group {
	for _, g := range firstGroups() {
		if g.Name == name {
			return []*Group{&g}
		}
	}
	return nil
}

func own(r right.Name, v right.Verdict) Profile {
	return Profile{Rights: map[right.Name]right.Verdict{r: v}}
}

func TestMay(t *testing.T) {
	later := time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, row := range []struct {
		name  string
		user  User
		right right.Name
		want  bool
	}{
		{"nobody", User{}, right.ViewPort, false},
		{"administrator", User{groups: groups(GroupAdmin)}, right.LockGroups, true},
		{"viewer looks", User{groups: groups(GroupViewer)}, right.ViewPort, true},
		{"viewer downloads", User{groups: groups(GroupViewer)}, right.DownloadHistoricalTracks, false},
		{"operator downloads", User{groups: groups(GroupOperator)}, right.DownloadHistoricalTracks, true},
		{"operator configures users", User{groups: groups(GroupOperator)}, right.ChangeUser, false},
		{"own key beats the group", User{groups: groups(GroupAdmin), Profile: own(right.ViewPort, right.Deny)}, right.ViewPort, false},
		{"own key allows what a group denies", User{groups: []*Group{{Profile: own(right.ViewPort, right.Deny)}}, Profile: own(right.ViewPort, right.Allow)}, right.ViewPort, true},
		{"empty key is absent", User{groups: groups(GroupAdmin), Profile: own(right.ViewPort, "")}, right.ViewPort, true},
		{"own key", User{Profile: own(right.ViewPort, right.Allow)}, right.ViewPort, true},
		{"a group denies, another allows", User{groups: append(groups(GroupAdmin), &Group{Profile: own(right.ViewPort, right.Deny)})}, right.ViewPort, false},
		{"a group is silent, another allows", User{groups: append(groups(GroupAdmin), &Group{})}, right.ViewPort, true},
	} {
		if got := row.user.May(row.right); got != row.want {
			t.Errorf("%s: May(%s) = %v", row.name, row.right, got)
		}
	}
	all := map[right.Name]bool{}
	for _, r := range right.All() {
		all[r] = true
	}
	if len(all) != 73 || len(right.All()) != 73 {
		t.Errorf("%d rights, want 73", len(all))
	}
	disabled, expired := User{Disabled: true}, User{Expires: later}
	if disabled.Active(later) || expired.Active(later) || !expired.Active(later.Add(-time.Second)) {
		t.Error("a disabled or expired user may sign in, or an active one may not")
	}
}

// A verified password is believed without a hash until the user changes.
func TestVerifiedPasswordsAreRememberedUntilAChange(t *testing.T) {
	h := newHouse(t)
	if err := h.users.Add(AdminName, goodPassword); err != nil {
		t.Fatal(err)
	}
	if err := h.users.Add("anna", goodPassword); err != nil {
		t.Fatal(err)
	}
	user, _ := h.users.User("anna")
	if h.users.passwords.remembers(user, goodPassword) {
		t.Error("remembered before it was verified")
	}
	if err := h.verify("anna", goodPassword, "::1"); err != nil {
		t.Fatal(err)
	}
	if !h.users.passwords.remembers(user, goodPassword) || h.users.passwords.remembers(user, "wrong") {
		t.Error("the wrong thing is remembered")
	}
	h.pass(verifiedFor)
	if h.users.passwords.remembers(user, goodPassword) {
		t.Error("remembered for too long")
	}
	if err := h.verify("anna", goodPassword, "::1"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.users.Change("anna", func(u *User) error { u.Disabled = true; return nil }); err != nil {
		t.Fatal(err)
	}
	_, current := h.users.Current(user)
	if err := h.verify("anna", goodPassword, "::1"); !errors.Is(err, ErrWrong) || current {
		t.Errorf("disabled, yet: %v", err)
	}
}

// A name that does not exist has to wait for a place to hash in, and hash, like one that does.
func TestUnknownNamesCostAsMuchAsKnownOnes(t *testing.T) {
	h := newHouse(t)
	if err := h.users.Add("anna", goodPassword); err != nil {
		t.Fatal(err)
	}
	h.users.passwords.hashing.free = 0
	over, cancel := context.WithCancel(context.Background())
	cancel()
	for _, name := range []string{"anna", "nobody"} {
		if _, err := h.users.passwords.verify(over, name, "wrong password", "192.0.2.1"); !errors.Is(err, context.Canceled) {
			t.Errorf("%s was judged without a hash: %v", name, err)
		}
	}
	known, _ := h.users.User("anna")
	if costs, decoys := strings.Split(known.Hash, "$")[3], strings.Split(h.users.passwords.decoy, "$")[3]; costs != decoys {
		t.Errorf("a known name costs %s, an unknown one %s", costs, decoys)
	}
}

// A program that asks all the time needs no hash again: what counts is the last use. Where there is no room, the password goes that was used
// least lately, and no other.
func TestAVerifiedPasswordIsRememberedWhileItIsUsed(t *testing.T) {
	h := newHouse(t)
	user, p := h.add("anna", GroupViewer), h.users.Passwords()
	if err := h.verify("anna", goodPassword, "::1"); err != nil {
		t.Fatal(err)
	}
	p.hashing.free = 0 // no hash can be had any more
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		h.pass(verifiedFor - time.Second)
		if _, err := p.Verify(gone, "anna", goodPassword, "::1"); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 2 * maxVerified {
		other := *user
		other.UID = fmt.Sprint("other ", i)
		h.pass(time.Millisecond)
		if p.rememberVerified(&other, goodPassword); !p.remembers(user, goodPassword) || !p.remembers(&other, goodPassword) {
			t.Fatalf("a password that is in use is forgotten for the %d. other one", i)
		}
	}
	if len(p.verified) > maxVerified {
		t.Errorf("%d passwords are remembered", len(p.verified))
	}
}

// TestADisabledUserIsAnsweredLikeAnUnknownOne: its right password is hashed each time like a wrong one, and never remembered.
func TestADisabledUserIsAnsweredLikeAnUnknownOne(t *testing.T) {
	h := newHouse(t)
	h.add("anna", GroupViewer)
	if err := h.verify("anna", goodPassword, "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	if _, err := h.users.Change("anna", func(u *User) error { u.Disabled = true; return nil }); err != nil {
		t.Fatal(err)
	}
	p := h.users.Passwords()
	for range 2 {
		if err := h.verify("anna", goodPassword, "192.0.2.1"); !errors.Is(err, ErrWrong) {
			t.Fatal(err)
		}
		if len(p.verified) != 0 {
			t.Error("the password of a disabled user is remembered")
		}
	}
	p.hashing.free = 0 // no place is free: an answer without a hash would come all the same
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, try := range [][2]string{{"anna", goodPassword}, {"anna", "a wrong password"}, {"nobody", "a wrong password"}} {
		if _, err := p.verify(ctx, try[0], try[1], "192.0.2.1"); !errors.Is(err, context.Canceled) {
			t.Errorf("%v is answered without a hash: %v", try, err)
		}
	}
}
