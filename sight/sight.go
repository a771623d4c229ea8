// Package sight is what a caller may see of ships, now and then. Of gives the Viewer of a user, and whoever gives out ships asks it. No
// exported name here reads a ship that is hidden from its user, or anything younger than the user is told.
package sight

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/internal/fairshare"
	"quaywatch/internal/rule"
	"quaywatch/ship"
	"quaywatch/store"
	"quaywatch/traffic"
	"quaywatch/users/access"
	"quaywatch/users/registry"
)

// Config is what a Sight reads, and how. All but Tags, Now, Log and Former must be given.
type Config struct {
	Picture  *traffic.Picture
	DB       *store.DB
	Users    *access.Users
	Register *registry.Register
	Tags     func(feed string) []string // of a feed; nil: feeds have none
	Now      func() time.Time           // nil is the wall clock
	Log      *slog.Logger               // nil logs nothing

	// Former returns the ships that may have agreed with a question before in IMO number, call sign or name; nil: none did.
	Former func(context.Context, ship.Identity) ([]ais.MMSI, error)
}

// Sight knows what each user may see. It is a traffic.Observer: hand it to Picture.Run after the store.
type Sight struct {
	config  Config
	present *pacedPicture
	paced   *pacedPictures
	telling sync.Mutex        // held while the picture is told of the register
	places  *fairshare.Places // of work that looks at ships
	reading *fairshare.Places // of work that reads the store, whose disk may be slow

	ctx  context.Context // of the goroutines that fill paced pictures
	stop context.CancelFunc
	wait sync.WaitGroup
}

// ErrUnknown says that no such ship is known, or that it is hidden: a caller is not told which.
var ErrUnknown = errors.New("no such ship is known")

// BusyError says that no picture can be had at the caller's delay or interval now.
type BusyError struct {
	Rule  *rule.Rule
	Retry time.Duration // when to ask again
}

// Error returns the sentence.
func (e *BusyError) Error() string { return e.Rule.Error() }

// New makes a Sight and lays the register over the picture.
func New(c Config) *Sight {
	if c.Tags == nil {
		c.Tags = func(string) []string { return nil }
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	count := max(1, runtime.GOMAXPROCS(0)-1)
	s := &Sight{config: c, places: fairshare.New(count), reading: fairshare.New(count), paced: &pacedPictures{now: c.Now, byKey: map[string]*pacedPicture{}}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.present = &pacedPicture{picture: c.Picture, changes: newChangeList(c.Now)}
	entries := c.Register.All()
	numbers := make([]int64, len(entries))
	for i := range entries {
		numbers[i] = entries[i].MMSI
	}
	s.Follow(numbers...)
	return s
}

// Close ends the goroutines that read the store. The Sight is not asked again after it.
func (s *Sight) Close() {
	s.stop()
	s.wait.Wait()
}

// Observe takes one step of the picture.
func (s *Sight) Observe(u *ship.Update) {
	s.present.changes.Observe(u)
	s.paced.Observe(u)
}

// Tick takes the time of the picture.
func (s *Sight) Tick(now time.Time) {
	s.present.changes.Tick(now)
	s.paced.Tick(now)
}

// Now returns the time of the picture, and that of our clock before the picture has one.
func (s *Sight) Now() time.Time {
	if now := s.config.Picture.Now(); !now.IsZero() {
		return now
	}
	return s.config.Now()
}

// Of returns what a user may see. Its work is done in turns with that of other callers: caller is the user, or the address of one that has not
// signed in. It fails with a *BusyError when no picture can be had at the user's pace, and when ctx ends.
func (s *Sight) Of(ctx context.Context, user *access.User, caller string) (*Viewer, error) {
	key := Key{User: user.UID, Token: user.Token(), Generation: s.config.Users.Generation()} // before all that it stands for
	view := s.config.Users.View(user, s.config.Tags)
	from, err := s.pictureAt(ctx, view.Pace())
	if err != nil {
		return nil, err
	}
	key.Pace = from.key
	return &Viewer{sight: s, view: view, from: from, key: key, caller: caller}, nil
}

// Key tells what an answer depends on beside the ships: with equal keys the same question has the same answer.
type Key struct {
	User       string // uid
	Token      uint64 // by which a program calls for the user; 0 for the user itself
	Pace       string // "" for a user without delay and interval
	Generation uint64 // grows with each change of a user, a group, a ship list, a shape or a port
}

// String returns the key as text.
func (k Key) String() string {
	return fmt.Sprintf("%s %d %d %q", k.User, k.Token, k.Generation, k.Pace)
}
