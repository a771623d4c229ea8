package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"strings"

	"quaywatch/app/config"
	"quaywatch/box/certs"
)

// tlsCommand tells how the box is reached by HTTPS. Of its own authority it prints the fingerprint, which a person holds against that of the sign-in page or of
// a browser. What comes over plain HTTP alone may be forged.
func tlsCommand(_ context.Context, c console, args []string) error {
	show := len(args) > 0 && args[0] == "show"
	if show {
		args = args[1:]
	}
	f := newFlags(c, "tls", true)
	withPEM := f.Bool("pem", false, "print the certificate of the authority alone, to import it")
	cfg, err := f.loadConfig(args, 0, 0)
	if err != nil {
		return err
	}
	if !show {
		return f.wrong("want show")
	}
	own, err := certs.ReadAuthority(cfg.CertFolder())
	switch way := cfg.HTTPS(); {
	case way == config.HTTPSOff:
		return errors.New("tls show: HTTPS is off (http.tls; with auto also where http.listen is this box alone, " +
			"where a proxy is trusted, and where http.listen_tls is taken)")
	case way != config.HTTPSOwn:
		return showOthers(c.out, cfg, way)
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("tls show: there is no authority in %s yet: the service makes it at its first start", cfg.CertFolder())
	case err != nil:
		return fmt.Errorf("tls show: %w", err)
	}
	if *withPEM {
		_, err := c.out.Write(own.PEM)
		return err
	}
	return showOwn(c.out, cfg, own)
}

// showOwn prints what a person needs to trust the box's own authority.
func showOwn(w io.Writer, cfg config.Config, own certs.Authority) error {
	_, port, err := net.SplitHostPort(cfg.HTTP.ListenTLS)
	if err != nil {
		return fmt.Errorf("tls show: %w", err)
	}
	_, err = fmt.Fprintf(w, "HTTPS:        https://%s%s/\nauthority:    of this box; it vouches for nothing but %s\n"+
		"until:        %s\nfingerprint:  SHA-256 %s\n"+
		"certificate:  /api/tls/ca.crt of this box, or quaywatch tls show --pem; import it as an authority for web sites\n",
		net.JoinHostPort("NAME", port), cfg.HTTP.BasePath, strings.Join(own.Names, ", "), own.NotAfter.UTC().Format("2006-01-02"), own.Fingerprint)
	return err
}

// showOthers prints which certificate the box shows, when it is not its own.
func showOthers(w io.Writer, cfg config.Config, way config.HTTPSMode) error {
	if way == config.HTTPSACME {
		_, err := fmt.Fprintf(w, "HTTPS:        certificates come by ACME for %s; port 443 of each name must lead to %s\n",
			strings.Join(cfg.HTTP.TLSNames, ", "), cfg.HTTP.ListenTLS)
		return err
	}
	files, err := cfg.CertFiles()
	if err != nil {
		return fmt.Errorf("tls show: %w", err)
	}
	_, err = fmt.Fprintf(w, "HTTPS:        certificate of %s\nuntil:        %s\n", cfg.HTTP.TLSCert, files.NotAfter().UTC().Format("2006-01-02"))
	return err
}
