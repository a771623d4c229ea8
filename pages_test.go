//go:build !race

package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// areaWords are the words by which README.md names the areas of the interface, below What is in it. They are looked for without regard to case.
var areaWords = map[string]string{
	"chart":      "offline map",
	"distress":   "alarms of distress",
	"live":       "server-sent events",
	"messages":   "texts about safety",
	"ports":      "calls at ports",
	"settings":   "users and their rights",
	"ships":      "search box",
	"statistics": "statistics",
	"status":     "page *system*",
	"tracking":   "tracked ships",
	"watchdogs":  "watchdogs",
	"wms":        "web map service",
}

// TestTheReadmeNamesEachArea holds README.md against the folders of handlers that have routes.
func TestTheReadmeNamesEachArea(t *testing.T) {
	areas := interfaceAreas(t)
	if len(areas) < 5 {
		t.Fatalf("only %d folders of handlers have a method Routes: correct how they are found", len(areas))
	}
	text := strings.ToLower(strings.Join(strings.Fields(readSection(t, "README.md", "What is in it")), " "))
	for _, area := range areas {
		switch word, known := areaWords[area]; {
		case !known:
			t.Errorf("area handlers/%s has no word: say in README.md what it is for, and give it that word in areaWords", area)
		case !strings.Contains(text, word):
			t.Errorf("README.md does not say %q of area handlers/%s below What is in it: add it, or correct areaWords", word, area)
		}
	}
	for area := range areaWords {
		if !slices.Contains(areas, area) {
			t.Errorf("areaWords names %s, and handlers/%s has no method Routes: take it out", area, area)
		}
	}
}

// interfaceAreas returns the folders of handlers that have a method Routes.
func interfaceAreas(t *testing.T) (areas []string) {
	t.Helper()
	files, err := filepath.Glob("handlers/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if decl, ok := d.(*ast.FuncDecl); ok && decl.Recv != nil && decl.Name.Name == "Routes" {
				areas = append(areas, filepath.Base(filepath.Dir(path)))
			}
		}
	}
	return areas
}

// TestTheReadmeLinksEachPage holds README.md against the pages of docs.
func TestTheReadmeLinksEachPage(t *testing.T) {
	var linked []string
	for _, link := range readLinks(t, "README.md") {
		path, _, _ := strings.Cut(link, "#")
		linked = append(linked, path)
	}
	for _, page := range docPages(t) {
		if !slices.Contains(linked, page) {
			t.Errorf("README.md does not link %s: add it to its list of pages", page)
		}
	}
}

// TestEachHeadingHasItsAnchor holds that the headings of a page give different anchors.
func TestEachHeadingHasItsAnchor(t *testing.T) {
	count := 0
	for _, page := range allPages(t) {
		seen := map[string]string{}
		for _, heading := range readHeadings(t, page) {
			anchor := headingAnchor(heading)
			if was, twice := seen[anchor]; twice {
				t.Errorf("%s has the headings %q and %q, which have the same anchor: give the second other words", page, was, heading)
			}
			seen[anchor] = heading
			count++
		}
	}
	if count < 100 {
		t.Errorf("the pages have %d headings, want at least 100: correct how they are found", count)
	}
}

// TestEachLinkLeadsSomewhere holds that links of pages lead to files that exist, and to headings that these have.
func TestEachLinkLeadsSomewhere(t *testing.T) {
	links, anchors := 0, 0
	for _, page := range allPages(t) {
		for _, link := range readLinks(t, page) {
			path, anchor, within := strings.Cut(link, "#")
			target := page
			if path != "" {
				target = filepath.Join(filepath.Dir(page), path)
			}
			links++
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links %s, and there is no such file: correct the link", page, link)
				continue
			}
			if !within {
				continue
			}
			anchors++
			if !slices.ContainsFunc(readHeadings(t, target), func(h string) bool { return headingAnchor(h) == anchor }) {
				t.Errorf("%s links %s, and %s has no such heading: correct the link", page, link, target)
			}
		}
	}
	if links < 50 || anchors < 10 {
		t.Errorf("the pages have %d links, %d of them to a heading, want at least 50 and 10: correct how they are found", links, anchors)
	}
}

