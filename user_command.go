package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"quaywatch/access"
)

// userCommand adds a user or sets a password; the password is one line on standard input, so that it stands in no history.
func userCommand(_ context.Context, c console, args []string) error {
	const usage = usageError("quaywatch user: usage: quaywatch user add|passwd [--config FILE] NAME < PASSWORD")
	if len(args) == 0 {
		return usage
	}
	verb := args[0]
	f := newFlags(c, "user", true)
	if verb == "--help" || verb == "-h" {
		return f.parse(args)
	}
	if verb != "add" && verb != "passwd" {
		return usage
	}
	if err := f.parse(args[1:]); err != nil {
		return err
	}
	if f.NArg() != 1 {
		return usage
	}
	config, err := f.load()
	if err != nil {
		return err
	}
	password, err := readPassword(c)
	if err != nil {
		return err
	}
	return changeUser(config, verb, f.Arg(0), password)
}

func changeUser(config Config, verb, name, password string) error {
	db, err := openStore(config)
	if err != nil {
		return fmt.Errorf("user %s: %w", verb, err)
	}
	users, err := access.OpenUsers(db, access.Options{Dir: config.DataDir})
	if err == nil && verb == "add" {
		err = users.Add(name, password)
	} else if err == nil {
		err = users.SetPassword(name, password)
	}
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("user %s %s: %w", verb, name, err)
	}
	return nil
}

func readPassword(c console) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(c.in, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read password: %w", err)
	}
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", usageError("quaywatch user: give the password as one line on standard input")
	}
	return password, nil
}
