package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"
)

// wellFormed fails unless a picture is XML, and returns how many elements of a name it has.
func wellFormed(t *testing.T, svg []byte, name string) (count int) {
	t.Helper()
	for d := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := d.Token()
		if err == io.EOF {
			return count
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if e, ok := token.(xml.StartElement); ok && e.Name.Local == name {
			count++
		}
	}
}

func TestFlame(t *testing.T) {
	const traces = `File: app.test
Type: cpu
-----------+-------------------------------------------------------
      30ms   quaywatch/ais.(*Decoder).Line
             quaywatch/ais/feed.(*pace).line (inline)
             main.main
-----------+-------------------------------------------------------
      10ms   quaywatch/store.(*Table[go.shape.struct { quaywatch/users/access.Name string }]).All
             main.main
-----------+-------------------------------------------------------
`
	var out bytes.Buffer
	if err := draw([]string{"flame", "1,000 ships & more"}, strings.NewReader(traces), &out); err != nil {
		t.Fatal(err)
	}
	if n := wellFormed(t, out.Bytes(), "g"); n != 5 {
		t.Errorf("%d frames", n)
	}
	for _, want := range []string{"ais/feed.(*pace).line, 75.0 %", ".All, 25.0 %", "all, 100.0 %", "1,000 ships &amp; more"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in %s", want, out.String())
		}
	}
	if err := draw([]string{"flame", ""}, strings.NewReader("nothing"), &out); err == nil {
		t.Error("a flame graph of nothing is drawn")
	}
}

func TestGrowth(t *testing.T) {
	const bench = `goos: linux
BenchmarkSystemGrowth/ships=1000-2         	       1	7154134536 ns/op	        73.10 MiB	         2.467 µs/sentence
BenchmarkSystemGrowth/ships=100000-2       	       1	12098800361 ns/op	       278.9 MiB	         5.317 µs/sentence
BenchmarkSystemGrowth/fixes=1000000-2      	       1	5203737211 ns/op	         2.842 B/fix
PASS
`
	var out bytes.Buffer
	if err := draw([]string{"growth", "ships"}, strings.NewReader(bench), &out); err != nil {
		t.Fatal(err)
	}
	if n := wellFormed(t, out.Bytes(), "circle"); n != 4 {
		t.Errorf("%d points", n)
	}
	for _, want := range []string{">MiB<", ">µs/sentence<", ">1k<", ">100k<", ">300<", ">6<"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing in %s", want, out.String())
		}
	}
	for _, args := range [][]string{{"growth", "planes"}, {"growth"}, {"map", "ships"}} {
		if err := draw(args, strings.NewReader(bench), &out); err == nil {
			t.Errorf("%v is drawn", args)
		}
	}
}
