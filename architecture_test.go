//go:build !race

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// folders are those of the root, the highest first. A folder imports only folders that stand behind it. Folders of one line do not import each other.
var folders = [][]string{
	{"e2e"}, {"main"}, {"app"}, {"handlers"}, {"web", "stream", "notify"}, {"sight"}, {"engine"}, {"users", "box"}, {"store", "traffic"}, {"form"}, {"ship"},
	{"ais", "render"}, {"geo"}, {"internal"},
}

// floors gives each package its floor within its folder. An import within a folder goes to a lower floor.
var floors = map[string]int{
	"main":           0,
	"e2e/acceptance": 0,
	"internal/await": 0, "internal/admission": 1, "internal/ahead": 1, "internal/country": 1, "internal/fairshare": 1, "internal/fold": 1, "internal/rule": 1,
	"internal/wake": 1, "internal/jobs": 2,
	"geo": 0, "geo/chart/land": 1, "geo/chart/water": 1, "geo/grid": 1, "geo/route/queue": 1, "geo/chart": 2, "geo/route/sea": 2, "geo/route/fairway": 3,
	"geo/route/passage": 3, "geo/route/graph": 4, "geo/route": 5,
	"render": 0, "render/geotiff": 0,
	"ais/recall": 0, "ais/stationclock": 0, "ais": 1, "ais/feed/format": 2, "ais/logtime": 2, "ais/sim": 2, "ais/feed": 3, "ais/sixbit": 4,
	"ship": 0, "ship/berthing": 1, "ship/destination": 1, "ship/learn": 1, "ship/portcall": 1, "ship/reading": 1, "ship/receiver": 1, "ship/rows": 1,
	"ship/statistic": 1, "ship/statistic/mixture": 1, "ship/watchdog": 1,
	"form": 0, "form/phone": 1,
	"store/files": 0, "store/outage": 0, "store/unconfirmed": 0, "store/pages": 1, "store/track": 1, "store/copies": 2, "store/feedset": 2, "store/layout": 2, "store/stall": 0,
	"store/mend": 2, "store/wal": 2, "store/records": 3, "store": 4, "store/salvage": 5, "store/former": 6,
	"traffic":     0,
	"box/backups": 0, "box/certs": 1, "box/health": 2,
	"users/document": 0, "users/access/audit": 1, "users/access/right": 1, "users/access/filter": 2, "users/registry/portfile": 2, "users/access": 3,
	"users/library": 3, "users/registry": 3, "users/selection": 3, "users": 4,
	"engine/watchdogs/ceiling": 0, "engine/watchdogs/playback": 0, "engine/distress": 1, "engine/portcalls": 1, "engine/safety": 1, "engine/messages": 2,
	"engine/portcalls/portlist": 2, "engine/tracking": 3, "engine/watchdogs/reason": 4, "engine/watchdogs": 5, "engine/alert": 6,
	"engine/stats/past": 7, "engine/stats/repeat": 7, "engine/stats/scan": 7, "engine/stats": 8,
	"sight": 0, "sight/telling": 1,
	"notify/outbound": 0, "notify/mqtt": 1, "notify/sms": 1, "notify/webhook": 1, "notify": 2, "notify/hail": 3, "notify/mail": 3, "notify/redirect": 3,
	"stream": 0,
	"web":    0, "web/pack": 0,
	"handlers/inflight": 0, "handlers/request": 1, "handlers/wire": 1, "handlers/chart": 2, "handlers/distress": 2, "handlers/live": 2,
	"handlers/messages": 2, "handlers/ports": 2, "handlers/resolve": 2, "handlers/settings": 2, "handlers/status": 2, "handlers/ships": 3,
	"handlers/statistics": 3, "handlers/tracking": 3, "handlers/watchdogs": 3, "handlers/wms": 4, "handlers": 5,
	"app/control": 0, "app/config": 1, "app": 2, "app/command": 3,
}

