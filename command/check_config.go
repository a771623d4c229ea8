package command

import (
	"context"
	"fmt"

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
	cfg, err := f.load()
	if err != nil {
		return err
	}
	text, err := toml.Marshal(cfg)
	if err != nil {
		return fmt.Errorf("print configuration: %w", err)
	}
	_, err = fmt.Fprintf(c.out, "# good; with defaults and environment this rules:\n%s", text)
	return err
}
