//go:build !race

package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestEveryBrowserTestRuns: e2e/run.mjs runs each file of its folder whose name ends in .test.mjs. A file that uses node's runner and has another
// name would never fail. Two files use the runner and have no tests: run.mjs, and stage.mjs, whose hooks the files with tests call.
func TestEveryBrowserTestRuns(t *testing.T) {
	text, err := os.ReadFile("e2e/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var names struct{ Scripts struct{ Test string } }
	if err := json.Unmarshal(text, &names); err != nil {
		t.Fatal(err)
	}
	if names.Scripts.Test != "node run.mjs" {
		t.Errorf("npm test is %q", names.Scripts.Test)
	}
	files, err := filepath.Glob("e2e/*.mjs")
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		helps := slices.Contains([]string{"run.mjs", "stage.mjs"}, filepath.Base(file))
		tests := strings.Contains(string(text), `from "node:test"`) && !helps
		if tests != strings.HasSuffix(file, ".test.mjs") {
			t.Errorf("%s: has tests: %v, and its name does not say so", file, tests)
		}
	}
}
