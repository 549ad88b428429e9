"""A page as PDF, by the library that draws our charts; the same page is the same file."""

from __future__ import annotations

import re

from microgauge.languages.messages import say

REFERENCE = re.compile(rb"(\d+) 0 R\b")
RESOURCES = re.compile(rb"<<\n((?: +/[A-Za-z]+\d+ \d+ 0 R\n){2,})")
TITLE = say("Summary of a protected file, by microgauge")


def pdf_of(svg: str) -> bytes:
    """One page, fonts inside."""
    import vl_convert

    return repeatable(bytes(vl_convert.svg_to_pdf(svg)))


def repeatable(pdf: bytes) -> bytes:
    """The same document with its objects in one order only.

    The library writes fonts in an order that changes from run to run. Objects are numbered anew,
    in the order in which they are referred to from the root. A file of another form is left as it
    is: it is right, only not the same each time.
    """
    try:
        bodies, root, info = _objects(pdf)
        order = _referred(bodies, root)
    except (ValueError, KeyError, IndexError):
        return pdf
    bodies[info] = b"<<\n  /Producer (svg2pdf)\n  /Title <%s>\n>>" % _hexadecimal(TITLE)
    bodies[root] = bodies[root].replace(b"/Type /Catalog", b"/Type /Catalog\n  /Lang (en)", 1)
    order = [*(one for one in order if one != info), info]
    return _written(bodies, order, root, info)


def _objects(pdf: bytes) -> tuple[dict[int, bytes], int, int]:
    """The objects by their numbers, and which are the root and the information."""
    start = int(pdf[pdf.rindex(b"startxref") + 9 : pdf.rindex(b"%%EOF")])
    table, trailer = pdf[start:].split(b"trailer", 1)
    head = table.splitlines()
    if head[0] != b"xref" or head[1].split()[0] != b"0":
        raise ValueError("another form of PDF")
    places = {n: int(line[:10]) for n, line in enumerate(head[2:]) if line[17:18] == b"n"}
    ends = sorted([*places.values(), start])
    bodies = {}
    for number, place in places.items():
        whole = pdf[place : ends[ends.index(place) + 1]]
        mark = b"%d 0 obj" % number
        if not whole.startswith(mark):
            raise ValueError("another form of PDF")
        body = whole[len(mark) : whole.rindex(b"endobj")].strip(b"\n")
        bodies[number] = RESOURCES.sub(_sorted, body, count=0) if b"/Resources" in body else body
    root, info = (
        int(re.findall(rb"/%s (\d+) 0 R" % name, trailer)[0]) for name in (b"Root", b"Info")
    )
    return bodies, root, info


def _sorted(found: re.Match[bytes]) -> bytes:
    """Fonts of a page in the order of their names."""
    return b"<<\n" + b"".join(sorted(found[1].splitlines(keepends=True), key=lambda x: (len(x), x)))


def _dictionary(body: bytes) -> tuple[bytes, bytes]:
    """What may refer to others, and the stream, which does not."""
    place = body.find(b"\nstream")
    return (body, b"") if place < 0 else (body[:place], body[place:])


def _referred(bodies: dict[int, bytes], root: int) -> list[int]:
    """Objects in the order in which they are met from the root on."""
    found: dict[int, None] = {}
    left = [root]
    while left:
        number = left.pop()
        if number not in found:
            found[number] = None
            inner = [int(n) for n in REFERENCE.findall(_dictionary(bodies[number])[0])]
            left += reversed(inner)
    return list(found)


def _written(bodies: dict[int, bytes], order: list[int], root: int, info: int) -> bytes:
    new = {number: place for place, number in enumerate(order, start=1)}

    def renamed(found: re.Match[bytes]) -> bytes:
        return b"%d 0 R" % new[int(found[1])]

    pdf = b"%PDF-1.7\n%\x80\x80\x80\x80\n"
    places = []
    for number in order:
        dictionary, stream = _dictionary(bodies[number])
        places.append(len(pdf))
        pdf += b"%d 0 obj\n" % new[number] + REFERENCE.sub(renamed, dictionary) + stream
        pdf += b"\nendobj\n"
    start = len(pdf)
    pdf += b"xref\n0 %d\n0000000000 65535 f \n" % (len(order) + 1)
    pdf += b"".join(b"%010d 00000 n \n" % place for place in places)
    pdf += b"trailer\n<< /Size %d /Root %d 0 R /Info %d 0 R >>\n" % (
        len(order) + 1, new[root], new[info],
    )  # fmt: skip
    return pdf + b"startxref\n%d\n%%%%EOF\n" % start


def _hexadecimal(text: str) -> bytes:
    """A text as PDF writes one in any alphabet."""
    return ("\ufeff" + text).encode("utf-16-be").hex().upper().encode()
