"""Whole decisions, bounded: `decide` on every cluster up to a size, against postconditions of the sources.

What is claimed here is claimed of all parts of a decision together, from the tree to filling back, and only
up to the bound that is printed beside the word "proved". Nothing is drawn: every cluster of a family is
decided.

`clusters` has plain clusters, `quotas`, `shares`, `policies` and `sets` what must hold of them, all without a
rule's or the oracle's help; `postconditions` are the claims, `families` the clusters, `trial` decides and
judges.
"""
