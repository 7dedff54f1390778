"""Row 9: the stores of agents in Python and TypeScript refuse what breaks a rule, have one writer,
and carry every failure."""

import asyncio
import pathlib
import sys
import types

CLIENT = pathlib.Path(__file__).resolve().parents[3] / "clients" / "python"


def _package():
    if str(CLIENT) not in sys.path:
        sys.path.insert(0, str(CLIENT))
    import locimem
    import locimem.strands

    return locimem, locimem.strands


def _refused(field, call):
    try:
        call()
    except ValueError as error:
        assert field in str(error), f"the error must name {field}: {error}"
    else:
        raise AssertionError(f"{field} must be refused, and is taken")


def row_options_are_refused_by_name(world):
    """Identity, relevance_min and max_search_results that break a rule are refused at construction
    and at the call."""
    _, strands = _package()
    good = {"url": world.url, "memory": "notes", "actor": "alice", "session": "s1"}
    bad = [("memory", ""), ("actor", 5), ("session", " "), ("relevance_min", 1.5), ("relevance_min", -1)]
    bad += [("max_search_results", value) for value in (0, -1, 2.5, "3", True)]
    for field, value in bad:
        _refused(field, lambda: strands.LociMemoryStore(**{**good, field: value}))
    store = strands.LociMemoryStore(**good)
    for field, value in (("max_search_results", 0), ("max_search_results", 1.5), ("relevance_min", 2)):
        _refused(field, lambda: asyncio.run(store.search("q", {field: value})))


def row_one_writer_and_names(world):
    """At most one store of an actor and session is writable, and names follow from the
    namespaces."""
    _, strands = _package()
    shared = {"url": world.url, "memory": "notes", "actor": "alice", "session": "s1", "writable": True}
    facts = strands.LociMemoryStore(namespace_path="/facts/{actorId}", **shared)
    likes = strands.LociMemoryStore(namespace_path="/preferences/{actorId}", **shared)
    assert (facts.name, likes.name) == ("facts", "preferences"), (facts.name, likes.name)
    _refused("at most one writable store", lambda: strands.assert_writable_topology([facts, likes]))
    strands.assert_writable_topology([facts])


def row_exact_and_subtree_reads(world):
    """`namespace` reads one namespace, `namespace_path` one with all beneath it."""
    package, strands = _package()
    with package.Client(world.url, timeout=30) as client:
        memory = client.memory_create({"name": "notes"})["id"]
        texts = {"/facts/alice": "Alice sails a sloop.", "/facts/alice/deep": "Alice sails a ketch."}
        records = [{"namespace": namespace, "text": text} for namespace, text in texts.items()]
        client.records_create(memory, {"records": records})
        world.settle()
        found = {}
        for option in ("namespace", "namespace_path"):
            store = strands.LociMemoryStore(client=client, memory="notes", actor="alice", **{option: "/facts/{actorId}"})
            entries = asyncio.run(store.search("What does Alice sail?", {"max_search_results": 5}))
            found[option] = sorted(entry.content for entry in entries)
    assert found["namespace"] == ["Alice sails a sloop."], found
    assert found["namespace_path"] == sorted(texts.values()), found


def row_events_of_a_batch(world):
    """Events hold at most max_turns_per_event messages, their metadata keeps the wire's rules, and
    an error carries all failures."""
    package, strands = _package()
    with package.Client(world.url, timeout=30) as client:
        memory = client.memory_create({"name": "notes"})["id"]
        messages = [{"role": "user", "content": [{"text": f"turn {number}"}]} for number in range(5)]
        context = types.SimpleNamespace(sequence_numbers=list(range(5)))
        options = {"client": client, "actor": "alice", "session": "s1", "writable": True, "max_turns_per_event": 2}
        store = strands.LociMemoryStore(memory="notes", metadata_provider=lambda _: {"team": "red"}, **options)
        made = asyncio.run(store.add_messages(messages, context))["events"]
        assert len(made) == 3, made
        first = client.event_get(memory, made[0], actor="alice", session="s1")
        assert first["metadata"] == {"team": "red"}, first
        wrong = strands.LociMemoryStore(memory="notes", metadata_provider=lambda _: {"team": "a,b"}, **options)
        _refused("'team'", lambda: asyncio.run(wrong.add_messages(messages, context)))
        lost = strands.LociMemoryStore(memory="notes-0000000000", **options)
        try:
            asyncio.run(lost.add_messages(messages, context))
        except package.EventsNotStored as error:
            ranges = [(failure.first, failure.last) for failure in error.failures]
            assert ranges == [(0, 1), (2, 3), (4, 4)], ranges
        else:
            raise AssertionError("events of a memory that is not there must fail")


def row_typescript_alike(world):
    """The TypeScript store refuses the same options by name and has the same check of writers."""
    said = world.node(
        """
        import { LociMemoryStore, assertWritableTopology } from 'locimem/strands';
        const good = { url: process.argv.at(-1), memory: 'notes', actor: 'alice', session: 's1', writable: true };
        const bad = { memory: '', actor: 5, session: ' ', relevanceMin: 1.5, maxSearchResults: 2.5, maxTurnsPerEvent: 101 };
        const told = (call) => { try { call(); return 'taken'; } catch (error) { return error.message; } };
        for (const [field, value] of Object.entries(bad)) {
          const message = told(() => new LociMemoryStore({ ...good, [field]: value }));
          console.log(`${field}: ${message.includes(field) ? 'named' : message}`);
        }
        const facts = new LociMemoryStore(good);
        const likes = new LociMemoryStore({ ...good, namespacePath: '/preferences/{actorId}' });
        console.log(facts.name, likes.name);
        console.log(told(() => assertWritableTopology([facts, likes])));
        """,
        world.url,
    )
    for field in ("memory", "actor", "session", "relevanceMin", "maxSearchResults", "maxTurnsPerEvent"):
        assert f"{field}: named" in said, said
    assert "facts preferences" in said and "at most one writable store" in said, said
