package config

import (
	"encoding/json"
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
