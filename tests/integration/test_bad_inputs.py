"""Bad inputs over the command line: each ends in a named error, on a line that says what to do, or in a right answer.

A case is `name: command  =>  what`, with `{file}` for a file that `FILES` makes and `{kg}` for a small KG of films.
WHAT is `1 words` or `2 words` (the exit status, and words of the line on stderr), or `0 words` (words of stdout).
No case may end in a traceback, work for long, or leave the KG changed; one that waits for ever is pytest's to show.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shlex
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from trivium.app.cli.main import run
from trivium.kg.embedded import EmbeddedStore, build
from trivium.kg.loaders import source
from trivium.kg.types import Triple

SECONDS = 20.0  # of CPU, the imports of a command's first case among them
ROWS = [
    Triple("Silver Lake", "directed_by", "Mona Berg"),
    Triple("Iron Hill", "directed_by", "Carl Dorn"),
    Triple("Iron Hill", "starring", "Anna Abel"),
    Triple("Silver Lake", "starring", "Anna Abel"),
    Triple("Silver Lake", "release_year", "1940"),
    Triple("Iron Hill", "release_year", "1952"),
]
GOOD = "Silver Lake\tdirected_by\tMona Berg\n"


def _bomb(path: Path) -> None:
    with gzip.open(path, "wb", 9) as file:
        for _ in range(6):
            file.write(b"a\tr\tb\n" * 90_000)


FILES: dict[str, bytes | Callable[[Path], object]] = {
    "good.tsv": GOOD.encode(),
    "empty.tsv": b"",
    "blank.tsv": b"\n\n  \n\n",
    "onecol.tsv": b"a\n",
    "twocol.tsv": b"a\tb\n",
    "fourcol.tsv": b"a\tb\tc\td\n",
    "latehead.tsv": b"a\tr\tb\na\tr\n",
    "nohead.tsv": b"\tr\tb\n",
    "norel.tsv": b"a\t\tb\n",
    "notail.tsv": b"a\tr\t\n",
    "caret.tsv": b"a\t^r\tb\n",
    "nul.tsv": b"a\x00\tr\tb\n",
    "allnul.tsv": b"\x00" * 4096,
    "bell.tsv": b"a\x07\tr\tb\n",
    "escape.tsv": b"\x1b[31ma\tr\tb\n",
    "delete.tsv": b"a\x7f\tr\tb\n",
    "cr.tsv": b"a\tr\tb\rc\tr\td\n",
    "crlf.tsv": b"a\tr\tb\r\nc\tr\td\r\n",
    "bom.tsv": b"\xef\xbb\xbf" + GOOD.encode(),
    "utf16.tsv": GOOD.encode("utf-16"),
    "utf16be.tsv": b"\xfe\xff" + GOOD.encode("utf-16-be"),
    "utf32.tsv": GOOD.encode("utf-32"),
    "latin.tsv": "Amélie\tr\tb\n".encode("latin-1"),
    "surrogate.tsv": b"a\xed\xa0\x80\tr\tb\n",
    "overlong.tsv": b"a\xc0\x80\tr\tb\n",
    "cut.tsv": b"a\tr\t\xe2\x82",
    "emoji.tsv": "\U0001f600\tr\t\U0001f469\u200d\U0001f680\n".encode(),
    "rtl.tsv": "\u05e9\u05dc\tr\t\u202eb\n".encode(),
    "combining.tsv": "é\tr\té\n".encode(),
    "spaces.tsv": b" a \tr\t b \n",
    "nonewline.tsv": b"a\tr\tb",
    "line17mb.tsv": b"x" * (17 << 20) + b"\tr\tb\n",
    "line10mb.tsv": b"x" * (10 << 20) + b"\tr\tb\n",
    "label100k.tsv": b"x" * 100_000 + b"\tr\tb\n",
    "relation100k.tsv": b"a\t" + b"r" * 100_000 + b"\tb\n",
    "quote.csv": b'"a,r,b\n',
    "quotes.csv": b'"a ""x""",r,"b, c"\n',
    "semicolon.csv": b"a;r;b\n",
    "good.csv": b"a,r,b\n",
    "good.psv": b"a|r|b\n",
    "plain.gz": GOOD.encode(),
    "cut.gz": lambda path: path.write_bytes(gzip.compress(GOOD.encode() * 5000)[:-20]),
    "flipped.gz": lambda path: path.write_bytes(gzip.compress(os.urandom(20_000))[:9000] + b"\xff" * 400),
    "double.gz": lambda path: path.write_bytes(gzip.compress(gzip.compress(GOOD.encode()))),
    "members.gz": lambda path: path.write_bytes(gzip.compress(GOOD.encode()) + gzip.compress(b"a\tr\tb\n")),
    "emptied.gz": lambda path: path.write_bytes(gzip.compress(b"")),
    "noname": lambda path: path.write_bytes(gzip.compress(GOOD.encode())),
    "bomb.gz": _bomb,
    "bad.nt": b"<a> <b> .\n",
    "bad.ttl": b"@prefix x: <http://x/> . x:a x:b\n",
    "bad.rdf": b"<rdf:RDF><a></rdf:RDF>",
    "entity.rdf": b'<?xml version="1.0"?><!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><r>&b;</r>',
    "bad.jsonld": b'{"@context": ',
    "relative.nt": b"<a> <b> <c> .\n",
    "good.nt": b"<http://x/a> <http://x/r> <http://x/b> .\n",
    "bad.jsonl": b'{"head": "a"}\n',
    "notjson.jsonl": b"hello\n",
    "list.jsonl": b"[1, 2]\n",
    "deep.jsonl": b"[" * 100_000 + b"]" * 100_000 + b"\n",
    "fifo.tsv": os.mkfifo,
    "fifo.jsonl": os.mkfifo,
    "folder.tsv": Path.mkdir,
    "link.tsv": lambda path: path.symlink_to("good.tsv"),
    "dangling.tsv": lambda path: path.symlink_to("absent"),
    "loop.tsv": lambda path: path.symlink_to("loop.tsv"),
    "badents.tsv": b"id\tlabel\na\n\tx\n",
    "q.jsonl": b'{"id": "1", "question": "who directed Silver Lake?"}\n',
    "q2.jsonl": b'{"id": "1", "question": "who directed Silver Lake?"}\n',
    "qempty.jsonl": b"",
    "qblank.jsonl": b"\n\n",
    "qnone.jsonl": b'{"id": "1"}\n',
    "qnull.jsonl": b'{"question": null}\n',
    "qnumber.jsonl": b'{"question": 7}\n',
    "qspace.jsonl": b'{"question": "   "}\n',
    "qlist.jsonl": b'["who?"]\n',
    "qtext.jsonl": b"who directed Silver Lake?\n",
    "qnan.jsonl": b'{"question": "who?", "id": NaN}\n',
    "qhuge.jsonl": b'{"question": "who?", "id": 1e400}\n',
    "qlone.jsonl": b'{"question": "who \\ud800?"}\n',
    "qtopic.jsonl": b'{"question": "who?", "topic_entities": "Iron Hill"}\n',
    "qtopics.jsonl": b'{"question": "who?", "topic_entities": [7]}\n',
    "qunknown.jsonl": b'{"id": "1", "question": "who directed it?", "topic_entities": ["Nobody Known"]}\n',
    "qchoices.jsonl": b'{"question": "who?", "choices": [{"id": "a", "text": "x"}, {"id": "a", "text": "y"}]}\n',
    "qchoice.jsonl": b'{"question": "who?", "choices": ["x", "y"]}\n',
    "qchain.jsonl": b'{"question": "who directed Iron Hill?", "chain": []}\n',
    "qcaret.jsonl": b'{"question": "who directed Iron Hill?", "chain": ["^"]}\n',
    "qanswers.jsonl": b'{"question": "who directed Iron Hill?", "answers": []}\n',
    "qstring.jsonl": b'{"question": "who directed Iron Hill?", "answers": "Carl Dorn"}\n',
    "qrelation.jsonl": b'{"question": "who directed Iron Hill?", "chain": ["no_such_relation"]}\n',
    "qgold.jsonl": b'{"question": "who directed Iron Hill?", "answers": ["Nobody Known"]}\n',
    "qutf16.jsonl": '{"question": "who?"}\n'.encode("utf-16"),
    "qlong.jsonl": json.dumps({"id": "1", "question": "x" * 10_001}).encode() + b"\n",
    "qtrailing.jsonl": b'{"id": "1", "question": "who directed Silver Lake?"}\n{"id": "2"',
    "qduplicate.jsonl": b'{"id": "1", "question": "who directed Silver Lake?"}\n' * 2,
    "out.jsonl": b"not an answer\n",
    "answers.jsonl": b'{"id": "1"}\n',
    "text.jsonl": b"hello\n",
    "calls.jsonl": b'{"entity": "Iron Hill"}\n{"entity": 7}\n',
    "plan.json": b'{"steps": ',
    "planlist.json": b"[]",
    "planodd.json": b'{"plan": [{"op": "explode"}]}',
    "planlatin.json": b"\xff\xfe\xfa",
    "synonyms.txt": b"directed_by\n",
    "unknown.txt": b"no_such_relation = made\n",
    "latin.txt": "réalisé = x\n".encode("latin-1"),
    "table.csv": b"id,name\n1,A\n",
    "ragged.csv": b"id,name\n1,A,B,C\n",
    "tableempty.csv": b"",
    "map.toml": b"[[",
    "map2.toml": b"[tables.none]\n",
    "nobackup.zip": b"hello",
    "halfzip.zip": b"PK\x03\x04" + b"\0" * 40,
}

