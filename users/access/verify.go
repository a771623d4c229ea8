package access

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"quaywatch/form"
	"quaywatch/internal/fold"
)

// ErrWrong is the error of signing in. Which of name and password was wrong is never said.
var ErrWrong = errors.New("sign in: wrong name or password")

// verifiedFor is how long after its last use a verified password is believed without hashing it again. A change of the user ends it at once. It counts from the
// last use. So users whose programs ask all the time need no hash again, least of all at the same moment.
const verifiedFor = 5 * time.Minute

// maxVerified bounds the passwords that are remembered as verified.
const maxVerified = 1000

// Passwords verifies names and passwords, and makes those wait that guess.
type Passwords struct {
	named   func(name string) (*User, bool)
	now     func() time.Time
	log     *slog.Logger
	lock    *lockout
	hashing *turns // as many at once as there are cores: each takes 19 MiB
	key     []byte // of this process, for verified
	decoy   string // hash of no password, verified for unknown names

	mu       sync.Mutex
	verified map[[sha256.Size]byte]proof
}

// proof is what a verified password proved and until when.
type proof struct {
	stamp uint64
	until time.Time
}

func newPasswords(u *Users) *Passwords {
	p := &Passwords{
		named: u.userNamed, now: u.opts.Now, log: u.opts.Log, lock: newLockout(u.opts.SignInTries), hashing: newTurns(runtime.GOMAXPROCS(0)),
		key: make([]byte, 32), decoy: decoyHash(u.opts.HashMemory), verified: map[[sha256.Size]byte]proof{},
	}
	rand.Read(p.key)
	return p
}

// Verify returns the user of name and password. It fails with ErrWrong, with a *Locked when too many tries failed before,
// or with the context's error while it waits for its turn. What is kept and logged of a name that no user can have is cut.
func (p *Passwords) Verify(ctx context.Context, name, password, address string) (*User, error) {
	name = form.CutName(form.Tidy(name))
	now := p.now()
	all := p.lock.guardOf(guardKey{"", network(address)}, now)
	if !p.lock.startTry(all, now) {
		return p.verifyUnsaid(ctx, name, password, address)
	}
	defer p.lock.endTry(all)
	user, err := p.try(ctx, name, password, address)
	if errors.Is(err, ErrWrong) && p.lock.failAt(all, p.now()) {
		p.log.Warn("too many failed sign-ins from one address: for an hour nothing but a right password is answered there", "address", address)
	}
	return user, err
}

// try judges a password when it is the turn of this name at this address.
func (p *Passwords) try(ctx context.Context, name, password, address string) (*User, error) {
	named := p.lock.guardOf(guardKey{fold.Name(name), network(address)}, p.now())
	if user := p.early(named, name, password); user != nil {
		return user, nil
	}
	defer p.lock.undoEarly(named)
	select {
	case named.turn <- struct{}{}:
		defer func() { <-named.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if wait := p.lock.waitTime(named, p.now()); wait > 0 {
		return nil, &Locked{wait}
	}
	user, err := p.verify(ctx, name, password, network(address))
	switch {
	case errors.Is(err, ErrWrong):
		p.lock.countFailure(named, p.now())
		p.log.Warn("sign-in failed", "user", name, "address", address)
	case err == nil:
		p.lock.forgetFailures(named)
	}
	return user, err
}

// early returns the user of a password that was verified before, nil for any other. It waits neither for its turn nor for those that guess its name. Only as
// many tries of a name are looked at so early as may fail before it has to wait.
func (p *Passwords) early(named *guard, name, password string) *User {
	if !p.lock.early(named, p.now()) {
		return nil
	}
	user, known := p.signsIn(name)
	if !known || !p.remembers(user, password) {
		return nil
	}
	p.lock.undoEarly(named)
	p.lock.forgetFailures(named)
	return user
}

// verifyUnsaid is Verify at an address from which too many names failed. A caller with the right password gets in. Every other
// caller gets the same answer after the same time, for a known and an unknown name, a wait and a wrong password. So an unknown name
// needs no hash, and a flood of names neither loads the box nor pushes other guards out of memory. A password whose hash takes
// longer than the answer is remembered, and is right at the next try.
func (p *Passwords) verifyUnsaid(ctx context.Context, name, password, address string) (*User, error) {
	within, cancel := context.WithTimeout(ctx, unsaidTakes)
	defer cancel()
	proven := make(chan *User, 1)
	if _, known := p.signsIn(name); known {
		go func() {
			if user, err := p.try(within, name, password, address); err == nil {
				proven <- user
			}
		}()
	}
	select {
	case user := <-proven:
		return user, nil
	case <-within.Done():
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, &Locked{unsaidRetry}
}

// signsIn returns the user of a name that may sign in. One that may not is answered like an unknown one, whatever its password is.
func (p *Passwords) signsIn(name string) (*User, bool) {
	user, known := p.named(name)
	return user, known && user.Active(p.now())
}

// verify first looks among the passwords verified before, then computes the hash. For an unknown name it hashes against a decoy, so
// that the answer takes as long.
func (p *Passwords) verify(ctx context.Context, name, password, network string) (*User, error) {
	user, known := p.signsIn(name)
	hash := p.decoy
	if known {
		hash = cmp.Or(user.Hash, p.decoy)
		if p.remembers(user, password) {
			return user, nil
		}
	}
	if err := p.hashing.takeTurn(ctx, network, p.now()); err != nil {
		return nil, err
	}
	defer p.hashing.give()
	same, err := verifyPassword(hash, password)
	if err != nil {
		return nil, fmt.Errorf("verify user %s: %w", name, err)
	}
	if !known || !same {
		return nil, ErrWrong
	}
	p.rememberVerified(user, password)
	p.hashing.prove(network, p.now())
	return user, nil
}

// digest is what is stored of a verified password. A guess can be tested against it only with the key of this process.
func (p *Passwords) digest(user *User, password string) (d [sha256.Size]byte) {
	mac := hmac.New(sha256.New, p.key)
	fmt.Fprintf(mac, "%s\x00%d\x00%s", user.UID, user.Stamp, password)
	mac.Sum(d[:0])
	return d
}

func (p *Passwords) remembers(user *User, password string) bool {
	d := p.digest(user, password)
	p.mu.Lock()
	defer p.mu.Unlock()
	now, had := p.now(), p.verified[d]
	if had.stamp != user.Stamp || !now.Before(had.until) {
		return false
	}
	p.verified[d] = proof{user.Stamp, now.Add(verifiedFor)}
	return true
}

func (p *Passwords) rememberVerified(user *User, password string) {
	d := p.digest(user, password)
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	if len(p.verified) >= maxVerified {
		p.makeRoom(now)
	}
	p.verified[d] = proof{user.Stamp, now.Add(verifiedFor)}
}

// makeRoom forgets what is over, else the password that was used least lately.
func (p *Passwords) makeRoom(now time.Time) {
	var oldest [sha256.Size]byte
	until := now.Add(2 * verifiedFor)
	for d, had := range p.verified {
		if had.until.Before(until) {
			oldest, until = d, had.until
		}
		if !now.Before(had.until) {
			delete(p.verified, d)
		}
	}
	delete(p.verified, oldest)
}

// forgetVerified forgets which passwords were verified.
func (p *Passwords) forgetVerified() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.verified)
}
