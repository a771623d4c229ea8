package sms

import (
	"cmp"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"quaywatch/internal/rule"
	"quaywatch/notify/outbound"
	"quaywatch/notify/outbound/gatetest"
)

// request is one as a provider sees it.
type request struct {
	*http.Request
	body string
}

// provider is an HTTP gateway that gives an answer.
func provider(t *testing.T, status int, answer string) (url string, got chan request) {
	t.Helper()
	got = make(chan request, 10)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		got <- request{r, string(body)}
		w.WriteHeader(status)
		io.WriteString(w, answer)
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

const foreign = "A&B=\"c\" <SCRIPT> %to% \\ 1+1\r\nBcc: x\x00 Ж"

// A text with every sign of every syntax reaches the provider as it was, in each kind of request, and nothing else does.
func TestGatewaySends(t *testing.T) {
	at, got := provider(t, http.StatusOK, "id=7 OK")
	want := clean(foreign)
	for name, c := range map[string]struct {
		o     GatewayOptions
		check func(r request) (to, text string)
	}{
		"query": {GatewayOptions{URL: at + "/send/%digits%?to=%to%&text=%text%&pass=%password%", Password: "p&w"}, func(r request) (string, string) {
			if r.Method != http.MethodGet || r.URL.Path != "/send/4512345678" || r.URL.Query().Get("pass") != "p&w" || r.Header.Get("Authorization") != "" {
				t.Errorf("%s %s %v", r.Method, r.URL, r.Header)
			}
			return r.URL.Query().Get("to"), r.URL.Query().Get("text")
		}},
		"form": {GatewayOptions{URL: at, Body: "to=%to%&text=%text%", User: "u", Password: "p:w"}, func(r request) (string, string) {
			if user, password, ok := r.BasicAuth(); !ok || user != "u" || password != "p:w" || r.Method != http.MethodPost {
				t.Errorf("%s %q %q", r.Method, user, password)
			}
			form, err := url.ParseQuery(r.body)
			if err != nil || len(form) != 2 {
				t.Errorf("%v %v", form, err)
			}
			return form.Get("to"), form.Get("text")
		}},
		"json": {GatewayOptions{URL: at, Method: "PUT", Body: `{"to":["%to%"],"text":"%text%","id":"%id%"}`, ContentType: "application/json; charset=utf-8", Token: "t0k"},
			func(r request) (string, string) {
				var body struct {
					To       []string
					Text, ID string
				}
				if err := json.Unmarshal([]byte(r.body), &body); err != nil || body.ID != "17-a" || r.Header.Get("Authorization") != "Bearer t0k" || r.Method != http.MethodPut {
					t.Errorf("%v %s", err, r.body)
				}
				return body.To[0], body.Text
			}},
		"xml": {GatewayOptions{URL: at, Body: `<sms to="%to%"><text>%text%</text></sms>`, ContentType: "text/xml", Token: "t0k", TokenHeader: "X-API-Key"},
			func(r request) (string, string) {
				var body struct {
					To   string `xml:"to,attr"`
					Text string `xml:"text"`
				}
				if err := xml.Unmarshal([]byte(r.body), &body); err != nil || r.Header.Get("X-Api-Key") != "t0k" || r.Header.Get("Authorization") != "" {
					t.Errorf("%v %v", err, r.Header)
				}
				return body.To, body.Text
			}},
		"plain": {GatewayOptions{URL: at, Body: "%to%\n%text%", ContentType: "text/plain"}, func(r request) (string, string) {
			to, text, _ := strings.Cut(r.body, "\n")
			return to, strings.Replace(text, "1+1 Bcc", "1+1\nBcc", 1)
		}},
	} {
		c.o.Success = "OK"
		g, err := NewGateway(c.o)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := g.Send(t.Context(), "17-a", "+4512345678", foreign); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		r := <-got
		if to, text := c.check(r); to != "+4512345678" || text != want || r.Header.Get("Idempotency-Key") != `"17-a"` {
			t.Errorf("%s: %q %q", name, to, text)
		}
	}
}

// A gateway that refuses, sends elsewhere, or answers something else than it should; the answer is shown without the secret.
func TestGatewayRefuses(t *testing.T) {
	for _, c := range []struct {
		status       int
		answer, word string
		final        bool
	}{
		{200, "ERROR no credit for p&w", "sms_unconfirmed", false},
		{401, "OK", "notice_refused", true},
		{429, "OK", "notice_refused", false},
		{503, "OK", "notice_refused", false},
		{302, "OK", "notice_redirected", false},
	} {
		url, _ := provider(t, c.status, c.answer)
		g, err := NewGateway(GatewayOptions{URL: url + "?to=%to%&text=%text%&p=%password%", Password: "p&w", Success: "OK"})
		if err != nil {
			t.Fatal(err)
		}
		err = g.Send(t.Context(), "1", "+4512345678", "text")
		if err == nil || rule.Of(err).Word != c.word || outbound.IsFinal(err) != c.final || strings.Contains(err.Error(), "p&w") {
			t.Errorf("%d: %v", c.status, err)
		}
		if c.status == 200 && !strings.HasSuffix(fmt.Sprint(err), ": ERROR no credit for ***") {
			t.Error(err)
		}
	}
}

// A gateway that takes the connection and never reads, answers too late, or begins an answer that never ends has not taken the message, unless it has said
// so. One whose answer comes one byte at a time has. What comes late can be told from another message by its number.
func TestGatewayIsSlow(t *testing.T) {
	for _, c := range []struct {
		name    string
		mode    gatetest.Mode
		answer  string // "" never ends
		success string
		word    string // "" is taken
		asked   int    // requests that reached the provider
	}{
		{"never reads", gatetest.Silent, "OK", "", "notice_no_answer", 0},
		{"answers late", gatetest.Late, "OK", "", "notice_no_answer", 1},
		{"begins to answer", gatetest.Half, "OK", "", "notice_no_answer", 1},
		{"byte by byte", gatetest.Drip, "id=7 OK", "OK", "", 1},
		{"its answer has no end", gatetest.Open, "", "OK", "notice_no_answer", 1},
		{"its answer has no end, and none is needed", gatetest.Open, "", "", "", 1},
		{"its answer has no end, and says so", gatetest.Open, "", "id=", "", 1},
	} {
		got, done := make(chan string, 10), make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got <- r.Header.Get("Idempotency-Key")
			io.WriteString(w, cmp.Or(c.answer, "id=7 "))
			if c.answer == "" {
				w.(http.Flusher).Flush()
				<-done
			}
		}))
		gate := gatetest.New(t, server.Listener.Addr().String())
		gate.Set(c.mode)
		o := GatewayOptions{URL: "http://" + gate.Address + "?to=%to%&text=%text%", Success: c.success, Wait: time.Minute}
		if c.word != "" {
			o.Wait = 300 * time.Millisecond
		}
		g, err := NewGateway(o)
		if err != nil {
			t.Fatal(err)
		}
		err = g.Send(t.Context(), "17", "+4512345678", "text")
		for err != nil && len(got) < c.asked { // the time was over before the provider had the request
			err = g.Send(t.Context(), "17", "+4512345678", "text")
		}
		if (err == nil) != (c.word == "") || err != nil && (rule.Of(err).Word != c.word || outbound.IsFinal(err)) {
			t.Errorf("%s: %v", c.name, err)
		}
		close(done)
		gate.Set(gatetest.Open)
		if c.word != "" && c.answer != "" { // it works again
			again, err := NewGateway(GatewayOptions{URL: o.URL, Success: "OK", Wait: time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			if err := again.Send(t.Context(), "17", "+4512345678", "text"); err != nil {
				t.Errorf("%s, and again: %v", c.name, err)
			}
			c.asked++
		}
		server.Close()
		if len(got) != c.asked && (c.word == "" || len(got) < c.asked) {
			t.Errorf("%s: asked %d times", c.name, len(got))
		}
		for range len(got) {
			if id := <-got; id != `"17"` {
				t.Errorf("%s: number %s", c.name, id)
			}
		}
	}
}