# Files of triples, in `kg build` and `kg add` alike.
TRIPLES = """
empty: empty.tsv => 1 contains no triples
blank lines: blank.tsv => 1 contains no triples
one column: onecol.tsv => 1 line 1
two columns: twocol.tsv => 1 found 2 fields
four columns: fourcol.tsv => 1 found 4 fields
a short line late: latehead.tsv => 1 line 2
no head: nohead.tsv => 1 the head is empty
no relation: norel.tsv => 1 the relation is empty
no tail: notail.tsv => 1 the tail is empty
inverse mark: caret.tsv => 1 begins with ^
NUL: nul.tsv => 1 U+0000
NULs alone: allnul.tsv => 1 line 1
bell: bell.tsv => 1 U+0007
ANSI escape: escape.tsv => 1 U+001B
delete: delete.tsv => 1 U+007F
carriage return within: cr.tsv => 1 line 1
UTF-16: utf16.tsv => 1 UTF-16
UTF-16 big: utf16be.tsv => 1 UTF-16
UTF-32: utf32.tsv => 1 UTF-16
Latin-1: latin.tsv => 1 not UTF-8
surrogate: surrogate.tsv => 1 not UTF-8
overlong: overlong.tsv => 1 not UTF-8
cut letter: cut.tsv => 1 not UTF-8
line of 17 MB: line17mb.tsv => 1 are the most|longer than
relation of 100 kB: relation100k.tsv => 1 4,096 are the most
label of 10 MB: line10mb.tsv => 1 1,048,576 are the most
open quote: quote.csv => 1 found 1 field
semicolons: semicolon.csv => 1 line 1
named gz: plain.gz => 1 is not a gzip file
cut gz: cut.gz => 1 cut short
flipped gz: flipped.gz => 1 gz
double gz: double.gz => 1 double.gz
empty gz: emptied.gz => 1 contains no triples
gz bomb: bomb.gz => 1 times its size
N-Triples: bad.nt => 1 bad.nt
Turtle: bad.ttl => 1 bad.ttl
RDF/XML: bad.rdf => 1 bad.rdf
XML entities: entity.rdf => 1 entity.rdf
JSON-LD: bad.jsonld => 1 bad.jsonld
relative IRIs: relative.nt => 1 relative.nt
JSON lines: bad.jsonl => 1 line 1
no JSON: notjson.jsonl => 1 line 1
JSON list: list.jsonl => 1 line 1
deep JSON: deep.jsonl => 1 line 1
FIFO without a writer: fifo.tsv => 1 no process writes
folder: folder.tsv => 1 is a folder
dangling link: dangling.tsv => 1 no such file
link to itself: loop.tsv => 1 cannot be read
absent: absent.tsv => 1 no such file
"""
GOOD_TRIPLES = """
CRLF: crlf.tsv => 0
byte-order mark: bom.tsv => 0
emoji: emoji.tsv => 0
right to left: rtl.tsv => 0
combining: combining.tsv => 0
blanks: spaces.tsv => 0
no newline: nonewline.tsv => 0
label of 100 kB: label100k.tsv => 0
quoted: quotes.csv => 0
commas: good.csv => 0
bars: good.psv => 0
gz of two members: members.gz => 0
gz without its name: noname => 0
a link: link.tsv => 0
N-Triples: good.nt => 0
"""

