"""A proposal is split into sentences, always in the same way."""

from __future__ import annotations

import pytest

from tools.sentences import fingerprint, headings, sentences, split

HARD_BREAK = " " * 2

PROPOSAL = f"""# KEP-1: A title

<!-- toc -->
- [Summary](#summary)
<!-- /toc -->

## Summary

A sentence over
two lines.{HARD_BREAK}
Another one after a hard break, i.e. a third line. Is it so? It is!

1. **First**: it must be kept (see `a. B`
   on two lines)
2. Second: one. And another
- a bullet that ends with an ellipsis...
  - one below it

<!--
A comment of the template. With two sentences.
-->

### API

```go
// Thing is a thing. It has
// a field:
//   - one that may be
//     left out
//   - and no other
type Thing struct {{
	// +optional
	Field *int32 `json:"field,omitempty"`
}}
```

```yaml
# a file
spec:
  - name: a. B
...
```

| Name | Meaning |
|------|:-------:|
| `a`  | 1 or 2. Both |
"""

EXPECTED = [
    ("## Summary", "A sentence over two lines."),
    ("## Summary", "Another one after a hard break, i.e. a third line."),
    ("## Summary", "Is it so?"),
    ("## Summary", "It is!"),
    ("## Summary", "**First**: it must be kept (see `a. B` on two lines)"),
    ("## Summary", "Second: one."),
    ("## Summary", "And another"),
    ("## Summary", "a bullet that ends with an ellipsis..."),
    ("## Summary", "one below it"),
    ("## Summary", "A comment of the template."),
    ("## Summary", "With two sentences."),
    ("### API", "Thing is a thing."),
    ("### API", "It has a field:"),
    ("### API", "one that may be left out"),
    ("### API", "and no other"),
    ("### API", "type Thing struct {"),
    ("### API", "+optional"),
    ("### API", 'Field *int32 `json:"field,omitempty"`'),
    ("### API", "# a file"),
    ("### API", "spec:"),
    ("### API", "- name: a. B"),
    ("### API", "| Name | Meaning |"),
    ("### API", "| `a` | 1 or 2. Both |"),
]


def test_every_kind_of_line_is_taken_apart() -> None:
    assert [(sentence.section, sentence.text) for sentence in sentences(PROPOSAL)] == EXPECTED


def test_only_what_stands_in_a_fence_is_code() -> None:
    code = [sentence.text for sentence in sentences(PROPOSAL) if sentence.code]
    assert code == [text for _, text in EXPECTED[11:21]]


def test_a_sentence_knows_its_line() -> None:
    lines = PROPOSAL.splitlines()
    for sentence in sentences(PROPOSAL):
        assert sentence.text.split()[0].strip("*`|") in lines[sentence.line - 1] or sentence.line in {
            9,
            11,
            14,
        }


def test_headings_are_those_outside_code() -> None:
    assert headings(PROPOSAL) == ["# KEP-1: A title", "## Summary", "### API"]


@pytest.mark.parametrize(
    ("paragraph", "parts"),
    [
        ("One. Two.", ["One.", "Two."]),
        ("Values, e.g. One, and i.e. Two.", ["Values, e.g. One, and i.e. Two."]),
        ("So (it is.) Then", ["So (it is.)", "Then"]),
        ('He says "so." `Code` follows.', ['He says "so."', "`Code` follows."]),
        ("At T=0.5 it is. 2 more", ["At T=0.5 it is.", "2 more"]),
        ("What is it?. **Bold** is it", ["What is it?.", "**Bold** is it"]),
        ("it ends. with small letters", ["it ends. with small letters"]),
    ],
)
def test_a_paragraph_is_split_at_the_ends_of_its_sentences(paragraph: str, parts: list[str]) -> None:
    assert split(paragraph) == parts


def test_white_space_does_not_change_a_fingerprint_and_a_letter_does() -> None:
    assert fingerprint("a  b\nc") == fingerprint("a b c")
    assert fingerprint("a b c") != fingerprint("a b C")


def test_a_page_of_nothing_has_no_sentence() -> None:
    assert sentences("") == []
