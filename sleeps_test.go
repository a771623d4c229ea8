package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// mostSleeps is how many sleeps of real time the tests may have, each with its reason.
const mostSleeps = 10

// sources are the parsed files of one folder.
type sources struct {
	fset  *token.FileSet
	files []*ast.File
}

// span is a piece of source.
type span struct{ from, to token.Pos }

// TestNoTestWaitsForTime counts the sleeps of real time in all tests, in the packages that are for tests, and in await. One in a bubble of
// testing/synctest takes no time and does not count. The others are few, and each says why it has to be.
func TestNoTestWaitsForTime(t *testing.T) {
	folders := map[string]*sources{}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || d.Name() == "testdata" || path != "." && strings.HasPrefix(d.Name(), ".")) {
			return filepath.SkipDir
		}
		dir := filepath.Dir(path)
		if !strings.HasSuffix(path, "_test.go") && (!strings.HasSuffix(path, ".go") || dir != "await" && !strings.HasSuffix(dir, "test")) {
			return nil
		}
		if folders[dir] == nil {
			folders[dir] = &sources{fset: token.NewFileSet()}
		}
		return folders[dir].add(path, nil)
	})
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, s := range folders {
		sleeps, bare := s.sleeps()
		count += len(sleeps)
		for _, at := range bare {
			t.Errorf("%s: sleeps, and no comment beside it or above it says why", at)
		}
		for _, at := range sleeps {
			t.Log(at)
		}
	}
	if count > mostSleeps || count == 0 {
		t.Errorf("the tests sleep in %d places, want at most %d and at least the one of await", count, mostSleeps)
	}
	if len(folders) < 50 {
		t.Errorf("only %d folders with tests were seen", len(folders))
	}
}

func (s *sources) add(path string, text any) error {
	file, err := parser.ParseFile(s.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
	s.files = append(s.files, file)
	return err
}

// sleeps returns where real time passes, and which of these places have no reason.
func (s *sources) sleeps() (all, bare []token.Position) {
	bubbles := s.bubbles()
	for _, file := range s.files {
		told := map[int]bool{} // lines that have a comment, or that one stands above of
		for _, group := range file.Comments {
			last := s.fset.Position(group.End()).Line
			told[last], told[last+1] = true, true
		}
		ways := map[ast.Node]bool{} // of a select: it waits for other things too
		ast.Inspect(file, func(n ast.Node) bool {
			if way, is := n.(*ast.CommClause); is && way.Comm != nil {
				ways[way.Comm] = true
			}
			if n == nil || ways[n] || !sleeps(n) || within(bubbles, n.Pos()) {
				return true
			}
			at := s.fset.Position(n.Pos())
			if all = append(all, at); !told[at.Line] {
				bare = append(bare, at)
			}
			return true
		})
	}
	return all, bare
}

// sleeps tells a call of time.Sleep, also where its name is handed on, and a statement that only receives from time.After.
func sleeps(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.SelectorExpr:
		return isName(n, "time", "Sleep")
	case *ast.ExprStmt:
		receives, is := n.X.(*ast.UnaryExpr)
		if !is || receives.Op != token.ARROW {
			return false
		}
		call, is := receives.X.(*ast.CallExpr)
		return is && isName(call.Fun, "time", "After")
	}
	return false
}

func isName(x ast.Expr, pkg, name string) bool {
	selector, is := x.(*ast.SelectorExpr)
	if !is || selector.Sel.Name != name {
		return false
	}
	of, is := selector.X.(*ast.Ident)
	return is && of.Name == pkg
}

// bubbles returns what runs by the clock of a bubble: what is handed to synctest.Test or to a helper that calls it, and each helper that is
// used nowhere else. Helpers are known by their names.
func (s *sources) bubbles() (all []span) {
	openers := s.openers()
	s.each(func(n ast.Node) {
		call, is := n.(*ast.CallExpr)
		if !is {
			return
		}
		if name := nameOf(call.Fun); isName(call.Fun, "synctest", "Test") || name != nil && openers[name.Name] {
			all = append(all, span{call.Lparen, call.Rparen})
		}
	})
	helpers := map[string]*ast.FuncDecl{}
	for _, file := range s.files {
		if !strings.HasSuffix(s.fset.Position(file.Pos()).Filename, "_test.go") {
			continue // others use it
		}
		for _, d := range file.Decls {
			if f, is := d.(*ast.FuncDecl); is && f.Body != nil {
				helpers[f.Name.Name] = f
			}
		}
	}
	for found := true; found; {
		found = false
		used, outside := map[string]bool{}, map[string]bool{}
		s.each(func(n ast.Node) {
			if name, is := n.(*ast.Ident); is && helpers[name.Name] != nil && helpers[name.Name].Name != name {
				used[name.Name] = true
				outside[name.Name] = outside[name.Name] || !within(all, name.Pos())
			}
		})
		for name, f := range helpers {
			if used[name] && !outside[name] && !within(all, f.Body.Lbrace) {
				all = append(all, span{f.Body.Lbrace - 1, f.Body.Rbrace})
				found = true
			}
		}
	}
	return all
}

