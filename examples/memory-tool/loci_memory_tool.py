"""The memory tool of the Anthropic SDK for Python on documents of Loci. Needs: pip install anthropic

    tool = LociMemoryTool("http://127.0.0.1:8411/v1/memory-tool?mount=default", key="loci_…")
    client.beta.messages.tool_runner(model=…, max_tokens=…, messages=[…], tools=[tool])
"""

import json
from urllib.request import Request, urlopen

from anthropic.lib.tools import ToolError
from anthropic.tools.memory import BetaAbstractMemoryTool


class LociMemoryTool(BetaAbstractMemoryTool):
    """Every command goes to Loci; what Loci refuses, the model reads as the error of its tool."""

    def __init__(self, url, key=None, **options):
        super().__init__(**options)
        authorization = {"authorization": f"Bearer {key}"} if key else {}
        self.url, self.headers = url, {"content-type": "application/json"} | authorization

    def run(self, command):
        request = Request(self.url, json.dumps(command.to_dict()).encode(), self.headers)
        with urlopen(request, timeout=30) as response:
            answer = json.load(response)
        if answer["is_error"]:
            raise ToolError(answer["content"])
        return answer["content"]

    view = create = str_replace = insert = delete = rename = run
