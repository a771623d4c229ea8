package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/access"
	"quaywatch/ais"
	"quaywatch/ais/feed"
	"quaywatch/geo"
	"quaywatch/handlers"

	"github.com/pelletier/go-toml/v2"
)

// Config is everything that an operator can set. Each key stands in config.example.toml at its default; the name of the
// environment variable of a key is QUAYWATCH_SECTION_KEY, that of its flag --section.key.
type Config struct {
	DataDir string         `toml:"data_dir" help:"folder of quaywatch.db and quaywatch.wal"`
	HTTP    HTTPConfig     `toml:"http"`
	Feed    []FeedConfig   `toml:"feed"`
	Output  []OutputConfig `toml:"output"`
	Store   StoreConfig    `toml:"store"`
	Traffic TrafficConfig  `toml:"traffic"`
}

// HTTPConfig says where and how the API and the web client are served.
type HTTPConfig struct {
	Listen         string   `toml:"listen" help:"address and port"`
	BasePath       string   `toml:"base_path" help:"prefix of every path, behind a reverse proxy"`
	TLSCert        string   `toml:"tls_cert" help:"certificate file (PEM); with tls_key the box speaks HTTPS"`
	TLSKey         string   `toml:"tls_key" help:"key file (PEM)"`
	TrustedProxies []string `toml:"trusted_proxies" help:"addresses and networks of reverse proxies that say who calls (X-Forwarded-For)"`
	CORS           []string `toml:"cors" help:"origins of other sites that may call the API"`
	OpenReads      bool     `toml:"open_reads" help:"answer reads without sign-in"`
	MetricsAuth    bool     `toml:"metrics_auth" help:"ask for sign-in at /metrics"`
	SignInTries    int      `toml:"sign_in_tries" help:"failed sign-ins of a name from one address before it has to wait"`
}

// FeedConfig is one receiver.
type FeedConfig struct {
	Name     string    `toml:"name"`
	URL      string    `toml:"url"`
	Position []float64 `toml:"position,omitempty"` // longitude, latitude of the antenna
	Tags     []string  `toml:"tags,omitempty"`
	Time     string    `toml:"time,omitempty"`    // "receiver", "log", or "" for the default of the URL's kind
	SignIn   bool      `toml:"sign_in,omitempty"` // tcp-listen: senders sign in as users
}

// StoreConfig says what is kept and how soon it is safe.
type StoreConfig struct {
	SyncInterval Duration `toml:"sync_interval" help:"how much a power cut may cost; 10s spares flash"`
	Retention    Duration `toml:"retention" help:"how long tracks and history are kept; 0 keeps all"`
	FullRate     bool     `toml:"full_rate" help:"keep every position, without thinning"`
}

// TrafficConfig says when a silent ship counts as lost and when she leaves the live picture.
type TrafficConfig struct {
	LostUnderWay    Duration `toml:"lost_under_way" help:"class A under way: lost after"`
	RemovedUnderWay Duration `toml:"removed_under_way" help:"class A under way: removed after"`
	LostAtRest      Duration `toml:"lost_at_rest" help:"anchored, moored and class B: lost after"`
	RemovedAtRest   Duration `toml:"removed_at_rest" help:"anchored, moored and class B: removed after"`
	LostStation     Duration `toml:"lost_station" help:"aids to navigation and base stations: lost after"`
	RemovedStation  Duration `toml:"removed_station" help:"aids to navigation and base stations: removed after"`
	DuplicateWindow Duration `toml:"duplicate_window" help:"the same message within this time is a duplicate"`
	MaxShips        int      `toml:"max_ships" help:"most ships held in memory"`
}