COMMANDS = r"""
no file: kg build --out {new} => 2
no --out: kg build {good.tsv} => 2
out is a KG: kg build --out {kg} {good.tsv} => 1 already holds a KG
out is a file: kg build --out {good.tsv} {good.tsv} => 1 is not an empty folder
out in /proc: kg build --out /proc/x {good.tsv} => 1
unknown embedder: kg build --out {new} --embedder nope {good.tsv} => 1 nope
unknown property: kg build --out {new} --property nope {good.tsv} => 1 nope
unknown kind: kg build --out {new} --property directed_by=colour {good.tsv} => 1 colour
empty property: kg build --out {new} --property =number {good.tsv} => 2 write RELATION
bad entities: kg build --out {new} --entities {badents.tsv} {good.tsv} => 1 badents.tsv
entities absent: kg build --out {new} --entities {absent.tsv} {good.tsv} => 1 no such file
replace a folder: kg build --out {new} --replace {good.tsv} => 2 --replace
skip all: kg build --out {new} --skip-bad {onecol.tsv} => 1 contains no triples
add to nothing: kg add {new} {good.tsv} => 1 no KG
remove absent: kg remove {kg} {good.csv} => 0
empty KG name: kg info "" => 2 is empty
blank KG name: ask "who?" --kg " " => 2 is empty
no KG: kg info {new} => 1 no KG named
a file as KG: kg info {good.tsv} => 1 no KG named
a folder as KG: kg info {folder.tsv} => 1 contains no KG
bad URI: kg info bolt:// => 1
bad port: kg info bolt://localhost:99999 => 1
nobody there: kg info bolt://127.0.0.1:9 => 1
unknown entity: kg neighbors {kg} "Nobody Known" => 1 Nobody Known
unknown relation: kg neighbors {kg} "Iron Hill" --relation nope => 1 nope
bad direction: kg neighbors {kg} "Iron Hill" --direction up => 2
limit 0: kg neighbors {kg} "Iron Hill" --limit 0 => 2
limit -1: kg neighbors {kg} "Iron Hill" --limit -1 => 2
limit text: kg neighbors {kg} "Iron Hill" --limit many => 2
hops 0: kg paths {kg} "Iron Hill" "Mona Berg" --max-hops 0 => 2
hops -3: kg paths {kg} "Iron Hill" "Mona Berg" --max-hops -3 => 2
a path to itself: kg paths {kg} "Iron Hill" "Iron Hill" => 0
find nothing: kg find {kg} "" => 2
find blanks: kg find {kg} "   " => 2
find wildcard: kg find {kg} "%" => 0
find SQL: kg find {kg} "'; DROP TABLE entities; --" => 0
export into the KG: kg export {kg} {kg}/x.tsv => 2 lies inside the KG
export to a folder: kg export {kg} {folder.tsv} => 1 is a folder
export to nowhere: kg export {kg} /nonexistent/x.tsv => 1
export to /dev/full: kg export {kg} /dev/full => 1 No space left
export to /dev/null: kg export {kg} /dev/null => 0
export to a FIFO: kg export {kg} {fifo.tsv} => 1 no process reads
export twice the same: kg export {kg} {new} --entities {new} => 2 a file each
export odd format: kg export {kg} {new} --format xml => 2
copy onto itself: kg copy {kg} {kg} => 2 name another folder
copy onto a file: kg copy {kg} {good.tsv} => 1
verify nothing: kg verify {folder.tsv} => 1 contains no KG
repair nothing: kg repair {folder.tsv} => 1 contains no KG
backup over a file: kg backup {kg} {good.tsv} => 1 replaces nothing
backup into the KG: kg backup {kg} {kg}/b.zip => 1 inside the KG
backup to nowhere: kg backup {kg} /nonexistent/b.zip => 1
restore no backup: kg restore {nobackup.zip} {new} => 1 is not a backup
restore half a zip: kg restore {halfzip.zip} {new} => 1 damaged
restore onto a KG: kg restore {nobackup.zip} {kg} => 1 already holds a KG
restore a FIFO: kg restore {fifo.tsv} {new} => 1 is not a regular file
alias of nobody: kg alias {kg} "Nobody Known" "X" => 1 Nobody Known
alias of nothing: kg alias {kg} "Iron Hill" "" => 2
word for nothing: kg word {kg} no_such_element made => 2 no_such_element
no question: ask "" --kg {kg} => 2 empty
blank question: ask "   " --kg {kg} => 2 empty
question marks: ask "???" --kg {kg} --json => 0 not_understood|unknown_entity|out_of_scope
long question: ask {long} --kg {kg} => 2 10,000
emoji question: ask "\U0001f600 who directed Silver Lake?" --kg {kg} --json => 0 Mona Berg
right to left question: ask "\u202ewho directed Silver Lake?" --kg {kg} --json => 0
full-width question: ask "\uff57\uff48\uff4f directed Silver Lake?" --kg {kg} --json => 0
zero-width question: ask "who\u200b directed Silver Lake?" --kg {kg} --json => 0 Mona Berg
newlines: ask "who\ndirected\nSilver Lake?" --kg {kg} --json => 0 Mona Berg
tabs: ask "who directed\tSilver Lake?" --kg {kg} --json => 0 Mona Berg
control letters: ask "who \u0007directed Silver Lake?" --kg {kg} --json => 0|2
lone surrogate: ask "who \ud800 directed?" --kg {kg} => 2 not UTF-8
markup: ask "<b>who</b> directed [bold]Silver Lake[/bold]?" --kg {kg} => 0
format string: ask "who directed {0} %s %n?" --kg {kg} --json => 0
SQL: ask "who directed Silver Lake'; DROP TABLE triples; --" --kg {kg} --json => 0
Cypher: ask "MATCH (n) DETACH DELETE n" --kg {kg} --json => 0
a path: ask "../../etc/passwd" --kg {kg} --json => 0
two names: ask "who directed Silver Lake and Iron Hill?" --kg {kg} --json => 0
an unknown name: ask "who directed Zzyzx Road?" --kg {kg} --json => 0 unknown_entity|not_found|not_understood
an unknown relation: ask "who is the dentist of Anna Abel?" --kg {kg} --json => 0
unknown method: ask "who?" --kg {kg} --method magic => 2
unknown option: ask "who?" --kg {kg} --magic => 2
unknown command: conjure => 2
no model key: ask "who?" --kg {kg} --model openai:x => 1 OPENAI_API_KEY
bad model: ask "who?" --kg {kg} --model nonsense => 1 nonsense
empty model: ask "who?" --kg {kg} --model "" => 1|2
unknown preset: ask "who?" --kg {kg} --preset magic => 2
unknown setting: ask "who?" --kg {kg} --set bogus=1 => 2 bogus
setting without value: ask "who?" --kg {kg} --set sure => 2
empty setting: ask "who?" --kg {kg} --set "" => 2
sure=inf: ask "who?" --kg {kg} --set sure=inf => 2 sure
sure=nan: ask "who?" --kg {kg} --set sure=nan => 2 sure
sure=5: ask "who?" --kg {kg} --set sure=5 => 2 sure
sure=-1: ask "who?" --kg {kg} --set sure=-1 => 2 sure
min_confidence=2: ask "who?" --kg {kg} --set min_confidence=2 => 2 min_confidence
min_confidence=x: ask "who?" --kg {kg} --set min_confidence=x => 2 min_confidence
seconds=0: ask "who directed Silver Lake?" --kg {kg} --set seconds=0 --json => 0|2
seconds=-1: ask "who?" --kg {kg} --set seconds=-1 => 2 seconds
seconds=inf: ask "who?" --kg {kg} --set seconds=inf => 2 seconds
max_seconds=-1: ask "who?" --kg {kg} --set max_seconds=-1 => 2 max_seconds
max_seconds=nan: ask "who?" --kg {kg} --set max_seconds=nan => 2 max_seconds
max_llm_calls=-1: ask "who?" --kg {kg} --set max_llm_calls=-1 => 2 max_llm_calls
max_llm_calls=1.5: ask "who?" --kg {kg} --set max_llm_calls=1.5 => 2 max_llm_calls
max_tokens=many: ask "who?" --kg {kg} --set max_tokens=many => 2 max_tokens
max_iterations=0: ask "who?" --kg {kg} --method oda --set max_iterations=0 => 2 max_iterations
max_hops=99: ask "who?" --kg {kg} --set max_hops=99 => 2 max_hops
fallback=perhaps: ask "who?" --kg {kg} --set fallback=perhaps => 2 fallback
plan=magic: ask "who?" --kg {kg} --set plan=magic => 2 plan
kg=/etc: ask "who?" --kg {kg} --set kg=/etc => 1|2
a choice twice: ask "who?" --kg {kg} --choice a --choice a => 2 twice|the text 'a'
a choice's id twice: ask "who?" --kg {kg} --choice A=x --choice A=y => 2 the id 'A'
an empty choice: ask "who?" --kg {kg} --choice "" => 2 empty
choices for ODA: ask "who?" --kg {kg} --method oda --choice a --choice b => 2 --choice
jobs 0: ask --batch {q.jsonl} --out {new} --kg {kg} --jobs 0 => 2
price nonsense: ask --batch {q.jsonl} --out {new} --kg {kg} --price cheap => 2|1 price
batch without out: ask --batch {q.jsonl} --kg {kg} => 2 --out
batch and question: ask "who?" --batch {q.jsonl} --out {new} --kg {kg} => 2 --batch
batch onto itself: ask --batch {q2.jsonl} --out {q2.jsonl} --kg {kg} => 2 holds the questions
batch onto other lines: ask --batch {q.jsonl} --out {out.jsonl} --kg {kg} => 1|0
batch onto a folder: ask --batch {q.jsonl} --out {folder.tsv} --kg {kg} => 1
batch onto /dev/full: ask --batch {q.jsonl} --out /dev/full --kg {kg} => 1
batch absent: ask --batch {absent.jsonl} --out {new} --kg {kg} => 1 no such file
batch FIFO: ask --batch {fifo.jsonl} --out {new} --kg {kg} => 1 no process writes
batch empty: ask --batch {qempty.jsonl} --out {new} --kg {kg} => 1 contains no questions
batch blank: ask --batch {qblank.jsonl} --out {new} --kg {kg} => 1 contains no questions
no question in a line: ask --batch {qnone.jsonl} --out {new} --kg {kg} => 1 line 1
null question: ask --batch {qnull.jsonl} --out {new} --kg {kg} => 1 line 1
number as question: ask --batch {qnumber.jsonl} --out {new} --kg {kg} => 1 line 1
blank question line: ask --batch {qspace.jsonl} --out {new} --kg {kg} => 1 line 1
list line: ask --batch {qlist.jsonl} --out {new} --kg {kg} => 1 line 1
text line: ask --batch {qtext.jsonl} --out {new} --kg {kg} => 1 not JSON
NaN id: ask --batch {qnan.jsonl} --out {new} --kg {kg} => 1 id
1e400 id: ask --batch {qhuge.jsonl} --out {new} --kg {kg} => 1 id
lone surrogate line: ask --batch {qlone.jsonl} --out {new} --kg {kg} => 1 surrogate
topic as text: ask --batch {qtopic.jsonl} --out {new} --kg {kg} => 1 topic_entities
topic as number: ask --batch {qtopics.jsonl} --out {new} --kg {kg} => 1 topic_entities
unknown topic: ask --batch {qunknown.jsonl} --out {new} --kg {kg} => 0
choice ids twice: ask --batch {qchoices.jsonl} --out {new} --kg {kg} => 1 have the id "a"
choices as texts: ask --batch {qchoice.jsonl} --out {new} --kg {kg} => 1 choices
UTF-16 questions: ask --batch {qutf16.jsonl} --out {new} --kg {kg} => 1 UTF-16
a long line: ask --batch {qlong.jsonl} --out {new} --kg {kg} => 0
a torn line: ask --batch {qtrailing.jsonl} --out {new} --kg {kg} => 1 line 2
the same id twice: ask --batch {qduplicate.jsonl} --out {new} --kg {kg} => 0|1
empty chain: learn keqing --kg {kg} --questions {qchain.jsonl} => 1 no question has
caret chain: learn keqing --kg {kg} --questions {qcaret.jsonl} => 1 without a relation
no gold: learn keqing --kg {kg} --questions {qanswers.jsonl} => 1 no question has
gold as text: learn keqing --kg {kg} --questions {qstring.jsonl} => 1 answers
unknown chain: learn keqing --kg {kg} --questions {qrelation.jsonl} => 1
unknown gold: learn keqing --kg {kg} --questions {qgold.jsonl} => 1
no lesson file: learn keqing --kg {kg} --questions {absent.jsonl} => 1 no such file
synonym without words: learn keqing --kg {kg} --synonyms {synonyms.txt} => 1 line 1
synonym of nothing: learn keqing --kg {kg} --synonyms {unknown.txt} => 1 no_such_relation
synonyms in Latin-1: learn keqing --kg {kg} --synonyms {latin.txt} => 1 cannot be read
synonyms of a FIFO: learn keqing --kg {kg} --synonyms {fifo.tsv} => 1 no process writes
forget and give: learn keqing --kg {kg} --synonyms {unknown.txt} --forget-synonyms => 2 --forget-synonyms
nothing to learn: learn knowgpt --kg {kg} --questions {qempty.jsonl} => 1 contains no questions
unknown lesson: learn magic => 2
no such version: learn versions --kg {kg} --rollback 99 => 1|2
feedback without thumb: feedback run1 --kg {kg} => 2 up or down
feedback of nobody: feedback run1 up --kg {kg} => 2 run1
an odd thumb: feedback run1 sideways --kg {kg} => 2
verify absent: verify {absent.jsonl} --kg {kg} => 1 no such file
verify text: verify {text.jsonl} --kg {kg} => 1 not JSON
verify no answer: verify {answers.jsonl} --kg {kg} => 1 not an answer
verify empty: verify {qempty.jsonl} --kg {kg} => 1 contains no answers
verify a FIFO: verify {fifo.jsonl} --kg {kg} => 1 no process writes
verify a folder: verify {folder.tsv} --kg {kg} => 1 is a folder
unknown tool: tool magic "{}" --kg {kg} => 1|2 magic
no JSON: tool neighbors "{" --kg {kg} => 1|2 JSON
JSON list: tool neighbors "[]" --kg {kg} => 1|2
unknown argument: tool neighbors '{"entity": "Iron Hill", "magic": 1}' --kg {kg} => 1|2 magic
wrong type: tool neighbors '{"entity": 7}' --kg {kg} => 1|2 entity
hops too many: tool find_paths '{"a": "Iron Hill", "b": "Mona Berg", "max_hops": 1000000}' --kg {kg} => 1|2
calls half bad: tool neighbors --batch {calls.jsonl} --out {new} --kg {kg} => 1 line 2
plan cut: query {plan.json} --kg {kg} => 1|2
plan of a list: query {planlist.json} --kg {kg} => 1|2
odd plan: query {planodd.json} --kg {kg} => 1|2
plan no text: query {planlatin.json} --kg {kg} => 1 cannot be read
plan of /dev/zero: query /dev/zero --kg {kg} => 1 larger than
plan of a FIFO: query {fifo.tsv} --kg {kg} => 1 no process writes
no plan: query --kg {kg} => 1|2
plan in words: query --text "DROP TABLE triples" --kg {kg} => 1|2
import nothing: import --out {new} => 2
import absent: import {absent.csv} --out {new} => 1 no such file
import empty: import {tableempty.csv} --out {new} => 1 tableempty.csv
import ragged: import {ragged.csv} --out {new} => 0|1
import a FIFO: import {fifo.tsv} --out {new} => 1 no process writes
mapping no TOML: import {table.csv} --out {new} --mapping {map.toml} => 1 map.toml
mapping of nothing: import {table.csv} --out {new} --mapping {map2.toml} => 1 map2.toml
draw magic: draw magic => 1|2 magic
prompts magic: prompts magic => 1|2 magic
eval magic: eval magic => 1|2 magic
correct nothing: correct "who directed Iron Hill?" --kg {kg} => 1|2
correct to nobody: correct "who directed Iron Hill?" --kg {kg} --answers "Nobody Known" => 1 Nobody Known
correct with an odd chain: correct "who directed Iron Hill?" --kg {kg} --chain nope => 1 nope
"""

