package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"sync"
	"syscall"
	"time"

	"quaywatch/app"
	"quaywatch/app/config"
	"quaywatch/handlers/status"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/coreos/go-systemd/v22/daemon"
)

// newLog writes text for a person at a terminal and JSON for a journal, in bounded lines. What is below level is left out.
func newLog(w io.Writer, level slog.Leveler) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	return slog.New(newBoundedLog(w, func(lines io.Writer) slog.Handler {
		if isTerminal(w) {
			return slog.NewTextHandler(lines, options)
		}
		return slog.NewJSONHandler(lines, options)
	}))
}

// isTerminal reports whether w is a terminal.
func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// quietLog is the log of commands that print all there is to say.
func quietLog() *slog.Logger { return slog.New(slog.DiscardHandler) }

// serveCommand runs the service until a signal stops it.
func serveCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "serve", true)
	cfg, err := f.loadConfig(args, 0, 0)
	if err != nil {
		return err
	}
	return runService(ctx, c, f, cfg)
}

// runService opens and runs the service. What an operator must know first goes to standard output.
func runService(ctx context.Context, c console, f *flags, cfg config.Config) error {
	var level slog.LevelVar
	level.Set(slog.Level(cfg.LogLevel))
	log := newLog(c.err, &level)
	boundMemory(log)
	a, err := newApp(c, f, cfg, log, false)
	if err != nil {
		return err
	}
	for _, line := range slices.Concat(f.origin().Warnings(), cfg.Warnings()) {
		log.Warn(line)
	}
	if len(cfg.Feed) == 0 {
		log.Warn("no feed is configured: add a [[feed]], for a receiver on USB with url = \"serial://auto\"")
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP) // before it is said that the service runs: the signal would end it
	defer signal.Stop(hangup)
	go atHangup(ctx, hangup, func() { reload(log, a, f.origin(), &level) })
	go keepWatchdog(ctx, a)
	go keepHeapSmall(ctx)
	err = runAnnounced(ctx, log, a, c.out, func() {
		announce(c.out, cfg, a)
		announceSecure(c.out, cfg, a.SecurePort())
	})
	notify(log, daemon.SdNotifyStopping)
	return errors.Join(err, a.Close())
}

// runAnnounced runs the service. It announces it once browsers reach it. The first password is stored before that, so w gets it in any case.
func runAnnounced(ctx context.Context, log *slog.Logger, a *app.App, w io.Writer, announce func()) error {
	ctx, cancel := context.WithCancel(ctx)
	var announced bool
	var waiting sync.WaitGroup
	waiting.Go(func() {
		tellReady(ctx, log, a, func() {
			announced = true
			announce()
		})
	})
	err := a.Run(ctx)
	cancel()
	waiting.Wait()
	if !announced {
		announcePassword(w, a.InventedPassword())
	}
	return err
}

// Bounds of keepHeapSmall.
const (
	heapLook  = 10 * time.Second // how often it looks, which takes microseconds
	heapRest  = time.Minute      // the least time between two collections
	heapSpare = 12 << 20         // bytes that are worth a collection, as the 19 MiB of the hash of a password are
	heapShare = 4                // a large heap gives back what is more than this part of it
	heapPace  = 64 << 20         // bytes of the heap for each heapRest between two collections: each takes about 60 ms of processor, a thousandth of a core
)

// keepHeapSmall returns to the system what a moment needed, as the start, a sign-in or an export, until the context ends. The collector by
// itself keeps about twice what is in use.
func keepHeapSmall(ctx context.Context) {
	debug.FreeOSMemory()
	h := heapLevel{low: heapBytes(), collected: time.Now()}
	ticker := time.NewTicker(heapLook)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			if h.isHigh(heapBytes(), now) {
				debug.FreeOSMemory()
				h = heapLevel{low: heapBytes(), collected: now}
			}
		}
	}
}

// heapBytes returns the bytes of the heap that the process holds, in use or free.
func heapBytes() (bytes uint64) {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/memory/classes/heap/unused:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples)
	for _, s := range samples {
		bytes += s.Value.Uint64()
	}
	return bytes
}

// heapLevel is the least that the heap held since the last collection, in bytes, and when that was.
type heapLevel struct {
	low       uint64
	collected time.Time
}

// isHigh reports whether a heap of so many bytes is to be collected now.
func (h *heapLevel) isHigh(bytes uint64, now time.Time) bool {
	h.low = min(h.low, bytes)
	rest := max(heapRest, heapRest*time.Duration(h.low/heapPace))
	return bytes-h.low >= max(heapSpare, h.low/heapShare) && now.Sub(h.collected) >= rest
}

// ofMemory is the part of the memory of a control group, or of the machine, at which the garbage collector works harder. The rest is for the
// kernel's copies of files and for what the runtime does not count.
const ofMemory = 0.8

