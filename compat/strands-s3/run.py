"""The S3 door with the clients it is there for: boto3, and the stock stores and sessions of Strands for Python and JavaScript.

Ends with a line `N passed, M failed`. The server of the outer run is not used: buckets and keys stand in a configuration of its own.
The argument is the folder of the npm packages.
"""

import asyncio
import contextlib
import datetime
import ipaddress
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import urllib.error
import urllib.parse
import urllib.request
from concurrent.futures import ThreadPoolExecutor

import boto3
import botocore.config
import botocore.exceptions
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from strands.session.s3_session_manager import S3SessionManager
from strands.storage import S3Storage
from strands.types.session import Session, SessionAgent, SessionMessage, SessionType
from strands.vended_memory_stores.file_memory_store import FileMemoryStore

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "boto3"))
import loci_server  # noqa: E402  (what starts servers is there)

REGION = "eu-central-1"
BUCKET = "desk"
KEYS = 2_500
DOCUMENTS = 1_100
WRITERS = 8
CONFIG = """
[s3.buckets.desk]
memory = "notes"
namespace = "/team"
"""
TOPIC = "# Topic\n- zero\n"


class World:
    """A server with keys, a client of its buckets."""

    def __init__(self, url, token, pair, folder, node_folder):
        self.url, self.token, self.pair = url, token, pair
        self.folder, self.node_folder = folder, node_folder
        self.s3 = self.client()

    def client(self, pair=None, verify=None, **more):
        key, secret = pair or self.pair
        config = botocore.config.Config(
            s3={"addressing_style": "path"}, retries={"max_attempts": 1}, max_pool_connections=32, **more
        )
        return boto3.client(
            "s3",
            endpoint_url=f"{self.url}/s3",
            region_name=REGION,
            aws_access_key_id=key,
            aws_secret_access_key=secret,
            config=config,
            verify=verify,
        )

    def call(self, method, path, body=None, headers=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {"content-type": "application/json", "authorization": f"Bearer {self.token}"} | (headers or {})
        request = urllib.request.Request(self.url + path, data=data, headers=headers, method=method)
        with urllib.request.urlopen(request, timeout=60) as response:
            return json.load(response)

    def memory(self):
        return self.call("GET", "/v1/memories")["memories"][0]["id"]

    def put(self, key, body, **more):
        return self.s3.put_object(Bucket=BUCKET, Key=key, Body=body, **more)

    def get(self, key, **more):
        return self.s3.get_object(Bucket=BUCKET, Key=key, **more)["Body"].read()

    def keys(self, prefix, **more):
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix, **more)
        return [entry["Key"] for page in pages for entry in page.get("Contents", [])]

    def storage(self):
        """Strands' storage, at this server."""
        session = boto3.Session(
            aws_access_key_id=self.pair[0], aws_secret_access_key=self.pair[1], region_name=REGION
        )
        return S3Storage(BUCKET, boto_session=session)


def refused(code, status, call, *arguments, **named):
    try:
        call(*arguments, **named)
    except botocore.exceptions.ClientError as error:
        found = (error.response["Error"]["Code"], error.response["ResponseMetadata"]["HTTPStatusCode"])
        assert found == (code, status), found
        assert error.response["ResponseMetadata"]["RequestId"], error.response
        return
    raise AssertionError(f"{code} was expected")


def objects_come_back_as_they_were(world):
    cases = {
        "session/s1/state.json": b'{"a": 1}',
        "offloader/ref 1+2/\u00e9.bin": bytes(range(256)),
        "memory/notes/topic.md": "# T\u00f6pic\r\n- one  \n".encode(),
        "memory/notes/bytes.md": b"\xff\xfe",
        "memory/notes/empty.md": b"",
        "deep/memory/notes/topic.md": b"- another store",
    }
    for key, body in cases.items():
        tag = world.put(key, body)["ETag"]
        head = world.s3.head_object(Bucket=BUCKET, Key=key)
        assert (head["ContentLength"], head["ETag"]) == (len(body), tag), (key, head)
        assert world.get(key) == body, key
        assert world.keys(key) == [key], (key, world.keys(key))
    assert world.get("session/s1/state.json", Range="bytes=1-3") == b'"a"'
    assert world.get("session/s1/state.json", Range="bytes=-2") == b"1}"
    refused("InvalidRange", 416, world.get, "session/s1/state.json", Range="bytes=99-")
    for key in cases:
        for _ in range(2):
            answer = world.s3.delete_object(Bucket=BUCKET, Key=key)
            assert answer["ResponseMetadata"]["HTTPStatusCode"] == 204
        refused("NoSuchKey", 404, world.get, key)
        refused("404", 404, world.s3.head_object, Bucket=BUCKET, Key=key)


