package requesttest

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// deepest bounds the values of schemas that hold themselves.
const deepest = 8

// sample makes a value of a schema, perhaps without some of what it may leave out.
func (m *Maker) sample(s *openapi3.Schema, depth int) any {
	if s == nil || depth > deepest {
		return nil
	}
	if chosen, ok := m.fixed(s); ok {
		return chosen
	}
	for _, choice := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		if len(choice) > 0 && s.Properties == nil {
			return m.sample(pick(m, choice).Value, depth+1)
		}
	}
	switch {
	case s.Type.Is("string"):
		return m.text(s)
	case s.Type.Is("integer"):
		return float64(m.random.IntN(1000))
	case s.Type.Is("number"):
		return m.random.Float64()*20 - 10
	case s.Type.Is("boolean"):
		return m.chance(2)
	case s.Type.Is("array"):
		return m.list(s, depth)
	}
	return m.object(s, depth)
}

// fixed returns a value that the schema itself names.
func (m *Maker) fixed(s *openapi3.Schema) (any, bool) {
	switch {
	case s.Example != nil && m.chance(2):
		return s.Example, true
	case len(s.Enum) > 0:
		return pick(m, s.Enum), true
	case s.Const != nil:
		return s.Const, true
	case s.Default != nil && m.chance(3):
		return s.Default, true
	}
	return nil, false
}

func (m *Maker) text(s *openapi3.Schema) string {
	if s.Format == "date-time" {
		return "2026-11-21T12:00:00Z"
	}
	if m.chance(3) {
		return m.odd()
	}
	return pick(m, m.names)
}

func (m *Maker) list(s *openapi3.Schema, depth int) any {
	n := m.random.IntN(4)
	if s.MinItems > 0 {
		n = int(s.MinItems)
	}
	list := make([]any, 0, n)
	for range n {
		if s.Items != nil {
			list = append(list, m.sample(s.Items.Value, depth+1))
		}
	}
	return list
}

func (m *Maker) object(s *openapi3.Schema, depth int) any {
	v := map[string]any{}
	m.members(v, s, depth)
	return v
}

// members adds what an object of the schema has, that of its parts too.
func (m *Maker) members(v map[string]any, s *openapi3.Schema, depth int) {
	for _, part := range s.AllOf {
		if depth < deepest {
			m.members(v, part.Value, depth+1)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || m.chance(3) {
			v[name] = m.sample(s.Properties[name].Value, depth+1)
		}
	}
	if extra := s.AdditionalProperties.Schema; extra != nil && m.chance(2) {
		v[m.odd()] = m.sample(extra.Value, depth+1)
	}
}
