//! Parses one line of an export. It does not use the derived enum, because JSON kept as text, and
//! numbers that keep their text, do not survive the buffering by which serde parses tagged enums.

use loci_engine::admin::{ExportLine, ExportedObject};
use loci_model::event::Event;
use loci_model::facts::fact::{Fact, FactEvent};
use loci_model::facts::repository::Repository;
use loci_model::ledger::LedgerEntry;
use loci_model::memory::Memory;
use loci_model::record::Record;
use loci_model::record::telemetry::StateChange;
use loci_model::tasks::commit::TaskCommit;
use loci_model::tasks::exposure::Exposure;
use loci_model::tasks::prompt_version::PromptVersion;
use loci_model::tasks::task::Task;
use loci_model::tasks::task_session::{SessionItem, TaskSession};
use loci_model::{Document, Error, Reason, Result, Timestamp};
use serde::Deserialize;

#[derive(Deserialize)]
struct Tag<'a> {
    #[serde(rename = "type", borrow)]
    tag: std::borrow::Cow<'a, str>,
}

/// Parses a line. The second value is true if lone surrogates in it became U+FFFD. The error names
/// the line and the broken rule, and never quotes the line. The first line may have a byte order
/// mark, as files saved by an editor do.
pub(super) fn read(text: &[u8], number: u64) -> Result<(ExportLine, bool)> {
    let text = if number == 1 { loci_json::bytes_without_mark(text) } else { text };
    match loci_json::repair(text) {
        Some(repaired) => Ok((whole(&repaired.text, number)?, true)),
        None => Ok((whole(text, number)?, false)),
    }
}

fn whole(text: &[u8], number: u64) -> Result<ExportLine> {
    /// Parses the members of a line of one kind.
    macro_rules! line {
        ($kind:ident { $($member:ident: $noun:ty),+ }) => {{
            #[derive(Deserialize)]
            struct Line {
                $($member: $noun,)+
            }
            let Line { $($member),+ } = parse(text, number)?;
            ExportLine::$kind { $($member),+ }
        }};
    }
    check_text(text, number)?;
    let tag: Tag<'_> = parse(text, number)?;
    Ok(match &*tag.tag {
        "header" => line!(Header { format: u32, exported_at: Timestamp }),
        "memory" => line!(Memory { memory: Box<Memory> }),
        "event" => line!(Event { event: Box<Event> }),
        "record" => line!(Record { record: Box<Record>, current: bool }),
        "change" => line!(Change { change: StateChange }),
        "repository" => line!(Repository { repository: Box<Repository> }),
        "commit" => line!(Commit { commit: Box<TaskCommit> }),
        "task_session" => line!(TaskSession { session: Box<TaskSession> }),
        "session_item" => line!(SessionItem { item: Box<SessionItem> }),
        "prompt" => line!(Prompt { prompt: Box<PromptVersion> }),
        "task" => line!(Task { task: Box<Task> }),
        "exposure" => line!(Exposure { exposure: Box<Exposure> }),
        "fact" => line!(Fact { fact: Box<Fact> }),
        "fact_event" => line!(FactEvent { event: Box<FactEvent> }),
        "ledger" => line!(Ledger { entry: Box<LedgerEntry> }),
        "object" => line!(Object { object: Box<ExportedObject> }),
        "end" => line!(End { memories: u64, events: u64, records: u64 }),
        _ => return Err(bad(number, "its type is unknown to this server")),
    })
}

/// Checks that every text of a line is complete, because types keep parts of it raw.
fn check_text(text: &[u8], number: u64) -> Result<()> {
    let whole = "it is not a whole line of an export";
    let text = std::str::from_utf8(text).map_err(|error| bad(number, whole).caused_by(error))?;
    Document::parse(text).map(drop).map_err(|error| match std::error::Error::source(&error) {
        Some(_) => bad(number, whole).caused_by(error),
        None => bad(number, &error.message),
    })
}

fn parse<'a, T: Deserialize<'a>>(text: &'a [u8], number: u64) -> Result<T> {
    loci_json::from_repaired(text).map_err(|error| bad(number, &broken_rule(&error)).caused_by(error))
}

