"""Words of a prompt that recognition is to expect: a trie of their tokens with what each step earns.

This is contextual biasing by shallow fusion: a hypothesis earns a bonus with each token of an expected word, and gives
all of it back when it leaves the word before its end (Zhao et al., "Shallow-Fusion End-to-End Contextual Biasing",
2019). Only words that the vocabulary has no token of their own for are expected, which are names and terms: a common
word needs no help, and helping it costs other words.
"""

import re

import numpy as np

PROMPT_TOKENS = 200
# Natural logarithm, per token. See docs/decisions/0011-embedded-engine.md for what other values do.
BONUS = 2.5


class ExpectedWords:
    """@param vocabulary a Vocabulary of moonshine_model. @param prompt the client's, or None."""

    def __init__(self, vocabulary, prompt):
        self.root = Node(0.0)
        self.spelling = {word.lower(): word for word in rare_words(vocabulary, prompt or "")}
        for word in self.spelling.values():
            # The model has its own mind about capitals.
            for variant in {word, word.lower(), word.capitalize()}:
                self.add(vocabulary.encode(variant))
        self.first = np.array(sorted(self.root.next), np.int64)

    def __len__(self):
        return len(self.spelling)

    def add(self, tokens):
        node = self.root
        for token in tokens:
            node = node.next.setdefault(token, Node(node.earned + BONUS))
        node.is_end = True

    def step(self, node, token):
        """@returns the node after `token`, and what the step earns or, below zero, gives back."""
        following = node.next.get(token)
        if following is not None:
            return following, following.earned - node.earned
        refund = 0.0 if node.is_end else -node.earned
        following = self.root.next.get(token)
        if following is not None:
            return following, refund + following.earned
        return self.root, refund

    def likely(self, node, scores, least):
        """Tokens that go on with an expected word or begin one, so far as their bonus lifts them above `least`."""
        first = self.first[scores[self.first] + BONUS > least].tolist()
        return {*first, *(token for token in node.next if scores[token] + BONUS > least)}

    def spelled(self, word):
        """A recognized word as the prompt writes it, where the prompt has capitals of its own: Mcginty → McGinty."""
        core = word.strip(".,;:!?\"'()")
        expected = self.spelling.get(core.lower())
        if expected is None or expected == expected.lower():
            return word
        return word.replace(core, expected)


class Node:
    __slots__ = ("next", "earned", "is_end")

    def __init__(self, earned):
        self.next = {}
        self.earned = earned
        self.is_end = False


def rare_words(vocabulary, prompt):
    """The words of the last 200 tokens of a prompt that are written with more than one token."""
    if not prompt:
        return []
    tokens = vocabulary.encode(prompt)[-PROMPT_TOKENS:]
    text = " ".join(word for word, _ in vocabulary.words(tokens))
    words = dict.fromkeys(re.findall(r"[^\W\d_]+(?:['’-][^\W\d_]+)*", text))
    return [word for word in words if len(vocabulary.encode(word)) > 1]
