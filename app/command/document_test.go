package command

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sameNumber reports whether two numbers are equal: whole ones exactly, as 0 and -0, and others as float64, as 1e0, 1.0 and 1.
var sameNumber = cmp.Comparer(func(a, b json.Number) bool {
	n, errN := a.Int64()
	k, errK := b.Int64()
	if errN == nil && errK == nil {
		return n == k
	}
	x, errX := a.Float64()
	y, errY := b.Float64()
	return a == b || strings.ContainsAny(string(a+b), ".eE") && errX == nil && errY == nil && x == y
})

// FuzzReadDocument: no text of either form makes the reader or the import fall over, and what is read can be written and read again.
func FuzzReadDocument(f *testing.F) {
	f.Add([]byte("[[users]]\nname = 'anna'\nexpiration_time = 2099-01-01\n[users.settings]\nx = {'$json' = 'null'}\n"), true)
	f.Add([]byte(`{"version":1,"groups":[{"name":"g","settings":{"a":[1,null,1e400,{}]}}],"users":[{"name":"a","groups":["g"]}],"shapes":[{"name":"s","circle":{"center":{"type":"Point","coordinates":[1,2]},"radius":5}}],"register":[{"mmsi":5}]}`), false)
	f.Add([]byte("[[shapes]]\nname = 'a'\npolygon = {type = 'Polygon', coordinates = [[[10, 56.0], [11, 56], [11.5, 57], [10, 56]]]}\n[[filters]]\nname='f'\nfilter='sog > 3'\n[[shiplists]]\nname='l'\nships=[{mmsi=5}]\n"), true)
	f.Add([]byte(`{"version":1,"groups":[{"name":"g","settings":{"a":[1e0,1.0,10e-1,-0,9007199254740993,1e300]}}]}`), false)
	f.Fuzz(func(t *testing.T, text []byte, isTOML bool) {
		form := formJSON
		if isTOML {
			form = formTOML
		}
		doc, err := readDocument(text, form)
		if err != nil {
			return
		}
		want, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{formJSON, formTOML} {
			var written bytes.Buffer
			if err := writeDocument(&written, doc, form); err != nil {
				t.Fatalf("write %s: %v", want, err)
			}
			again, err := readDocument(written.Bytes(), form)
			if err != nil {
				t.Fatalf("read again as %s: %v\n%s", form, err, written.Bytes())
			}
			got, err := json.Marshal(again)
			if err != nil {
				t.Fatal(err)
			}
			wrote, errWrote := readTree(want)
			read, errRead := readTree(got)
			if err := errors.Join(errWrote, errRead); err != nil {
				t.Fatal(err)
			}
			if !cmp.Equal(wrote, read, sameNumber) {
				t.Fatalf("by %s\n%s became\n%s", form, want, got)
			}
		}
	})
}
