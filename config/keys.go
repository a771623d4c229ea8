package config

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// leaf is one key that can be set by flag and environment.
type leaf struct {
	key  string // "http.listen"
	help string
	at   reflect.Value
}

// leaves lists the keys of c that hold one value; feeds and outputs, arrays of tables, are not among them.
func leaves(c *Config) []leaf {
	var list []leaf
	var walk func(prefix string, v reflect.Value)
	walk = func(prefix string, v reflect.Value) {
		for i := range v.NumField() {
			field := v.Type().Field(i)
			key := prefix + field.Tag.Get("toml")
			switch {
			case field.Type.Kind() == reflect.Struct:
				walk(key+".", v.Field(i))
			case field.Type == reflect.TypeFor[[]Feed](), field.Type == reflect.TypeFor[[]Output]():
			default:
				list = append(list, leaf{key: key, help: field.Tag.Get("help"), at: v.Field(i)})
			}
		}
	}
	walk("", reflect.ValueOf(c).Elem())
	return list
}

// Key is one key that can be set by flag and environment.
type Key struct {
	Name string // "http.listen"
	Help string
}

// Keys lists what can be set by flag and environment.
func Keys() []Key {
	c := Default()
	var list []Key
	for _, l := range leaves(&c) {
		list = append(list, Key{l.key, l.help})
	}
	return list
}

// environmentName is the variable of a key: http.listen is QUAYWATCH_HTTP_LISTEN.
func environmentName(key string) string {
	return "QUAYWATCH_" + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// environmentOf gives the variables that may be ours, by name.
func environmentOf(environ []string) map[string]string {
	set := map[string]string{}
	for _, pair := range environ {
		if name, value, ok := strings.Cut(pair, "="); ok && strings.HasPrefix(name, "QUAYWATCH_") {
			set[name] = value
		}
	}
	return set
}

func applyEnvironment(c *Config, environ []string) []string {
	set := environmentOf(environ)
	var wrong []string
	for _, l := range leaves(c) {
		name := environmentName(l.key)
		value, given := set[name]
		if !given {
			continue
		}
		if err := l.set(value); err != nil {
			wrong = append(wrong, fmt.Sprintf("environment %s: %v", name, err))
		}
	}
	return wrong
}

func applyFlags(c *Config, flags map[string]string) []string {
	var wrong []string
	for _, l := range leaves(c) {
		value, given := flags[l.key]
		if !given {
			continue
		}
		if err := l.set(value); err != nil {
			wrong = append(wrong, fmt.Sprintf("flag --%s: %v", l.key, err))
		}
	}
	return wrong
}

// set reads value as the leaf's type; a list is separated by commas.
func (l leaf) set(value string) error {
	switch at := l.at.Addr().Interface().(type) {
	case *Duration:
		return at.UnmarshalText([]byte(value))
	case *string:
		*at = value
	case *bool:
		b, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q: want true or false", value)
		}
		*at = b
	case *int:
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("%q: want a whole number", value)
		}
		*at = n
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

// nearestKey gives the key that is most like the unknown one, "" when none is like it.
func nearestKey(key string) string {
	c := Default()
	known := []string{"feed.name", "feed.url", "feed.position", "feed.tags", "feed.time", "feed.sign_in", "output.name", "output.url", "output.format", "output.user"}
	for _, l := range leaves(&c) {
		known = append(known, l.key)
	}
	best := slices.MinFunc(known, func(a, b string) int { return cmp.Compare(editDistance(key, a), editDistance(key, b)) })
	if editDistance(key, best) > 1+len(key)/3 {
		return ""
	}
	return best
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
