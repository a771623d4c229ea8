package water

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// magic begins an encoded overlay. After it come, packed with gzip and for each block in the order of keys, row and column as varints. The words of learned and
// of seen cells follow, little-endian.
const magic = "QWWATER1"

func (o *Overlay) keys() []blockKey {
	if o == nil {
		return nil
	}
	return slices.SortedFunc(maps.Keys(o.blocks), func(a, b blockKey) int {
		return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col))
	})
}

// Encode returns the bytes of an overlay. Equal overlays have equal bytes.
func (o *Overlay) Encode() []byte {
	var plain []byte
	for _, k := range o.keys() {
		plain = binary.AppendUvarint(plain, uint64(k.row))
		plain = binary.AppendUvarint(plain, uint64(k.col))
		for _, words := range [2]*[inBlock]uint64{&o.blocks[k].learned, &o.blocks[k].seen} {
			for _, w := range words {
				plain = binary.LittleEndian.AppendUint64(plain, w)
			}
		}
	}
	var b bytes.Buffer
	b.WriteString(magic)
	z := gzip.NewWriter(&b)
	z.Write(plain) // to memory, which cannot fail
	z.Close()
	return b.Bytes()
}

var errDamaged = errors.New("decode learned water: the bytes are damaged")

// Decode is the inverse of Encode. What it refuses is damaged, or larger than MostBytes.
func Decode(data []byte) (*Overlay, error) {
	packed, ok := bytes.CutPrefix(data, []byte(magic))
	if !ok {
		return nil, errDamaged
	}
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	plain, err := io.ReadAll(io.LimitReader(z, MostBytes+1))
	if err != nil || len(plain) > MostBytes {
		return nil, errDamaged
	}
	o := &Overlay{blocks: map[blockKey]*block{}}
	for r := bytes.NewReader(plain); r.Len() > 0; {
		row, _ := binary.ReadUvarint(r)
		col, _ := binary.ReadUvarint(r)
		b := &block{}
		if binary.Read(r, binary.LittleEndian, &b.learned) != nil || binary.Read(r, binary.LittleEndian, &b.seen) != nil {
			return nil, errDamaged
		}
		if row >= 180*perDegree/side || col >= 360*perDegree/side+1 || len(o.blocks) >= mostBlocks {
			return nil, errDamaged
		}
		o.blocks[blockKey{int32(row), int32(col)}] = b
	}
	return o, nil
}
