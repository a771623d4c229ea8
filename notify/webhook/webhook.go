// Package webhook sends notices to programs that listen at an address of their own. Requests are signed as Standard Webhooks 1.0 says, so that
// a receiver knows who sent them, when, and whether it had them before.
package webhook

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"quaywatch/notify/outbound"
)

// Options are what the operator says of a webhook. URL must be given.
type Options struct {
	URL    string
	Token  string        // of the header Authorization: Bearer; "" sends none
	Secret string        // signs the requests; "" signs none. After "whsec_" it is read as base64
	CA     string        // file of authorities beside those of the system
	Wait   time.Duration // for an answer; 0 is outbound.Wait
}

// Hook is a webhook, ready to send.
type Hook struct {
	options Options
	key     []byte // of the signature, nil for none
	client  *outbound.Client
}

// leastSecret is how many bytes a secret must have.
const leastSecret = 16

// New makes a webhook. It names the key that is wrong.
func New(o Options) (*Hook, error) {
	if _, err := outbound.CheckURL(o.URL, "http", "https"); err != nil {
		return nil, fmt.Errorf("url: %w", err)
	}
	if strings.ContainsFunc(o.Token, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil, fmt.Errorf("token: may hold visible ASCII alone")
	}
	trust, err := outbound.Trust(o.CA)
	if err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	h := &Hook{options: o, client: outbound.NewClient(trust, o.Wait)}
	if h.key, err = keyOf(o.Secret); err != nil {
		return nil, fmt.Errorf("secret: %w", err)
	}
	return h, nil
}

// keyOf returns the bytes of a secret.
func keyOf(secret string) ([]byte, error) {
	if secret == "" {
		return nil, nil
	}
	key := []byte(secret)
	if text, encoded := strings.CutPrefix(secret, "whsec_"); encoded {
		var err error
		if key, err = base64.StdEncoding.DecodeString(text); err != nil {
			return nil, fmt.Errorf("after whsec_ it must be base64")
		}
	}
	if len(key) < leastSecret {
		return nil, fmt.Errorf("needs at least %d bytes", leastSecret)
	}
	return key, nil
}

// Send posts a body of JSON. It is the same notice for the receiver whenever id is the same. An error is outbound.Final when no other attempt
// would help.
func (h *Hook) Send(ctx context.Context, id string, body []byte, now time.Time) error {
	r, err := http.NewRequest(http.MethodPost, h.options.URL, bytes.NewReader(body))
	if err != nil {
		return outbound.Final(outbound.Unreached(err))
	}
	stamp := strconv.FormatInt(now.Unix(), 10)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", strconv.Quote(id))
	r.Header.Set("Webhook-Id", id)
	r.Header.Set("Webhook-Timestamp", stamp)
	if h.key != nil {
		r.Header.Set("Webhook-Signature", "v1,"+base64.StdEncoding.EncodeToString(Signature(h.key, id, stamp, body)))
	}
	if h.options.Token != "" {
		r.Header.Set("Authorization", "Bearer "+h.options.Token)
	}
	_, err = h.client.Do(ctx, r, "")
	return err
}

// Signature returns the HMAC-SHA256 of the number, the time and the body of a request.
func Signature(key []byte, id, stamp string, body []byte) []byte {
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "%s.%s.", id, stamp)
	mac.Write(body)
	return mac.Sum(nil)
}
