// Package geotiff writes a raster of numbers as a GeoTIFF, which programs of maps read (TIFF 6.0; OGC 19-008r4).
//
// It promises that each number comes back as it was given. It holds the compressed rows of a file until they are written, as the head of the file says where
// its directory is.
package geotiff

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/klauspost/compress/zlib"
)

// Most is how many cells a raster may have: 64 MB before they are compressed.
const Most = 16_000_000

// stripCells is about how many cells are compressed at once.
const stripCells = 64 << 10

// Image is what a file is about. Its cells are squares of the plane of a projection.
type Image struct {
	Width, Height int     // cells
	EPSG          int     // the number of the projection
	Left, Top     float64 // metres: the upper left corner
	Cell          float64 // metres
	Description   string  // ASCII; of other characters GDAL makes what it likes
	At            time.Time
}

// Write writes a raster. Row fills the numbers of a row, the upper one first; NaN is a cell of which nothing is known.
func Write(to io.Writer, r Image, row func(y int, cells []float32) error) error {
	if r.Width < 1 || r.Height < 1 || r.Height > Most/r.Width {
		return fmt.Errorf("a raster of %d x %d cells: there must be 1 to %d", r.Width, r.Height, Most)
	}
	f := file{body: bytes.NewBuffer(make([]byte, 8, 1<<16))}
	if err := f.strips(&r, row); err != nil {
		return err
	}
	f.directory(&r)
	_, err := to.Write(f.body.Bytes())
	return err
}

// file is a TIFF that is being written.
type file struct {
	body    *bytes.Buffer
	rows    uint32   // of a strip
	offsets []uint32 // of the strips
	lengths []uint32
}

// strips writes the cells, some rows at a time.
func (f *file) strips(r *Image, row func(int, []float32) error) error {
	f.rows = uint32(max(1, min(r.Height, stripCells/r.Width)))
	cells, raw := make([]float32, r.Width), []byte(nil)
	for y := 0; y < r.Height; {
		raw = raw[:0]
		for end := min(r.Height, y+int(f.rows)); y < end; y++ {
			if err := row(y, cells); err != nil {
				return err
			}
			for _, v := range cells {
				raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
			}
		}
		if err := f.strip(raw); err != nil {
			return err
		}
	}
	return nil
}

// strip writes some rows.
func (f *file) strip(raw []byte) error {
	begin := f.body.Len()
	w := zlib.NewWriter(f.body)
	if _, err := w.Write(raw); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	f.offsets, f.lengths = append(f.offsets, uint32(begin)), append(f.lengths, uint32(f.body.Len()-begin))
	if f.body.Len()%2 == 1 { // what a directory leads to begins at a whole word
		f.body.WriteByte(0)
	}
	return nil
}

// The tags of a directory, and the keys of its geographic part.
const (
	tagWidth, tagHeight, tagBits, tagCompression, tagPhotometric = 256, 257, 258, 259, 262
	tagDescription, tagOffsets, tagSamples, tagRows, tagLengths  = 270, 273, 277, 278, 279
	tagDateTime, tagFormat                                       = 306, 339
	tagScale, tagTiepoint, tagKeys, tagNoData                    = 33550, 33922, 34735, 42113

	deflate, blackIsZero, float = 8, 1, 3

	keyModel, keyRaster, keyProjected = 1024, 1025, 3072
	modelProjected, pixelIsArea       = 1, 1
)

// directory writes the directory, and into the head where it is.
func (f *file) directory(r *Image) {
	d := directory{}
	d.longs(tagWidth, uint32(r.Width))
	d.longs(tagHeight, uint32(r.Height))
	d.shorts(tagBits, 32)
	d.shorts(tagCompression, deflate)
	d.shorts(tagPhotometric, blackIsZero)
	d.addText(tagDescription, r.Description)
	d.longs(tagOffsets, f.offsets...)
	d.shorts(tagSamples, 1)
	d.longs(tagRows, f.rows)
	d.longs(tagLengths, f.lengths...)
	d.addText(tagDateTime, r.At.UTC().Format("2006:01:02 15:04:05"))
	d.shorts(tagFormat, float)
	d.doubles(tagScale, r.Cell, r.Cell, 0)
	d.doubles(tagTiepoint, 0, 0, 0, r.Left, r.Top, 0)
	d.shorts(tagKeys, 1, 1, 0, 3, keyModel, 0, 1, modelProjected, keyRaster, 0, 1, pixelIsArea, keyProjected, 0, 1, uint16(r.EPSG))
	d.addText(tagNoData, "nan")
	at := uint32(f.body.Len())
	f.body.Write(d.bytesAt(at))
	head := binary.LittleEndian.AppendUint32([]byte{'I', 'I', 42, 0}, at)
	copy(f.body.Bytes(), head)
}
