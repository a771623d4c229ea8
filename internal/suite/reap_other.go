//go:build !linux

package main

import "errors"

// reap is the first argument with which this program runs a command as its reaper.
const reap = "reap"

// reaped returns the command as it is: only Linux knows reapers.
func reaped(command []string) []string { return command }

func runReaped([]string) (status int, err error) { return 1, errors.New("only Linux knows reapers") }
