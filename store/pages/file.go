package pages

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"
	"slices"
)

const (
	headerSize  = 16
	elementSize = 16
	metaSize    = 64
	magic       = 0xED0CDAED

	branchFlag = 1
	leafFlag   = 2
	freeFlag   = 16

	bucketElement = 1
	bucketSize    = 16

	firstPage = 2 // behind the two meta pages
	mostBytes = 64 << 20
)

// Meta is one of the two pages that a file begins with: where the tree of a transaction is.
type Meta struct {
	Root, Free  uint64 // pages
	Pages       uint64 // in use or free, the whole file
	Transaction uint64
	At          uint64 // 0 or 1: the page of this Meta
}

// File is a database file to read from.
type File struct {
	r        io.ReaderAt
	size     int64
	pageSize int64
	metas    []Meta // the whole ones, the newest first
}

// Open reads the meta pages of a file of that size. It takes pageSize where none is whole.
func Open(r io.ReaderAt, size int64, pageSize int) (*File, error) {
	f := &File{r: r, size: size, pageSize: int64(pageSize)}
	for at := range uint64(2) {
		m, found, err := f.readMeta(at, int64(pageSize))
		if err != nil {
			return nil, err
		}
		if found {
			f.metas = append(f.metas, m)
		}
	}
	slices.SortFunc(f.metas, func(a, b Meta) int { return cmp.Compare(b.Transaction, a.Transaction) })
	return f, nil
}

// Metas returns the meta pages that are whole, the newest first.
func (f *File) Metas() []Meta { return f.metas }

// pageCount returns how many whole pages the file has room for.
func (f *File) pageCount() uint64 { return uint64(f.size / f.pageSize) }

func (f *File) readMeta(at uint64, pageSize int64) (m Meta, found bool, err error) {
	b := make([]byte, headerSize+metaSize)
	if n, err := f.r.ReadAt(b, int64(at)*pageSize); n < len(b) {
		if err == io.EOF {
			err = nil
		}
		return m, false, err
	}
	b = b[headerSize:]
	e := binary.NativeEndian
	sum := fnv.New64a()
	sum.Write(b[:56])
	if e.Uint32(b) != magic || e.Uint64(b[56:]) != sum.Sum64() || int64(e.Uint32(b[8:])) != pageSize {
		return m, false, nil
	}
	return Meta{Root: e.Uint64(b[16:]), Free: e.Uint64(b[32:]), Pages: e.Uint64(b[40:]), Transaction: e.Uint64(b[48:]), At: at}, true, nil
}

// loadPage reads a page with the pages that continue it. The page may be damaged in any way; an error means that there is none, or that the
// medium does not give it.
func (f *File) loadPage(id uint64) (*page, error) {
	if id < firstPage || id >= f.pageCount() {
		return nil, fmt.Errorf("page %d is not in the file, which has %d pages", id, f.pageCount())
	}
	b, err := f.read(id, f.pageSize)
	if err != nil {
		return nil, err
	}
	p := parse(b)
	if want := p.usedBytes(b); want > f.pageSize {
		if b, err = f.read(id, want); err != nil {
			return nil, err
		}
		p = parse(b)
	}
	p.span = uint64(max(1, (p.usedBytes(b)+f.pageSize-1)/f.pageSize))
	p.judgeHeader(id)
	return p, nil
}

// read reads whole pages, as many as n bytes take and the file has.
func (f *File) read(id uint64, n int64) ([]byte, error) {
	at := int64(id) * f.pageSize
	n = min((n+f.pageSize-1)/f.pageSize*f.pageSize, f.size-at, mostBytes)
	b := make([]byte, n)
	if got, err := f.r.ReadAt(b, at); int64(got) < n {
		return nil, fmt.Errorf("read page %d: %w", id, err)
	}
	return b, nil
}

// freeList returns the pages that a transaction left free, in order. The list has no checksum: an error tells that it cannot be right.
func (f *File) freeList(m Meta) (free []uint64, span uint64, err error) {
	if m.Free < firstPage || m.Free >= f.pageCount() {
		return nil, 0, fmt.Errorf("the list of free pages is not in the file (page %d)", m.Free)
	}
	b, err := f.read(m.Free, f.pageSize)
	if err != nil {
		return nil, 0, err
	}
	e := binary.NativeEndian
	if e.Uint64(b) != m.Free || e.Uint16(b[8:]) != freeFlag {
		return nil, 0, fmt.Errorf("page %d is no list of free pages", m.Free)
	}
	at, n := int64(headerSize), int64(e.Uint16(b[10:]))
	if n == 0xFFFF {
		at, n = at+8, int64(e.Uint64(b[headerSize:]))
	}
	if n < 0 || n > int64(f.pageCount()) {
		return nil, 0, fmt.Errorf("the list of free pages has %d entries, and the file %d pages", n, f.pageCount())
	}
	if b, err = f.read(m.Free, at+8*n); err != nil || int64(len(b)) < at+8*n {
		return nil, 0, fmt.Errorf("the list of free pages is cut")
	}
	for i := range n {
		id := e.Uint64(b[at+8*i:])
		if id < firstPage || id >= m.Pages || len(free) > 0 && id <= free[len(free)-1] {
			return nil, 0, fmt.Errorf("the list of free pages has a wrong entry, page %d", id)
		}
		free = append(free, id)
	}
	return free, uint64((at + 8*n + f.pageSize - 1) / f.pageSize), nil
}
