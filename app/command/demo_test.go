package command

import (
	"os"
	"path/filepath"
	"testing"
)

// TestADemoListensWhereItIsTold: a flag before the environment, that before the file, and on this box alone where nothing says it.
func TestADemoListensWhereItIsTold(t *testing.T) {
	dir := t.TempDir()
	told, silent := filepath.Join(dir, "told.toml"), filepath.Join(dir, "silent.toml")
	for path, text := range map[string]string{told: "[http]\nlisten = \"127.0.0.1:8099\"\n", silent: ""} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, row := range []struct {
		args, environ []string
		want          string
	}{
		{[]string{"--config", told}, nil, "127.0.0.1:8099"},
		{[]string{"--config", silent}, nil, "127.0.0.1:8080"},
		{[]string{"--config", told}, []string{"QUAYWATCH_HTTP_LISTEN=127.0.0.1:8098"}, "127.0.0.1:8098"},
		{[]string{"--config", told, "--http.listen", "127.0.0.1:8097"}, []string{"QUAYWATCH_HTTP_LISTEN=127.0.0.1:8098"}, "127.0.0.1:8097"},
	} {
		f := newFlags(console{environ: row.environ}, "demo", true)
		if err := f.parse(row.args, 0, 0); err != nil {
			t.Fatal(err)
		}
		if cfg, err := demoConfig(f, 1); err != nil || cfg.HTTP.Listen != row.want {
			t.Errorf("%v %v: %s, %v", row.args, row.environ, cfg.HTTP.Listen, err)
		}
	}
}
