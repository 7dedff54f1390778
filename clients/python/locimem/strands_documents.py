"""``LociDocuments``: the documents of a memory that every prompt of a Strands agent begins with.

``knowledge/system/`` stands in full, the other documents as a listing with their descriptions, in one budget of tokens. It does not
need Strands: ``ContextInjector(documents)`` of Strands calls it.
"""

from __future__ import annotations

import asyncio
from typing import Any

from .client import Client


class LociDocuments:
    """Renders the documents of ``memory`` and ``namespace``, or of a ``mount`` of the server's configuration.

    :param memory: by name or id; without it the mount, by default ``default``.
    :param budget_tokens: how much the text may have; 2,500 where it is absent.
    :param client: in the place of ``url`` and ``api_key``.
    """

    def __init__(
        self,
        *,
        memory: str | None = None,
        namespace: str | None = None,
        mount: str | None = None,
        budget_tokens: int | None = None,
        url: str | None = None,
        api_key: str | None = None,
        client: Client | None = None,
    ) -> None:
        for field, value in (("memory", memory), ("namespace", namespace), ("mount", mount)):
            if value is not None and (not isinstance(value, str) or not value.strip()):
                raise ValueError(f"LociDocuments: {field} must be a non-empty string")
        if (memory is not None and mount is not None) or (memory is None and namespace is not None):
            raise ValueError("LociDocuments: give memory and, where it is not /, namespace; or give mount")
        if budget_tokens is not None and (isinstance(budget_tokens, bool) or not isinstance(budget_tokens, int) or budget_tokens < 1):
            raise ValueError("LociDocuments: budget_tokens must be a positive integer")
        self._client = client or Client(url, token=api_key)
        self._asked: Any = {"memory": memory, "namespace": namespace, "mount": mount, "budget_tokens": budget_tokens}

    async def text(self) -> str:
        """Returns the text; empty where there are no documents."""
        answer = await asyncio.to_thread(lambda: self._client.prompt_documents(**self._asked))
        return answer["text"]

    async def __call__(self, context: Any = None, **_: Any) -> str | None:
        """Returns the text for an injector of Strands, which ignores ``None``."""
        return await self.text() or None
