"""What a page of the app shows to people, without data: names, labels and code."""

import re
from html.parser import HTMLParser

from support.unsaid import WORDS, outside

DATA = {"name", "label", "code", "brand", "folder"}
"""Classes of what is the same in every language."""
SILENT = ("script", "style", "textarea", "pre", "iframe")
VOID = ("input", "link", "meta", "br", "i", "rect", "circle", "path", "polyline")
SAID = ("aria-label", "title", "alt")
"""Attributes that are read out or shown."""
ENGLISH_NUMBER = re.compile(r"\b0\.\d")
"""Where numbers have signs of another language."""
FILES = re.compile(r"[\w-]+\.(?:csv|toml|parquet)\b")


class Shown(HTMLParser):
    """Gathers texts and attributes that people read."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.texts = []
        self._open = []

    def handle_starttag(self, tag, attrs):
        at = dict(attrs)
        data = tag in SILENT or at.get("id") == "language"
        data = data or bool(DATA & set((at.get("class") or "").split()))
        hidden = data or any(there for _, there in self._open)
        if not hidden:
            self.texts += [at[key] for key in SAID if at.get(key)]
        if tag not in VOID:
            self._open.append((tag, data))

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if not any(there for _, there in self._open):
            self.texts.append(data)


def unsaid_on(html, data=()):
    """Texts of a page that have words outside of brackets, or English numbers, apart from data."""
    reader = Shown()
    reader.feed(html)
    found = set()
    for text in reader.texts:
        left = FILES.sub("", outside(text))
        for name in sorted(data, key=len, reverse=True):
            left = re.sub(rf"(?<!\w){re.escape(name)}(?!\w)", "", left)
        if WORDS.search(left) or ENGLISH_NUMBER.search(left):
            found.add(" ".join(text.split()))
    return found
