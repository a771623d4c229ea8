package main

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// TestMain runs this program as a reaper where a test asks for it.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == reap {
		os.Exit(reaping(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// TestTheProcessorOfOrphansIsCounted: a process that computes and whose parent ended first is counted.
func TestTheProcessorOfOrphansIsCounted(t *testing.T) {
	// The middle shell ends at once. A process can be signalled until it is reaped, so that the command ends after the orphan was.
	script := `pid=$(sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done >/dev/null & echo $!')
n=0; while kill -0 $pid 2>/dev/null && [ $n -lt 240 ]; do sleep 0.25; n=$((n+1)); done`
	args := reaped([]string{"sh", "-c", script})
	c := exec.Command(args[0], args[1:]...)
	c.Stderr = os.Stderr
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	if got := c.ProcessState.UserTime() + c.ProcessState.SystemTime(); got < 100*time.Millisecond {
		t.Errorf("counted %v of an orphan that counted to 300,000", got)
	}
}

// TestAReaperEndsAsItsCommand: with its status, and by its signal.
func TestAReaperEndsAsItsCommand(t *testing.T) {
	for script, want := range map[string]int{"exit 0": 0, "exit 7": 7, "kill -9 $$": 137} {
		args := reaped([]string{"sh", "-c", script})
		c := exec.Command(args[0], args[1:]...)
		_ = c.Run()
		if got := c.ProcessState.ExitCode(); got != want {
			t.Errorf("%s: %d, want %d", script, got, want)
		}
	}
	args := reaped([]string{"no-such-command"})
	c := exec.Command(args[0], args[1:]...)
	if c.Run(); c.ProcessState.ExitCode() != 1 {
		t.Errorf("a command that is not there: %d", c.ProcessState.ExitCode())
	}
}
