package ais

// decodeApplication reads the inside of a binary message: data holds bits bits, left-aligned, of the application that dac
// and fi name (ITU-R M.1371-5, annex 5). It gives nil when the application is not known to us or when the bits are too
// few for it; the bits themselves are kept by the caller in any case.
func decodeApplication(dac, fi uint16, data []byte, bits int, addressed bool) any {
	if bits > 8*len(data) {
		bits = 8 * len(data)
	}
	r := applicationBits{data: data, bits: bits}
	switch dac {
	case 1:
		return decodeInternational(fi, r, addressed)
	case 200:
		return decodeInland(fi, r)
	case 235, 250:
		if fi == 10 {
			return decodeAtoNMonitoring(r)
		}
	case 367:
		if fi == 33 {
			return decodeEnvironmental(r)
		}
	}
	return nil
}

// decodeInternational reads the applications of DAC 1: IMO circulars SN.1/Circ.236 and 289.
func decodeInternational(fi uint16, r applicationBits, addressed bool) any {
	switch fi {
	case 11:
		return decodeMetHydro236(r)
	case 16:
		return decodeInternational16(r, addressed)
	case 17:
		return decodeTargets(r)
	case 22, 23:
		return decodeAreaNotice(r)
	case 31:
		return decodeMetHydro289(r)
	}
	return nil
}

// decodeInland reads the applications of DAC 200: inland AIS of the Central Commission for the Navigation of the Rhine.
func decodeInland(fi uint16, r applicationBits) any {
	switch fi {
	case 10:
		return decodeInlandStatic(r)
	case 55:
		return decodeInlandPersons(r)
	}
	return nil
}

// appendContent appends the fields of an application struct to a JSON object as `,"key":value` pairs under gpsd's key
// names, numbers as on the air when raw; what is not available is left out. Anything else, nil among it, adds nothing.
func appendContent(dst []byte, content any, raw bool) []byte {
	switch c := content.(type) {
	case *MetHydro:
		return c.appendJSON(dst, raw)
	case *PersonsOnBoard:
		return c.appendJSON(dst, raw)
	case *Targets:
		return c.appendJSON(dst, raw)
	case *AreaNotice:
		return c.appendJSON(dst, raw)
	case *InlandStatic:
		return c.appendJSON(dst, raw)
	case *InlandPersons:
		return c.appendJSON(dst, raw)
	case *AtoNMonitoring:
		return c.appendJSON(dst, raw)
	case *Environmental:
		return c.appendJSON(dst, raw)
	}
	return dst
}

// Reading is one measured or counted value of an application message. The zero Reading is unknown.
type Reading struct {
	raw      int32
	offset   int16
	decimals uint8
	known    bool
}

// Raw gives the value as it is on the air.
func (r Reading) Raw() (int, bool) { return int(r.raw), r.known }

// Value gives the value in the unit of its field.
func (r Reading) Value() (float64, bool) {
	return float64(int(r.raw)+int(r.offset)) / powerOfTen(r.decimals), r.known
}

func powerOfTen(n uint8) float64 { return [...]float64{1, 10, 100, 1000}[n&3] }

// NamedReading is a Reading with the key that gpsd gives its field.
type NamedReading struct {
	Key string
	Reading
}

// Readings are the values of an application message in the order of its bits; those that are not available are absent.
type Readings []NamedReading

// Value gives the value of the field that gpsd calls key, in its unit.
func (r Readings) Value(key string) (float64, bool) {
	for i := range r {
		if r[i].Key == key {
			return r[i].Value()
		}
	}
	return 0, false
}

// layout is one field of an application message: its bits and which of its values mean something.
type layout struct {
	key       string
	bits      uint8
	signed    bool
	low, high int32 // values outside are "not available" or reserved
	none      int32 // what to send when the value is not known
	offset    int16 // added to the raw value before scaling
	decimals  uint8 // the value is (raw+offset)/10^decimals
}

// readAll reads the fields of a layout in order; a field without a key is spare.
func readAll(r *applicationBits, fields []layout) Readings {
	out := make(Readings, 0, len(fields))
	for i := range fields {
		f := &fields[i]
		v := f.read(r)
		if v.known && f.key != "" {
			out = append(out, NamedReading{f.key, v})
		}
	}
	return out
}

// read takes one field off the bits.
func (f *layout) read(r *applicationBits) Reading {
	raw := int32(r.uint(int(f.bits)))
	if f.signed && f.bits < 32 {
		raw = raw << (32 - f.bits) >> (32 - f.bits)
	}
	if r.short || raw < f.low || raw > f.high {
		return Reading{}
	}
	return Reading{raw: raw, offset: f.offset, decimals: f.decimals, known: true}
}

// appendJSON appends every reading under its key.
func (r Readings) appendJSON(dst []byte, raw bool) []byte {
	for i := range r {
		dst = appendKey(dst, r[i].Key)
		dst = r[i].appendNumber(dst, raw)
	}
	return dst
}
