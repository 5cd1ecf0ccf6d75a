"""What a command may spend on a chat model: `--max-tokens`, `--max-cost` and `--price`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from trivium.kg.catalog import SETTINGS_FILE, read_settings
from trivium.kg.errors import BadInputError, UsageError


def named_price(model: str, settings: Path = Path(SETTINGS_FILE)) -> str | None:
    """The model's price in `[prices]` of trivium.toml, as `--price` takes it; None where it names none.

    Raises:
        BadInputError: the settings cannot be read, or the price is no text.
    """
    prices = read_settings(settings).get("prices", {})
    named = prices.get(model) or prices.get(model.partition(":")[2]) if isinstance(prices, dict) else None
    if named is not None and not isinstance(named, str):
        raise BadInputError(f"[prices] {model!r} must be PROMPT/COMPLETION in quotes, not {named!r}", path=settings)
    return named


@dataclass
class Spent:
    """What a command has used of a chat model, in tokens and in the currency of its price; why it asked no more."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost: float = 0.0
    stopped: str = "all asked"

    @property
    def tokens(self) -> int:
        """Prompts and completions together."""
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True)
class Spending:
    """Limits of a command; each None is no limit.

    Attributes:
        max_tokens: prompts and completions together.
        max_cost: in the currency of `price`.
        price: of a million prompt tokens and a million completion tokens, as `0.15/0.60`.
    """

    max_tokens: int | None = None
    max_cost: float | None = None
    price: str | None = None

    def prices(self) -> tuple[float, float]:
        """The two prices, 0 where none is given; raises `UsageError`."""
        if self.price is None:
            if self.max_cost is not None:
                raise UsageError("--max-cost needs --price PROMPT/COMPLETION, what a million tokens of each cost")
            return 0.0, 0.0
        try:
            prompt, completion = map(float, self.price.split("/"))
        except ValueError:
            raise UsageError(f"--price is PROMPT/COMPLETION, such as 0.15/0.60, not {self.price!r}") from None
        if prompt < 0 or completion < 0:
            raise UsageError(f"--price must not be negative, not {self.price!r}")
        return prompt, completion

    def cost(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What so many tokens cost; 0 without a price."""
        prompt, completion = self.prices()
        return (prompt_tokens * prompt + completion_tokens * completion) / 1e6

    def reached(self, tokens: int, cost: float) -> str | None:
        """Which limit the command has reached, in words; None while it may go on."""
        if self.max_tokens is not None and tokens >= self.max_tokens:
            return f"stopped at --max-tokens {self.max_tokens:,}; run again to go on"
        if self.max_cost is not None and cost >= self.max_cost:
            return f"stopped at --max-cost {self.max_cost:g}; run again to go on"
        return None
