package command

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"quaywatch/app/config"
)

// flags is a flag set that knows the configuration: --config, and --section.key for every key.
type flags struct {
	*flag.FlagSet
	c      console
	path   string
	given  map[string]string
	places []string // where the configuration may be that no flag names
}

// Where the configuration is looked for: in the working folder, then where docs/operations.md has it installed.
const (
	configHere      = "quaywatch.toml"
	configInstalled = "/etc/quaywatch/quaywatch.toml"
)

// newFlags makes the flag set of a command; withConfig adds the flags of the configuration.
func newFlags(c console, name string, withConfig bool) *flags {
	f := &flags{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), c: c, given: map[string]string{}, places: []string{configHere}}
	if name != "demo" && name != "replay" { // which have a store of their own
		f.places = append(f.places, configInstalled)
	}
	f.SetOutput(io.Discard)
	if !withConfig {
		return f
	}
	f.StringVar(&f.path, "config", "", "configuration `FILE` (default: the first that exists of "+strings.Join(f.places, " and ")+")")
	for _, key := range config.Keys() {
		take := func(value string) error { f.given[key.Name] = value; return nil }
		f.Func(key.Name, key.Help, take)
		if key.Flag != "" {
			f.Func(key.Flag, "the same as --"+key.Name, take)
		}
	}
	return f
}

// parse reads args, of which least to most are no flags, in any order. What follows "--" are no flags. --help prints the command's flags and returns
// flag.ErrHelp.
func (f *flags) parse(args []string, least, most int) error {
	err := f.parseMixed(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.help()
		return err
	case err != nil:
		return f.wrong("%v", err)
	case f.NArg() < least || f.NArg() > most:
		return f.wrong("has %d argument(s); usage: quaywatch %s %s", f.NArg(), f.Name(), f.ownCommand().args)
	}
	return nil
}

// parseMixed reads flags before, between and after names, which Arg returns then.
func (f *flags) parseMixed(args []string) error {
	var names []string
	for len(args) > 0 {
		if err := f.Parse(args); err != nil {
			return err
		}
		rest := f.Args()
		if read := len(args) - len(rest); read > 0 && args[read-1] == "--" {
			names = append(names, rest...)
			break
		}
		if args = nil; len(rest) > 0 {
			names, args = append(names, rest[0]), rest[1:]
		}
	}
	return f.Parse(append([]string{"--"}, names...))
}

// loadConfig reads args as parse does, then the configuration that they name.
func (f *flags) loadConfig(args []string, least, most int) (config.Config, error) {
	if err := f.parse(args, least, most); err != nil {
		return config.Config{}, err
	}
	return f.origin().Read()
}

// wrong is a mistake in the command line of this command.
func (f *flags) wrong(format string, args ...any) error {
	return usageError(fmt.Sprintf("quaywatch %s: ", f.Name()) + fmt.Sprintf(format, args...))
}

// ownCommand is the command that these flags belong to.
func (f *flags) ownCommand() command {
	list := commands()
	return list[slices.IndexFunc(list, func(cmd command) bool { return cmd.name == f.Name() })]
}

func (f *flags) help() {
	cmd := f.ownCommand()
	fmt.Fprintf(f.c.out, "usage: quaywatch %s %s\n\n%s\n\nflags:\n", cmd.name, cmd.args, cmd.help)
	f.SetOutput(f.c.out)
	f.PrintDefaults()
	fmt.Fprintln(f.c.out, "\nexit codes: 0 done, 1 failed, 2 wrong command line or configuration")
}

// origin is where the configuration comes from.
func (f *flags) origin() config.Origin {
	return config.Origin{File: f.file(), Environ: f.c.environ, Flags: f.given}
}

// file is the configuration file that is read: the one of --config, else the first that exists of the usual places; "" for none.
func (f *flags) file() string {
	if f.path != "" {
		return f.path
	}
	for _, path := range f.places {
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	return ""
}
