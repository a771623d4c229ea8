package ais

// TextDescription is DAC 1 with FI 29 (to all) or FI 30 (addressed): a text that belongs to another message (SN.1/Circ.289).
type TextDescription struct {
	Linkage uint16 // joins it with the message that has the same number
	Text    string // up to 161 characters
}

func (t *TextDescription) layout(c *codec) {
	integer(c, "linkage", 10, &t.Linkage)
	c.restText("text", &t.Text, maxSafetyText)
}