// sourcePath is a file of the program as pages name it: with its folder, from the root.
var sourcePath = regexp.MustCompile("`([a-z][a-zA-Z0-9_.-]*(?:/[a-zA-Z0-9_.-]+)+\\.(?:go|ts|mjs|json|yaml|tsv|bin))`")

// TestEachFileOfAPageIsThere holds that the files which pages name exist.
func TestEachFileOfAPageIsThere(t *testing.T) {
	seen := 0
	for _, page := range allPages(t) {
		for _, found := range sourcePath.FindAllStringSubmatch(readPage(t, page), -1) {
			seen++
			if _, err := os.Stat(found[1]); err != nil {
				t.Errorf("%s names %s, and there is no such file: correct it", page, found[1])
			}
		}
	}
	if seen < 50 {
		t.Errorf("the pages name %d files, want at least 50: correct how they are found", seen)
	}
}

// docPages returns the pages of docs.
func docPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob("docs/*.md")
	if err != nil || len(pages) < 10 {
		t.Fatalf("there are %d pages in docs, want at least 10: %v", len(pages), err)
	}
	return pages
}

// allPages returns the pages whose headings and links are looked at.
func allPages(t *testing.T) []string {
	t.Helper()
	return append(docPages(t), "README.md", "CONTRIBUTING.md")
}

// readPage returns the text of a page.
func readPage(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// readSection returns the part of a page below a heading of the second level.
func readSection(t *testing.T, path, heading string) string {
	t.Helper()
	_, rest, found := strings.Cut(readPage(t, path), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("%s has no heading %q: a test reads the part below it", path, heading)
	}
	section, _, _ := strings.Cut(rest, "\n## ")
	return section
}

// readFence returns the first block of code of a section.
func readFence(t *testing.T, section string) string {
	t.Helper()
	_, rest, opens := strings.Cut(section, "\n```\n")
	block, _, closes := strings.Cut(rest, "\n```\n")
	if !opens || !closes {
		t.Fatalf("a section of %s has no block of code: a test reads it", architecturePage)
	}
	return block
}

// readProse returns the lines of a page outside of its blocks of code.
func readProse(t *testing.T, path string) (lines []string) {
	t.Helper()
	inCode := false
	for line := range strings.Lines(readPage(t, path)) {
		switch {
		case strings.HasPrefix(strings.TrimSpace(line), "```"):
			inCode = !inCode
		case !inCode:
			lines = append(lines, strings.TrimRight(line, "\r\n"))
		}
	}
	return lines
}

var headingLine = regexp.MustCompile(`^#{1,6} +(.*\S)\s*$`)

// readHeadings returns the headings of a page, of all levels.
func readHeadings(t *testing.T, path string) (headings []string) {
	t.Helper()
	for _, line := range readProse(t, path) {
		if found := headingLine.FindStringSubmatch(line); found != nil {
			headings = append(headings, found[1])
		}
	}
	return headings
}

// headingAnchor returns the anchor of a heading, as GitHub makes it.
func headingAnchor(heading string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case c == '-', c == '_', unicode.IsLetter(c), unicode.IsDigit(c):
			return unicode.ToLower(c)
		}
		return -1
	}, heading)
}

var linkTarget = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// readLinks returns where the links of a page lead, those to other sites left out.
func readLinks(t *testing.T, path string) (targets []string) {
	t.Helper()
	for _, line := range readProse(t, path) {
		for _, found := range linkTarget.FindAllStringSubmatch(line, -1) {
			if !strings.Contains(found[1], ":") {
				targets = append(targets, found[1])
			}
		}
	}
	return targets
}