// boundMemory lets the garbage collector know how much memory there is, unless GOMEMLIMIT says it. By its own rule the heap may double before it collects, also
// where the kernel would end the process for that.
func boundMemory(log *slog.Logger) {
	provider := memlimit.ApplyFallback(memlimit.FromCgroup, memlimit.FromSystem)
	limit, err := memlimit.SetGoMemLimitWithOpts(memlimit.WithRatio(ofMemory), memlimit.WithProvider(provider))
	if err != nil {
		log.Warn("how much memory there is cannot be found; set GOMEMLIMIT", "error", err)
	} else if limit > 0 {
		log.Info("memory is bounded", "bytes", limit)
	}
}

// newApp wires the service of a configuration that a command has read, and perhaps changed. One that is silent sends no notices of watchdogs.
func newApp(c console, f *flags, cfg config.Config, log *slog.Logger, silent bool) (*app.App, error) {
	running, err := f.origin().Running(cfg)
	if err != nil {
		return nil, fmt.Errorf("tell the running configuration: %w", err)
	}
	return app.New(app.Options{
		Config: cfg, Running: running, AdminPassword: c.getenv(config.AdminPassword), Log: log, Built: builtAt(), Silent: silent,
		Version: status.Version{Version: version, Commit: commit, Built: date, Go: runtime.Version()},
	})
}

// announce prints where the client is, once it can be reached. When this start invented the first password, it prints that too, and the link to choose
// another.
func announce(w io.Writer, cfg config.Config, a *app.App) {
	scheme := "http"
	if cfg.HTTPS() == config.HTTPSAlone {
		scheme = "https"
	}
	client := fmt.Sprintf("%s://%s%s/", scheme, visibleAddress(cfg.HTTP.Listen), cfg.HTTP.BasePath)
	fmt.Fprintln(w, "Quaywatch serves on", client)
	if a.InventedPassword() != "" {
		announcePassword(w, a.InventedPassword())
		fmt.Fprintf(w, "Or choose a password of your own, once, within a day:  %s#first=%s\n", client, a.Invitation())
	}
}

// announcePassword prints the first password, if this start invented it.
func announcePassword(w io.Writer, password string) {
	if password != "" {
		fmt.Fprintf(w, "First start: sign in as \"admin\" with the password  %s  (shown only now; change it)\n", password)
	}
}

// announceSecure prints that the client is by HTTPS too, with a certificate that a browser has to be told of. port is 0 where HTTPS did not come up.
func announceSecure(w io.Writer, cfg config.Config, port int) {
	if port != 0 && cfg.HTTPS() == config.HTTPSOwn {
		fmt.Fprintln(w, "By HTTPS too: quaywatch tls show tells where, and what a browser has to trust")
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

// atHangup calls work at each SIGHUP, until ctx ends.
func atHangup(ctx context.Context, hangup <-chan os.Signal, work func()) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangup:
			work()
		}
	}
}

// reload reads the certificate anew, as programs that renew certificates ask for, the fairways, and the level of the log. All other settings need a new
// start. What cannot be read stays as it was.
func reload(log *slog.Logger, a *app.App, origin config.Origin, level *slog.LevelVar) {
	if err := a.Reload(); err != nil {
		log.Error("SIGHUP: what cannot be read stays as it was: the certificate, or the fairways", "error", err)
	} else {
		log.Info("SIGHUP: the certificate and the fairways were read anew; other settings need a new start")
	}
	cfg, err := origin.Read()
	if err != nil {
		log.Error("SIGHUP: the level of the log from before stays", "error", err)
		return
	}
	if was, now := level.Level(), slog.Level(cfg.LogLevel); was != now {
		level.Set(min(was, now)) // so that the line is there in any case
		log.Log(context.Background(), max(was, now), "SIGHUP: the level of the log changes", "from", was, "to", now)
		level.Set(now)
	}
}

// tellReady tells systemd that the service is ready: it listens, the picture runs, and the server has answered. It calls ready before.
func tellReady(ctx context.Context, log *slog.Logger, a *app.App, ready func()) {
	select {
	case <-a.Moving():
		ready()
		notify(log, daemon.SdNotifyReady)
	case <-ctx.Done():
	}
}

// keepWatchdog tells systemd that the service lives while picture, store and server move, if systemd wants it. A part that is stuck ends
// that, and systemd starts the service anew.
func keepWatchdog(ctx context.Context, a *app.App) {
	interval, err := daemon.SdWatchdogEnabled(false)
	if err != nil || interval == 0 {
		return
	}
	ticker := time.NewTicker(interval / 4)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			if len(a.Stuck()) == 0 {
				_, _ = daemon.SdNotify(false, daemon.SdNotifyWatchdog)
			}
		}
	}
}
