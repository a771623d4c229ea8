// Package mend replaces a page of a bbolt file that was wiped. In its place it puts a leaf with a single value, which is no whole value. So the tree is whole
// again, and what stood on the page is what is lost.
//
// It promises: it writes only over zeros, and only when no other page of the file is wrong. Else the file stays as it was.
//
// Dangerous: no other process may have the file open, and this one may not write it meanwhile.
package mend

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"slices"

	"quaywatch/store/pages"
)

// Layout of a page with one value; package pages draws it.
const (
	headerSize  = 16
	elementSize = 16
	leafFlag    = 2
)

// Lost is a page that was wiped: values of the bucket with From <= key < To. nil is no bound.
type Lost struct {
	Page     uint64
	Bucket   string
	From, To []byte
	span     uint64 // pages
}

// Wiped mends the pages of some buckets that were wiped, and returns what was on them: none where another page is wrong too. Keys has the sizes of
// the keys of the buckets, and whole judges values as that of a pages.TreeVisitor does.
func Wiped(path string, pageSize int, keys map[string]int, whole func(path string, key, value []byte) error) (lost []Lost, err error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, fmt.Errorf("mend: %w", err)
	}
	defer f.Close()
	if lost, err = find(f, pageSize, keys, whole); err != nil || len(lost) == 0 {
		return nil, err
	}
	for _, l := range lost {
		if _, err := f.WriteAt(l.leaf(pageSize, keys[l.Bucket]), int64(l.Page)*int64(pageSize)); err != nil {
			return nil, fmt.Errorf("mend page %d: %w", l.Page, err)
		}
	}
	if err := f.Sync(); err != nil {
		return nil, fmt.Errorf("mend: %w", err)
	}
	return lost, nil
}

// find returns the pages that can be mended, none when other things are wrong.
func find(f *os.File, pageSize int, keys map[string]int, whole func(path string, key, value []byte) error) (lost []Lost, err error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file, err := pages.Open(f, info.Size(), pageSize)
	if err != nil || len(file.Metas()) == 0 {
		return nil, err
	}
	tree, err := file.Walk(file.Metas()[0], pages.TreeVisitor{Whole: whole, Value: func(string, []byte, []byte) error { return nil }})
	if err != nil || !tree.Exact || tree.More > 0 {
		return nil, err
	}
	rest := tree.Lost
	for _, fault := range tree.Faults {
		if fault.Key != nil || fault.Path == "" && len(tree.Lost) > 0 && fault.Page == tree.Lost[0] {
			continue // of one value, or that nothing leads to those pages
		}
		if keys[fault.Path] == 0 || fault.Text != pages.Wiped || fault.Inner {
			return nil, nil
		}
		part := Lost{fault.Page, fault.Path, fault.From, fault.To, 1}
		for i := slices.Index(rest, part.Page+1); i >= 0 && i < len(rest) && rest[i] == part.Page+part.span; part.span++ {
			rest = slices.Delete(slices.Clone(rest), i, i+1)
		}
		rest = slices.DeleteFunc(slices.Clone(rest), func(page uint64) bool { return page == part.Page })
		if zero, err := wiped(f, part.Page, pageSize); err != nil || !zero {
			return nil, err
		}
		lost = append(lost, part)
	}
	// What the page led to would be a page of a tree. A page that only goes on is none.
	unreadable, err := file.Orphans(tree.Lost, func(string) {}, func(pages.Orphan) error { return nil })
	if err != nil || len(rest) > 0 || unreadable != len(tree.Lost) {
		return nil, err
	}
	return lost, nil
}

// wiped reports whether nothing but zeros stands on a page.
func wiped(f *os.File, page uint64, pageSize int) (bool, error) {
	b := make([]byte, pageSize)
	if _, err := f.ReadAt(b, int64(page)*int64(pageSize)); err != nil {
		return false, err
	}
	return len(bytes.Trim(b, "\x00")) == 0, nil
}

// leaf returns the beginning of a leaf with one value, which takes all of the page and of those that continue it. The key is that by which the page
// above leads here; the first page of a bucket has none above, and any key will do.
func (l *Lost) leaf(pageSize, keySize int) []byte {
	key := l.From
	if key == nil {
		key = make([]byte, keySize)
	}
	e := binary.NativeEndian
	b := e.AppendUint64(nil, l.Page)
	b = e.AppendUint16(b, leafFlag)
	b = e.AppendUint16(b, 1)
	b = e.AppendUint32(b, uint32(l.span-1))
	b = e.AppendUint32(b, 0) // no bucket
	b = e.AppendUint32(b, elementSize)
	b = e.AppendUint32(b, uint32(len(key)))
	b = e.AppendUint32(b, uint32(l.span)*uint32(pageSize)-headerSize-elementSize-uint32(len(key)))
	return append(b, key...)
}
