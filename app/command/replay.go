package command

import (
	"context"
	"fmt"
	"net/url"
	"os"
	"path/filepath"

	"quaywatch/app/config"
)

// replayCommand serves a recorded log by its own clock. Its store is removed afterwards, unless --data-dir names one: a recording must not mix
// with what the box heard itself.
func replayCommand(ctx context.Context, c console, args []string) error {
	f := newFlags(c, "replay", true)
	speed := f.String("speed", "1", "how many times faster than recorded; 0 is as fast as it goes")
	cfg, err := f.loadConfig(args, 1, 1)
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
	cfg.Feed = []config.Feed{{Name: "replay", URL: file.String()}}
	cfg.Output = []config.OutputConfig{} // a program that listens there would take the past for now
	withoutOwnCA(&cfg)
	if err := cfg.Check(); err != nil {
		return err
	}
	remove, err := ownFolder(&cfg, f)
	if err != nil {
		return err
	}
	defer remove()
	return runService(ctx, c, f, cfg)
}

// withoutOwnCA leaves a command with a store of its own on plain HTTP, unless the operator has certificates. Nobody should trust an authority that is thrown
// away with the store.
func withoutOwnCA(cfg *config.Config) {
	if cfg.HTTP.TLS == "auto" && cfg.HTTP.TLSCert == "" {
		cfg.HTTP.TLS = "off"
	}
}

// ownFolder makes a temporary data folder for the command, unless a flag names one. remove removes it.
func ownFolder(cfg *config.Config, f *flags) (remove func(), err error) {
	if f.given["data_dir"] != "" {
		return func() {}, nil
	}
	folder, err := os.MkdirTemp("", "quaywatch-*")
	if err != nil {
		return nil, err
	}
	cfg.DataDir = folder
	return func() { os.RemoveAll(folder) }, nil
}
