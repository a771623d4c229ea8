package control

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestASocketInAFolderWithALongPath: the kernel takes 107 bytes of path, and a data folder may have more.
func TestASocketInAFolderWithALongPath(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("harbour", 30))
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if Served(dir) {
		t.Error("a folder without a service is served")
	}
	for range 2 { // the second replaces what the first would leave behind
		listener, err := Listen(dir)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- (&Service{Log: slog.New(slog.DiscardHandler)}).Serve(ctx, listener) }()
		if !Served(dir) {
			t.Error("the service is not found")
		}
		if err := awaitWord(ctx, clientOf(dir), time.Minute); err != nil {
			t.Error(err)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if Served(dir) {
			t.Error("a service that ended is found")
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v is left in the folder: %v", left, err)
	}
}

// TestACommandDoesNotWaitForAServiceThatHangs: the kernel takes connections for a stopped process, and nothing answers.
func TestACommandDoesNotWaitForAServiceThatHangs(t *testing.T) {
	dir := t.TempDir()
	listener, err := Listen(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	err = awaitWord(t.Context(), clientOf(dir), time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "did not answer within 1ms") {
		t.Errorf("a service that hangs: %v", err)
	}
}

func clientOf(dir string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, dir) },
	}}
}
