"""A mirror in a bucket, through a server that speaks the protocol of S3, looked into with boto3.

Ends with a line `N passed, M failed`. The server of the outer run is not used: a mirror in a bucket stands in the configuration.
"""

import contextlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import traceback
import urllib.error
import urllib.request

import boto3
from moto.server import ThreadedMotoServer

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "boto3"))
import loci_server  # noqa: E402  (what starts servers is there)

SYNC_MAX_S = 60
BUCKET = "notes-of-a-team"
PREFIX = "team/desk/"
CONFIG = """
[[target]]
name = "desk"
url = "s3://{bucket}/team"
endpoint = "{endpoint}"
region = "us-east-1"
access_key_env = "DESK_KEY"
secret_key_env = "DESK_SECRET"
path_style = true
{more}

[mirror.desk]
memory = "notes"
kind = "s3"
path = "desk/desk"
interval = "1h"
"""


class World:
    """A bucket, a server, a mirror between them."""

    def __init__(self, url, bucket):
        self.url, self.bucket = url, bucket
        self.memory = self.call("GET", "/v1/memories")["memories"][0]["id"]

    def call(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json"}
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=120) as response:
            return json.load(response)

    def append(self, path, line):
        self.call("POST", f"/v1/memories/{self.memory}/tree/append", {"path": path, "lines": [line]})

    def body(self, path):
        return self.call("GET", f"/v1/memories/{self.memory}/files/{path}")["body"]

    def sync(self):
        deadline = time.monotonic() + SYNC_MAX_S
        while True:
            try:
                report = self.call("POST", f"/v1/memories/{self.memory}/mirrors/desk/sync")
                break
            except urllib.error.HTTPError as error:
                # The server is at it by itself, as when it has just started.
                if error.code != 409 or time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        assert not report.get("error"), report
        return report

    def keys(self):
        pages = self.bucket.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=PREFIX)
        return sorted(entry["Key"].removeprefix(PREFIX) for page in pages for entry in page.get("Contents", []))

    def read(self, path):
        return self.bucket.get_object(Bucket=BUCKET, Key=PREFIX + path)["Body"].read().decode()

    def write(self, path, text):
        self.bucket.put_object(Bucket=BUCKET, Key=PREFIX + path, Body=text.encode())


def documents_become_objects(world):
    world.append("knowledge/facts/a.md", "- one")
    world.append("knowledge/facts/größe + maß.md", "- zwei")
    # By this sync, or by the one that the server begins with.
    world.sync()
    assert world.keys() == [".loci-mirror", "knowledge/facts/a.md", "knowledge/facts/größe + maß.md"], world.keys()
    assert world.read("knowledge/facts/a.md").endswith("\n- one\n")
    assert world.sync()["written"] == 0


def objects_become_documents(world):
    world.write("knowledge/facts/a.md", world.read("knowledge/facts/a.md") + "- two\n")
    world.write("knowledge/facts/new.md", "- three\n")
    report = world.sync()
    assert (report["taken"], report["created"]) == (1, 1), report
    assert world.body("knowledge/facts/a.md") == "- one\n- two\n"
    assert world.body("knowledge/facts/new.md") == "- three\n"


def both_sides_are_kept(world):
    world.write("knowledge/facts/new.md", "rewritten in the bucket\n")
    path = f"/v1/memories/{world.memory}/files/knowledge/facts/new.md?force=true"
    world.call("PUT", path, {"body": "rewritten by the API\n"})
    report = world.sync()
    assert len(report["conflicts"]) == 1, report
    assert world.body("knowledge/facts/new.md") == "rewritten by the API\n"
    beside = report["conflicts"][0]["what"]
    assert world.body(beside) == "rewritten in the bucket\n"
    world.sync()
    assert world.read(beside).endswith("rewritten in the bucket\n")


def everything_gone_is_written_again(world):
    before = world.keys()
    for key in before:
        if key != ".loci-mirror":
            world.bucket.delete_object(Bucket=BUCKET, Key=PREFIX + key)
    report = world.sync()
    assert report["put_away"] == 0, report
    world.sync()
    assert world.keys() == before, world.keys()


def many_pages_are_one_listing(world):
    for number in range(1_050):
        world.write(f"knowledge/facts/many/{number}.md", f"- fact {number}\n")
    report = world.sync()
    assert report["created"] == 1_050, {name: report[name] for name in ("created", "refused", "notes")}
    assert world.body("knowledge/facts/many/1049.md") == "- fact 1049\n"


CHECKS = [
    documents_become_objects,
    objects_become_documents,
    both_sides_are_kept,
    everything_gone_is_written_again,
    many_pages_are_one_listing,
]


@contextlib.contextmanager
def bucket():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    try:
        yield f"http://{host}:{port}"
    finally:
        server.stop()


def world_in(folder, endpoint, stack):
    os.environ |= {"DESK_KEY": "key", "DESK_SECRET": "secret"}
    keys = {"aws_access_key_id": "key", "aws_secret_access_key": "secret"}
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **keys)
    client.create_bucket(Bucket=BUCKET)
    config = pathlib.Path(folder) / "loci.toml"
    config.write_text(CONFIG.format(bucket=BUCKET, endpoint=endpoint, more=""))
    command = [loci_server.LOCI, "memory", "create", "notes", "--data-dir", pathlib.Path(folder) / "data"]
    subprocess.run(command, check=True, capture_output=True, env=loci_server.environment(folder), timeout=60)
    url = stack.enter_context(loci_server.serve(folder, "--config", config))
    return World(url, client)


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, bucket() as endpoint, contextlib.ExitStack() as stack:
        world = world_in(folder, endpoint, stack)
        for check in CHECKS:
            try:
                check(world)
            except Exception:  # noqa: BLE001  (each is told, and the others still run)
                failed += 1
                print(f"FAILED {check.__name__}\n{traceback.format_exc()}")
            else:
                passed += 1
                print(f"ok {check.__name__}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
