package stream

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/form"
	"quaywatch/ship"
	"quaywatch/traffic"
	"quaywatch/users/access"
	"quaywatch/users/access/audit"
	"quaywatch/users/access/right"
)

// Texts of a refusal, for the sender and for the log.
const (
	refusedWrong  = feed.Refusal("wrong name or password")
	refusedBusy   = feed.Refusal("too many sign-ins at once")
	refusedActive = feed.Refusal("user disabled or expired")
)

// signIn verifies the name and password of a line, then lets the user enter. The result is noted in the audit log with e. It fails with a
// feed.Refusal where the program is told why.
func signIn[T any](ctx context.Context, users *access.Users, e audit.LogEntry, password string, enter func(*access.User) (*T, error)) (*T, error) {
	e.User = form.CutName(e.User)
	user, err := users.Passwords().Verify(ctx, e.User, password, e.Address)
	var locked *access.Locked
	switch {
	case errors.As(err, &locked):
		return nil, feed.Refusal(fmt.Sprintf("locked for %d s", int(locked.RetryAfter/time.Second)+1))
	case errors.Is(err, access.ErrWrong):
		e.Result = "failed"
		users.Audit().Refuse(e)
		return nil, refusedWrong
	case ctx.Err() != nil:
		return nil, refusedBusy
	case err != nil:
		return nil, err
	}
	e.User, e.Result = user.Name, "ok"
	entered, err := enter(user)
	if err != nil {
		e.Result, e.Detail = "denied", err.Error()
		users.Audit().Refuse(e)
		return nil, err
	}
	users.Audit().SignIn(e)
	return entered, nil
}

// Senders lets in the users that send to feeds with a sign-in. It takes from them what their transmit filters let through.
type Senders struct {
	Users   *access.Users
	Picture *traffic.Picture
	Limits  ship.Limits
}

// To returns the sign-in of a feed. It fails with a feed.Refusal.
func (in *Senders) To(feedName string) func(ctx context.Context, name, password string, from netip.Addr) (*feed.Sender, error) {
	return func(ctx context.Context, name, password string, from netip.Addr) (*feed.Sender, error) {
		return signIn(ctx, in.Users, audit.LogEntry{User: name, Address: from.String(), Action: "feed sign-in", Object: feedName}, password, in.sender)
	}
}

// sender turns the rights and the transmit filter of a user into what is taken from that user. It holds for one generation of users; Renew
// gives the next.
func (in *Senders) sender(user *access.User) (*feed.Sender, error) {
	generation := in.Users.Generation()
	if !user.May(right.LSSAccess) {
		return nil, refusedRight(right.LSSAccess)
	}
	lets := in.Users.TransmitView(user).ShowsMessage
	sender := &feed.Sender{User: user.Name, May: func(r *ais.Report) bool { return in.takesMessage(lets, r) }}
	sender.Renew = func() (*feed.Sender, error) {
		now, current := in.Users.Current(user)
		switch {
		case !current:
			return nil, refusedActive
		case in.Users.Generation() == generation:
			return sender, nil
		}
		return in.sender(now)
	}
	return sender, nil
}

// takesMessage asks a transmit filter for a message, with the state that the ship would have after it.
func (in *Senders) takesMessage(lets func(*ais.Traits, *ship.State, time.Time) bool, r *ais.Report) bool {
	was, _ := in.Picture.Ship(r.Message.Head().MMSI)
	now := ship.Merge(&was, ship.Gate{}, r, &in.Limits).Now
	traits := ais.TraitsOf(r.Message)
	return lets(&traits, &now, r.Received)
}

// refusedRight names the right that is missing.
func refusedRight(r right.Name) feed.Refusal { return feed.Refusal("no right " + string(r)) }
