package config

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// TestHowTheBoxSpeaksHTTPS: without a word of the operator, a box that other machines reach has HTTPS, and what ran before still runs.
func TestHowTheBoxSpeaksHTTPS(t *testing.T) {
	const files = "tls_cert = \"c\"\ntls_key = \"k\"\n"
	for _, row := range []struct {
		text   string
		want   HTTPSMode
		listen string
	}{
		{"", HTTPSOwn, ":8443"},
		{"[http]\nlisten = \"192.0.2.7:80\"\n", HTTPSOwn, "192.0.2.7:8443"},
		{"[http]\nlisten = \"[2001:db8::7]:80\"\nlisten_tls = \":443\"\n", HTTPSOwn, "[2001:db8::7]:443"},
		{"[http]\nlisten = \"192.0.2.7:80\"\nlisten_tls = \"0.0.0.0:443\"\n", HTTPSOwn, "0.0.0.0:443"},
		{"[http]\nlisten = \"127.0.0.1:8080\"\n", HTTPSOff, "127.0.0.1:8443"},
		{"[http]\nlisten = \"localhost:8080\"\n", HTTPSOff, "localhost:8443"},
		{"[http]\nlisten = \"[::1]:8080\"\n", HTTPSOff, "[::1]:8443"},
		{"[http]\ntrusted_proxies = [\"127.0.0.1\"]\n", HTTPSOff, ":8443"},
		{"[http]\n" + files, HTTPSAlone, ":8443"},
		{"[http]\nlisten = \"127.0.0.1:8080\"\n" + files, HTTPSAlone, "127.0.0.1:8443"},
		{"[http]\ntls = \"on\"\n" + files, HTTPSFiles, ":8443"},
		{"[http]\ntls = \"on\"\ntrusted_proxies = [\"127.0.0.1\"]\n" + files, HTTPSFiles, ":8443"},
		{"[http]\ntls = \"off\"\n" + files, HTTPSOff, ":8443"},
		{"[http]\ntls = \"acme\"\ntls_names = [\"ais.port.example\"]\n", HTTPSACME, ":8443"},
		{"[http]\nlisten = \":8443\"\n", HTTPSOff, ":8443"},
		{entries("a tcp-listen://0.0.0.0:8443"), HTTPSOff, ":8443"},
		{entries("a udp://0.0.0.0:8443"), HTTPSOwn, ":8443"},
	} {
		c, err := read(t, row.text)
		if err != nil {
			t.Errorf("%q: %v", row.text, err)
		}
		if got := c.HTTPS(); got != row.want || c.secureListen() != row.listen {
			t.Errorf("%q: %d at %s", row.text, got, c.secureListen())
		}
	}
}

// TestAPortOfHTTPSThatIsTaken: the box starts without HTTPS and says by whom, where HTTPS would have been.
func TestAPortOfHTTPSThatIsTaken(t *testing.T) {
	for text, want := range map[string]string{
		"[http]\nlisten = \":8443\"\n":                                    "http.listen_tls: http.listen has TCP port 8443 already, and only one can; there is no HTTPS",
		entries("a tcp-listen://0.0.0.0:8443"):                            "http.listen_tls: feed 1 (\"a\") has TCP port 8443 already, and only one can; there is no HTTPS",
		"[http]\nlisten_tls = \"nowhere\"\n":                              "http.listen_tls: ",
		"[http]\ntls = \"off\"\nlisten = \":8443\"\n":                     "",
		"[http]\nlisten = \"127.0.0.1:8443\"\n":                           "",
		"[http]\ntrusted_proxies = [\"127.0.0.1\"]\nlisten = \":8443\"\n": "",
		"[http]\ntls_cert = \"c\"\ntls_key = \"k\"\nlisten = \":8443\"\n": "",
		"": "",
	} {
		c, err := read(t, text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got := strings.Join(c.Warnings(), "\n"); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: warns %q, want %q", text, got, want)
		}
	}
}

// read reads a configuration from a file.
func read(t *testing.T, text string) (Config, error) {
	t.Helper()
	path := t.TempDir() + "/quaywatch.toml"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return Origin{File: path}.Read()
}

func TestHTTPSThatIsRefused(t *testing.T) {
	for text, want := range map[string]string{
		"tls = \"yes\"": `http.tls: "yes" must be auto, off, on or acme`,
		"tls = \"on\"":  "http.tls: on needs the files http.tls_cert and http.tls_key",
		"tls = \"on\"\ntls_cert = \"c\"\ntls_key = \"k\"\nlisten_tls = \":8080\"":   "http.listen_tls: http.listen has TCP port 8080 already",
		"tls = \"on\"\ntls_cert = \"c\"\ntls_key = \"k\"\nlisten_tls = \"nowhere\"": "http.listen_tls: ",
		"tls_names = [\"no name\"]":                                            `http.tls_names: "no name" must be a name`,
		"tls = \"acme\"":                                                       "acme needs the public name of the box in http.tls_names, and port 443 of that name must lead to http.listen_tls",
		"tls = \"acme\"\ntls_names = [\"box.local\"]":                          `acme gives certificates for public names alone, and "box.local" is none`,
		"tls = \"acme\"\ntls_names = [\"192.0.2.7\"]":                          `acme gives certificates for public names alone, and "192.0.2.7" is none`,
		"tls = \"acme\"\ntls_names = [\"a.b\"]\nacme_directory = \"http://x\"": `http.acme_directory: "http://x" must begin with https://`,
	} {
		var wrong Error
		if _, err := read(t, "[http]\n"+text+"\n"); !errors.As(err, &wrong) || len(wrong) != 1 || !strings.Contains(wrong[0], want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
