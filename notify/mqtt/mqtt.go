// Package mqtt publishes at a broker of MQTT. A message counts as published when the broker has confirmed it, with quality of service 1.
package mqtt

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	paho "github.com/eclipse/paho.mqtt.golang"
	"github.com/eclipse/paho.mqtt.golang/packets"

	"quaywatch/internal/rule"
	"quaywatch/notify/outbound"
)

// Options are what the operator says of the broker. URL must be given.
type Options struct {
	URL      string // mqtt://host:port or mqtts://host:port
	User     string
	Password string
	ClientID string
	Prefix   string        // of topics
	QoS      int           // 0 or 1
	CA       string        // file of authorities beside those of the system
	Wait     time.Duration // for the connection, and for the confirmation; 0 is outbound.Wait
}

// Broker is a connection to a broker. It is made for the first message and kept until it fails.
type Broker struct {
	options Options
	address *url.URL
	trust   *tls.Config
	turn    chan struct{} // holds one message at a time, and guards client
	client  paho.Client   // nil without a connection
	lost    chan struct{} // closed when the connection is
}

// handOver is how long a message may take to the network. It takes so long where the connection is lost in that moment.
const handOver = 5 * time.Second

// mostTopic is how many bytes a prefix may have.
const mostTopic = 200

// New makes a broker without calling it. It names the key that is wrong.
func New(o Options) (*Broker, error) {
	address, err := outbound.CheckURL(o.URL, "mqtt", "mqtts")
	switch {
	case err != nil:
		return nil, fmt.Errorf("url: %w", err)
	case address.User != nil || address.RawQuery != "" || strings.Trim(address.Path, "/") != "":
		return nil, errors.New("url: must have the form mqtt://host:port; user and password are keys of their own")
	case !slices.Contains([]int{0, 1}, o.QoS):
		return nil, errors.New("qos: must be 0 or 1")
	case len(o.ClientID) > 64 || !utf8.ValidString(o.ClientID):
		return nil, errors.New("client_id: may have 64 bytes")
	case o.User == "" && o.Password != "":
		return nil, errors.New("password: needs a user")
	}
	if err := checkPrefix(o.Prefix); err != nil {
		return nil, fmt.Errorf("prefix: %w", err)
	}
	if o.Wait == 0 {
		o.Wait = outbound.Wait
	}
	b := &Broker{options: o, address: address, turn: make(chan struct{}, 1)}
	if b.trust, err = outbound.Trust(o.CA); err != nil {
		return nil, fmt.Errorf("ca: %w", err)
	}
	b.trust.ServerName = address.Hostname()
	return b, nil
}

// checkPrefix refuses what is no beginning of a topic.
func checkPrefix(prefix string) error {
	switch {
	case prefix == "" || len(prefix) > mostTopic || !utf8.ValidString(prefix):
		return fmt.Errorf("must have 1 to %d bytes", mostTopic)
	case strings.HasPrefix(prefix, "/") || strings.HasSuffix(prefix, "/") || prefix[0] == '$':
		return errors.New("may not begin with / or $, nor end with /")
	case strings.ContainsFunc(prefix, func(c rune) bool { return c == '+' || c == '#' || c < ' ' || c == 0x7f }):
		return errors.New("may hold no +, # or control character")
	}
	return nil
}

// Publish sends a message to a topic below the prefix, and returns when the broker has it. topic is ours, without any foreign text. An error is
// outbound.Final when no other attempt would help.
func (b *Broker) Publish(ctx context.Context, topic string, body []byte, retain bool) error {
	ctx, cancel := context.WithTimeout(ctx, b.options.Wait)
	defer cancel()
	select {
	case b.turn <- struct{}{}:
	case <-ctx.Done():
		return outbound.Unreached(ctx.Err())
	}
	defer func() { <-b.turn }()
	if err := b.connect(ctx); err != nil {
		return err
	}
	err := awaitToken(ctx, b.client.Publish(b.options.Prefix+"/"+topic, byte(b.options.QoS), retain, body), b.lost)
	if err != nil {
		b.dropConnection()
		return outbound.Unreached(err)
	}
	return nil
}

// Close ends the connection.
func (b *Broker) Close() {
	b.turn <- struct{}{}
	defer func() { <-b.turn }()
	b.dropConnection()
}

// connect makes the connection if there is none. The caller holds the turn.
func (b *Broker) connect(ctx context.Context) error {
	if b.client != nil && b.client.IsConnectionOpen() {
		return nil
	}
	b.dropConnection()
	o := paho.NewClientOptions().SetAutoReconnect(false).SetConnectRetry(false).SetCleanSession(true).SetConnectTimeout(b.options.Wait).
		SetWriteTimeout(min(b.options.Wait, handOver)).SetKeepAlive(30 * time.Second).SetPingTimeout(10 * time.Second).SetProtocolVersion(4).
		SetClientID(b.options.ClientID).SetUsername(b.options.User).SetPassword(b.options.Password)
	o.Servers = []*url.URL{b.address}
	lost := make(chan struct{})
	unanswered := func() bool { return true } // stops what ends the connection with the context
	o.CustomOpenConnectionFn = func(*url.URL, paho.ClientOptions) (net.Conn, error) {
		conn, err := b.dialBroker(ctx)
		if err != nil {
			return nil, err
		}
		unanswered = context.AfterFunc(ctx, func() { conn.Close() })
		return &bounded{Conn: conn, over: sync.OnceFunc(func() { close(lost) })}, nil
	}
	client := paho.NewClient(o)
	if err := awaitToken(ctx, client.Connect(), nil); err != nil {
		client.Disconnect(0)
		return b.refusalReason(err)
	}
	unanswered() // the connection stays
	b.client, b.lost = client, lost
	return nil
}

// dialBroker connects, and goes on in TLS where the address says so.
func (b *Broker) dialBroker(ctx context.Context) (net.Conn, error) {
	port := b.address.Port()
	if port == "" {
		port = map[string]string{"mqtt": "1883", "mqtts": "8883"}[b.address.Scheme]
	}
	conn, err := outbound.Dial(ctx, "tcp", net.JoinHostPort(b.address.Hostname(), port))
	if err != nil || b.address.Scheme == "mqtt" {
		return conn, err
	}
	secure := tls.Client(conn, b.trust)
	if err := secure.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secure, nil
}

// refusalReason returns what kept the broker from taking the connection.
func (b *Broker) refusalReason(err error) error {
	switch {
	case errors.Is(err, packets.ErrorRefusedBadUsernameOrPassword), errors.Is(err, packets.ErrorRefusedNotAuthorised):
		return rule.New("mqtt_sign_in", "the broker refuses user and password")
	case errors.Is(err, packets.ErrorRefusedIDRejected):
		return rule.New("mqtt_client_id", "the broker refuses the client_id")
	}
	return outbound.Unreached(err)
}

// dropConnection ends the connection, if there is one. What was not confirmed is not sent again by it. The caller holds the turn.
func (b *Broker) dropConnection() {
	if b.client != nil {
		b.client.Disconnect(250)
		b.client = nil
	}
}

// errLost says that the connection ended before the broker had confirmed.
var errLost = errors.New("the connection was lost")

// awaitToken waits until a token is done. A message that was handed over while the connection was lost has a token that is never done. When the time is over the
// connection is ended for it. That the time was over is why, however soon the end of the connection is seen.
func awaitToken(ctx context.Context, t paho.Token, lost <-chan struct{}) error {
	var err error
	select {
	case <-t.Done():
		if err = t.Error(); err == nil {
			return nil
		}
	case <-lost:
		err = errLost
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return err
}
