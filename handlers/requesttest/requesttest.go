// Package requesttest makes requests that no honest client sends, out of those that openapi.yaml describes: wrong types, huge and missing
// values, broken texts, foreign headers. Tests of the server and of the real binary hold that each gets an answer.
package requesttest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Unsigned is one request, before it is signed.
type Unsigned struct {
	Method string
	Target string // path and query, as they stand in the request line
	Header http.Header
	Body   []byte
}

// call is an operation of the description.
type call struct {
	method, path string
	parameters   openapi3.Parameters
	body         *openapi3.Schema
	examples     []any
}

// Maker makes requests. The same seed gives the same requests. One goroutine at a time may use it.
type Maker struct {
	random *rand.Rand
	calls  []call
	names  []string
	grown  bool // a list of the request that is being made was repeated
}

// New reads the description. The names are those of things that exist, for the parameters of paths.
func New(document []byte, seed uint64, names ...string) (*Maker, error) {
	loader := openapi3.NewLoader()
	doc, err := loader.LoadFromData(document)
	if err != nil {
		return nil, fmt.Errorf("read the description of the interface: %w", err)
	}
	m := &Maker{names: append(names, "219018765", "1", "0", "admin")}
	paths := doc.Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item := paths[path]
		operations := item.Operations()
		for _, method := range slices.Sorted(maps.Keys(operations)) {
			m.calls = append(m.calls, newCall(method, path, item, operations[method]))
		}
	}
	return m.Seeded(seed), nil
}

// Seeded returns another maker from the same description, which may make its requests at the same time.
func (m *Maker) Seeded(seed uint64) *Maker {
	return &Maker{random: rand.New(rand.NewPCG(seed, 0x72657175657374)), calls: m.calls, names: m.names}
}

func newCall(method, path string, item *openapi3.PathItem, operation *openapi3.Operation) call {
	c := call{method: method, path: path, parameters: append(slices.Clone(item.Parameters), operation.Parameters...)}
	if operation.RequestBody == nil {
		return c
	}
	content := operation.RequestBody.Value.Content.Get("application/json")
	if content == nil {
		return c
	}
	c.body = content.Schema.Value
	for _, name := range slices.Sorted(maps.Keys(content.Examples)) {
		c.examples = append(c.examples, content.Examples[name].Value.Value)
	}
	return c
}

// Next makes a request: right at first, then with a few faults, seldom none.
func (m *Maker) Next() Unsigned {
	c := &m.calls[m.random.IntN(len(m.calls))]
	m.grown = false
	r := Unsigned{Method: c.method, Header: http.Header{}}
	r.Target = m.target(c)
	var body any
	if c.body != nil {
		r.Header.Set("Content-Type", "application/json")
		if body = m.sampleValue(c.body, 0); len(c.examples) > 0 && m.chance(2) {
			body = c.examples[m.random.IntN(len(c.examples))]
		}
	}
	for range m.random.IntN(4) {
		body = m.changeValue(body)
	}
	if body != nil || m.chance(20) {
		r.Body, _ = json.Marshal(body) // what cannot be written, such as NaN, is an empty body
	}
	for m.chance(3) {
		m.spoil(&r)
	}
	return r
}

// chance is true once in n times.
func (m *Maker) chance(n int) bool { return m.random.IntN(n) == 0 }

func pickOne[T any](m *Maker, list []T) T { return list[m.random.IntN(len(list))] }

// target fills the parameters of a path, and some of the query.
func (m *Maker) target(c *call) string {
	path, query := c.path, url.Values{}
	for _, p := range c.parameters {
		switch p.Value.In {
		case "path":
			path = strings.ReplaceAll(path, "{"+p.Value.Name+"}", m.pathSegment())
		case "query":
			if m.chance(2) {
				query.Add(p.Value.Name, m.queryWord(p.Value.Schema))
			}
		}
	}
	if m.chance(10) {
		query.Add(m.odd(), m.odd())
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return path
}

// pathSegment is a part of a path, most often the name of a thing that exists.
func (m *Maker) pathSegment() string {
	if !m.chance(4) {
		return url.PathEscape(pickOne(m, m.names))
	}
	return strings.ReplaceAll(url.PathEscape(m.odd()), "+", "%2B")
}

// queryWord is a value of a query.
func (m *Maker) queryWord(schema *openapi3.SchemaRef) string {
	if schema == nil || m.chance(4) {
		return m.odd()
	}
	switch v := m.sampleValue(schema.Value, 0).(type) {
	case string:
		return v
	default:
		text, _ := json.Marshal(v)
		return string(text)
	}
}

// odd is a text that programs get wrong.
func (m *Maker) odd() string {
	switch m.random.IntN(12) {
	case 0:
		return ""
	case 1:
		return strings.Repeat("9", 1+m.random.IntN(400))
	case 2:
		return fmt.Sprint(m.oddNumber())
	case 3:
		return strings.Repeat(pickOne(m, []string{"(", "a*", "not ", "é", "\u0000", "[", "%", "x or "}), 1+m.random.IntN(3000))
	case 4:
		return string([]byte{byte(m.random.IntN(256)), byte(m.random.IntN(256)), byte(m.random.IntN(256))})
	case 5:
		return pickOne(m, []string{"../../etc/passwd", "..", ".", "/", "//", "\\", "*", "null", "true", "-", "+", " ", "\r\nX: y", "<script>", "'\"", "🚢"})
	case 6:
		return pickOne(m, []string{"2026-11-21T12:00:00Z", "9999-12-31", "0000-00-00", "now", "24:00:00", "P1Y", "-1:00:00", "2026-02-30T25:61:61Z"})
	case 7:
		return pickOne(m, []string{"-180,-90,180,90", "180,0,-180,1", "1,2,3", "nan,nan,nan,nan", "1e999,0,0,0", "10,56,11,57"})
	case 8:
		return pickOne(m, []string{"sog > 3", `name = "a*b*c*"`, `pos within circle(10, 56, 5)`, `shiplist = "Tugs"`, "not not not tanker",
			`pos within shape("x")`, "length >"})
	case 9:
		return pickOne(m, []string{"json", "geojson", "csv", "gpx", "kml", "xml"})
	case 10:
		return pickOne(m, m.names)
	}
	return fmt.Sprintf("n%d", m.random.IntN(50))
}

// oddNumber is a number that programs get wrong.
func (m *Maker) oddNumber() float64 {
	return pickOne(m, []float64{0, 1, -1, 0.5, 180, -180, 180.0000001, 90, -90, 91, 1 << 31, 1 << 32, 1 << 53, -1 << 53, 1e300, -1e300, 1e-300, 219018765, 1e15,
		float64(m.random.IntN(1000)), m.random.Float64()*360 - 180})
}

// anyValue is any value of JSON.
func (m *Maker) anyValue() any {
	switch m.random.IntN(7) {
	case 0:
		return nil
	case 1:
		return m.chance(2)
	case 2:
		return m.oddNumber()
	case 3:
		return m.odd()
	case 4:
		return make([]any, m.random.IntN(300))
	case 5:
		return map[string]any{m.odd(): m.odd()}
	}
	return m.nested()
}

// nested is deeper than any value that is meant.
func (m *Maker) nested() (v any) {
	for range m.random.IntN(60) {
		if m.chance(2) {
			v = []any{v}
		} else {
			v = map[string]any{pickOne(m, []string{"filter", "coordinates", "a", "type"}): v}
		}
	}
	return v
}
