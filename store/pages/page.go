package pages

import (
	"encoding/binary"
	"fmt"
)

// page is what could be made of the bytes of a page.
type page struct {
	flags    uint16
	id       uint64
	overflow uint32
	span     uint64 // pages that its content takes
	elements []element
	faults   []string
}

// element is one key of a page, with its value or the page below it.
type element struct {
	flags      uint32
	key, value []byte // nil key: it cannot be read
	child      uint64
	doubtful   bool // its place does not fit to its neighbours
	judged     int8 // 1 is a whole value, 2 is none, 0 is not known yet
}

// Wiped is the Text of the Fault of a page whose beginning is zero.
const Wiped = "was wiped"

func (p *page) leaf() bool   { return p.flags == leafFlag }
func (p *page) branch() bool { return p.flags == branchFlag }

func (p *page) add(format string, args ...any) {
	p.faults = append(p.faults, fmt.Sprintf(format, args...))
}

// place is where the data of an element stands in its page.
type place struct {
	flags      uint32
	at         int64
	key, value int64 // sizes
	child      uint64
}

// placeOf reads element i. ok is false when the element itself is not in the page.
func placeOf(b []byte, leaf bool, i int) (p place, ok bool) {
	at := headerSize + i*elementSize
	if at+elementSize > len(b) {
		return p, false
	}
	e, b := binary.NativeEndian, b[at:]
	if leaf {
		return place{flags: e.Uint32(b), at: int64(at) + int64(e.Uint32(b[4:])), key: int64(e.Uint32(b[8:])), value: int64(e.Uint32(b[12:]))}, true
	}
	return place{at: int64(at) + int64(e.Uint32(b)), key: int64(e.Uint32(b[4:])), child: e.Uint64(b[8:])}, true
}

func (p place) endOffset() int64 { return p.at + p.key + p.value }

// parse takes a page apart. Data is packed in the order of the elements: this tells a wrong kind, a wrong count and a wrong size.
func parse(b []byte) *page {
	p := &page{}
	if len(b) < headerSize {
		p.add("is cut")
		return p
	}
	e := binary.NativeEndian
	p.id, p.flags, p.overflow = e.Uint64(b), e.Uint16(b[8:]), e.Uint32(b[12:])
	if p.id == 0 && p.flags == 0 && e.Uint16(b[10:]) == 0 {
		p.add(Wiped)
		return p
	}
	n, says := 0, int(e.Uint16(b[10:]))
	if !p.leaf() && !p.branch() && !p.guess(b) {
		p.add("is no page of a tree (flags %#x)", p.flags)
		return p
	}
	if n = proved(b, p.leaf()); n == 0 {
		n = says
	} else if n != says {
		p.add("has %d entries and says %d", n, says)
	}
	p.readElements(b, n)
	return p
}

// guess finds out of which kind a page is that says nonsense.
func (p *page) guess(b []byte) bool {
	for _, flags := range []uint16{leafFlag, branchFlag} {
		if proved(b, flags == leafFlag) > 0 {
			p.add("says that it is of kind %#x, and is of kind %#x", p.flags, flags)
			p.flags = flags
			return true
		}
	}
	return false
}

// proved returns how many elements a page has by the place of its first key, when all others fit to that; else 0.
func proved(b []byte, leaf bool) int {
	first, ok := placeOf(b, leaf, 0)
	n := (first.at - headerSize) / elementSize
	if !ok || (first.at-headerSize)%elementSize != 0 || n < 1 || n > 0xFFFF {
		return 0
	}
	at := first.at
	for i := range int(n) {
		entry, ok := placeOf(b, leaf, i)
		if !ok || entry.at != at || entry.key == 0 {
			return 0
		}
		at = entry.endOffset()
	}
	return int(n)
}

// readElements reads n elements.
func (p *page) readElements(b []byte, n int) {
	expected := int64(headerSize + n*elementSize)
	for i := range n {
		entry, ok := placeOf(b, p.leaf(), i)
		if !ok {
			p.add("is cut behind entry %d of %d", i, n)
			return
		}
		e := element{flags: entry.flags, child: entry.child}
		next, more := placeOf(b, p.leaf(), i+1)
		e.doubtful = entry.at != expected || i+1 < n && more && next.at != entry.endOffset()
		if entry.key > 0 && entry.at >= int64(headerSize+n*elementSize) && entry.endOffset() <= int64(len(b)) {
			e.key, e.value = b[entry.at:entry.at+entry.key], b[entry.at+entry.key:entry.endOffset()]
			expected = entry.endOffset()
		} else if more && i+1 < n {
			expected = next.at
		}
		p.elements = append(p.elements, e)
	}
}

// usedBytes returns how many bytes the page takes, as far as its elements say.
func (p *page) usedBytes(b []byte) int64 {
	var end int64
	for i := range p.elements {
		if entry, ok := placeOf(b, p.leaf(), i); ok && !p.elements[i].doubtful {
			end = max(end, entry.endOffset())
		}
	}
	return min(end, mostBytes)
}

// judgeHeader compares the header with the place of the page and with what it holds.
func (p *page) judgeHeader(id uint64) {
	if p.id != id && p.flags != 0 {
		p.add("says that it is page %d", p.id)
	}
	if says := uint64(p.overflow) + 1; (p.leaf() || p.branch()) && says != p.span {
		p.add("takes %d pages and says %d", p.span, says)
		p.span = min(p.span, says)
	}
}
