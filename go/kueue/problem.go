package main

import "fmt"

// The codes of an error answer. The first three are spelled as Tenure's own oracle spells them, so
// that a harness can compare them.
const (
	codeBadJSON       = "bad-json"
	codeBadInput      = "bad-input"
	codeUnknownCall   = "unknown-call"
	codeInactiveQueue = "inactive_queue"
	codePanic         = "panic"
)

// problem says what was wrong with one field of a request.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field"`
}

func (p *problem) Error() string { return p.Field + ": " + p.Message }

func badInput(field, format string, args ...any) *problem {
	return &problem{Code: codeBadInput, Field: field, Message: fmt.Sprintf(format, args...)}
}
