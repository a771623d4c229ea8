package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestStatesOfHiddenFeeds: receive_system_status reports the feeds that the user may know of. It neither names nor counts others.
func TestStatesOfHiddenFeeds(t *testing.T) {
	s := openStation(t, fmt.Sprintf("[[feed]]\nname = \"attic\"\nurl = \"udp://127.0.0.1:%d\"\n", freePort(t, "udp")))
	for name, tt := range map[string]struct {
		settings string
		want     []string // beginnings of the lines
	}{
		"all":      {`"receive_system_status":true`, []string{"$PQWS,2,1,udp,", "$PQWS,2,2,attic,"}},
		"attic":    {`"receive_system_status":true,"allowed_pss_list":["attic"]`, []string{"$PQWS,1,1,attic,"}},
		"elements": {`"receive_system_status":true,"allowed_pss_list":["attic"],"output_format":"xml"`, []string{"<feed_status>"}},
		"nothing":  {`"clock_sync_interval":1`, nil},
		"nobody":   {`"receive_system_status":true,"clock_sync_interval":1`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			s.addUser(name, `"settings":{`+tt.settings+`}`)
			if name == "nobody" { // for a feed that is not configured, which only an import takes
				data, typo := filepath.Join(s.dir, "data"), filepath.Join(t.TempDir(), "typo.json")
				out, stderr, code := runCommand(t, `{"users":[{"name":"nobody","settings":{"receive_system_status":true,"clock_sync_interval":1,"allowed_pss_list":["cellar"]}}]}`,
					"import-config", "--data-dir", data, "--format", "json", "-")
				if code != 0 || !strings.Contains(out, "not configured here: ") || !strings.Contains(out, "the feeds are udp, attic") {
					t.Fatalf("%d %s %s", code, out, stderr)
				}
				if err := os.WriteFile(typo, []byte(`{"receive_filter":{"psss":["utp"]}}`), 0o600); err != nil {
					t.Fatal(err)
				}
				if _, stderr, code := runCommand(t, "", "user", "set", "--data-dir", data, "--from", typo, name); code != 1 || !strings.Contains(stderr, `names "utp"`) {
					t.Fatal(code, stderr)
				}
			}
			sub := s.signIn(name)
			defer sub.Close()
			of := func() (lines []string) {
				for _, line := range sub.said()[1:] {
					if strings.HasPrefix(line, "$PQWS") || strings.HasPrefix(line, "<feed_status") {
						lines = append(lines, line)
					}
				}
				return lines
			}
			eventually(t, patience, "what stands at the beginning", func() bool { return len(of()) >= len(tt.want) && len(sub.said()) > 1 })
			lines := of()
			if len(lines) != len(tt.want) {
				t.Fatalf("%q, want %q", lines, tt.want)
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, tt.want[i]) || len(tt.want) == 1 && strings.Contains(line, "udp") {
					t.Errorf("%q, want %q", line, tt.want[i])
				}
			}
		})
	}
}
