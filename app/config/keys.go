package config

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Key is one key of the configuration.
type Key struct {
	Name string // "http.listen"
	Help string
	Flag string // a shorter flag; "" for none
}

// Keys lists what can be set by flag and environment.
func Keys() []Key {
	var list []Key
	for _, l := range leavesOf(&Config{}) {
		if l.settable() {
			list = append(list, l.Key)
		}
	}
	return list
}

// environmentPrefix is what the names of our variables begin with.
const environmentPrefix = "QUAYWATCH_"

// AdminPassword is the variable of the first administrator's password. No key of the configuration is it.
const AdminPassword = environmentPrefix + "ADMIN_PASSWORD"

// environment is the variable of the key: http.listen is QUAYWATCH_HTTP_LISTEN.
func (k Key) environment() string {
	return environmentPrefix + strings.ToUpper(strings.ReplaceAll(k.Name, ".", "_"))
}

// environmentOf returns the variables that may be ours, by name.
func environmentOf(environ []string) map[string]string {
	set := map[string]string{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok && strings.HasPrefix(name, environmentPrefix) {
			set[name] = value
		}
	}
	return set
}

// leaf is a key and the place of its value.
type leaf struct {
	Key
	at reflect.Value // invalid in an array of tables
}

// settable reports whether a flag and a variable can set the key. A key in an array of tables has no one place.
func (l leaf) settable() bool { return l.at.IsValid() }

// leavesOf lists the keys of the struct that c points to. Its types say it all: a struct is a table, a slice of structs an array of tables.
func leavesOf(c any) []leaf {
	var list []leaf
	var walk func(prefix string, t reflect.Type, v reflect.Value)
	walk = func(prefix string, t reflect.Type, v reflect.Value) {
		for i := range t.NumField() {
			field := t.Field(i)
			name, _, _ := strings.Cut(field.Tag.Get("toml"), ",")
			var at reflect.Value
			if v.IsValid() {
				at = v.Field(i)
			}
			switch {
			case isTable(field.Type):
				walk(prefix+name+".", field.Type, at)
			case field.Type.Kind() == reflect.Slice && isTable(field.Type.Elem()):
				walk(prefix+name+".", field.Type.Elem(), reflect.Value{})
			default:
				list = append(list, leaf{Key{prefix + name, field.Tag.Get("help"), field.Tag.Get("flag")}, at})
			}
		}
	}
	top := reflect.ValueOf(c).Elem()
	walk("", top.Type(), top)
	return list
}

// isTable reports whether a struct is a table. A struct that reads itself from text, as a time, is a value.
func isTable(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// setValue reads value as the leaf's type; a list is separated by commas.
func (l leaf) setValue(value string) (err error) {
	switch at := l.at.Addr().Interface().(type) {
	case encoding.TextUnmarshaler:
		return at.UnmarshalText([]byte(value))
	case *string:
		*at = value
	case *bool:
		if *at, err = strconv.ParseBool(value); err != nil {
			return fmt.Errorf("%q: want true or false", value)
		}
	case *int:
		if *at, err = strconv.Atoi(value); err != nil {
			return fmt.Errorf("%q: want a whole number", value)
		}
	case *[]string:
		*at = []string{}
		for part := range strings.SplitSeq(value, ",") {
			if part = strings.TrimSpace(part); part != "" {
				*at = append(*at, part)
			}
		}
	default:
		return fmt.Errorf("a value of type %s cannot be set here", l.at.Type())
	}
	return nil
}

// nearestKey returns the key of the struct that c points to that is most like the unknown one; "" when none is like it.
func nearestKey(c any, key string) string {
	far := func(l leaf) int { return editDistance(key, l.Name) }
	best := slices.MinFunc(leavesOf(c), func(a, b leaf) int { return cmp.Compare(far(a), far(b)) })
	if far(best) > 1+len(key)/3 {
		return ""
	}
	return best.Name
}

// editDistance counts the single letters to insert, delete or replace on the way from a to b (Levenshtein).
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			above := row[j+1]
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			row[j+1] = min(above+1, row[j]+1, diagonal+cost)
			diagonal = above
		}
	}
	return row[len(b)]
}
