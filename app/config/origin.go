package config

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"quaywatch/handlers/settings"
)

// Origin says where a configuration comes from. A flag goes before the environment, that before the file, that before the default.
type Origin struct {
	File    string            // its path; "" for none
	Environ []string          // as os.Environ gives it
	Flags   map[string]string // given ones, by key
}

// Read reads and checks the configuration. All that is wrong with it comes back as one Error.
func (o Origin) Read() (Config, error) {
	c := Default()
	if err := o.readInto(&c); err != nil {
		return c, err
	}
	return c, c.Check()
}

// Running returns every key of the configuration that a command runs with, and where its value came from. Secrets are masked.
func (o Origin) Running(c Config) ([]settings.RunningKey, error) {
	read := Default()
	if err := o.readInto(&read); err != nil {
		return nil, err
	}
	return o.running(read, c)
}

// Warnings returns the variables of the environment that look as if they were of a key and are of none, a line each. Those that are like no key may be of
// another program.
func (o Origin) Warnings() (list []string) {
	c := Default()
	known := map[string]bool{AdminPassword: true}
	keys := leavesOf(&c)
	for _, l := range keys {
		known[l.environment()] = known[l.environment()] || l.settable()
	}
	for _, name := range slices.Sorted(maps.Keys(environmentOf(o.Environ))) {
		if known[name] {
			continue
		}
		far := func(l leaf) int { return editDistance(name, l.environment()) }
		near := slices.MinFunc(keys, func(a, b leaf) int { return cmp.Compare(far(a), far(b)) })
		switch {
		case far(near) > 1+len(strings.TrimPrefix(name, environmentPrefix))/4:
		case !near.settable():
			list = append(list, fmt.Sprintf("environment %s: nothing reads it; %s is set in the file alone", name, near.Name))
		default:
			list = append(list, fmt.Sprintf("environment %s: nothing reads it, did you mean %s?", name, near.environment()))
		}
	}
	return list
}

// Says reports whether the value of a key is said somewhere: by a flag, the environment or the file, as the default too.
func (o Origin) Says(key string) (bool, error) {
	c := Default()
	if err := o.readInto(&c); err != nil {
		return false, err
	}
	all, err := o.running(c, c)
	at := slices.IndexFunc(all, func(k settings.RunningKey) bool { return k.Key == key })
	return at >= 0 && all[at].From != "default", err
}

// readInto reads into the struct that c points to, which holds the defaults. It knows the keys by the types of the struct alone.
func (o Origin) readInto(c any) error {
	var wrong Error
	if o.File != "" {
		text, err := readText(o.File)
		if err != nil {
			return Error{fmt.Sprintf("read configuration: %v", err)}
		}
		wrong = append(wrong, decodeTOML(o.File, text, c)...)
	}
	environment := environmentOf(o.Environ)
	for _, l := range leavesOf(c) {
		name := l.environment()
		for _, from := range []struct {
			set  map[string]string
			name string
			what string
		}{{environment, name, "environment " + name}, {o.Flags, l.Name, "flag --" + l.Name}} {
			if value, given := from.set[from.name]; given && l.settable() {
				if err := l.setValue(value); err != nil {
					wrong = append(wrong, fmt.Sprintf("%s: %v", from.what, err))
				}
			}
		}
	}
	if len(wrong) > 0 {
		return wrong
	}
	return nil
}

// running tells of each key of now where its value came from. read is the configuration before a command changed it.
func (o Origin) running(read, now any) ([]settings.RunningKey, error) {
	was, err := valuesOf(read)
	if err != nil {
		return nil, err
	}
	values, err := valuesOf(now)
	if err != nil {
		return nil, err
	}
	file := map[string]any{}
	if text, err := readText(o.File); err == nil {
		if err := toml.Unmarshal(text, &file); err != nil {
			return nil, err
		}
	}
	written, environment := flatten(file), environmentOf(o.Environ)
	var list []settings.RunningKey
	for _, key := range slices.Sorted(maps.Keys(values)) {
		_, inFile := written[key]
		_, byFlag := o.Flags[key]
		_, byEnvironment := environment[Key{Name: key}.environment()]
		from := "default"
		switch {
		case !reflect.DeepEqual(was[key], values[key]):
			from = "command"
		case byFlag:
			from = "flag"
		case byEnvironment:
			from = "environment"
		case inFile:
			from = "file"
		}
		list = append(list, settings.RunningKey{Key: key, Value: mask(key, values[key]), From: from})
	}
	return list, nil
}

// valuesOf returns the values of a struct by their whole key, as its file would be read; an array of tables is one value.
func valuesOf(c any) (map[string]any, error) {
	text, err := toml.Marshal(c)
	if err != nil {
		return nil, err
	}
	tree := map[string]any{}
	err = toml.Unmarshal(text, &tree)
	return flatten(tree), err
}

// flatten returns the values of a tree by their whole key, as "http.listen"; an array is one value.
func flatten(tree map[string]any) map[string]any {
	keys := map[string]any{}
	for key, value := range tree {
		table, nested := value.(map[string]any)
		if !nested {
			keys[key] = value
			continue
		}
		for below, value := range flatten(table) {
			keys[key+"."+below] = value
		}
	}
	return keys
}
