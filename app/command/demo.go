package command

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/app"
	"quaywatch/app/config"
	"quaywatch/app/control"
	"quaywatch/store/records"
	"quaywatch/users/registry/portfile"
)

// pastOfDemo is how long the ships of the demo have sailed at the start, so that they have tracks.
const pastOfDemo = 2 * time.Hour

// demoCommand serves a simulated harbour: the ships speak sentences to a feed of the service itself.
func demoCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "demo", true)
	shared := newHarbourFlags(f)
	if err := f.parse(args, 0, 0); err != nil {
		return err
	}
	cfg, err := demoConfig(f, *shared.speed)
	if err != nil {
		return err
	}
	harbour, err := shared.harbour("demo", time.Now().Add(-pastOfDemo), sim.TagClock)
	if err != nil {
		return err
	}
	remove, err := ownFolder(&cfg, f)
	if err != nil {
		return err
	}
	defer remove()
	there, err := records.Exists(cfg.DataDir)
	if err != nil {
		return err
	}
	log := newLog(c.err, slog.Level(cfg.LogLevel))
	a, err := newApp(c, f, cfg, log, true)
	if err != nil {
		return err
	}
	if !there {
		if err := drawPorts(a, harbour, log); err != nil {
			return errors.Join(err, a.Close())
		}
	}
	sailPast(ctx, cfg, harbour, a.Past(), log)
	ships := harbour.Ships()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	spoken := make(chan error, 1)
	go func() {
		err := speakToFeed(ctx, harbour, *shared.speed, cfg.Feed[0].URL)
		cancel()
		spoken <- err
	}()
	err = runAnnounced(ctx, log, a, c.out, func() {
		announce(c.out, cfg, a)
		fmt.Fprintf(c.out, "The harbours are simulated, and so is every ship (%d now).\n", ships)
	})
	cancel()
	return errors.Join(err, <-spoken, a.Close())
}

// demoConfig is the configuration with one feed, to which the simulation speaks. The demo listens on this box alone unless a file, the
// environment or a flag says otherwise.
func demoConfig(f *flags, speed float64) (config.Config, error) {
	said, err := f.origin().Says("http.listen")
	if err != nil {
		return config.Config{}, err
	}
	if !said {
		f.given["http.listen"] = "127.0.0.1:8080"
	}
	cfg, err := f.origin().Read()
	if err != nil {
		return cfg, err
	}
	listener, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return cfg, err
	}
	address := listener.LocalAddr().String()
	if err := listener.Close(); err != nil {
		return cfg, err
	}
	cfg.Feed = []config.Feed{{Name: "simulated harbour", URL: "udp://" + address, Time: "receiver"}}
	cfg.Output = []config.OutputConfig{} // a program that listens there would take these ships for real ones
	withoutOwnCA(&cfg)
	if speed != 1 {
		cfg.Feed[0].Time = "log" // the time of the ships runs faster than the clock
	}
	return cfg, nil
}

// drawPorts returns a new store the borders and berths of the simulated ports. In a store that was there before, they are a user's.
func drawPorts(a *app.App, harbour *sim.Harbour, log *slog.Logger) error {
	var text bytes.Buffer
	if err := harbour.WritePorts(&text); err != nil {
		return err
	}
	files := control.PortFiles{Files: []portfile.NamedFile{{Name: "simulated ports", Text: text.String()}}}
	report, err := files.Run(a.Ports, a.Users)
	if err != nil {
		return fmt.Errorf("draw the simulated ports: %w", err)
	}
	for _, taken := range report {
		for _, refused := range taken.Refused {
			log.Warn("a simulated port was not drawn", "reason", refused)
		}
	}
	return nil
}

// sailPast sails the harbour up to now and gives its reports to take, so that the picture and the tracks have a past.
func sailPast(ctx context.Context, cfg config.Config, harbour *sim.Harbour, take func(*ais.Batch), log *slog.Logger) {
	decoder := ais.NewDecoder(ais.DecoderConfig{Feed: cfg.Feed[0].Name, Clock: cfg.Feed[0].Clock()})
	batch := ais.NewPool(1).Get()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	write := func(sentences []byte) error {
		for line := range ais.SplitLines(sentences) {
			decoder.Line(batch, line, harbour.Now())
		}
		if len(batch.Reports) >= 256 {
			take(batch)
			batch.Reset()
		}
		if !harbour.Now().Before(time.Now()) {
			cancel()
		}
		return nil
	}
	if err := harbour.Run(ctx, 0, write, nil); err != nil {
		log.Warn("the harbour has no past", "error", err)
	}
	take(batch)
}

// speakToFeed sends the sentences as datagrams to the feed.
func speakToFeed(ctx context.Context, harbour *sim.Harbour, speed float64, feedURL string) error {
	sink, err := openSink(feedURL, io.Discard)
	if err != nil {
		return err
	}
	write := func(sentences []byte) error { _, err := sink.Write(sentences); return err }
	return errors.Join(harbour.Run(ctx, speed, write, nil), sink.Close())
}