// homes names the only packages that may import a library directly.
var homes = map[string][]string{
	"go.etcd.io/bbolt":                {"quaywatch/store", "quaywatch/store/copies", "quaywatch/store/records"},
	"github.com/gin-gonic/gin":        {"quaywatch/handlers"},
	"github.com/fogleman/gg":          {"quaywatch/render"},
	"github.com/adrianmo/go-nmea":     {"quaywatch/ais"},
	"github.com/tidwall/rtree":        {"quaywatch/traffic", "quaywatch/engine/watchdogs", "quaywatch/engine/stats", "quaywatch/geo/chart"},
	"go.bug.st/serial":                {"quaywatch/ais/feed"},
	"golang.org/x/text":               {"quaywatch/internal/fold"},
	"golang.org/x/crypto/acme":        {"quaywatch/box/certs"},
	"github.com/hashicorp/golang-lru": {"quaywatch/geo/chart"},
	"github.com/KimMachineGun":        {"quaywatch/app/command"},
	"github.com/wneessen/go-mail":     {"quaywatch/notify/mail"},
	"github.com/BertoldVdb/go-ais":    {},
	"quaywatch/users/access/filter":   {"quaywatch/users/access", "quaywatch/sight"},
	"quaywatch/handlers":              {"quaywatch/app", "quaywatch/app/command", "quaywatch/app/config"},
	"quaywatch/ais/feed":              {"quaywatch/app", "quaywatch/app/command", "quaywatch/app/config", "quaywatch/stream"},
	"quaywatch/ais/sim":               {"quaywatch/app/command"},
	"quaywatch/app/config":            {"quaywatch/app", "quaywatch/app/command"},
	"quaywatch/e2e/acceptance":        {},
	"quaywatch/internal/await":        {}, // only tests wait for others

	"github.com/eclipse/paho.mqtt.golang": {"quaywatch/notify/mqtt"},
}

// closed names what the ground packages may not import: they open nothing.
var closed = []string{"net", "net/http", "os/exec", "syscall"}

// TestImportLaws holds the laws of CONTRIBUTING.md against what the packages import.
func TestImportLaws(t *testing.T) {
	out, err := exec.Command("go", "list", "-tags", "nomsgpack", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		pkg, imports, _ := strings.Cut(strings.TrimSpace(line), " ")
		if tool(pkg) {
			continue
		}
		seen++
		if _, known := floors[shortName(pkg)]; !known || folderFloor(pkg) < 0 {
			t.Errorf("%s has no floor: give it one in floors, and its folder one in folders", pkg)
		}
		for imported := range strings.FieldsSeq(imports) {
			checkImport(t, pkg, imported)
		}
	}
	if seen < 10 {
		t.Fatalf("only %d packages seen", seen)
	}
}

// tool tells the programs that make or describe the product but are not part of it.
func tool(pkg string) bool {
	return strings.HasSuffix(pkg, "/gen") || strings.HasSuffix(pkg, "test") || strings.HasPrefix(pkg, "quaywatch/docs/") || pkg == "quaywatch/internal/suite"
}

// shortName returns the name of a package without that of the module, and main for the root.
func shortName(pkg string) string {
	if pkg == "quaywatch" {
		return "main"
	}
	return strings.TrimPrefix(pkg, "quaywatch/")
}

// folderFloor returns how high the folder of a package stands, below 0 for a folder that is not listed.
func folderFloor(pkg string) int {
	folder, _, _ := strings.Cut(shortName(pkg), "/")
	at := slices.IndexFunc(folders, func(line []string) bool { return slices.Contains(line, folder) })
	if at < 0 {
		return -1
	}
	return len(folders) - at
}

// sameFolder reports whether two packages stand in one folder of the root.
func sameFolder(a, b string) bool {
	first, _, _ := strings.Cut(shortName(a), "/")
	second, _, _ := strings.Cut(shortName(b), "/")
	return first == second
}

