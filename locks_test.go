//go:build !race

package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// lockSet is locks by their names: package, type and field.
type lockSet map[string]bool

// function is what is known of a function or of a literal.
type function struct {
	takes     lockSet // in itself or in what it calls
	callsBack bool    // it calls a function that it was given
	under     lockSet // the locks that are held when it does
	locks     []lockUse
	calls     []lockUse
}

// lockUse is a call, or the taking of a lock, while others are held.
type lockUse struct {
	what   string
	held   lockSet
	at     token.Pos
	given  []string // the literals that are handed to what is called
	passes bool     // a function that this one was given is handed on
}

// program is the functions of packages by their names. A function in a field or a variable is not followed, nor is TryLock.
type program struct {
	fset      *token.FileSet
	functions map[string]*function
	methods   map[string][]string // of types of the program, by the name of the method
}

func readProgram(t *testing.T) *program {
	t.Helper()
	list := exec.Command("go", "list", "-trimpath", "-tags", "nomsgpack", "-export", "-deps", "-f", "{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{.GoFiles}}", "./...")
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{fset: token.NewFileSet(), functions: map[string]*function{}, methods: map[string][]string{}}
	exports := map[string]string{}
	var own [][]string
	for line := range strings.Lines(string(out)) {
		parts := strings.Split(strings.TrimSpace(line), "\t")
		exports[parts[0]] = parts[1]
		if strings.HasPrefix(parts[0], "quaywatch") {
			own = append(own, parts)
		}
	}
	imports := importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, parts := range own {
		p.add(t, imports, parts[0], parts[2], strings.Fields(strings.Trim(parts[3], "[]")))
	}
	return p
}

func (p *program) add(t *testing.T, imports types.Importer, path, dir string, names []string) {
	t.Helper()
	var files []*ast.File
	for _, name := range names {
		file, err := parser.ParseFile(p.fset, filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
		Selections: map[*ast.SelectorExpr]*types.Selection{}}
	config := types.Config{Importer: imports}
	if _, err := config.Check(path, p.fset, files, info); err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Body != nil {
				name := info.Defs[decl.Name].(*types.Func).FullName()
				w := &walker{program: p, info: info, name: name, function: p.function(name), params: map[types.Object]bool{}}
				w.parameters(decl.Type)
				if decl.Recv != nil {
					p.methods[decl.Name.Name] = append(p.methods[decl.Name.Name], name)
				}
				w.block(decl.Body, lockSet{})
			}
		}
	}
}

func (p *program) function(name string) *function {
	p.functions[name] = &function{takes: lockSet{}, under: lockSet{}}
	return p.functions[name]
}

// walker reads one function in the order of its statements.
type walker struct {
	*program
	*function
	info     *types.Info
	name     string
	params   map[types.Object]bool // of the function and those around it
	literals int
}

func (w *walker) parameters(of *ast.FuncType) {
	for _, field := range of.Params.List {
		for _, name := range field.Names {
			w.params[w.info.Defs[name]] = true
		}
	}
}

// block reads statements that begin with held, and returns what is held behind them; ended tells that nothing comes behind.
func (w *walker) block(b *ast.BlockStmt, held lockSet) (after lockSet, ended bool) {
	if b == nil {
		return held, false
	}
	return w.list(b.List, held)
}

func (w *walker) list(all []ast.Stmt, held lockSet) (after lockSet, ended bool) {
	held = maps.Clone(held)
	for _, s := range all {
		if held, ended = w.statement(s, held); ended {
			return held, true
		}
	}
	return held, false
}

// branches reads ways of which one is gone, and joins what may be held behind them.
func (w *walker) branches(held lockSet, must bool, ways ...[]ast.Stmt) (after lockSet, ended bool) {
	after, ended = lockSet{}, true
	if !must {
		maps.Copy(after, held)
		ended = false
	}
	for _, way := range ways {
		if behind, end := w.list(way, held); !end {
			maps.Copy(after, behind)
			ended = false
		}
	}
	return after, ended
}

