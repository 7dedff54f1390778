"""Test 33: two actors, one in Python and one in TypeScript, two sessions each, 500 turns a session; the server is killed three times
meanwhile, and stopped twice. Every fact is there once, and none with the other actor.
"""

import contextlib
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import threading
import time

import checks
import world
from served import Served

TURNS = 500
SESSIONS = ["s1", "s2"]
HERE = pathlib.Path(__file__).parent
#: After which parts of all turns, and how the server ends.
ENDS = [(0.15, "kill"), (0.3, "stop"), (0.45, "kill"), (0.6, "kill"), (0.75, "stop")]
TALK_MAX_S = 200
#: Turns that the client puts into one Event at most, its `DEFAULT_MAX_TURNS_PER_EVENT` in both languages.
EVENT_TURNS_MAX = 50
WORDS = """
    anchor barge beacon bilge bow buoy cable canvas capstan chart cleat compass deck dinghy dock fender ferry galley gunwale hatch
    helm hull jetty keel ketch knot lantern ledger locker log mast mooring oar oilskin pennant pier pilot pump quay rigging rope
    rudder sail sextant sheet shroud sloop spar stern tackle tide tiller transom wharf winch yawl
""".split()
VERBS = """
    bought carried caulked cleaned counted drew dropped fetched found lent lost mended moved painted sold sorted stowed traded
    varnished weighed
""".split()
TOWNS = """
    Arbroath Ardrossan Ayr Campbeltown Crail Cromarty Dunbar Elie Gourock Inveraray Kirkwall Largs Lerwick Mallaig Nairn Oban Portree
    Rothesay Stornoway Stranraer Tarbert Thurso Tobermory Ullapool Wick
""".split()


def facts(actor):
    """What an actor tells, by session: sentences that have a number of their own, and say other things."""
    chance = random.Random(actor)

    def fact(session, number):
        things = chance.sample(WORDS, 3)
        code = f"{actor}{session}n{number}"
        done = [chance.choice(VERBS) for _ in range(2)]
        return f"In {chance.choice(TOWNS)} I {done[0]} the {things[0]} and {done[1]} the {things[1]} by the {things[2]}, entry {code}."

    return {session: [fact(session, number) for number in range(TURNS)] for session in SESSIONS}


class Actor:
    """A process whose agents talk."""

    def __init__(self, command, told, environment, folder):
        self.told, self.turns = told, 0
        self.log = open(folder / f"{command[-1]}.log", "w+", encoding="utf-8")
        file = folder / f"{command[-1]}.json"
        file.write_text(json.dumps(told))
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self.log}
        self.process = subprocess.Popen([*command, file], env=environment, text=True, **pipes)
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        """Counts turns."""
        for _ in self.process.stdout:
            self.turns += 1

    def end(self):
        """Lets it flush, and go."""
        self.process.stdin.write("end\n")
        self.process.stdin.flush()
        self.reader.join(60)
        code = self.process.wait(30)
        self.log.seek(0)
        assert code == 0 and self.turns == TURNS, (code, self.turns, self.log.read()[-3000:])


def until(actors, part, deadline):
    """Waits until this part of all turns was told."""
    while sum(actor.turns for actor in actors) < part * TURNS * len(actors):
        for actor in actors:
            assert actor.process.poll() is None, actor.process.returncode
        assert time.monotonic() < deadline, [actor.turns for actor in actors]
        time.sleep(0.01)


def records(loci, memory_id, namespace):
    """The texts of all records below a namespace."""
    texts, cursor = [], None
    while True:
        page = loci.record_list(memory_id, {"namespace_paths": [namespace], "limit": 100, "cursor": cursor})
        texts += [record["text"] for record in page["records"]]
        cursor = page.get("next_cursor")
        if not cursor:
            return texts


def check_actor(server, memory_id, actor, told):
    """Every fact of the actor is a record once, and was said in its order; nothing is there of the other."""
    loci = world.loci(server.url)
    texts = [text for text in records(loci, memory_id, f"/facts/{actor}") if "entry " in text]
    expected = sorted(fact for of_session in told.values() for fact in of_session)
    codes = sorted(re.search(r"entry (\w+)", text)[1] for text in texts)
    wanted = sorted(re.search(r"entry (\w+)", fact)[1] for fact in expected)
    lost, more = sorted(set(wanted) - set(codes)), sorted(set(codes) - set(wanted))
    twice = sorted({code for code in codes if codes.count(code) > 1})
    assert not (lost or more or twice), f"{actor}: lost {len(lost)} {lost[:5]}, more {more[:5]}, twice {len(twice)} {twice[:5]}"
    assert sorted(texts) == expected
    for session, of_session in told.items():
        events = world.events(memory_id, actor, session, server.url)
        check_order(f"{actor} {session}", events, of_session)


def check_order(name, events, told):
    """The Events of a session stand in the order of their times, and hold the facts in their order.

    One exception is the client's. The turns of an outage, where one Event does not hold them all, leave it as
    several requests at once: their times may be the same millisecond, and then they stand as they arrived.
    One that fails is sent again with a new time, after those behind it that were stored. All but the last of
    them are full, and the client sends nothing else meanwhile: where an Event that is not full stands behind
    a later one, the server changed the order.
    """
    times = [event["eventTimestamp"] for event in events]
    assert times == sorted(times), f"{name}: not in the order of times"
    places = {text: place for place, text in enumerate(told)}
    said, last, late = set(), -1, 0
    for event in events:
        texts = [text for role, text in world.turns(event["payload"]) if role == "USER"]
        if not texts:
            continue
        first = places[texts[0]]
        is_in_order = texts == told[first : first + len(texts)]
        assert is_in_order, f"{name}: told in another order: {texts}"
        if first < last:
            late += 1
            is_full = len(event["payload"]) == EVENT_TURNS_MAX
            assert is_full, f"{name}: {event['eventId']} is behind a later one: {texts}"
        said, last = said.union(texts), max(last, first)
    assert said == set(told), f"{name}: not what was told"
    print(f"   {name}: {len(events)} Events, {late} behind a later one")


def everything_once():
    """33: two actors, two sessions each, 500 turns a session, five restarts: every fact once, none across actors"""
    with tempfile.TemporaryDirectory() as name, Served(name) as server, contextlib.ExitStack() as stack:
        folder = pathlib.Path(name)
        memory_id = world.loci(server.url).memory_create({"name": "restarts", "strategies": [world.FACTS]})["id"]
        addresses = ["AWS_ENDPOINT_URL_BEDROCK_AGENTCORE", "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL", "LOCI_URL"]
        told = os.environ | dict.fromkeys(addresses, server.url) | {"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": os.environ["STUB_URL"]}
        commands = {
            "ann": [sys.executable, HERE / "talking.py", memory_id, "ann"],
            "bob": ["node", pathlib.Path(os.environ["NODE_FOLDER"]) / "talking.mjs", memory_id, "bob"],
        }
        actors = {actor: Actor(command, facts(actor), told, folder) for actor, command in commands.items()}
        for actor in actors.values():
            stack.callback(actor.process.kill)
        deadline = time.monotonic() + TALK_MAX_S
        for part, how in ENDS:
            until(actors.values(), part, deadline)
            getattr(server, how)()
            server.start()
        until(actors.values(), 1, deadline)
        for actor in actors.values():
            actor.end()
        waited = world.loci(server.url).extraction_wait(memory_id, {"timeout_ms": 50_000})
        assert waited["complete"] and not waited["failed"], waited
        for actor, process in actors.items():
            check_actor(server, memory_id, actor, process.told)


if __name__ == "__main__":
    checks.run([everything_once])
