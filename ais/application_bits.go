package ais

import (
	"encoding/binary"
	"strconv"
)

// applicationBits reads fields off the bits of an application message. Past the end it gives zeros and stays short.
type applicationBits struct {
	data  []byte
	bits  int
	at    int
	short bool
}

func (r *applicationBits) left() int { return r.bits - r.at }

// uint reads n bits, at most 57 (so that one word holds them wherever they begin), as an unsigned number.
func (r *applicationBits) uint(n int) uint64 {
	if r.short || n > r.left() {
		r.short = true
		return 0
	}
	word := leadingWord(r.data[r.at>>3:]) << (r.at & 7)
	r.at += n
	return word >> (64 - n)
}

// leadingWord gives the first eight bytes; what is missing of them is zero.
func leadingWord(data []byte) uint64 {
	if len(data) >= 8 {
		return binary.BigEndian.Uint64(data)
	}
	word := uint64(0)
	for i, c := range data {
		word |= uint64(c) << (56 - 8*i)
	}
	return word
}

func (r *applicationBits) int(n int) int { return int(int64(r.uint(n)<<(64-n)) >> (64 - n)) }

func (r *applicationBits) bool() bool { return r.uint(1) == 1 }

// text reads n six-bit characters, without what stands after the first '@' and blanks at the end.
func (r *applicationBits) text(n int) string {
	out := make([]byte, 0, n)
	for range n {
		c := byte(r.uint(6))
		if c < 32 {
			c += 64
		}
		out = append(out, c)
	}
	end := 0
	for i, c := range out {
		if c == '@' {
			break
		}
		if c != ' ' {
			end = i + 1
		}
	}
	return string(out[:end])
}

// place reads a longitude of 25 bits and a latitude of 24 bits, in either order, in thousandths of a minute.
func (r *applicationBits) place(latitudeFirst bool) Place {
	var p Place
	if latitudeFirst {
		p.Lat = int32(r.int(24)) * 10
	}
	p.Lon = int32(r.int(25)) * 10
	if !latitudeFirst {
		p.Lat = int32(r.int(24)) * 10
	}
	return p
}

func appendKey(dst []byte, key string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, key...)
	return append(dst, '"', ':')
}

func appendIntField(dst []byte, key string, v int) []byte {
	return strconv.AppendInt(appendKey(dst, key), int64(v), 10)
}

func appendBoolField(dst []byte, key string, v bool) []byte {
	return strconv.AppendBool(appendKey(dst, key), v)
}

// appendTextField appends six-bit text, in which only the quotation mark and the reverse solidus need an escape.
func appendTextField(dst []byte, key, text string) []byte {
	dst = append(appendKey(dst, key), '"')
	for i := range len(text) {
		if text[i] == '"' || text[i] == '\\' {
			dst = append(dst, '\\')
		}
		dst = append(dst, text[i])
	}
	return append(dst, '"')
}

// appendPlaceFields appends lon and lat of a place that is known: degrees, or thousandths of a minute when raw.
func appendPlaceFields(dst []byte, p Place, raw bool) []byte {
	if !p.Known() {
		return dst
	}
	if raw {
		return appendIntField(appendIntField(dst, "lon", int(p.Lon/10)), "lat", int(p.Lat/10))
	}
	lon, lat := p.Degrees()
	dst = strconv.AppendFloat(appendKey(dst, "lon"), lon, 'f', 6, 64)
	return strconv.AppendFloat(appendKey(dst, "lat"), lat, 'f', 6, 64)
}

// appendNumber appends the value with as many decimals as it has on the air, or the raw integer.
func (r Reading) appendNumber(dst []byte, raw bool) []byte {
	if raw {
		return strconv.AppendInt(dst, int64(r.raw), 10)
	}
	v, _ := r.Value()
	return strconv.AppendFloat(dst, v, 'f', int(r.decimals), 64)
}

// appendTimeField appends a month, day, hour and minute of UTC as gpsd does, `11-20T17:15Z`, without the month when it is
// not known; nothing when the day or the time is not known.
func appendTimeField(dst []byte, key string, t ETA) []byte {
	if t.Day < 1 || t.Day > 31 || t.Hour > 23 || t.Minute > 59 {
		return dst
	}
	dst = append(appendKey(dst, key), '"')
	if t.Month >= 1 && t.Month <= 12 {
		dst = append(appendTwoDigits(dst, t.Month), '-')
	}
	dst = append(appendTwoDigits(dst, t.Day), 'T')
	dst = append(appendTwoDigits(dst, t.Hour), ':')
	return append(appendTwoDigits(dst, t.Minute), 'Z', '"')
}

func appendTwoDigits(dst []byte, v uint8) []byte { return append(dst, '0'+v/10, '0'+v%10) }
