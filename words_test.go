package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// longest is how many words a sentence has at most.
const longest = 25

// words is how the house speaks, counted over the Go files that are no tests and over the pages.
type words struct {
	gives    []string // doc comments of functions that say "gives" or "tells whether", where Go says "returns" and "reports whether"
	short    []string // unexported functions whose name is a single word
	all      int      // unexported functions
	one      []string // identifiers named one
	comments []string // sentences of comments that are too long
	pages    []string // sentences of pages that are too long
}

// TestWordsOfTheHouse holds the figures of how the house speaks. They may fall, and not grow: a figure that is lower than here belongs here.
func TestWordsOfTheHouse(t *testing.T) {
	w := wordsOf(t)
	if dir := os.Getenv("QUAYWATCH_WORDS"); dir != "" {
		for name, list := range map[string][]string{"gives": w.gives, "short": w.short, "one": w.one, "comments": w.comments, "pages": w.pages} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(list, "\n")), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, figure := range []struct {
		what      string
		is, least int
	}{
		{`doc comments of functions with "gives" or "tells whether"`, len(w.gives), 0},
		{"names of unexported functions with a single word, in a thousand", len(w.short) * 1000 / w.all, 271},
		{"identifiers named one", len(w.one), 0},
		{"sentences of comments above 25 words", len(w.comments), 0},
		{"sentences of pages above 25 words", len(w.pages), 0},
	} {
		t.Logf("%d %s", figure.is, figure.what)
		if figure.is > figure.least {
			t.Errorf("%d %s, and there were %d", figure.is, figure.what, figure.least)
		}
	}
}

func wordsOf(t *testing.T) *words {
	w := &words{}
	err := filepath.WalkDir(".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			if slices.Contains([]string{"node_modules", ".git", ".test", "testdata", "dist"}, entry.Name()) {
				return filepath.SkipDir
			}
		case strings.HasSuffix(path, ".md"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			w.pages = append(w.pages, tooLong(path, prose(string(text)))...)
		case strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go"):
			return w.file(path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// saysGives finds what Go calls "returns" and "reports whether"; what a function gives back, gives up or gives way to is something else.
var saysGives = regexp.MustCompile(`(?:^\w+|\b[Ii]t|\band)\s+(?:gives\s+(\w+)|tells\s+whether)\b`)

func givesResult(doc string) bool {
	for _, found := range saysGives.FindAllStringSubmatch(doc, -1) {
		if !slices.Contains([]string{"way", "up", "back", "out", "in", "off"}, found[1]) {
			return true
		}
	}
	return false
}

// hasResults reports whether an expression is the type of a function that returns something.
func hasResults(x ast.Expr) bool {
	f, ok := x.(*ast.FuncType)
	return ok && f.Results != nil
}

// file counts in a Go file.
func (w *words) file(path string) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	at := func(n ast.Node) string { return set.Position(n.Pos()).String() }
	for _, group := range file.Comments {
		w.comments = append(w.comments, tooLong(at(group), prose(group.Text()))...)
	}
	note := func(doc *ast.CommentGroup, of ast.Expr) {
		if doc != nil && hasResults(of) && givesResult(doc.Text()) {
			w.gives = append(w.gives, fmt.Sprintf("%s %s", at(doc), strings.TrimSpace(doc.Text())))
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			note(n.Doc, n.Type)
			if name := n.Name.Name; !n.Name.IsExported() && name != "main" && name != "init" {
				if w.all++; !strings.ContainsFunc(name, unicode.IsUpper) {
					w.short = append(w.short, at(n)+" "+name)
				}
			}
		case *ast.Field:
			note(n.Doc, n.Type)
		case *ast.TypeSpec:
			note(n.Doc, n.Type)
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					note(n.Doc, spec.Type)
				}
			}
		case *ast.Ident:
			if n.Name == "one" {
				w.one = append(w.one, at(n))
			}
		}
		return true
	})
	return nil
}

var (
	endsSentence = regexp.MustCompile(`[.!?]["')*_]*(\s+|$)`)
	code         = regexp.MustCompile("`[^`]*`")
)

// tooLong returns the sentences of some paragraphs that have too many words.
func tooLong(at string, paragraphs []string) (long []string) {
	for _, paragraph := range paragraphs {
		for _, sentence := range endsSentence.Split(code.ReplaceAllString(paragraph, "code"), -1) {
			if n := len(strings.Fields(sentence)); n > longest {
				long = append(long, fmt.Sprintf("%s (%d) %s", at, n, strings.Join(strings.Fields(sentence), " ")))
			}
		}
	}
	return long
}

// prose returns the paragraphs and items of lists of a page or a comment, without its tables, its code and what it quotes.
func prose(text string) (parts []string) {
	inCode := false
	next := func() { parts = append(parts, "") }
	next()
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			inCode = !inCode
			next()
		case inCode, line[0] == '\t', strings.ContainsAny(trimmed[:min(1, len(trimmed))], "|#>"), trimmed == "":
			next()
		case strings.HasPrefix(trimmed, "- "), strings.HasPrefix(trimmed, "* "):
			next()
			parts[len(parts)-1] = trimmed[2:] + "\n"
		default:
			parts[len(parts)-1] += line
		}
	}
	return parts
}
