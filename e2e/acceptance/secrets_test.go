package acceptance

import (
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// TestSecretsStandInNoOutput: what the program prints, logs and answers about itself holds no password and no hash of one, nor does
// what is printed about a backup.
func TestSecretsStandInNoOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data, file := filepath.Join(dir, "data"), filepath.Join(dir, "backup")
	p := start(t, dir, "serve")
	told := map[string]string{}
	ask := func(method, path, body string, want int) {
		t.Helper()
		response, text := p.do(method, path, body)
		if response.StatusCode != want {
			t.Fatalf("%s %s: %s\n%s", method, path, response.Status, text)
		}
		told[method+" "+path] += string(text)
	}
	ask("POST", "/api/config/user", `{"name":"pilot","password":"pilot-password-1"}`, http.StatusOK)
	ask("PUT", "/api/config/user/pilot", `{"password":"pilot-password-2"}`, http.StatusOK)
	ask("PUT", "/api/config/user/pilot", `{"password":["pilot-password-3"]}`, http.StatusBadRequest)
	response, err := http.Post(p.base+"/api/session", "application/json", strings.NewReader(`{"name":"pilot","password":"pilot-password-4"}`))
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	for _, path := range []string{"/api/config/user", "/api/config/running", "/api/audit", "/api/status", "/metrics"} {
		ask("GET", path, "", http.StatusOK)
	}
	command := func(input string, args ...string) {
		t.Helper()
		out, stderr, code := runCommand(t, input, args...)
		if code != 0 {
			t.Errorf("%v: exit %d\n%s", args, code, stderr)
		}
		told[strings.Join(args[:2], " ")] = out + stderr
	}
	command("", "backup", "--data-dir", data, file)
	p.stop(patience)
	told["standard output"], told["standard error"] = p.stdout.String(), p.stderr.String()
	command("pilot-password-5\n", "user", "passwd", "--data-dir", data, "pilot")
	command("", "check", "--data-dir", data)
	command("", "restore", "--data-dir", filepath.Join(dir, "restored"), file)
	for what, text := range told {
		for _, secret := range []string{"pilot-password", adminPassword, "argon2"} {
			if strings.Contains(text, secret) {
				t.Errorf("%s holds %q: %.500s", what, secret, text)
			}
		}
	}
	if !strings.Contains(told["standard error"], "sign-in failed") {
		t.Errorf("the log does not tell of the failed sign-in: %s", told["standard error"])
	}
}