func (w *walker) statement(s ast.Stmt, held lockSet) (after lockSet, ended bool) {
	switch s := s.(type) {
	case *ast.BlockStmt:
		return w.block(s, held)
	case *ast.IfStmt:
		if s.Init != nil {
			held, _ = w.statement(s.Init, held)
		}
		w.expression(s.Cond, held)
		if s.Else == nil {
			return w.branches(held, false, s.Body.List)
		}
		return w.branches(held, true, s.Body.List, []ast.Stmt{s.Else})
	case *ast.ForStmt:
		w.optional(held, s.Init, s.Post)
		w.expression(s.Cond, held)
		return w.branches(held, false, s.Body.List)
	case *ast.RangeStmt:
		w.expression(s.X, held)
		return w.branches(held, false, s.Body.List)
	case *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
		return w.cases(s, held)
	case *ast.LabeledStmt:
		return w.statement(s.Stmt, held)
	case *ast.GoStmt: // it runs without the locks of this one
		other := &walker{program: w.program, info: w.info, name: fmt.Sprint(w.name, "@", s.Pos()), params: w.params}
		other.function = w.program.function(other.name)
		other.expression(s.Call, lockSet{})
		return held, false
	case *ast.DeferStmt:
		if _, unlocks := w.lock(s.Call); !unlocks {
			w.expression(s.Call, held)
		}
		return held, false
	case *ast.ReturnStmt:
		for _, x := range s.Results {
			w.expression(x, held)
		}
		return held, true
	case *ast.BranchStmt:
		return held, true
	}
	return w.simple(s, held), false
}

func (w *walker) optional(held lockSet, all ...ast.Stmt) {
	for _, s := range all {
		if s != nil {
			w.statement(s, held)
		}
	}
}

func (w *walker) cases(s ast.Stmt, held lockSet) (after lockSet, ended bool) {
	var body *ast.BlockStmt
	switch s := s.(type) {
	case *ast.SwitchStmt:
		w.optional(held, s.Init)
		w.expression(s.Tag, held)
		body = s.Body
	case *ast.TypeSwitchStmt:
		w.optional(held, s.Init, s.Assign)
		body = s.Body
	case *ast.SelectStmt:
		body = s.Body
	}
	var ways [][]ast.Stmt
	for _, c := range body.List {
		switch c := c.(type) {
		case *ast.CaseClause:
			for _, x := range c.List {
				w.expression(x, held)
			}
			ways = append(ways, c.Body)
		case *ast.CommClause:
			if c.Comm != nil {
				ways = append(ways, append([]ast.Stmt{c.Comm}, c.Body...))
			} else {
				ways = append(ways, c.Body)
			}
		}
	}
	return w.branches(held, false, ways...)
}

// simple reads a statement without others in it. A lock is taken or given back by a statement of its own, or by a condition.
func (w *walker) simple(s ast.Stmt, held lockSet) lockSet {
	if x, ok := s.(*ast.ExprStmt); ok {
		if call, ok := x.X.(*ast.CallExpr); ok {
			if name, unlocks := w.lock(call); name != "" {
				held = maps.Clone(held)
				if unlocks {
					delete(held, name)
					return held
				}
				w.take(name, held, call.Pos())
				held[name] = true
				return held
			}
		}
	}
	ast.Inspect(s, func(n ast.Node) bool {
		if x, ok := n.(ast.Expr); ok {
			w.expression(x, held)
			return false
		}
		return true
	})
	return held
}

func (w *walker) take(name string, held lockSet, at token.Pos) {
	w.takes[name] = true
	w.locks = append(w.locks, lockUse{what: name, held: maps.Clone(held), at: at})
}

// lock returns the lock that a call takes or gives back.
func (w *walker) lock(call *ast.CallExpr) (name string, unlocks bool) {
	s, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return "", false
	}
	f, ok := w.info.Uses[s.Sel].(*types.Func)
	if !ok || f.Pkg() == nil || f.Pkg().Path() != "sync" {
		return "", false
	}
	switch f.Name() {
	case "Lock", "RLock":
	case "Unlock", "RUnlock":
		unlocks = true
	default:
		return "", false
	}
	field, ok := s.X.(*ast.SelectorExpr)
	if !ok {
		return w.name + "." + fmt.Sprint(s.X), unlocks
	}
	return types.TypeString(w.keeper(field), nil) + "." + field.Sel.Name, unlocks
}

// keeper returns the type that has a field, also where it is embedded in the type at hand.
func (w *walker) keeper(field *ast.SelectorExpr) types.Type {
	of := pointedTo(w.info.Types[field.X].Type)
	if chosen := w.info.Selections[field]; chosen != nil {
		for _, i := range chosen.Index()[:len(chosen.Index())-1] {
			of = pointedTo(of.Underlying().(*types.Struct).Field(i).Type())
		}
	}
	return of
}

// pointedTo returns a type without its pointer and its parameters.
func pointedTo(of types.Type) types.Type {
	if pointer, ok := of.(*types.Pointer); ok {
		of = pointer.Elem()
	}
	if named, ok := of.(*types.Named); ok {
		of = named.Origin()
	}
	return of
}

func (w *walker) expression(x ast.Expr, held lockSet) {
	if x == nil {
		return
	}
	ast.Inspect(x, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit: // it is kept, and called from a place that is not known
			w.literal(n)
			return false
		case *ast.CallExpr:
			w.call(n, held)
			return false
		}
		return true
	})
}

