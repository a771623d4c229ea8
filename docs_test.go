//go:build !race

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// architecturePage is the page that is held against the code.
const architecturePage = "docs/architecture.md"

// TestThePictureNamesEachPackage holds the picture of the packages against the folders with Go code, both ways.
func TestThePictureNamesEachPackage(t *testing.T) {
	names := picturedPackages(readFence(t, readSection(t, architecturePage, "The packages")))
	packages := codePackages(t)
	if len(names) < 50 || len(packages) < 50 {
		t.Fatalf("%s names %d packages, and the code has %d: want at least 50 of each", architecturePage, len(names), len(packages))
	}
	for _, pkg := range packages {
		if !slices.Contains(names, pkg) {
			t.Errorf("%s does not name package %s: add it to the picture below The packages", architecturePage, pkg)
		}
	}
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			t.Errorf("%s names package %s twice: take it out of the picture once", architecturePage, name)
		}
		folder := name
		if name == "main" { // the package of the root, whose folder has the name of the clone
			folder = "."
		}
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			t.Errorf("%s names %s, and there is no such folder: take it out of the picture, or write a description of more than a word", architecturePage, name)
		}
	}
}

// TestThePictureGoesDown holds the order of the folders in the picture against folders: what imports stands above what is imported.
func TestThePictureGoesDown(t *testing.T) {
	last := len(folders) + 1
	for _, name := range picturedPackages(readFence(t, readSection(t, architecturePage, "The packages"))) {
		if strings.HasPrefix(name, "e2e/") { // stands last, as it is no part of the program
			continue
		}
		floor := folderFloor("quaywatch/" + name)
		if floor > last {
			t.Errorf("%s has %s below a folder that it may import: put it above", architecturePage, name)
		}
		last = floor
	}
}

// codePackages returns the packages with code of the product, as architecture_test.go finds them. The root is main.
func codePackages(t *testing.T) (packages []string) {
	t.Helper()
	out, err := exec.Command("go", "list", "-tags", "nomsgpack", "-f", "{{if .GoFiles}}{{.ImportPath}}{{end}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		switch pkg := strings.TrimSpace(line); {
		case pkg == "" || tool(pkg):
		case pkg == "quaywatch":
			packages = append(packages, "main")
		default:
			packages = append(packages, strings.TrimPrefix(pkg, "quaywatch/"))
		}
	}
	return packages
}

// packageName is how the picture writes a package, or several of one folder.
const packageName = `[a-z]+(?:/[a-z]+)*(?:/\{[a-z,]+\})?`

var (
	cellBreak    = regexp.MustCompile(` {2,}`)
	nameCell     = regexp.MustCompile(`^` + packageName + `(?:(?:, | \| )` + packageName + `)*$`)
	packageNames = regexp.MustCompile(packageName)
)

// picturedPackages returns the packages that a picture names. Two blanks part its cells, and a cell has names alone or a description.
func picturedPackages(picture string) (names []string) {
	for line := range strings.Lines(picture) {
		for _, cell := range cellBreak.Split(strings.TrimSpace(line), -1) {
			if !nameCell.MatchString(cell) {
				continue
			}
			for _, name := range packageNames.FindAllString(cell, -1) {
				names = append(names, expandName(name)...)
			}
		}
	}
	return names
}

// expandName returns the packages of a name with braces, else the name alone.
func expandName(name string) (names []string) {
	folder, list, braces := strings.Cut(name, "/{")
	if !braces {
		return []string{name}
	}
	for _, area := range strings.Split(strings.TrimSuffix(list, "}"), ",") {
		names = append(names, folder+"/"+area)
	}
	return names
}

