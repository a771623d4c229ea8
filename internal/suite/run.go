package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"
)

// once runs the stages and tells on out how each ended. Those that use all cores run one after another, and each of the others beside them.
func once(ctx context.Context, out io.Writer, stages []stage, busy int) outcome {
	ctx, end := context.WithCancel(ctx)
	defer end()
	for range busy {
		keepBusy(ctx)
	}
	began := time.Now()
	runs := make([]run1, len(stages))
	var beside sync.WaitGroup
	for i, s := range stages {
		if s.beside {
			beside.Go(func() { runs[i] = s.run(ctx, out) })
		}
	}
	for i, s := range stages {
		if !s.beside {
			runs[i] = s.run(ctx, out)
		}
	}
	beside.Wait()
	return outcome{runs: runs, took: time.Since(began)}
}

// keepBusy starts a process that does nothing but compute, until ctx ends.
func keepBusy(ctx context.Context) {
	loop := exec.CommandContext(ctx, "sh", "-c", "while :; do :; done")
	if err := loop.Start(); err == nil {
		go loop.Wait()
	}
}

// run1 is one run of a stage.
type run1 struct {
	stage     stage
	took      time.Duration
	processor time.Duration // of its command and all that it started
	err       error
	tests     []test
}

// run runs the command of a stage, tells how it ended, and prints what it said when it failed.
func (s stage) run(ctx context.Context, out io.Writer) run1 {
	began := time.Now()
	processor, err := s.runCommand(ctx)
	r := run1{stage: s, took: time.Since(began), processor: processor, err: err}
	if s.kind != silent {
		tests, bad := s.read()
		r.tests = tests
		if err == nil {
			r.err = bad
		}
	}
	r.printResult(out)
	return r
}

// runCommand runs the command of a stage, and returns the time of the processor that it took.
func (s stage) runCommand(ctx context.Context) (processor time.Duration, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, err
	}
	log, err := os.Create(s.logFile())
	if err != nil {
		return 0, err
	}
	defer log.Close()
	command := slices.Concat([]string{"nice", "-n", strconv.Itoa(s.nice)}, reaped(s.command))
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Dir, c.Env, c.Stdout, c.Stderr = s.dir, append(os.Environ(), s.env...), log, log
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = 10 * time.Second
	err = c.Run()
	if c.ProcessState != nil {
		processor = c.ProcessState.UserTime() + c.ProcessState.SystemTime()
	}
	return processor, err
}

// printing keeps what two stages print apart.
var printing sync.Mutex

func (r run1) printResult(out io.Writer) {
	printing.Lock()
	defer printing.Unlock()
	if r.err == nil {
		fmt.Fprintf(out, "ok    %-11s %6s  processor %6s  %d tests\n", r.stage.name, secondsText(r.took), secondsText(r.processor), len(r.tests))
		return
	}
	text, _ := os.ReadFile(r.stage.logFile())
	fmt.Fprintf(out, "%s\nFAIL  %-11s %6s  %v\n", text, r.stage.name, secondsText(r.took), r.err)
}

func secondsText(d time.Duration) string { return fmt.Sprintf("%.0f s", d.Seconds()) }
