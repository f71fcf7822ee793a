"""How many tokens the first request of each agent has, over the tasks of DB-REAL.

Usage: python benchmarks/prompt_tokens.py [SERVER], the address of llama.cpp's server, whose model's tokenizer counts.
The definitions of tools, which each provider adds in its own form, are not counted.
"""

import sys

import httpx
import numpy as np
from measure import require_data, show

from inspect_discoverybench.prompts.prompt import Prompt
from inspect_discoverybench.solvers.wording import Wording
from inspect_discoverybench.tasks import real

SERVER = "http://127.0.0.1:8010"
AGENTS = ("codegen", "react")
"""Agents whose first request is their system prompt and the task text; that of `reflexion` is CodeGen's."""


def count_tokens(server: str, text: str) -> int:
    """Tokens of a text for the model of a server."""
    reply = httpx.post(f"{server}/tokenize", json={"content": text}, timeout=60)
    reply.raise_for_status()
    return len(reply.json()["tokens"])


def main() -> None:
    """Print the median, the 95th percentile and the maximum by agent and form of action."""
    require_data()
    server = SERVER
    if len(sys.argv) > 1:
        server = sys.argv[1]
    texts = [str(sample.input) for sample in real(split="all").dataset]
    finish = Prompt.load("solvers/finish").render()

    rows = []
    for form in ("calls", "text"):
        wording = Wording(form)
        for agent in AGENTS:
            closing_lines = wording.render(f"solvers/{agent}_finish")
            tasks = [count_tokens(server, text.replace(finish, closing_lines)) for text in texts]
            system = count_tokens(server, wording.render(f"solvers/{agent}"))
            quantiles = np.quantile(tasks, [0.5, 0.95, 1]) + system
            rows.append((agent, form, *quantiles))
    columns = {
        "agent": "",
        "actions": "",
        "median": ",.0f",
        "95th percentile": ",.0f",
        "maximum": ",.0f",
    }
    show(f"{len(texts)} tasks", columns, rows)


if __name__ == "__main__":
    main()
