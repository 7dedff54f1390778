//! Mirrors in layouts of others: an unmodified Strands file store next to the engine, and a coding
//! agent's own memory.

use std::collections::BTreeSet;
use std::fs;

use loci_documents::{AppendTo, RecordRedact, RedactWhich};
use loci_model::trees::mirror::MirrorReport;
use loci_testkit_ports::block_on;

use super::mirrors::{Mirrored, redact};

fn flat() -> Mirrored {
    Mirrored::new(|new| new.layout = "strands-flat".to_owned())
}

/// Imitates an unmodified store that adds a memory: the same file, with its lines after the
/// existing ones.
fn stock_add(mirrored: &Mirrored, content: &str, now_ms: u64) {
    let (first, rest) = content.split_once('\n').unwrap_or((content, ""));
    let heading = first.trim_start_matches('#').trim_start().to_lowercase();
    let kept: String = heading
        .chars()
        .filter(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c.is_whitespace() || *c == '-')
        .collect();
    let joined = kept.split_whitespace().collect::<Vec<_>>().join("-");
    let slug = joined.get(..50.min(joined.len())).unwrap().trim_end_matches('-').to_owned();
    let name = if slug.is_empty() { format!("entry-{now_ms}.md") } else { format!("{slug}.md") };
    let merged = match (mirrored.read(&name), rest.trim()) {
        (None, _) => content.to_owned(),
        (Some(existing), "") => existing,
        (Some(existing), facts) => format!("{}\n{facts}", existing.trim_end()),
    };
    mirrored.write(&name, &merged);
}

fn files(mirrored: &Mirrored) -> BTreeSet<String> {
    let names = fs::read_dir(mirrored.root()).unwrap().map(|entry| entry.unwrap().file_name());
    names.map(|name| name.into_string().unwrap()).filter(|name| !name.starts_with('.')).collect()
}

fn quiet(report: &MirrorReport) {
    assert!(report.refused.is_empty() && report.conflicts.is_empty(), "{report:?}");
}

#[test]
fn what_a_stock_store_appends_comes_to_its_document_and_back() {
    let mirrored = flat();
    mirrored.shelf.put("knowledge/facts/tea.md", "# Drinks\n- green tea\n");
    quiet(&mirrored.sync());
    assert_eq!(mirrored.read("drinks.md").as_deref(), Some("# Drinks\n- green tea\n"));
    stock_add(&mirrored, "# Drinks\n- no coffee", 1);
    stock_add(&mirrored, "# 日本語の見出し\n- 一", 2);
    quiet(&mirrored.sync());
    assert_eq!(mirrored.shelf.body("knowledge/facts/tea.md"), "# Drinks\n- green tea\n- no coffee");
    assert_eq!(files(&mirrored).len(), 2);
    // The same heading again under another millisecond: its lines are joined, and the second file
    // is removed.
    stock_add(&mirrored, "# 日本語の見出し\n- 一\n- 二", 3);
    quiet(&mirrored.sync());
    quiet(&mirrored.sync());
    assert_eq!(files(&mirrored), BTreeSet::from(["drinks.md".to_owned(), "entry-2.md".to_owned()]));
    assert_eq!(mirrored.read("entry-2.md").as_deref(), Some("# 日本語の見出し\n- 一\n- 二\n"));
}

#[test]
fn nothing_is_lost_over_many_mixed_writes() {
    let mirrored = flat();
    mirrored.sync();
    let mut state = 20_261_125_u64;
    let mut below = |bound: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let mut told: BTreeSet<(usize, usize)> = BTreeSet::new();
    let heading = |topic: usize| format!("# Topic {topic} of a name that goes on and on until a slug is cut");
    for number in 0..1_000_usize {
        let topic = usize::try_from(below(12)).unwrap();
        let line = format!("- fact {number}");
        if below(3) == 0 {
            let title = heading(topic).trim_start_matches("# ").to_owned();
            mirrored.shelf.append(AppendTo::Title(title), &[&line]).unwrap();
        } else {
            stock_add(&mirrored, &format!("{}\n{line}", heading(topic)), number as u64);
        }
        told.insert((topic, number));
        if below(8) == 0 {
            assert!(mirrored.sync().refused.is_empty());
        }
    }
    for _ in 0..3 {
        mirrored.sync();
    }
    // A file may end without a line end.
    let texts = files(&mirrored).into_iter().filter_map(|name| mirrored.read(&name));
    let all: String = texts.map(|text| text + "\n").collect();
    let lost: Vec<_> = told
        .iter()
        .filter(|(_, number)| !all.lines().any(|line| line == format!("- fact {number}")))
        .collect();
    assert!(lost.is_empty(), "{} of {} are lost: {lost:?}", lost.len(), told.len());
    let report = mirrored.sync();
    assert_eq!((report.written, report.taken, report.created), (0, 0, 0), "it comes to rest");
}

