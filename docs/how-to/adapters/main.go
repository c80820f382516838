package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
)

type request struct {
	ID    any             `json:"id"`
	Call  string          `json:"call"`
	Input json.RawMessage `json:"input"`
}

type victim struct {
	Workload     string `json:"workload"`
	ClusterQueue string `json:"clusterQueue"`
	Reason       string `json:"reason"`
}

type decision struct {
	Decision  string   `json:"decision"`
	Preempted []victim `json:"preempted"`
}

type failure struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field"`
}

type answer struct {
	ID     any      `json:"id"`
	Output any      `json:"output,omitempty"`
	Error  *failure `json:"error,omitempty"`
}

// input holds what this scheduler looks at; everything else of the request is skipped.
type input struct {
	ClusterQueues []struct {
		Spec struct {
			CohortName string `json:"cohortName"`
		} `json:"spec"`
	} `json:"clusterQueues"`
	Admitted []json.RawMessage `json:"admitted"`
}

// decide is where your scheduler is called. This one knows only queues in which nothing runs.
func decide(given input) (*decision, *failure) {
	if len(given.ClusterQueues) != 1 || given.ClusterQueues[0].Spec.CohortName != "" || len(given.Admitted) > 0 {
		return nil, &failure{Code: "not-modelled", Message: "a cohort, or running workloads"}
	}
	return &decision{Decision: "Fit", Preempted: []victim{}}, nil
}

func reply(asked request) answer {
	if asked.Call == "version" {
		return answer{ID: asked.ID, Output: map[string]string{"go-adapter": "0.1"}}
	}
	var given input
	if err := json.Unmarshal(asked.Input, &given); err != nil {
		return answer{ID: asked.ID, Error: &failure{Code: "bad-input", Message: err.Error()}}
	}
	said, failed := decide(given)
	if failed != nil {
		return answer{ID: asked.ID, Error: failed}
	}
	return answer{ID: asked.ID, Output: said}
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<30)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			fmt.Fprintln(os.Stderr, "not a request:", err)
			os.Exit(1)
		}
		if err := out.Encode(reply(asked)); err != nil {
			os.Exit(1)
		}
	}
}
