// Package stream is the outgoing NMEA streams: what each message becomes for each subscriber, and who may send to a feed. Package feed
// holds the ring of messages and the connections; it knows neither ships nor users.
package stream

import (
	"context"
	"log/slog"
	"maps"
	"net/netip"
	"slices"
	"sync"
	"time"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/letters"
	"quaywatch/ship"
	"quaywatch/traffic"
)

// Observer hands each message that the picture takes to the outputs. It is also where a subscriber's user becomes what the subscriber gets.
type Observer struct {
	users   *access.Users
	picture *traffic.Picture
	formats map[string]string   // by output; "" is the user's own
	tags    map[string][]string // by feed
	outputs *feed.Outputs[ship.State]
	out     feed.Outgoing // used anew for each message
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
func New(o Options) (*Observer, error) {
	if len(o.Outputs) == 0 {
		return nil, nil
	}
	p := &Observer{users: o.Users, picture: o.Picture, formats: map[string]string{}, tags: o.Tags}
	for _, out := range o.Outputs {
		p.formats[out.Name] = out.Format
	}
	var err error
	p.outputs, err = feed.NewOutputs(o.Outputs, feed.Options[ship.State]{
		SignIn: p.signIn, Direct: p.direct, Named: p.named, Latest: p.latest, Feeds: o.Feeds, Log: o.Log,
	})
	return p, err
}

// Run serves the outputs until ctx ends.
func (p *Observer) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	var hosts sync.WaitGroup
	hosts.Go(func() { p.users.ResolveHosts(ctx) })
	err := p.outputs.Run(ctx)
	cancel()
	hosts.Wait()
	return err
}

// Status tells how the outputs are doing; none where there is no Observer.
func (p *Observer) Status() []ais.OutputStatus {
	if p == nil {
		return nil
	}
	return p.outputs.Status()
}

// Observe hands the message of a step to the outputs.
func (p *Observer) Observe(u *ship.Update) {
	if u.Report == nil {
		if u.Now.Age == ship.Removed {
			p.outputs.Forget(u.Now.MMSI)
		}
		return
	}
	p.publish(u, ais.Feeds{}, false)
}

// ObserveAgain hands on what another feed heard before: for whom the others are not.
func (p *Observer) ObserveAgain(u *ship.Update, before ais.Feeds) { p.publish(u, before, true) }

