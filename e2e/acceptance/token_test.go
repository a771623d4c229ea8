package acceptance

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTokenCommand makes, lists and revokes tokens on a stopped service and on one that runs; a program calls by what was printed. No token stands
// in clear in the store, the log, the audit log, a backup or an export.
func TestTokenCommand(t *testing.T) {
	t.Parallel()
	for _, running := range []bool{false, true} {
		t.Run(fmt.Sprint("running ", running), func(t *testing.T) {
			dir := t.TempDir()
			data := filepath.Join(dir, "data")
			p := start(t, dir, "serve")
			if !running {
				p.stop(patience)
			}
			do := func(code int, says string, args ...string) string {
				t.Helper()
				out, stderr, got := runCommand(t, "", append(append([]string{"token"}, args...), "--data-dir", data)...)
				if got != code || !strings.Contains(out+stderr, says) {
					t.Errorf("%q: exit %d, want %d and %q\n%s%s", args, got, code, says, out, stderr)
				}
				return out
			}
			do(1, "at most 3660 days", "make", "admin", "late", "--expires", "2199-01-01")
			text := strings.TrimSpace(do(0, "shown this once", "make", "admin", "erp feed", "--rights", "get_system_status_info"))
			do(1, "used already", "make", "admin", "ERP feed")
			do(1, "no user", "make", "nobody", "x")
			do(0, "erp feed", "list")
			if out := do(0, "get_system_status_info", "list", "admin"); strings.Contains(out, text) {
				t.Error("the list gives the token away")
			}
			do(2, "USER and NAME", "make", "admin")
			do(2, "only make", "revoke", "admin", "x", "--rights", "view_port")
			do(2, "none of the rights", "make", "admin", "x", "--rights", "fly")
			do(2, "first", "--rights", "fly")
			do(2, "first", "turn", "admin", "x")
			if !running {
				p = start(t, dir, "serve")
			}
			as := func(path string) int {
				request, err := http.NewRequestWithContext(t.Context(), "GET", p.base+path, nil)
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Authorization", "Bearer "+text)
				response, err := http.DefaultClient.Do(request)
				if err != nil {
					t.Fatal(err)
				}
				response.Body.Close()
				return response.StatusCode
			}
			for path, want := range map[string]int{"/api/status": 200, "/metrics": 200, "/api/config/user": 403} {
				if got := as(path); got != want {
					t.Errorf("%s by the token: %d, want %d", path, got, want)
				}
			}
			do(0, "revoked", "revoke", "admin", "ERP  feed")
			do(1, "no token", "revoke", "admin", "erp feed")
			if got := as("/api/status"); got != http.StatusUnauthorized {
				t.Errorf("by the revoked token: %d", got)
			}
			if got := as("/api/config/user/" + text); got != http.StatusUnauthorized {
				t.Errorf("a path with the token: %d", got)
			}
			second := strings.TrimSpace(do(0, "shown this once", "make", "admin", "second"))
			told := map[string]string{}
			for _, path := range []string{"/api/audit", "/api/status", "/api/config/running", "/api/token", "/metrics"} {
				_, body := p.do("GET", path, "")
				told[path] = string(body)
			}
			for what, args := range map[string][]string{"backup": {"backup"}, "export": {"export-config"}} {
				file := filepath.Join(dir, what)
				if out, stderr, code := runCommand(t, "", append(args, "--data-dir", data, file)...); code != 0 {
					t.Fatalf("%v: %d %s%s", args, code, out, stderr)
				}
			}
			p.stop(patience)
			told["standard output"], told["standard error"] = p.stdout.String(), p.stderr.String()
			files := 0
			err := filepath.WalkDir(dir, func(path string, entry os.DirEntry, err error) error {
				if err != nil || !entry.Type().IsRegular() {
					return err
				}
				body, err := os.ReadFile(path)
				told[path] = string(body)
				files++
				return err
			})
			if err != nil || files < 4 || !strings.Contains(told[filepath.Join(data, "quaywatch.db")], "erp feed") && told["/api/audit"] == "" {
				t.Errorf("%d files are looked at: %v", files, err)
			}
			for what, holds := range told {
				for _, token := range []string{text, second} {
					if strings.Contains(holds, token) || strings.Contains(holds, token[len(token)-20:]) {
						t.Errorf("%s holds a token", what)
					}
				}
			}
		})
	}
}