// DefaultConfig is what an empty file means.
func DefaultConfig() Config {
	return Config{
		DataDir: "data",
		HTTP:    HTTPConfig{Listen: ":8080", TrustedProxies: []string{}, CORS: []string{}, MetricsAuth: true, SignInTries: access.SignInTries},
		Feed:    []FeedConfig{},
		Output:  []OutputConfig{},
		Store:   StoreConfig{SyncInterval: Duration(time.Second), Retention: Duration(365 * 24 * time.Hour)},
		Traffic: TrafficConfig{
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

// Duration is a time.Duration that is also written with days: "365d", "1d12h".
type Duration time.Duration

// mostDays is the most whole days that a time.Duration holds.
const mostDays = int64(math.MaxInt64 / (24 * time.Hour))

// UnmarshalText reads a duration such as "1s", "24h" or "365d"; a negative one is an error.
func (d *Duration) UnmarshalText(text []byte) error {
	s := string(text)
	var days time.Duration
	if head, tail, found := strings.Cut(s, "d"); found {
		n, err := strconv.ParseInt(head, 10, 32)
		if err != nil {
			return fmt.Errorf("duration %q: want a number of days before the d", s)
		}
		if n < 0 || n > mostDays {
			return fmt.Errorf("duration %q: want 0 to %d days", s, mostDays)
		}
		days, s = time.Duration(n)*24*time.Hour, cmp.Or(tail, "0")
	}
	rest, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("duration %q: want a number with a unit, such as \"10s\", \"24h\" or \"365d\"", text)
	}
	if days+rest < 0 {
		return fmt.Errorf("duration %q: must not be negative", text)
	}
	*d = Duration(days + rest)
	return nil
}

// MarshalText writes whole days as days.
func (d Duration) MarshalText() ([]byte, error) {
	const day = Duration(24 * time.Hour)
	if d != 0 && d%day == 0 {
		return fmt.Appendf(nil, "%dd", d/day), nil
	}
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return []byte(s), nil
}

// ConfigError is all that is wrong with a configuration: each line names the place and the rule.
type ConfigError []string

func (e ConfigError) Error() string { return strings.Join(e, "\n") }

// ReadConfig reads defaults, then the file (none when path is ""), then the environment, then the flags that were given.
// All that is wrong with it comes back as one ConfigError.
func ReadConfig(path string, environ []string, flags map[string]string) (Config, error) {
	c := DefaultConfig()
	var wrong ConfigError
	if path != "" {
		text, err := os.ReadFile(path)
		if err != nil {
			return c, ConfigError{fmt.Sprintf("read configuration: %v", err)}
		}
		wrong = append(wrong, decodeTOML(path, text, &c)...)
	}
	wrong = append(wrong, applyEnvironment(&c, environ)...)
	wrong = append(wrong, applyFlags(&c, flags)...)
	if len(wrong) == 0 {
		wrong = append(wrong, c.validate()...)
	}
	if len(wrong) > 0 {
		return c, wrong
	}
	return c, nil
}

// decodeTOML reads text into c and names every unknown key and every wrong type. The decoder stops at the first wrong type,
// so its line is blanked and the text read again until nothing new is found.
func decodeTOML(path string, text []byte, c *Config) []string {
	var wrong []string
	for range 100 {
		fresh := DefaultConfig()
		decoder := toml.NewDecoder(bytes.NewReader(text)).DisallowUnknownFields()
		err := decoder.Decode(&fresh)
		var unknown *toml.StrictMissingError
		var broken *toml.DecodeError
		switch {
		case err == nil:
			*c = fresh
			return wrong
		case errors.As(err, &unknown):
			for i := range unknown.Errors {
				wrong = append(wrong, unknownKey(path, &unknown.Errors[i]))
			}
			return wrong
		case errors.As(err, &broken):
			row, column := broken.Position()
			wrong = append(wrong, fmt.Sprintf("%s:%d:%d: %s", path, row, column, brokenText(broken)))
			if len(broken.Key()) == 0 || !blankLine(text, row) {
				return wrong
			}
		default:
			return append(wrong, fmt.Sprintf("%s: %v", path, err))
		}
	}
	return wrong
}

func brokenText(e *toml.DecodeError) string {
	text := strings.TrimPrefix(e.Error(), "toml: ")
	if key := strings.Join(e.Key(), "."); key != "" {
		return key + ": " + text
	}
	return text
}

// unknownKey words one unknown key with the nearest key that exists.
func unknownKey(path string, e *toml.DecodeError) string {
	row, column := e.Position()
	key := strings.Join(e.Key(), ".")
	line := fmt.Sprintf("%s:%d:%d: unknown key %q", path, row, column, key)
	if near := nearestKey(key); near != "" {
		line += fmt.Sprintf(", did you mean %q?", near)
	}
	return line
}

func blankLine(text []byte, row int) bool {
	lines := bytes.SplitAfter(text, []byte("\n"))
	if row < 1 || row > len(lines) || len(bytes.TrimSpace(lines[row-1])) == 0 {
		return false
	}
	for i := range bytes.TrimRight(lines[row-1], "\r\n") {
		lines[row-1][i] = ' '
	}
	return true
}

// leaf is one key that can be set by flag and environment.
type leaf struct {
	key  string // "http.listen"
	help string
	at   reflect.Value
}

// leaves lists the keys of c that hold one value; feeds and outputs, arrays of tables, are not among them.
func leaves(c *Config) []leaf {
	var list []leaf
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			field := v.Type().Field(i)
			key := prefix + field.Tag.Get("toml")
			switch {
			case field.Type.Kind() == reflect.Struct:
				walk(key+".", v.Field(i))
			case field.Type == reflect.TypeFor[[]FeedConfig](), field.Type == reflect.TypeFor[[]OutputConfig]():
			default:
				list = append(list, leaf{key: key, help: field.Tag.Get("help"), at: v.Field(i)})
			}
		}
	}
	walk("", reflect.ValueOf(c).Elem())
	return list
}

