"""What a person sees of a page of tables."""

from __future__ import annotations

from trivium.kg.html_page import HtmlPage


def test_only_words_that_are_too_long_for_a_column_are_broken() -> None:
    page = HtmlPage("Report")
    page.table(("type", "examples"), [("customer", "https://example.org/ontology/customers/1")])
    text = str(page)
    assert "<td>customer</td>" in text
    assert '<td class="long">https://example.org/ontology/customers/1</td>' in text
    assert "td.long { overflow-wrap: anywhere }" in text