# trivium.toml of the working directory, for: ask "who directed Silver Lake?" --kg x
SETTINGS = {
    "not TOML": ("[[", "1 not valid TOML"),
    "Latin-1": ("é = 1", "1 not valid TOML"),
    "a table that nothing reads": ("[kgs.x]\npath = 'kg'", "1 no table 'kgs'"),
    "a key that nothing reads": ("bogus = 1", "1 no table 'bogus'"),
    "kg is a number": ("kg = 7", "1 is not a table"),
    "a KG is a text": ("[kg]\nx = 'kg'", "1 needs a path"),
    "a KG without a place": ("[kg.x]\nembedder = 'static'", "1 needs a path"),
    "a path that is a number": ("[kg.x]\npath = 7", "1 needs a path"),
    "a path that is a URI": ("[kg.x]\npath = 'bolt://h'", "1 write uri"),
    "a path to nowhere": ("[kg.x]\npath = 'nowhere'", "1 contains no KG"),
    "an unknown key of a KG": ("[kg.x]\npath = 'kg'\nbogus = 1", "1 no setting 'bogus'"),
    "an embedder that is a number": ("[kg.x]\npath = 'kg'\nembedder = 7", "1 embedder must be"),
    "an unknown embedder": ("[kg.x]\npath = 'kg'\nembedder = 'nope'", "1 nope"),
    "a confidence of 2": ("[kg.x]\npath = 'kg'\nmin_confidence = 2", "1 from 0 to 1"),
    "a confidence in words": ("[kg.x]\npath = 'kg'\nmin_confidence = 'high'", "1 from 0 to 1"),
    "words that are no list": ("[kg.x]\npath = 'kg'\n[kg.x.words]\ndirected_by = 'helmed'", "1 must be a list"),
    "the sample's name": ("[kg.sample]\npath = 'kg'", "1 bundled sample"),
    "a URI that is none": ("[kg.x]\nuri = 'http://h'", "1 http://h"),
    "both places": ("[kg.x]\nuri = 'bolt://h'\npath = 'kg'", "1 path"),
    "all is well": ("[kg.x]\npath = 'kg'", "0 Mona Berg"),
}

