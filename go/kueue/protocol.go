package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"sigs.k8s.io/kueue/pkg/metrics"
)

// request is one line of input. Its id is kept as it was written, whatever it is.
type request struct {
	ID     json.RawMessage `json:"id"`
	Call   string          `json:"call"`
	Input  json.RawMessage `json:"input"`
	Repeat int             `json:"repeat"`
	// Seconds is how long a time request measures.
	Seconds float64 `json:"seconds"`
}

// answer is one line of output: an output or an error, never both.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Output any             `json:"output,omitempty"`
	Error  *problem        `json:"error,omitempty"`
}

type versionOutput struct {
	Kueue string `json:"kueue"`
}

// server answers lines. What it remembers is what Kueue keeps in globals: feature gates and metrics.
type server struct {
	repeat  int
	gates   *gates
	decided int
}

func newServer(repeat int) *server {
	return &server{repeat: repeat, gates: newGates()}
}

// serve answers until the input ends. Lines have no maximal length, and blank ones are passed over.
func (s *server) serve(in io.Reader, out io.Writer) error {
	lines := bufio.NewReaderSize(in, 1<<20)
	buffered := bufio.NewWriter(out)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			s.write(buffered, s.answer(line))
			if err := buffered.Flush(); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (s *server) write(out io.Writer, a answer) {
	if a.ID == nil {
		a.ID = json.RawMessage("null")
	}
	line, err := json.Marshal(a)
	if err != nil {
		line, _ = json.Marshal(answer{ID: json.RawMessage("null"), Error: &problem{Code: codePanic, Message: err.Error()}})
	}
	_, _ = out.Write(append(line, '\n'))
}

// answer never fails: what Kueue panics about becomes an answer too, since a peer that dies takes
// the other scenarios of a run with it.
func (s *server) answer(line []byte) (a answer) {
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		return answer{ID: req.ID, Error: &problem{Code: codeBadJSON, Message: err.Error()}}
	}
	a.ID = req.ID
	defer func() {
		if fault := recover(); fault != nil {
			a.Output = nil
			a.Error = &problem{Code: codePanic, Message: fmt.Sprintf("%v at %s", fault, faultPlace(debug.Stack()))}
		}
	}()
	output, err := s.call(&req)
	if err != nil {
		var p *problem
		if !errors.As(err, &p) {
			p = badInput("", "%v", err)
		}
		a.Error = p
		return a
	}
	a.Output = output
	return a
}

func (s *server) call(req *request) (any, error) {
	switch req.Call {
	case "version":
		return versionOutput{Kueue: kueueVersion()}, nil
	case "decide":
		repeat := s.repeat
		if req.Repeat > 0 {
			repeat = req.Repeat
		}
		return s.decide(req.Input, repeat)
	case "cycle":
		repeat := s.repeat
		if req.Repeat > 0 {
			repeat = req.Repeat
		}
		return s.cycle(req.Input, repeat)
	case "time":
		seconds := defaultSeconds
		if req.Seconds > 0 {
			seconds = req.Seconds
		}
		return s.time(req.Input, seconds)
	default:
		return nil, &problem{Code: codeUnknownCall, Field: "call", Message: fmt.Sprintf("found %q, expected decide, cycle, time or version", req.Call)}
	}
}

// decide answers one request: the same scenario, rebuilt and decided as often as asked.
func (s *server) decide(input json.RawMessage, repeat int) (*decideOutput, error) {
	raw, err := decodeRaw(input)
	if err != nil {
		return nil, err
	}
	s.forgetMetrics()
	unknown, err := s.gates.apply(raw.FeatureGates)
	if err != nil {
		return nil, err
	}
	scn, err := decodeScenario(raw)
	if err != nil {
		return nil, err
	}
	var first *decideOutput
	var variants []variant
	for range repeat {
		output, err := decideOnce(scn)
		if err != nil {
			return nil, err
		}
		if first == nil {
			first = output
		}
		if !slices.ContainsFunc(variants, output.sameVariant) {
			variants = append(variants, output.variant)
		}
	}
	first.UnknownGates = unknown
	first.Stable = len(variants) == 1
	if !first.Stable {
		first.Variants = variants
	}
	return first, nil
}

// forgetMetrics drops Kueue's metrics now and then: they keep a series for every name that was ever
// used, and a long run uses many.
func (s *server) forgetMetrics() {
	if s.decided++; s.decided%1000 == 0 {
		metrics.InitMetricVectors(nil)
	}
}

func decideOnce(s *scenario) (*decideOutput, error) {
	d, ignored, err := decideScenario(s)
	if err != nil {
		return nil, err
	}
	output := render(d)
	output.Ignored = ignored
	return output, nil
}

// faultPlace is the innermost function of Kueue on a stack, without addresses: enough to find a
// panic again, and the same on every machine.
func faultPlace(stack []byte) string {
	for _, line := range bytes.Split(stack, []byte("\n")) {
		if bytes.HasPrefix(line, []byte(kueueModule+"/")) {
			if end := bytes.LastIndexByte(line, '('); end > 0 {
				line = line[:end]
			}
			return string(line)
		}
	}
	return "the peer"
}

const kueueModule = "sigs.k8s.io/kueue"

// kueueVersion is the version that was linked in, not one that somebody wrote down.
func kueueVersion() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	for _, module := range info.Deps {
		if module.Path != kueueModule {
			continue
		}
		if module.Replace != nil {
			return module.Version + " => " + module.Replace.Path + " " + module.Replace.Version
		}
		return module.Version
	}
	return "unknown"
}
