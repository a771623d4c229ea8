package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"quaywatch/ais/sim"
	"quaywatch/geo"
	"quaywatch/geo/chart"
)

// harbourFlags are the flags that demo and simulate share.
type harbourFlags struct {
	at    *string
	seed  *int64
	ships *int
	speed *float64
}

func newHarbourFlags(f *flags) harbourFlags {
	return harbourFlags{
		at:    f.String("at", "", "`LON,LAT` of the harbour (default: Copenhagen)"),
		seed:  f.Int64("seed", 1, "the same seed gives the same day"),
		ships: f.Int("ships", 0, "how many ships (default: 180)"),
		speed: f.Float64("speed", 1, "how many times faster than real; 0 is as fast as it goes"),
	}
}

// harbour builds the simulated harbour that the flags ask for, beginning at start.
func (h harbourFlags) harbour(name string, start time.Time, clock sim.Clock) (*sim.Harbour, error) {
	at := sim.DefaultAt
	if *h.at != "" {
		lon, lat, found := strings.Cut(*h.at, ",")
		x, errX := strconv.ParseFloat(strings.TrimSpace(lon), 64)
		y, errY := strconv.ParseFloat(strings.TrimSpace(lat), 64)
		if at = (geo.Point{Lon: x, Lat: y}); !found || errX != nil || errY != nil || !at.Valid() {
			return nil, usageError(fmt.Sprintf("quaywatch %s: --at %q: want LON,LAT in degrees, such as 10.235,56.152", name, *h.at))
		}
	}
	if *h.speed < 0 {
		return nil, usageError(fmt.Sprintf("quaywatch %s: --speed must not be negative", name))
	}
	land, err := chart.Load()
	if err != nil {
		return nil, err
	}
	return sim.New(sim.Options{At: at, Seed: *h.seed, Ships: *h.ships, Start: start, Clock: clock, Land: land.Land, Crosses: land.LegCrossesLand})
}

// simulateCommand speaks simulated ships to another program.
func simulateCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "simulate", false)
	shared := newHarbourFlags(f)
	to := f.String("to", "", "udp://host:port, tcp-listen://host:port, a file, or - for standard output")
	rate := f.Float64("rate", 0, "sentences a second: makes a load of ships at sea instead of a harbour")
	duration := f.Duration("duration", 0, "simulated time to run for (default: until stopped)")
	from := f.String("start", "", "simulated begin, as 2026-03-01T12:00:00Z (default: now)")
	truth := f.String("truth", "", "write what the ships really did to this file, a line of JSON each")
	clock := f.String("clock", "tag", "how the log tells the time: tag, base (messages 4 alone) or rmc")
	if err := f.parse(args, 0, 0); err != nil {
		return err
	}
	stamps := slices.Index(sim.Clocks[:], *clock)
	if stamps < 0 {
		return f.wrong("--clock %q: want one of %s", *clock, strings.Join(sim.Clocks[:], ", "))
	}
	if *to == "" {
		return f.wrong("say with --to where the sentences go")
	}
	start := time.Now()
	if *from != "" {
		var err error
		if start, err = time.Parse(time.RFC3339, *from); err != nil {
			return f.wrong("--start %q: want a time as 2026-03-01T12:00:00Z", *from)
		}
	}
	if *rate > 0 {
		load, err := sim.NewLoad(sim.LoadOptions{Ships: cmp.Or(*shared.ships, 1000), Rate: *rate, Seed: *shared.seed, Start: start})
		if err != nil {
			return f.wrong("%v", err)
		}
		return speakTo(*to, c, func(write func([]byte) error) error { return load.Run(ctx, *shared.speed, *duration, write) })
	}
	harbour, err := shared.harbour("simulate", start, sim.Clock(stamps))
	if err != nil {
		return err
	}
	return speakTo(*to, c, func(write func([]byte) error) error {
		return speakHarbour(ctx, harbour, *shared.speed, *duration, write, *truth)
	})
}

// speakTo opens where the sentences go, once all else is known to be right, and closes it after speak.
func speakTo(to string, c console, speak func(write func([]byte) error) error) error {
	sink, err := openSink(to, c.out)
	if err != nil {
		return err
	}
	err = speak(func(sentences []byte) error { _, err := sink.Write(sentences); return err })
	return errors.Join(err, sink.Close())
}

// speakHarbour sails a harbour for a simulated duration, without an end when that is 0.
func speakHarbour(ctx context.Context, harbour *sim.Harbour, speed float64, duration time.Duration, write func([]byte) error, truthPath string) error {
	var truth io.Writer
	if truthPath != "" {
		file, err := os.Create(truthPath)
		if err != nil {
			return err
		}
		defer file.Close()
		truth = file
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	start := harbour.Now()
	bounded := func(sentences []byte) error {
		if duration > 0 && harbour.Now().Sub(start) >= duration {
			cancel()
			return nil
		}
		return write(sentences)
	}
	return harbour.Run(ctx, speed, bounded, truth)
}
