package geotiff

import (
	"encoding/binary"
	"math"
)

// The types of the values of a directory.
const (
	asText   = 2
	asShort  = 3
	asLong   = 4
	asDouble = 12
)

// directory is a list of tags with their values. They are added in the order of the tags, as TIFF wants them.
type directory struct{ entries []entry }

type entry struct {
	tag, kind uint16
	count     int
	value     []byte
}

func (d *directory) add(tag, kind uint16, count int, value []byte) {
	d.entries = append(d.entries, entry{tag, kind, count, value})
}

func (d *directory) shorts(tag uint16, values ...uint16) {
	var value []byte
	for _, v := range values {
		value = binary.LittleEndian.AppendUint16(value, v)
	}
	d.add(tag, asShort, len(values), value)
}

func (d *directory) longs(tag uint16, values ...uint32) {
	var value []byte
	for _, v := range values {
		value = binary.LittleEndian.AppendUint32(value, v)
	}
	d.add(tag, asLong, len(values), value)
}

func (d *directory) doubles(tag uint16, values ...float64) {
	var value []byte
	for _, v := range values {
		value = binary.LittleEndian.AppendUint64(value, math.Float64bits(v))
	}
	d.add(tag, asDouble, len(values), value)
}

// addText ends with a zero.
func (d *directory) addText(tag uint16, text string) {
	d.add(tag, asText, len(text)+1, append([]byte(text), 0))
}

// bytesAt returns the directory as it stands at a place of the file. Values of up to four bytes stand in it, longer ones behind it.
func (d *directory) bytesAt(at uint32) []byte {
	const head, each, tail = 2, 12, 4
	body := binary.LittleEndian.AppendUint16(nil, uint16(len(d.entries)))
	behind := at + head + each*uint32(len(d.entries)) + tail
	var values []byte
	for _, e := range d.entries {
		body = binary.LittleEndian.AppendUint16(body, e.tag)
		body = binary.LittleEndian.AppendUint16(body, e.kind)
		body = binary.LittleEndian.AppendUint32(body, uint32(e.count))
		if len(e.value) <= 4 {
			body = append(body, append(e.value, 0, 0, 0, 0)[:4]...)
			continue
		}
		body = binary.LittleEndian.AppendUint32(body, behind+uint32(len(values)))
		if values = append(values, e.value...); len(values)%2 == 1 {
			values = append(values, 0)
		}
	}
	return append(append(body, 0, 0, 0, 0), values...) // no other directory follows
}
