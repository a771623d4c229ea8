package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/build/constraint"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// tags are those that the program is built with.
const tags = "nomsgpack"

// driver is the package of the tests that drive the binary, which is built without the race detector.
const driver = "quaywatch/e2e/acceptance"

// listed is what go list tells of a package.
type listed struct {
	ImportPath, Dir                                 string
	GoFiles, TestGoFiles, XTestGoFiles              []string
	Deps, TestImports, XTestImports, IgnoredGoFiles []string
}

// plan says which packages are tested in which stage.
type plan struct {
	pure []string // no goroutine runs in their tests, so the race detector can find nothing
	race []string
	root string // of Go's own packages, which a test that is built with -trimpath does not know
	// alone are, by package of race, the tests that stand in files without the race detector.
	alone map[string][]string
}

// derive reads all packages and plans their stages. A package is tested under the race detector when a goroutine may run in its tests. It is one that the
// package starts, that its tests start, or that a package of ours starts which it or its tests import.
func derive(ctx context.Context) (plan, error) {
	packages, err := listPackages(ctx)
	if err != nil {
		return plan{}, err
	}
	starts := map[string]bool{}
	for _, p := range packages {
		if starts[p.ImportPath], err = anyStarts(p.Dir, p.GoFiles); err != nil {
			return plan{}, err
		}
	}
	depends := map[string][]string{}
	for _, p := range packages {
		depends[p.ImportPath] = p.Deps
	}
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return plan{}, fmt.Errorf("go env: %w", err)
	}
	made := plan{root: strings.TrimSpace(string(root)), alone: map[string][]string{}}
	sizes := map[string]int64{}
	for _, p := range packages {
		if err := made.addPackage(p, starts, depends); err != nil {
			return plan{}, err
		}
		if sizes[p.ImportPath], err = sizeOfTests(p); err != nil {
			return plan{}, err
		}
	}
	largestFirst(made.pure, sizes)
	largestFirst(made.race, sizes)
	return made, nil
}

// sizeOfTests returns how many bytes the files of a package's tests have.
func sizeOfTests(p listed) (size int64, err error) {
	for _, name := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		info, err := os.Stat(filepath.Join(p.Dir, name))
		if err != nil {
			return 0, err
		}
		size += info.Size()
	}
	return size, nil
}

// largestFirst sorts packages by the size of their tests. Go begins packages in the order in which they are named. A package that takes long and
// begins late would run alone at the end.
func largestFirst(packages []string, sizes map[string]int64) {
	slices.SortStableFunc(packages, func(a, b string) int { return cmp.Compare(sizes[b], sizes[a]) })
}

func listPackages(ctx context.Context) ([]listed, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-tags", tags, "-json", "./...").Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var all []listed
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p listed
		if err := d.Decode(&p); err == io.EOF {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
}

// addPackage puts a package that has tests into its stage.
func (m *plan) addPackage(p listed, starts map[string]bool, depends map[string][]string) error {
	files := slices.Concat(p.TestGoFiles, p.XTestGoFiles)
	if len(files) == 0 || p.ImportPath == driver {
		return nil
	}
	raced, alone, err := splitFiles(p.Dir, files)
	if err != nil {
		return err
	}
	concurrent, err := anyStarts(p.Dir, raced)
	if err != nil {
		return err
	}
	for _, imported := range slices.Concat([]string{p.ImportPath}, p.TestImports, p.XTestImports) {
		concurrent = concurrent || starts[imported] || slices.ContainsFunc(depends[imported], func(d string) bool { return starts[d] })
	}
	if !concurrent {
		m.pure = append(m.pure, p.ImportPath)
		return nil
	}
	if len(raced) > 0 {
		m.race = append(m.race, p.ImportPath)
	}
	names, err := testsOf(p.Dir, alone)
	if len(names) > 0 {
		m.alone[p.ImportPath] = names
	}
	return err
}

// splitFiles parts the files of tests into those that are compiled with the race detector and those that are not.
func splitFiles(dir string, files []string) (raced, alone []string, err error) {
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil {
			return nil, nil, err
		}
		if withoutRace(file) {
			alone = append(alone, name)
		} else {
			raced = append(raced, name)
		}
	}
	return raced, alone, nil
}

// withoutRace reports whether the build constraint of a file leaves it out under the race detector.
func withoutRace(file *ast.File) bool {
	for _, group := range file.Comments {
		for _, c := range group.List {
			if expr, err := constraint.Parse(c.Text); err == nil && constraint.IsGoBuild(c.Text) {
				return !expr.Eval(func(tag string) bool { return tag == "race" || tag == "linux" || tag == tags })
			}
		}
	}
	return false
}

// anyStarts reports whether one of the files starts a goroutine.
func anyStarts(dir string, files []string) (bool, error) {
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return false, err
		}
		if startsGoroutine(file) {
			return true, nil
		}
	}
	return false, nil
}

// startsGoroutine reports whether a file starts goroutines. Then it has a go statement, a call that starts a goroutine by its usual names, or a server of HTTP
// for tests.
func startsGoroutine(file *ast.File) bool {
	found := imports(file, "net/http/httptest")
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			found = true
		case *ast.CallExpr:
			if s, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Go", "AfterFunc", "Parallel"}, s.Sel.Name) {
				found = true
			}
		}
		return !found
	})
	return found
}

func imports(file *ast.File, path string) bool {
	return slices.ContainsFunc(file.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"`+path+`"` })
}

// testsOf returns the names of the tests in files.
func testsOf(dir string, files []string) ([]string, error) {
	var names []string
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && (strings.HasPrefix(f.Name.Name, "Test") || strings.HasPrefix(f.Name.Name, "Fuzz")) && f.Name.Name != "TestMain" {
				names = append(names, f.Name.Name)
			}
		}
	}
	return names, nil
}

// String tells the stage of each package.
func (m plan) String() string {
	var b strings.Builder
	for _, p := range m.pure {
		fmt.Fprintf(&b, "pure        %s\n", p)
	}
	for _, p := range m.race {
		fmt.Fprintf(&b, "race        %s\n", p)
	}
	for _, p := range slices.Sorted(maps.Keys(m.alone)) {
		fmt.Fprintf(&b, "sequential  %s: %s\n", p, strings.Join(m.alone[p], ", "))
	}
	fmt.Fprintf(&b, "acceptance  %s\n", driver)
	return b.String()
}
