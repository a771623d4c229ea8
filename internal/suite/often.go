package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// record is what many runs saw of a test.
type record struct {
	red, flaky int
	longest    time.Duration
}

// often runs the stages n times, writes the ledger after each run, and fails when a test was red or flaky.
func often(ctx context.Context, stages []stage, n, busy int) error {
	ledger := map[string]*record{}
	red, began := 0, time.Now()
	name := filepath.Join(folder, "ledger-"+began.UTC().Format("20060102-150405")+".txt")
	for i := range n {
		o := once(ctx, os.Stdout, stages, busy)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if o.err() != nil {
			red++
		}
		addTests(ledger, o.tests())
		text := fmt.Sprintf("commit %s, %d of %d runs beside %d busy loops, %s, %d red\n%s", gitCommit(ctx), i+1, n, busy, secondsText(time.Since(began)), red, ledgerTable(ledger))
		fmt.Print(text)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, r := range ledger {
		if r.red+r.flaky > 0 {
			return errors.New("a test was red or flaky; " + name + " has the ledger")
		}
	}
	if red > 0 {
		return fmt.Errorf("%d runs were red", red)
	}
	return nil
}

func addTests(ledger map[string]*record, tests []test) {
	for _, t := range tests {
		key := t.stage + ": " + t.String()
		r := ledger[key]
		if r == nil {
			r = &record{}
			ledger[key] = r
		}
		r.longest = max(r.longest, t.took)
		if t.red() {
			r.red++
		}
		if t.flaky() {
			r.flaky++
		}
	}
}

// ledgerTable is the ledger as a table: what failed, then the twenty that took longest.
func ledgerTable(ledger map[string]*record) string {
	keys := slices.SortedFunc(maps.Keys(ledger), func(a, b string) int {
		x, y := ledger[a], ledger[b]
		return cmp.Or(cmp.Compare(y.red, x.red), cmp.Compare(y.flaky, x.flaky), cmp.Compare(y.longest, x.longest), cmp.Compare(a, b))
	})
	var b strings.Builder
	b.WriteString("red flaky longest test\n")
	for i, key := range keys {
		if r := ledger[key]; r.red+r.flaky > 0 || i < 20 {
			fmt.Fprintf(&b, "%3d %5d %7s %s\n", r.red, r.flaky, secondsText(r.longest), key)
		}
	}
	return b.String()
}

func gitCommit(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "git", "describe", "--always", "--dirty").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}
