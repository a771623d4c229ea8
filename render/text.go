package render

import (
	"image"
	"math"

	"github.com/fogleman/gg"
	"github.com/golang/freetype/truetype"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"

	"quaywatch/geo"
)

// textPoints is the size of texts, in pixels; rowPixels is the height of a row of them.
const (
	textPoints = 12
	rowPixels  = 17
)

// mostText bounds a text, in characters.
const mostText = 120

// Label writes a text beside a place, moved by dx and dy pixels, on a ground that keeps it legible over any map.
func (c *Canvas) Label(at geo.Point, text string, dx, dy float64) {
	x, y := c.frame.Pixel(at)
	c.copies(x, x, func(turn float64) { c.drawText(x+turn+dx, y+dy, text, true) })
}

// mostLabels bounds the labels whose places are remembered.
const mostLabels = 200

// Labels returns where labels stand, in pixels of the picture, so that whoever lays others upon it leaves room.
func (c *Canvas) Labels() []image.Rectangle { return c.labels }

// drawText writes a text with its top left corner at a place of the picture.
func (c *Canvas) drawText(x, y float64, text string, ground bool) {
	if !(math.Abs(x) < 2*MostPixels && math.Abs(y) < 2*MostPixels) {
		return
	}
	mask, width := c.mask(text)
	left, top := int(math.Floor(x)), int(math.Floor(y))
	if ground {
		c.fillBlock(left-2, top, width+4, rowPixels)
		box := image.Rect(left-2, top, left+width+2, top+rowPixels)
		if len(c.labels) < mostLabels && box.Overlaps(image.Rect(0, 0, c.frame.width, c.frame.height)) {
			c.labels = append(c.labels, box)
		}
	}
	for row := range rowPixels {
		for column := range width {
			if alpha := mask.Pix[row*mask.Stride+4*column+3]; alpha > 0 {
				c.setPixel(left+column, top+row, colourIndex(Paper, max(1, int(alpha)*levels/255)))
			}
		}
	}
}

// fillBlock covers a piece of the picture with the ground of texts.
func (c *Canvas) fillBlock(left, top, width, height int) {
	for y := max(0, top); y < min(c.frame.height, top+height); y++ {
		for x := max(0, left); x < min(c.frame.width, left+width); x++ {
			c.setPixel(x, y, colourIndex(Paper, 1))
		}
	}
}

func (c *Canvas) setPixel(x, y int, to uint8) {
	if uint(x) < uint(c.frame.width) && uint(y) < uint(c.frame.height) {
		c.pixels[y*c.frame.width+x] = to
	}
}

// mask returns how much of each pixel a text covers, in the alpha of an image one row high, and how wide it is.
func (c *Canvas) mask(text string) (*image.RGBA, int) {
	if letters := []rune(text); len(letters) > mostText {
		text = string(letters[:mostText-1]) + "…"
	}
	face := c.face()
	width := font.MeasureString(face, text).Ceil()
	g := gg.NewContext(max(1, width), rowPixels)
	g.SetFontFace(face)
	g.SetRGB(0, 0, 0)
	g.DrawString(text, 0, rowPixels-5)
	made, _ := g.Image().(*image.RGBA) // gg draws on nothing else
	return made, width
}

// face returns the font of texts. The bytes of the font are those of the program, so that they can be read.
func (c *Canvas) face() font.Face {
	if c.letters == nil {
		of, _ := truetype.Parse(goregular.TTF)
		c.letters = truetype.NewFace(of, &truetype.Options{Size: textPoints, Hinting: font.HintingFull})
	}
	return c.letters
}

// Message writes a text over the picture, in as many rows as it needs. It is how an error is told to a caller that asked for a picture.
func (c *Canvas) Message(text string) {
	face := c.face()
	room := c.frame.width - 8
	y := 4
	line := ""
	flush := func() {
		c.drawText(4, float64(y), line, true)
		y += rowPixels
		line = ""
	}
	for _, word := range splitWords(text) {
		longer := line + word + " "
		if line != "" && font.MeasureString(face, longer).Ceil() > room {
			flush()
			longer = word + " "
		}
		if y > c.frame.height {
			return
		}
		line = longer
	}
	flush()
}