func (w *walker) literal(n *ast.FuncLit) (name string) {
	w.literals++
	name = fmt.Sprintf("%s$%d", w.name, w.literals)
	inner := &walker{program: w.program, info: w.info, name: name, function: w.program.function(name), params: w.params}
	inner.block(n.Body, lockSet{})
	return name
}

func (w *walker) call(n *ast.CallExpr, held lockSet) {
	use := lockUse{held: maps.Clone(held), at: n.Pos()}
	for _, arg := range slices.Concat(n.Args, []ast.Expr{n.Fun}) {
		switch arg := ast.Unparen(arg).(type) {
		case *ast.FuncLit:
			use.given = append(use.given, w.literal(arg))
		case *ast.Ident:
			use.passes = use.passes || arg != n.Fun && w.params[w.info.Uses[arg]] && isFunction(w.info.Uses[arg])
		case *ast.SelectorExpr:
			w.expression(arg.X, held)
		default:
			w.expression(arg, held)
		}
	}
	object := w.called(n.Fun)
	if w.params[object] {
		w.callsBack = true
		maps.Copy(w.under, held)
	}
	f, ok := object.(*types.Func)
	if !ok {
		w.calls = append(w.calls, use)
		return
	}
	names := []string{f.Origin().FullName()}
	if names[0] == "(*sync.WaitGroup).Go" {
		return // as a go statement
	}
	if recv := f.Signature().Recv(); recv != nil && types.IsInterface(recv.Type()) && strings.Contains(names[0], "quaywatch") {
		names = w.methods[f.Name()] // of each type that may stand behind it
	}
	for _, use.what = range names {
		w.calls = append(w.calls, use)
	}
}

func isFunction(o types.Object) bool {
	_, ok := o.Type().Underlying().(*types.Signature)
	return ok
}

// called returns the function or variable that a call names.
func (w *walker) called(fun ast.Expr) types.Object {
	switch f := ast.Unparen(fun).(type) {
	case *ast.Ident:
		return w.info.Uses[f]
	case *ast.SelectorExpr:
		return w.info.Uses[f.Sel]
	case *ast.IndexExpr:
		return w.called(f.X)
	}
	return nil
}

// settle follows all calls until nothing new is learnt.
func (p *program) settle() {
	size := func(f *function) int { return len(f.takes) + len(f.under) }
	for changed := true; changed; {
		changed = false
		for _, f := range p.functions {
			before, back := size(f), f.callsBack
			for _, c := range f.calls {
				callee := p.functions[c.what]
				if callee != nil {
					maps.Copy(f.takes, callee.takes)
				} else {
					callee = &function{callsBack: true} // of another module: it calls what it is given
				}
				if !callee.callsBack {
					continue
				}
				if c.passes {
					f.callBack(c.held, callee.under)
				}
				for _, name := range c.given {
					literal := p.functions[name]
					maps.Copy(f.takes, literal.takes)
					if literal.callsBack {
						f.callBack(c.held, callee.under, literal.under)
					}
				}
			}
			changed = changed || size(f) != before || f.callsBack != back
		}
	}
}

func (f *function) callBack(under ...lockSet) {
	f.callsBack = true
	for _, held := range under {
		maps.Copy(f.under, held)
	}
}

// nested returns each pair of locks of which the second is taken while the first is held, and a place where that is done.
func (p *program) nested() map[[2]string]token.Position {
	pairs := map[[2]string]token.Position{}
	note := func(held, taken lockSet, at token.Pos) {
		for first := range held {
			for second := range taken {
				pairs[[2]string{first, second}] = p.fset.Position(at)
			}
		}
	}
	for _, f := range p.functions {
		for _, l := range f.locks {
			note(l.held, lockSet{l.what: true}, l.at)
		}
		for _, c := range f.calls {
			callee := p.functions[c.what]
			if callee != nil {
				note(c.held, callee.takes, c.at)
			}
			for _, name := range c.given {
				if callee == nil || callee.callsBack {
					note(c.held, p.functions[name].takes, c.at)
				}
				if callee != nil {
					note(callee.under, p.functions[name].takes, c.at)
				}
			}
		}
	}
	return pairs
}

