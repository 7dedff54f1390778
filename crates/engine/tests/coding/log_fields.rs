//! Fields of log lines: the task and its properties, and the responsible party of a failure.
//! `hydration` covers the cold start of a repository.

use std::sync::{Arc, Mutex, Once};

use loci_api::coding::task::TaskCreate;
use loci_api::coding::task::end::{TaskFinalize, TaskNote};
use loci_coding::NewFeedback;
use loci_coding::hydration::{Hydration, RepositorySearch};
use loci_model::principal::{Capability, Grant};
use loci_model::tasks::task::TaskStatus;
use loci_testkit_ports::block_on;

use super::workshop::{REPO, Workshop, task, task_id};

const TRACE: &str = "0123456789abcdef0123456789abcdef";

/// The log of this thread as text.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl std::io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Returns the log of an action.
pub(super) fn logged(doing: impl FnOnce()) -> String {
    // With a single subscriber, a callsite first reached by another test's thread would be disabled
    // for all threads, because that thread has none. Therefore two subscribers always exist.
    static ELSEWHERE: Once = Once::new();
    ELSEWHERE.call_once(|| {
        let silent =
            tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_writer(std::io::sink);
        tracing::subscriber::set_global_default(silent.finish()).unwrap();
    });
    let log = Log::default();
    let writer = log.clone();
    let told = tracing_subscriber::fmt()
        .with_max_level(tracing::Level::TRACE)
        .with_ansi(false)
        .with_writer(move || writer.clone())
        .finish();
    tracing::subscriber::with_default(told, doing);
    let bytes = log.0.lock().unwrap().clone();
    String::from_utf8(bytes).unwrap()
}

/// Returns the lines of level INFO and above.
pub(super) fn above_debug(log: &str) -> Vec<&str> {
    let levels = [" INFO ", " WARN ", "ERROR "];
    log.lines().filter(|line| levels.iter().any(|level| line.contains(level))).collect()
}

/// Returns the fields of a line, sorted.
pub(super) fn carried_by(line: &str) -> Vec<&str> {
    let all = line.split_once("task{").and_then(|(_, rest)| rest.split_once("}: ")).map(|(all, _)| all);
    let mut carried: Vec<_> = all.unwrap_or_default().split(' ').collect();
    carried.sort_unstable();
    carried
}

/// Checks the single line of a failing call: its level, its fields, and its text.
fn check(log: &str, level: &str, carried: &str, told: &[&str]) {
    let lines = above_debug(log);
    let [line] = lines.as_slice() else { panic!("one line: {log}") };
    assert!(line.contains(&format!("{level} ")), "{level}: {line}");
    assert_eq!(carried_by(line), carried_by(&format!("task{{{carried}}}: ")), "{line}");
    for part in told {
        assert!(line.contains(part), "{part}: {line}");
    }
    // It contains neither the task description nor content.
    assert!(!line.contains("pagination") && !line.contains("hush"), "{line}");
}

#[test]
fn failures_say_whose_they_are_and_carry_what_is_known() {
    let shop = Workshop::new();
    shop.create(TaskCreate { trace_id: Some(TRACE.to_owned()), ..task("t-001") }).unwrap();
    let memory = shop.memory();
    let known = format!(
        "task_id=t-001 user_id=583231 repo=acme/shop trace_id={TRACE} session_id=t-001 memory={memory}"
    );
    let (engine, standing, id) = (&shop.engine, &shop.standing, task_id("t-001"));
    let of = |metric: &str| format!("metric_type=\"{metric}\"");
    let (load_refused, write_refused, write_infra) =
        (of("memory_load_refused"), of("memory_write_refused"), of("memory_write_infra_failure"));

    let asked = Hydration { timeout_ms: Some(1), ..Hydration::default() };
    let log =
        logged(|| assert!(block_on(engine.coding.task_hydrate(&shop.caller, standing, &id, asked)).is_err()));
    // Values that were not looked up are unknown and absent.
    check(
        &log,
        "INFO",
        "task_id=t-001",
        &[&load_refused, "function=\"task_hydrate\"", "error_type=\"invalid\""],
    );

    let nobody = task_id("t-404");
    let asked =
        || block_on(engine.coding.task_hydrate(&shop.caller, standing, &nobody, Hydration::default()));
    let log = logged(|| assert!(asked().is_err()));
    check(
        &log,
        "INFO",
        &format!("task_id=t-404 memory={memory}"),
        &[&load_refused, "error_type=\"not_found\""],
    );

    let log = logged(|| {
        assert!(
            block_on(engine.coding.session_promote(&shop.caller, standing, &id, vec![9], false)).is_err()
        );
    });
    check(&log, "INFO", &known, &[&write_refused, "function=\"session_promote\"", "error_type=\"invalid\""]);

    let note = TaskNote { text: "hush".to_owned(), category: Some("hush".to_owned()), ..TaskNote::default() };
    let log =
        logged(|| assert!(block_on(engine.coding.task_note(&shop.caller, standing, &id, note)).is_err()));
    check(&log, "INFO", "task_id=t-001", &[&write_refused, "function=\"task_note\""]);

    // Credentials belong to the environment, not to the program.
    let writer = shop.with_grant(&[Capability::Read, Capability::Write], Grant::everything());
    let by_human = NewFeedback { by_human: true, ..NewFeedback::default() };
    let log =
        logged(|| assert!(block_on(engine.coding.task_feedback(&writer, standing, &id, by_human)).is_err()));
    check(&log, "WARN", &known, &[&write_infra, "function=\"task_feedback\"", "error_type=\"denied\""]);

    let again = TaskCreate { issue: Some(9), trace_id: Some(TRACE.to_owned()), ..task("t-001") };
    let log =
        logged(|| assert!(block_on(engine.coding.task_create(&shop.caller, standing, again, None)).is_err()));
    let carried = format!("task_id=t-001 user_id=583231 repo=acme/shop trace_id={TRACE}");
    check(&log, "INFO", &carried, &[&write_refused, "error_type=\"conflict\""]);

    let asked = RepositorySearch {
        repo: "acme/none".to_owned(),
        query: Some("hush".to_owned()),
        ..RepositorySearch::default()
    };
    let log =
        logged(|| assert!(block_on(engine.coding.repository_search(&shop.caller, standing, asked)).is_err()));
    let lines = above_debug(&log);
    assert!(lines.len() == 1 && lines[0].contains(&load_refused) && !lines[0].contains("task_id"), "{log}");
}

#[test]
fn what_is_not_there_is_absent() {
    let shop = Workshop::new();
    let new = TaskCreate { repo: None, user: None, ..task("t-001") };
    shop.create(new).unwrap();
    let id = task_id("t-001");
    let log = logged(|| {
        assert!(
            block_on(shop.engine.coding.session_promote(&shop.caller, &shop.standing, &id, vec![9], false))
                .is_err()
        );
    });
    let memory = shop.memory();
    let carried = format!("task_id=t-001 user_id=583231 session_id=t-001 memory={memory}");
    check(&log, "INFO", &carried, &["metric_type=\"memory_write_refused\""]);
}

#[test]
fn what_goes_well_is_quiet() {
    let shop = Workshop::new();
    let log = logged(|| {
        shop.begun("t-001");
        let note = TaskNote { text: format!("Port 3000 of {REPO}."), ..TaskNote::default() };
        shop.note("t-001", note).unwrap();
        let ended =
            TaskFinalize { status: TaskStatus::Completed.as_str().to_owned(), ..TaskFinalize::default() };
        shop.finalize("t-001", ended).unwrap();
    });
    assert_eq!(above_debug(&log), Vec::<&str>::new());
}