def names_of_keys_are_kept(world):
    """Marks of directories, slashes that follow each other, and both forms of a composed letter, as other clients make them."""
    decomposed, composed = "gro\u0308\u00dfe.md", "gr\u00f6\u00dfe.md"
    keys = ["trail/", "trail/a.txt", "trail", "memory/names/", "memory/names/a.md", "memory/names/sub/"]
    keys += [f"{folder}{name}" for folder in ("plain/", "memory/names/") for name in (decomposed, composed)]
    for key in keys:
        world.put(key, ascii(key).encode())
    for key in keys:
        assert world.get(key) == ascii(key).encode(), ascii(key)
        assert world.s3.head_object(Bucket=BUCKET, Key=key)["ContentLength"] == len(ascii(key)), ascii(key)
        assert key in world.keys(key), ascii(key)
    below = lambda *prefixes: sorted(key for prefix in prefixes for key in world.keys(prefix))
    assert below("trail", "plain/", "memory/names/") == sorted(keys), below("trail", "plain/", "memory/names/")
    page = world.s3.list_objects_v2(Bucket=BUCKET, Prefix="trail", Delimiter="/")
    found = ([one["Key"] for one in page["Contents"]], [one["Prefix"] for one in page["CommonPrefixes"]])
    assert found == (["trail"], ["trail/"]), found
    # Runs of slashes are one: both keys are one object.
    world.put("trail//b.txt", b"first")
    world.put("trail/b.txt", b"second")
    assert world.get("trail//b.txt") == b"second" and world.keys("trail//b") == ["trail/b.txt"]
    world.s3.delete_object(Bucket=BUCKET, Key="trail/")
    assert below("trail") == ["trail", "trail/a.txt", "trail/b.txt"], below("trail")
    for key in [*keys, "trail/b.txt"]:
        world.s3.delete_object(Bucket=BUCKET, Key=key)
    assert below("trail", "plain/", "memory/names/") == []


def documents_are_documents(world):
    world.put("memory/desk/editor.md", b"# Editor\n- dark\n")
    path = f"/v1/memories/{world.memory()}/files/knowledge/facts/editor.md?namespace=/team/desk"
    assert world.call("GET", path)["body"] == "# Editor\n- dark\n"
    world.call("PUT", path + "&force=true", {"body": "# Editor\n- light\n"})
    assert world.get("memory/desk/editor.md") == b"# Editor\n- light\n"


def conditions_hold(world):
    for key in ["memory/desk/condition.md", "session/condition.json"]:
        first = world.put(key, b"a", IfNoneMatch="*")["ETag"]
        refused("PreconditionFailed", 412, world.put, key, b"b", IfNoneMatch="*")
        second = world.put(key, b"b", IfMatch=first)["ETag"]
        refused("PreconditionFailed", 412, world.put, key, b"c", IfMatch=first)
        assert world.get(key, IfMatch=second) == b"b"
        refused("PreconditionFailed", 412, world.get, key, IfMatch=first)
        refused("304", 304, world.get, key, IfNoneMatch=second)


def lists_have_pages_and_delimiters(world):
    names = [f"many/{number:04}.txt" for number in range(KEYS)]
    with ThreadPoolExecutor(16) as pool:
        list(pool.map(lambda name: world.put(name, name.encode()), names))
    page = world.s3.list_objects_v2(Bucket=BUCKET, Prefix="many/", MaxKeys=5_000)
    assert (page["KeyCount"], page["MaxKeys"], page["IsTruncated"]) == (1_000, 1_000, True)
    assert (page["Contents"][0]["Size"], page["Name"], page["Prefix"]) == (13, BUCKET, "many/")
    assert world.keys("many/") == names
    assert world.keys("many/", StartAfter="many/2497.txt") == names[2_498:]
    assert world.keys("many/12", PaginationConfig={"PageSize": 7}) == [name for name in names if "/12" in name]
    for folder in "abc":
        for name in ["1", "2", "+ \u00e9&<>"]:
            world.put(f"trees/{folder}/{name}", b"x")
    world.put("trees/\u00e9", b"x")
    pages = world.s3.get_paginator("list_objects_v2").paginate(
        Bucket=BUCKET, Prefix="trees/", Delimiter="/", PaginationConfig={"PageSize": 1}
    )
    found = [
        entry
        for page in pages
        for entry in [*(one["Prefix"] for one in page.get("CommonPrefixes", [])), *(one["Key"] for one in page.get("Contents", []))]
    ]
    assert found == ["trees/a/", "trees/b/", "trees/c/", "trees/\u00e9"], found
    assert world.keys("trees/a/") == ["trees/a/+ \u00e9&<>", "trees/a/1", "trees/a/2"]
    raw = urllib.request.Request(
        world.s3.generate_presigned_url(
            "list_objects_v2", Params={"Bucket": BUCKET, "Prefix": "trees/a/+", "EncodingType": "url"}
        )
    )
    with urllib.request.urlopen(raw, timeout=60) as response:
        assert b"<Key>trees/a/%2B%20%C3%A9%26%3C%3E</Key>" in response.read()


