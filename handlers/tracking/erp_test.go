package tracking

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// TestWhatOfERPIsNotUnderstood holds which part each warning is of.
func TestWhatOfERPIsNotUnderstood(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":7,"eta":"2026-11-21T18:30:00Z","etd":"2026-11-22","color":"#2060C0","other":[1e400],"warp":[{"eta":"2026-11-21","etd":"2026-11-22","quay_id":"124",
			"side":"N/A","bollard":[{"number":12,"position":{"type":"Point","coordinates":[10.2,56.1]}}]},{"eta":"2026-11-22","side":true}],
			"attributes":[{"key":"agent","value":{"any":1},"edit":true,"options":["a"]}]}`: "",
		`{"eta":"soon"}`: "/eta", `{"first_line":"soon"}`: "/first_line", `{"warp":[{"first_line":1}]}`: "/warp/0/first_line", `{"etd":5}`: "/etd", `{"color":"red"}`: "/color", `{"color":"#12345"}`: "/color", `{"color":"#+12345"}`: "/color",
		`{"warp":{}}`: "/warp", `{"warp":[1]}`: "/warp/0", `{"warp":[{"eta":"2026-11-22"},{"eta":"2026-11-21"}]}`: "/warp/1/eta",
		`{"warp":[{"eta":"2026-11-22","etd":"2026-11-21"}]}`: "/warp/0/etd", `{"warp":[{"side":"left"}]}`: "/warp/0/side",
		`{"warp":[{"quay_id":1.5}]}`: "/warp/0/quay_id", `{"warp":[{"bollard":[{"position":[1,2]}]}]}`: "/warp/0/bollard/0/position",
		`{"warp":[{"bollard":[{"number":"x"}]}]}`: "/warp/0/bollard/0/number", `{"attributes":[{"value":1}]}`: "/attributes/0/key",
		`{"attributes":[{"key":"a","edit":"yes"}]}`: "/attributes/0/edit", `null`: "", `5`: "", `[{"eta":1}]`: "", `{}`: "",
	} {
		var pointers []string
		for _, w := range readERP(json.RawMessage(text)).wrong {
			pointers = append(pointers, w.Pointer)
		}
		if got := strings.Join(pointers, " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	if got := readERP(json.RawMessage(`{"warp":[{"quay_id":"124"},{"quay_id":5}]}`)).quay; got != 124 {
		t.Errorf("the quay of the first warp is %d", got)
	}
}

// FuzzERP reads anything as ERP information: what is JSON stays the same, and nothing in it is an error.
func FuzzERP(f *testing.F) {
	for _, text := range []string{`{"eta":"2026-11-21","warp":[{"quay_id":1e400,"side":null}],"color":"#"}`, `{"attributes":[{"key":null},5],"warp":[[]]}`, `[`, `1e400`,
		`{"a":1,"a":0.10,"":"\ud800"}`, ` { "warp" : [ ] } `} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		kept, err := compact(text)
		if json.Valid(text) != (err == nil) && len(text) <= mostERP {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		again, err := compact(kept)
		if err != nil || !bytes.Equal(again, kept) {
			t.Fatalf("%q became %q and then %q", text, kept, again)
		}
		if _, err := json.Marshal(readERP(kept).wrong); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	})
}
