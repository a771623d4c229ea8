package access

import (
	"fmt"
	"net/netip"
	"sync"
	"time"

	"quaywatch/internal/admission"
)

// Limits for guesses. After SignInTries failures of one name from one address, the next try has to wait a second. The wait doubles
// up to longestWait. All names together may fail addressShare times as often within an hour from one address. After that only a
// right password is answered there until the hour is over; see Users.verifyUnsaid.
const (
	SignInTries  = 5 // where Options say nothing else
	longestWait  = 15 * time.Minute
	addressShare = 20
	maxGuards    = 10000 // names and addresses remembered
	pruneEvery   = 10 * time.Minute

	unsaidTakes = time.Second // how long each refusal takes at such an address, and a right password at most
	unsaidRetry = time.Minute // what it says
)

// Locked is the error of a try that came too early after too many failures.
type Locked struct {
	RetryAfter time.Duration
}

// Error says how long to wait.
func (l *Locked) Error() string {
	return fmt.Sprintf("sign-in locked after failed tries: wait %s", l.RetryAfter)
}

// guardKey is one name from one address. An empty name means all names from that address.
type guardKey struct{ name, address string }

// guard counts the failures of one key. turn is held during a try, so that tries sent at once are judged one by one.
type guard struct {
	turn   chan struct{}
	trying int // tries that are not judged yet
	failed int
	last   time.Time // of the last failure
	until  time.Time // no try before
}

// lockout remembers the failures of the last hour.
type lockout struct {
	tries  int // that are free of a wait
	mu     sync.Mutex
	guards map[guardKey]*guard
	pruned time.Time // when the old ones were removed last
}

func newLockout(tries int) *lockout { return &lockout{tries: tries, guards: map[guardKey]*guard{}} }

// guardOf returns the guard of a key. It removes old ones from time to time, and others if there are too many.
func (l *lockout) guardOf(k guardKey, now time.Time) *guard {
	l.mu.Lock()
	defer l.mu.Unlock()
	if g := l.guards[k]; g != nil {
		return g
	}
	if len(l.guards) >= maxGuards || now.Sub(l.pruned) >= pruneEvery {
		l.prune(now)
	}
	g := &guard{turn: make(chan struct{}, 1)}
	l.guards[k] = g
	return g
}

// prune removes guards without a failure in the last hour. If too many are left, it removes others too, first those that no name or address has to wait for. A
// count for each address does not stop an attacker with ten thousand addresses.
func (l *lockout) prune(now time.Time) {
	l.pruned = now
	kinds := []func(*guard) bool{
		func(g *guard) bool { return now.Sub(g.last) > time.Hour },
		func(g *guard) bool { return len(l.guards) >= maxGuards/2 && g.failed < l.tries },
		func(*guard) bool { return len(l.guards) >= maxGuards/2 },
	}
	for i, goes := range kinds {
		if i > 0 && len(l.guards) < maxGuards {
			return
		}
		for k, g := range l.guards {
			if g.idle() && goes(g) {
				delete(l.guards, k)
			}
		}
	}
}

// idle reports whether no try is under way.
func (g *guard) idle() bool { return len(g.turn) == 0 && g.trying == 0 }

// waitTime returns how long a name has to wait at its address, 0 for not at all.
func (l *lockout) waitTime(named *guard, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(0, named.until.Sub(now))
}

// startTry counts a try of any name at an address until end; it is false where the address has failed too often. Tries under way
// count like failures, so that many at once do not pass.
func (l *lockout) startTry(address *guard, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(address.last) > time.Hour {
		address.failed = 0
	}
	if address.failed+address.trying >= l.tries*addressShare {
		return false
	}
	address.trying++
	return true
}

// endTry takes back begin.
func (l *lockout) endTry(address *guard) {
	l.mu.Lock()
	defer l.mu.Unlock()
	address.trying--
}

// countFailure counts a failure of a name.
func (l *lockout) countFailure(named *guard, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.Sub(named.last) > time.Hour {
		named.failed = 0
	}
	named.failed++
	named.last = now
	if over := named.failed - l.tries; over >= 0 {
		named.until = now.Add(min(longestWait, time.Second<<min(over, 20)))
	}
}

// failAt counts a failure of any name at an address, and is true for the last that the hour allows.
func (l *lockout) failAt(address *guard, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if address.failed == 0 || now.Sub(address.last) > time.Hour {
		address.failed, address.last = 0, now // last is the begin of the hour here
	}
	address.failed++
	return address.failed == l.tries*addressShare
}

// early counts a try of a name that is under way, until late. It is true where the try may be looked at before its turn. Then the name has not to wait, and
// would not have to if all tries under way failed.
func (l *lockout) early(named *guard, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	named.trying++
	failed := named.failed
	if now.Sub(named.last) > time.Hour {
		failed = 0
	}
	return !named.until.After(now) && failed+named.trying <= l.tries
}

// undoEarly takes back early.
func (l *lockout) undoEarly(named *guard) { l.endTry(named) }

// forgetFailures forgets the failures of a name that has now proven itself.
func (l *lockout) forgetFailures(g *guard) {
	l.mu.Lock()
	defer l.mu.Unlock()
	g.failed, g.until = 0, time.Time{}
}

// network returns what counts as one address: an IPv4 address itself, of IPv6 the /64 that one customer gets.
func network(address string) string {
	a, err := netip.ParseAddr(address)
	if err != nil {
		return address
	}
	if a = admission.Network(a); a.Is6() {
		return a.String() + "/64"
	}
	return a.String()
}
