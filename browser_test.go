package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryBrowserTestRuns: make test runs the browser tests that e2e/package.json names. A file that it does not name would never fail.
func TestEveryBrowserTestRuns(t *testing.T) {
	text, err := os.ReadFile("e2e/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var names struct{ Scripts struct{ Test string } }
	if err := json.Unmarshal(text, &names); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("e2e/*.test.mjs")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d browser tests: %v", len(files), err)
	}
	for _, file := range files {
		if !strings.Contains(" "+names.Scripts.Test+" ", " "+filepath.Base(file)+" ") {
			t.Errorf("%s is not run", file)
		}
	}
}
