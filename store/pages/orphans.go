package pages

import (
	"bytes"
	"slices"
)

// Orphan is a value on a page to which no tree leads. Nothing but its checksum tells of which bucket it is.
type Orphan struct {
	Page       uint64
	Key, Value []byte
}

// Orphans calls fn with the values of the leaves among some pages, and name with the name of each bucket that stands there. It returns how
// many of the pages could not be read as pages of a tree.
func (f *File) Orphans(list []uint64, name func(string), fn func(Orphan) error) (unreadable int, err error) {
	for _, id := range list {
		p, err := f.loadPage(id)
		if err != nil || p.id != id || !p.leaf() && !p.branch() {
			unreadable++
			continue
		}
		if p.leaf() {
			if err := eachOrphan(id, "", p, name, fn); err != nil {
				return unreadable, err
			}
		}
	}
	return unreadable, nil
}

// eachOrphan calls fn with the values of a leaf, and of the buckets that stand in it.
func eachOrphan(id uint64, path string, p *page, name func(string), fn func(Orphan) error) error {
	for i := range p.elements {
		e := &p.elements[i]
		if e.key == nil {
			continue
		}
		if e.flags&bucketElement != 0 {
			nested, _, _, inline, ok := asBucket(path, e)
			if !ok {
				continue
			}
			name(nested)
			if inline != nil && inline.leaf() {
				if err := eachOrphan(id, nested, inline, name, fn); err != nil {
					return err
				}
			}
			continue
		}
		if err := fn(Orphan{id, e.key, e.value}); err != nil {
			return err
		}
	}
	return nil
}

// Unused lists the pages that a walk did not use: free ones of earlier transactions too.
func (f *File) Unused(t *Tree) []uint64 {
	var list []uint64
	for id := uint64(firstPage); id < f.pageCount(); id++ {
		if t == nil || !t.used.has(id) {
			list = append(list, id)
		}
	}
	return list
}

// Roots looks for pages that a tree of buckets may begin with, for a file of which a meta page is damaged. Each is given with
// the sum of the sequences of its buckets, which only grows from one transaction to the next.
func (f *File) Roots(bucket string) (roots []Root) {
	at, first := map[uint64]int{}, map[uint64][]byte{}
	var branches []uint64
	for id := uint64(firstPage); id < f.pageCount(); id++ {
		p, err := f.loadPage(id)
		if err != nil || p.id != id || len(p.faults) > 0 {
			continue
		}
		if p.branch() {
			branches = append(branches, id)
			continue
		}
		if r, ok := rootOf(id, p, bucket); ok {
			at[id], first[id] = len(roots), p.elements[0].key
			roots = append(roots, r)
		}
	}
	below := map[uint64]bool{} // leaves that are not the beginning: a branch leads to them, by their first key
	for _, id := range branches {
		p, err := f.loadPage(id)
		if err != nil {
			continue
		}
		for _, e := range p.elements {
			if i, ok := at[e.child]; ok && bytes.Equal(e.key, first[e.child]) { // else the page was another one when that branch was written
				above := roots[i]
				above.Page, below[e.child] = id, true
				roots = append(roots, above)
				break
			}
		}
	}
	return slices.DeleteFunc(roots, func(r Root) bool { return below[r.Page] })
}

// Root is a page that a tree of buckets may begin with.
type Root struct {
	Page      uint64
	Sequences uint64
	Value     func(key string) []byte // of the bucket that was asked for, as it stands there; nil when there is none
}

// rootOf reads a leaf as the first page of a file: it holds nothing but buckets, among them that one.
func rootOf(id uint64, p *page, bucket string) (r Root, ok bool) {
	r.Page = id
	for i := range p.elements {
		name, sequence, _, inline, isBucket := asBucket("", &p.elements[i])
		if p.elements[i].flags != bucketElement || !isBucket {
			return r, false
		}
		r.Sequences += sequence
		if name == bucket && inline != nil && inline.leaf() {
			ok = true
			r.Value = inline.valueOf
		}
	}
	return r, ok
}

func (p *page) valueOf(key string) []byte {
	for _, e := range p.elements {
		if string(e.key) == key {
			return e.value
		}
	}
	return nil
}

// AtRoot returns the Meta of a tree that begins at a page, when no meta page tells of it. Nothing is known of its free pages.
func (f *File) AtRoot(page uint64) Meta { return Meta{Root: page, Pages: f.pageCount()} }
