package feed

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"time"

	"quaywatch/ais"
	"quaywatch/ais/feed/format"
)

// Bounds of signing in by a line.
const (
	loginTime  = 10 * time.Second
	loginBytes = 2048
	maxAnswer  = 60 // characters of a name or reason: the sentence has 82 at most
)

// Errors of ReadLogin: what the other side sent instead of a sign-in.
var (
	ErrNoLogin  = errors.New("sign in: the first line is not LOGIN name password")
	ErrLongLine = errors.New("sign in: the first line is longer than 2048 bytes")
)

// Login is the first line on a plain connection, for a subscriber of an outgoing stream or a sender to a feed:
//
//	LOGIN name password
//
// A name with blanks stands in double quotes. The password is the rest of the line, blanks in it included.
type Login struct{ Name, Password string }

// ReadLogin reads the line and returns what came behind it. The other side has ten seconds and 2,048 bytes. The connection's
// read deadline is off afterwards. The error is ErrNoLogin, ErrLongLine or what became of the connection.
func ReadLogin(conn net.Conn) (login Login, rest []byte, err error) {
	if err := conn.SetReadDeadline(time.Now().Add(loginTime)); err != nil {
		return Login{}, nil, err
	}
	buffer, n := make([]byte, loginBytes), 0
	for {
		got, err := conn.Read(buffer[n:])
		n += got
		if line, rest, found := bytes.Cut(buffer[:n], []byte{'\n'}); found {
			login, ok := parseLogin(string(line))
			if !ok {
				return Login{}, nil, ErrNoLogin
			}
			return login, rest, conn.SetReadDeadline(time.Time{})
		}
		if n == len(buffer) {
			return Login{}, nil, ErrLongLine
		}
		if err != nil {
			return Login{}, nil, err
		}
	}
}

// parseLogin reads the line without its end.
func parseLogin(line string) (Login, bool) {
	word, rest, _ := strings.Cut(strings.TrimRight(line, "\r"), " ")
	if !strings.EqualFold(word, "LOGIN") {
		return Login{}, false
	}
	rest = strings.TrimLeft(rest, " ")
	name, password, ok := strings.Cut(rest, " ")
	if strings.HasPrefix(rest, `"`) {
		name, password, ok = strings.Cut(rest[1:], `" `)
	}
	return Login{name, password}, ok && name != "" && password != ""
}

// AppendWelcome appends the answer to a sign-in that was taken: $PQWA,ok,name*hh.
func AppendWelcome(b []byte, name string) []byte {
	return appendOwn(b, "PQWA,ok,", name)
}

// AppendRefusal appends the answer to a sign-in that was not taken: $PQWA,refused,reason*hh.
func AppendRefusal(b []byte, reason string) []byte {
	return appendOwn(b, "PQWA,refused,", reason)
}

// appendOwn appends one of our own sentences: $, the head, the last field, checksum, CR LF.
func appendOwn(b []byte, head, last string) []byte {
	begin := len(b)
	b = append(append(b, '$'), head...)
	return ais.EndSentence(format.AppendField(b, last, maxAnswer), begin)
}
