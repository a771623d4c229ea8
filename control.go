package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// controlName is the socket in the data folder through which the commands on this box reach the running service. Who may
// open the folder may use it: it needs no password, and nothing of it is on the network.
const controlName = "quaywatch.sock"

// listenControl makes the socket, in the place of one that a killed process left behind.
func listenControl(path string) (net.Listener, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// serveControl answers the commands until ctx ends.
func (a *app) serveControl(ctx context.Context) error {
	if a.control == nil {
		<-ctx.Done()
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /backup", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "Quaywatch-Error")
		if err := a.db.Backup(w); err != nil {
			w.Header().Set("Quaywatch-Error", err.Error())
		}
	})
	mux.HandleFunc("POST /compact", func(w http.ResponseWriter, r *http.Request) {
		if err := a.db.Compact(r.Context()); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
		}
	})
	mux.HandleFunc("GET "+documentPath, a.giveDocument)
	mux.HandleFunc("POST "+documentPath, a.takeDocument)
	mux.HandleFunc("POST "+orderPath, a.takeOrder)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stopped := context.AfterFunc(ctx, func() { server.Close() })
	defer stopped()
	if err := server.Serve(a.control); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// served tells whether a service that runs on this data folder listens to commands.
func served(dir string) bool {
	conn, err := net.Dial("unix", filepath.Join(dir, controlName))
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// callControl asks the service that runs on this data folder; the answer's body must be closed.
func callControl(ctx context.Context, socket, method, path string) (*http.Response, error) {
	return sendControl(ctx, socket, method, path, nil)
}

// tellControl sends the running service something by POST and gives its answer.
func tellControl(ctx context.Context, socket, path string, body []byte) ([]byte, error) {
	response, err := sendControl(ctx, socket, http.MethodPost, path, body)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

func sendControl(ctx context.Context, socket, method, path string, body []byte) (*http.Response, error) {
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}
	client := &http.Client{Transport: &http.Transport{DialContext: dial}}
	request, err := http.NewRequestWithContext(ctx, method, "http://quaywatch"+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask the running service: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20))
		response.Body.Close()
		return nil, fmt.Errorf("the running service refused: %s", bytes.TrimSpace(text))
	}
	return response, nil
}
