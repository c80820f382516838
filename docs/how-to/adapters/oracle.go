package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os/exec"
)

// Oracle is a running `tenure oracle`.
type Oracle struct {
	process *exec.Cmd
	in      io.WriteCloser
	out     *bufio.Reader
	asked   int
}

// Answer is what it says of a decision.
type Answer struct {
	Decision  string `json:"decision"`
	Preempted []struct {
		Workload     string   `json:"workload"`
		ClusterQueue string   `json:"clusterQueue"`
		Reason       string   `json:"reason"`
		Rules        []string `json:"rules"`
	} `json:"preempted"`
}

func Start() (*Oracle, error) {
	process := exec.Command("tenure", "oracle")
	in, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &Oracle{process: process, in: in, out: bufio.NewReader(out)}, process.Start()
}

// Ask has one decision made. The input is any value that marshals to the protocol's.
func (o *Oracle) Ask(input any) (*Answer, error) {
	o.asked++
	request := map[string]any{"id": o.asked, "call": "decide", "input": input}
	if err := json.NewEncoder(o.in).Encode(request); err != nil {
		return nil, err
	}
	line, err := o.out.ReadBytes('\n')
	if err != nil {
		return nil, err
	}
	var said struct {
		Output *Answer
		Error  *struct{ Code, Message, Field string }
	}
	if err := json.Unmarshal(line, &said); err != nil {
		return nil, err
	}
	if said.Error != nil {
		return nil, fmt.Errorf("%s: %s", said.Error.Code, said.Error.Message)
	}
	return said.Output, nil
}

// Close ends it; it leaves when its standard input ends.
func (o *Oracle) Close() error {
	if err := o.in.Close(); err != nil {
		return err
	}
	return o.process.Wait()
}
