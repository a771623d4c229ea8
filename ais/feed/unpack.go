package feed

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

// Bounds on what a packed file may unpack to. It is unpacked as it is read, so only time is at stake.
const (
	mostWindow   = 128 << 20 // bytes of memory; what the zstd command makes at its highest levels needs no more
	mostTimes    = 500       // how many times its size a packed file may have
	alwaysEnough = 64 << 20  // bytes that any file may unpack to
)

// packings are the first bytes of packed files that are read, and of those that are not.
func packings() []packing {
	return []packing{
		{"\x1f\x8b", "gzip", gunzip}, {"\x28\xb5\x2f\xfd", "Zstandard", unzstd},
		{"PK\x03\x04", "zip", nil}, {"BZh", "bzip2", nil}, {"\xfd7zXZ\x00", "xz", nil}, {"7z\xbc\xaf\x27\x1c", "7z", nil}, {"PAR1", "Parquet", nil},
	}
}

type packing struct {
	begins, name string
	open         func(io.Reader) (io.Reader, func(), error)
}

func gunzip(in io.Reader) (io.Reader, func(), error) {
	r, err := gzip.NewReader(in)
	return r, func() {}, err
}

func unzstd(in io.Reader) (io.Reader, func(), error) {
	r, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(mostWindow))
	if err != nil {
		return nil, nil, err
	}
	return r, r.Close, nil
}

// unpack returns what a file holds, packed or not. end frees what unpacking took.
func unpack(in *bufio.Reader) (out io.Reader, end func(), err error) {
	for _, p := range packings() {
		head, _ := in.Peek(len(p.begins)) // a shorter file is packed by none of them
		if !bytes.Equal(head, []byte(p.begins)) {
			continue
		}
		if p.open == nil {
			return nil, nil, fmt.Errorf("it is a %s file, which is not read; unpack it, or pack it with gzip or zstd", p.name)
		}
		packed := &counted{Reader: in}
		r, end, err := p.open(packed)
		if err != nil {
			return nil, nil, err
		}
		return narrow(bufio.NewReaderSize(&bounded{Reader: r, packed: packed}, readBuffer)), end, nil
	}
	return narrow(in), func() {}, nil
}

// narrow reads UTF-16 where a text begins with its mark, or else looks like it: letters of ASCII with a zero before or behind each.
func narrow(in *bufio.Reader) io.Reader {
	const looked = 64
	head, _ := in.Peek(looked)
	var zeros [2]int
	for i, c := range head {
		if c == 0 {
			zeros[i%2]++
		}
	}
	pairs := len(head) / 2
	sure := func(zeros, others int) bool { return pairs >= 8 && zeros >= pairs*7/8 && others == 0 }
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), sure(zeros[1], zeros[0]):
		return wide{in, binary.LittleEndian}
	case bytes.HasPrefix(head, []byte("\xfe\xff")), sure(zeros[0], zeros[1]):
		return wide{in, binary.BigEndian}
	}
	return in
}

// counted counts the bytes that were read.
type counted struct {
	io.Reader
	bytes int64
}

// Read reads and counts.
func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.bytes += int64(n)
	return n, err
}

// errTooMuch tells of a file that was made to keep its reader busy.
var errTooMuch = fmt.Errorf("it unpacks to more than %d times its size, which no log does", mostTimes)

// bounded fails when a file unpacks to more than a log can.
type bounded struct {
	io.Reader
	packed *counted
	bytes  int64
}

// Read reads what is unpacked.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.bytes += int64(n)
	if b.bytes > alwaysEnough && b.bytes/mostTimes > b.packed.bytes {
		return n, errTooMuch
	}
	return n, err
}

// wide reads UTF-16, as programs of Windows write it. What is not ASCII becomes a question mark, and the mark at the beginning goes.
type wide struct {
	io.Reader
	order binary.ByteOrder
}

// Read reads at most as many characters as p has bytes.
func (w wide) Read(p []byte) (int, error) {
	const mark = 0xfeff
	buffer := make([]byte, min(2*len(p), readBuffer))
	n, err := io.ReadFull(w.Reader, buffer)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	read := 0
	for at := 0; at+1 < n; at += 2 {
		switch c := w.order.Uint16(buffer[at:]); {
		case c == mark:
		case c < 0x80:
			p[read] = byte(c)
			read++
		default:
			p[read] = '?'
			read++
		}
	}
	return read, err
}
