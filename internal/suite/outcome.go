package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// test is what became of a test that no other contains.
type test struct {
	stage, where, name string
	took               time.Duration
	failed, passed     int // how often
	skipped            bool
	why                string // the first line that it printed about its failure; empty if it printed none
}

// red reports whether the test failed and did not pass when it was run again.
func (t test) red() bool { return t.failed > 0 && t.passed == 0 }

// flaky reports whether the test passed at the second try.
func (t test) flaky() bool { return t.failed > 0 && t.passed > 0 }

// because returns why the test failed, to follow its name.
func (t test) because() string {
	if t.why == "" {
		return ""
	}
	return ": " + t.why
}

func (t test) String() string { return strings.TrimPrefix(t.where, "quaywatch/") + " " + t.name }

// event is a line of go test -json, and of the file that e2e/run.mjs writes.
type event struct {
	Action, Package, Test string
	Elapsed               float64 // seconds
	Output                string
}

// mostWhy is how many bytes of the reason of a failure are kept.
const mostWhy = 200

// reasonOf returns what a line of output tells about a failure: the words of t.Error, or of a panic. It is empty for any other line.
func reasonOf(line string) string {
	line = strings.TrimSpace(line)
	if !strings.Contains(line, "_test.go:") && !strings.HasPrefix(line, "panic: ") && !strings.HasPrefix(line, "WARNING: DATA RACE") {
		return ""
	}
	return strings.ToValidUTF8(line[:min(mostWhy, len(line))], "")
}

// read returns what became of the tests of a stage that has run. A stage that ran no test is an error.
func (s stage) read() ([]test, error) {
	name, parse := s.results(), readEvents
	if s.kind == nodeTAP {
		name, parse = s.logFile(), readTAP
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	tests, err := parse(file)
	if err == nil && len(tests) == 0 {
		err = errors.New("no test was run")
	}
	for i := range tests {
		tests[i].stage = s.name
	}
	return tests, err
}

// readEvents reads the events of go test. Tests inside of tests count as their outermost.
func readEvents(r io.Reader) ([]test, error) {
	found := map[event]*test{}
	var order []*test
	for d := json.NewDecoder(r); ; {
		var e event
		if err := d.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			return nil, err
		}
		inner := strings.Contains(e.Test, "/") && strings.HasPrefix(e.Package, "quaywatch")
		if e.Test == "" || inner && e.Action != "output" {
			continue
		}
		if inner {
			e.Test, _, _ = strings.Cut(e.Test, "/")
		}
		key := event{Package: e.Package, Test: e.Test}
		t := found[key]
		if t == nil {
			t = &test{where: e.Package, name: e.Test}
			found[key] = t
			order = append(order, t)
		}
		t.add(e)
	}
	tests := make([]test, len(order))
	for i, t := range order {
		tests[i] = *t
	}
	return tests, nil
}

func (t *test) add(e event) {
	switch e.Action {
	case "pass":
		t.passed++
	case "fail":
		t.failed++
	case "skip":
		t.skipped = true
	case "output":
		t.why = cmp.Or(t.why, reasonOf(e.Output))
		return
	case "why": // of e2e/run.mjs alone
		t.why = cmp.Or(t.why, e.Output)
		return
	default:
		return
	}
	t.took = max(t.took, time.Duration(e.Elapsed*float64(time.Second)))
}

// readTAP reads what node's runner prints.
func readTAP(r io.Reader) ([]test, error) {
	var tests []test
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := lines.Text()
		state, name, found := strings.Cut(line, " - ")
		switch word := strings.TrimRight(state, " 0123456789"); {
		case found && word == "ok":
			tests = append(tests, test{where: "web", name: name, passed: 1})
		case found && word == "not ok":
			tests = append(tests, test{where: "web", name: name, failed: 1})
		}
		if ms, ok := strings.CutPrefix(line, "  duration_ms: "); ok && len(tests) > 0 {
			if n, err := strconv.ParseFloat(ms, 64); err == nil {
				tests[len(tests)-1].took = time.Duration(n * float64(time.Millisecond))
			}
		}
	}
	return tests, lines.Err()
}

// outcome is what became of one run of the stages.
type outcome struct {
	runs []run1
	took time.Duration
}

func (o outcome) tests() []test {
	var all []test
	for _, r := range o.runs {
		all = append(all, r.tests...)
	}
	return all
}

// err is the reason why the run is red; none when it is green.
func (o outcome) err() error {
	var bad []string
	for _, r := range o.runs {
		if r.err != nil {
			bad = append(bad, r.stage.name)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	return fmt.Errorf("failed: %s", strings.Join(bad, ", "))
}

// String is the end of a run. It has the time of each stage and that of the processor, the longest tests, those that failed, and the counts.
func (o outcome) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n%s in all:", secondsText(o.took))
	var processor time.Duration
	for _, r := range o.runs {
		fmt.Fprintf(&b, " %s %s", r.stage.name, secondsText(r.took))
		processor += r.processor
	}
	fmt.Fprintf(&b, "\nprocessor %s:", secondsText(processor))
	for _, r := range o.runs {
		fmt.Fprintf(&b, " %s %s", r.stage.name, secondsText(r.processor))
	}
	tests := o.tests()
	slices.SortStableFunc(tests, func(a, b test) int { return cmp.Compare(b.took, a.took) })
	b.WriteString("\nlongest:\n")
	for _, t := range tests[:min(10, len(tests))] {
		fmt.Fprintf(&b, "  %6s  %s: %s\n", secondsText(t.took), t.stage, t)
	}
	passed, failed, skipped := 0, 0, 0
	for _, t := range tests {
		switch {
		case t.red():
			failed++
			fmt.Fprintf(&b, "red: %s: %s%s\n", t.stage, t, t.because())
		case t.passed > 0:
			passed++
		case t.skipped:
			skipped++
		}
		if t.flaky() {
			fmt.Fprintf(&b, "flaky: %s: %s%s\n", t.stage, t, t.because())
		}
	}
	fmt.Fprintf(&b, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	return b.String()
}
