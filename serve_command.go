package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/coreos/go-systemd/v22/daemon"
)

// newLog writes text for a person at a terminal and JSON for a journal.
func newLog(w io.Writer) *slog.Logger {
	if isTerminal(w) {
		return slog.New(slog.NewTextHandler(w, nil))
	}
	return slog.New(slog.NewJSONHandler(w, nil))
}

// isTerminal tells whether a person reads w as it is written.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// quietLog is for commands whose own words are enough.
func quietLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// serveCommand runs the service until it is told to stop.
func serveCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "serve", true)
	if err := f.parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return usageError(fmt.Sprintf("quaywatch serve: unexpected argument %q", f.Arg(0)))
	}
	config, err := f.load()
	if err != nil {
		return err
	}
	return serve(ctx, c, f, config)
}

// serve opens and runs the app; what an operator must know first goes to standard output.
func serve(ctx context.Context, c console, f *flags, config Config) error {
	log := newLog(c.err)
	a, err := newApp(config, f, log, c.getenv("QUAYWATCH_ADMIN_PASSWORD"))
	if err != nil {
		return err
	}
	if len(config.Feed) == 0 {
		log.Warn("no feed is configured: add a [[feed]], for a receiver on USB with url = \"serial://auto\"")
	}
	announce(c.out, config, a.secret)
	notify(log, daemon.SdNotifyReady)
	go keepWatchdog(ctx)
	err = a.Run(ctx)
	notify(log, daemon.SdNotifyStopping)
	return errors.Join(err, a.Close())
}

// announce prints where the client is, and the first password when it was made just now.
func announce(w io.Writer, config Config, secret string) {
	scheme := "http"
	if config.HTTP.TLSCert != "" {
		scheme = "https"
	}
	fmt.Fprintf(w, "Quaywatch serves on %s://%s%s/\n", scheme, visibleAddress(config.HTTP.Listen), config.HTTP.BasePath)
	if secret != "" {
		fmt.Fprintf(w, "First start: sign in as \"admin\" with the password  %s  (shown only now; change it)\n", secret)
	}
}

// visibleAddress turns ":8080" into what a browser on this box understands.
func visibleAddress(listen string) string {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return listen
	}
	if host == "" || host == "0.0.0.0" || host == "::" {
		host = "localhost"
	}
	return net.JoinHostPort(host, port)
}

func notify(log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.Warn("systemd was not told", "state", state, "error", err)
	}
}

// keepWatchdog tells systemd at half its interval that the process lives, if systemd asked for it.
func keepWatchdog(ctx context.Context) {
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil || interval == 0 {
		return
	}
	ticker := time.NewTicker(interval / 2)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_, _ = daemon.SdNotify(false, daemon.SdNotifyWatchdog)
		}
	}
}

// replayCommand serves a recorded log by its own clock, in a store of its own that is gone afterwards unless --data-dir
// names one: a recording must not mix with what the box heard itself.
func replayCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "replay", true)
	speed := f.String("speed", "1", "how many times faster than recorded; 0 is as fast as it goes")
	if err := f.parse(args); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return usageError("quaywatch replay: name one FILE")
	}
	config, err := f.load()
	if err != nil {
		return err
	}
	if _, err := os.Stat(f.Arg(0)); err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	path, err := filepath.Abs(f.Arg(0))
	if err != nil {
		return fmt.Errorf("replay: %w", err)
	}
	file := url.URL{Scheme: "file", Path: path, RawQuery: "speed=" + *speed}
	config.Feed = []FeedConfig{{Name: "replay", URL: file.String()}}
	config.Output = []OutputConfig{} // who listens there would take the past for now
	if wrong := config.validate(); len(wrong) > 0 {
		return ConfigError(wrong)
	}
	remove, err := ownFolder(&config, f)
	if err != nil {
		return err
	}
	defer remove()
	return serve(ctx, c, f, config)
}

// ownFolder gives the command a temporary data folder when none was asked for by flag; the result removes it.
func ownFolder(config *Config, f *flags) (remove func(), err error) {
	if f.given["data_dir"] != "" {
		return func() {}, nil
	}
	folder, err := os.MkdirTemp("", "quaywatch-*")
	if err != nil {
		return nil, err
	}
	config.DataDir = folder
	return func() { os.RemoveAll(folder) }, nil
}
