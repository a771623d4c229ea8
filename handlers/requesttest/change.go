package requesttest

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// changeValue puts one fault into a value of JSON, and leaves the given one as it is.
func (m *Maker) changeValue(v any) any {
	switch v := v.(type) {
	case map[string]any:
		return m.changeObject(v)
	case []any:
		return m.changeList(v)
	}
	return m.anyValue()
}

func (m *Maker) changeObject(v map[string]any) any {
	if m.chance(12) {
		return m.anyValue()
	}
	v = maps.Clone(v)
	if len(v) == 0 || m.chance(6) {
		v[m.odd()] = m.anyValue()
		return v
	}
	key := pickOne(m, slices.Sorted(maps.Keys(v)))
	switch m.random.IntN(4) {
	case 0:
		delete(v, key)
	case 1:
		v[key] = m.anyValue()
	default:
		v[key] = m.changeValue(v[key])
	}
	return v
}

func (m *Maker) changeList(v []any) any {
	if len(v) == 0 || m.chance(12) {
		return m.anyValue()
	}
	v = slices.Clone(v)
	i := m.random.IntN(len(v))
	switch m.random.IntN(5) {
	case 0:
		return slices.Delete(v, i, i+1)
	case 1:
		return append(v, v[i])
	case 2:
		if m.grown { // lists in lists that are repeated each time have billions of values
			return append(v, v[i])
		}
		m.grown = true
		return slices.Repeat(v, 1+m.random.IntN(200))
	}
	v[i] = m.changeValue(v[i])
	return v
}

// spoil puts one fault into a request: its body as bytes, its headers, its method or its path.
func (m *Maker) spoil(r *Unsigned) {
	switch m.random.IntN(8) {
	case 0, 1:
		m.spoilBody(r)
	case 2:
		r.Method = pickOne(m, []string{"GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "BREW"})
	case 3:
		r.Header.Set("Content-Type", pickOne(m, []string{"", "text/plain", "application/xml", "application/json; charset=utf-16", "multipart/form-data",
			"application/geo+json"}))
	case 4:
		r.Header.Set("Accept", pickOne(m, []string{"", "*/*", "application/xml", "text/csv;q=x", "application/geo+json", strings.Repeat("a/b,", 500)}))
	case 5:
		r.Header.Set(pickOne(m, []string{"Last-Event-ID", "If-None-Match", "If-Modified-Since", "Range", "Origin", "Sec-Fetch-Site", "X-Forwarded-For",
			"X-Forwarded-Proto", "Accept-Encoding", "Accept-Language", "Content-Encoding", "Expect", "Upgrade", "Cookie", "Authorization", "X-Request-Id"}), m.headerText())
	case 6:
		r.Target = m.spoilTarget(r.Target)
	case 7:
		r.Header.Set("Accept-Encoding", "gzip")
	}
}

// headerText is odd, and still can stand in a header.
func (m *Maker) headerText() string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, m.odd())
}

func (m *Maker) spoilBody(r *Unsigned) {
	switch m.random.IntN(6) {
	case 0:
		r.Body = bytes.Clone(r.Body[:m.random.IntN(len(r.Body)+1)])
	case 1:
		if len(r.Body) > 0 {
			r.Body = bytes.Clone(r.Body)
			r.Body[m.random.IntN(len(r.Body))] = byte(m.random.IntN(256))
		}
	case 2:
		r.Body = slices.Concat(r.Body, r.Body)
	case 3:
		r.Body = bytes.Repeat([]byte(pickOne(m, []string{"[", `{"a":`, "9", " ", "\xff"})), 1+m.random.IntN(20000))
	case 4:
		r.Body = slices.Concat([]byte("\xef\xbb\xbf"), r.Body)
	case 5:
		r.Body = bytes.ReplaceAll(r.Body, []byte(`"`), []byte(pickOne(m, []string{`'`, `"\ud800`, `\u0000"`, ``})))
	}
}

func (m *Maker) spoilTarget(target string) string {
	path, query, _ := strings.Cut(target, "?")
	switch m.random.IntN(5) {
	case 0:
		return path + "/?" + query
	case 1:
		return strings.ReplaceAll(path, "/api", pickOne(m, []string{"//api", "/api/..//api", "/API", "/api%2f"})) + "?" + query
	case 2:
		return path + "?" + query + "&" + query + fmt.Sprintf("&%%zz=%%%d", m.random.IntN(10))
	case 3:
		return path + "?" + strings.Repeat("a=b&", m.random.IntN(2000))
	}
	return path + "%00?" + query
}
