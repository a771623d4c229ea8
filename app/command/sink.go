package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"time"
)

// openSink opens what `simulate --to` names: udp://host:port, tcp-listen://host:port, a file, or "-" for standard output. Each Write
// takes whole sentences.
func openSink(to string, stdout io.Writer) (io.WriteCloser, error) {
	if to == "-" {
		return nopCloser{stdout}, nil
	}
	scheme, _, isURL := strings.Cut(to, "://")
	if !isURL {
		file, err := os.Create(to)
		if err != nil {
			return nil, err
		}
		return &fileSink{bufio.NewWriterSize(file, 1<<16), file}, nil
	}
	where, err := url.Parse(to)
	if err != nil {
		return nil, usageError(fmt.Sprintf("quaywatch simulate: --to %q: %v", to, err))
	}
	switch scheme {
	case "udp":
		conn, err := net.Dial("udp", where.Host)
		return &udpSink{conn}, err
	case "tcp-listen":
		return listenSink(where.Host)
	}
	return nil, usageError(fmt.Sprintf("quaywatch simulate: --to %q: want udp://, tcp-listen://, a path or -", to))
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

type fileSink struct {
	*bufio.Writer
	file *os.File
}

func (s *fileSink) Close() error { return errors.Join(s.Flush(), s.file.Close()) }

// udpSink sends one datagram a Write. It is no error that no program listens yet.
type udpSink struct{ conn net.Conn }

func (s *udpSink) Write(p []byte) (int, error) {
	if _, err := s.conn.Write(p); err != nil && errors.Is(err, net.ErrClosed) {
		return 0, err
	}
	return len(p), nil
}

func (s *udpSink) Close() error { return s.conn.Close() }

// tcpSink sends to every program that has connected. A program that does not read is cut off.
type tcpSink struct {
	listener net.Listener
	mu       sync.Mutex
	conns    []net.Conn
}

func listenSink(address string) (*tcpSink, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, err
	}
	s := &tcpSink{listener: listener}
	go s.acceptCallers()
	return s, nil
}

func (s *tcpSink) acceptCallers() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns = append(s.conns, conn)
		s.mu.Unlock()
	}
}

func (s *tcpSink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept := s.conns[:0]
	for _, conn := range s.conns {
		err := conn.SetWriteDeadline(time.Now().Add(2 * time.Second))
		if err == nil {
			_, err = conn.Write(p)
		}
		if err != nil {
			conn.Close()
			continue
		}
		kept = append(kept, conn)
	}
	s.conns = kept
	return len(p), nil
}

func (s *tcpSink) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, conn := range s.conns {
		conn.Close()
	}
	return s.listener.Close()
}
