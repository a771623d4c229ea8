package config

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
)

// masked stands in the place of a secret.
const masked = "***"

// Masked returns the configuration with its secrets hidden, to be printed. Of c nothing changes.
func (c Config) Masked() Config {
	maskTable("", reflect.ValueOf(&c).Elem())
	return c
}

// maskTable hides the secrets of a table, with the tables in it. The lists that it changes are copies.
func maskTable(prefix string, table reflect.Value) {
	for i := range table.NumField() {
		name, _, _ := strings.Cut(table.Type().Field(i).Tag.Get("toml"), ",")
		key, at := prefix+name, table.Field(i)
		switch {
		case isTable(at.Type()):
			maskTable(key+".", at)
		case at.Kind() == reflect.Slice && isTable(at.Type().Elem()):
			list := reflect.AppendSlice(reflect.MakeSlice(at.Type(), 0, at.Len()), at)
			for j := range list.Len() {
				maskTable(key+".", list.Index(j))
			}
			at.Set(list)
		case at.Kind() == reflect.String:
			at.SetString(mask(key, at.String()).(string))
		case at.Type() == reflect.TypeFor[[]string]():
			list := slices.Clone(at.Interface().([]string))
			for j, text := range list {
				list[j] = mask(key, text).(string)
			}
			at.Set(reflect.ValueOf(list))
		case isSecret(key):
			at.SetZero()
		}
	}
}

// mask hides the secrets in the value of a key: passwords and tokens by the name of their key, and those in addresses.
func mask(key string, value any) any {
	switch v := value.(type) {
	case map[string]any:
		shown := map[string]any{}
		for below, value := range v {
			shown[below] = mask(key+"."+below, value)
		}
		return shown
	case []any:
		shown := []any{}
		for _, item := range v {
			shown = append(shown, mask(key, item))
		}
		return shown
	case string:
		if v != "" && isSecret(key) {
			return masked
		}
		if key == "webhook.url" {
			v = maskPath(v)
		}
		return maskAddress(v)
	}
	if isSecret(key) {
		return masked
	}
	return value
}

// isSecret tells by its name whether a key holds a secret. tls_key does not: it is the path of a file. A body may have one anywhere.
func isSecret(key string) bool {
	if key == "sms.body" {
		return true
	}
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

// maskPath hides the path of an address: that of a webhook may be all that a sender has to know.
func maskPath(text string) string {
	return regexp.MustCompile(`^([a-z]+://[^/?#]+/)[^?#]+`).ReplaceAllString(text, "${1}"+masked)
}
