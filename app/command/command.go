// Package command is the command line: a verb a file.
package command

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"quaywatch/app/config"
)

// Exit codes of every command.
const (
	exitOK    = 0
	exitFail  = 1 // it was tried and failed; the reason is on standard error
	exitUsage = 2 // the command line or the configuration is wrong; nothing was tried
	exitLoss  = 3 // it was done, of what is whole: something is damaged and was left out, which the output names
)

// Main runs the command that the arguments name until it ends or a signal stops it, and ends the process with its exit code.
func Main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	io := console{in: os.Stdin, out: os.Stdout, err: os.Stderr, environ: os.Environ()}
	os.Exit(run(ctx, io, os.Args[1:]))
}

// console is what a command reads from and writes to.
type console struct {
	in       io.Reader
	out, err io.Writer
	environ  []string
}

// getenv returns the variable's value, "" when it is not set.
func (c console) getenv(name string) string {
	for _, pair := range c.environ {
		if value, ok := strings.CutPrefix(pair, name+"="); ok {
			return value
		}
	}
	return ""
}

// command is one verb of the command line.
type command struct {
	name, args, help string
	run              func(ctx context.Context, c console, args []string) error
}

// commands lists every verb, in the order that help prints them.
func commands() []command {
	return []command{
		{"serve", "[--config FILE] [--section.key VALUE …]", "receive, keep and serve the traffic", serveCommand},
		{"demo", "[--at LON,LAT] [--second LON,LAT] [--speed N] [--seed N] [--ships N]", "serve a simulated harbour", demoCommand},
		{"simulate", "--to udp://…|tcp-listen://…|PATH|- [--ships N] [--rate N]", "speak simulated traffic to another program", simulateCommand},
		{"replay", "[--speed N] FILE", "serve a recorded log by its own clock", replayCommand},
		{"decode", "[--raw] [--live] [FILE]", "print one JSON object a message", decodeCommand},
		{"import", "[--config FILE] [--format F] [--start TIME [--rate N]] [--columns F=C,…] [--dry-run] FILE …", "take logs and CSV histories into the store", importCommand},
		{"backup", "[--config FILE] FILE | verify FILE", "copy the store to one file, also while serving; or try a backup", backupCommand},
		{"restore", "[--config FILE] FILE", "put a backup in the place of the store", restoreCommand},
		{"compact", "[--config FILE]", "shrink the store to what it holds", compactCommand},
		{"check", "[--config FILE] [BACKUP|DIR]", "read the whole store, also while serving, or a backup, and report damage", checkCommand},
		{"salvage", "[--json] FOLDER|FILE NEW-FOLDER", "write what a damaged store or backup still gives into a new store", salvageCommand},
		{"user", "list | add|set|passwd|delete NAME [flags] | forget-damaged", "users, also while serving; a password is one line on standard input", userCommand},
		{"group", "list | add|set|delete NAME [flags]", "groups and their rights, also while serving", groupCommand},
		{"token", "list [USER] | make USER NAME --rights R,R [--expires TIME] | revoke USER NAME", "tokens of programs, also while serving", tokenCommand},
		{"export-config", "[--config FILE] [--format toml|json] [FILE]", "write users, groups and what they keep, without passwords", exportConfigCommand},
		{"import-config", "[--config FILE] [--dry-run] FILE", "make this box like one that was exported", importConfigCommand},
		{"import-ports", "[--config FILE] [--dry-run] FILE …", "take ports of the World Port Index, own borders and berths, also while serving", importPortsCommand},
		{"learn-water", "[--config FILE] [--quick] [--alone METRES]", "learn from what is recorded where water is that the chart has as land", learnWaterCommand},
		{"detect-calls", "[--config FILE] [--from TIME] [--to TIME]", "look for calls at ports in what is recorded, also while serving", detectCallsCommand},
		{"eval-calls", "[--config FILE] --truth FILE [--port PORT] [--from TIME] [--to TIME]", "compare the calls at ports with a port's own list", evalCallsCommand},
		{"tls", "show [--pem] [--config FILE]", "tell how HTTPS is reached, and the fingerprint of the box's own authority", tlsCommand},
		{"check-config", "[--config FILE]", "test a configuration and print it complete", checkConfigCommand},
		{"version", "[--json]", "print the version", versionCommand},
	}
}

// run finds the command and turns its error into an exit code.
func run(ctx context.Context, c console, args []string) int {
	if len(args) == 0 {
		printHelp(c.err)
		return exitUsage
	}
	switch args[0] {
	case "help", "--help", "-h", "-help":
		printHelp(c.out)
		return exitOK
	case "--version", "-version":
		args = []string{"version"}
	}
	for _, cmd := range commands() {
		if cmd.name == args[0] {
			return exitCode(c, cmd.run(ctx, c, args[1:]))
		}
	}
	fmt.Fprintf(c.err, "quaywatch: unknown command %q\n\n", args[0])
	printHelp(c.err)
	return exitUsage
}

// usageError is a mistake in the command line: exit code 2.
type usageError string

func (e usageError) Error() string { return string(e) }

// lossError tells that a command did its work on what is whole, and that something was damaged: exit code 3.
type lossError string

func (e lossError) Error() string { return string(e) }

func exitCode(c console, err error) int {
	var usage usageError
	var loss lossError
	var wrong config.Error
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.As(err, &usage), errors.As(err, &wrong):
		fmt.Fprintln(c.err, err)
		return exitUsage
	case errors.As(err, &loss):
		fmt.Fprintln(c.err, "quaywatch:", err)
		return exitLoss
	default:
		fmt.Fprintln(c.err, "quaywatch:", err)
		return exitFail
	}
}

func printHelp(w io.Writer) {
	fmt.Fprint(w, "Quaywatch: the vessel-traffic monitor that a port owns.\n\nusage: quaywatch COMMAND [flags]\n\n")
	for _, cmd := range commands() {
		fmt.Fprintf(w, "  %-13s %s\n", cmd.name, cmd.help)
	}
	fmt.Fprint(w, "\nquaywatch COMMAND --help tells the flags of a command.\n"+
		"Exit codes: 0 done, 1 failed, 2 wrong command line or configuration, 3 done but for what is damaged.\n")
}
