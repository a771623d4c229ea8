package handlers

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"quaywatch/users/access"
)

// curl is a request as a line of a page writes it for curl.
type curl struct {
	method, target string
	header         []string // names and values in turn
	body           string
	answer         string // what the page says of the answer
	endless        bool   // a stream
}

// curlLines returns the commands of the pages' shell blocks that call curl, each with the lines that it goes on in.
func curlLines(t *testing.T, page string) (commands []string) {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range regexp.MustCompile("(?ms)^```sh\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
		whole := ""
		for line := range strings.Lines(block[1]) {
			if whole += line; strings.Count(whole, "'")%2 != 0 {
				continue // a quoted text goes on
			}
			if strings.HasPrefix(whole, "curl ") {
				commands = append(commands, strings.TrimSpace(whole))
			}
			whole = ""
		}
	}
	return commands
}

// shellWords splits a command as a shell does, and fills in its variables. What follows a # is the answer that the page tells of.
func shellWords(command string, variables map[string]string) (list []string, answer string) {
	fill := func(text string) string { return os.Expand(text, func(name string) string { return variables[name] }) }
	parts := regexp.MustCompile(`(?s)\s+|#\s*(.*)|'([^']*)'|"([^"]*)"|[^\s'"]+`)
	word, there := "", false
	for _, at := range parts.FindAllStringSubmatchIndex(command, -1) {
		part := command[at[0]:at[1]]
		switch {
		case part[0] == '#' && !there:
			return list, strings.TrimSpace(command[at[2]:at[1]])
		case part[0] == '\'':
			word, there = word+command[at[4]:at[5]], true
		case part[0] == '"':
			word, there = word+fill(command[at[6]:at[7]]), true
		case strings.TrimSpace(part) != "":
			word, there = word+fill(part), true
		case there:
			list, word, there = append(list, word), "", false
		}
	}
	if there {
		list = append(list, word)
	}
	return list, ""
}

// readCurl reads a command with the options that the pages use. Data has the type that curl gives it where no header says another.
func readCurl(t *testing.T, command string, variables map[string]string) (c curl) {
	t.Helper()
	args, answer := shellWords(command, variables)
	c.answer = answer
	var data []string
	inQuery, typed := false, false
	for i := 1; i < len(args); i++ {
		value := func() string {
			if i++; i == len(args) {
				t.Fatalf("%s: an option without its value", command)
			}
			return args[i]
		}
		switch args[i] {
		case "-u":
			name, password, _ := strings.Cut(value(), ":")
			c.header = append(c.header, "Authorization", basic(name, password))
		case "-H":
			name, text, _ := strings.Cut(value(), ": ")
			c.header, typed = append(c.header, name, text), typed || name == "Content-Type"
		case "-X":
			c.method = value()
		case "-d":
			data = append(data, value())
		case "--data-urlencode":
			name, text, _ := strings.Cut(value(), "=")
			data = append(data, name+"="+url.QueryEscape(text))
		case "-G":
			inQuery = true
		case "-N":
			c.endless = true
		case ">":
			value()
		default:
			if strings.HasPrefix(args[i], "-") || c.target != "" {
				t.Fatalf("%s: %s is not known", command, args[i])
			}
			c.target = args[i]
		}
	}
	method := http.MethodGet
	switch text := strings.Join(data, "&"); {
	case inQuery:
		c.target += "?" + text
	case data != nil:
		if c.body, method = text, http.MethodPost; !typed {
			c.header = append(c.header, "Content-Type", "application/x-www-form-urlencoded")
		}
	}
	if c.method == "" {
		c.method = method
	}
	return c
}

// renamed puts the numbers that were answered in the place of those that a page has.
func (c *curl) renamed(numbers map[string]string) {
	c.target = regexp.MustCompile(`\d{13}`).ReplaceAllStringFunc(c.target, func(told string) string { return cmp.Or(numbers[told], told) })
}

// begins asks a stream and reads the first of its answer.
func (c *curl) begins(t *testing.T, base string) {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	r, err := http.NewRequestWithContext(ctx, c.method, base+c.target, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(c.header); i += 2 {
		r.Header.Set(c.header[i], c.header[i+1])
	}
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != "text/event-stream" {
		text, _ := io.ReadAll(answer.Body)
		t.Errorf("%s: %d %s", c.target, answer.StatusCode, text)
	}
}

// TestEveryCurlLineIsAnswered: whoever types what the pages say gets what they say.
func TestEveryCurlLineIsAnswered(t *testing.T) {
	s := newCalls(t)
	s.hear(noon().AddDate(0, 0, -30), voyage(nordic, "SOUTHERN HAV"))
	s.hear(noon().AddDate(0, 0, -30), position(nordic, 11, 57, 90, 0))
	s.harbour()
	s.clock.pass(24 * time.Hour) // the pages speak of 21 November
	s.save(s.clock.now())
	variables := map[string]string{"AUTH": access.AdminName + ":" + adminPassword}
	made := func(kind, body string) string {
		id := s.statistic("admin", kind, body)
		s.ran(id)
		return id[1:]
	}
	for page, numbers := range map[string]map[string]string{
		"../docs/api.md": {"1795435200000": made("portcalls", aarhusDay)},
		"../docs/statistics.md": {"1795176000000": made("passageline",
			`{"name":"gate","begin":"2026-11-20","end":"2026-11-21","passageline":{"type":"LineString","coordinates":[[10.3,56.1],[10.3,56.2]]}}`),
			"1795262400000": made("density", `{"begin":"2026-11-20","end":"2026-11-21","shape":`+harbour+`}`)},
	} {
		commands := curlLines(t, page)
		if len(commands) < 2 {
			t.Fatalf("%s: %q", page, commands)
		}
		for _, command := range commands {
			s.types(command, variables, numbers)
		}
	}
}

// types runs one command. It remembers the number and the token that the answer has, by how the page writes them.
func (s *site) types(command string, variables, numbers map[string]string) {
	t, ok := s.t.(*testing.T)
	if !ok {
		s.t.Fatal("a test is needed")
	}
	c := readCurl(t, command, variables)
	if c.renamed(numbers); c.endless {
		c.begins(t, s.serve().URL)
		return
	}
	a := s.send(c.method, c.target, c.body, slices.Clone(c.header)...)
	for a.status == http.StatusAccepted {
		a = s.send(c.method, c.target, c.body, slices.Clone(c.header)...)
	}
	if a.status != http.StatusOK && a.status != http.StatusNoContent {
		t.Errorf("%s\nis answered with %d: %s", command, a.status, a.body)
		return
	}
	if told := regexp.MustCompile(`^{"id":(\d+)}`).FindStringSubmatch(c.answer); told != nil {
		numbers[told[1]] = idOf(a.json(t))
	}
	if strings.Contains(c.answer, `"token"`) {
		variables["TOKEN"], _ = a.json(t)["token"].(string)
	}
}