func checkImport(t *testing.T, pkg, imported string) {
	t.Helper()
	if strings.HasPrefix(imported, "quaywatch/") {
		switch {
		case sameFolder(pkg, imported) && floors[shortName(imported)] >= floors[shortName(pkg)]:
			t.Errorf("%s imports %s, which is not below it", pkg, imported)
		case !sameFolder(pkg, imported) && folderFloor(imported) >= folderFloor(pkg):
			t.Errorf("%s imports %s, whose folder is not below that of the other", pkg, imported)
		}
	}
	for library, allowed := range homes {
		if (imported == library || strings.HasPrefix(imported, library+"/")) && !slices.Contains(allowed, pkg) && !strings.HasPrefix(pkg+"/", library+"/") {
			t.Errorf("%s imports %s; only %v may", pkg, imported, allowed)
		}
	}
	web := strings.HasPrefix(pkg, "quaywatch/handlers") && pkg != "quaywatch/handlers/status"
	if web && (imported == "quaywatch/traffic" || imported == "quaywatch/store") {
		t.Errorf("%s imports %s: what a caller may see is asked of sight", pkg, imported)
	}
	ground := []string{"quaywatch/internal/fold", "quaywatch/internal/country", "quaywatch/geo", "quaywatch/geo/route", "quaywatch/ais", "quaywatch/ais/feed/format", "quaywatch/ship"}
	if slices.Contains(ground, pkg) && slices.Contains(closed, imported) {
		t.Errorf("%s imports %s: it must open nothing", pkg, imported)
	}
}

// TestOwnPackagesKeepTheirNames holds that no file imports a package of the program under another name.
func TestOwnPackagesKeepTheirNames(t *testing.T) {
	seen := 0
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			if entry.IsDir() && entry.Name() == "node_modules" {
				return fs.SkipDir
			}
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, i := range file.Imports {
			if !strings.HasPrefix(i.Path.Value, `"quaywatch/`) {
				continue
			}
			seen++
			if i.Name != nil && i.Name.Name != "_" {
				t.Errorf("%s imports %s as %s: call it by its own name", path, i.Path.Value, i.Name.Name)
			}
		}
		return nil
	})
	if err != nil || seen < 1000 {
		t.Fatalf("%d imports seen, want at least 1000: %v", seen, err)
	}
}

// commonWords are names of types that Go's own packages and libraries use again and again; a package says what is meant.
var commonWords = []string{"Config", "Deps", "Error", "Key", "Kind", "Limits", "Log", "Options", "Query", "Reader", "Record", "Server", "Service", "Status", "Writer"}

// TestATypeHasItsOwnName holds that no two packages export a type of the same name, but for commonWords.
func TestATypeHasItsOwnName(t *testing.T) {
	out, err := exec.Command("go", "list", "-tags", "nomsgpack", "-f", "{{.ImportPath}} {{.Dir}} {{join .GoFiles \" \"}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := map[string]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if tool(words[0]) {
			continue
		}
		for _, name := range exportedTypes(t, words[1], words[2:]) {
			if other, twice := seen[name]; twice && !slices.Contains(commonWords, name) {
				t.Errorf("%s and %s export a type %s: give each the name of what it is", other, words[0], name)
			}
			seen[name] = words[0]
		}
	}
	if len(seen) < 400 {
		t.Fatalf("only %d types seen", len(seen))
	}
}

// exportedTypes returns the names of the types that files export.
func exportedTypes(t *testing.T, dir string, files []string) (names []string) {
	t.Helper()
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			decl, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, spec := range decl.Specs {
				if s, ok := spec.(*ast.TypeSpec); ok && s.Name.IsExported() {
					names = append(names, s.Name.Name)
				}
			}
		}
	}
	return names
}

// unjudged are the types and functions that tell of calls, tracks, texts and events what nobody decided as yet who is told.
var unjudged = []string{
	"portcalls.Calls", "portcalls.InPort", "portcalls.Lain", "tracking.TrackedShips", "messages.List", "messages.KeptMessage",
	"stats.Record", "Stats.Part", "Stats.Result", "watchdogs.InsideNow", "watchdogs.ListedNow", "watchdogs.LastEvents", "watchdogs.WantedBy", "Watch.Get", "Watch.AlteredSince",
}

