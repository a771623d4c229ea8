package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const twice = `{"Action":"run","Package":"quaywatch/a","Test":"TestGood"}
{"Action":"pass","Package":"quaywatch/a","Test":"TestGood","Elapsed":2}
{"Action":"output","Package":"quaywatch/a","Test":"TestFlaky/part","Output":"=== RUN   TestFlaky/part\n"}
{"Action":"output","Package":"quaywatch/a","Test":"TestFlaky/part","Output":"    a_test.go:7: 3 ships, want 4\n"}
{"Action":"output","Package":"quaywatch/a","Test":"TestFlaky/part","Output":"    a_test.go:9: no harbour\n"}
{"Action":"fail","Package":"quaywatch/a","Test":"TestFlaky/part","Elapsed":1}
{"Action":"fail","Package":"quaywatch/a","Test":"TestFlaky","Elapsed":9}
{"Action":"fail","Package":"quaywatch/a","Test":"TestRed","Elapsed":1}
{"Action":"skip","Package":"quaywatch/a","Test":"TestSkipped","Elapsed":0}
{"Action":"fail","Package":"quaywatch/a","Elapsed":9}
{"Action":"pass","Package":"quaywatch/a","Test":"TestFlaky","Elapsed":1}
{"Action":"fail","Package":"quaywatch/a","Test":"TestRed","Elapsed":1}
`

// TestASecondTryIsTold: a test that passed at its second try is flaky, one that failed twice is red, and the end of the run names both, and why.
func TestASecondTryIsTold(t *testing.T) {
	tests, err := readEvents(strings.NewReader(twice))
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{runs: []run1{{stage: stage{name: "acceptance"}, tests: tests, took: time.Minute}}, took: 2 * time.Minute}
	text := o.String()
	for _, want := range []string{"120 s in all: acceptance 60 s\n", "flaky: : a TestFlaky: a_test.go:7: 3 ships, want 4\n", "red: : a TestRed\n", "\n2 passed, 1 failed, 1 skipped\n", "     9 s  : a TestFlaky\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	ledger := map[string]*record{}
	addTests(ledger, tests)
	addTests(ledger, tests)
	if r := ledger[": a TestFlaky"]; r.flaky != 2 || r.red != 0 || r.longest != 9*time.Second {
		t.Errorf("the ledger has %+v", r)
	}
	if lines := strings.Split(ledgerTable(ledger), "\n"); !strings.Contains(lines[1], "TestRed") || !strings.Contains(lines[2], "TestFlaky") {
		t.Errorf("what failed is not told first:\n%s", ledgerTable(ledger))
	}
}

func TestLinesOfNodesRunner(t *testing.T) {
	tests, err := readTAP(strings.NewReader("TAP version 13\n# Subtest: a\nok 1 - a - b\n  ---\n  duration_ms: 1500.5\n  ...\nnot ok 2 - c\n  ---\n  duration_ms: 3\n"))
	if err != nil || len(tests) != 2 || tests[0].name != "a - b" || tests[0].took != 1500500*time.Microsecond || !tests[1].red() || tests[0].red() {
		t.Errorf("%+v, %v", tests, err)
	}
}

// TestAStageThatRunsNothingIsRed: a command that ends well and tells of no test has failed, and so has one that does not end well.
func TestAStageThatRunsNothingIsRed(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(text string) []string {
		return []string{"sh", "-c", "printf '%s' '" + text + "' > " + filepath.Join(folder, "x.json")}
	}
	pass := `{"Action":"pass","Package":"quaywatch/a","Test":"TestGood","Elapsed":2}`
	for name, c := range map[string]struct {
		command []string
		red     bool
	}{
		"a test":         {write(pass), false},
		"no test":        {write(""), true},
		"no results":     {[]string{"true"}, true},
		"a bad end":      {append(write(pass)[:2], write(pass)[2]+"; exit 3"), true},
		"broken results": {write("{"), true},
	} {
		_ = os.RemoveAll(folder)
		o := once(context.Background(), io.Discard, []stage{{name: "x", kind: goTests, command: c.command}}, 0)
		if (o.err() != nil) != c.red {
			t.Errorf("%s: %v", name, o.err())
		}
	}
	if o := once(context.Background(), io.Discard, []stage{{name: "lint", command: []string{"false"}}}, 0); o.err() == nil || errors.Is(o.err(), context.Canceled) {
		t.Errorf("a lint that fails: %v", o.err())
	}
}
