package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"
)

// example is the file that operators begin with.
const example = "../../config.example.toml"

func configFile(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "quaywatch.toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestExampleIsTheDefault: the example holds every key at its default, those of arrays of tables in comments.
func TestExampleIsTheDefault(t *testing.T) {
	got, err := Origin{File: example}.Read()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(Default(), got); diff != "" {
		t.Errorf("example differs from the defaults (-default +example):\n%s", diff)
	}
	text, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range lackingIn(t, string(text), &got) {
		t.Errorf("config.example.toml lacks %s", key)
	}
}

// TestIssueConfigurationIsRead: the names that operators' scripts rely on.
func TestIssueConfigurationIsRead(t *testing.T) {
	c, err := Origin{File: configFile(t, `data_dir = "d"
[http]
listen = ":8081"
[[feed]]
name = "roof"
url = "serial:///dev/ttyUSB0?baud=38400"
position = [10.22, 56.15]
tags = ["terrestrial"]
time = "receiver"
[[feed]]
name = "mast"
url = "udp://239.192.0.4:60004"
[store]
sync_interval = "10s"
retention = "30d"
`)}.Read()
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Feed) != 2 || c.Feed[0].Name != "roof" || c.Feed[0].Position[1] != 56.15 || c.Feed[1].URL != "udp://239.192.0.4:60004" {
		t.Errorf("feeds: %+v", c.Feed)
	}
	if time.Duration(c.Store.SyncInterval) != 10*time.Second || time.Duration(c.Store.Retention) != 30*24*time.Hour {
		t.Errorf("store: %+v", c.Store)
	}
	if c.HTTP.Listen != ":8081" || c.DataDir != "d" {
		t.Errorf("http, data_dir: %+v %q", c.HTTP, c.DataDir)
	}
}

// TestOrderOfSources: flag > environment > file > default.
func TestOrderOfSources(t *testing.T) {
	path := configFile(t, "[http]\nlisten = \"file:1\"\nbase_path = \"/file\"\n[store]\nretention = \"5d\"\n")
	environ := []string{"QUAYWATCH_HTTP_LISTEN=env:1", "QUAYWATCH_HTTP_BASE_PATH=/env", "QUAYWATCH_ADMIN_PASSWORD=not a key of ours"}
	c, err := Origin{path, environ, map[string]string{"http.listen": "flag:1"}}.Read()
	if err != nil {
		t.Fatal(err)
	}
	if c.HTTP.Listen != "flag:1" || c.HTTP.BasePath != "/env" || time.Duration(c.Store.Retention) != 120*time.Hour || !c.HTTP.MetricsAuth {
		t.Errorf("got %+v", c)
	}
}

// TestConfigErrors: every mistake is named with its place, all in one go.
func TestConfigErrors(t *testing.T) {
	tests := []struct {
		name, text string
		want       []string
	}{
		{"unknown keys and wrong types together", "data_dirr = \"x\"\n[http]\nlisten = 8080\nopen_reads = \"yes\"\nlisten_on = \"x\"\n", []string{
			":1:1: unknown key \"data_dirr\", did you mean \"data_dir\"?", ":3:", ":4:", ":5:1: unknown key \"http.listen_on\""}},
		{"syntax", "data_dir = \n", []string{":1:"}},
		{"duration without unit", "[store]\nsync_interval = \"5\"\n", []string{"want a number with a unit"}},
		{"feed without name", "[[feed]]\nurl = \"stdin://\"\n", []string{"feed 1 (\"\"): name: must be given"}},
		{"two names that differ in case", "[[feed]]\nname=\"A\"\nurl=\"stdin://\"\n[[feed]]\nname=\"a \"\nurl=\"udp://127.0.0.1:1\"\n", []string{"feed 2 (\"a \"): name: used twice, by feed 1 (\"A\")"}},
		{"sign-in of what cannot", "[[feed]]\nname=\"A\"\nurl=\"udp://127.0.0.1:1\"\nsign_in=true\n", []string{"sign_in: only programs that send to tcp-listen"}},
		{"unknown kind of feed", "[[feed]]\nname=\"A\"\nurl=\"ftp://x\"\n", []string{"feed 1 (\"A\")", "ftp"}},
		{"position off the earth", "[[feed]]\nname=\"A\"\nurl=\"stdin://\"\nposition=[10,95]\n", []string{"position: want [longitude, latitude]"}},
		{"log beside live", "[[feed]]\nname=\"A\"\nurl=\"file:///x\"\n[[feed]]\nname=\"B\"\nurl=\"udp://127.0.0.1:1\"\n", []string{"cannot stand beside a live feed"}},
		{"half of TLS", "[http]\ntls_cert=\"x\"\n", []string{"http.tls_cert and http.tls_key"}},
		{"an origin that is none", "[http]\ncors=[\"foo\",\"*\",\"https://a.example\"]\n", []string{"http.cors: invalid origin \"foo\"", "http.cors: invalid origin \"*\""}},
		{"lost after it is removed", "[traffic]\nlost_under_way=\"40m\"\nremoved_under_way=\"30m\"\n", []string{"traffic.removed_under_way: 30m must be longer than lost_under_way, which is 40m"}},
		{"lost at once", "[traffic]\nlost_at_rest=\"0s\"\nremoved_at_rest=\"0s\"\nremoved_station=\"30m\"\n", []string{"traffic.lost_at_rest: must be longer than 0",
			"traffic.removed_at_rest: 0s must be longer than lost_at_rest", "traffic.removed_station: 30m must be longer than lost_station, which is 30m"}},
		{"numbers for durations", "[store]\nretention=365\n[backup]\nevery=-1\n", []string{"store.retention: 365 has no unit: write a duration as \"365d\"", "backup.every: -1 has no unit"}},
		{"retention too short", "[store]\nretention=\"1m\"\n", []string{"store.retention"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Origin{File: configFile(t, test.text)}.Read()
			var wrong Error
			if !errors.As(err, &wrong) {
				t.Fatalf("want a Error, got %v", err)
			}
			for _, want := range test.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("want %q in\n%v", want, err)
				}
			}
		})
	}
}