#[test]
fn a_coding_agents_memory_is_taken_as_it_lies() {
    let mirrored = Mirrored::new(|new| (new.layout, new.adopt) = ("claude-memory".to_owned(), true));
    mirrored.write("MEMORY.md", "# Memory\n\n- [Role](user_role.md) — who\n- prefers tabs\n");
    mirrored.write(
        "user_role.md",
        "---\nname: user_role\ndescription: who\nmetadata:\n  type: user\n---\n\nA doctor.\n",
    );
    quiet(&mirrored.sync());
    quiet(&mirrored.sync());
    assert_eq!(mirrored.shelf.body("knowledge/preferences/user_role.md"), "A doctor.\n");
    assert_eq!(mirrored.shelf.body("knowledge/facts/prefers-tabs.md"), "prefers tabs\n");
    let index = mirrored.read("MEMORY.md").unwrap();
    assert!(index.starts_with("# Memory\n\n- ["), "{index}");
    assert_eq!(index.lines().filter(|line| line.starts_with("- [")).count(), 2, "{index}");
    assert!(mirrored.read("user_role.md").unwrap().contains("name: user_role\n"));
    // A renamed file is the same document; the index follows.
    fs::rename(mirrored.root().join("user_role.md"), mirrored.root().join("doctor.md")).unwrap();
    quiet(&mirrored.sync());
    quiet(&mirrored.sync());
    assert!(mirrored.read("MEMORY.md").unwrap().contains("(doctor.md)"));
    assert_eq!(mirrored.shelf.body("knowledge/preferences/user_role.md"), "A doctor.\n");
    let report = mirrored.sync();
    assert_eq!((report.written, report.taken, report.created), (0, 0, 0), "it comes to rest");
}

#[test]
fn a_coding_agents_files_with_secrets_stay_as_they_lie() {
    let mirrored = Mirrored::new(|new| (new.layout, new.adopt) = ("claude-memory".to_owned(), true));
    let secret = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5uV7wX9yZ1aB3dE5"].concat();
    let topic = |token: &str| {
        format!(
            "---\nname: deploy\ndescription: how\nmetadata:\n  type: project\n---\n\nThe token is {token}\n"
        )
    };
    let index = format!("# Memory\n\n- [Deploy](deploy.md) — how\n- the other token is {secret}\n");
    mirrored.write("MEMORY.md", &index);
    mirrored.write("deploy.md", &topic(&secret));
    for _ in 0..2 {
        let report = mirrored.sync();
        for path in ["MEMORY.md", "deploy.md"] {
            let told =
                report.notes.iter().any(|note| note.path == path && note.what.contains("left as it is"));
            assert!(told, "{path}: {report:?}");
        }
        assert_eq!(mirrored.read("MEMORY.md").unwrap(), index);
        assert_eq!(mirrored.read("deploy.md").unwrap(), topic(&secret));
    }
    let paths = mirrored.shelf.paths(None, None).join("\n");
    assert!(paths.contains("the-other-token") && !paths.contains("ab3de5gh7"), "{paths}");
    // A text of the agent without its secret is accepted like any edit.
    mirrored.write("deploy.md", &topic("in the vault"));
    let report = mirrored.sync();
    assert_eq!((report.taken, report.conflicts.len()), (1, 0), "{report:?}");
    assert!(mirrored.read("deploy.md").unwrap().contains("The token is in the vault"));
}

#[test]
fn a_coding_agents_index_stays_for_a_secret_in_any_line() {
    let mirrored = Mirrored::new(|new| (new.layout, new.adopt) = ("claude-memory".to_owned(), true));
    let secret = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5uV7wX9yZ1aB3dE5"].concat();
    let topic = "---\nname: deploy\ndescription: how\nmetadata:\n  type: project\n---\n\nWith make\n";
    let mut index = format!("# Memory\n\n- [Deploy](deploy.md) — the token is {secret}\n");
    mirrored.write("MEMORY.md", &index);
    mirrored.write("deploy.md", topic);
    assert_eq!(mirrored.sync().created, 1);
    assert_eq!(mirrored.read("MEMORY.md").unwrap(), index);
    // A line that was masked once is not added again with the next one.
    for line in [format!("- the other token is {secret}\n"), "- likes tea\n".to_owned()] {
        index.push_str(&line);
        mirrored.write("MEMORY.md", &index);
        let report = mirrored.sync();
        assert_eq!((report.created, report.conflicts.len()), (1, 0), "{report:?}");
        assert_eq!(mirrored.read("MEMORY.md").unwrap(), index);
    }
}

