package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/geo"
	"quaywatch/geo/chart"
	"quaywatch/geo/route/passage"
	"quaywatch/handlers"
	"quaywatch/handlers/request"
	"quaywatch/internal/fold"
	"quaywatch/stream"
)

// Error is all that is wrong with a configuration. Each line names the place and the rule.
type Error []string

func (e Error) Error() string { return strings.Join(e, "\n") }

// Check tests what types cannot. What is wrong comes back as one Error; each line names the key and the rule.
func (c *Config) Check() error {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if c.DataDir == "" {
		say("data_dir: must name a folder")
	}
	if c.HTTP.BasePath != "" && (!strings.HasPrefix(c.HTTP.BasePath, "/") || strings.HasSuffix(c.HTTP.BasePath, "/")) {
		say("http.base_path: %q must begin with / and not end with it", c.HTTP.BasePath)
	}
	for _, text := range c.HTTP.TrustedProxies {
		if _, err := request.ParseProxy(text); err != nil {
			say("http.trusted_proxies: %v", err)
		}
	}
	for _, text := range c.HTTP.CORS {
		if _, err := handlers.TrustOrigins([]string{text}); err != nil {
			say("http.cors: %v; want an origin as https://map.port.example", err)
		}
	}
	if n := c.HTTP.SignInTries; n < 1 || n > 100000 {
		say("http.sign_in_tries: %d must lie between 1 and 100000", n)
	}
	if s := time.Duration(c.Store.SyncInterval); s < 100*time.Millisecond || s > time.Minute {
		say("store.sync_interval: %s must lie between 100ms and 1m", s)
	}
	if r := time.Duration(c.Store.Retention); r != 0 && r < 2*time.Hour {
		say("store.retention: %s must be 0 (keep all) or at least 2h", r)
	}
	if r := time.Duration(c.Voyage.Retention); r != 0 && r < 24*time.Hour {
		say("voyage.retention: %s must be 0 (keep all) or at least 1d", r)
	}
	if k := time.Duration(c.Track.Keep); k < time.Minute || k > 366*24*time.Hour {
		say("track.keep: %s must lie between 1m and 366d", k)
	}
	if q := c.Store.OwnerQuota; q < 64<<10 || q > 1<<30 {
		say("store.owner_quota: %d must lie between 65536 and 1073741824 bytes", q)
	}
	if e := time.Duration(c.Backup.Every); e != 0 && e < time.Minute {
		say("backup.every: %s must be 0 (none) or at least 1m", e)
	}
	if k := c.Backup.Keep; k < 1 || k > 10000 {
		say("backup.keep: %d must lie between 1 and 10000", k)
	}
	if c.Backup.To != "" && filepath.Clean(c.Backup.To) == filepath.Clean(c.DataDir) {
		say("backup.to: must be another folder than data_dir, best on another disk")
	}
	for key, n := range map[string]int{"ship_per_hour": c.Safety.ShipPerHour, "broadcast_per_hour": c.Safety.BroadcastPerHour, "per_minute": c.Safety.PerMinute} {
		if n < 1 || n > 1000 {
			say("safety.%s: %d must lie between 1 and 1000", key, n)
		}
	}
	if wrong = slices.Concat(wrong, c.checkTraffic(), c.checkRoute(), c.checkPort(), c.checkMail(), c.checkSenders(), c.checkHTTPS(), c.checkFeeds(), c.checkOutputs(), c.checkEnds(ownAddresses())); len(wrong) > 0 {
		return Error(wrong)
	}
	return nil
}

// checkTraffic tells what is wrong with the keys about silent ships.
func (c *Config) checkTraffic() (wrong []string) {
	t := &c.Traffic
	for _, pair := range []struct {
		of            string
		lost, removed Duration
	}{
		{"under_way", t.LostUnderWay, t.RemovedUnderWay}, {"at_rest", t.LostAtRest, t.RemovedAtRest}, {"station", t.LostStation, t.RemovedStation},
	} {
		if pair.lost <= 0 {
			wrong = append(wrong, fmt.Sprintf("traffic.lost_%s: must be longer than 0", pair.of))
		}
		if pair.removed <= pair.lost {
			wrong = append(wrong, fmt.Sprintf("traffic.removed_%s: %s must be longer than lost_%s, which is %s", pair.of, pair.removed, pair.of, pair.lost))
		}
	}
	if t.MaxShips < 1000 {
		wrong = append(wrong, fmt.Sprintf("traffic.max_ships: %d must be at least 1000", t.MaxShips))
	}
	return wrong
}

// checkRoute tells which closed passages are none.
func (c *Config) checkRoute() (wrong []string) {
	all, err := passage.All()
	if err != nil {
		return []string{err.Error()}
	}
	for _, name := range c.Route.Closed {
		if _, ok := passage.Find(all, name); !ok {
			wrong = append(wrong, fmt.Sprintf("route.closed: %q is no passage; known are %s", name, strings.Join(passage.Names(all), ", ")))
		}
	}
	return wrong
}

