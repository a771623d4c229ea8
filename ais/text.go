package ais

// text decodes chars characters of six-bit text from bit from on. Trailing '@' (unused) and blanks are dropped, and so is
// everything behind the first '@', as ITU-R M.1371-5 lets a text end there.
func (p *payload) text(from, chars int) string {
	var buffer [256]byte
	return string(p.appendText(buffer[:0], from, chars))
}

// appendText appends the text to dst, as text does.
func (p *payload) appendText(dst []byte, from, chars int) []byte {
	start := len(dst)
	for chars > 0 {
		n := min(9, chars) // that many fit into one load
		word := p.field(uint(from), 54) << 10
		for i := 0; i < n; i++ {
			v := byte(word >> 58)
			if v == 0 {
				return trimBlanks(dst, start)
			}
			dst = append(dst, textByte(v))
			word <<= 6
		}
		from += 6 * n
		chars -= n
	}
	return trimBlanks(dst, start)
}

// trimBlanks drops the blanks at the end of what was appended since start.
func trimBlanks(dst []byte, start int) []byte {
	end := len(dst)
	for end > start && dst[end-1] == ' ' {
		end--
	}
	return dst[:end]
}

// textByte gives the character of a six-bit value (ITU-R M.1371-5, table 47): 0..31 are '@'..'_', 32..63 blank..'?'.
func textByte(v byte) byte {
	if v < 32 {
		return v + 64
	}
	return v
}

// texts decodes several fields and puts them into one allocation.
func (p *payload) texts(fields ...[2]int) (out [3]string) {
	var buffer [64]byte
	var ends [3]int
	all := buffer[:0]
	for i, f := range fields {
		all = p.appendText(all, f[0], f[1])
		ends[i] = len(all)
	}
	whole, start := string(all), 0
	for i := range fields {
		out[i] = whole[start:ends[i]]
		start = ends[i]
	}
	return out
}
