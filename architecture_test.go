//go:build !race

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// floors gives each package its floor; an import must go to a lower one.
var floors = map[string]int{
	"quaywatch/await": 1, // of the tests alone
	"quaywatch/rule":  5, "quaywatch/letters": 5,
	"quaywatch/wake": 5, "quaywatch/ahead": 5, "quaywatch/turns": 5, "quaywatch/places": 5,
	"quaywatch/geo": 10, "quaywatch/geo/grid": 11, "quaywatch/geo/chart/land": 11, "quaywatch/geo/chart/water": 11, "quaywatch/geo/chart": 12,
	"quaywatch/geo/route/sea": 12, "quaywatch/geo/route/queue": 11, "quaywatch/geo/route/passage": 13, "quaywatch/geo/route/fairway": 13, "quaywatch/geo/route/graph": 14, "quaywatch/geo/route": 15,
	"quaywatch/ais": 20, "quaywatch/ais/recall": 5, "quaywatch/ais/feed/format": 21, "quaywatch/ais/logtime": 21, "quaywatch/ais/feed": 22, "quaywatch/ais/sim": 21,
	"quaywatch/ship": 30, "quaywatch/ship/rows": 31, "quaywatch/ship/destination": 31, "quaywatch/ship/portcall": 31, "quaywatch/ship/learn": 31, "quaywatch/ship/berthing": 31, "quaywatch/ship/receiver": 31, "quaywatch/ship/watchdog": 31, "quaywatch/ship/statistic": 31, "quaywatch/ship/statistic/mixture": 31, "quaywatch/ship/reading": 31, "quaywatch/form": 35, "quaywatch/jobs": 35,
	"quaywatch/store/files": 37, "quaywatch/store/outage": 37, "quaywatch/store/feedset": 39, "quaywatch/store/strangers": 37, "quaywatch/store/track": 38, "quaywatch/store/copies": 39, "quaywatch/store/pages": 38, "quaywatch/store/mend": 39, "quaywatch/store/wal": 39, "quaywatch/traffic": 40, "quaywatch/store": 40, "quaywatch/store/salvage": 41, "quaywatch/backups": 42, "quaywatch/former": 42,
	"quaywatch/notify/outbound": 43, "quaywatch/notify/phone": 43, "quaywatch/notify/sms": 44, "quaywatch/notify/webhook": 44, "quaywatch/notify/mqtt": 44,
	"quaywatch/voyage": 50, "quaywatch/voyage/portlist": 51, "quaywatch/tracking": 52, "quaywatch/watch/ceiling": 31, "quaywatch/watch/playback": 31, "quaywatch/watch/reason": 55, "quaywatch/watch": 56, "quaywatch/alert": 57, "quaywatch/access/right": 48, "quaywatch/access/audit": 48, "quaywatch/access/filter": 49, "quaywatch/access": 50, "quaywatch/library": 50, "quaywatch/registry/portfile": 49, "quaywatch/registry": 50, "quaywatch/document": 45, "quaywatch/configured": 55, "quaywatch/selection": 50, "quaywatch/distress": 50, "quaywatch/messages": 51,
	"quaywatch/sight": 60, "quaywatch/telling": 62, "quaywatch/notify": 65, "quaywatch/notify/mail": 66, "quaywatch/stats/past": 60, "quaywatch/stats/repeat": 60, "quaywatch/stats/scan": 60, "quaywatch/stats": 61, "quaywatch/health": 61, "quaywatch/render": 70, "quaywatch/render/geotiff": 70,
	"quaywatch/safety/text": 31, "quaywatch/safety": 50, "quaywatch/hail": 66, "quaywatch/redirect": 66,
	"quaywatch/handlers/inflight": 79,
	"quaywatch/web":               80, "quaywatch/web/pack": 80, "quaywatch/handlers/call": 80, "quaywatch/handlers/wire": 80,
	"quaywatch/handlers/chart": 81, "quaywatch/handlers/config": 81, "quaywatch/handlers/distress": 81, "quaywatch/handlers/live": 81, "quaywatch/handlers/messages": 81, "quaywatch/handlers/named": 81, "quaywatch/handlers/ports": 81, "quaywatch/handlers/ships": 82, "quaywatch/handlers/tracks": 82, "quaywatch/handlers/watchdogs": 82, "quaywatch/handlers/statistics": 82, "quaywatch/handlers/wms": 83,
	"quaywatch/handlers/status": 81, "quaywatch/handlers": 89,
	"quaywatch/stream": 81, "quaywatch/control": 81, "quaywatch/certs": 45,
	"quaywatch/config": 90, "quaywatch/app": 91, "quaywatch/command": 92, "quaywatch": 93, "quaywatch/acceptance": 94,
}

