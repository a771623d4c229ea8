package control

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"quaywatch/store"
	"quaywatch/users/document"
)

// serviceURL is what a request to the socket begins with. The name is looked up nowhere.
const serviceURL = "http://quaywatch"

// answerPatience is how long a command waits for the first word of the service. What the command asks for may then take hours.
const answerPatience = 10 * time.Second

// Served reports whether a service runs on this data folder and listens for commands.
func Served(dir string) bool {
	conn, err := dial(context.Background(), dir)
	if err != nil {
		return false
	}
	conn.Close()
	return true
}

// dial connects to the socket in a data folder.
func dial(ctx context.Context, dir string) (net.Conn, error) {
	address, folder, err := socketAddress(dir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	var d net.Dialer
	return d.DialContext(ctx, "unix", address)
}

// Backup has the service that runs on this data folder write its store to w.
func Backup(ctx context.Context, dir string, w io.Writer) error {
	response, err := sendRequest(ctx, dir, http.MethodGet, backupPath, nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(w, response.Body); err != nil {
		return err
	}
	if text := response.Trailer.Get(backupError); text != "" {
		return errors.New(text)
	}
	return nil
}

// Compact has the service that runs on this data folder shrink its store.
func Compact(ctx context.Context, dir string) error {
	_, err := askAll(ctx, dir, http.MethodPost, compactPath, nil)
	return err
}

// Check has the service that runs on this data folder read its store whole.
func Check(ctx context.Context, dir string) (report store.CheckReport, err error) {
	body, err := askAll(ctx, dir, http.MethodGet, checkPath, nil)
	if err == nil {
		err = json.Unmarshal(body, &report)
	}
	return report, err
}

// Export returns what is configured on the service that runs on this data folder.
func Export(ctx context.Context, dir string) (*document.Document, error) {
	body, err := askAll(ctx, dir, http.MethodGet, documentPath, nil)
	if err != nil {
		return nil, err
	}
	return document.Read(body)
}

// Import has the service that runs on this data folder take a document in, or only tell what that would do.
func Import(ctx context.Context, dir string, doc *document.Document, dry bool) (report *document.ImportReport, err error) {
	path := documentPath
	if dry {
		path += "?dry_run=true"
	}
	err = post(ctx, dir, path, doc, &report)
	return report, err
}

// Send has the service that runs on this data folder run the command, and returns what it says.
func (c *UserCommand) Send(ctx context.Context, dir string) (said string, err error) {
	err = post(ctx, dir, usersPath, c, &said)
	return said, err
}

// post sends JSON and reads the answer.
func post(ctx context.Context, dir, path string, what, answer any) error {
	body, err := json.Marshal(what)
	if err != nil {
		return err
	}
	text, err := askAll(ctx, dir, http.MethodPost, path, body)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, answer)
}

func askAll(ctx context.Context, dir, method, path string, body []byte) ([]byte, error) {
	response, err := sendRequest(ctx, dir, method, path, body)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	return io.ReadAll(response.Body)
}

// sendRequest sends a request. The body of the answer must be closed. It fails with the text of the service when the service refuses, and
// when the service takes connections but answers none.
func sendRequest(ctx context.Context, dir, method, path string, body []byte) (*http.Response, error) {
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx, dir) },
	}}
	if err := awaitWord(ctx, client, answerPatience); err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, serviceURL+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask the running service: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20))
		response.Body.Close()
		return nil, fmt.Errorf("the running service refused: %s", bytes.TrimSpace(text))
	}
	return response, nil
}

// awaitWord asks the service for nothing, to which it answers at once if it is alive.
func awaitWord(ctx context.Context, client *http.Client, patience time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, serviceURL+"/", nil)
	if err != nil {
		return err
	}
	response, err := client.Do(request)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("a service runs on this data folder, but did not answer within %s: is it stopped or overloaded?", patience)
	}
	if err != nil {
		return fmt.Errorf("ask the running service: %w", err)
	}
	return response.Body.Close()
}
