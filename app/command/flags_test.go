package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestWhereTheConfigurationIs: the working folder before the place where it is installed; a flag before both.
func TestWhereTheConfigurationIs(t *testing.T) {
	dir := t.TempDir()
	here, installed := filepath.Join(dir, "here.toml"), filepath.Join(dir, "installed.toml")
	f := newFlags(console{}, "user", true)
	if len(f.places) != 2 || f.places[1] != "/etc/quaywatch/quaywatch.toml" {
		t.Errorf("the places are %v", f.places)
	}
	if demo := newFlags(console{}, "demo", true); len(demo.places) != 1 {
		t.Errorf("the places of a demo are %v", demo.places)
	}
	f.places = []string{here, installed}
	for _, step := range []struct{ make, want string }{{"", ""}, {installed, installed}, {here, here}} {
		if step.make != "" {
			if err := os.WriteFile(step.make, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if got := f.file(); got != step.want {
			t.Errorf("after %q: %q, want %q", step.make, got, step.want)
		}
	}
	if err := f.parse([]string{"--config", "other.toml"}, 0, 0); err != nil || f.file() != "other.toml" {
		t.Errorf("%q, %v", f.file(), err)
	}
}

// TestFlagsStandAnywhere: flags may follow names, as the manual writes them, and what follows "--" is a name.
func TestFlagsStandAnywhere(t *testing.T) {
	for line, want := range map[string]string{
		"a.nmea b.nmea --data-dir d": "a.nmea b.nmea d", "--data-dir d a.nmea": "a.nmea d", "a.nmea --data-dir=d b.nmea": "a.nmea b.nmea d",
		"--data-dir d -- --odd x": "--odd x d", "a -- -b": "a -b ", "": "",
	} {
		f := newFlags(console{}, "import", true)
		if err := f.parse(strings.Fields(line), 0, 9); err != nil {
			t.Errorf("%q: %v", line, err)
			continue
		}
		if got := strings.TrimSpace(strings.Join(append(f.Args(), f.given["data_dir"]), " ")); got != strings.TrimSpace(want) {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
	f := newFlags(console{}, "import", true)
	if err := f.parse([]string{"a", "--nothing"}, 0, 9); err == nil || !strings.Contains(err.Error(), "--nothing") && !strings.Contains(err.Error(), "-nothing") {
		t.Errorf("an unknown flag after a name: %v", err)
	}
}

// TestASimulationOfLessThanNothing is refused, before anything is made.
func TestASimulationOfLessThanNothing(t *testing.T) {
	for _, args := range []string{"--ships -5", "--speed -1", "--speed NaN", "--rate -1", "--rate NaN", "--duration -1s", "--rate 10 --ships -5"} {
		c := console{out: io.Discard, err: io.Discard}
		err := simulateCommand(t.Context(), c, append(strings.Fields(args), "--to", "-"))
		var usage usageError
		if !errors.As(err, &usage) || !strings.Contains(err.Error(), "must not be negative") {
			t.Errorf("%s: %v", args, err)
		}
	}
}
