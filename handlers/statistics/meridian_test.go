package statistics

import (
	"encoding/json"
	"testing"
)

// TestALineIsCutAt180: where a leg crosses it, and nowhere else; no line has less than two places.
func TestALineIsCutAt180(t *testing.T) {
	for name, row := range map[string]struct{ line, want string }{
		"it does not cross":          {`[[10.2,56],[10.4,56.1]]`, `{"type":"LineString","coordinates":[[10.2,56],[10.4,56.1]]}`},
		"half the way round":         {`[[-90,0],[90,0]]`, `{"type":"LineString","coordinates":[[-90,0],[90,0]]}`},
		"to the east":                {`[[179,10],[-178,40]]`, `{"type":"MultiLineString","coordinates":[[[179,10],[180,20]],[[-180,20],[-178,40]]]}`},
		"to the west":                {`[[-179.5,10],[179.5,11]]`, `{"type":"MultiLineString","coordinates":[[[-179.5,10],[-180,10.5]],[[180,10.5],[179.5,11]]]}`},
		"there and back":             {`[[179,0],[-179,0],[179,0]]`, `{"type":"MultiLineString","coordinates":[[[179,0],[180,0]],[[-180,0],[-179,0],[-180,0]],[[180,0],[179,0]]]}`},
		"it ends on 180":             {`[[179,0],[180,1]]`, `{"type":"LineString","coordinates":[[179,0],[180,1]]}`},
		"it ends on -180":            {`[[179,0],[-180,1]]`, `{"type":"LineString","coordinates":[[179,0],[180,1]]}`},
		"it begins on 180":           {`[[180,0],[-179,1]]`, `{"type":"LineString","coordinates":[[-180,0],[-179,1]]}`},
		"a place of the line on 180": {`[[179,0],[180,1],[-179,2]]`, `{"type":"MultiLineString","coordinates":[[[179,0],[180,1]],[[-180,1],[-179,2]]]}`},
		"along 180, on either side":  {`[[180,0],[-180,1]]`, `{"type":"LineString","coordinates":[[180,0],[-180,1]]}`},
		"numbers stay as they were":  {`[[10.20000,56],[1e1,56.1]]`, `{"type":"LineString","coordinates":[[10.20000,56],[1e1,56.1]]}`},
	} {
		var points []any
		if err := json.Unmarshal([]byte(row.line), &points); err != nil {
			t.Fatal(err)
		}
		if name == "numbers stay as they were" {
			points = []any{[]any{json.Number("10.20000"), json.Number("56")}, []any{json.Number("1e1"), json.Number("56.1")}}
		}
		got, err := json.Marshal(lineOf(points))
		if err != nil || string(got) != row.want {
			t.Errorf("%s: %s, want %s: %v", name, got, row.want, err)
		}
	}
}
