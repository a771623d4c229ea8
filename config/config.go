package config

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/geo"
	"quaywatch/handlers"
	"quaywatch/stream"
)

// Config is everything that an operator can set. Each key stands in config.example.toml at its default; the name of the
// environment variable of a key is QUAYWATCH_SECTION_KEY, that of its flag --section.key.
type Config struct {
	DataDir string   `toml:"data_dir" flag:"data-dir" help:"folder of quaywatch.db and quaywatch.wal"`
	HTTP    HTTP     `toml:"http"`
	Feed    []Feed   `toml:"feed"`
	Output  []Output `toml:"output"`
	Store   Store    `toml:"store"`
	Traffic Traffic  `toml:"traffic"`
}

// HTTP says where and how the API and the web client are served.
type HTTP struct {
	Listen         string   `toml:"listen" flag:"listen" help:"address and port"`
	BasePath       string   `toml:"base_path" help:"prefix of every path, behind a reverse proxy"`
	TLSCert        string   `toml:"tls_cert" help:"certificate file (PEM); with tls_key the box speaks HTTPS"`
	TLSKey         string   `toml:"tls_key" help:"key file (PEM)"`
	TrustedProxies []string `toml:"trusted_proxies" help:"addresses and networks of reverse proxies that say who calls (X-Forwarded-For)"`
	CORS           []string `toml:"cors" help:"origins of other sites that may call the API"`
	OpenReads      bool     `toml:"open_reads" help:"answer reads without sign-in"`
	MetricsAuth    bool     `toml:"metrics_auth" help:"ask for sign-in at /metrics"`
	SignInTries    int      `toml:"sign_in_tries" help:"failed sign-ins of a name from one address before it has to wait"`
}

// Feed is one receiver.
type Feed struct {
	Name     string    `toml:"name"`
	URL      string    `toml:"url"`
	Position []float64 `toml:"position,omitempty"` // longitude, latitude of the antenna
	Tags     []string  `toml:"tags,omitempty"`
	Time     string    `toml:"time,omitempty"`    // "receiver", "log", or "" for the default of the URL's kind
	SignIn   bool      `toml:"sign_in,omitempty"` // tcp-listen: senders sign in as users
}

// Output is one outgoing stream.
type Output struct {
	Name   string `toml:"name"`
	URL    string `toml:"url"`
	Format string `toml:"format,omitempty"` // instead of the user's output_format
	User   string `toml:"user,omitempty"`   // whom it acts as, where nobody signs in
}

// Store says what is kept and how soon it is safe.
type Store struct {
	SyncInterval Duration `toml:"sync_interval" help:"how much a power cut may cost; 10s spares flash"`
	Retention    Duration `toml:"retention" help:"how long tracks and history are kept; 0 keeps all"`
	FullRate     bool     `toml:"full_rate" help:"keep every position, without thinning"`
}

// Traffic says when a silent ship counts as lost and when she leaves the live picture.
type Traffic struct {
	LostUnderWay    Duration `toml:"lost_under_way" help:"class A under way: lost after"`
	RemovedUnderWay Duration `toml:"removed_under_way" help:"class A under way: removed after"`
	LostAtRest      Duration `toml:"lost_at_rest" help:"anchored, moored and class B: lost after"`
	RemovedAtRest   Duration `toml:"removed_at_rest" help:"anchored, moored and class B: removed after"`
	LostStation     Duration `toml:"lost_station" help:"aids to navigation and base stations: lost after"`
	RemovedStation  Duration `toml:"removed_station" help:"aids to navigation and base stations: removed after"`
	DuplicateWindow Duration `toml:"duplicate_window" help:"the same message within this time is a duplicate"`
	MaxShips        int      `toml:"max_ships" help:"most ships held in memory"`
}

// Default is what an empty file means.
func Default() Config {
	return Config{
		DataDir: "data",
		HTTP:    HTTP{Listen: ":8080", TrustedProxies: []string{}, CORS: []string{}, MetricsAuth: true, SignInTries: access.SignInTries},
		Feed:    []Feed{},
		Output:  []Output{},
		Store:   Store{SyncInterval: Duration(time.Second), Retention: Duration(365 * 24 * time.Hour)},
		Traffic: Traffic{
			LostUnderWay:    Duration(6 * time.Minute),
			RemovedUnderWay: Duration(30 * time.Minute),
			LostAtRest:      Duration(15 * time.Minute),
			RemovedAtRest:   Duration(time.Hour),
			LostStation:     Duration(30 * time.Minute),
			RemovedStation:  Duration(24 * time.Hour),
			DuplicateWindow: Duration(10 * time.Second),
			MaxShips:        200000,
		},
	}
}

// Error is all that is wrong with a configuration: each line names the place and the rule.
type Error []string

func (e Error) Error() string { return strings.Join(e, "\n") }

// Check tests what types cannot. What is wrong comes back as one Error; each line names the key and the rule.
func (c *Config) Check() error {
	var wrong []string
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	if c.DataDir == "" {
		say("data_dir: must name a folder")
	}
	if (c.HTTP.TLSCert == "") != (c.HTTP.TLSKey == "") {
		say("http.tls_cert and http.tls_key: give both or none")
	}
	if c.HTTP.BasePath != "" && (!strings.HasPrefix(c.HTTP.BasePath, "/") || strings.HasSuffix(c.HTTP.BasePath, "/")) {
		say("http.base_path: %q must begin with / and not end with it", c.HTTP.BasePath)
	}
	for _, text := range c.HTTP.TrustedProxies {
		if _, err := handlers.ParseProxy(text); err != nil {
			say("http.trusted_proxies: %v", err)
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
	if c.Traffic.MaxShips < 1000 {
		say("traffic.max_ships: %d must be at least 1000", c.Traffic.MaxShips)
	}
	if wrong = slices.Concat(wrong, c.validateFeeds(), c.validateOutputs(), c.validateEnds(ownAddresses())); len(wrong) > 0 {
		return Error(wrong)
	}
	return nil
}

func (c *Config) validateFeeds() []string {
	var wrong []string
	names := map[string]string{}
	clocks := map[ais.Clock]bool{}
	for i := range c.Feed {
		f := &c.Feed[i]
		label := labelOf("feed", i, f.Name)
		say := func(format string, args ...any) {
			wrong = append(wrong, label+": "+fmt.Sprintf(format, args...))
		}
		for _, text := range validateName(f.Name, label, names) {
			say("%s", text)
		}
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
			say("sign_in: only who sends to tcp-listen can sign in")
		}
		clocks[f.Clock()] = true
	}
	if len(clocks) > 1 {
		wrong = append(wrong, "feed: time = \"log\" (the default of file://) moves the clock of the whole box and is refused beside a live feed")
	}
	return wrong
}

func (c *Config) validateOutputs() []string {
	var wrong []string
	names := map[string]string{}
	for i := range c.Output {
		o := &c.Output[i]
		label := labelOf("output", i, o.Name)
		say := func(format string, args ...any) {
			wrong = append(wrong, label+": "+fmt.Sprintf(format, args...))
		}
		for _, text := range validateName(o.Name, label, names) {
			say("%s", text)
		}
		if known := stream.Formats(); o.Format != "" && !slices.Contains(known, o.Format) {
			say("format: %q must be one of %s", o.Format, strings.Join(known, ", "))
		}
		if err := feed.ParseOutput(o.output()); err != nil {
			say("%v", err)
		}
	}
	return wrong
}
