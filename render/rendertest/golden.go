// Package rendertest holds pictures against those that somebody looked at.
package rendertest

import (
	"bytes"
	"flag"
	"image"
	"image/png"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the pictures of testdata anew")

// Golden holds a PNG file against the golden one at a path, which -update writes. A fortieth of the pixels may differ by more than a fifth, and a
// quarter of those that are drawn: fonts and rounding do. A picture of one colour alone is empty, whatever the golden one is.
func Golden(t testing.TB, path string, file []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, file, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	kept, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want, wrong := png.Decode(bytes.NewReader(kept))
	got, err := png.Decode(bytes.NewReader(file))
	if err != nil || wrong != nil || got.Bounds() != want.Bounds() {
		t.Fatalf("%s: %v %v", path, err, wrong)
	}
	size := got.Bounds().Size()
	differ, drawn, plain := 0, 0, true
	for y := range size.Y {
		for x := range size.X {
			is := colorOf(got, x, y)
			plain = plain && is == colorOf(got, 0, 0)
			was := colorOf(want, x, y)
			if colourDiffers(is, was) {
				differ++
			}
			if was != colorOf(want, 0, 0) {
				drawn++
			}
		}
	}
	if plain {
		t.Errorf("%s: the picture is empty", path)
	}
	if most := min(size.X*size.Y/40, drawn/4); differ > most {
		t.Errorf("%s: %d pixels differ, at most %d may; look at the picture of -update", path, differ, most)
	}
}

// colourDiffers reports whether two colours differ by more than a fifth in a channel.
func colourDiffers(a, b [4]uint32) bool {
	for i := range a {
		if max(a[i], b[i])-min(a[i], b[i]) > 51 {
			return true
		}
	}
	return false
}

func colorOf(p image.Image, x, y int) [4]uint32 {
	r, g, b, a := p.At(x, y).RGBA()
	return [4]uint32{r >> 8, g >> 8, b >> 8, a >> 8}
}