# The environment, for: ask "who directed Silver Lake?" --kg {kg}
ENVIRONMENT = {
    "a cache in /proc, for the sample": ({"TRIVIUM_CACHE": "/proc/nope", "KG": "sample"}, "1 set TRIVIUM_CACHE"),
    "a cache in /proc": ({"TRIVIUM_CACHE": "/proc/nope"}, "0 Mona Berg"),
    "a cache that is a file": ({"TRIVIUM_CACHE": "good.tsv", "KG": "sample"}, "1 set TRIVIUM_CACHE"),
    "a prompts folder that is none": ({"TRIVIUM_PROMPTS": "/nonexistent"}, "0|1"),
    "a base URL that is none": ({"OPENAI_BASE_URL": "nonsense", "OPENAI_API_KEY": "x", "MODEL": "openai:x"}, "0|1"),
    "a Neo4j user without a password": ({"TRIVIUM_NEO4J_USER": "x", "KG": "bolt://127.0.0.1:9"}, "1"),
    "a time zone that is none": ({"TZ": "Nowhere/Never"}, "0 Mona Berg"),
    "no home": ({"HOME": "/nonexistent"}, "0 Mona Berg"),
    "an ASCII terminal": ({"LC_ALL": "C", "PYTHONIOENCODING": "ascii"}, "0 Mona Berg"),
    "no columns": ({"COLUMNS": "0"}, "0 Mona Berg"),
}