// environmentName is the variable of a key: http.listen is QUAYWATCH_HTTP_LISTEN.
func environmentName(key string) string {
	return "QUAYWATCH_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

func applyEnvironment(c *Config, environ []string) []string {
	set := map[string]string{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok && strings.HasPrefix(name, "QUAYWATCH_") {
			set[name] = value
		}
	}
	var wrong []string
	for _, l := range leaves(c) {
		name := environmentName(l.key)
		value, given := set[name]
		if !given {
			continue
		}
		if err := l.set(value); err != nil {
			wrong = append(wrong, fmt.Sprintf("environment %s: %v", name, err))
		}
	}
	return wrong
}

func applyFlags(c *Config, flags map[string]string) []string {
	var wrong []string
	for _, l := range leaves(c) {
		value, given := flags[l.key]
		if !given {
			continue
		}
		if err := l.set(value); err != nil {
			wrong = append(wrong, fmt.Sprintf("flag --%s: %v", l.key, err))
		}
	}
	return wrong
}

// set reads value as the leaf's type; a list is separated by commas.
func (l leaf) set(value string) error {
	switch at := l.at.Addr().Interface().(type) {
	case *Duration:
		return at.UnmarshalText([]byte(value))
	case *string:
		*at = value
	case *bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q: want true or false", value)
		}
		*at = b
	case *int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%q: want a whole number", value)
		}
		*at = n
	case *[]string:
		*at = []string{}
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*at = append(*at, part)
			}
		}
	default:
		return fmt.Errorf("a value of type %s cannot be set here", l.at.Type())
	}
	return nil
}

// validate tests what types cannot: each line names the key and the rule.
func (c *Config) validate() []string {
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
	return slices.Concat(wrong, c.validateFeeds(), c.validateOutputs(), c.validateEnds(ownAddresses()))
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
		if err := feed.Parse(f.source()); err != nil {
			say("%v", err)
		}
		if f.Position != nil && (len(f.Position) != 2 || !(geo.Point{Lon: f.Position[0], Lat: f.Position[1]}).Valid()) {
			say("position: want [longitude, latitude] in degrees")
		}
		if f.SignIn && !strings.HasPrefix(f.URL, "tcp-listen:") {
			say("sign_in: only who sends to tcp-listen can sign in")
		}
		clocks[f.clock()] = true
	}
	if len(clocks) > 1 {
		wrong = append(wrong, "feed: time = \"log\" (the default of file://) moves the clock of the whole box and is refused beside a live feed")
	}
	return wrong
}

// clock tells which clock rules the feed: a file's own by default, ours for all else.
func (f *FeedConfig) clock() ais.Clock {
	if f.Time == "log" || f.Time == "" && strings.HasPrefix(f.URL, "file:") {
		return ais.LogClock
	}
	return ais.ReceiverClock
}

func (f *FeedConfig) source() feed.Source {
	s := feed.Source{Name: f.Name, URL: f.URL, Clock: f.clock(), Tags: f.Tags}
	if len(f.Position) == 2 {
		s.Position = &geo.Point{Lon: f.Position[0], Lat: f.Position[1]}
	}
	return s
}

// nearestKey gives the key that is most like the unknown one, "" when none is like it.
func nearestKey(key string) string {
	c := DefaultConfig()
	known := []string{"feed.name", "feed.url", "feed.position", "feed.tags", "feed.time", "feed.sign_in", "output.name", "output.url", "output.format", "output.user"}
	for _, l := range leaves(&c) {
		known = append(known, l.key)
	}
	best := slices.MinFunc(known, func(a, b string) int { return cmp.Compare(editDistance(key, a), editDistance(key, b)) })
	if editDistance(key, best) > 1+len(key)/3 {
		return ""
	}
	return best
}

// editDistance counts the single letters to insert, delete or replace on the way from a to b (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above+1, row[j]+1, diagonal+cost)
			diagonal = above
		}
	}
	return row[len(b)]
}
