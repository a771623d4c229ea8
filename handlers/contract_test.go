package handlers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/getkin/kin-openapi/routers/legacy"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// contract is openapi.yaml. Each schema of an answer is compiled once: a new one for each answer took half of the time of these tests.
type contract struct {
	routers.Router
	mu       sync.Mutex // guards what follows
	compiler *jsonschema.Compiler
	tree     any                           // the document
	schemas  map[string]*jsonschema.Schema // by JSON pointer
}

// contractURL names the document where its schemas refer to it.
const contractURL = "urn:quaywatch"

// theContract is read once.
var theContract = sync.OnceValues(func() (*contract, error) {
	document, err := openAPIDocument()
	if err != nil {
		return nil, err
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(document)
	if err != nil {
		return nil, err
	}
	if err := doc.Validate(loader.Context); err != nil {
		return nil, err
	}
	text, err := json.Marshal(doc)
	if err != nil {
		return nil, err
	}
	tree, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	doc.Servers = nil
	router, err := legacy.NewRouter(doc)
	if err != nil {
		return nil, err
	}
	c := &contract{Router: router, compiler: jsonschema.NewCompiler(), tree: tree, schemas: map[string]*jsonschema.Schema{}}
	c.compiler.AssertFormat()
	return c, c.compiler.AddResource(contractURL, tree)
})

// schema returns the schema at a pointer.
func (c *contract) schema(pointer string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.schemas[pointer]; ok {
		return s, nil
	}
	s, err := c.compiler.Compile(contractURL + pointer)
	c.schemas[pointer] = s
	return s, err
}

// checkContract holds an answer against openapi.yaml. The client's files are no part of that. An unknown address or method stands in it
// nowhere, and its answer must be a problem document all the same.
func checkContract(t testing.TB, r *http.Request, a answer) {
	t.Helper()
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	route, params, err := c.FindRoute(r)
	if err != nil || a.status == http.StatusMethodNotAllowed {
		if a.status >= 400 && a.header.Get("Content-Type") != "application/problem+json" {
			t.Errorf("%s %s: %d is no problem document", r.Method, r.URL, a.status)
		}
		return
	}
	err = openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{Request: r, PathParams: params, Route: route},
		Status:                 a.status, Header: a.header,
		Options: &openapi3filter.Options{IncludeResponseStatus: true, MultiError: true, ExcludeResponseBody: true},
	})
	if err == nil && a.header.Get("Content-Encoding") == "" {
		err = c.checkBody(route, a)
	}
	if err != nil {
		t.Errorf("%s %s: against the contract: %v\n%.500s", r.Method, r.URL, err, a.body)
	}
}

// checkBody holds the body of an answer against what the contract says of its route, status and content type.
func (c *contract) checkBody(route *routers.Route, a answer) error {
	status := strconv.Itoa(a.status)
	said := route.Operation.Responses.Value(status)
	if said == nil {
		status, said = "default", route.Operation.Responses.Default()
	}
	if len(said.Value.Content) == 0 {
		return nil
	}
	kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";")
	if said.Value.Content.Get(kind) == nil {
		return fmt.Errorf("an answer %d of type %q is not described", a.status, kind)
	}
	if !strings.HasSuffix(kind, "json") {
		return nil // the contract says only that it is a text
	}
	pointer := said.Ref
	if pointer == "" {
		pointer = "#/paths/" + pointerPart(route.Path) + "/" + strings.ToLower(route.Method) + "/responses/" + status
	}
	schema, err := c.schema(pointer + "/content/" + pointerPart(kind) + "/schema")
	if err != nil {
		return err
	}
	body, err := jsonschema.UnmarshalJSON(bytes.NewReader(a.body))
	if err != nil {
		return err
	}
	return schema.Validate(body)
}

// pointerPart writes a part of a JSON pointer that stands in a URL.
func pointerPart(part string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B").Replace(part)
}

// TestThePackedContractIsTheContract: what the program answers with is what stands in openapi.yaml.
func TestThePackedContractIsTheContract(t *testing.T) {
	want, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if is, err := openAPIDocument(); err != nil || !bytes.Equal(is, want) {
		t.Errorf("openapi.yaml has changed: run go generate ./handlers (%v)", err)
	}
}

func TestEveryRouteIsInTheContractAndBack(t *testing.T) {
	document, err := openAPIDocument()
	if err != nil {
		t.Fatal(err)
	}
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(document)
	if err != nil {
		t.Fatal(err)
	}
	described := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			described[method+" "+path] = true
			switch operation.Extensions["x-maturity"] {
			case "EXPERIMENTAL", "PRODUCTION", "EXTRA":
			default:
				t.Errorf("%s %s: x-maturity is %v", method, path, operation.Extensions["x-maturity"])
			}
		}
	}
	for _, r := range (&Server{}).routeTable() {
		path := r.Path
		for part := range strings.SplitSeq(r.Path, "/") {
			if name, ok := strings.CutPrefix(part, ":"); ok {
				path = strings.Replace(path, part, "{"+name+"}", 1)
			}
		}
		if !described[r.Method+" "+path] {
			t.Errorf("%s %s is not in openapi.yaml", r.Method, path)
		}
		delete(described, r.Method+" "+path)
	}
	for left := range described {
		t.Errorf("%s is in openapi.yaml but not in the route table", left)
	}
}

// TestTheContractSaysEveryMember: a generated client gets an empty type for an object whose members are not named. Those that may have any members are known.
func TestTheContractSaysEveryMember(t *testing.T) {
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	anything := []string{"params", "properties", "picture"}
	objects := 0
	var walk func(name, path string, node any)
	walk = func(name, path string, node any) {
		switch node := node.(type) {
		case []any:
			for i, each := range node {
				walk(name, fmt.Sprintf("%s/%d", path, i), each)
			}
		case map[string]any:
			if kind := fmt.Sprint(node["type"]); kind == "object" || kind == "[object null]" {
				objects++
				said := false
				for _, key := range []string{"properties", "additionalProperties", "allOf", "anyOf", "oneOf"} {
					_, has := node[key]
					said = said || has
				}
				if !said && !slices.Contains(anything, name) {
					t.Errorf("%s: an object without members", path)
				}
			}
			for key, each := range node {
				walk(key, path+"/"+key, each)
			}
		}
	}
	walk("", "", c.tree)
	if objects < 200 {
		t.Errorf("only %d objects were seen", objects)
	}
}
