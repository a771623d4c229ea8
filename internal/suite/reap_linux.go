package main

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// reap is the first argument with which this program runs a command as its reaper.
const reap = "reap"

// reaped returns the command that runs command under this program as its reaper, so that the processor of all its processes is counted.
// Chromium's processes lose their parent before they end. The system gives them to the nearest reaper, and else nobody here counts them.
func reaped(command []string) []string {
	own, err := os.Executable()
	if err != nil {
		return command
	}
	return append([]string{own, reap}, command...)
}

// runReaped runs a command, waits for it and returns its exit status. It also reaps each process that lost its parent and ended before the command did.
// A process that is still ending then is left, and its processor time is not counted.
func runReaped(command []string) (status int, err error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 1, os.NewSyscallError("prctl", err)
	}
	path, err := exec.LookPath(command[0])
	if err != nil {
		return 1, err
	}
	main, err := os.StartProcess(path, command, &os.ProcAttr{Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		return 1, err
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	go func() {
		for s := range stop {
			_ = main.Signal(s)
		}
	}()
	var ended unix.WaitStatus
	for options := 0; ; {
		var s unix.WaitStatus
		pid, err := unix.Wait4(-1, &s, options, nil)
		switch {
		case err == unix.EINTR:
		case err != nil || pid == 0: // nothing is left, or nothing that has ended
			return exitStatus(ended), nil
		case pid == main.Pid:
			ended, options = s, unix.WNOHANG
		}
	}
}

// exitStatus returns the status as a shell tells it: 128 and the signal of a process that a signal ended.
func exitStatus(s unix.WaitStatus) int {
	if s.Signaled() {
		return 128 + int(s.Signal())
	}
	return s.ExitStatus()
}
