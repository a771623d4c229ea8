//go:build !race

package handlers

import (
	"maps"
	"strings"
	"testing"

	"quaywatch/engine/stats"
)

// wrongShapes are what no definition takes as a place, by the rule that refuses it, with the end of the pointer.
func wrongShapes(ringOrLine string) map[string][2]string {
	many := strings.Repeat("[10.2,56.1],[10.3,56.1],", 50_000)
	if ringOrLine == "LineString" {
		return map[string][2]string{
			`{"type":"LineString","coordinates":[[10.2,56.1]]}`:              {"/coordinates", "line_points"},
			`{"type":"LineString","coordinates":[[1e999,56.1],[10.2,56.2]]}`: {"/coordinates/0/0", "number"},
			`{"type":"LineString","coordinates":[["NaN",56.1],[10.2,56.2]]}`: {"/coordinates/0/0", "number"},
			`{"type":"LineString","coordinates":[` + many + `[10.2,56.1]]}`:  {"", "too_many_elements"},
			`{"type":"Point","coordinates":[10.2,56.1]}`:                     {"/type", "stat_linestring"},
		}
	}
	return map[string][2]string{
		`{"type":"Polygon","coordinates":[[[10.2,56.1],[10.4,56.1],[10.4,56.2],[10.2,56.2]]]}`:                       {"/coordinates/0/3", "ring_open"},
		`{"type":"Polygon","coordinates":[[[10.2,56.1]]]}`:                                                           {"/coordinates/0", "ring_points"},
		`{"type":"Polygon","coordinates":[[[1e999,56.1],[10.4,56.1],[10.4,56.2],[1e999,56.1]]]}`:                     {"/coordinates/0/0/0", "number"},
		`{"type":"Polygon","coordinates":[[["NaN",56.1],[10.4,56.1],[10.4,56.2],["NaN",56.1]]]}`:                     {"/coordinates/0/0/0", "number"},
		`{"type":"Polygon","coordinates":[[` + many + `[10.2,56.1]]]}`:                                               {"", "too_many_elements"},
		`{"type":"Polygon","coordinates":[[[10.2,56.1],` + strings.Repeat("[10.3,56.1],", 20_000) + `[10.2,56.1]]]}`: {"/coordinates/0", "shape_points"},
		`{"shape_id":"none"}`: {"/shape_id", "stat_no_shape"},
		`{"type":"LineString","coordinates":[[10.2,56.1],[10.3,56.1]]}`: {"/type", "polygon"},
		`{"type":"MultiPolygon","coordinates":[]}`:                      {"/type", "polygon"},
	}
}

// wrongly is a field of a definition that is wrong, and what refuses it.
type wrongly struct{ key, value, pointer, rule string }

// TestEachWrongFieldIsNamed: a definition of each kind with one wrong field is 400, with the pointer of the field and the rule.
func TestEachWrongFieldIsNamed(t *testing.T) {
	s := newSite(t)
	s.hear(noon(), position(nordic, 10.3, 56.14, 112, 1814))
	s.settle()
	count := 0
	for _, kind := range stats.Names() {
		right := rightFields(kind)
		s.post(statPath+"/"+kind, asJSON(right)).is(t, 200)
		for _, w := range append(wrongOfAll(), wrongOf(kind)...) {
			fields := maps.Clone(right)
			if fields[w.key] = w.value; w.value == "" {
				delete(fields, w.key)
			}
			count++
			a := s.post(statPath+"/"+kind, asJSON(fields))
			if a.status != 400 {
				t.Errorf("%s %s %.200s: %d %.300s", kind, w.key, w.value, a.status, a.body)
				continue
			}
			one := a.json(t)["errors"].([]any)[0].(map[string]any)
			if one["pointer"] != w.pointer || one["rule"] != w.rule {
				t.Errorf("%s %s %.200s: %v %v, want %s %s: %.300s", kind, w.key, w.value, one["pointer"], one["rule"], w.pointer, w.rule, a.body)
			}
		}
	}
	if count < 200 {
		t.Errorf("only %d wrong definitions", count)
	}
	if waits := s.stats.All(); len(waits) != len(stats.Names()) {
		t.Errorf("%d statistics are kept", len(waits))
	}
}

// wrongOfAll are wrong values of the fields that every kind has.
func wrongOfAll() []wrongly {
	return []wrongly{
		{"begin", ``, "/begin", "required"}, {"end", ``, "/end", "required"}, {"begin", `""`, "/begin", "time"}, {"end", `"0001-01-01"`, "/end", "time"},
		{"begin", `"2026-11-21"`, "/begin", "begin_before_end"}, {"begin", `"2026-11-20T12:00:00Z"`, "/begin", "begin_before_end"}, {"begin", `"soon"`, "/begin", "time"},
		{"end", `7`, "/end", "text"}, {"name", `7`, "/name", "text"}, {"filter", `"spede > 3"`, "/filter", "filter"}, {"filter", `"shiplist = none"`, "/filter", "filter"},
		{"execute", `"later"`, "/execute", "execute"}, {"repeat", `"hourly"`, "/repeat", "one_of"}, {"repeat", `7`, "/repeat", "text"},
		{"mail_to", `"admin"`, "/mail_to", "texts"}, {"mail_to", `["nobody"]`, "/mail_to/0", "no_mail_target"}, {"mail_to", `["watch@port.example"]`, "/mail_to", "no_channel"}, {"acl", `["nobody"]`, "/acl/0", "no_group_or_user"},
	}
}