def many_are_deleted_at_once(world):
    for start in range(0, KEYS, 1_000):
        keys = [{"Key": f"many/{number:04}.txt"} for number in range(start, min(start + 1_000, KEYS))]
        answer = world.s3.delete_objects(Bucket=BUCKET, Delete={"Objects": keys})
        assert (len(answer["Deleted"]), answer.get("Errors")) == (len(keys), None)
    assert world.keys("many/") == []
    answer = world.s3.delete_objects(
        Bucket=BUCKET, Delete={"Objects": [{"Key": "never/was"}, {"Key": "a/../b"}], "Quiet": True}
    )
    assert [error["Key"] for error in answer["Errors"]] == ["a/../b"] and "Deleted" not in answer, answer


def checksums_are_compared(world):
    for algorithm in ["CRC32", "CRC32C", "SHA1", "SHA256"]:
        if algorithm == "CRC32C" and not has_crc32c():
            continue
        world.put("sums/a", b"body", ChecksumAlgorithm=algorithm)
    refused("BadDigest", 400, world.put, "sums/b", b"body", ChecksumSHA1="AAAAAAAAAAAAAAAAAAAAAAAAAAA=")
    refused("NoSuchKey", 404, world.get, "sums/b")


def has_crc32c():
    try:
        import awscrt  # noqa: F401
    except ImportError:
        return False
    return True