// openers returns the names of functions, also of those in variables, that hand what they are given to a bubble.
func (s *sources) openers() map[string]bool {
	openers := map[string]bool{}
	opens := func(name *ast.Ident, of *ast.FuncType, body ast.Node) {
		takes := false
		for _, field := range of.Params.List {
			_, is := field.Type.(*ast.FuncType)
			takes = takes || is
		}
		ast.Inspect(body, func(n ast.Node) bool {
			if call, is := n.(*ast.CallExpr); is && takes && isName(call.Fun, "synctest", "Test") {
				openers[name.Name] = true
			}
			return true
		})
	}
	s.each(func(n ast.Node) {
		switch n := n.(type) {
		case *ast.FuncDecl:
			if n.Body != nil {
				opens(n.Name, n.Type, n.Body)
			}
		case *ast.AssignStmt:
			for i, right := range n.Rhs {
				literal, is := right.(*ast.FuncLit)
				if name, named := n.Lhs[i].(*ast.Ident); is && named {
					opens(name, literal.Type, literal.Body)
				}
			}
		}
	})
	return openers
}

func (s *sources) each(fn func(ast.Node)) {
	for _, file := range s.files {
		ast.Inspect(file, func(n ast.Node) bool {
			if n != nil {
				fn(n)
			}
			return true
		})
	}
}

func nameOf(x ast.Expr) *ast.Ident {
	switch x := x.(type) {
	case *ast.Ident:
		return x
	case *ast.SelectorExpr:
		return x.Sel
	case *ast.IndexExpr:
		return nameOf(x.X)
	}
	return nil
}

func within(all []span, at token.Pos) bool {
	for _, one := range all {
		if one.from < at && at < one.to {
			return true
		}
	}
	return false
}

// TestASleepIsSeen: which sleeps are of real time, and which have no reason.
func TestASleepIsSeen(t *testing.T) {
	for body, want := range map[string][2]int{
		"func TestA(t *testing.T) { time.Sleep(1) }":                                                                                                     {1, 1},
		"func TestA(t *testing.T) { time.Sleep(1) // so\n}":                                                                                              {1, 0},
		"func TestA(t *testing.T) {\n// so\ntime.Sleep(1)\n}":                                                                                            {1, 0},
		"func TestA(t *testing.T) {\n// so\n\ntime.Sleep(1)\n}":                                                                                          {1, 1},
		"func TestA(t *testing.T) { for ; ; time.Sleep(1) {\n}\n}":                                                                                       {1, 1},
		"func TestA(t *testing.T) { <-time.After(1) }":                                                                                                   {1, 1},
		"func TestA(t *testing.T) { nap := time.Sleep; nap(1) }":                                                                                         {1, 1},
		"func TestA(t *testing.T) { select { case <-time.After(1): case <-c: } }":                                                                        {0, 0},
		"func TestA(t *testing.T) { synctest.Test(t, func(t *testing.T) { time.Sleep(1) }) }":                                                            {0, 0},
		"func TestA(t *testing.T) { synctest.Test(t, func(t *testing.T) { }); time.Sleep(1) }":                                                           {1, 1},
		"func TestA(t *testing.T) { synctest.Test(t, f) }\nfunc f(t *testing.T) { time.Sleep(1) }":                                                       {0, 0},
		"func TestA(t *testing.T) { synctest.Test(t, f) }\nfunc f(t *testing.T) { g() }\nfunc g() { time.Sleep(1) }":                                     {0, 0},
		"func TestA(t *testing.T) { synctest.Test(t, f) }\nfunc TestB(t *testing.T) { f(t) }\nfunc f() {time.Sleep(1)}":                                  {1, 1},
		"func TestA(t *testing.T) { in(t, func() { time.Sleep(1) }) }\nfunc in(t *testing.T, f func()) { synctest.Test(t, func(t *testing.T) { f() }) }": {0, 0},
		"func TestA(t *testing.T) { in := func(f func()) { synctest.Test(t, func(t *testing.T) { f() }) }; in(func() { time.Sleep(1) }) }":               {0, 0},
		"func TestA(t *testing.T) { TestB(t, time.Sleep) }\nfunc TestB(t *testing.T) { synctest.Test(t, func(t *testing.T) { }) }":                       {1, 1},
	} {
		s := &sources{fset: token.NewFileSet()}
		if err := s.add("p_test.go", "package p\n"+body); err != nil {
			t.Fatal(err)
		}
		if all, bare := s.sleeps(); len(all) != want[0] || len(bare) != want[1] {
			t.Errorf("%s: %d sleeps, %d without a reason, want %v", body, len(all), len(bare), want)
		}
	}
}
