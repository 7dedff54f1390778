//! The result of reading each format, its errors, and that no foreign content makes a reader panic.

use proptest::prelude::*;

use super::*;

/// The time of these tests' imports.
fn now() -> i64 {
    "2026-11-28T12:00:00Z".parse::<jiff::Timestamp>().unwrap().as_millisecond()
}

fn one(format: &str, text: &str) -> Result<Mapping, FormatProblem> {
    let file = SourceFile { path: "a/AGENTS.md".to_owned(), text: text.to_owned() };
    (reader(format).unwrap().read)(&[file], "/n", now())
}

fn file(path: &str, text: &str) -> SourceFile {
    SourceFile { path: path.to_owned(), text: text.to_owned() }
}

#[test]
fn what_items_become() {
    let check = |format: &str, text: &str, expect: &[(&str, &str, usize)], problems: usize| {
        let mapping = one(format, text).unwrap_or_else(|problem| panic!("{format}: {problem}"));
        let mapped: Vec<_> = mapping.mapped.iter().map(|((from, to), count)| (*from, *to, *count)).collect();
        assert_eq!((mapped.as_slice(), mapping.problems.len()), (expect, problems), "{format} {text}");
    };
    let two =
        r#"{"results":[{"id":"1","memory":"tea"},{"memory":"milk","created_at":"2026-01-02T00:00:00"}]}"#;
    check("mem0", two, &[("memory", "record", 2)], 0);
    check("mem0", r#"[{"id":7,"memory":"x"},{"memory":""},3,{"memory":["x"]}]"#, &[], 4);
    check("mem0", "[]", &[], 0);
    check("strands-json", r#"[{"id":"1","content":"x","metadata":{"a":[1]}}]"#, &[("entry", "record", 1)], 0);
    let agent = r#"{"agents":[{"name":"A","messages":[{"id":"m","role":"user","content":[{"type":"text","text":"hi"}]},{"role":"system","content":"p"}],"tools":[]}],"blocks":[{"id":"b","label":"human","value":"Ann","limit":5}],"passages":[{"text":"p","embedding":[1]}]}"#;
    let expect = [("block", "document", 1), ("message", "event", 1), ("passage", "record", 1)];
    check("letta", agent, &expect, 0);
    check("letta", &serde_json::Value::from(agent).to_string(), &expect, 0);
    check("letta", r#"{"core_memory":[{"value":1}],"messages":5}"#, &[], 2);
    check("okf", "---\ntype: Metric\n---\nx", &[("concept", "document", 1)], 0);
    check("agents-md", "rules", &[("instructions", "document", 1)], 0);
}

#[test]
fn files_that_are_none_say_where_and_what_helps() {
    let check = |format: &str, text: &str, expect: &str| {
        let problem = one(format, text).unwrap_err().to_string();
        assert!(problem.contains(expect) && problem.contains("; "), "{problem}");
        assert!(!problem.contains("secret"), "{problem}");
    };
    check("mem0", "[\n{\"memory\": secret", "line 2");
    check("mem0", r#"{"secret":1}"#, "results or memories");
    check("mem0", r#"{"results":"secret"}"#, "results: it must be a list");
    check("strands-json", "secret", "line 1");
    check("letta", "[]", "an agent file must be an object");
    check("letta", r#"{"x":1}"#, "`agents`");
    check("mem0", &"[".repeat(100_000), "line 1");
}

#[test]
fn what_had_expired_in_its_source_is_left_out() {
    let check = |expires: &str, items: usize, skipped: usize, problems: usize| {
        let text = format!(r#"{{"results":[{{"id":"1","memory":"a trip","expiration_date":{expires}}}]}}"#);
        let mapping = one("mem0", &text).unwrap();
        let left_out: usize = mapping.skipped.iter().map(|skipped| skipped.count).sum();
        assert_eq!(
            (mapping.items.len(), left_out, mapping.problems.len()),
            (items, skipped, problems),
            "{expires}"
        );
    };
    check("null", 1, 0, 0);
    check("\"\"", 1, 0, 0);
    check("\"2026-11-27\"", 0, 1, 0);
    check("\"2026-11-28\"", 1, 0, 0);
    check("\"2026-11-28T11:00:00Z\"", 0, 1, 0);
    check("\"2026-11-28T11:00:00\"", 0, 1, 0);
    check("\"2026-11-28T11:00:00-07:00\"", 1, 0, 0);
    check("\"soon\"", 0, 0, 1);
    check("7", 0, 0, 1);
}

#[test]
fn half_a_letter_costs_no_item() {
    for (format, text) in [
        ("mem0", r#"{"results":[{"memory":"cut \ud83d"},{"memory":"whole"}]}"#.to_owned()),
        ("strands-json", r#"[{"content":"cut \ud83d"},{"content":"whole"}]"#.to_owned()),
        ("letta", r#"{"agents":[],"passages":[{"text":"cut \ud83d"},{"text":"whole"}]}"#.to_owned()),
    ] {
        let mapping = one(format, &text).unwrap();
        let text = |item: &ImportItem| match &item.becomes {
            ItemTarget::Record(record) => record.text.clone(),
            ItemTarget::Document { .. } | ItemTarget::Event(_) => panic!("no record"),
        };
        let texts: Vec<String> = mapping.items.iter().map(text).collect();
        assert_eq!(texts, ["cut \u{fffd}", "whole"], "{format}");
        assert!(mapping.lossy.contains(HALVES_OF_LETTERS), "{format}");
    }
}

#[test]
fn a_problem_names_its_line() {
    let mapping = one("mem0", "[\n {\"memory\":\"a\"},\n\n {\"memory\":5}]").unwrap();
    assert_eq!(mapping.problems[0].to_string(), "line 4: memory: it must be a text; put it in quotes");
}

#[test]
fn records_at_and_past_their_limit() {
    let check = |chars: usize, problems: usize| {
        let text = format!(r#"[{{"memory":"{}"}}]"#, "é".repeat(chars));
        assert_eq!(one("mem0", &text).unwrap().problems.len(), problems);
    };
    check(16_000, 0);
    check(16_001, 1);
}

#[test]
fn members_that_mean_nothing_are_kept() {
    let text = r#"[{"id":"1","memory":"x","user_id":"ann","score":1.10,"deep":{"a":[null]}}]"#;
    let mapping = one("mem0", text).unwrap();
    let ItemTarget::Record(record) = &mapping.items[0].becomes else { panic!("no record") };
    let rest = loci_api::record::MetadataValue::String(r#"{"score":1.10,"deep":{"a":[null]}}"#.to_owned());
    assert_eq!(record.metadata.get(mem0::REST), Some(&rest));
    assert!(record.metadata.contains_key("user_id"));
}

fn remembered(id: &str, import_id: Option<&str>, rest: Option<&str>) -> loci_api::record::Record {
    let kept = [(mem0::ID, import_id), (mem0::REST, rest)];
    let metadata: serde_json::Map<_, _> =
        kept.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?.into()))).collect();
    let at = "2026-01-02T03:04:05Z";
    serde_json::from_value(serde_json::json!({
        "id": id, "kind": "fact", "namespace": "/n", "text": format!("text of {id}"), "metadata": metadata,
        "timestamp": at, "created_at": at, "updated_at": at,
        "memory": "m", "state": "active", "version": 1, "origin": "batch_created", "trust": 1.0,
        "valid_from": at, "provenance": {},
    }))
    .unwrap()
}

#[test]
fn no_record_takes_the_place_of_another() {
    let check = |records: &[(&str, Option<&str>)], expect: &[&str]| {
        let records: Vec<_> = records.iter().map(|(id, import)| remembered(id, *import, None)).collect();
        let (text, count) = mem0::write(&records);
        let written: serde_json::Value = serde_json::from_str(&text).unwrap();
        let ids: Vec<_> =
            written["results"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
        assert_eq!((ids.as_slice(), count), (expect, expect.len()), "{records:?}");
    };
    check(&[("a", Some("1")), ("b", Some("2"))], &["1", "2"]);
    check(&[("a", Some("1")), ("b", Some("1")), ("c", None)], &["a", "b", "c"]);
    check(&[("a", None), ("b", Some("a"))], &["a", "b"]);
    check(&[("a", Some("x")), ("b", Some("x")), ("c", Some("a"))], &["a", "b", "c"]);
    check(&[("a", Some("a")), ("a", Some("a"))], &["a"]);
}

#[test]
fn what_is_kept_of_a_source_changes_no_member_of_the_record() {
    let rest = r#"{"id":null,"memory":"other","score":1.10}"#;
    let (text, _) = mem0::write(&[remembered("a", Some("1"), Some(rest))]);
    let written: serde_json::Value = serde_json::from_str(&text).unwrap();
    let one = written["results"][0].to_string();
    assert_eq!(one, r#"{"id":"1","memory":"text of a","score":1.10}"#);
}

#[test]
fn actors_and_blocks_of_agents() {
    let agent = |name: &str, blocks: &str| {
        format!(
            r#"{{"name":{name:?},"messages":[{{"role":"user","content":"hi"}}],"core_memory":[{blocks}]}}"#
        )
    };
    let read = |name: &str, blocks: &str| {
        let mapping = one("letta", &agent(name, blocks)).unwrap();
        let (mut actors, mut paths) = (Vec::new(), Vec::new());
        for item in mapping.items {
            match item.becomes {
                ItemTarget::Event(event) => actors.push((event.actor, event.session.unwrap_or_default())),
                ItemTarget::Document { path, .. } => paths.push(path),
                ItemTarget::Record(_) => {}
            }
        }
        (actors.remove(0), paths)
    };
    for name in ["Zoë", "助手", "_x", "é", "Sam 🤖", "", "--"] {
        let (actor, session) = read(name, "").0;
        let is_word = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        assert!(is_word(&actor) && actor.starts_with(|c: char| c.is_ascii_alphanumeric()), "{name} {actor}");
        assert!(is_word(&session), "{name} {session}");
    }
    assert_eq!(read("My agent", "").0.0, "My-agent");
    assert_ne!(read("助手", "").0, read("助教", "").0);
    let block = |value: &str| format!(r#"{{"label":"human","value":"{value}"}}"#);
    let (_, paths) = read("Sam", &[block("Ann"), block("Bob"), block("Ann")].join(","));
    let first = "knowledge/letta/human-Sam.md";
    assert_eq!(paths, [first, "knowledge/letta/human-Sam-2.md", first], "the same twice is one");
}

#[test]
fn numbered_blocks_are_their_agents() {
    let check = |blocks: [&str; 2], expect: [&str; 3]| {
        let agent = |(name, block): (&str, &str)| {
            let blocks = if block.is_empty() { Vec::new() } else { vec![block] };
            serde_json::json!({ "name": name, "block_ids": blocks })
        };
        let agents: Vec<_> = ["Sam", "Tim"].into_iter().zip(blocks).map(agent).collect();
        let block = |id: &str| serde_json::json!({ "id": id, "label": "human", "value": id });
        let file = serde_json::json!({ "agents": agents,
            "blocks": [block("block-0"), block("block-1"), block("block-9af3")] });
        let mapping = one("letta", &file.to_string()).unwrap();
        let path = |item: &ImportItem| match &item.becomes {
            ItemTarget::Document { path, .. } => path.clone(),
            ItemTarget::Record(_) | ItemTarget::Event(_) => panic!("no document"),
        };
        let expect = expect.map(|name| format!("knowledge/letta/human-{name}.md"));
        assert_eq!(mapping.items.iter().map(path).collect::<Vec<_>>(), expect, "{blocks:?}");
    };
    check(["block-1", "block-0"], ["Tim", "Sam", "block-9af3"]);
    check(["block-0", "block-0"], ["Sam", "Sam-Tim", "block-9af3"]);
    check(["", ""], ["Sam-Tim", "Sam-Tim-2", "block-9af3"]);
}

#[test]
fn concepts_come_back_as_they_were() {
    let check = |path: &str, text: &str, expect: &str| {
        let mapping = okf::read(&[file(path, text)], "/", now()).unwrap();
        let ItemTarget::Document { path: stored, file, raw: true } = &mapping.items[0].becomes else {
            panic!("no raw document")
        };
        let back = okf::written(stored, file, None, "document").unwrap();
        assert_eq!((back.path.as_str(), back.text.as_str()), (path, expect));
    };
    let same = "---\ntype: Metric # a comment\ntags: [a, b]\n---\nx\r\n";
    check("a/b.md", same, same);
    check("index.md", "* [b](a/b.md)\n", "* [b](a/b.md)\n");
    check("a.md", "no head", "---\ntype: document\n---\n\nno head");
    check("a.md", "---\ntitle: x\n---\ny", "---\ntype: document\ntitle: x\n---\ny");
    check("a.md", "---\n---\ny", "---\ntype: document\n---\ny");
    assert!(okf::written("sessions/a.md", "x", None, "document").is_none());
    assert!(okf::written("knowledge/a.txt", "x", None, "document").is_none());
}

#[test]
fn an_index_and_a_log_as_the_format_wants_them() {
    let check = |path: &str, text: &str, expect: Option<&str>| {
        let found = okf::departs(&file(path, text));
        assert_eq!(
            found.as_deref().map(|rule| rule.contains(expect.unwrap_or("?"))),
            expect.map(|_| true),
            "{path}"
        );
    };
    check("index.md", "---\nokf_version: \"0.2\"\n---\n\n* [a](a.md)\n", None);
    check("index.md", "---\ntitle: x\n---\n", Some("okf_version alone"));
    check("a/index.md", "---\nokf_version: \"0.2\"\n---\n", Some("no head"));
    check("a/index.md", "# A\n\n* [a](a.md) - x\n", None);
    check("log.md", "# Log\n\n## 2026-05-22\n* **Update**: x\n", None);
    check("log.md", "## May 22\n", Some("YYYY-MM-DD"));
    check("a.md", "---\ntype: X\n---\n", None);
    let own =
        okf::written("knowledge/index.md", "---\ndescription: \"x\"\n---\n\nx\n", Some("x\n"), "document");
    assert_eq!(own.unwrap().text, "x\n", "a head of Loci's own stays here");
    let typed = okf::written("knowledge/a.md", "---\ntype: '' # none\n---\nx", None, "fact").unwrap();
    assert_eq!(typed.text, "---\ntype: fact\n---\nx", "a type that says nothing gives way");
    let later = file("index.md", "---\nokf_version: \"0.3\"\n---\n");
    assert!(okf::read(&[later], "/", now()).unwrap().lossy.iter().any(|told| told.contains("0.3")));
}

proptest! {
    #[test]
    fn no_text_makes_a_reader_fall_over(text in ".{0,200}", json in "[\\[\\]{}:,\"a-z0-9 ]{0,80}") {
        for reader in READERS {
            let _ = one(reader.name, &text);
            let _ = one(reader.name, &json);
            let _ = one(reader.name, &format!("[{{\"memory\":{json}}}]"));
        }
    }

    #[test]
    fn a_type_is_given_once(text in "(---\n)?([a-z]{0,5}: [a-z]{0,5}\n){0,3}(---\n)?.{0,40}") {
        let once = okf::written("knowledge/a.md", &text, None, "fact").unwrap().text;
        let twice = okf::written("knowledge/a.md", &once, None, "fact").unwrap().text;
        prop_assert_eq!(once, twice);
    }

    #[test]
    fn every_item_is_taken_or_told(texts in proptest::collection::vec(".{0,20}", 0..20)) {
        let items: Vec<_> = texts.iter().map(|text| serde_json::json!({ "memory": text })).collect();
        let mapping = one("mem0", &serde_json::Value::from(items).to_string()).unwrap();
        prop_assert_eq!(mapping.items.len() + mapping.problems.len(), texts.len());
    }
}

/// Checks that the contents of a foreign bundle are not loaded automatically for models.
#[test]
fn an_import_writes_nothing_that_is_always_loaded() {
    let file =
        |path: &str| SourceFile { path: path.to_owned(), text: "---\ntype: note\n---\n\nx\n".to_owned() };
    let check = |path: &str, is_refused: bool| {
        let mapping = okf::read(&[file(path)], "/", now()).unwrap();
        assert_eq!(
            (mapping.problems.len(), mapping.items.len()),
            (is_refused.into(), (!is_refused).into()),
            "{path}"
        );
    };
    for path in ["system/a.md", "System/b.md", "/system/c.md", "./system/c.md", "system"] {
        check(path, true);
    }
    // Spellings that a tree treats as equal.
    for path in [
        "\u{17f}ystem/a.md",
        "SY\u{17f}TEM/a.md",
        "sy\u{fb05}em/a.md",
        "Sy\u{fb06}em/a.md",
        "\u{17f}y\u{17f}tem",
    ] {
        check(path, true);
    }
    for path in ["systems/d.md", "facts/system/e.md", "system.md", "syst\u{e9}m/a.md", "index.md"] {
        check(path, false);
    }
}