// mostPortName is how many characters the name of a port may have.
const mostPortName = 100

// checkPort tells why the port of the box can be none. Whether there is such a port is known when the service runs, as users make ports too.
func (c *Config) checkPort() (wrong []string) {
	name := strings.TrimSpace(c.Port.Home)
	if n := utf8.RuneCountInString(name); n > mostPortName {
		wrong = append(wrong, fmt.Sprintf("port.home: has %d characters, may have %d", n, mostPortName))
	}
	if at := strings.IndexFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }); at >= 0 {
		wrong = append(wrong, fmt.Sprintf("port.home: may hold no character that cannot be printed, as %+q", []rune(name[at:])[0]))
	}
	if id, err := strconv.ParseUint(name, 10, 64); name != "" && chart.DigitsAlone(name) && (err != nil || id == 0) {
		wrong = append(wrong, fmt.Sprintf("port.home: %q is no id of a port", name))
	}
	return wrong
}

// checkFeeds tells what is wrong with the feeds, each by itself.
func (c *Config) checkFeeds() []string {
	var wrong []string
	names := map[string]string{}
	clocks := map[ais.Clock]bool{}
	for i := range c.Feed {
		f := &c.Feed[i]
		say := checkName(&wrong, labelOf("feed", i, f.Name), f.Name, names)
		if f.Time != "" && f.Time != "receiver" && f.Time != "log" {
			say("time: %q must be \"receiver\" or \"log\"", f.Time)
		}
		if err := feed.Parse(f.Source()); err != nil {
			say("%v", err)
		}
		if f.Position != nil && (len(f.Position) != 2 || !(geo.Point{Lon: f.Position[0], Lat: f.Position[1]}).Valid()) {
			say("position: want [longitude, latitude] in degrees")
		}
		if f.SignIn && !strings.HasPrefix(f.URL, "tcp-listen:") {
			say("sign_in: only programs that send to tcp-listen can sign in")
		}
		if len(f.Allow) > 0 && !strings.HasPrefix(f.URL, "tcp-listen:") && !strings.HasPrefix(f.URL, "udp:") {
			say("allow: for udp and tcp-listen alone")
		}
		checkNetworks(say, f.Allow)
		clocks[f.Clock()] = true
	}
	if len(clocks) > 1 {
		wrong = append(wrong, "feed: time = \"log\" (the default of file://) rules the clock of the whole box and cannot stand beside a live feed")
	}
	return wrong
}

// checkOutputs tells what is wrong with the outputs, each by itself.
func (c *Config) checkOutputs() []string {
	var wrong []string
	names := map[string]string{}
	for i := range c.Output {
		o := &c.Output[i]
		say := checkName(&wrong, labelOf("output", i, o.Name), o.Name, names)
		if known := stream.Formats(); o.Format != "" && !slices.Contains(known, o.Format) {
			say("format: %q must be one of %s", o.Format, strings.Join(known, ", "))
		}
		if err := feed.ParseOutput(o.output()); err != nil {
			say("%v", err)
		}
		checkNetworks(say, o.Allow)
	}
	return wrong
}

// checkNetworks tells what of allow is no network.
func checkNetworks(say func(format string, args ...any), list []string) {
	for _, text := range list {
		if _, err := parseNetwork(text); err != nil {
			say("allow: %v", err)
		}
	}
}

// mostName is how many characters the name of a feed or an output may have.
const mostName = 64

// checkName checks the name of a feed or an output. It returns a function that adds what else is wrong. before holds the labels of the earlier
// ones, by name without regard to case and white space.
func checkName(wrong *[]string, label, name string, before map[string]string) (say func(format string, args ...any)) {
	say = func(format string, args ...any) { *wrong = append(*wrong, label+": "+fmt.Sprintf(format, args...)) }
	folded := strings.ReplaceAll(fold.Name(name), " ", "")
	if folded == "" {
		say("name: must be given")
	} else if other, used := before[folded]; used {
		say("name: used twice, by %s first; case and white space do not tell names apart", other)
	} else {
		before[folded] = label
	}
	if n := utf8.RuneCountInString(name); n > mostName {
		say("name: has %d characters, may have %d", n, mostName)
	}
	if at := strings.IndexFunc(name, func(c rune) bool { return !unicode.IsPrint(c) }); at >= 0 {
		say("name: may hold no character that cannot be printed, as %+q", []rune(name[at:])[0])
	}
	return say
}

// labelOf returns how an error calls an entry.
func labelOf(what string, i int, name string) string {
	return fmt.Sprintf("%s %d (%.*q)", what, i+1, mostName, name)
}
