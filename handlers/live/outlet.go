package live

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"net/http"

	"github.com/klauspost/compress/flate"
)

// outlet writes a stream to its client, as gzip (RFC 1952) where the client takes that. What is written can be read at once. Each piece is compressed by
// itself. So a stream that waits holds no tables of a compressor, and what is told to all is compressed once.
type outlet struct {
	to     http.ResponseWriter
	packs  bool
	begun  bool
	inside bool         // news were begun that are not sent to their end
	packed bytes.Buffer // what goes out next
	sum    uint32       // CRC-32 of all that was written
	size   uint32       // its bytes, modulo 2^32
}

// newOutlet makes the outlet of an answer whose status is not sent yet.
func newOutlet(to http.ResponseWriter, packs bool) *outlet {
	h := to.Header()
	h.Add("Vary", "Accept-Encoding")
	if packs {
		h.Set("Content-Encoding", "gzip")
	}
	return &outlet{to: to, packs: packs}
}

// gzipHead is the head of a gzip file that says nothing of its name, its time and its system.
var gzipHead = [10]byte{0x1f, 0x8b, 8, 9: 255}

// packText adds text to what goes out next.
func (o *outlet) packText(text []byte, last bool) error {
	if !o.begun {
		o.begun = true
		o.packed.Write(gzipHead[:])
	}
	o.countText(text)
	return flate.StatelessDeflate(&o.packed, text, last, nil)
}

// countText counts text that the client will have.
func (o *outlet) countText(text []byte) {
	o.sum = crc32.Update(o.sum, crc32.IEEETable, text)
	o.size += uint32(len(text))
}

// flush sends what was packed.
func (o *outlet) flush() error {
	_, err := o.to.Write(o.packed.Bytes())
	o.packed.Reset()
	return err
}

// write sends text.
func (o *outlet) write(text []byte) error {
	if !o.packs {
		_, err := o.to.Write(text)
		return err
	}
	if err := o.packText(text, false); err != nil {
		return err
	}
	return o.flush()
}

// shareNews sends news behind the head of an event. It hands the writing of each piece to inTime, in order.
func (o *outlet) shareNews(head []byte, n *news, inTime func(write func() error) error) error {
	rest := n.text
	if o.packs {
		if err := o.packText(head, false); err != nil {
			return err
		}
		o.countText(n.text)
		rest = n.packed
	} else {
		o.packed.Write(head)
	}
	o.inside = true
	for len(rest) > 0 {
		piece := rest[:min(len(rest), chunkSize)]
		rest = rest[len(piece):]
		o.packed.Write(piece)
		if err := inTime(o.flush); err != nil {
			return err
		}
	}
	o.inside = false
	return nil
}

// endStream ends the stream so that the client can tell that nothing is lost. One that was left in the middle of news ends there.
func (o *outlet) endStream() error {
	if !o.packs || o.inside {
		return nil
	}
	if err := o.packText(nil, true); err != nil {
		return err
	}
	o.packed.Write(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, o.sum), o.size))
	return o.flush()
}