#[test]
fn an_erasure_comes_to_a_coding_agents_file_only_with_what_it_says() {
    let secret = ["ghp_", "aB3dE5gH7jK9mN1pQ3sT5uV7wX9yZ1aB3dE5"].concat();
    let topic = format!(
        "---\nname: deploy\ndescription: how it goes\nmetadata:\n  type: project\n---\n\nThe token is {secret}\n"
    );
    let index = format!("# Memory\n\n- [Deploy](deploy.md) — how it goes\n- the other token is {secret}\n");
    // The redacted text, and true for an index and a topic that stay.
    let check = |document: &str, text: &str, index_stays: bool, topic_stays: bool| {
        let mirrored = Mirrored::new(|new| (new.layout, new.adopt) = ("claude-memory".to_owned(), true));
        mirrored.write("MEMORY.md", &index);
        mirrored.write("deploy.md", &topic);
        mirrored.sync();
        mirrored.shelf.put("knowledge/facts/unrelated.md", "unrelated words\n");
        let paths = mirrored.shelf.paths(None, None);
        let path = paths.iter().find(|path| path.contains(document) && path.ends_with(".md")).unwrap();
        redact(&mirrored, path, text);
        let (now_index, now_topic) =
            (mirrored.read("MEMORY.md").unwrap(), mirrored.read("deploy.md").unwrap());
        assert_eq!((now_index == index, now_topic == topic), (index_stays, topic_stays), "{document}");
        assert_eq!((now_index.contains(&secret), now_topic.contains(&secret)), (index_stays, topic_stays));
    };
    check("unrelated", "unrelated words", true, true);
    check("the-other-token", "the other token", false, true);
    // The index quotes the description of the topic.
    check("deploy", "The token is", false, false);
}

#[test]
fn a_line_that_is_refused_stays_where_it_was_written() {
    let mirrored = Mirrored::new(|new| (new.layout, new.adopt) = ("claude-memory".to_owned(), true));
    let secret = mirrored.shelf.put("knowledge/facts/a.md", "the marked string zanzibar\n").record;
    let asked = RecordRedact {
        memory: mirrored.shelf.memory(),
        record: secret,
        which: RedactWhich::Match("zanzibar".to_owned()),
        reason: "asked for".to_owned(),
    };
    block_on(mirrored.shelf.engine.documents.record_redact(&mirrored.shelf.caller, asked)).unwrap();
    mirrored.shelf.put("knowledge/facts/b.md", "kept\n");
    mirrored.sync();
    let file = mirrored.read("MEMORY.md").unwrap();
    let written = format!("# Mine\n\n{file}- the marked string zanzibar\n- likes tea\n");
    mirrored.write("MEMORY.md", &written);
    let report = mirrored.sync();
    assert_eq!((report.created, report.refused.len()), (1, 1), "{report:?}");
    for number in 0..3 {
        mirrored.shelf.put("knowledge/facts/c.md", &format!("changed {number}\n"));
        quiet(&mirrored.sync());
        assert_eq!(mirrored.read("MEMORY.md").unwrap(), written, "{number}");
    }
    // After the line is removed, the index is updated again.
    mirrored.write("MEMORY.md", &written.replace("- the marked string zanzibar\n", ""));
    quiet(&mirrored.sync());
    quiet(&mirrored.sync());
    let index = mirrored.read("MEMORY.md").unwrap();
    assert!(
        index.starts_with("# Mine\n\n- [") && index.lines().filter(|line| line.contains("](")).count() >= 3
    );
}

#[test]
fn lines_that_both_sides_added_are_both_there_in_every_layout() {
    for layout in ["strands-flat", "claude-memory"] {
        let mirrored = Mirrored::new(|new| new.layout = layout.to_owned());
        mirrored.shelf.put("knowledge/facts/tea.md", "# Drinks\n- green tea\n");
        mirrored.sync();
        let name = files(&mirrored).into_iter().find(|name| name != "MEMORY.md").unwrap();
        let file = mirrored.read(&name).unwrap();
        mirrored.shelf.put("knowledge/facts/tea.md", "# Drinks\n- green tea\n- the agent's\n");
        mirrored.write(&name, &format!("{file}- the person's\n"));
        quiet(&mirrored.sync());
        let body = mirrored.shelf.body("knowledge/facts/tea.md");
        assert!(body.ends_with("- green tea\n- the agent's\n- the person's\n"), "{layout}: {body}");
    }
}