def the_rest_is_refused_clearly(world):
    refused("NoSuchBucket", 404, world.s3.get_object, Bucket="other", Key="a")
    refused("NoSuchKey", 404, world.s3.get_object, Bucket="notes", Key="a")
    refused("NotImplemented", 501, world.s3.list_buckets)
    refused("NotImplemented", 501, world.s3.create_multipart_upload, Bucket=BUCKET, Key="a")
    refused("NotImplemented", 501, world.put, "a", b"x", Metadata={"a": "b"})
    refused("NotImplemented", 501, world.put, "a", b"x", ContentEncoding="gzip")
    refused("NotImplemented", 501, world.s3.copy_object, Bucket=BUCKET, Key="b", CopySource=f"{BUCKET}/a")
    refused("NotImplemented", 501, world.s3.get_object_acl, Bucket=BUCKET, Key="a")
    refused("InvalidArgument", 400, world.put, "a/../b", b"x")
    refused("EntityTooLarge", 400, world.put, "big", b"x" * (10 * 1024 * 1024 + 1))
    assert world.put("big", b"x" * (10 * 1024 * 1024))
    refused("NoSuchKey", 404, world.get, "a")
    assert world.s3.head_bucket(Bucket=BUCKET)["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert world.s3.head_bucket(Bucket=world.memory())["ResponseMetadata"]["HTTPStatusCode"] == 200
    assert world.s3.get_bucket_location(Bucket=BUCKET)["LocationConstraint"] is None


def signatures_are_checked(world):
    key, secret = world.pair
    refused("SignatureDoesNotMatch", 403, world.client((key, "wrong")).get_object, Bucket=BUCKET, Key="a")
    refused("InvalidAccessKeyId", 403, world.client(("AKIA000000000000", secret)).get_object, Bucket=BUCKET, Key="a")
    anonymous = world.client(signature_version=botocore.UNSIGNED)
    refused("AccessDenied", 403, anonymous.get_object, Bucket=BUCKET, Key="a")
    world.put("presigned/a b.txt", b"hello")
    link = world.s3.generate_presigned_url("get_object", Params={"Bucket": BUCKET, "Key": "presigned/a b.txt"})
    with urllib.request.urlopen(link, timeout=60) as response:
        assert response.read() == b"hello"
    link = world.s3.generate_presigned_url("put_object", Params={"Bucket": BUCKET, "Key": "presigned/put"})
    with urllib.request.urlopen(urllib.request.Request(link, data=b"there", method="PUT"), timeout=60):
        assert world.get("presigned/put") == b"there"
    try:
        urllib.request.urlopen(link + "0", timeout=60)
    except urllib.error.HTTPError as error:
        assert error.code in (400, 403), error.code
    else:
        raise AssertionError("a changed link was served")


def a_grant_is_a_border(world):
    grants = [{"memory": world.memory(), "namespace": "/team/theirs", "capabilities": ["read", "write"]}]
    made = loci_server.create_key(world.url, "theirs", grants, world.token)
    theirs = world.client((made["access_key_id"], made["secret_access_key"]))
    theirs.put_object(Bucket=BUCKET, Key="memory/theirs/a.md", Body=b"- ours")
    world.put("memory/desk/private.md", b"- secret")
    world.put("session/private.json", b"{}")
    found = theirs.list_objects_v2(Bucket=BUCKET).get("Contents", [])
    assert [entry["Key"] for entry in found] == ["memory/theirs/a.md"], found
    for key in ["memory/desk/private.md", "session/private.json"]:
        refused("AccessDenied", 403, theirs.get_object, Bucket=BUCKET, Key=key)
        refused("AccessDenied", 403, theirs.put_object, Bucket=BUCKET, Key=key, Body=b"x")
        refused("AccessDenied", 403, theirs.delete_object, Bucket=BUCKET, Key=key)


def b2_two_writers_who_read_before_either_wrote(world):
    key = "memory/desk/topic.md"
    world.put(key, TOPIC.encode())
    read = world.get(key).decode().rstrip()
    world.put(key, f"{read}\n- one".encode())
    world.put(key, f"{read}\n- two".encode())
    assert world.get(key).decode().split("\n") == ["# Topic", "- zero", "- one", "- two", ""]


def strands_stores_of_python_lose_nothing(world):
    stores = [FileMemoryStore(name="python", storage=world.storage()) for _ in range(WRITERS)]
    asyncio.run(stores[0].add(TOPIC))

    def write(number):
        async def all_lines():
            for line in range(5):
                await stores[number].add(f"# Topic\n- {number} {line}")

        asyncio.run(all_lines())

    threads = [threading.Thread(target=write, args=(number,)) for number in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = sorted(world.get("memory/python/topic.md").decode().split("\n- ")[1:])
    lines = [line.strip() for line in lines]
    expected = sorted(["zero", *(f"{number} {line}" for number in range(WRITERS) for line in range(5))])
    assert lines == expected, lines
    found = asyncio.run(stores[0].search("3 4"))
    assert len(found) == 1, found


def strands_stores_find_all_of_many_files(world):
    store = FileMemoryStore(name="many", storage=world.storage())
    with ThreadPoolExecutor(16) as pool:
        put = lambda number: world.put(f"memory/many/fact-{number}.md", f"# Fact {number}\n- about x{number}".encode())
        list(pool.map(put, range(DOCUMENTS)))
    assert len(asyncio.run(world.storage().list("memory/many/"))) == DOCUMENTS
    found = asyncio.run(store.search(f"x{DOCUMENTS - 1}"))
    assert len(found) == 1, found


def strands_sessions_of_python(world):
    session = boto3.Session(aws_access_key_id=world.pair[0], aws_secret_access_key=world.pair[1])
    manager = S3SessionManager("s-1", BUCKET, boto_session=session, region_name=REGION)
    manager.create_agent("s-1", SessionAgent(agent_id="a", state={"k": 1}, conversation_manager_state={}))
    for number in range(30):
        text = {"role": "user", "content": [{"text": f"message {number}"}]}
        manager.create_message("s-1", "a", SessionMessage.from_message(text, number))
    found = manager.list_messages("s-1", "a", limit=5, offset=20)
    assert [message.message_id for message in found] == list(range(20, 25)), found
    assert manager.read_agent("s-1", "a").state == {"k": 1}
    manager.delete_session("s-1")
    assert manager.read_session("s-1") is None
    assert manager.create_session(Session(session_id="s-1", session_type=SessionType.AGENT))


def bodies_over_tls_come_in_chunks(world):
    folder = pathlib.Path(world.folder) / "tls"
    folder.mkdir()
    certificate, key = certified(folder)
    config = folder / "loci.toml"
    config.write_text(CONFIG)
    made = loci_server.first_key(folder, "owner")
    command = [loci_server.LOCI, "memory", "create", "notes", "--data-dir", folder / "data"]
    subprocess.run(command, check=True, capture_output=True, env=loci_server.environment(folder), timeout=60)
    arguments = ["--config", config, "--tls-cert", certificate, "--tls-key", key]
    with loci_server.serve(folder, *arguments) as url:
        pair = (made["access_key_id"], made["secret_access_key"])
        tls = World(url.replace("http:", "https:"), made["token"], pair, folder, None)
        tls.s3 = tls.client(verify=str(certificate))
        sent = []
        tls.s3.meta.events.register("before-send.s3.PutObject", lambda request, **_: sent.append(request.headers))
        for path, body in [("memory/desk/a.md", b"- a\n"), ("session/b", bytes(300_000)), ("session/c", b"")]:
            tls.put(path, body)
            assert tls.get(path) == body, path
        assert b"STREAMING-UNSIGNED-PAYLOAD-TRAILER" in [headers["x-amz-content-sha256"] for headers in sent], sent


def certified(folder):
    """A certificate for loopback that signs itself, and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now - day, now + day)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    made = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    form = serialization.PrivateFormat.PKCS8
    (folder / "cert.pem").write_bytes(made.public_bytes(pem))
    (folder / "key.pem").write_bytes(key.private_bytes(pem, form, serialization.NoEncryption()))
    return folder / "cert.pem", folder / "key.pem"


def development_mode_takes_any_credentials(world):
    """The outer server has no keys."""
    url = os.environ["LOCI_URL"]
    open_world = World(url, "none", ("any", "thing"), world.folder, None)
    memory = open_world.call("POST", "/v1/memories", {"name": "open"})["id"]
    open_world.s3.put_object(Bucket=memory, Key="memory/a/b.md", Body=b"- x")
    assert open_world.s3.get_object(Bucket=memory, Key="memory/a/b.md")["Body"].read() == b"- x"
    # Chunks are decoded without a signature, too, and a client that asks first is told to go on.
    place = urllib.parse.urlsplit(url)
    head = [
        f"PUT /s3/{memory}/session/chunked HTTP/1.1",
        f"Host: {place.netloc}",
        "Content-Encoding: aws-chunked",
        "Expect: 100-continue",
        "Content-Length: 15",
        "Connection: close",
    ]
    with socket.create_connection((place.hostname, place.port), timeout=30) as connection:
        connection.sendall(("\r\n".join(head) + "\r\n\r\n").encode())
        assert connection.recv(64).startswith(b"HTTP/1.1 100 Continue")
        connection.sendall(b"5\r\nhello\r\n0\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(4_096), b""))
    assert answer.startswith(b"HTTP/1.1 200") and b"x-amz-request-id" in answer.lower(), answer
    assert open_world.s3.get_object(Bucket=memory, Key="session/chunked")["Body"].read() == b"hello"


def stores_of_javascript(world):
    environment = os.environ | {
        "ENDPOINT": f"{world.url}/s3",
        "BUCKET": BUCKET,
        "AWS_ACCESS_KEY_ID": world.pair[0],
        "AWS_SECRET_ACCESS_KEY": world.pair[1],
        "AWS_REGION": REGION,
    }
    command = ["node", str(pathlib.Path(world.node_folder) / "stores.mjs")]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60)
    print(result.stdout, end="")
    assert result.returncode == 0, result.stderr


CHECKS = [
    objects_come_back_as_they_were,
    names_of_keys_are_kept,
    documents_are_documents,
    conditions_hold,
    lists_have_pages_and_delimiters,
    many_are_deleted_at_once,
    checksums_are_compared,
    the_rest_is_refused_clearly,
    signatures_are_checked,
    a_grant_is_a_border,
    b2_two_writers_who_read_before_either_wrote,
    strands_stores_of_python_lose_nothing,
    strands_stores_find_all_of_many_files,
    strands_sessions_of_python,
    bodies_over_tls_come_in_chunks,
    development_mode_takes_any_credentials,
    stores_of_javascript,
]


def world_in(folder, node_folder, stack):
    config = pathlib.Path(folder) / "loci.toml"
    config.write_text(CONFIG)
    made = loci_server.first_key(folder, "owner")
    url = stack.enter_context(loci_server.serve(folder, "--config", config))
    # Stock clients take the address from here.
    os.environ["AWS_ENDPOINT_URL_S3"] = f"{url}/s3"
    world = World(url, made["token"], (made["access_key_id"], made["secret_access_key"]), folder, node_folder)
    world.call("POST", "/v1/memories", {"name": "notes"})
    return world


def main():
    passed = failed = 0
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        world = world_in(folder, sys.argv[1], stack)
        for check in CHECKS:
            began = time.monotonic()
            try:
                check(world)
            except Exception:  # noqa: BLE001  (each is told, and the others still run)
                failed += 1
                print(f"FAILED {check.__name__}\n{traceback.format_exc()}")
            else:
                passed += 1
                print(f"ok {check.__name__} ({time.monotonic() - began:.1f} s)")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
