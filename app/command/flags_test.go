package command

import (
	"os"
	"path/filepath"
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