// TestLocksAreTakenInOrder holds the order of CONTRIBUTING.md in the whole program. A pair of locks that stands in it nowhere fails too.
func TestLocksAreTakenInOrder(t *testing.T) {
	order := []string{
		"sight.Sight.telling",
		"users/access.directory.writing", "users/library.Library.writing", "users/registry.Register.writing", "users/registry.PortTable.mu",
		"users/selection.Selections.mu",
		"engine/portcalls.Calls.writing", "engine/portcalls.Waters.writing", "engine/tracking.TrackedShips.writing", "engine/alert.Keeper.writing",
		"engine/stats.Statistics.writing", "engine/distress.Alarms.writing", "engine/watchdogs.Watch.making", "engine/watchdogs.Watch.writing",
		"notify.Outbox.writing", "engine/watchdogs.index.mu", "engine/watchdogs.altered.mu", "engine/watchdogs.lasts.mu",
		"engine/safety.Service.writing", "engine/safety.Service.mu", "engine/messages.kept.saving", "engine/messages.List.mu",
		"engine/alert.Planner.mu", "users/access.Sessions.mu", "users/access.Tokens.mu", "users/access.directory.mu", "users/library.Library.mu",
		"users/registry.Register.mu", "engine/distress.Alarms.mu", "engine/tracking.TrackedShips.mu", "engine/alert.Keeper.mu", "engine/watchdogs.Watch.mu",
		"engine/watchdogs.rolls.mu", "notify.Outbox.mu", "engine/stats.Statistics.mu", "engine/portcalls.Calls.mu", "engine/portcalls.Waters.mu",
		"engine/portcalls.lessons.mu", "engine/portcalls.presence.mu",
		"sight.pacedPictures.mu", "traffic.manualEdits.mu", "traffic.Picture.mu",
		"store/records.Database.copying", "store.DB.flushing", "store/records.Database.writing", "store/records.Database.swap", "store.DB.walMu",
		"store/records.later.mu", "users/access/audit.latest.mu",
		"store/records.touchedSet.mu", "store/records.writeCounts.mu", "store.DB.mu", "store.logFault.mu", "store/records.fault.mu", "store/records.damages.mu",
	}
	p := readProgram(t)
	p.settle()
	known := false
	for pair, at := range p.nested() {
		first, second := strings.TrimPrefix(pair[0], "quaywatch/"), strings.TrimPrefix(pair[1], "quaywatch/")
		if first == "traffic.Picture.mu" && first == second {
			continue // Restore makes every feed known before it takes the lock, so that feedOf does not take it again
		}
		i, k := slices.Index(order, first), slices.Index(order, second)
		if i < 0 || k < 0 || i >= k {
			t.Errorf("%s: takes %s while it holds %s", at, second, first)
		}
		known = known || first == "store/records.Database.writing" && second == "store/records.Database.swap"
	}
	if !known {
		t.Error("not even the commit of the store was seen to hold two locks")
	}
}

// TestAnInversionIsSeen: through calls, callbacks, literals and methods of an interface, and not behind an Unlock or in another goroutine.
func TestAnInversionIsSeen(t *testing.T) {
	const head = "package p\nimport \"sync\"\ntype T struct{ a, b sync.Mutex }\ntype I interface{ B() }\n" +
		"func (t *T) B() { t.b.Lock(); defer t.b.Unlock() }\nfunc call(f func()) { f() }\nfunc (t *T) under(f func()) { t.a.Lock(); f(); t.a.Unlock() }\n"
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "source", nil)
	for body, want := range map[string]bool{
		"t.a.Lock(); defer t.a.Unlock(); t.b.Lock()":                         true,
		"t.a.Lock(); t.B(); t.a.Unlock()":                                    true,
		"t.a.Lock(); i.B(); t.a.Unlock()":                                    true,
		"t.a.Lock(); call(func() { t.B() }); t.a.Unlock()":                   true,
		"t.under(func() { t.B() })":                                          true,
		"t.under(func() { call(func() { t.b.Lock() }) })":                    true,
		"if x { t.a.Lock() }; t.B()":                                         true,
		"for range 2 { t.a.Lock(); t.B(); t.a.Unlock() }":                    true,
		"t.a.Lock(); t.a.Unlock(); t.B()":                                    false,
		"if x { t.a.Lock(); t.a.Unlock(); return }; t.B()":                   false,
		"t.a.Lock(); go t.B(); t.a.Unlock()":                                 false,
		"var w sync.WaitGroup; t.a.Lock(); w.Go(func() { t.B() })":           false,
		"t.b.Lock(); defer t.b.Unlock(); t.a.Lock(); defer t.a.Unlock()":     false,
		"t.a.Lock(); f := func() { t.b.Lock() }; t.a.Unlock(); call(f); f()": false,
	} {
		file := filepath.Join(t.TempDir(), "p.go")
		source := head + "func f(t *T, i I, x bool) { " + body + " }\n"
		if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
			t.Fatal(err)
		}
		p := &program{fset: fset, functions: map[string]*function{}, methods: map[string][]string{}}
		p.add(t, imports, "quaywatch/p", "", []string{file})
		p.settle()
		if _, seen := p.nested()[[2]string{"quaywatch/p.T.a", "quaywatch/p.T.b"}]; seen != want {
			t.Errorf("%s: seen is %t", body, seen)
		}
	}
}
