package config

import "quaywatch/notify/mail"

// Mail is the server by which watchdogs send mails. No user can name another.
type Mail struct {
	Host     string `toml:"host" help:"SMTP server; empty sends no mail"`
	Port     int    `toml:"port" help:"its port; 0 is 587 with starttls, 465 with implicit, else 25"`
	User     string `toml:"user" help:"name to sign in with; empty signs in nowhere"`
	Password string `toml:"password" help:"password to sign in with"`
	From     string `toml:"from" help:"address that mails come from"`
	TLS      string `toml:"tls" help:"starttls, implicit or off"`
	CA       string `toml:"ca" help:"file of certificates (PEM) that count beside those of the system"`
	PerHour  int    `toml:"per_hour" help:"most mails in an hour; the others wait"`
}

// MailOptions returns what is said of mail.
func (c *Config) MailOptions() mail.Options {
	m := &c.Mail
	return mail.Options{Host: m.Host, Port: m.Port, User: m.User, Password: m.Password, From: m.From, TLS: m.TLS, CA: m.CA, PerHour: m.PerHour}
}

// checkMail tells what is wrong with mail.
func (c *Config) checkMail() (wrong []string) {
	o := c.MailOptions()
	for _, text := range o.Check() {
		wrong = append(wrong, "mail."+text)
	}
	return wrong
}
