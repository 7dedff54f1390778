"""Assertions every file of the suite shares: an error's name, status and reason, and waiting for extraction."""

import json
import os
import urllib.request

import pytest
from botocore.exceptions import ClientError

STATUS = {
    "ValidationException": 400,
    "ServiceQuotaExceededException": 402,
    "AccessDeniedException": 403,
    "ResourceNotFoundException": 404,
}


def refused(code, call, reason=None, message=None, **members):
    """Calls and asserts the error's name, status, reason and a part of its message; returns its response."""
    with pytest.raises(ClientError) as caught:
        call(**members)
    response = caught.value.response
    assert response["Error"]["Code"] == code, response
    metadata = response["ResponseMetadata"]
    assert metadata["HTTPStatusCode"] == STATUS[code], response
    assert metadata["RequestId"], response
    if code == "ValidationException":
        assert response["reason"] in (
            "CannotParse",
            "FieldValidationFailed",
            "IdempotentParameterMismatchException",
            "EventInOtherSession",
            "ResourceConflict",
        ), response
    if reason is not None:
        assert response["reason"] == reason, response
    if message is not None:
        assert message in response["Error"]["Message"], response
    return response


def invalid(call, reason="FieldValidationFailed", message=None, **members):
    """Asserts a ValidationException."""
    return refused("ValidationException", call, reason=reason, message=message, **members)


def missing(call, **members):
    """Asserts a ResourceNotFoundException."""
    return refused("ResourceNotFoundException", call, **members)


def wait_extraction(memory_id, actor=None, session=None, url=None):
    """Waits until nothing is pending; returns the answer of the endpoint."""
    body = {"timeout_ms": 60_000}
    body |= {"actor": actor} if actor else {}
    body |= {"session": session} if session else {}
    request = urllib.request.Request(
        f"{url or os.environ['LOCI_URL']}/v1/memories/{memory_id}/extraction:wait",
        data=json.dumps(body).encode(),
        headers={"content-type": "application/json"},
        method="POST",
    )
    with urllib.request.urlopen(request, timeout=90) as response:
        answer = json.load(response)
    assert answer["complete"], answer
    return answer


def pages(call, key, **members):
    """All pages of a list operation; asserts that none is empty and that only the last has no token."""
    found, token = [], None
    while True:
        page = call(**members, **({"nextToken": token} if token else {}))
        found.append(page[key])
        if "nextToken" not in page:
            return found
        token = page["nextToken"]
        assert token and page[key], page
