package geotiff

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zlib"
)

var at = time.Date(2026, 11, 29, 6, 30, 0, 0, time.UTC)

// rasterOf makes a raster of random numbers, of which some are not known.
func rasterOf(width, height int) (Image, []float32) {
	r := rand.New(rand.NewPCG(uint64(width), uint64(height)))
	cells := make([]float32, width*height)
	for i := range cells {
		if cells[i] = float32(r.Float64() * 100); r.IntN(5) == 0 {
			cells[i] = float32(math.NaN())
		}
	}
	return Image{Width: width, Height: height, EPSG: 3035, Left: 4_300_000, Top: 3_600_000, Cell: 1000, Description: "hours", At: at}, cells
}

func fileOf(t *testing.T, r Image, cells []float32) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r, func(y int, row []float32) error { copy(row, cells[y*r.Width:]); return nil }); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// read reads a file back: the values of its tags, and its cells.
func read(t *testing.T, b []byte) (tags map[uint16][]byte, cells []float32) {
	t.Helper()
	le := binary.LittleEndian
	if string(b[:4]) != "II*\x00" {
		t.Fatalf("%q", b[:4])
	}
	d := b[le.Uint32(b[4:]):]
	tags = map[uint16][]byte{}
	size := map[uint16]int{asText: 1, asShort: 2, asLong: 4, asDouble: 8}
	last := uint16(0)
	for i := range int(le.Uint16(d)) {
		e := d[2+12*i:]
		tag, n := le.Uint16(e), size[le.Uint16(e[2:])]*int(le.Uint32(e[4:]))
		if tag <= last {
			t.Errorf("tag %d after %d", tag, last)
		}
		if last = tag; n <= 4 {
			tags[tag] = e[8 : 8+n]
		} else {
			tags[tag] = b[le.Uint32(e[8:]):][:n]
		}
	}
	for i := 0; i < len(tags[tagOffsets]); i += 4 {
		from, n := le.Uint32(tags[tagOffsets][i:]), le.Uint32(tags[tagLengths][i:])
		z, err := zlib.NewReader(bytes.NewReader(b[from : from+n]))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		for j := 0; j < len(raw); j += 4 {
			cells = append(cells, math.Float32frombits(le.Uint32(raw[j:])))
		}
	}
	return tags, cells
}

func equal(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Float32bits(a[i]) != math.Float32bits(b[i]) {
			return false
		}
	}
	return true
}

// TestEachNumberComesBack: of one cell, one row, one column, and of strips of which the last is shorter.
func TestEachNumberComesBack(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {300, 1}, {1, 300}, {257, 1000}, {70_000, 3}} {
		r, cells := rasterOf(size[0], size[1])
		tags, got := read(t, fileOf(t, r, cells))
		if !equal(got, cells) {
			t.Errorf("%v: other cells", size)
		}
		if text := string(tags[tagDateTime]); text != "2026:11:29 06:30:00\x00" {
			t.Errorf("%q", text)
		}
	}
}

// TestTooLarge: a raster has a bound, and what fails while it is made comes back.
func TestTooLarge(t *testing.T) {
	for _, size := range [][2]int{{0, 1}, {1, 0}, {-1, 5}, {4001, 4000}, {Most + 1, 1}, {math.MaxInt, 2}} {
		if err := Write(io.Discard, Image{Width: size[0], Height: size[1]}, nil); err == nil {
			t.Errorf("%v is written", size)
		}
	}
	wrong := errors.New("wrong")
	if err := Write(io.Discard, Image{Width: 2, Height: 2}, func(int, []float32) error { return wrong }); err != wrong {
		t.Error(err)
	}
}

// TestGDALReadsIt: the projection, the corners, the cells of which nothing is known, and each number.
func TestGDALReadsIt(t *testing.T) {
	if _, err := exec.LookPath("gdal_translate"); err != nil {
		t.Skip("gdal-bin is not installed")
	}
	for _, size := range [][2]int{{40, 30}, {1, 7}, {7, 1}, {500, 300}} {
		r, cells := rasterOf(size[0], size[1])
		path := filepath.Join(t.TempDir(), "hours.tif")
		if err := os.WriteFile(path, fileOf(t, r, cells), 0o600); err != nil {
			t.Fatal(err)
		}
		info(t, path, r)
		out, err := exec.Command("gdal_translate", "-q", "-of", "XYZ", path, "/vsistdout/").Output()
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		if len(lines) != len(cells) {
			t.Fatalf("%v: %d lines", size, len(lines))
		}
		for i, line := range lines {
			v, err := strconv.ParseFloat(strings.Fields(line)[2], 32)
			if unknown := math.IsNaN(float64(cells[i])); err != nil || unknown != math.IsNaN(v) || !unknown && math.Abs(v-float64(cells[i])) > 1e-4 {
				t.Fatalf("%v: cell %d is %q, want %v", size, i, line, cells[i])
			}
		}
	}
}

// info checks what gdalinfo says of a file.
func info(t *testing.T, path string, r Image) {
	t.Helper()
	out, err := exec.Command("gdalinfo", "-json", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var said struct {
		Size              []int
		CoordinateSystem  struct{ WKT string }
		CornerCoordinates struct{ UpperLeft, LowerRight []float64 }
		Bands             []struct {
			Type        string
			NoDataValue any
		}
	}
	if err := json.Unmarshal(out, &said); err != nil {
		t.Fatal(err)
	}
	right, low := r.Left+float64(r.Width)*r.Cell, r.Top-float64(r.Height)*r.Cell
	if said.Size[0] != r.Width || said.Size[1] != r.Height || !strings.Contains(said.CoordinateSystem.WKT, `ID["EPSG",3035]`) ||
		said.CornerCoordinates.UpperLeft[0] != r.Left || said.CornerCoordinates.UpperLeft[1] != r.Top || said.CornerCoordinates.LowerRight[0] != right ||
		said.CornerCoordinates.LowerRight[1] != low || said.Bands[0].Type != "Float32" || said.Bands[0].NoDataValue != "NaN" {
		t.Errorf("%s", out)
	}
}
