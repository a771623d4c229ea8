package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// stageNames are the stages in the order in which they are told. Those that run one after another do so in this order. lint is red first, and pure, whose tests
// never wait, keeps all cores busy at the end.
var stageNames = []string{"lint", "race", "pure", "client", "sequential", "acceptance", "browser"}

// The niceness of a stage, by what it uses. Tests that wait have to answer in time. What uses one core would run alone at the end if it came last.
// These run beside the stages that use all cores. None is so nice that other work on the machine starves it.
const (
	waits    = 0
	oneCore  = 2
	allCores = 4
)

// longest is how long the tests of a package may take. A test that hangs fails by its own patience long before. This ends what has none, and lies far above
// what the largest package takes on a slow machine beside the browser. 40 minutes were too few once.
const longest = "80m"

// folder is where each stage leaves what it printed and what became of its tests.
const folder = ".test"

// kind is how a stage tells what became of its tests.
type kind int

const (
	silent  kind = iota // it has no tests
	goTests             // the events of go test
	nodeTAP             // the lines of node's runner
	events              // events like those of go test, written by e2e/run.mjs
)

// stage is a command that runs tests.
type stage struct {
	name    string
	kind    kind
	command []string
	dir     string
	env     []string
	nice    int  // waits, oneCore or allCores
	beside  bool // it runs beside the others, and not after the one before it
}

// results is the file with the events of its tests.
func (s stage) results() string { return filepath.Join(folder, s.name+".json") }

// logFile is the file with what it printed.
func (s stage) logFile() string { return filepath.Join(folder, s.name+".log") }

// stagesOf returns the stages with these names, for so many cores. In many runs tests are shuffled.
func stagesOf(p plan, names []string, cores int, many bool) []stage {
	var shuffled []string
	if many {
		shuffled = []string{"-shuffle=on"}
	}
	// Nobody debugs these binaries. Without the tables of a debugger a third of the linking is saved, and traces of goroutines stay whole.
	goStage := func(name string, packages, own []string, sum ...string) stage {
		s := stage{name: name, kind: goTests, nice: allCores, env: []string{"CGO_ENABLED=0", "GOROOT=" + p.root}}
		args := slices.Concat([]string{"-count=1", "-vet=off", "-trimpath", "-tags=" + tags, "-timeout=" + longest, "-ldflags=-s -w"}, shuffled, own)
		s.command = slices.Concat([]string{"go", "tool", "gotestsum", "--format=pkgname-and-test-fails", "--hide-summary=skipped", "--jsonfile=" + s.results()},
			sum, []string{"--packages=" + strings.Join(packages, " "), "--"}, args)
		return s
	}
	var tests []string
	for _, list := range p.alone {
		tests = append(tests, list...)
	}
	slices.Sort(tests)
	width := fmt.Sprint("-p=", cores)
	race := goStage("race", p.race, []string{"-race", "-gcflags=all=-dwarf=false", width, "-parallel=4"})
	race.env = []string{"CGO_ENABLED=1", "GOGC=400"} // the detector makes the collector dear, and the tests of memory run without it
	// Its tests of time and memory compare runs with each other. One package after another, so that little else changes meanwhile.
	sequential := goStage("sequential", slices.Sorted(maps.Keys(p.alone)), []string{"-p=1", fmt.Sprintf("-run=^(%s)$", strings.Join(slices.Compact(tests), "|"))})
	sequential.nice, sequential.beside = oneCore, true
	acceptance := goStage("acceptance", []string{driver}, []string{"-parallel=4"}, again...)
	acceptance.nice, acceptance.beside = waits, true
	browser := stage{name: "browser", kind: events, command: []string{"node", "run.mjs"}, dir: "e2e", nice: waits, beside: true}
	browser.env = []string{"QUAYWATCH_RESULTS=" + filepath.Join("..", browser.results())}
	all := []stage{
		{name: "lint", command: []string{"make", "lint"}, nice: waits}, // everybody waits for it
		race,
		goStage("pure", p.pure, []string{width}),
		{name: "client", kind: nodeTAP, command: []string{"npm", "test"}, dir: "web", nice: waits, beside: true},
		sequential,
		acceptance,
		browser,
	}
	return slices.DeleteFunc(all, func(s stage) bool {
		return !slices.Contains(names, s.name) || s.name == "sequential" && len(p.alone) == 0
	})
}

// again has gotestsum run a test that failed once more, alone. A data race, or more than four failures, is red at once.
var again = []string{"--rerun-fails=1", "--rerun-fails-max-failures=4", "--rerun-fails-abort-on-data-race"}
