package pages

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
)

// Fault is something in the file that does not fit.
type Fault struct {
	Page uint64
	Path string // of the bucket; "" is the whole file
	Text string
	// Missing tells that values may be missing: of the bucket, all buckets for "", with From <= key < To. nil is no bound.
	Missing  bool
	From, To []byte
	Key      []byte // of the one value that is damaged, as it stands there; nil for more than one
	Inner    bool   // what is damaged only leads to values: they are whole, on pages to which nothing leads now
}

// Misplaced reports whether the only value stands under a key that does not belong there. A copy by keys would lose the value of that key.
func (f Fault) Misplaced() bool {
	return f.Key != nil && f.Missing && (bytes.Compare(f.Key, f.From) < 0 || f.To != nil && bytes.Compare(f.Key, f.To) >= 0)
}

func (f Fault) String() string {
	if f.Path == "" {
		return fmt.Sprintf("page %d: %s", f.Page, f.Text)
	}
	return fmt.Sprintf("page %d, of bucket %.60q: %s", f.Page, f.Path, f.Text)
}

// TreeVisitor is told what a tree holds. An error of its functions ends the walk, and is what the walk gives.
type TreeVisitor struct {
	Whole  func(path string, key, value []byte) error // nil: the value is the one that was written there
	Value  func(path string, key, value []byte) error // each value that is whole, nearly in the order of keys
	Bucket func(path string, sequence uint64) error   // each bucket, before its values
}

// Tree is what a walk found out beside values.
type Tree struct {
	Faults []Fault
	More   int      // faults beyond those
	Lost   []uint64 // pages that are neither free nor in the tree
	Exact  bool     // the list of free pages fits to the tree, so that Lost are pages of this very transaction, and all of them
	used   pageSet
}

// pageSet is a set of pages.
type pageSet []uint64

func newPageSet(n uint64) pageSet { return make(pageSet, n/64+1) }
func (s pageSet) has(page uint64) bool {
	return page/64 < uint64(len(s)) && s[page/64]>>(page%64)&1 == 1
}
func (s pageSet) add(page, span uint64) {
	for ; span > 0 && page/64 < uint64(len(s)); page, span = page+1, span-1 {
		s[page/64] |= 1 << (page % 64)
	}
}

// mostDepth is how deep a tree may be: pages of a tree of two keys each would be more than any disk has.
const mostDepth = 48

// walker is a walk under way.
type walker struct {
	*File
	TreeVisitor
	tree Tree
	free pageSet
}

// branchTree is one bucket of a walk.
type branchTree struct {
	path   string
	leaves int         // the depth of its leaves, 0 not known
	broken map[int]int // faults by their index, and how deep they are
}

// Walk reads all that a transaction holds. What is damaged is in the faults of the Tree; an error is that of the Visitor.
func (f *File) Walk(m Meta, v TreeVisitor) (*Tree, error) {
	w := &walker{File: f, TreeVisitor: v, tree: Tree{used: newPageSet(f.pageCount())}, free: newPageSet(f.pageCount())}
	list, span, err := f.freeList(m)
	if err != nil {
		w.fault(Fault{Page: m.Free, Text: err.Error()})
	}
	for _, id := range list {
		w.free.add(id, 1)
	}
	w.tree.used.add(m.Free, span)
	w.tree.Exact = err == nil
	if m.Pages > f.pageCount() {
		w.fault(Fault{Page: f.pageCount(), Text: fmt.Sprintf("the file is cut: it has %d pages of %d", f.pageCount(), m.Pages)})
	}
	if err := w.readBucket(m.Root, ""); err != nil {
		return &w.tree, err
	}
	for id := uint64(firstPage); id < min(m.Pages, f.pageCount()); id++ {
		if w.tree.used.has(id) {
			continue
		}
		if !w.free.has(id) {
			w.tree.Lost = append(w.tree.Lost, id)
		}
	}
	if n := len(w.tree.Lost); n > 0 && w.tree.Exact {
		w.fault(Fault{Page: w.tree.Lost[0], Text: fmt.Sprintf("nothing leads to %d pages that are not free", n)})
	}
	return &w.tree, nil
}