def cases(table: str) -> list[tuple[str, str, str]]:
    found = []
    for line in table.strip().splitlines():
        name, _, rest = line.partition(": ")
        command, _, what = rest.rpartition(" => ")
        found.append((name, command, what))
    return found


def words_of(command: str) -> list[str]:
    """A command line's words as a shell reads them, with backslash escapes for letters that no file should hold."""
    return [
        _ESCAPE.sub(lambda found: found[0].encode().decode("unicode_escape"), word) for word in shlex.split(command)
    ]


_ESCAPE = re.compile(r"\\(?:u[0-9a-f]{4}|U[0-9a-f]{8}|[nt])")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the KG; the files are made as cases name them."""
    folder = tmp_path_factory.mktemp("bad")
    build(folder / "kg", [ROWS])
    return folder


@pytest.fixture(autouse=True)
def bounds(monkeypatch: pytest.MonkeyPatch, place: Path) -> Iterator[None]:
    """Bounds that a test can reach; and afterwards the KG is as it was."""
    monkeypatch.setattr("trivium.kg.files.PIPE_SECONDS", 0.2)
    monkeypatch.setattr(source, "UNPACKED_BYTES", 1 << 20)
    monkeypatch.chdir(place)
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "TRIVIUM_LLM_CACHE"):
        monkeypatch.delenv(name, raising=False)
    yield
    store = EmbeddedStore.open(place / "kg")
    held = store.meta.info.triples
    store.close_now()
    if held != len(ROWS):
        shutil.rmtree(place / "kg")
        build(place / "kg", [ROWS])
    assert held == len(ROWS)


def file_of(place: Path, name: str) -> Path:
    path = place / name
    if name in FILES and not os.path.lexists(path):
        made = FILES[name]
        if callable(made):
            made(path)
        else:
            path.write_bytes(made)
    return path


def judge(arguments: list[str], what: str, capsys: pytest.CaptureFixture[str]) -> None:
    statuses, _, expected = what.partition(" ")
    capsys.readouterr()
    began = time.process_time()
    status = run(arguments)
    took = time.process_time() - began
    out, error = capsys.readouterr()
    shown = (
        f"{' '.join(arguments)[:200]}: status {status}, expected {what!r}\nstdout: {out[:300]}\nstderr: {error[:500]}"
    )
    assert str(status) in statuses.split("|"), shown
    assert "Traceback" not in out + error, shown
    said = out if status == 0 else error
    assert not expected or any(each in said for each in expected.split("|")), shown
    if status == 1:
        assert error.rstrip().rpartition("\n")[2].startswith("trivium: "), shown
    if status:
        assert error, shown
    assert took < SECONDS, f"{took:.1f} s: {shown}"


@pytest.mark.parametrize("command", ["build", "add"])
@pytest.mark.parametrize(("name", "file", "what"), cases(TRIPLES))
def test_triples(
    place: Path, name: str, file: str, what: str, command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    del name
    new = place / "new"
    where = ["--out", str(new)] if command == "build" else [str(place / "kg")]
    try:
        judge(["kg", command, *where, str(file_of(place, file))], what, capsys)
        assert not new.exists()
    finally:
        shutil.rmtree(new, ignore_errors=True)


@pytest.mark.parametrize(("name", "file", "what"), cases(GOOD_TRIPLES))
def test_triples_that_are_odd_and_right(
    place: Path, name: str, file: str, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Odd but right: what was read is what is exported."""
    del name
    file_of(place, "good.tsv")
    new = place / "new"
    try:
        judge(["kg", "build", "--out", str(new), str(file_of(place, file))], what, capsys)
        judge(["kg", "export", str(new), str(place / "x.tsv")], "0", capsys)
        judge(["kg", "build", "--out", str(place / "again"), str(place / "x.tsv")], "0", capsys)
        hashes = []
        for kg in (new, place / "again"):
            store = EmbeddedStore.open(kg)
            hashes.append(store.meta.info)
            store.close_now()
        assert hashes[0] == hashes[1]
    finally:
        shutil.rmtree(new, ignore_errors=True)
        shutil.rmtree(place / "again", ignore_errors=True)


