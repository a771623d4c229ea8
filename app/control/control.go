// Package control is the socket in the data folder through which the commands on this box reach the running service. It needs no password: the
// rights of the folder protect it. Nothing of it is on the network.
package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"quaywatch/engine/portcalls"
	"quaywatch/store"
	"quaywatch/users/access"
	"quaywatch/users/document"
	"quaywatch/users/registry"
)

// Where the running service answers, in the data folder and on the socket.
const (
	socketName   = "quaywatch.sock"
	backupPath   = "/backup"
	compactPath  = "/compact"
	checkPath    = "/check"
	documentPath = "/config-document"
	usersPath    = "/user-command"
	tokensPath   = "/token-command"
	portsPath    = "/port-files"
	callsPath    = "/detect-calls"
	evaluatePath = "/compare-calls"
	waterPath    = "/learn-water"
)

// MostDocument is the most bytes of a document.
const MostDocument = 64 << 20

// mostTimes is the most bytes of a question that has a few numbers and times alone.
const mostTimes = 1 << 10

// backupError is the HTTP trailer with the error of a backup that failed after it began.
const backupError = "Quaywatch-Error"

// Service is what the running service does for the commands.
type Service struct {
	DB    *store.DB
	Users *access.Users
	Box   *document.Box
	Ports *registry.PortTable
	Calls *portcalls.Calls
	Log   *slog.Logger
}

// mostAddress is the most bytes that the kernel takes for the path of a socket. The sun_path of unix(7) has 108, of which the last is 0.
const mostAddress = 107

// socketAddress returns the path of the socket in a data folder. A path that is too long for the kernel leads through the open folder. That must stay open
// while the path is used. It is nil, which Close allows, where the path needs none.
func socketAddress(dir string) (path string, folder *os.File, err error) {
	if path = filepath.Join(dir, socketName); len(path) <= mostAddress {
		return path, nil, nil
	}
	if folder, err = os.Open(dir); err != nil {
		return "", nil, err
	}
	return fmt.Sprintf("/proc/self/fd/%d/%s", folder.Fd(), socketName), folder, nil
}

// folderListener is a listener whose path leads through an open folder, or nil.
type folderListener struct {
	net.Listener
	folder *os.File
}

// Close removes the socket and closes the folder.
func (l *folderListener) Close() error {
	err := l.Listener.Close()
	l.folder.Close()
	return err
}

// Listen makes the socket in a data folder. It replaces a socket that a killed process left behind.
func Listen(dir string) (net.Listener, error) {
	path, folder, err := socketAddress(dir)
	if err != nil {
		return nil, err
	}
	listener, err := listenAt(path)
	if err != nil {
		folder.Close()
		return nil, err
	}
	return &folderListener{listener, folder}, nil
}

func listenAt(path string) (net.Listener, error) {
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

// Serve answers the commands until ctx ends. Without a listener it only waits.
func (s *Service) Serve(ctx context.Context, listener net.Listener) error {
	if listener == nil {
		<-ctx.Done()
		return nil
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+backupPath, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", backupError)
		if err := s.DB.Backup(w); err != nil {
			w.Header().Set(backupError, err.Error())
		}
	})
	mux.HandleFunc("POST "+compactPath, func(w http.ResponseWriter, r *http.Request) {
		s.sendAnswer(w, nil, s.DB.Compact(r.Context()))
	})
	mux.HandleFunc("GET "+checkPath, func(w http.ResponseWriter, r *http.Request) {
		report, err := s.DB.Check(r.Context())
		s.sendAnswer(w, report, err)
	})
	mux.HandleFunc("GET "+documentPath, func(w http.ResponseWriter, _ *http.Request) { s.export(w) })
	mux.HandleFunc("POST "+documentPath, s.takeDocument)
	mux.HandleFunc("POST "+usersPath, commandHandler(s, MostDocument, func(_ context.Context, c *UserCommand) (string, error) { return c.Run(s.Users) }))
	mux.HandleFunc("POST "+tokensPath, commandHandler(s, MostDocument, func(_ context.Context, c *TokenCommand) (string, error) { return c.Run(s.Users) }))
	mux.HandleFunc("POST "+portsPath, commandHandler(s, 2*MostDocument, func(_ context.Context, f *PortFiles) ([]registry.PortsTaken, error) {
		return f.Run(s.Ports, s.Users)
	}))
	mux.HandleFunc("POST "+callsPath, commandHandler(s, mostTimes, func(ctx context.Context, d *DetectCalls) (portcalls.Detection, error) {
		return s.Calls.Detect(ctx, d.From, d.To, nil)
	}))
	mux.HandleFunc("POST "+evaluatePath, commandHandler(s, MostDocument, func(ctx context.Context, k *KnownCalls) (portcalls.Evaluation, error) {
		return s.Calls.Evaluate(ctx, k.List, k.From, k.To)
	}))
	mux.HandleFunc("POST "+waterPath, commandHandler(s, mostTimes, func(ctx context.Context, l *LearnWater) (portcalls.Learned, error) {
		return s.Calls.LearnWater(ctx, portcalls.Learning(*l))
	}))
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	stopped := context.AfterFunc(ctx, func() { server.Close() })
	defer stopped()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// export is export-config on the running service.
func (s *Service) export(w http.ResponseWriter) {
	doc, err := s.Box.Export()
	s.sendAnswer(w, doc, err)
}

// takeDocument is import-config on the running service.
func (s *Service) takeDocument(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 2*MostDocument))
	var report *document.ImportReport
	if err == nil {
		var doc *document.Document
		if doc, err = document.Read(body); err == nil {
			dry := r.URL.Query().Get("dry_run") == "true"
			report, err = s.Box.Import(r.Context(), doc, dry, ImportLine(s.Users))
		}
	}
	s.sendAnswer(w, report, err)
}

// commandHandler returns the handler of a command. The handler reads the question in a body of at most so many bytes, and answers with what run returns.
func commandHandler[Q, A any](s *Service, most int64, run func(context.Context, *Q) (A, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var question Q
		var answer A
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, most)).Decode(&question)
		if err == nil {
			answer, err = run(r.Context(), &question)
		}
		s.sendAnswer(w, answer, err)
	}
}

// sendAnswer answers a command with JSON, or with what went wrong.
func (s *Service) sendAnswer(w http.ResponseWriter, answer any, err error) {
	var body bytes.Buffer
	if err == nil {
		err = json.NewEncoder(&body).Encode(answer)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	if _, err := body.WriteTo(w); err != nil {
		s.Log.Warn("answer a command", "error", err)
	}
}
