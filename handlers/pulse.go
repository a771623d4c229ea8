package handlers

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
)

// pulse is a listener within the process. The server answers on it as on its port, and no limit of connections counts there. So whether it still answers can be
// found out while strangers hold all other connections.
type pulse struct {
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

func newPulse() *pulse { return &pulse{conns: make(chan net.Conn), done: make(chan struct{})} }

// Accept waits for the next connection.
func (p *pulse) Accept() (net.Conn, error) {
	select {
	case conn := <-p.conns:
		return conn, nil
	case <-p.done:
		return nil, net.ErrClosed
	}
}

// Close ends Accept and dial.
func (p *pulse) Close() error {
	p.once.Do(func() { close(p.done) })
	return nil
}

// Addr returns an address that no one can dial.
func (p *pulse) Addr() net.Addr { return &net.UnixAddr{Name: "pulse", Net: "unix"} }

func (p *pulse) dialPipe(ctx context.Context, _, _ string) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.conns <- theirs:
		return ours, nil
	case <-p.done:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Ask asks the running server whether it lives, by a request like any other. It fails when no answer comes before ctx ends. What the
// answer says does not count.
func (s *Server) Ask(ctx context.Context) error {
	client := &http.Client{Transport: &http.Transport{DialContext: s.pulse.dialPipe, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://pulse"+s.config.BasePath+"/healthz", nil)
	if err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	response, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	return nil
}
