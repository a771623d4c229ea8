package config

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"unicode"
	"unicode/utf8"

	"quaywatch/ais/feed"
	"quaywatch/letters"
)

// mostName is how many characters the name of a feed or an output may have.
const mostName = 64

// validateName tells what is wrong with the name of a feed or an output. before holds the labels of those that came earlier, by name
// without regard to case and white space.
func validateName(name, label string, before map[string]string) []string {
	var wrong []string
	folded := strings.ReplaceAll(letters.Fold(name), " ", "")
	if folded == "" {
		wrong = append(wrong, "name: must be given")
	} else if other, used := before[folded]; used {
		wrong = append(wrong, fmt.Sprintf("name: used twice, by %s first; case and white space do not tell names apart", other))
	} else {
		before[folded] = label
	}
	if n := utf8.RuneCountInString(name); n > mostName {
		wrong = append(wrong, fmt.Sprintf("name: has %d characters, may have %d", n, mostName))
	}
	if at := strings.IndexFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }); at >= 0 {
		wrong = append(wrong, fmt.Sprintf("name: may hold no character that cannot be printed, as %+q", []rune(name[at:])[0]))
	}
	return wrong
}

// labelOf names an entry in an error.
func labelOf(what string, i int, name string) string {
	return fmt.Sprintf("%s %d (%.*q)", what, i+1, mostName, name)
}

// end is an entry of the configuration and where it is open.
type end struct {
	label string
	feed.Endpoint
}

// validateEnds tells which entries cannot be open together, and which make a loop. own are the addresses of the box.
func (c *Config) validateEnds(own []netip.Prefix) []string {
	var wrong []string
	var all, feeds, outputs []end
	if at, err := feed.ListenEndpoint(c.HTTP.Listen); err != nil {
		wrong = append(wrong, fmt.Sprintf("http.listen: %v", err))
	} else {
		all = append(all, end{"http.listen", at})
	}
	for i := range c.Feed {
		feeds = append(feeds, end{labelOf("feed", i, c.Feed[i].Name), feed.SourceEndpoint(c.Feed[i].URL)})
	}
	for i := range c.Output {
		outputs = append(outputs, end{labelOf("output", i, c.Output[i].Name), feed.OutputEndpoint(c.Output[i].URL)})
	}
	all = append(append(all, feeds...), outputs...)
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
				wrong = append(wrong, fmt.Sprintf("%s: url: sends to %s on this box, whose messages go out here: they would go round in a loop", o.label, f.label))
			case f.Calls(o.Endpoint, own):
				wrong = append(wrong, fmt.Sprintf("%s: url: reads %s of this box, which sends what feeds hear: it would go round in a loop", f.label, o.label))
			}
		}
	}
	return wrong
}

// ownAddresses gives the addresses of this box; none where the system does not tell.
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
