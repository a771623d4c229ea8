package rule_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"quaywatch/internal/rule"
)

func TestSentences(t *testing.T) {
	inner := rule.New("unknown_field", "unknown field '{name}'", "name", "{max}")
	outer := rule.New("filter", "filter, character {offset}: {problem}", "offset", 7, "problem", inner)
	if got := outer.Error(); got != "filter, character 7: unknown field '{max}'" {
		t.Error(got)
	}
	body, err := json.Marshal(outer)
	want := `{"rule":"filter","params":{"offset":7,"problem":{"rule":"unknown_field","params":{"name":"{max}"},"detail":"unknown field '{max}'"}},` +
		`"detail":"filter, character 7: unknown field '{max}'"}`
	if err != nil || string(body) != want {
		t.Errorf("%s %v", body, err)
	}
	if of := rule.Of(fs.ErrExist); of.Word != "other" || of.Error() != fs.ErrExist.Error() {
		t.Error(of)
	}
}

// TestEachRuleHasOneSentence reads every call of New in the sources. Words, sentences and names of params are literals. A word has one
// sentence, and a sentence has one word. A sentence names its params and no others.
func TestEachRuleHasOneSentence(t *testing.T) {
	sentences, words := map[string]string{}, map[string]string{}
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() && slices.Contains([]string{"node_modules", ".git", "shared"}, entry.Name()) {
			return filepath.SkipDir
		}
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || !isNew(call, file.Name.Name) {
				return true
			}
			word, text := literal(t, path, call.Args[0]), literal(t, path, call.Args[1])
			if !regexp.MustCompile(`^[a-z][a-z0-9_]*$`).MatchString(word) {
				t.Errorf("%s: %q is no word in snake_case", path, word)
			}
			if was, there := sentences[word]; there && was != text {
				t.Errorf("%s: %s says %q, and elsewhere %q", path, word, text, was)
			}
			if was, there := words[text]; there && was != word {
				t.Errorf("%s: %q is %s, and elsewhere %s", path, text, word, was)
			}
			sentences[word], words[text] = text, word
			checkParams(t, path, call, text)
			return true
		})
		return nil
	})
	if err != nil || len(sentences) < 100 {
		t.Fatalf("%d rules: %v", len(sentences), err)
	}
}

// isNew reports whether a call is of rule.New.
func isNew(call *ast.CallExpr, in string) bool {
	if s, ok := call.Fun.(*ast.SelectorExpr); ok {
		pkg, ok := s.X.(*ast.Ident)
		return ok && pkg.Name == "rule" && s.Sel.Name == "New"
	}
	f, ok := call.Fun.(*ast.Ident)
	return ok && in == "rule" && f.Name == "New"
}

func literal(t *testing.T, path string, e ast.Expr) string {
	t.Helper()
	lit, ok := e.(*ast.BasicLit)
	if !ok || lit.Kind != token.STRING {
		t.Errorf("%s: word, sentence and names of params must be string literals", path)
		return ""
	}
	text, err := strconv.Unquote(lit.Value)
	if err != nil {
		t.Error(err)
	}
	return text
}

func checkParams(t *testing.T, path string, call *ast.CallExpr, text string) {
	t.Helper()
	var given, named []string
	for i := 2; i < len(call.Args); i += 2 {
		given = append(given, literal(t, path, call.Args[i]))
	}
	for _, match := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(text, -1) {
		named = append(named, match[1])
	}
	slices.Sort(given)
	slices.Sort(named)
	named = slices.Compact(named) // a sentence may say a value twice
	if !slices.Equal(given, named) || len(call.Args)%2 != 0 {
		t.Errorf("%s: %q names %v and is given %v", path, text, named, given)
	}
}
