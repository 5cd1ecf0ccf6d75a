"""A KG in Neo4j as trivium.toml describes it: what is read, and what is refused by name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from trivium.kg.catalog import named_kgs
from trivium.kg.errors import BadInputError
from trivium.kg.neo4j.address import Limits, address_of
from trivium.kg.neo4j.settings import GraphSettings, RemoteKG, read_remote

FILE = Path("trivium.toml")
WHOLE: dict[str, Any] = {
    "uri": "bolt://db.example", "database": "shop", "labels": ["Product"], "relations": ["BOUGHT", "KNOWS"],
    "reversed": ["BOUGHT"], "symmetric": ["KNOWS"], "names": {"Product": "title", "Person": ["given", "family"]},
    "literals": ["year", "Product.sku"],
    "allow": ["title", "year"], "deny": ["Customer.email"], "graph": "own", "timeout": 2, "rows": 10,
}  # fmt: skip


def test_every_setting_is_read() -> None:
    found = read_remote("shop", WHOLE, FILE)
    assert (found.address.uri, found.address.database) == ("bolt://db.example:7687", "shop")
    assert found.settings == GraphSettings(
        graph="own", labels=("Product",), relations=("BOUGHT", "KNOWS"),
        names={"Product": ("title",), "Person": ("given", "family")},
        literals=("year", "Product.sku"), allow=("title", "year"), deny=("Customer.email",), reversed=("BOUGHT",),
        symmetric=("KNOWS",),
    )  # fmt: skip
    assert found.limits == Limits(timeout=2.0, rows=10)
    plain = read_remote("shop", {"uri": "bolt://h"}, FILE)
    assert (plain.settings, plain.limits) == (GraphSettings(), Limits())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"lables": []}, "has no setting 'lables'; there are allow"),
        ({"uri": 7}, "uri must be a text, not 7"),
        ({"database": ["a"]}, "database must be a text"),
        ({"labels": "Product"}, "labels must be a list of names, not 'Product'"),
        ({"labels": [""]}, "labels must be a list of names"),
        ({"reversed": "BOUGHT"}, "reversed must be a list of names"),
        ({"symmetric": ["BOUGHT"]}, "'BOUGHT' is both reversed and symmetric"),
        ({"literals": 3}, "literals must be a list of names"),
        ({"names": ["title"]}, "names must be a table such as"),
        ({"names": {"Product": 3}}, "names must be a table such as"),
        ({"graph": "mine"}, "graph must be one of auto, own, trivium, not 'mine'"),
        ({"timeout": 0}, "timeout must be a number above 0, not 0"),
        ({"rows": True}, "rows must be a number above 0, not True"),
        ({"uri": "bolt://me:secret@h"}, "must not hold user and password"),
    ],
)
def test_what_is_no_setting_is_refused_by_name(change: dict[str, Any], said: str) -> None:
    with pytest.raises(BadInputError, match=said) as refused:
        read_remote("shop", {**WHOLE, **change}, FILE)
    assert "secret" not in str(refused.value)


def test_what_may_be_read() -> None:
    settings = GraphSettings(allow=("title", "Customer.city"), deny=("Product.title",), literals=("year",))
    assert settings.may_read("Film", "title")
    assert not settings.may_read("Product", "title"), "deny stands above allow"
    assert settings.may_read("Customer", "city")
    assert not settings.may_read("Film", "city")
    assert settings.is_literal("Film", "year", guessed=False)
    assert not settings.is_literal("Film", "title", guessed=True), "where literals are named, none is guessed"
    assert not GraphSettings(literals=False).is_literal("Film", "year", guessed=True)
    assert GraphSettings().is_literal("Film", "year", guessed=True)


def test_databases_and_directories_stand_side_by_side(tmp_path: Path) -> None:
    file = tmp_path / "trivium.toml"
    file.write_text('[kg.films]\npath = "films"\n\n[kg.shop]\nuri = "bolt://h"\nliterals = false\n')
    found = named_kgs(file)
    assert found["films"] == tmp_path / "films"
    shop = found["shop"]
    assert isinstance(shop, RemoteKG)
    assert shop.settings.literals is False
    file.write_text("[kg.shop\n")
    with pytest.raises(BadInputError, match="not valid TOML"):
        named_kgs(file)
    for wrong, said in (
        ('[kg.shop]\nsomewhere = "else"\n', r"\[kg.shop\] needs a path"),
        ("[kg.shop]\npath = 3\n", r"\[kg.shop\] needs a path"),
        ("[kg.shop]\npath = 'bolt://db:7687'\n", r"write uri = 'bolt://db:7687'"),
        ('[kg]\nshop = "films"\n', r"\[kg.shop\] needs a path"),
        ('kg = "films"\n', "is not a table"),
    ):
        file.write_text(wrong)
        with pytest.raises(BadInputError, match=said):
            named_kgs(file)
    assert named_kgs(tmp_path / "nowhere.toml") == {}


def test_a_login_goes_to_the_server_that_it_is_for(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"USER": "u", "PASSWORD": "p", "DATABASE": "d"}.items():
        monkeypatch.setenv(f"TRIVIUM_NEO4J_{name}", value)
    assert address_of("bolt://anywhere").password == "p"  # no server is named: wherever the operator asks
    monkeypatch.setenv("TRIVIUM_NEO4J_URI", "neo4j://db.example")
    for uri in ("bolt://db.example:7687", "neo4j+s://DB.example"):
        assert (address_of(uri).user, address_of(uri).password, address_of(uri).database) == ("u", "p", "d")
    for uri in ("bolt://db.example:7688", "bolt://evil.example", "bolt://db.example.evil"):
        assert (address_of(uri).user, address_of(uri).password, address_of(uri).database) == (None, None, None)
    monkeypatch.setenv("SHOP_PASSWORD", "s")
    assert address_of("bolt://shop.example", "shop", "SHOP_USER", "SHOP_PASSWORD").password == "s"
    monkeypatch.setenv("TRIVIUM_NEO4J_URI", "neo4j://db:port")
    with pytest.raises(BadInputError, match="TRIVIUM_NEO4J_URI"):
        address_of("bolt://db.example")
