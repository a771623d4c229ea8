package mqtt

import (
	"fmt"
	"net"
)

// mostPacket is how many bytes a packet of the broker may have. We subscribe to nothing, so it sends confirmations alone.
const mostPacket = 64 << 10

// bounded is a connection whose packets are small: its reader makes room for a packet by the length that stands before it.
type bounded struct {
	net.Conn
	over   func() // is called when nothing more can be read
	header int    // bytes of the header that were read: its kind, then its length in seven bits a byte
	length int
}

func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Conn.Read(p)
	if tooLong := b.checkPackets(p[:n]); tooLong != nil {
		n, err = 0, tooLong
	}
	if err != nil {
		b.over()
	}
	return n, err
}

// checkPackets follows the packets of what was read.
func (b *bounded) checkPackets(p []byte) error {
	for at := 0; at < len(p); {
		if b.header == 0 {
			b.header, b.length = 1, 0
			at++
			continue
		}
		if b.header > 0 {
			b.length |= int(p[at]&0x7f) << (7 * (b.header - 1))
			if b.length > mostPacket || b.header > 4 {
				return fmt.Errorf("the broker sends a packet that is too long")
			}
			b.header++
			if p[at]&0x80 == 0 {
				b.header = -1
			}
			at++
		}
		if b.header < 0 {
			skipped := min(b.length, len(p)-at)
			b.length -= skipped
			at += skipped
			if b.length == 0 {
				b.header = 0
			}
		}
	}
	return nil
}