// TestThePageNamesEachObserver holds the list of the observers against app/parts.go, in the same order.
func TestThePageNamesEachObserver(t *testing.T) {
	page := listedObservers(readFence(t, readSection(t, architecturePage, "The way of one report")))
	code := readWiring(t).listObservers(t)
	if len(page) < 5 || len(code) < 5 {
		t.Fatalf("%s lists %d observers, and app/parts.go has %d: want at least 5 of each", architecturePage, len(page), len(code))
	}
	for _, name := range code {
		if !slices.Contains(page, name) {
			t.Errorf("%s does not name observer %s: add it to The way of one report", architecturePage, name)
		}
	}
	for _, name := range page {
		if !slices.Contains(code, name) {
			t.Errorf("%s names observer %s, which app/parts.go does not have: take it out", architecturePage, name)
		}
	}
	if !t.Failed() && !slices.Equal(page, code) {
		t.Errorf("%s lists the observers as %v, and app/parts.go as %v: give them the order of app/parts.go", architecturePage, page, code)
	}
}

var observerLine = regexp.MustCompile(`^ {11}([a-z]+\.[A-Z]\w*) `)

// listedObservers returns the observers that a picture lists behind the words that begin the list.
func listedObservers(picture string) (names []string) {
	_, rest, _ := strings.Cut(picture, "goes to the observers")
	_, list, _ := strings.Cut(rest, "\n")
	for line := range strings.Lines(list) {
		found := observerLine.FindStringSubmatch(line)
		if found == nil {
			break
		}
		names = append(names, found[1])
	}
	return names
}

// TestTheTableHasEachGoroutine holds the table of the goroutines against those that App.Run starts, both ways.
func TestTheTableHasEachGoroutine(t *testing.T) {
	page := tableGoroutines(readSection(t, architecturePage, "Which goroutine owns what"))
	code := readWiring(t).listGoroutines(t)
	if len(page) < 10 || len(code) < 10 {
		t.Fatalf("%s has %d goroutines with a name, and app starts %d: want at least 10 of each", architecturePage, len(page), len(code))
	}
	for _, name := range code {
		if !slices.Contains(page, name) {
			t.Errorf("%s has no row for `%s`, which app starts: add it to Which goroutine owns what", architecturePage, name)
		}
	}
	for _, name := range page {
		if !slices.Contains(code, name) {
			t.Errorf("%s has a row for `%s`, which app does not start: take it out, or correct its name", architecturePage, name)
		}
	}
}

var goroutineRow = regexp.MustCompile("(?m)^\\| `([a-z]+\\.[A-Z]\\w*\\.\\w+)`")

// tableGoroutines returns the methods by which rows of a table begin.
func tableGoroutines(section string) (names []string) {
	for _, found := range goroutineRow.FindAllStringSubmatch(section, -1) {
		names = append(names, found[1])
	}
	return names
}

// wiring is what app/app.go and app/parts.go say of the parts, with the types of what they name.
type wiring struct {
	methods map[string]*ast.FuncDecl // of App
	fields  map[string]string        // of App: their types, as distress.Alarms
}

func readWiring(t *testing.T) *wiring {
	t.Helper()
	w := &wiring{methods: map[string]*ast.FuncDecl{}, fields: map[string]string{}}
	for _, name := range []string{"app/app.go", "app/parts.go"} {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Recv != nil {
				w.methods[decl.Name.Name] = decl
			}
		}
		ast.Inspect(file, w.readFields)
	}
	return w
}

// readFields reads the fields of App, and reports whether to look further.
func (w *wiring) readFields(n ast.Node) bool {
	spec, ok := n.(*ast.TypeSpec)
	if !ok || spec.Name.Name != "App" {
		return true
	}
	if of, ok := spec.Type.(*ast.StructType); ok {
		for _, field := range of.Fields.List {
			for _, name := range field.Names {
				w.fields[name.Name] = typeName(field.Type)
			}
		}
	}
	return false
}

// typeName returns the name of a type with that of its package, without a pointer.
func typeName(x ast.Expr) string {
	name := strings.TrimPrefix(types.ExprString(x), "*")
	if !strings.Contains(name, ".") {
		name = "app." + name
	}
	return name
}