// homes names the only packages that may import a library directly.
var homes = map[string][]string{
	"go.etcd.io/bbolt":                {"quaywatch/store", "quaywatch/store/copies"},
	"github.com/gin-gonic/gin":        {"quaywatch/handlers"},
	"github.com/fogleman/gg":          {"quaywatch/render"},
	"github.com/adrianmo/go-nmea":     {"quaywatch/ais"},
	"github.com/tidwall/rtree":        {"quaywatch/traffic", "quaywatch/watch", "quaywatch/stats", "quaywatch/geo/chart"},
	"go.bug.st/serial":                {"quaywatch/ais/feed"},
	"golang.org/x/text":               {"quaywatch/letters"},
	"golang.org/x/crypto/acme":        {"quaywatch/certs"},
	"github.com/hashicorp/golang-lru": {"quaywatch/geo/chart"},
	"github.com/KimMachineGun":        {"quaywatch/command"},
	"github.com/wneessen/go-mail":     {"quaywatch/notify/mail"},
	"github.com/BertoldVdb/go-ais":    {},
	"quaywatch/access/filter":         {"quaywatch/access", "quaywatch/sight"},
	"quaywatch/handlers":              {"quaywatch/app", "quaywatch/command", "quaywatch/config"},
	"quaywatch/ais/feed":              {"quaywatch/app", "quaywatch/command", "quaywatch/config", "quaywatch/stream"},
	"quaywatch/ais/sim":               {"quaywatch/command"},
	"quaywatch/config":                {"quaywatch/app", "quaywatch/command"},
	"quaywatch/acceptance":            {},
	"quaywatch/await":                 {}, // only tests wait for others

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
		floor, known := floors[pkg]
		if !known {
			t.Errorf("%s has no floor: give it one in floors", pkg)
		}
		for imported := range strings.FieldsSeq(imports) {
			checkImport(t, pkg, floor, imported)
		}
	}
	if seen < 10 {
		t.Fatalf("only %d packages seen", seen)
	}
}

// tool tells the programs that make or describe the product but are not part of it.
func tool(pkg string) bool {
	return strings.HasSuffix(pkg, "/gen") || strings.HasSuffix(pkg, "test") || strings.HasPrefix(pkg, "quaywatch/docs/") || pkg == "quaywatch/suite"
}

func checkImport(t *testing.T, pkg string, floor int, imported string) {
	t.Helper()
	if below, ours := floors[imported]; ours && below >= floor {
		t.Errorf("%s imports %s, which is not below it", pkg, imported)
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
	ground := []string{"quaywatch/letters", "quaywatch/geo", "quaywatch/geo/route", "quaywatch/ais", "quaywatch/ais/feed/format", "quaywatch/ship"}
	if slices.Contains(ground, pkg) && slices.Contains(closed, imported) {
		t.Errorf("%s imports %s: it must open nothing", pkg, imported)
	}
}

// unjudged are the types and functions that tell of calls, tracks, texts and events what nobody decided as yet who is told.
var unjudged = []string{
	"voyage.Voyages", "voyage.InPort", "voyage.Lain", "tracking.Tracks", "messages.List", "messages.Message",
	"watch.InsideNow", "watch.ListedNow", "watch.LastEvents", "watch.WantedBy", "Watch.Get", "Watch.AlteredSince",
}

// TestAreasAskTelling holds that areas of the interface read calls, tracks, texts and events by telling alone. handlers/server.go hands these to it.
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
var roomy = []string{"quaywatch/ais", "quaywatch/handlers", "quaywatch/store"}

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
		if words[0] == "quaywatch/access" && s.names >= 180 {
			t.Errorf("%s exports %d names and methods", words[0], s.names)
		}
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
