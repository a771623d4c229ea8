package main

import (
	"context"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// ground are the packages that start no goroutine, by the second law of CONTRIBUTING.md, and what builds on them alone.
var ground = []string{"quaywatch/geo", "quaywatch/ais", "quaywatch/ship", "quaywatch/form", "quaywatch/internal/rule", "quaywatch/internal/fold",
	"quaywatch/store/track", "quaywatch/store/pages", "quaywatch/store/wal"}

// beside are those below ground that do: the feeds, and a tool that makes the sea network.
var beside = []string{"quaywatch/ais/feed", "quaywatch/geo/route/gen"}

func packages(t *testing.T) []listed {
	t.Helper()
	t.Chdir("../..")
	all, err := listPackages(context.Background())
	if err != nil || len(all) < 60 {
		t.Fatalf("%d packages, %v", len(all), err)
	}
	return all
}

// TestTheGroundStartsNoGoroutine: so nothing of it has to be tested under the race detector but how others use it at the same time.
func TestTheGroundStartsNoGoroutine(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		below := slices.ContainsFunc(ground, func(g string) bool { return p.ImportPath == g || strings.HasPrefix(p.ImportPath, g+"/") })
		if !below || slices.Contains(beside, p.ImportPath) {
			continue
		}
		seen++
		for _, name := range p.GoFiles {
			if starts, err := anyStarts(p.Dir, []string{name}); err != nil || starts {
				t.Errorf("%s/%s starts a goroutine (%v)", p.ImportPath, name, err)
			}
		}
	}
	if seen < 20 {
		t.Fatalf("only %d packages are of the ground", seen)
	}
}

// TestWhatRunsWithoutTheDetectorIsSequential: a file of tests is left out of the race detector only when it starts no goroutine, or when it holds
// bubbles of testing/synctest, with which the detector has a fault in this Go.
func TestWhatRunsWithoutTheDetectorIsSequential(t *testing.T) {
	seen := 0
	for _, p := range packages(t) {
		if p.ImportPath == driver {
			continue
		}
		_, alone, err := splitFiles(p.Dir, slices.Concat(p.TestGoFiles, p.XTestGoFiles))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range alone {
			seen++
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			if startsGoroutine(file) && !imports(file, "testing/synctest") {
				t.Errorf("%s/%s starts a goroutine: let the race detector see it", p.ImportPath, name)
			}
		}
	}
	if seen < 10 {
		t.Fatalf("only %d files run without the detector", seen)
	}
}

func TestWhatStartsAGoroutine(t *testing.T) {
	for text, want := range map[string]bool{
		"func f() { g() }":                                 false,
		"func f() { go g() }":                              true,
		"func f() { var w sync.WaitGroup; w.Go(g) }":       true,
		"func f() { time.AfterFunc(1, g) }":                true,
		"func f(t *testing.T) { t.Parallel() }":            true,
		"func f() { c := make(chan int, 1); c <- 1 }":      false,
		`import "net/http/httptest"; func f() { g() }`:     true,
		"func f() { x.golf(); var mu sync.Mutex; _ = mu }": false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p; "+text, 0)
		if err != nil {
			t.Fatal(err)
		}
		if got := startsGoroutine(file); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}

// TestPlacesFollowGoroutines: a package is tested under the detector when it, its tests or what they import start a goroutine.
func TestPlacesFollowGoroutines(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package p\n"+text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("quiet_test.go", "func TestQuiet() {}\n")
	write("loud_test.go", "func TestLoud() { go TestLoud() }\n")
	write("alone_test.go", "")
	if err := os.WriteFile(filepath.Join(dir, "alone_test.go"), []byte("//go:build !race\n\npackage p\n\nfunc TestAlone() {}\nfunc helper() {}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	starts := map[string]bool{"q": true}
	depends := map[string][]string{"over": {"q"}}
	for _, c := range []struct {
		name       string
		p          listed
		pure, race bool
		sequential string
	}{
		{"no goroutine", listed{TestGoFiles: []string{"quiet_test.go", "alone_test.go"}}, true, false, ""},
		{"in a test", listed{TestGoFiles: []string{"quiet_test.go", "loud_test.go", "alone_test.go"}}, false, true, "TestAlone"},
		{"in an import of a test", listed{XTestGoFiles: []string{"quiet_test.go"}, XTestImports: []string{"q"}}, false, true, ""},
		{"in an import of an import", listed{TestGoFiles: []string{"alone_test.go"}, TestImports: []string{"over"}}, false, false, "TestAlone"},
		{"no tests", listed{}, false, false, ""},
	} {
		c.p.ImportPath, c.p.Dir = "p", dir
		m := plan{alone: map[string][]string{}}
		if err := m.addPackage(c.p, starts, depends); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(m.alone["p"], ","); (len(m.pure) == 1) != c.pure || (len(m.race) == 1) != c.race || got != c.sequential {
			t.Errorf("%s: %v, %v, %q", c.name, m.pure, m.race, got)
		}
	}
}

// TestTheLargestPackageBeginsFirst: so none that takes long is left for the end.
func TestTheLargestPackageBeginsFirst(t *testing.T) {
	dir := t.TempDir()
	sizes := map[string]int64{}
	for name, size := range map[string]int{"a": 10, "b": 3000, "c": 200} {
		if err := os.WriteFile(filepath.Join(dir, name+"_test.go"), make([]byte, size), 0o644); err != nil {
			t.Fatal(err)
		}
		var err error
		if sizes[name], err = sizeOfTests(listed{Dir: dir, TestGoFiles: []string{name + "_test.go"}}); err != nil {
			t.Fatal(err)
		}
	}
	names := []string{"a", "b", "c"}
	if largestFirst(names, sizes); !slices.Equal(names, []string{"b", "c", "a"}) {
		t.Errorf("they begin as %v", names)
	}
}
