package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"

	"github.com/pelletier/go-toml/v2"
)

// checkConfigCommand tests a configuration without any side effect and prints what would rule.
func checkConfigCommand(_ context.Context, c console, args []string) error {
	f := newFlags(c, "check-config", true)
	if err := f.parse(args); err != nil {
		return err
	}
	if f.NArg() > 0 {
		return usageError("quaywatch check-config: takes no arguments; name the file with --config")
	}
	config, err := f.load()
	if err != nil {
		return err
	}
	text, err := toml.Marshal(config)
	if err != nil {
		return fmt.Errorf("print configuration: %w", err)
	}
	_, err = fmt.Fprintf(c.out, "# good; with defaults and environment this rules:\n%s", text)
	return err
}

// versionCommand prints what this binary is.
func versionCommand(_ context.Context, c console, args []string) error {
	f := newFlags(c, "version", false)
	asJSON := f.Bool("json", false, "print one JSON object")
	if err := f.parse(args); err != nil {
		return err
	}
	if *asJSON {
		return json.NewEncoder(c.out).Encode(map[string]string{
			"version": version, "commit": commit, "date": date, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH,
		})
	}
	_, err := fmt.Fprintf(c.out, "quaywatch %s (%s, %s) %s %s/%s\n", version, commit, date, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}
