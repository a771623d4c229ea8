// Command figures draws the pictures of docs/performance.md, as make figures does.
//
//	figures flame TITLE < traces    a flame graph of what go tool pprof -traces -unit ms prints
//	figures growth GROUP < bench    the curves of BenchmarkSystemGrowth: of its ships, or of its fixes
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := draw(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "figures:", err)
		os.Exit(1)
	}
}

func draw(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("the kind of picture and its title or group are wanted")
	}
	switch args[0] {
	case "flame":
		root, err := readTraces(in)
		if err != nil {
			return err
		}
		return drawFlame(out, args[1], root)
	case "growth":
		curves, err := readGrowth(in, args[1])
		if err != nil {
			return err
		}
		return drawGrowth(out, args[1], curves)
	}
	return fmt.Errorf("there is no picture %q", args[0])
}
