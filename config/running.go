package config

import (
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"quaywatch/handlers"
)

// masked stands in the place of a secret.
const masked = "***"

// Running gives every key of the configuration that a command runs with, secrets masked, and where its value came from.
func (o Origin) Running(c Config) ([]handlers.RunningKey, error) {
	now, err := tomlTree(c)
	if err != nil {
		return nil, err
	}
	read, err := o.Read()
	if err != nil {
		return nil, err
	}
	before, err := tomlTree(read)
	if err != nil {
		return nil, err
	}
	file := map[string]any{}
	if text, err := os.ReadFile(o.File); err == nil {
		if err := toml.Unmarshal(text, &file); err != nil {
			return nil, err
		}
	}
	was, written, values := tomlKeys(before), tomlKeys(file), tomlKeys(now)
	environment := environmentOf(o.Environ)
	var list []handlers.RunningKey
	for _, key := range slices.Sorted(maps.Keys(values)) {
		_, inFile := written[key]
		_, byFlag := o.Flags[key]
		from := "default"
		switch {
		case !reflect.DeepEqual(was[key], values[key]):
			from = "command"
		case byFlag:
			from = "flag"
		case environment[environmentName(key)] != "":
			from = "environment"
		case inFile:
			from = "file"
		}
		list = append(list, handlers.RunningKey{Key: key, Value: mask(key, values[key]), From: from})
	}
	return list, nil
}

// tomlTree gives a configuration as its file would be read.
func tomlTree(c Config) (map[string]any, error) {
	text, err := toml.Marshal(c)
	if err != nil {
		return nil, err
	}
	tree := map[string]any{}
	return tree, toml.Unmarshal(text, &tree)
}

// tomlKeys gives the values of a tree by their whole key, as "http.listen"; an array is one value.
func tomlKeys(tree map[string]any) map[string]any {
	keys := map[string]any{}
	for key, value := range tree {
		table, nested := value.(map[string]any)
		if !nested {
			keys[key] = value
			continue
		}
		for below, value := range tomlKeys(table) {
			keys[key+"."+below] = value
		}
	}
	return keys
}

// mask hides what a value of the key tells to nobody: passwords and tokens by the name of their key, and those in addresses.
func mask(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		shown := map[string]any{}
		for below, value := range v {
			shown[below] = mask(below, value)
		}
		return shown
	case []any:
		shown := []any{}
		for _, one := range v {
			shown = append(shown, mask(key, one))
		}
		return shown
	case string:
		if v != "" && isSecret(key) {
			return masked
		}
		return maskAddress(v)
	}
	if isSecret(key) {
		return masked
	}
	return value
}

// isSecret tells by its name whether a key holds a secret; tls_key is the path of a file.
func isSecret(key string) bool {
	key = strings.ToLower(key[strings.LastIndex(key, ".")+1:])
	for _, word := range []string{"password", "passwd", "secret", "token", "credential", "api_key", "apikey"} {
		if strings.Contains(key, word) {
			return true
		}
	}
	return false
}

// maskAddress hides the password and the secret parameters of an address.
func maskAddress(text string) string {
	userinfo := regexp.MustCompile(`(://[^/?#@:\s]*):[^/?#\s]*@`)
	parameter := regexp.MustCompile(`(?i)([?&][^=&\s]*(?:pass|secret|token|key)[^=&\s]*=)[^&#\s]+`)
	return parameter.ReplaceAllString(userinfo.ReplaceAllString(text, "${1}:"+masked+"@"), "${1}"+masked)
}
