package render

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image/color"
	"math/bits"
	"sync"

	"github.com/klauspost/compress/zlib"
)

// PNG returns the picture in a style as a PNG file with a palette. Without a ground it is transparent where nothing is drawn.
func (c *Canvas) PNG(s *Style, ground *color.RGBA) ([]byte, error) {
	c.flatten()
	var file bytes.Buffer
	file.WriteString("\x89PNG\r\n\x1a\n")
	header := binary.BigEndian.AppendUint32(nil, uint32(c.frame.width))
	header = binary.BigEndian.AppendUint32(header, uint32(c.frame.height))
	chunk(&file, "IHDR", append(header, 8, 3, 0, 0, 0)) // 8 bits, a palette
	var colors, opacity []byte
	all := s.palette(ground)
	for _, entry := range all[:min(len(all), 1<<bits.Len8(bitsOf(c.pixels)))] {
		colors = append(colors, entry.R, entry.G, entry.B)
		opacity = append(opacity, entry.A)
	}
	chunk(&file, "PLTE", colors)
	if ground == nil {
		chunk(&file, "tRNS", opacity)
	}
	packed, err := c.packed()
	if err != nil {
		return nil, err
	}
	chunk(&file, "IDAT", packed)
	chunk(&file, "IEND", nil)
	return file.Bytes(), nil
}

// bitsOf returns the bits that are set in some of the pixels: none is larger. It is for each picture, so it takes eight pixels at a time.
func bitsOf(pixels []uint8) (all uint8) {
	var eight uint64
	for ; len(pixels) >= 8; pixels = pixels[8:] {
		eight |= binary.LittleEndian.Uint64(pixels)
	}
	for _, p := range pixels {
		all |= p
	}
	for ; eight != 0; eight >>= 8 {
		all |= uint8(eight)
	}
	return all
}

// packers compress pictures, in haste. To make one takes as long as to compress a small picture.
var packers = sync.Pool{New: func() any {
	z, _ := zlib.NewWriterLevel(nil, zlib.BestSpeed) // the level is a valid one
	return z
}}

// packed returns the rows, each after the number of its filter (none), compressed.
func (c *Canvas) packed() ([]byte, error) {
	var packed bytes.Buffer
	z := packers.Get().(*zlib.Writer)
	defer packers.Put(z)
	z.Reset(&packed)
	width := c.frame.width
	row := make([]byte, 1+width)
	for y := range c.frame.height {
		copy(row[1:], c.pixels[y*width:])
		if _, err := z.Write(row); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return packed.Bytes(), err
}

// chunk writes a chunk of a PNG file: its length, its kind, what it has, and a checksum.
func chunk(file *bytes.Buffer, kind string, of []byte) {
	head := append(binary.BigEndian.AppendUint32(nil, uint32(len(of))), kind...)
	file.Write(head)
	file.Write(of)
	sum := crc32.Update(crc32.ChecksumIEEE([]byte(kind)), crc32.IEEETable, of)
	file.Write(binary.BigEndian.AppendUint32(nil, sum))
}
