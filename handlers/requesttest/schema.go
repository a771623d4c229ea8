package requesttest

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// deepest bounds the values of schemas that hold themselves.
const deepest = 8

// sampleValue makes a value of a schema, perhaps without some of what it may leave out.
func (m *Maker) sampleValue(s *openapi3.Schema, depth int) any {
	if s == nil || depth > deepest {
		return nil
	}
	if chosen, ok := m.fixedValue(s); ok {
		return chosen
	}
	for _, choice := range []openapi3.SchemaRefs{s.OneOf, s.AnyOf} {
		if len(choice) > 0 && s.Properties == nil {
			return m.sampleValue(pickOne(m, choice).Value, depth+1)
		}
	}
	switch {
	case s.Type.Is("string"):
		return m.sampleText(s)
	case s.Type.Is("integer"):
		return float64(m.random.IntN(1000))
	case s.Type.Is("number"):
		return m.random.Float64()*20 - 10
	case s.Type.Is("boolean"):
		return m.chance(2)
	case s.Type.Is("array"):
		return m.sampleList(s, depth)
	}
	return m.object(s, depth)
}

// fixedValue returns a value that the schema itself names.
func (m *Maker) fixedValue(s *openapi3.Schema) (any, bool) {
	switch {
	case s.Example != nil && m.chance(2):
		return s.Example, true
	case len(s.Enum) > 0:
		return pickOne(m, s.Enum), true
	case s.Const != nil:
		return s.Const, true
	case s.Default != nil && m.chance(3):
		return s.Default, true
	}
	return nil, false
}

func (m *Maker) sampleText(s *openapi3.Schema) string {
	if s.Format == "date-time" {
		return "2026-11-21T12:00:00Z"
	}
	if m.chance(3) {
		return m.odd()
	}
	return pickOne(m, m.names)
}

func (m *Maker) sampleList(s *openapi3.Schema, depth int) any {
	n := m.random.IntN(4)
	if s.MinItems > 0 {
		n = int(s.MinItems)
	}
	list := make([]any, 0, n)
	for range n {
		if s.Items != nil {
			list = append(list, m.sampleValue(s.Items.Value, depth+1))
		}
	}
	return list
}

func (m *Maker) object(s *openapi3.Schema, depth int) any {
	v := map[string]any{}
	m.addMembers(v, s, depth)
	return v
}

// addMembers adds what an object of the schema has, that of its parts too.
func (m *Maker) addMembers(v map[string]any, s *openapi3.Schema, depth int) {
	for _, part := range s.AllOf {
		if depth < deepest {
			m.addMembers(v, part.Value, depth+1)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if slices.Contains(s.Required, name) || m.chance(3) {
			v[name] = m.sampleValue(s.Properties[name].Value, depth+1)
		}
	}
	if extra := s.AdditionalProperties.Schema; extra != nil && m.chance(2) {
		v[m.odd()] = m.sampleValue(extra.Value, depth+1)
	}
}
