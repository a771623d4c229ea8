package config

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func TestRunningConfigurationTellsWhereFrom(t *testing.T) {
	path := configFile(t, "data_dir = \"d\"\n[http]\nbase_path = \"/ais\"\ncors = [\"https://a.example\"]\n[[feed]]\nname = \"roof\"\nurl = \"udp://0.0.0.0:10110\"\n")
	from := Origin{path, []string{"QUAYWATCH_STORE_RETENTION=30d", "QUAYWATCH_DATA_DIR=e"}, map[string]string{"data_dir": "f", "store.full_rate": "true"}}
	c, err := from.Read()
	if err != nil {
		t.Fatal(err)
	}
	c.Traffic.MaxShips = 5000
	list, err := from.Running(c)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, k := range list {
		text, err := json.Marshal(k.Value)
		if err != nil {
			t.Fatal(err)
		}
		got[k.Key] = string(text) + " " + k.From
	}
	for key, want := range map[string]string{
		"data_dir": `"f" flag`, "http.base_path": `"/ais" file`, "http.cors": `["https://a.example"] file`, "http.listen": `":8080" default`,
		"store.retention": `"30d" environment`, "store.full_rate": `true flag`, "traffic.max_ships": `5000 command`,
		"feed": `[{"name":"roof","url":"udp://0.0.0.0:10110"}] file`,
	} {
		if got[key] != want {
			t.Errorf("%s is %s, want %s", key, got[key], want)
		}
	}
	for _, key := range Keys() {
		if got[key.Name] == "" {
			t.Errorf("%s is not told", key.Name)
		}
	}
}

// TestMaskedIsAsTheRunningOne: what is printed hides the same values, key by key, and the configuration keeps them.
func TestMaskedIsAsTheRunningOne(t *testing.T) {
	const text = `[http]
cors = ["https://a.example"]
[mail]
host = "mail.example"
from = "a@port.example"
user = "a"
password = "hush-1"
[sms]
url = "https://sms.example/send?key=hush-2&to=%to%&text=%text%"
token = "hush-3"
[mqtt]
url = "mqtt://broker.example:1883"
user = "b"
password = "hush-4"
[[webhook]]
name = "desk"
url = "https://a.example/hush-5?token=hush-6"
token = "hush-7"
[[webhook]]
name = "other"
url = "https://b.example/hush-9"
secret = "whsec_aHVzaC04aHVzaC04aHVzaC04aHVzaC04"
[[feed]]
name = "roof"
url = "tcp://192.0.2.7:4001"
`
	from := Origin{File: configFile(t, text)}
	c, err := from.Read()
	if err != nil {
		t.Fatal(err)
	}
	before := fmt.Sprintf("%+v", c)
	masked := c.Masked()
	if after := fmt.Sprintf("%+v", c); after != before {
		t.Errorf("the configuration itself is now %s", after)
	}
	list, err := from.Running(c)
	if err != nil {
		t.Fatal(err)
	}
	values, err := valuesOf(masked)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range list {
		want, err := json.Marshal(k.Value)
		if err != nil {
			t.Fatal(err)
		}
		got, err := json.Marshal(values[k.Key])
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != string(want) || strings.Contains(string(got), "hush") || strings.Contains(string(got), "aHVzaC") {
			t.Errorf("%s is printed %s, and told %s", k.Key, got, want)
		}
	}
}

func TestSecretsAreMasked(t *testing.T) {
	tree := map[string]any{
		"mail_password": "hush-1", "tls_key": "/etc/key.pem", "token": int64(5),
		"list": []any{map[string]any{"name": "a", "url": "tcp://user:hush-2@10.0.0.1:4001?key=hush-3&baud=4800", "secret": []any{"hush-4"}}},
	}
	text, err := json.Marshal(mask("", tree))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"list":[{"name":"a","secret":["***"],"url":"tcp://user:***@10.0.0.1:4001?key=***\u0026baud=4800"}],"mail_password":"***","tls_key":"/etc/key.pem","token":"***"}`
	if string(text) != want {
		t.Errorf("%s\nwant %s", text, want)
	}
	for _, plain := range []string{"serial:///dev/ttyUSB0?baud=38400", "https://a.example/b@c", ":8080", "udp://[::1]:1"} {
		if got := maskAddress(plain); got != plain || strings.Contains(got, masked) {
			t.Errorf("%s became %s", plain, got)
		}
	}
}