// methodBody returns the body of a method of App.
func (w *wiring) methodBody(t *testing.T, name string) *ast.BlockStmt {
	t.Helper()
	decl := w.methods[name]
	if decl == nil || decl.Body == nil {
		t.Fatalf("app has no method %s of App: docs_test.go reads it", name)
	}
	return decl.Body
}

// typeOf returns the type of a field of App, of a value that is made at its place, of App itself, or of a variable; "" where that is not known.
func (w *wiring) typeOf(x ast.Expr, variables map[string]string) string {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return w.fields[x.Sel.Name]
	case *ast.UnaryExpr:
		return w.typeOf(x.X, variables)
	case *ast.CompositeLit:
		return typeName(x.Type)
	case *ast.Ident:
		return variables[x.Name]
	}
	return ""
}

// partValues returns what the list of parts gives under a key, in its order, and the variables of the list.
func (w *wiring) partValues(t *testing.T, key string) (values []ast.Expr, variables map[string]string) {
	t.Helper()
	variables = map[string]string{"a": "app.App"}
	ast.Inspect(w.methodBody(t, "parts"), func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if made, ok := n.Rhs[0].(*ast.CompositeLit); ok && made.Type != nil {
				variables[types.ExprString(n.Lhs[0])] = typeName(made.Type)
			}
		case *ast.KeyValueExpr:
			if types.ExprString(n.Key) == key {
				values = append(values, n.Value)
			}
		}
		return true
	})
	return values, variables
}

// listObservers returns the types of the observers, in their order. The store is the first.
func (w *wiring) listObservers(t *testing.T) (names []string) {
	t.Helper()
	values, variables := w.partValues(t, "observe")
	names = []string{w.fields["db"]}
	for _, x := range values {
		name := w.typeOf(x, variables)
		if name == "" {
			t.Errorf("app/parts.go gives the picture %s, whose type is not known here: give it a field of App", types.ExprString(x))
		}
		names = append(names, name)
	}
	return names
}

// listGoroutines returns the methods that the parts run, each in a goroutine of its own, and those of the store, the picture and the feeds.
func (w *wiring) listGoroutines(t *testing.T) (names []string) {
	t.Helper()
	values, variables := w.partValues(t, "run")
	for _, x := range append(values, w.startedBeside(t)...) {
		method := calledMethod(x)
		if method == nil || w.typeOf(method.X, variables) == "" {
			t.Errorf("app runs %s, and what it calls is not known: name a method of App, of a field of it, or of a variable", types.ExprString(x))
			continue
		}
		names = append(names, w.typeOf(method.X, variables)+"."+method.Sel.Name)
	}
	return names
}

// startedBeside returns the literals of functions that App.Run itself hands to run, but for that of the list of parts.
func (w *wiring) startedBeside(t *testing.T) (literals []ast.Expr) {
	t.Helper()
	ast.Inspect(w.methodBody(t, "Run"), func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && types.ExprString(call.Fun) == "run" && len(call.Args) == 3 && types.ExprString(call.Args[1]) != "p.name" {
			literals = append(literals, call.Args[2])
		}
		return true
	})
	return literals
}

// calledMethod returns a method that is handed over, or the method whose call a literal of a function returns at its end; nil for neither.
func calledMethod(x ast.Expr) *ast.SelectorExpr {
	if method, ok := x.(*ast.SelectorExpr); ok {
		return method
	}
	literal, ok := x.(*ast.FuncLit)
	if !ok || len(literal.Body.List) == 0 {
		return nil
	}
	end := literal.Body.List[len(literal.Body.List)-1]
	if back, ok := end.(*ast.ReturnStmt); ok && len(back.Results) == 1 {
		if call, ok := back.Results[0].(*ast.CallExpr); ok {
			method, _ := call.Fun.(*ast.SelectorExpr)
			return method
		}
	}
	return nil
}
