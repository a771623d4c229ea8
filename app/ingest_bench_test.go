package app

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/sim"
	"quaywatch/app/config"
)

// BenchmarkIngest reads 600,000 sentences of ships at sea from a file, each ship every ten seconds, with all parts of the program at work. With -cpuprofile it
// tells where the time of a sentence goes: docs/figures draws that.
func BenchmarkIngest(b *testing.B) {
	const sentences = 600_000
	for _, ships := range []int{1_000, 100_000} {
		b.Run(fmt.Sprintf("ships=%d", ships), func(b *testing.B) {
			file := writeLoad(b, ships, sentences)
			for b.Loop() {
				readLoad(b, file, sentences)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/sentences, "ns/sentence")
		})
	}
}

// readLoad starts a program with an empty store, and ends it when it has read so many sentences.
func readLoad(b *testing.B, file string, sentences uint64) {
	b.Helper()
	b.StopTimer()
	c := config.Default()
	c.DataDir, c.HTTP.Listen, c.HTTP.TLS = b.TempDir(), "127.0.0.1:0", "off"
	c.Feed = []config.Feed{{Name: "file", URL: "file://" + file + "?speed=0"}}
	a, err := New(Options{Config: c, AdminPassword: testPassword, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		b.Fatal(err)
	}
	b.StartTimer()
	ctx, stop := context.WithCancel(b.Context())
	ended := make(chan error, 1)
	go func() { ended <- a.Run(ctx) }()
	often := time.NewTicker(10 * time.Millisecond)
	defer often.Stop()
	for began := time.Now(); a.feeds.Status()[0].Sentences < sentences; <-often.C {
		if time.Since(began) > 2*time.Minute {
			b.Fatalf("%d sentences were read of %d", a.feeds.Status()[0].Sentences, sentences)
		}
	}
	b.StopTimer()
	stop()
	if err := errors.Join(<-ended, a.Close()); err != nil {
		b.Fatal(err)
	}
	b.StartTimer()
}

// writeLoad writes sentences of ships at sea with their times, and returns the file.
func writeLoad(b *testing.B, ships, sentences int) string {
	b.Helper()
	load, err := sim.NewLoad(sim.LoadOptions{Ships: ships, Rate: float64(ships) / 10, Seed: 1, Start: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		b.Fatal(err)
	}
	name := filepath.Join(b.TempDir(), "load.nmea")
	file, err := os.Create(name)
	if err != nil {
		b.Fatal(err)
	}
	out := bufio.NewWriterSize(file, 1<<20)
	var lines []byte
	for written := 0; written < sentences; {
		tag := ais.AppendTag(nil, "", load.Now().Unix())
		if lines, err = load.Next(lines[:0]); err != nil {
			b.Fatal(err)
		}
		for line := range bytes.Lines(lines) {
			fmt.Fprintf(out, "%s%s", tag, line)
			written++
		}
	}
	if err := errors.Join(out.Flush(), file.Close()); err != nil {
		b.Fatal(err)
	}
	return name
}
