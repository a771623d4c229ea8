package feed

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"quaywatch/ais"
)

const (
	quietProbe = 4 * time.Second // how long a silent port is listened to at one baud rate
	noisyProbe = 2 * time.Second // and how long after its first byte
	probeBytes = 4 << 10         // so much without a sentence is the wrong baud rate
)

// errNoReceiver says that no port spoke NMEA; the search begins again.
var errNoReceiver = errors.New("no serial port where NMEA 0183 is spoken")

// searchSerial listens to every serial port that looks like a receiver's, at the usual baud rates, until one gives NMEA. It reads that
// one until it is unplugged or ctx is done.
func (in *inlet) searchSerial(ctx context.Context) error {
	for _, path := range in.candidates() {
		release, free := in.ports.claimPort(path)
		if !free {
			continue
		}
		for _, baud := range in.fallback {
			p, heard := probe(ctx, path, baud)
			if p == nil {
				continue
			}
			in.noteReceiver(path, baud)
			err := in.listenTo(ctx, p, heard)
			release()
			return err
		}
		release()
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errNoReceiver
}

// noteReceiver notes where the receiver is.
func (in *inlet) noteReceiver(path string, baud int) {
	at := fmt.Sprintf("%s at %d baud", path, baud)
	in.ledger.updateStatus(func(s *ais.FeedStatus) { s.Device = at })
	in.opened(at)
}

// candidates are the ports to listen to, each once even when it has several names.
func (in *inlet) candidates() (paths []string) {
	seen := map[string]bool{}
	for _, pattern := range in.globs {
		names, _ := filepath.Glob(pattern) // fails on a bad pattern only
		for _, name := range names {
			real, err := filepath.EvalSymlinks(name)
			if err != nil || seen[real] {
				continue
			}
			seen[real] = true
			paths = append(paths, name)
		}
	}
	return paths
}

// probe listens for a sentence. If one came it returns the open port and what was heard; else nil.
func probe(ctx context.Context, path string, baud int) (*port, []byte) {
	p, err := openPort(path, baud)
	if err != nil {
		return nil, nil
	}
	until := time.Now().Add(quietProbe)
	heard := make([]byte, 0, probeBytes)
	for ctx.Err() == nil && len(heard) < cap(heard) && time.Now().Before(until) {
		p.file.SetReadDeadline(time.Now().Add(min(readWait, time.Until(until))))
		n, err := p.file.Read(heard[len(heard):cap(heard)])
		if n > 0 && len(heard) == 0 {
			until = time.Now().Add(noisyProbe)
		}
		heard = heard[:len(heard)+n]
		if at := speaksNMEA(heard); at >= 0 {
			return p, heard[at:]
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) {
			break
		}
	}
	p.Close()
	return nil, nil
}

// speaksNMEA returns where the first whole sentence with a right checksum begins, or -1.
func speaksNMEA(p []byte) int {
	for at := 0; at < len(p); at++ {
		if p[at] != '!' && p[at] != '$' {
			continue
		}
		if isSentence(p[at:]) {
			return at
		}
	}
	return -1
}

// isSentence reports whether p begins with a sentence: "!" or "$", text, "*" and the exclusive or of the text in hexadecimal (NMEA 0183).
func isSentence(p []byte) bool {
	star := bytes.IndexByte(p, '*')
	return star >= 6 && star <= maxLine && len(p) >= star+3 && ais.ChecksumIs(p[1:star], p[star+1], p[star+2])
}
