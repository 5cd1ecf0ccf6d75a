"""What nodes are called, by what a survey says of their properties."""

from __future__ import annotations

import pytest

from trivium.kg.naming import Naming, PropertySample, full_name, is_called_name, naming


def text(key: str, distinct: int, *examples: str, having: int = 100, letters: float = 12.0) -> PropertySample:
    return PropertySample(key, 100, having, distinct, ("STRING NOT NULL",), letters, examples or ("Some Words",))


def number(key: str, distinct: int = 100, having: int = 100) -> PropertySample:
    return PropertySample(key, 100, having, distinct, ("INTEGER NOT NULL",), 3.0, ("1", "2"))


ORDER = [number("orderID"), text("shipName", 40, "Vins et alcools"), text("customerID", 30, "VINET")]
MRID = text("mRID", 100, "1e967212-2a14-42e9-ba84-a42e0f8c819d", "_a9b63ca4-efdc-40ec-9d8f-ec09036a22a9")
PERSON = [text("name", 60, "Bradley", "Diana"), text("surname", 70, "Murray"), text("nhs_no", 100, "804-54-6976")]


@pytest.mark.parametrize(
    ("label", "properties", "together", "wanted"),
    [
        (
            "Movie",
            [text("tagline", 98, "Welcome to it"), text("title", 99, "The Matrix")],
            {},
            Naming("Movie", ("title",)),
        ),
        (
            "User",
            [text("username", 100, "vikingram"), text("displayName", 100, "Viktor Ingram")],
            {},
            Naming("User", ("displayName",)),
        ),
        ("User", [text("username", 100, "vikingram")], {}, Naming("User", ("username",))),
        ("Level", [MRID, text("name", 100, "220", "17")], {}, Naming("Level", ("name",))),
        ("Level", [MRID, text("level_no", 100, "220", "17")], {}, Naming("Level", ("level_no",), prefix=True)),
        ("Level", [MRID, text("name", 5, "High")], {}, Naming("Level", ("mRID",))),
        ("Order", ORDER, {}, Naming("Order", ("orderID",), prefix=True)),
        ("Order", ORDER[1:], {}, Naming("Order", ("shipName",))),
        ("Person", PERSON, {("name", "surname"): 0.95}, Naming("Person", ("name", "surname"))),
        ("Person", PERSON, {("name", "surname"): 0.3}, Naming("Person", ("nhs_no",))),
        ("Person", [text("name", 99, "Keanu Reeves"), text("surname", 80, "Reeves")], {}, Naming("Person", ("name",))),
        ("Vehicle", [text("make", 9, "Ford"), text("reg", 100, "A1 XYZ 77")], {}, Naming("Vehicle", ("reg",))),
        ("Case", [text("primaryid", 100, "111791005", "112")], {}, Naming("Case", ("primaryid",), prefix=True)),
        (
            "Product",
            [text("product_name", 100, "Lamp"), text("sku", 100, "p1")],
            {},
            Naming("Product", ("product_name",)),
        ),
        (
            "Incident",
            [
                PropertySample("id", 100, 100, 100, ("STRING",), 3.0, ("i1", "i2"), unique=True, repeats_id=True),
                text("ticket", 100, "INC-1201"),
            ],
            {},
            Naming("Incident", ("ticket",)),
        ),
        (
            "Order",
            [
                PropertySample("id", 100, 100, 100, ("STRING",), 3.0, ("o1", "o2"), unique=True, repeats_id=True),
                number("orderID"),
                text("phone", 100, "+49 30 12"),
            ],
            {},
            Naming("Order", ("orderID",), prefix=True),
        ),
        ("Visit", [text("id", 100, "V1"), text("visit_id", 100, "V-30001")], {}, Naming("Visit", ("visit_id",))),
        ("AgeGroup", [text("ageGroup", 100, "Adult")], {}, Naming("AgeGroup", ("ageGroup",))),
        ("Note", [text("body", 100, "Long words here", letters=900.0)], {}, None),
        ("Call", [text("time", 40, "9:16"), text("kind", 2, "SMS")], {}, None),
        ("Empty", [], {}, None),
    ],
)
def test_the_best_name_is_chosen(
    label: str, properties: list[PropertySample], together: dict[tuple[str, ...], float], wanted: Naming | None
) -> None:
    assert naming(label, properties, together) == wanted


def test_a_name_is_told_from_a_key() -> None:
    assert is_called_name(Naming("Customer", ("companyName",)))
    assert is_called_name(Naming("Person", ("first", "last")))
    assert not is_called_name(Naming("Country", ("capital",)))
    assert not is_called_name(Naming("Visit", ("visit_id",)))


def test_text_that_many_share_names_nodes_only_where_they_have_no_key() -> None:
    shared = text("name", 60, "Alice Smith")
    assert naming("Customer", [shared, text("code", 100, "C-1", "C-2")], {}) == Naming("Customer", ("code",))
    assert naming("Customer", [shared], {}) == Naming("Customer", ("name",))
    counted = PropertySample("code", 100, 100, 100, ("STRING NOT NULL",), 3.0, ("C-1",), unique=False)
    assert naming("Customer", [shared, counted], {}) == Naming("Customer", ("name",)), "unique in the sample alone"


def test_first_and_last_names_go_together_unless_the_first_is_the_whole() -> None:
    assert full_name([text("firstName", 9, "Ann"), text("last_name", 9, "Lee")]) == ("firstName", "last_name")
    assert full_name([text("name", 9, "Ann Lee"), text("surname", 9, "Lee")]) is None
    assert full_name([text("name", 9, "Ann")]) is None
