package render

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image/color"
	"slices"

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
	for _, entry := range all[:int(slices.Max(c.pixels))+1] {
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

// packed returns the rows, each after the number of its filter (none), compressed in haste.
func (c *Canvas) packed() ([]byte, error) {
	var packed bytes.Buffer
	z, err := zlib.NewWriterLevel(&packed, zlib.BestSpeed)
	if err != nil {
		return nil, err
	}
	width := c.frame.width
	row := make([]byte, 1+width)
	for y := range c.frame.height {
		copy(row[1:], c.pixels[y*width:])
		if _, err := z.Write(row); err != nil {
			return nil, err
		}
	}
	err = z.Close()
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
