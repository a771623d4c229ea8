package ais

import (
	"fmt"
	"strings"
)

// maxPayloadBits is what five slots carry: the longest AIS message (ITU-R M.1371-5, annex 2, 3.2.2.11).
const maxPayloadBits = 1008

// bitWriter packs fields into bytes, left-aligned, and keeps the first error.
type bitWriter struct {
	buf  []byte
	bits int
	err  error
}

func (w *bitWriter) reset() { w.buf, w.bits, w.err = w.buf[:0], 0, nil }

// uint writes the low n bits of v.
func (w *bitWriter) uint(v uint64, n int) {
	for n > 0 {
		used := w.bits & 7
		if used == 0 {
			w.buf = append(w.buf, 0)
		}
		k := min(n, 8-used)
		chunk := byte(v>>(n-k)) & (1<<k - 1)
		w.buf[len(w.buf)-1] |= chunk << (8 - used - k)
		w.bits += k
		n -= k
	}
}

func (w *bitWriter) int(v, n int) { w.uint(uint64(int64(v)), n) }

func (w *bitWriter) bool(v bool) {
	if v {
		w.uint(1, 1)
	} else {
		w.uint(0, 1)
	}
}

// data writes the first n bits of b, which are left-aligned.
func (w *bitWriter) data(b []byte, n int) {
	if n > 8*len(b) {
		w.fail(fmt.Errorf("binary data: %d bits announced, %d bytes given", n, len(b)))
		return
	}
	for i := 0; n > 0; i++ {
		k := min(n, 8)
		w.uint(uint64(b[i]>>(8-k)), k)
		n -= k
	}
}

// align fills up to a whole byte.
func (w *bitWriter) align() { w.uint(0, -w.bits&7) }

func (w *bitWriter) fail(err error) {
	if w.err == nil {
		w.err = err
	}
}

// mmsi writes an identity of 30 bits.
func (w *bitWriter) mmsi(m MMSI) {
	if m < 0 || m > 1<<30-1 {
		w.fail(fmt.Errorf("mmsi %d: does not fit the 30 bits on the air", m))
		return
	}
	w.uint(uint64(m), 30)
}

// text writes s in n six-bit characters, filled with '@'.
func (w *bitWriter) text(s string, n int) {
	if len(s) > n {
		w.fail(fmt.Errorf("text %q: %d characters, at most %d fit", s, len(s), n))
		return
	}
	for i := range len(s) {
		w.character(s[i], s)
	}
	for range n - len(s) {
		w.uint(0, 6)
	}
}

func (w *bitWriter) character(c byte, of string) {
	if c < 32 || c > 95 {
		w.fail(fmt.Errorf("text %q: character %q has no six-bit code", of, c))
		return
	}
	w.uint(uint64(c&63), 6)
}

// place writes longitude and latitude in units of unit PlaceUnits: 1 for 1/10000 minute, 1000 for 1/10 minute.
func (w *bitWriter) place(p Place, lonBits, latBits int, unit int32) {
	w.int(int(roundDiv(p.Lon, unit)), lonBits)
	w.int(int(roundDiv(p.Lat, unit)), latBits)
}

// roundDiv divides, to the nearest whole number, halves away from zero.
func roundDiv(v, by int32) int32 {
	if v < 0 {
		return -((-v + by/2) / by)
	}
	return (v + by/2) / by
}

func (w *bitWriter) dimensions(d Dimensions) {
	w.uint(uint64(min(d.Bow, 511)), 9)
	w.uint(uint64(min(d.Stern, 511)), 9)
	w.uint(uint64(min(d.Port, 63)), 6)
	w.uint(uint64(min(d.Starboard, 63)), 6)
}

// sog writes tenths of a knot in 10 bits; unknown is 1023.
func (w *bitWriter) sog(s SOG) {
	t, ok := s.Tenths()
	if !ok {
		t = 1023
	}
	w.uint(uint64(min(t, 1023)), 10)
}

// wholeKnots writes knots in n bits; unknown is all ones.
func (w *bitWriter) wholeKnots(s SOG, n int) {
	none := 1<<n - 1
	t, ok := s.Tenths()
	if !ok {
		w.uint(uint64(none), n)
		return
	}
	w.uint(uint64(min((t+5)/10, none-1)), n)
}

func (w *bitWriter) cog(c COG) {
	t, ok := c.Tenths()
	if !ok {
		t = 3600
	}
	w.uint(uint64(t), 12)
}

func (w *bitWriter) heading(h Heading) {
	d, ok := h.Degrees()
	if !ok {
		d = 511
	}
	w.uint(uint64(d), 9)
}

func (w *bitWriter) rot(r ROT) {
	v, ok := r.Raw()
	if !ok {
		v = -128
	}
	w.int(v, 8)
}

// PermittedText tells whether every character of s can be said in AIS's six-bit code (capital letters, digits, blank and
// ASCII's punctuation without backquote, braces, bar and tilde; '@' ends a text and so is not permitted within one). If
// not, at is the byte offset of the first that cannot. Capitalise with SixBitText first.
func PermittedText(s string) (at int, ok bool) {
	for i := range len(s) {
		if s[i] < 32 || s[i] > 95 || s[i] == '@' {
			return i, false
		}
	}
	return 0, true
}

// SixBitText gives s in capital letters, the only ones that AIS has.
func SixBitText(s string) string { return strings.ToUpper(s) }
