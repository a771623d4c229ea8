package config

import (
	"encoding"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pelletier/go-toml/v2"
)

// lackingIn returns the keys of the struct that c points to that an example has not. An array of tables stands in comments.
func lackingIn(t *testing.T, text string, c any) (lacking []string) {
	t.Helper()
	commented := regexp.MustCompile(`(?m)^# (\[\[\w+\]\]|\w+ = )`)
	example := map[string]any{}
	if err := toml.Unmarshal(commented.ReplaceAll([]byte(text), []byte("$1")), &example); err != nil {
		t.Fatal(err)
	}
	for _, l := range leavesOf(c) {
		at := any(example)
		for part := range strings.SplitSeq(l.Name, ".") {
			if list, ok := at.([]any); ok && len(list) > 0 {
				at = list[0]
			}
			table, _ := at.(map[string]any)
			at = table[part]
		}
		if at == nil {
			lacking = append(lacking, l.Name)
		}
	}
	return lacking
}

// madeUp is a configuration with a table and an array of tables that no line of the package knows.
type madeUp struct {
	DataDir string `toml:"data_dir" help:"folder"`
	Backup  struct {
		Every Duration `toml:"every" flag:"every" help:"time between two backups"`
		Keep  int      `toml:"keep" help:"how many stay"`
		To    struct {
			Folder   string   `toml:"folder" help:"where"`
			Password string   `toml:"password" help:"of the folder"`
			Hosts    []string `toml:"hosts" help:"where else"`
		} `toml:"to"`
	} `toml:"backup"`
	Webhook []struct {
		URL    string   `toml:"url"`
		Token  string   `toml:"token,omitempty"`
		Events []string `toml:"events,omitempty"`
	} `toml:"webhook"`
}

// TestTablesAreKnownByTheirTypes: a new table and a new array of tables need nothing but their types. The file, the environment and flags
// can set them. A slip of the pen gets them suggested. The running configuration tells of them, and the example is missed if it lacks
// them.
func TestTablesAreKnownByTheirTypes(t *testing.T) {
	file := configFile(t, "[backup]\nevery = \"1d\"\nkeep = 3\n[[webhook]]\nurl = \"https://a.example/?token=hush-1\"\ntoken = \"hush-2\"\n")
	from := Origin{
		File:    file,
		Environ: []string{"QUAYWATCH_BACKUP_KEEP=4", "QUAYWATCH_BACKUP_TO_HOSTS=a, b", "QUAYWATCH_BACKUP_TO_PASSWORD=hush-3"},
		Flags:   map[string]string{"backup.every": "6h"},
	}
	var c madeUp
	if err := from.readInto(&c); err != nil {
		t.Fatal(err)
	}
	if time.Duration(c.Backup.Every) != 6*time.Hour || c.Backup.Keep != 4 || !slices.Equal(c.Backup.To.Hosts, []string{"a", "b"}) || len(c.Webhook) != 1 {
		t.Errorf("read %+v", c)
	}
	now := c
	now.Backup.To.Folder = "b"
	list, err := from.running(c, now)
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]string{}
	for _, k := range list {
		told[k.Key] = fmt.Sprint(k.Value, " ", k.From)
	}
	want := map[string]string{
		"data_dir": " default", "backup.every": "6h flag", "backup.keep": "4 environment", "backup.to.folder": "b command", "backup.to.hosts": "[a b] environment",
		"backup.to.password": "*** environment", "webhook": "[map[token:*** url:https://a.example/?token=***]] file",
	}
	if !reflect.DeepEqual(told, want) {
		t.Errorf("told %q\nwant %q", told, want)
	}
	for text, want := range map[string]string{
		"[backup]\nevry = \"1d\"":         `:2:1: unknown key "backup.evry", did you mean "backup.every"?`,
		"[[webhook]]\nulr = \"x\"":        `:2:1: unknown key "webhook.ulr", did you mean "webhook.url"?`,
		"[backup.to]\npasswort = \"x\"":   `:2:1: unknown key "backup.to.passwort", did you mean "backup.to.password"?`,
		"[backup]\nkeep = \"x\"\nx = 1\n": ":2:",
	} {
		if err := (Origin{File: configFile(t, text)}).readInto(&c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, wrong := range []Origin{{Flags: map[string]string{"backup.keep": "x"}}, {Environ: []string{"QUAYWATCH_BACKUP_EVERY=x"}}} {
		if err := wrong.readInto(&c); err == nil {
			t.Errorf("%+v is taken", wrong)
		}
	}
	example := "data_dir = \"x\"\n[backup]\nevery = \"1d\"\n[backup.to]\nfolder = \"\"\npassword = \"\"\nhosts = []\n# [[webhook]]\n# url = \"x\"\n# # token = \"x\"\n# events = []\n"
	if got := lackingIn(t, example, &c); !slices.Equal(got, []string{"backup.keep", "webhook.token"}) {
		t.Errorf("lacking %q", got)
	}
}

// TestKeysAreWholeAndApart: each key that a flag sets has a help, its value can be read from text, and no two share a variable.
func TestKeysAreWholeAndApart(t *testing.T) {
	c := Default()
	names := map[string]string{}
	for _, l := range leavesOf(&c) {
		if !l.settable() {
			continue
		}
		if l.Help == "" {
			t.Errorf("%s has no help", l.Name)
		}
		if other, used := names[l.environment()]; used {
			t.Errorf("%s and %s have the variable %s", other, l.Name, l.environment())
		}
		names[l.environment()] = l.Name
		text := fmt.Sprint(l.at.Interface())
		if list, ok := l.at.Interface().([]string); ok {
			text = strings.Join(list, ",")
		} else if marshaler, ok := l.at.Interface().(encoding.TextMarshaler); ok {
			word, err := marshaler.MarshalText()
			if err != nil {
				t.Errorf("%s: %v", l.Name, err)
			}
			text = string(word)
		}
		if err := l.setValue(text); err != nil {
			t.Errorf("%s: %v", l.Name, err)
		}
	}
}