// TestAreasAskTelling holds that areas of the interface read calls, tracks, texts and events by telling alone. handlers/areas.go hands these to it.
func TestAreasAskTelling(t *testing.T) {
	files, err := filepath.Glob("handlers/*/*.go")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if x, ok := n.(*ast.SelectorExpr); ok && slices.Contains(unjudged, lastName(x.X)+"."+x.Sel.Name) {
				t.Errorf("%s uses %s.%s: what a caller is told is asked of telling", name, lastName(x.X), x.Sel.Name)
			}
			return true
		})
	}
}

// lastName returns the last name of an expression, as that of a field or a package.
func lastName(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.SelectorExpr:
		return x.Sel.Name
	case *ast.Ident:
		return x.Name
	}
	return ""
}

// roomy are the packages that may have more lines and files than others.
var roomy = []string{"quaywatch/ais", "quaywatch/handlers"}

// TestRoomsStaySmall holds the bars of size: files and lines of a package, methods of a type, and exported names of access.
func TestRoomsStaySmall(t *testing.T) {
	out, err := exec.Command("go", "list", "-tags", "nomsgpack", "-f", "{{.ImportPath}} {{.Dir}} {{join .GoFiles \" \"}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		if tool(words[0]) {
			continue
		}
		s := sizeOf(t, words[1], words[2:])
		most, large := 5000, slices.Contains(roomy, words[0])
		if large {
			most = 6500
		}
		if s.lines > most || s.files > 30 && !large {
			t.Errorf("%s has %d files and %d lines", words[0], s.files, s.lines)
		}
		for receiver, n := range s.methods {
			if words[0]+"."+receiver != "quaywatch/store.DB" && (n > 60 || s.exported[receiver] > 40) {
				t.Errorf("%s.%s has %d methods, %d of them exported", words[0], receiver, n, s.exported[receiver])
			}
		}
		if words[0] == "quaywatch/users/access" && s.names >= 180 {
			t.Errorf("%s exports %d names and methods", words[0], s.names)
		}
	}
}

// mostLines is how long a file of the program may be, without its tests.
const mostLines = 450

// TestFilesAreShort holds that no file of the program has more than mostLines lines.
func TestFilesAreShort(t *testing.T) {
	out, err := exec.Command("go", "list", "-tags", "nomsgpack", "-f", "{{$d := .Dir}}{{range .GoFiles}}{{$d}}/{{.}}\n{{end}}", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	seen := 0
	for path := range strings.Lines(string(out)) {
		if path = strings.TrimSpace(path); path == "" {
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		seen++
		if n := strings.Count(string(text), "\n"); n > mostLines {
			t.Errorf("%s has %d lines, more than %d: cut it by what it is about", path, n, mostLines)
		}
	}
	if seen < 500 {
		t.Fatalf("only %d files seen", seen)
	}
}

// size is how large a package is, without its tests.
type size struct {
	files, lines, names int
	methods, exported   map[string]int // by type
}

func sizeOf(t *testing.T, dir string, files []string) size {
	t.Helper()
	s := size{files: len(files), methods: map[string]int{}, exported: map[string]int{}}
	for _, name := range files {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		s.lines += strings.Count(string(text), "\n")
		for _, d := range file.Decls {
			s.count(d)
		}
	}
	return s
}

func (s *size) count(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() {
			s.names++
		}
		if d.Recv == nil {
			return
		}
		receiver := strings.TrimPrefix(types.ExprString(d.Recv.List[0].Type), "*")
		s.methods[receiver]++
		if d.Name.IsExported() {
			s.exported[receiver]++
		}
	case *ast.GenDecl:
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ValueSpec:
				for _, name := range n.Names {
					s.note(name)
				}
			case *ast.TypeSpec:
				s.note(n.Name)
			}
			return true
		})
	}
}

// note counts a name of the package.
func (s *size) note(name *ast.Ident) {
	if name.IsExported() {
		s.names++
	}
}
