// Package config is what an operator can set: the keys and their defaults, and where they are read from. It finds what is wrong with them,
// and gives each part of the program its own.
package config

import (
	"time"

	"quaywatch/engine/safety"
	"quaywatch/engine/tracking"
	"quaywatch/notify/mail"
	"quaywatch/users/access"
	"quaywatch/users/library"
)

// Config is everything that an operator can set. Each key stands in config.example.toml at its default. Its environment variable is QUAYWATCH_SECTION_KEY, and
// its flag --section.key. A new table is a struct here, and a new array of tables a slice of structs. Flags, environment, suggestions and the running
// configuration then know it.
type Config struct {
	DataDir  string         `toml:"data_dir" flag:"data-dir" help:"folder of quaywatch.db and quaywatch.wal"`
	LogLevel LogLevel       `toml:"log_level" help:"least weight of what is logged: debug, info, warn or error"`
	HTTP     HTTP           `toml:"http"`
	Feed     []Feed         `toml:"feed"`
	Output   []OutputConfig `toml:"output"`
	Store    Store          `toml:"store"`
	Backup   Backup         `toml:"backup"`
	Traffic  Traffic        `toml:"traffic"`
	Voyage   VoyageConfig   `toml:"voyage"`
	Port     HomePort       `toml:"port"`
	Track    TrackConfig    `toml:"track"`
	Route    RouteConfig    `toml:"route"`
	Safety   Safety         `toml:"safety"`
	Mail     Mail           `toml:"mail"`
	SMS      SMS            `toml:"sms"`
	Webhook  []Webhook      `toml:"webhook"`
	MQTT     MQTT           `toml:"mqtt"`
}

// HTTP says where and how the API and the web client are served.
type HTTP struct {
	Listen         string   `toml:"listen" flag:"listen" help:"address and port"`
	BasePath       string   `toml:"base_path" help:"prefix of every path, behind a reverse proxy"`
	TLS            string   `toml:"tls" help:"HTTPS beside HTTP: auto, off, on (with tls_cert and tls_key) or acme"`
	ListenTLS      string   `toml:"listen_tls" help:"address and port of HTTPS; without an address it is that of listen"`
	TLSCert        string   `toml:"tls_cert" help:"certificate file (PEM), with tls_key; where tls is auto, listen then speaks HTTPS alone"`
	TLSKey         string   `toml:"tls_key" help:"key file (PEM)"`
	TLSNames       []string `toml:"tls_names" help:"names and addresses of the box for its certificate besides those that it knows; for acme its public names"`
	ACMEDirectory  string   `toml:"acme_directory" help:"address of the ACME authority; empty is Let's Encrypt"`
	PlainSignIn    bool     `toml:"plain_sign_in" help:"take passwords and tokens over plain HTTP from other machines"`
	TrustedProxies []string `toml:"trusted_proxies" help:"addresses and networks of reverse proxies that tell the address of the caller (X-Forwarded-For)"`
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
	Time     string    `toml:"time,omitempty"`     // "receiver", "log", or "" for the default of the URL's kind
	SignIn   bool      `toml:"sign_in,omitempty"`  // tcp-listen: senders sign in as users
	Allow    []string  `toml:"allow,omitempty"`    // udp, tcp-listen: the addresses and networks that may send
	Transmit bool      `toml:"transmit,omitempty"` // serial, tcp: a transponder is there, and safety messages are written to it
}

// OutputConfig is one outgoing stream.
type OutputConfig struct {
	Name   string   `toml:"name"`
	URL    string   `toml:"url"`
	Format string   `toml:"format,omitempty"` // instead of the user's output_format
	User   string   `toml:"user,omitempty"`   // the user that it acts as, where no subscriber signs in
	Allow  []string `toml:"allow,omitempty"`  // tcp-listen: the addresses and networks that may subscribe
}

// Store says what is kept and how soon it is safe.
type Store struct {
	SyncInterval Duration `toml:"sync_interval" help:"how much a power cut may cost; 10s spares flash"`
	Retention    Duration `toml:"retention" help:"how long tracks and history are kept; 0 keeps all"`
	FullRate     bool     `toml:"full_rate" help:"keep every position, without thinning"`
	OwnerQuota   int      `toml:"owner_quota" help:"bytes of shapes, ship lists and filters that one user may make"`
}

