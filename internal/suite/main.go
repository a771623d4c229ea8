// Command suite runs the tests in stages, each under the detector that can find something, and says where the time went.
//
//	go run ./internal/suite                      all stages once, as make test does
//	go run ./internal/suite -stages pure,race    some of them
//	go run ./internal/suite -n 20 -busy 2        20 times beside two busy loops, with a ledger, as make test-often does
//	go run ./internal/suite -list                which package belongs to which stage, and why
//
// A test is red when it fails. Only a large test, of the stages acceptance and browser, is run once more alone. If it passes then, it is told
// as flaky, and the run is green. Many runs of -n are green only without flaky tests.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

func main() {
	if len(os.Args) > 2 && os.Args[1] == reap {
		os.Exit(reaping(os.Args[2:]))
	}
	names := flag.String("stages", strings.Join(stageNames, ","), "the stages to run, of "+strings.Join(stageNames, ", "))
	n := flag.Int("n", 1, "how often the stages are run; more than once writes a ledger")
	busy := flag.Int("busy", 0, "how many busy loops run beside")
	list := flag.Bool("list", false, "tell which package belongs to which stage")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, strings.Split(*names, ","), *n, *busy, *list); err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, names []string, n, busy int, list bool) error {
	for _, name := range names {
		if !slices.Contains(stageNames, name) {
			return fmt.Errorf("there is no stage %q; there are %s", name, strings.Join(stageNames, ", "))
		}
	}
	plan, err := derive(ctx)
	if err != nil {
		return err
	}
	if list {
		fmt.Print(plan)
		return nil
	}
	stages := stagesOf(plan, names, runtime.NumCPU(), n > 1)
	if n > 1 {
		return often(ctx, stages, n, busy)
	}
	o := once(ctx, os.Stdout, stages, busy)
	fmt.Print(o)
	return o.err()
}

// reaping runs a command as its reaper, and returns the exit status of this process.
func reaping(command []string) int {
	status, err := runReaped(command)
	if err != nil {
		fmt.Fprintln(os.Stderr, "suite:", err)
	}
	return status
}
