package form

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Same reports whether two values are the same on the disk. White space in JSON and the form of its numbers do not count.
func Same(a, b any) bool {
	left, err1 := plainValue(a)
	other, err2 := plainValue(b)
	return err1 == nil && err2 == nil && reflect.DeepEqual(left, other)
}

// plainValue returns a value as JSON knows it, with whole numbers as they are and others as float64.
func plainValue(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var tree any
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	return plainNumbers(tree), nil
}

func plainNumbers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = plainNumbers(item)
		}
	case []any:
		for i, item := range v {
			v[i] = plainNumbers(item)
		}
	case json.Number:
		if _, err := v.Int64(); err == nil {
			return v
		}
		f, err := v.Float64()
		if err != nil {
			return v
		}
		if whole := strconv.FormatFloat(f, 'f', -1, 64); !strings.Contains(whole, ".") {
			return json.Number(whole)
		}
		return f
	}
	return v
}