// TestWhatEditorsAndHabitsWrite: a byte order mark, and a 0 without a unit.
func TestWhatEditorsAndHabitsWrite(t *testing.T) {
	from := Origin{File: configFile(t, "\ufeffdata_dir = \"d\"\n[store]\nretention = 0\n")}
	c, err := from.Read()
	if err != nil || c.DataDir != "d" || c.Store.Retention != 0 {
		t.Errorf("%+v %v", c.Store, err)
	}
	if said, err := from.Says("data_dir"); !said || err != nil {
		t.Errorf("a key after the mark: %v %v", said, err)
	}
}

// TestStrayVariables: a slip of the pen is told, and what other programs and the own tests use is not.
func TestStrayVariables(t *testing.T) {
	for name, want := range map[string]string{
		"STOR_RETENTION": "did you mean QUAYWATCH_STORE_RETENTION?", "HTTP_LISTN": "did you mean QUAYWATCH_HTTP_LISTEN?", "FEED_URL": "feed.url is set in the file alone",
		"STORE_RETENTION": "", "ADMIN_PASSWORD": "", "BIN": "", "TESTDATA": "", "API": "", "ATTACKS": "", "BENCH_DIR": "", "CROWD": "", "DAYS": "", "EVENTS": "",
		"FAULTS": "", "GATE": "", "INVENTED": "", "KILLS": "", "LOOKS": "", "MUTATIONS": "", "OLDER": "", "PEERS": "", "POSTGIS": "", "RESULTS": "", "SIEGE": "",
		"STATISTICS": "", "TEST_FULL_DISK": "", "TEST_SERIAL_PORT": "", "WORDS": "", "PORT": "", "SERVICE_HOST": "", "SERVICE_PORT": "", "PORT_8080_TCP_ADDR": "",
	} {
		got := strings.Join(Origin{Environ: []string{"QUAYWATCH_" + name + "=x"}}.Warnings(), "\n")
		if (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestDurationText(t *testing.T) {
	for _, text := range []string{"1s", "365d", "1h", "1m30s", "24h30m", "0s", "1d"} {
		var d Duration
		if err := d.UnmarshalText([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		written, err := d.MarshalText()
		if err != nil {
			t.Fatal(err)
		}
		var again Duration
		if err := again.UnmarshalText(written); err != nil || again != d {
			t.Errorf("%s is written %s and read back as %v, %v", text, written, again, err)
		}
	}
	var d Duration
	for _, text := range []string{"", "d", "x", "5", "-1s", "-3d", "213505d", "427010d", "106751d24h"} {
		if err := d.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was taken as %v", text, d)
		}
	}
}

// FuzzConfig: no text crashes the reader, and what is taken is taken again from its own print.
func FuzzConfig(f *testing.F) {
	f.Add("data_dir = \"x\"\n[http]\nlisten = 3\n")
	f.Add("[[feed]]\nname=\"A\"\nurl=\"udp://127.0.0.1:1\"\nposition=[1,2]\n[store]\nretention=\"5d\"")
	f.Add("[[feed]]\nname=\"0\"\nurl=\"udp://127.0.0.1:0\"") // once printed with a position of no numbers
	f.Add("[traffic]\nmax_ships = 99999999999999999999\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Origin{File: configFile(t, text)}.Read()
		if err != nil {
			return
		}
		printed, err := toml.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Origin{File: configFile(t, string(printed))}.Read()
		if err != nil {
			t.Fatalf("own print is refused: %v\n%s", err, printed)
		}
		if diff := cmp.Diff(c, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("own print differs: %s", diff)
		}
	})
}