/// Returns the reason why a line is rejected: the broken rule of an id or another type, if it
/// reveals nothing of the content.
fn broken_rule(error: &serde_json::Error) -> String {
    let whole = "it is not a whole line of an export";
    let told = error.to_string();
    // serde's own messages quote the content; the rules of the types do not.
    if !error.is_data() || told.contains(['"', '`']) {
        return whole.to_owned();
    }
    let rule = told.rsplit_once(" at line ").map_or(told.as_str(), |(rule, _)| rule);
    format!("{whole}: {rule}")
}

fn bad(number: u64, why: &str) -> Error {
    Error::invalid("line", format!("line {number} cannot be imported: {why}")).because(Reason::CannotParse)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cites_code_comes_back() {
        use loci_testkit_ports::fact_samples::{fact, fact_event, repository};
        let memory = loci_model::MemoryId::parse("notes-0123456789").unwrap();
        let event = fact_event(&memory, 1, loci_model::facts::fact::FactEventKind::Applied, Some(1)).unwrap();
        for line in [
            ExportLine::Repository { repository: Box::new(repository(&memory, 1, "acme/a").unwrap()) },
            ExportLine::Fact { fact: Box::new(fact(&memory, 1, 1, "src/lib.rs").unwrap()) },
            ExportLine::FactEvent { event: Box::new(event) },
            ExportLine::TaskSession {
                session: Box::new(loci_testkit_ports::task_samples::session(&memory, 1).unwrap()),
            },
            ExportLine::SessionItem {
                item: Box::new(loci_testkit_ports::task_samples::session_item(&memory, 1, 7).unwrap()),
            },
            ExportLine::Prompt {
                prompt: Box::new(loci_testkit_ports::task_samples::prompt(&memory, 1).unwrap()),
            },
            ExportLine::Commit {
                commit: Box::new(loci_testkit_ports::task_samples::commit(&memory, 1).unwrap()),
            },
            ExportLine::Task { task: Box::new(loci_testkit_ports::task_samples::task(&memory, 1).unwrap()) },
            ExportLine::Ledger {
                entry: Box::new(loci_testkit_ports::task_samples::entry(&memory, 1).unwrap()),
            },
            ExportLine::Exposure {
                exposure: Box::new(loci_testkit_ports::exposure_samples::exposure(&memory, 1).unwrap()),
            },
        ] {
            assert_eq!(read(&serde_json::to_vec(&line).unwrap(), 1).unwrap(), (line, false));
        }
    }

    #[test]
    fn bad_lines_are_named() {
        let check = |text: &str, part: &str| {
            let error = read(text.as_bytes(), 7).unwrap_err();
            assert!(error.message.contains("line 7") && error.message.contains(part), "{}", error.message);
        };
        check("{", "not a whole line");
        check(r#"{"type":"memory","memory":"\ud800"}"#, "not a whole line");
        check(r#"{"type":"header","format":"one","exported_at":1}"#, "not a whole line of an export");
        check(
            r#"{"type":"header","format":1,"exported_at":-1}"#,
            "between the epoch and the end of the year 9999",
        );
        let memory = serde_json::to_string(&loci_testkit_ports::samples::memory("notes").unwrap()).unwrap();
        let line = |memory: &str| format!(r#"{{"type":"memory","memory":{memory}}}"#);
        read(line(&memory).as_bytes(), 1).unwrap();
        let id = loci_testkit_ports::samples::memory("notes").unwrap().id;
        let outside = memory.replace(id.as_str(), "../../x");
        check(&line(&outside), "memory must be the memory's name, a dash and ten letters or digits");
        check(r#"{"type":"other"}"#, "unknown");
        check(r#"{"type":"end","memories":1}"#, "not a whole line");
        let end = read(br#"{"type":"end","memories":1,"events":2,"records":3}"#, 1).unwrap();
        assert_eq!(end, (ExportLine::End { memories: 1, events: 2, records: 3 }, false));
        let marked = "\u{feff}{\"type\":\"end\",\"memories\":1,\"events\":2,\"records\":3}".as_bytes();
        assert_eq!(read(marked, 1).unwrap(), end);
        assert!(read(marked, 2).is_err(), "in the midst of a file it is no mark");
        let cut = br#"{"type":"end","memories":1,"events":2,"records":3,"note":"cut \ud83d"}"#;
        assert_eq!(read(cut, 1).unwrap(), (end.0, true));
    }
}
