package wms

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"strings"

	"quaywatch/handlers/request"
	"quaywatch/handlers/wire"
	"quaywatch/render"
)

// The codes of exceptions: those of ISO 19128, and two that OGC services share.
const (
	codeFormat    = "InvalidFormat"
	codeCRS       = "InvalidCRS"
	codeLayer     = "LayerNotDefined"
	codeStyle     = "StyleNotDefined"
	codeOperation = "OperationNotSupported"
	codeCurrent   = "CurrentUpdateSequence"
	codeSequence  = "InvalidUpdateSequence"
	codePoint     = "InvalidPoint"
	codeMissing   = "MissingParameterValue"
	codeValue     = "InvalidParameterValue"

	codeDimension    = "InvalidDimensionValue"
	codeNotQueryable = "LayerNotQueryable"
)

// xmlType is the type of capabilities and exceptions.
const xmlType = "text/xml; charset=utf-8"

// exception is what a caller did wrong, as the service tells it.
type exception struct{ code, text string }

// Error returns the sentence.
func (e *exception) Error() string { return e.text }

func makeException(code, text string) error { return &exception{code, text} }

// problem writes a problem of any call, as a missing right, in the form of the service.
func problem(p *request.Problem) (contentType string, body []byte) {
	return xmlType, exceptionReport(exception{text: p.Detail()})
}

// exceptionReport is an exception as XML.
func exceptionReport(e exception) []byte {
	var b bytes.Buffer
	b.WriteString(xml.Header + `<ServiceExceptionReport version="1.3.0" xmlns="http://www.opengis.net/ogc" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ` +
		`xsi:schemaLocation="http://www.opengis.net/ogc http://schemas.opengis.net/wms/1.3.0/exceptions_1_3_0.xsd">` + "\n<ServiceException")
	if e.code != "" {
		b.WriteString(` code="` + e.code + `"`)
	}
	b.WriteString(">" + wire.EscapeXML(e.text) + "</ServiceException>\n</ServiceExceptionReport>\n")
	return b.Bytes()
}

// sendException answers with an exception in the form that the caller asked for: XML, a picture with the text, or an empty picture.
func (s *Server) sendException(c *request.Request, p params, e *exception) error {
	m := &mapRequest{}
	if !oneOf(p["exceptions"], "INIMAGE", "BLANK") || !strings.EqualFold(p["request"], "GetMap") || m.readSize(p) != nil {
		c.Send(http.StatusBadRequest, xmlType, exceptionReport(*e))
		return nil
	}
	if style, ok := render.StyleOf(strings.Split(p["styles"], ",")[0]); ok {
		m.style = style
	} else {
		m.style = render.Styles()[0]
	}
	if m.readGround(p) != nil {
		ground := m.style.Ground()
		m.ground = &ground
	}
	if err := c.HoldResult(int64(m.width) * int64(m.height) * pixelBytes); err != nil {
		return err
	}
	frame, err := render.NewFrame(render.CRS84, [4]float64{-180, -90, 180, 90}, m.width, m.height)
	if err != nil {
		return err
	}
	canvas := render.New(frame)
	if oneOf(p["exceptions"], "INIMAGE") {
		canvas.Message(e.text)
	}
	file, err := canvas.PNG(&m.style, m.ground)
	if err != nil {
		return err
	}
	c.Send(http.StatusOK, pictureType, file)
	return nil
}
