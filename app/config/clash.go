package config

import (
	"fmt"
	"net"
	"net/netip"

	"quaywatch/ais/feed"
)

// end is a feed, an output or the server, and the port that it opens or calls.
type end struct {
	label string
	feed.Endpoint
}

// checkEnds tells which entries cannot be open together and which make a loop. own are the addresses of the box.
func (c *Config) checkEnds(own []netip.Prefix) []string {
	var wrong []string
	if _, err := feed.ListenEndpoint(c.HTTP.Listen); err != nil {
		wrong = append(wrong, fmt.Sprintf("http.listen: %v", err))
	}
	all := c.allEnds()
	outputs := all[len(all)-len(c.Output):]
	feeds := all[len(all)-len(c.Output)-len(c.Feed) : len(all)-len(c.Output)]
	for i, b := range all {
		for _, a := range all[:i] {
			if b.Clashes(a.Endpoint) {
				wrong = append(wrong, fmt.Sprintf("%s: url: %s has %s already, and only one can", b.label, a.label, b))
			}
		}
	}
	for _, o := range outputs {
		for _, f := range feeds {
			switch {
			case o.Calls(f.Endpoint, own):
				wrong = append(wrong, fmt.Sprintf("%s: url: sends to %s on this box, and goes round in a loop", o.label, f.label))
			case f.Calls(o.Endpoint, own):
				wrong = append(wrong, fmt.Sprintf("%s: url: reads %s of this box, and goes round in a loop", f.label, o.label))
			}
		}
	}
	return wrong
}

// allEnds returns http.listen and the modem, then the feeds, then the outputs.
func (c *Config) allEnds() (all []end) {
	if at, err := feed.ListenEndpoint(c.HTTP.Listen); err == nil {
		all = append(all, end{"http.listen", at})
	}
	if feed.ParseDevice(c.SMS.Modem) == nil {
		all = append(all, end{"sms.modem", feed.SourceEndpoint(c.SMS.Modem)})
	}
	for i := range c.Feed {
		all = append(all, end{labelOf("feed", i, c.Feed[i].Name), feed.SourceEndpoint(c.Feed[i].URL)})
	}
	for i := range c.Output {
		all = append(all, end{labelOf("output", i, c.Output[i].Name), feed.OutputEndpoint(c.Output[i].URL)})
	}
	return all
}

// ownAddresses returns the addresses of this box. It returns none where the system does not tell.
func ownAddresses() []netip.Prefix {
	list, err := net.InterfaceAddrs()
	if err != nil {
		return nil
	}
	var own []netip.Prefix
	for _, a := range list {
		if p, err := netip.ParsePrefix(a.String()); err == nil {
			own = append(own, p)
		}
	}
	return own
}
