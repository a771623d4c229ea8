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
	at     *string
	second *string
	seed   *int64
	ships  *int
	speed  *float64
}

func newHarbourFlags(f *flags) harbourFlags {
	return harbourFlags{
		at:     f.String("at", "", "`LON,LAT` of the harbour (default: Copenhagen)"),
		second: f.String("second", "", "`LON,LAT` of a second harbour, or none (default: Aarhus beside Copenhagen, none beside another place)"),
		seed:   f.Int64("seed", 1, "the same seed gives the same day"),
		ships:  f.Int("ships", 0, "how many ships (default: 180)"),
		speed:  f.Float64("speed", 1, "how many times faster than real; 0 is as fast as it goes"),
	}
}

// places returns the middles of the harbours that the flags ask for; second is nil for none.
func (h harbourFlags) places(name string) (at geo.Point, second *geo.Point, err error) {
	at = sim.DefaultAt
	if *h.at != "" {
		if at, err = placeOf(name, "at", *h.at); err != nil {
			return at, nil, err
		}
	}
	switch {
	case *h.second == "none", *h.second == "" && at != sim.DefaultAt:
		return at, nil, nil
	case *h.second == "":
		return at, &sim.DefaultSecond, nil
	}
	there, err := placeOf(name, "second", *h.second)
	return at, &there, err
}

// placeOf reads a flag that is a place.
func placeOf(name, key, value string) (geo.Point, error) {
	lon, lat, found := strings.Cut(value, ",")
	x, errX := strconv.ParseFloat(strings.TrimSpace(lon), 64)
	y, errY := strconv.ParseFloat(strings.TrimSpace(lat), 64)
	at := geo.Point{Lon: x, Lat: y}
	if !found || errX != nil || errY != nil || !at.Valid() {
		return at, usageError(fmt.Sprintf("quaywatch %s: --%s %q: want LON,LAT in degrees, such as 10.235,56.152", name, key, value))
	}
	return at, nil
}

// check refuses numbers that are negative.
func (h harbourFlags) check(name string) error {
	switch {
	case !(*h.speed >= 0):
		return usageError(fmt.Sprintf("quaywatch %s: --speed must not be negative", name))
	case *h.ships < 0:
		return usageError(fmt.Sprintf("quaywatch %s: --ships must not be negative", name))
	}
	return nil
}

// harbour builds the simulated harbour that the flags ask for, beginning at start.
func (h harbourFlags) harbour(name string, start time.Time, clock sim.LogClock) (*sim.Harbour, error) {
	at, second, err := h.places(name)
	if err != nil {
		return nil, err
	}
	if err := h.check(name); err != nil {
		return nil, err
	}
	land, err := chart.Load()
	if err != nil {
		return nil, err
	}
	return sim.New(sim.Options{At: at, Second: second, Seed: *h.seed, Ships: *h.ships, Start: start, Clock: clock, Land: land.Land,
		Crosses: land.LegCrossesLand})
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
	ports := f.String("ports", "", "write the ports of the harbours to this file, as GeoJSON for import-ports")
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
	if err := shared.check("simulate"); err != nil {
		return err
	}
	if *duration < 0 || !(*rate >= 0) {
		return f.wrong("--duration and --rate must not be negative")
	}
	start := time.Now()
	if *from != "" {
		var err error
		if start, err = time.Parse(time.RFC3339, *from); err != nil {
			return f.wrong("--start %q: want a time as 2026-03-01T12:00:00Z", *from)
		}
	}
	if *rate > 0 {
		if *truth != "" || *ports != "" {
			return f.wrong("--rate makes ships at sea: they have no --truth and no --ports")
		}
		load, err := sim.NewLoad(sim.LoadOptions{Ships: cmp.Or(*shared.ships, 1000), Rate: *rate, Seed: *shared.seed, Start: start})
		if err != nil {
			return f.wrong("%v", err)
		}
		return speakTo(*to, c, func(write func([]byte) error) error { return load.Run(ctx, *shared.speed, *duration, write) })
	}
	harbour, err := shared.harbour("simulate", start, sim.LogClock(stamps))
	if err != nil {
		return err
	}
	if *ports != "" {
		if err := writePorts(*ports, harbour); err != nil {
			return err
		}
	}
	return speakTo(*to, c, func(write func([]byte) error) error {
		return speakHarbour(ctx, harbour, *shared.speed, *duration, write, *truth)
	})
}

// writePorts writes the ports of a harbour to a file.
func writePorts(path string, harbour *sim.Harbour) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(harbour.WritePorts(file), file.Close())
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
