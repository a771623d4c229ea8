package stream

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// The words of a refusal, for both sides.
const (
	refusedWrong  = feed.Refusal("wrong name or password")
	refusedBusy   = feed.Refusal("too many sign-ins at once")
	refusedActive = feed.Refusal("user disabled or expired")
)

// lineSignIn verifies who signs in with a line, to get a stream or to send to a feed. What fails is noted as action upon
// object; who succeeds is for the caller to judge.
func lineSignIn(ctx context.Context, users *access.Users, action, object, name, password string, from netip.Addr) (*access.User, error) {
	user, err := users.Verify(ctx, name, password, from.String())
	var locked *access.Locked
	switch {
	case errors.As(err, &locked):
		return nil, feed.Refusal(fmt.Sprintf("locked for %d s", int(locked.RetryAfter/time.Second)+1))
	case errors.Is(err, access.ErrWrong):
		noteLine(users, name, from, action, object, "failed", "")
		return nil, refusedWrong
	case ctx.Err() != nil:
		return nil, refusedBusy
	}
	return user, err
}

func noteLine(users *access.Users, name string, from netip.Addr, action, object, result, detail string) {
	users.Audit().Note(access.Event{
		User: name, Address: from.String(), Action: action, Object: object, Result: result, Detail: detail,
	})
}

// Senders lets in the users that send to feeds with a sign-in, and takes from them what their transmit filters let in.
type Senders struct {
	Users   *access.Users
	Picture *traffic.Picture
	Limits  ship.Limits
}

// To gives the sign-in of a feed. It fails with a feed.Refusal.
func (in *Senders) To(feedName string) func(ctx context.Context, name, password string, from netip.Addr) (*feed.Sender, error) {
	return func(ctx context.Context, name, password string, from netip.Addr) (*feed.Sender, error) {
		return in.signIn(ctx, feedName, name, password, from)
	}
}

func (in *Senders) signIn(ctx context.Context, feedName, name, password string, from netip.Addr) (*feed.Sender, error) {
	const action = "feed sign-in"
	user, err := lineSignIn(ctx, in.Users, action, feedName, name, password, from)
	if err != nil {
		return nil, err
	}
	sender, err := in.sender(user)
	if err != nil {
		noteLine(in.Users, user.Name, from, action, feedName, "denied", err.Error())
		return nil, err
	}
	noteLine(in.Users, user.Name, from, action, feedName, "ok", "")
	return sender, nil
}

// sender turns what is said of a user into what is taken from the user. It holds for one generation of users; Renew gives
// the next.
func (in *Senders) sender(user *access.User) (*feed.Sender, error) {
	generation := in.Users.Generation()
	if !user.May(access.LSSAccess) {
		return nil, refusedRight(access.LSSAccess)
	}
	view := in.Users.TransmitView(user)
	sender := &feed.Sender{User: user.Name, May: func(r *ais.Report) bool { return in.takes(view, r) }}
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

// takes asks a transmit filter for a message, with the ship as she would be if it were taken.
func (in *Senders) takes(view *access.View, r *ais.Report) bool {
	was, _ := in.Picture.Ship(r.Message.Head().MMSI)
	now := ship.Merge(&was, ship.Gate{}, r, &in.Limits).Now
	traits := ais.TraitsOf(r.Message)
	return view.ShowsMessage(&traits, &now, r.Received)
}

// refusedRight names the right that is missing.
func refusedRight(r access.Right) feed.Refusal { return feed.Refusal("no right " + string(r)) }