// Backup says how often the running service writes a backup, and where to.
type Backup struct {
	Every Duration `toml:"every" help:"time between two backups; 0 writes none"`
	Keep  int      `toml:"keep" help:"backups that stay; older ones go when a new one is whole"`
	To    string   `toml:"to" help:"folder of the backups, on another disk; empty writes none"`
}

// Traffic says when a silent ship counts as lost and when it leaves the live picture.
type Traffic struct {
	LostUnderWay    Duration `toml:"lost_under_way" help:"class A under way: lost after"`
	RemovedUnderWay Duration `toml:"removed_under_way" help:"class A under way: removed after"`
	LostAtRest      Duration `toml:"lost_at_rest" help:"anchored, moored and class B: lost after"`
	RemovedAtRest   Duration `toml:"removed_at_rest" help:"anchored, moored and class B: removed after"`
	LostStation     Duration `toml:"lost_station" help:"aids to navigation and base stations: lost after"`
	RemovedStation  Duration `toml:"removed_station" help:"aids to navigation and base stations: removed after"`
	DuplicateWindow Duration `toml:"duplicate_window" help:"the same message within this time is a duplicate"`
	MaxShips        int      `toml:"max_ships" help:"most ships held in memory; one for 2,800 bytes of it where that is less"`
}

// VoyageConfig says what is kept of calls at ports.
type VoyageConfig struct {
	Retention Duration `toml:"retention" help:"how long calls at ports are kept; 0 keeps all"`
}

// HomePort says which port the box is at.
type HomePort struct {
	Home string `toml:"home" help:"port of the box: LOCODE, name or id; empty: the client offers the one with most ships"`
}

// TrackConfig says what is told and kept of tracked ships.
type TrackConfig struct {
	Keep         Duration `toml:"keep" help:"how long a track that is over can be read"`
	IncludeRoute bool     `toml:"include_route" help:"whether tracks tell the way ahead"`
}

// RouteConfig says what sea routes may take.
type RouteConfig struct {
	Closed   []string `toml:"closed" help:"names of canals and straits that no route takes"`
	Fairways string   `toml:"fairways" help:"GeoJSON file of the fairways of the port, read anew at SIGHUP; empty for none"`
}

// Safety says how many safety messages go on air.
type Safety struct {
	ShipPerHour      int `toml:"ship_per_hour" help:"most safety messages to one ship in an hour"`
	BroadcastPerHour int `toml:"broadcast_per_hour" help:"most safety messages to all ships in an hour"`
	PerMinute        int `toml:"per_minute" help:"most safety messages in a minute; watchdogs have two thirds of them"`
}

// Default is what an empty file means.
func Default() Config {
	limits := safety.DefaultLimits()
	return Config{
		DataDir: "data",
		HTTP: HTTP{
			Listen: ":8080", TLS: "auto", ListenTLS: ":8443", TLSNames: []string{}, PlainSignIn: true,
			TrustedProxies: []string{}, CORS: []string{}, MetricsAuth: true, SignInTries: access.SignInTries,
		},
		Feed:   []Feed{},
		Output: []OutputConfig{},
		Store:  Store{SyncInterval: Duration(time.Second), Retention: Duration(365 * 24 * time.Hour), OwnerQuota: library.DefaultQuota},
		Backup: Backup{Every: Duration(24 * time.Hour), Keep: 7},
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
		Track:   TrackConfig{Keep: Duration(tracking.DefaultKeep), IncludeRoute: true},
		Route:   RouteConfig{Closed: []string{"Northeast Passage", "Northwest Passage", "Antarctic"}},
		Safety:  Safety{ShipPerHour: limits.Ship, BroadcastPerHour: limits.Broadcast, PerMinute: limits.All},
		Mail:    Mail{TLS: mail.STARTTLS, PerHour: 200},
		SMS:     SMS{PerHour: 60},
		Webhook: []Webhook{},
		MQTT:    MQTT{ClientID: "quaywatch", Prefix: "quaywatch", QoS: 1},
	}
}
