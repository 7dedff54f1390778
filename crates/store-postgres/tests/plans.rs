//! Checks the plans of every statement that a mixed workload sends. Statements that name a memory
//! must reach one partition of a table and use an index; all others must use an index too. The
//! statements and their values come from the server's log, so that none is missed.
#![expect(clippy::expect_used, reason = "a failure of the database under test is the test's failure")]

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use loci_engine_testkit::postgres::{PostgresServer, Settings};
use loci_model::ports::store::{PassageVector, RecordPage, Store, StoreExt};
use loci_model::record::scope::RecordScope;

use loci_store_postgres::{PostgresOptions, PostgresStore};
use loci_testkit_ports::{block_on, samples};

const PARTITIONS: u32 = 4;
const DATABASE: &str = "plans";

/// Statements as sent, each with sets of its values as literals.
type Sent = BTreeMap<String, Vec<String>>;

fn logging() -> Settings {
    let of = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    Settings {
        durable: false,
        further: vec![
            of("log_min_duration_statement", "0"),
            of("log_line_prefix", "@@"),
            of("log_parameter_max_length", "-1"),
            // Without table statistics, independent of the duration of the test: with one session
            // any index is equally good.
            of("autovacuum", "off"),
        ],
    }
}

/// Returns the statements in the log that were executed with values.
fn sent(log: &str) -> Sent {
    let mut sent = Sent::new();
    let mut executed: Option<String> = None;
    for entry in log.split("\n@@").chain(log.strip_prefix("@@")) {
        let entry = entry.replace(['\n', '\t'], " ");
        let entry = entry.trim_end();
        if let Some((_, rest)) = entry.split_once(" execute ") {
            executed = rest.split_once(": ").map(|(_, sql)| sql.to_owned());
            if !entry.contains('$') {
                sent.extend(executed.take().map(|sql| (sql, Vec::new())));
            }
        } else if let Some((_, values)) = entry.split_once("Parameters: ")
            && let Some(sql) = executed.take()
        {
            sent.insert(sql, literals(values));
        }
    }
    sent
}

/// Parses `$1 = 'a', $2 = NULL` into literals.
fn literals(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for number in 1.. {
        let mark = format!("${number} = ");
        let Some(at) = text.find(&mark) else { break };
        let rest = &text[at + mark.len()..];
        let end = rest.find(&format!(", ${} = ", number + 1)).unwrap_or(rest.len());
        out.push(rest[..end].trim().to_owned());
    }
    out
}

/// Uses every accessor, so that all statements are sent.
fn work(store: &Arc<dyn Store>) {
    let memory = samples::memory("plans").expect("a memory");
    let id = memory.id.clone();
    block_on(store.write(move |tx| {
        tx.memories_mut().insert(&memory)?;
        for number in 0..200 {
            let record = samples::record(&memory.id, number, &format!("record {number} of the plans"))?;
            tx.records_mut().insert(&record)?;
            let vector = PassageVector {
                record: record.id.clone(),
                version: 1,
                part: 0,
                model: "m".to_owned(),
                vector: vec![1.0, 0.5, f32::from(u8::try_from(number).unwrap_or(0))],
            };
            tx.records_mut().put_vectors(&memory.id, &[vector])?;
            tx.events_mut().insert(&samples::event(&memory.id, "ann", "s1", i64::from(number))?)?;
        }
        Ok(())
    }))
    .expect("a write");
    let scope = RecordScope::whole(id.clone(), samples::time(9_999));
    block_on(store.read(move |tx| {
        tx.records().list(&RecordPage { scope: scope.clone(), after: None, limit: 10 })?;
        tx.records().count(&scope).map(drop)
    }))
    .expect("a read");
    block_on(store.search().info(&id, false)).expect("an index");
}

#[test]
fn every_statement_goes_by_partition_and_index() {
    let server = PostgresServer::start(&logging()).expect("a server");
    server.sql("postgres", &format!("CREATE DATABASE {DATABASE}")).expect("a database");
    let open = |database: &str| {
        let mut options = PostgresOptions::parse(&server.url(database)).expect("an address");
        options.partitions = PARTITIONS;
        PostgresStore::open(options).expect("a store") as Arc<dyn Store>
    };
    // The statements of the conformance suite, on separate databases, and those on the examined
    // database.
    loci_store_conformance::run(&|| {
        let url = server.fresh_database().expect("a database");
        open(url.rsplit('/').next().expect("a name"))
    });
    work(&open(DATABASE));
    let sent = sent(&server.log());
    assert!(sent.len() > 120, "only {} statements were seen", sent.len());
    let mut complaints = Vec::new();
    for (sql, values) in &sent {
        let Some(plan) = plan(&server, sql, values) else { continue };
        complaints.extend(complain(sql, &plan));
    }
    assert!(complaints.is_empty(), "{}", complaints.join("\n\n"));
}

/// Returns the generic plan of a statement, with partitions pruned at execution start.
fn plan(server: &PostgresServer, sql: &str, values: &[String]) -> Option<String> {
    let is_of_ours =
        ["SELECT", "INSERT", "UPDATE", "DELETE", "WITH"].iter().any(|word| sql.starts_with(word));
    if !is_of_ours || sql.contains("pg_class") || sql.contains("information_schema") {
        return None;
    }
    let values = if values.is_empty() { String::new() } else { format!("({})", values.join(", ")) };
    let script = format!(
        "SET search_path = loci, public; SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off; \
         PREPARE q AS {sql}; EXPLAIN (COSTS OFF) EXECUTE q{values}"
    );
    Some(server.sql(DATABASE, &script).unwrap_or_else(|error| format!("FAILED {error}")))
}

