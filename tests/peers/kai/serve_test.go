package peer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"testing/synctest"
)

// version is what the plugin was built from; the build sets it.
var version = "unknown"

const serving = "TENURE_KAI_PEER"

type request struct {
	ID    json.RawMessage `json:"id"`
	Call  string          `json:"call"`
	Input json.RawMessage `json:"input"`
}

type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field"`
}

type answer struct {
	ID     json.RawMessage `json:"id"`
	Output object          `json:"output,omitempty"`
	Error  *problem        `json:"error,omitempty"`
}

// TestServe is the program: it answers lines until standard input ends.
func TestServe(t *testing.T) {
	if os.Getenv(serving) == "" {
		t.Skip(serving + " is not set: this is the program, and no test")
	}
	if err := serve(t, os.Stdin, os.Stdout); err != nil {
		t.Fatal(err)
	}
}

func serve(t *testing.T, in io.Reader, out io.Writer) error {
	lines, buffered := bufio.NewReaderSize(in, 1<<20), bufio.NewWriter(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			written, fault := json.Marshal(answerLine(t, line))
			if fault != nil {
				return fault
			}
			_, _ = buffered.Write(append(written, '\n'))
			if lines.Buffered() == 0 {
				if err := buffered.Flush(); err != nil {
					return err
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return buffered.Flush()
		}
		if err != nil {
			return err
		}
	}
}

func answerLine(t *testing.T, line []byte) answer {
	var asked request
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{ID: json.RawMessage("null"), Error: &problem{"bad-json", err.Error(), ""}}
	}
	switch asked.Call {
	case "version":
		return answer{ID: asked.ID, Output: object{"kai": version}}
	case "minruntime":
		return inBubble(t, asked)
	}
	return answer{ID: asked.ID, Error: &problem{"unknown-call", "expected minruntime or version", "call"}}
}

// inBubble answers with a clock of the case's own. What the plugin panics about is an answer too.
func inBubble(t *testing.T, asked request) (said answer) {
	synctest.Test(t, func(*testing.T) {
		defer func() {
			if fault := recover(); fault != nil {
				said = answer{ID: asked.ID, Error: &problem{"panic", fmt.Sprint(fault), ""}}
			}
		}()
		output, err := answerCase(asked.Input)
		said = answer{ID: asked.ID, Output: output}
		if err != nil {
			said = answer{ID: asked.ID, Error: &problem{"bad-input", err.Error(), ""}}
		}
	})
	return said
}