// wrongOf are wrong values of the fields of a kind.
func wrongOf(kind string) (all []wrongly) {
	place := func(key, before, after, pointer, form string) {
		for value, want := range wrongShapes(form) {
			at := pointer + want[0]
			if want[0] == "" { // too large for any field
				at = ""
			}
			all = append(all, wrongly{key, before + value + after, at, want[1]})
		}
	}
	list := []wrongly{{"shiplist", `"none"`, "/shiplist", "stat_no_list"}}
	switch kind {
	case "passageline":
		place("passageline", "", "", "/passageline", "LineString")
	case "multipassageline":
		place("passagelines", "["+midLine+",", "]", "/passagelines/1", "LineString")
		all = append(all, wrongly{"passagelines", "[" + midLine + "]", "/passagelines", "stat_count"}, wrongly{"max_duration", `"1e999"`, "/max_duration", "duration"},
			wrongly{"passagelines", "[" + midLine + `,{"type":"LineString","coordinates":[[10.2,56.1],[10.3,56.2],[10.2,56.1]]}]`, "/passagelines/1", "line_points"},
			wrongly{"passagelines", "[" + midLine + `,{"type":"LineString","coordinates":[[180,56.1],[179.9,56.2],[-180,56.1]]}]`, "/passagelines/1", "line_points"})
	case "transitpilot":
		place("shapes", "["+harbour+",", "]", "/shapes/1", "Polygon")
		all = append(all, wrongly{"shapes", "[" + harbour + "]", "/shapes", "stat_count"}, wrongly{"intervals", `["04:00:00","04:00:00"]`, "/intervals", "stat_intervals"})
	case "nmsp":
		all = append(all, wrongly{"shape", harbour, "/shape", "point"}, wrongly{"shape", `{"type":"Point","coordinates":["NaN",56]}`, "/shape", "point"})
	case "portcalls":
		all = append(all, wrongly{"shiplist", `"two"`, "", "stat_one_of"}, wrongly{"shape", harbour, "", "stat_one_of"}, wrongly{"mmsi", ``, "", "stat_one_of"})
	case "sogdist":
		all = append(all, wrongly{"shiplist", `"two"`, "", "stat_one_of"}, wrongly{"polygon", harbour, "", "stat_one_of"}, wrongly{"sog_threshold", `1e999`, "/sog_threshold", "number"})
	case "historicaltrack":
		all = append(all, wrongly{"shiplist", `"two"`, "", "stat_one_of"}, wrongly{"ships", `[{"mmsi":1}]`, "", "stat_one_of"}, wrongly{"resolution", `"-1"`, "/resolution", "duration"})
	case "multiship":
		all = append(all, wrongly{"ships", `[]`, "/ships", "stat_count"}, wrongly{"ships", `[{}]`, "/ships/0", "no_identity"})
	case "area":
		all = append(all, list...)
	case "density":
		all = append(all, list...)
		all = append(all, wrongly{"cell", `49`, "/cell", "range"}, wrongly{"cell", `50001`, "/cell", "range"}, wrongly{"cell", `99.5`, "/cell", "integer"}, wrongly{"cell", `"x"`, "/cell", "integer"},
			wrongly{"shape", `{"type":"Polygon","coordinates":[[[0,50],[20,50],[20,60],[0,60],[0,50]]]}`, "/cell", "stat_cells"})
	}
	if _, there := rightFields(kind)["shape"]; there && kind != "nmsp" {
		place("shape", "", "", "/shape", "Polygon")
	}
	if kind == "nmss" || kind == "nmsp" {
		all = append(all, wrongly{"distance", `{"max":1e999}`, "/distance/max", "number"}, wrongly{"distance", `{"max":"NaN"}`, "/distance/max", "number"}, wrongly{"distance", ``, "/distance", "required"},
			wrongly{"sog", `{"min":5,"max":1}`, "/sog/min", "stat_min_max"}, wrongly{"a_team", `["x"]`, "/a_team/0", "stat_mmsi"})
	}
	if kind == "nmss" {
		all = append(all, wrongly{"domain", `"round"`, "/domain", "stat_domain"}, wrongly{"domain", `{"type":"ellipse","ahead":0,"abeam":2}`, "/domain/ahead", "stat_lengths"},
			wrongly{"domain", `{"type":"ellipse","ahead":4,"abeam":51}`, "/domain/abeam", "stat_lengths"}, wrongly{"domain", `{"type":"box","ahead":4,"abeam":2}`, "/domain/type", "one_of"},
			wrongly{"domain", `{"type":"ellipse","ahead":4}`, "/domain/abeam", "required"}, wrongly{"meeting", `["passing"]`, "/meeting/0", "one_of"}, wrongly{"meeting", `[]`, "/meeting", "stat_count"})
	}
	for key, value := range rightFields(kind) {
		if strings.HasPrefix(value, "[219") {
			all = append(all, wrongly{key, `[219018765,0]`, "/" + key + "/1", "stat_mmsi"}, wrongly{key, `[]`, "/" + key, "stat_count"}, wrongly{key, `[1e999]`, "/" + key + "/0", "stat_mmsi"})
		}
	}
	return all
}
