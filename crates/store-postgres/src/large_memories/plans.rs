//! Tests of query plans for large memories: each reads only the partition of its memory, with an
//! index.

use loci_engine_testkit::postgres::PostgresServer;
use loci_model::MemoryId;
use loci_model::record::scope::RecordScope;
use loci_testkit_ports::samples;

use super::answer::PLANNED;
use super::graph::{Graph, made};
use super::scope::{Extent, Scope};
use super::vector_search::{VectorQuestion, WALK, walk};
use super::words::{self, Terms};
use crate::bound_values::PgBoundParameters;
use crate::connection::{Connection, ConnectionParameters};
use crate::digests::memory_number;
use crate::options::PostgresOptions;
use crate::tx::{Column, PgTx};
use crate::{migrate, transaction_retry};

/// The number of passages of the large memory; each of a thousand small ones has ten.
const PASSAGES: u32 = 20_000;

/// Creates a large memory among small ones. Words equal their numbers: `n` occurs in every `n`th
/// passage.
fn filled() -> (Connection, MemoryId) {
    let server = PostgresServer::shared().unwrap();
    let url = server.fresh_database().unwrap();
    let connecting = ConnectionParameters::new(PostgresOptions::parse(&url).unwrap()).unwrap();
    let mut connection = Connection::new(connecting).unwrap();
    migrate::migrate(&mut connection).unwrap();
    let memory = samples::memory("plans").unwrap().id;
    let great = memory_number(&memory);
    let passages = |memory: &str, from: &str| {
        format!(
            "INSERT INTO passages(mem, key, part, content, grp, chain, place, state, kind, path_terms, name_terms, terms, words, \
             created, updated) SELECT {memory}, int4send(i), 0, 1, ('00000000-0000-0000-0000-' || lpad((i % 5)::text, 12, '0'))::uuid, \
             ('00000000-0000-0000-0000-' || lpad((i / 20)::text, 12, '0'))::uuid, i, 0, 0, 0, 0, 5, \
             ARRAY[{memory} + i % 10, {memory} + 100 + i % 100, {memory} + 10000 + i % 1000, {memory} + 20000 + i, \
             {memory} + 1], i, i FROM {from};"
        )
    };
    let vectors = |memory: &str, from: &str| {
        format!(
            "INSERT INTO vectors(mem, key, part, model, vector) SELECT {memory}, int4send(i), 0, 7, \
             (ARRAY[cos(i), sin(i), cos(i * 2), sin(i * 3)]::real[])::vector::halfvec FROM {from};"
        )
    };
    let own = format!("generate_series(1, {PASSAGES}) i");
    let others = "generate_series(1, 10) i, generate_series(1, 1000) m";
    let sql = [
        passages(&great.to_string(), &own),
        passages("(m::bigint << 40)", others),
        vectors(&great.to_string(), &own),
        vectors("(m::bigint << 40)", others),
        "ANALYZE passages; ANALYZE vectors;".to_owned(),
    ]
    .concat();
    let database = url.rsplit('/').next().unwrap();
    server.sql(database, &format!("SET search_path = loci, public; {sql}")).unwrap();
    (connection, memory)
}

fn plan(tx: &PgTx<'_>, sql: &str, bound: &PgBoundParameters) -> String {
    let lines = tx.all(&format!("EXPLAIN {sql}"), &bound.values(), |row| row.take::<String>(0)).unwrap();
    lines.join("\n")
}

/// Checks that a plan reads one partition of a table, and not sequentially.
fn check(plan: &str, table: &str, index: &str) {
    let parts: std::collections::BTreeSet<&str> = plan
        .split([' ', '\n'])
        .filter(|word| word.starts_with(table) && word.len() == table.len() + 3)
        .collect();
    assert_eq!(parts.len(), 1, "one partition of {table}:\n{plan}");
    assert!(plan.contains(index), "by {index}:\n{plan}");
    assert!(!plan.contains("Seq Scan"), "not all of it:\n{plan}");
}

#[test]
fn plans_use_one_partition_and_indexes() {
    let (mut connection, memory) = filled();
    let number = memory_number(&memory);
    made(&mut connection, &Graph { memory: number, model: 7, dimensions: 4 }).unwrap();
    transaction_retry::read(&mut connection, |tx| {
        tx.rows(PLANNED, &[])?;
        let whole = RecordScope::whole(memory.clone(), samples::time(0));
        let scope = Scope::new(tx, number, &whole)?;
        let mut terms = Terms::new(tx, number, &["rare".to_owned(), "rarer".to_owned()])?;
        terms.numbers = vec![number + 10_007, number + 20_011];
        let mut bound = PgBoundParameters::default();
        let sql = words::statement(&scope, Extent::Full, terms.numbers.clone(), 40_000, &mut bound);
        check(&plan(tx, &sql, &bound), "passages", "words_idx");
        let mut bound = PgBoundParameters::default();
        let sql = words::newest(&scope, Extent::Full, vec![number + 10_007], 40_000, &mut bound);
        check(&plan(tx, &sql, &bound), "passages", "words_idx");
        for setting in WALK {
            tx.rows(setting, &[])?;
        }
        let mut bound = PgBoundParameters::default();
        let sql = walk(
            &scope,
            &VectorQuestion { vector: &[1.0, 0.0, 0.5, 0.5], model: 7, length: 400 },
            &mut bound,
        );
        let walked = plan(tx, &sql, &bound);
        check(&walked, "vectors", "graph_");
        check(&walked, "passages", "_pkey");
        assert!(!walked.contains("Sort"), "in the graph's order:\n{walked}");
        Ok(())
    })
    .unwrap();
}

/// If more rows contain a word than are read, the newest are read, regardless of their location.
#[test]
fn the_newest_of_too_many_rows_are_read() {
    let (mut connection, memory) = filled();
    let number = memory_number(&memory);
    transaction_retry::read(&mut connection, |tx| {
        let whole = RecordScope::whole(memory.clone(), samples::time(0));
        let scope = Scope::new(tx, number, &whole)?;
        let mut terms = Terms::new(tx, number, &["everywhere".to_owned()])?;
        // In every hundredth passage.
        terms.numbers = vec![number + 100 + 42];
        for (most, count, is_cut) in [(300, 200, false), (200, 200, false), (199, 199, true), (20, 20, true)]
        {
            let found = words::rows(tx, &scope, Extent::Full, &terms, (vec![true], most))?;
            let mut places: Vec<i64> = found.rows.iter().map(|row| row.place).collect();
            places.sort_unstable();
            let newest: Vec<i64> = (200 - count..200).map(|at| at * 100 + 42).collect();
            assert_eq!((places, found.is_cut), (newest, is_cut), "of {most}");
            assert_eq!(found.complete, [!is_cut]);
        }
        Ok(())
    })
    .unwrap();
}