/// Returns the error in a plan.
fn complain(sql: &str, plan: &str) -> Option<String> {
    let wrong = if plan.starts_with("FAILED") {
        "it could not be explained"
    } else if great_tables_walked(plan) {
        "it walks a table that grows"
    } else if let Some(index) = walked_whole(plan).filter(|_| sql.contains("mem = $1")) {
        return Some(format!("it goes by {index} whatever the memory: {sql}\n{plan}"));
    } else if sql.contains("mem = $1") && partitions(plan).values().any(|parts| parts.len() > 1) {
        "it reaches several partitions for one memory"
    } else {
        return None;
    };
    Some(format!("{wrong}: {sql}\n{plan}"))
}

/// Tables that stay small, whose statements need no index.
const SMALL: &[&str] = &["models", "access_keys", "leases", "versions", "probes"];

fn great_tables_walked(plan: &str) -> bool {
    plan.lines().filter_map(|line| line.split_once("Seq Scan on ")).any(|(_, rest)| {
        let table = rest.split_whitespace().next().unwrap_or("");
        !SMALL.contains(&table)
    })
}

/// Indexes whose entries belong to one memory implicitly: the words of a passage are digests that
/// include the memory.
const OF_ONE_MEMORY: &[&str] = &["_words"];

/// Returns an index that the plan of a statement about one memory scans without a condition or, in
/// a partition, without a condition on the memory: it may scan the rows of all other memories. For
/// unpartitioned tables, which are empty here, any index with a condition is accepted. Small tables
/// may be scanned.
fn walked_whole(plan: &str) -> Option<String> {
    let mut lines = plan.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(index) = index_of(line) else { continue };
        let condition = lines.peek().and_then(|next| next.split_once("Index Cond: ")).map(|(_, rest)| rest);
        let is_cut =
            index.split('_').any(|part| part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit()));
        let seeks = condition.is_some_and(|condition| !is_cut || condition.contains("mem = "));
        let is_free = OF_ONE_MEMORY.iter().any(|part| index.contains(part))
            || SMALL.iter().any(|table| index.starts_with(table));
        if !seeks && !is_free {
            return Some(index.to_owned());
        }
    }
    None
}

/// Returns the index that a line of a plan scans.
fn index_of(line: &str) -> Option<&str> {
    let (_, rest) = line
        .split_once("Bitmap Index Scan on ")
        .or_else(|| line.split_once(" using ").filter(|_| line.contains(" Scan ")))?;
    rest.split_whitespace().next()
}

/// Returns the partitions by table that a plan reaches.
fn partitions(plan: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for word in plan
        .lines()
        .filter_map(|line| line.split_once(" on "))
        .filter_map(|(_, rest)| rest.split_whitespace().next())
    {
        let Some((table, number)) = word.rsplit_once('_') else { continue };
        if number.len() == 2 && number.bytes().all(|byte| byte.is_ascii_digit()) {
            found.entry(table.to_owned()).or_default().insert(number.to_owned());
        }
    }
    found
}

#[test]
fn complaints() {
    let check = |sql: &str, plan: &str, expect: Option<&str>| {
        let said = complain(sql, plan);
        assert_eq!(said.is_some(), expect.is_some(), "{said:?}");
        assert!(said.unwrap_or_default().starts_with(expect.unwrap_or_default()));
    };
    let one = "Index Scan using events_02_pkey on events_02 events_1\n  Index Cond: (mem = $1)";
    let two = "Append\n  ->  Index Scan using events_02_pkey on events_02 events_1\n        Index Cond: (mem = $1)\n  ->  Index \
               Scan using events_03_pkey on events_03 events_2\n        Index Cond: (mem = $1)";
    check("SELECT 1 FROM events WHERE mem = $1", one, None);
    check("SELECT 1 FROM events WHERE mem = $1", two, Some("it reaches several"));
    check("SELECT 1 FROM events WHERE expires < $1", two, None);
    let whole =
        "Limit\n  ->  Index Scan using events_02_expires on events_02 events_1\n        Filter: (mem = $1)";
    check("SELECT 1 FROM events WHERE mem = $1", whole, Some("it goes by events_02_expires"));
    let other = whole.replace("Filter: (mem = $1)", "Index Cond: (expires < $2)\n        Filter: (mem = $1)");
    check("SELECT 1 FROM events WHERE mem = $1", &other, Some("it goes by events_02_expires"));
    check("SELECT 1 FROM jobs WHERE mem = $1", &other.replace("events_02", "jobs"), None);
    check("SELECT 1 FROM events ORDER BY expires", whole, None);
    check("SELECT 1 FROM jobs", "Seq Scan on jobs j", Some("it walks"));
    check("SELECT 1 FROM models", "Seq Scan on models", None);
    check("SELECT 1", "FAILED ERROR", Some("it could not"));
}

#[test]
fn statements_and_values_are_read_from_a_log() {
    let log = "@@LOG:  duration: 0.1 ms  bind s1: SELECT $1\n@@LOG:  duration: 0.033 ms  execute s1: SELECT a FROM b WHERE \
               c = $1 AND\n\td = $2\n@@DETAIL:  Parameters: $1 = 'x, $2 = y', $2 = NULL\n@@LOG:  duration: 1 ms  execute s2: \
               SELECT 1\n";
    let sent = sent(log);
    let values: Vec<_> = sent.into_iter().collect();
    assert_eq!(values[0], ("SELECT 1".to_owned(), Vec::new()));
    assert!(values[1].0.starts_with("SELECT a FROM b"), "{values:?}");
}
