// Package stream decides what goes out on the NMEA streams and what comes in from senders: which message is for which user, in what form.
// Package feed holds the ring of messages and the connections. It knows neither ships nor users.
package stream

import (
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/ais/feed/format"
	"quaywatch/ship"
	"quaywatch/sight"
	"quaywatch/traffic"
	"quaywatch/users/access"
	"quaywatch/users/access/audit"
)

// Relay hands each message that the picture takes to the outputs. It also turns the user of a subscriber into what the subscriber gets.
type Relay struct {
	users   *access.Users
	picture *traffic.Picture
	formats map[string]string   // by output; "" is the user's own
	tags    map[string][]string // by feed
	outputs *feed.Outputs[ship.State]
	out     format.Outgoing // used anew for each message
}

type streamPass = feed.Pass[ship.State]

// Options are the outputs and what they ask.
type Options struct {
	Outputs []feed.Output
	Tags    map[string][]string // by feed
	Users   *access.Users
	Picture *traffic.Picture
	Feeds   func() []ais.FeedStatus
	Log     *slog.Logger
}

// New makes the outputs; nil when there are none. It fails when an output's address is wrong.
func New(o Options) (*Relay, error) {
	if len(o.Outputs) == 0 {
		return nil, nil
	}
	ob := &Relay{users: o.Users, picture: o.Picture, formats: map[string]string{}, tags: o.Tags}
	for _, out := range o.Outputs {
		ob.formats[out.Name] = out.Format
	}
	var err error
	ob.outputs, err = feed.NewOutputs(o.Outputs, feed.Options[ship.State]{
		SignIn: ob.signIn, Direct: ob.direct, Named: ob.makeNamedPass, Latest: ob.latestState, Feeds: o.Feeds, Log: o.Log,
	})
	return ob, err
}

// Run serves the outputs until ctx ends.
func (ob *Relay) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var hosts sync.WaitGroup
	hosts.Go(func() { ob.users.Hosts().Resolve(ctx) })
	err := ob.outputs.Run(ctx)
	cancel()
	hosts.Wait()
	return err
}

// Status tells how the outputs are doing; none where there is no Observer.
func (ob *Relay) Status() []ais.OutputStatus {
	if ob == nil {
		return nil
	}
	return ob.outputs.Status()
}

// Observe hands the message of a step to the outputs.
func (ob *Relay) Observe(u *ship.Update) {
	if u.Report == nil {
		if u.Now.Age == ship.Removed {
			ob.outputs.Forget(u.Now.MMSI)
		}
		return
	}
	ob.publish(u, ais.Feeds{}, false)
}

// TakesAgain wants every repeat.
func (ob *Relay) TakesAgain(ais.Message) bool { return true }

// ObserveAgain hands on a message that other feeds heard before, for the users that do not have those feeds.
func (ob *Relay) ObserveAgain(u *ship.Update, before ais.Feeds) { ob.publish(u, before, true) }

// publish hands the message of a step to the outputs.
func (ob *Relay) publish(u *ship.Update, heard ais.Feeds, again bool) {
	r := u.Report
	o := &ob.out
	*o = format.Outgoing{
		Heard: heard, Again: again, Hash: r.Hash,
		Raw: r.Raw, Traits: ais.TraitsOf(r.Message), Received: r.Received, Sent: r.Sent, Feed: r.Feed, Station: r.Station,
		Channel: r.Channel, Own: r.Own, Refused: refusedText(u.Refused),
	}
	if static, ok := r.Message.(*ais.StaticReport); ok && static.Part <= 1 {
		o.Part = "AB"[static.Part]
	}
	if s := u.Now.Static; s != nil {
		o.Name, o.CallSign, o.ShipType = s.Name, s.CallSign, s.Type
	}
	if u.Change&(ship.ChangedFix|ship.LateFix|ship.Copied) != 0 {
		o.HasFix, o.Place, o.SOG, o.COG = true, u.Fix.Point(), u.Fix.SOG, u.Fix.COG
	}
	ob.outputs.Publish(o, &u.Now)
}

// Tick does nothing: the outputs keep their own time.
func (ob *Relay) Tick(time.Time) {}

// refusedText names the check that a place failed. A message without a place failed none, nor did one with a coarse place.
func refusedText(r ship.Reason) string {
	switch r {
	case ship.Accepted, ship.NoPlace, ship.TooCoarse:
		return ""
	}
	return r.String()
}

func (ob *Relay) latestState(m ais.MMSI, s *ship.State) (known bool) {
	*s, known = ob.picture.Ship(m)
	return known
}

// More texts of a refusal, for the subscriber and for the log.
const (
	refusedGone  = feed.Refusal("no such user")
	refusedGroup = feed.Refusal("not the lss_group of the user")
)

// signIn lets in a user that gives name and password.
func (ob *Relay) signIn(ctx context.Context, output, name, password string, from netip.Addr) (*streamPass, error) {
	enter := func(user *access.User) (*streamPass, error) { return ob.makePass(user, output, nil) }
	return signIn(ctx, ob.users, audit.LogEntry{User: name, Address: from.String(), Action: "stream sign-in", Object: output}, password, enter)
}

// direct lets in a program from an address that needs no password. A nil pass says that the address needs one. This is no sign-in, so it is
// not in the audit log: a program that comes back each second would fill it.
func (ob *Relay) direct(output string, from netip.Addr) (*streamPass, error) {
	user, ok := ob.users.Hosts().User(from)
	if !ok {
		return nil, nil
	}
	still := func() bool {
		now, ok := ob.users.Hosts().User(from)
		return ok && now.UID == user.UID
	}
	return ob.makePass(user, output, still)
}

// makeNamedPass makes the pass of the user that the configuration names.
func (ob *Relay) makeNamedPass(output, name string) (*streamPass, error) {
	user, ok := ob.users.User(name)
	if !ok {
		return nil, refusedGone
	}
	return ob.makePass(user, output, nil)
}

// makePass turns the settings and filters of a user into what the subscriber gets. It holds for one generation of users; Renew gives the next.
// still may be nil. Otherwise it reports whether the subscriber would still be let in.
func (ob *Relay) makePass(user *access.User, output string, still func() bool) (*streamPass, error) {
	generation := ob.users.Generation() // read first: a change after it makes a new pass
	user, current := ob.users.Current(user)
	if !current {
		return nil, refusedActive
	}
	formatName := formatOf(user, ob.formats[output])
	if err := mayConnect(user, formatName, output); err != nil {
		return nil, err
	}
	messages := sight.MessagesTo(user, ob.users, func(name string) []string { return ob.tags[name] })
	pass := wanted(user, formatName)
	pass.Pace.Delay, pass.Every, pass.SeesFeed = messages.Delay, messages.Interval, messages.SeesFeed
	pass.May = func(o *format.Outgoing, s *ship.State) bool {
		return messages.May(sight.OutgoingMessage{Traits: &o.Traits, Ship: s, Received: o.Received, Feed: o.Feed, Heard: o.Heard, Again: o.Again})
	}
	pass.Renew = func() (*streamPass, error) {
		_, current := ob.users.Current(user)
		switch {
		case !current:
			return nil, refusedActive
		case ob.users.Generation() == generation:
			return pass, nil
		case still != nil && !still():
			return nil, refusedWrong
		}
		return ob.makePass(user, output, still)
	}
	return pass, nil
}