@pytest.mark.parametrize(("name", "command", "what"), cases(COMMANDS))
def test_commands(place: Path, name: str, command: str, what: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = []
    for word in words_of(command):
        text = (
            word.replace("{kg}", str(place / "kg")).replace("{new}", str(place / "new")).replace("{long}", "x" * 10_001)
        )
        for file in (*FILES, "absent.tsv", "absent.jsonl", "absent.csv"):
            if f"{{{file}}}" in text:
                text = text.replace(f"{{{file}}}", str(file_of(place, file)))
        words.append(text)
    try:
        judge(words, what, capsys)
    finally:
        new = place / "new"
        (shutil.rmtree if new.is_dir() else Path.unlink)(new) if new.exists() else None


@pytest.mark.parametrize("name", SETTINGS)
def test_settings(place: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    text, what = SETTINGS[name]
    (place / "trivium.toml").write_text(text, encoding="latin-1" if name == "Latin-1" else "utf-8")
    try:
        kg = "sample" if "sample" in name else "x"
        judge(["ask", "who directed Silver Lake?", "--kg", kg, "--json"], what, capsys)
    finally:
        (place / "trivium.toml").unlink()


@pytest.mark.parametrize("name", ENVIRONMENT)
def test_environment(
    place: Path, name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    variables, what = ENVIRONMENT[name]
    kg, model = variables.get("KG", str(place / "kg")), variables.get("MODEL", "none")
    file_of(place, "good.tsv")
    for key, value in variables.items():
        if key not in ("KG", "MODEL"):
            monkeypatch.setenv(key, value)
    judge(["ask", "who directed Silver Lake?", "--kg", kg, "--model", model, "--json"], what, capsys)


def test_there_are_two_hundred_of_them() -> None:
    every = [*cases(TRIPLES), *cases(GOOD_TRIPLES), *cases(COMMANDS)]
    assert len({(command, what) for _, command, what in every}) + len(SETTINGS) + len(ENVIRONMENT) >= 200