// mostFaults is how many faults are kept; more are counted.
const mostFaults = 100_000

func (w *walker) fault(f Fault) {
	if len(w.tree.Faults) == mostFaults {
		w.tree.More++
		return
	}
	w.tree.Faults = append(w.tree.Faults, f)
}

// readBucket reads a bucket whose tree begins at a page.
func (w *walker) readBucket(root uint64, path string) error {
	t := &branchTree{path: path, broken: map[int]int{}}
	err := w.below(t, root, nil, nil, 1)
	for i, depth := range t.broken {
		w.tree.Faults[i].Inner = depth < t.leaves
	}
	return err
}

// noteLostPage notes that a page cannot be read.
func (w *walker) noteLostPage(t *branchTree, id uint64, from, to []byte, depth int, format string, args ...any) {
	if len(w.tree.Faults) < mostFaults {
		t.broken[len(w.tree.Faults)] = depth
	}
	w.fault(Fault{Page: id, Path: t.path, Text: fmt.Sprintf(format, args...), Missing: true, From: bytes.Clone(from), To: bytes.Clone(to)})
}

// below reads the part of a tree that begins at a page and should have the keys from <= key < to.
func (w *walker) below(t *branchTree, id uint64, from, to []byte, depth int) error {
	if depth > mostDepth || w.tree.used.has(id) {
		w.noteLostPage(t, id, from, to, depth, "is used twice")
		return nil
	}
	p, err := w.loadPage(id)
	if err != nil {
		w.noteLostPage(t, id, from, to, depth, "cannot be read: %v", err)
		return nil
	}
	if len(p.elements) == 0 && (len(p.faults) > 0 || depth > 1) {
		if p.leaf() || p.branch() {
			p.add("holds nothing")
		}
		w.noteLostPage(t, id, from, to, depth, "%s", joinFaults(p.faults))
		return nil
	}
	if !p.hasKeysWithin(from, to) {
		w.noteLostPage(t, id, from, to, depth, "holds other keys than it should")
		return nil
	}
	if w.free.has(id) {
		w.tree.Exact = false
		w.noteLostPage(t, id, from, to, depth, "is in use and free at once: what it holds may be out of date")
	}
	w.tree.used.add(id, p.span)
	if len(p.faults) > 0 {
		w.fault(Fault{Page: id, Path: t.path, Text: joinFaults(p.faults)})
	}
	if p.leaf() {
		t.leaves = max(t.leaves, depth)
		return w.values(t.path, id, p, from, to)
	}
	for i := range p.elements {
		low, high := keyBounds(p, i, from, to)
		if p.elements[i].key == nil {
			w.fault(Fault{Page: id, Path: t.path, Text: fmt.Sprintf("entry %d has no key", i)})
		}
		if err := w.below(t, p.elements[i].child, low, high, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// keyBounds returns the keys between which element i of a page stands: its own key and the next one that can be read.
func keyBounds(p *page, i int, from, to []byte) (low, high []byte) {
	low, high = from, to
	for at := i; at >= 0; at-- {
		if k := p.elements[at].key; k != nil && !p.elements[at].doubtful {
			if bytes.Compare(k, low) > 0 {
				low = k
			}
			break
		}
	}
	for _, e := range p.elements[i+1:] {
		if e.key != nil && !e.doubtful {
			if to == nil || bytes.Compare(e.key, to) < 0 {
				high = e.key
			}
			break
		}
	}
	return low, high
}

// hasKeysWithin reports whether most keys of a page are where they should be. One may stand elsewhere because it is damaged, or the bound is.
func (p *page) hasKeysWithin(from, to []byte) bool {
	in, out := 0, 0
	for _, e := range p.elements {
		switch {
		case e.key == nil:
		case bytes.Compare(e.key, from) < 0 || to != nil && bytes.Compare(e.key, to) >= 0:
			out++
		default:
			in++
		}
	}
	return in >= out
}

// values reads the values and buckets of a leaf.
func (w *walker) values(path string, id uint64, p *page, from, to []byte) error {
	var before []byte
	for i := range p.elements {
		e := &p.elements[i]
		why := w.Whole(path, e.key, e.value)
		if e.key == nil || why != nil {
			name, sequence, root, inline, ok := asBucket(path, e)
			if !ok {
				low, high := w.valuesAround(path, p, i, from, to)
				w.fault(Fault{Page: id, Path: path, Text: fmt.Sprintf("%s is damaged: %v", keyText(e.key), why), Missing: true, From: low, To: high,
					Key: bytes.Clone(e.key)})
				continue
			}
			if e.flags != bucketElement {
				w.fault(Fault{Page: id, Path: name, Text: "a bucket that is not marked as one"})
			}
			if e.doubtful || inline != nil && len(inline.faults) > 0 {
				low, high := w.valuesAround(path, p, i, from, to)
				w.fault(Fault{Page: id, Path: path, Text: fmt.Sprintf("the bucket %.40q is damaged", name), Missing: true, From: low, To: high})
			}
			if err := w.nested(id, name, sequence, root, inline); err != nil {
				return err
			}
			continue
		}
		if e.doubtful || e.flags != 0 || before != nil && bytes.Compare(e.key, before) <= 0 || bytes.Compare(e.key, from) < 0 ||
			to != nil && bytes.Compare(e.key, to) >= 0 {
			w.fault(Fault{Page: id, Path: path, Text: fmt.Sprintf("%s stands in a wrong place", keyText(e.key))})
		}
		before = e.key
		if err := w.Value(path, e.key, e.value); err != nil {
			return err
		}
	}
	return nil
}

// valuesAround returns the next whole values before and behind element i of a leaf: it stands between them, whatever its own key says.
func (w *walker) valuesAround(path string, p *page, i int, from, to []byte) (low, high []byte) {
	low, high = from, to
	for at := i - 1; at >= 0; at-- {
		if e := &p.elements[at]; w.good(path, e) {
			low = e.key
			break
		}
	}
	for at := i + 1; at < len(p.elements); at++ {
		if e := &p.elements[at]; w.good(path, e) {
			high = e.key
			break
		}
	}
	return bytes.Clone(low), bytes.Clone(high)
}

// good reports whether an element is a whole value. It remembers that.
func (w *walker) good(path string, e *element) bool {
	if e.judged == 0 {
		e.judged = 2
		if e.key != nil && w.Whole(path, e.key, e.value) == nil {
			e.judged = 1
		}
	}
	return e.judged == 1
}

func keyText(key []byte) string {
	const most = 40
	if key == nil {
		return "a value whose key cannot be read"
	}
	return fmt.Sprintf("the value under key %x", key[:min(len(key), most)])
}

// asBucket reads an element as a bucket: a name, and where its tree is. Every bucket of the top is one.
func asBucket(path string, e *element) (name string, sequence, root uint64, inline *page, ok bool) {
	if e.key == nil || len(e.value) < bucketSize || path != "" && e.flags&bucketElement == 0 {
		return "", 0, 0, nil, false
	}
	if name = string(e.key); path != "" {
		name = path + "/" + name
	}
	root, sequence = binary.NativeEndian.Uint64(e.value), binary.NativeEndian.Uint64(e.value[8:])
	if len(e.value) > bucketSize {
		inline = parse(e.value[bucketSize:])
	}
	return name, sequence, root, inline, true
}

// nested reads a bucket that stands in a leaf.
func (w *walker) nested(id uint64, name string, sequence, root uint64, inline *page) error {
	if w.Bucket != nil {
		if err := w.Bucket(name, sequence); err != nil {
			return err
		}
	}
	if inline == nil {
		return w.readBucket(root, name)
	}
	if root != 0 {
		inline.add("a bucket in a leaf says that it begins at page %d", root)
	}
	if len(inline.faults) > 0 {
		w.fault(Fault{Page: id, Path: name, Text: joinFaults(inline.faults)})
	}
	if !inline.leaf() {
		return nil
	}
	return w.values(name, id, inline, nil, nil)
}

func joinFaults(faults []string) string {
	text := ""
	for i, fault := range slices.Compact(slices.Clone(faults)) {
		if i > 0 {
			text += ", "
		}
		text += fault
	}
	return text
}
