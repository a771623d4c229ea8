// Package sms sends text messages: by the HTTP gateway of a provider, or by a GSM modem on a serial port.
package sms

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"quaywatch/form/phone"
	"quaywatch/internal/rule"
	"quaywatch/notify/outbound"
)

// GatewayOptions are what the operator says of an HTTP gateway. URL must be given. URL and Body may hold words between percent signs.
type GatewayOptions struct {
	URL         string
	Method      string // "" is POST with a body, and GET without
	Body        string
	ContentType string // "" is application/x-www-form-urlencoded
	User        string // Basic authorization with Password, unless %user% or %password% stands in URL or Body
	Password    string
	Token       string        // of the header TokenHeader, unless %token% stands in URL or Body
	TokenHeader string        // "" is Authorization, with "Bearer " before the token
	Success     string        // what an answer holds when the gateway took the message; "" asks for 2xx alone, and waits for no more
	CA          string        // file of authorities beside those of the system
	Wait        time.Duration // for an answer; 0 is outbound.Wait
}

// Gateway is the HTTP gateway of a provider.
type Gateway struct {
	options GatewayOptions
	write   func(string) string // of values in the body
	client  *outbound.Client
}

// NewGateway makes a gateway. It names the key that is wrong.
func NewGateway(o GatewayOptions) (*Gateway, error) {
	if o.Method == "" {
		o.Method = http.MethodGet
		if o.Body != "" {
			o.Method = http.MethodPost
		}
	}
	if o.ContentType == "" {
		o.ContentType = "application/x-www-form-urlencoded"
	}
	if err := o.checkOptions(); err != nil {
		return nil, err
	}
	trust, err := outbound.Trust(o.CA)
	if err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	write, _ := writerFor(o.ContentType)
	return &Gateway{o, write, outbound.NewClient(trust, o.Wait)}, nil
}

// checkOptions tells what is wrong.
func (o *GatewayOptions) checkOptions() error {
	if err := checkAddress(o.URL); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	if _, err := outbound.CheckURL(addressOf(o.URL, values{wordTo: "+1", wordText: "x"}), "http", "https"); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	if !slices.Contains([]string{"GET", "POST", "PUT"}, o.Method) {
		return errors.New("method: must be GET, POST or PUT")
	}
	if o.Method == "GET" && o.Body != "" {
		return errors.New("body: goes with POST and PUT")
	}
	for _, needed := range []string{wordTo + " or " + wordDigits, wordText} {
		if !slices.ContainsFunc(strings.Split(needed, " or "), o.holdsWord) {
			return fmt.Errorf("url: %s must stand in url or body", needed)
		}
	}
	for key, text := range map[string]string{"token": o.Token, "token_header": o.TokenHeader, "user": o.User, "password": o.Password} {
		if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c == 0x7f }) {
			return fmt.Errorf("%s: may hold no control character", key)
		}
	}
	if strings.Trim(o.TokenHeader, "-ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != "" {
		return errors.New("token_header: must be the name of a header")
	}
	if o.Token != "" && o.TokenHeader == "" && o.User+o.Password != "" && !o.holdsWord(wordToken) {
		return errors.New("token: beside user and password it needs a token_header of its own")
	}
	return checkBody(o.Body, o.ContentType)
}

// holdsWord reports whether a word stands in URL or body.
func (o *GatewayOptions) holdsWord(word string) bool { return strings.Contains(o.URL+o.Body, word) }

// Send sends a text. It is the same notice for the gateway whenever id is the same, if it reads %id% or the header Idempotency-Key. An error is
// outbound.Final when no other attempt would help.
func (g *Gateway) Send(ctx context.Context, id string, to phone.Number, text string) error {
	o := &g.options
	v := values{wordTo: string(to), wordDigits: to.Digits(), wordText: clean(text), wordID: id, wordUser: o.User, wordPassword: o.Password, wordToken: o.Token}
	r, err := http.NewRequest(o.Method, addressOf(o.URL, v), bytes.NewReader([]byte(v.fillTemplate(o.Body, g.write))))
	if err != nil {
		return outbound.Final(outbound.Unreached(err))
	}
	if o.Body != "" {
		r.Header.Set("Content-Type", o.ContentType)
	}
	r.Header.Set("Idempotency-Key", `"`+id+`"`)
	if o.User+o.Password != "" && !o.holdsWord(wordUser) && !o.holdsWord(wordPassword) {
		r.SetBasicAuth(o.User, o.Password)
	}
	g.authorize(r)
	answer, err := g.client.Do(ctx, r, o.Success)
	if err == nil && o.Success != "" && !bytes.Contains(answer, []byte(o.Success)) {
		return rule.New("sms_unconfirmed", "the gateway does not say that it took the message: {answer}", "answer", outbound.Excerpt(answer, o.Password, o.Token))
	}
	return err
}

// authorize puts the token into its header.
func (g *Gateway) authorize(r *http.Request) {
	o := &g.options
	switch {
	case o.Token == "" || o.holdsWord(wordToken):
	case o.TokenHeader == "":
		r.Header.Set("Authorization", "Bearer "+o.Token)
	default:
		r.Header.Set(o.TokenHeader, o.Token)
	}
}