// publish hands the message of a step to the outputs.
func (p *Observer) publish(u *ship.Update, heard ais.Feeds, again bool) {
	r := u.Report
	o := &p.out
	*o = feed.Outgoing{
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
	if u.Change&(ship.ChangedFix|ship.LateFix) != 0 {
		o.HasFix, o.Place, o.SOG, o.COG = true, u.Fix.Point(), u.Fix.SOG, u.Fix.COG
	}
	p.outputs.Publish(o, &u.Now)
}

// Tick does nothing: outputs keep their own time.
func (p *Observer) Tick(time.Time) {}

// refusedText names the check that a place failed; that a sender has no place is none.
func refusedText(r ship.Reason) string {
	if r == ship.Accepted || r == ship.NoPlace {
		return ""
	}
	return r.String()
}

func (p *Observer) latest(m ais.MMSI, s *ship.State) (known bool) {
	*s, known = p.picture.Ship(m)
	return known
}

// More words of a refusal, for both sides.
const (
	refusedGone  = feed.Refusal("no such user")
	refusedGroup = feed.Refusal("not the lss_group of the user")
)

// streamSignIn is the action in the audit log.
const streamSignIn = "stream sign-in"

// signIn lets in who gives name and password.
func (p *Observer) signIn(ctx context.Context, output, name, password string, from netip.Addr) (*streamPass, error) {
	user, err := lineSignIn(ctx, p.users, streamSignIn, output, name, password, from)
	if err != nil {
		return nil, err
	}
	pass, err := p.pass(user, output, nil)
	if err != nil {
		noteLine(p.users, user.Name, from, streamSignIn, output, "denied", err.Error())
		return nil, err
	}
	noteLine(p.users, user.Name, from, streamSignIn, output, "ok", "")
	return pass, nil
}

// direct lets in who comes from an address that needs no password; a nil pass says that this one does. It is no sign-in, and
// a program that comes back each second would fill the audit log: it stands in the program's log.
func (p *Observer) direct(output string, from netip.Addr) (*streamPass, error) {
	user, ok := p.users.Direct(from)
	if !ok {
		return nil, nil
	}
	still := func() bool {
		now, ok := p.users.Direct(from)
		return ok && now.UID == user.UID
	}
	return p.pass(user, output, still)
}

// named makes the pass of the user whom the configuration names.
func (p *Observer) named(output, name string) (*streamPass, error) {
	user, ok := p.users.Find(name)
	if !ok {
		return nil, refusedGone
	}
	return p.pass(user, output, nil)
}

// pass turns what is said of a user into what the subscriber gets. It holds for one generation of users; Renew gives the
// next. still, where there is one, says whether what let the subscriber in still would.
func (p *Observer) pass(user *access.User, output string, still func() bool) (*streamPass, error) {
	generation := p.users.Generation() // before all that it stands for
	user, current := p.users.Current(user)
	if !current {
		return nil, refusedActive
	}
	settings := user.Stream(p.formats[output])
	if err := mayConnect(user, &settings, output); err != nil {
		return nil, err
	}
	view := p.users.View(user, func(name string) []string { return p.tags[name] })
	pace := view.Pace()
	pass := &streamPass{
		User: user.Name, Style: styleOf(&settings), Priority: priorityOf(settings.Priority), CachedStatic: settings.CachedStatic,
		Peep: settings.Peep, Pace: feed.Pace{
			Delay: pace.Delay, DownSample: settings.DownSample, FixedDownSample: settings.FixedDownSample, MaxRate: settings.MaxRate,
			Congestion: feed.Congestion{Factor: settings.CongestionFactor, Most: settings.CongestionMost, Every: settings.CongestionEvery},
		},
		May:      func(o *feed.Outgoing, s *ship.State) bool { return mayHave(view, o, s) },
		SeesFeed: view.SeesFeed,
	}
	if pace.Thins() {
		pass.Every = pace.Interval
	}
	pass.Renew = func() (*streamPass, error) {
		_, current := p.users.Current(user)
		switch {
		case !current:
			return nil, refusedActive
		case p.users.Generation() == generation:
			return pass, nil
		case still != nil && !still():
			return nil, refusedWrong
		}
		return p.pass(user, output, still)
	}
	return pass, nil
}

// mayHave asks the view for a message: the ship has to be for the user, and one of the feeds that heard the message. One that comes
// again is for whom it was not when it came first, by the feeds that had heard it then.
func mayHave(view *access.View, o *feed.Outgoing, s *ship.State) bool {
	hears, heard := view.Hears(o.Feed), o.Heard.Any(view.Hears)
	if o.Again {
		hears = hears && !heard
	} else {
		hears = hears || heard
	}
	return hears && view.ShowsMessage(&o.Traits, s, o.Received)
}

// mayConnect tells why a user may not have the output.
func mayConnect(user *access.User, settings *access.StreamSettings, output string) error {
	switch {
	case !user.May(access.LSSAccess):
		return refusedRight(access.LSSAccess)
	case !user.MayFormat(settings.Format):
		return refusedRight(access.FormatRight(settings.Format))
	case settings.Group != "" && letters.Fold(settings.Group) != letters.Fold(output):
		return refusedGroup
	}
	return nil
}

// Formats lists the values of output_format and of the key format of an output.
func Formats() []string { return slices.Sorted(maps.Keys(formatNames())) }

// formatNames are the values of output_format and of the key format of an output.
func formatNames() map[string]feed.Format {
	return map[string]feed.Format{
		access.FormatNMEA: feed.PlainNMEA, access.FormatTag: feed.TagNMEA, access.FormatComment: feed.CommentNMEA,
		access.FormatPGHP: feed.PGHPNMEA, access.FormatOTHGold: feed.OTHGold, access.FormatXML: feed.XML,
	}
}

func styleOf(s *access.StreamSettings) feed.Style {
	stamps := map[string]feed.Stamp{
		access.StampTag: feed.StampTag, access.StampComment: feed.StampComment, access.StampPGHP: feed.StampPGHP,
	}
	return feed.Style{
		Format: formatNames()[s.Format], Stamp: stamps[s.Stamp], ExternalID: s.ExternalID, CustomTag: s.CustomTag,
		ClockSync: s.ClockSync, SystemInfo: s.SystemStatus,
	}
}

func priorityOf(p access.Priority) feed.Priority {
	switch p {
	case access.Low:
		return feed.Low
	case access.High:
		return feed.High
	}
	return feed.Normal
}
