package command

import (
	"context"
	"fmt"
	"slices"

	"github.com/pelletier/go-toml/v2"

	"quaywatch/app"
)

// checkConfigCommand tests a configuration without any side effect and prints what would rule, without its secrets.
func checkConfigCommand(_ context.Context, c console, args []string) error {
	f := newFlags(c, "check-config", true)
	cfg, err := f.loadConfig(args, 0, 0)
	if err != nil {
		return err
	}
	if _, err := app.ReadFairways(cfg.Route.Fairways); err != nil {
		return err
	}
	if _, err := cfg.CertFiles(); err != nil {
		return err
	}
	text, err := toml.Marshal(cfg.Masked())
	if err != nil {
		return fmt.Errorf("print configuration: %w", err)
	}
	warnings := ""
	for _, line := range slices.Concat(f.origin().Warnings(), cfg.Warnings()) {
		warnings += "# warning: " + line + "\n"
	}
	_, err = fmt.Fprintf(c.out, "# good; with defaults and environment this rules:\n%s%s", warnings, text)
	return err
}