func TestGatewayOptions(t *testing.T) {
	const good = "https://sms.example/?to=%to%&text=%text%"
	for want, o := range map[string]GatewayOptions{
		"url: %to% may not stand in the host": {URL: "https://%to%.example/?t=%text%"},
		"url: %text% may stand behind the ?":  {URL: "https://sms.example/%to%/%text%"},
		"url: must begin with":                {URL: "file:///etc/passwd?%to%%text%"},
		"url: 169.254.169.254":                {URL: "http://169.254.169.254/?to=%to%&text=%text%"},
		"url: %text% must stand":              {URL: "https://sms.example/?to=%to%"},
		"url: %to% or %digits% must stand":    {URL: "https://sms.example/?t=%text%"},
		"method: ":                            {URL: good, Method: "DELETE"},
		"body: goes with POST":                {URL: good, Method: "GET", Body: "x"},
		"body: is no JSON":                    {URL: good, Body: `{"to":%to%}`, ContentType: "application/json"},
		"body: is no XML":                     {URL: good, Body: `<a><b>%to%</a>`, ContentType: "text/xml"},
		"content_type: ":                      {URL: good, Body: "x", ContentType: "image/png"},
		"token: may hold no control":          {URL: good, Token: "a\nb"},
		"token: beside user":                  {URL: good, Token: "a", User: "b"},
		"token_header: ":                      {URL: good, Token: "a", TokenHeader: "X Y"},
		"ca: ":                                {URL: good, CA: "/nowhere"},
	} {
		if _, err := NewGateway(o); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := NewGateway(GatewayOptions{URL: good, Wait: time.Second}); err != nil {
		t.Error(err)
	}
}
