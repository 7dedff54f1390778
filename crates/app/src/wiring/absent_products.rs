//! Products that a program is built without, and stores that contain their data. A product protects
//! its data: its ownership, its deletion together with a record, its jobs. Without the product such
//! data would be exposed, left behind or lost, so the store is not opened.
//!
//! This module identifies a product by its stored data: tables, shelves of the ledger, kinds of
//! jobs, and the profile of its memories. All are names of the stored format, so that a program
//! contains them without the product. A test compares shelves and kinds with those that products
//! register.

use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use loci_model::job::JobKind;
use loci_model::ledger::Shelf;
use loci_model::memory::Memory;
use loci_model::ports::store::{LedgerPage, ReadTx, Store, StoreExt, TaskQuery};
use loci_model::{MemoryId, Timestamp};

/// Memories per read.
const MEMORIES: usize = 100;
/// The last character of all. A key prefix followed by it is the end of the prefix's range.
const AFTER_ALL: char = '\u{10ffff}';

/// A function that returns true if a table contains a row of a memory.
type TableQuestion = fn(&dyn ReadTx, &MemoryId) -> loci_model::Result<bool>;

/// Data of a product that a program may lack.
struct ProductData {
    /// The feature.
    product: &'static str,
    is_left_out: bool,
    /// The profile of its memories.
    profile: Option<&'static str>,
    /// Its tables.
    tables: &'static [TableQuestion],
    /// The names of its shelves.
    shelves: &'static [&'static str],
    /// Its key prefixes on the shelf of progress, which products share.
    progress: &'static [&'static str],
    /// The names of its kinds of jobs, without those that products share.
    jobs: &'static [&'static str],
}

static PRODUCTS: [ProductData; 4] = [
    ProductData {
        product: "verified",
        is_left_out: cfg!(not(feature = "verified")),
        profile: Some("coding"),
        tables: &[
            |tx, memory| Ok(!tx.repositories().list(memory, None, 1)?.is_empty()),
            // Facts, and records with stored fact events.
            |tx, memory| Ok(!tx.fact_events().records(memory, None, 1)?.is_empty()),
            |tx, memory| Ok(!tx.fact_events().of_no_record(memory, None, 1)?.is_empty()),
        ],
        shelves: &[],
        progress: &[],
        jobs: &["cite", "verify"],
    },
    ProductData {
        product: "coding",
        is_left_out: cfg!(not(feature = "coding")),
        profile: None,
        tables: &[
            |tx, memory| Ok(!tx.tasks().list(&TaskQuery::all(memory.clone(), 1))?.is_empty()),
            |tx, memory| Ok(!tx.exposures().list(memory, None, 1)?.is_empty()),
            |tx, memory| Ok(!tx.commits().list(memory, None, 1)?.is_empty()),
            |tx, memory| Ok(!tx.prompts().list(memory, None, None, 1)?.is_empty()),
            |tx, memory| Ok(!tx.task_sessions().list(memory, None, 1)?.is_empty()),
            |tx, memory| Ok(!tx.task_sessions().list_items(memory, None, 1)?.is_empty()),
        ],
        shelves: &[
            "review",
            "rule_support",
            "review_yield",
            "rule_relevance",
            "outcome",
            "unmatched",
            "repository_role",
            "person",
            "preference_user",
            "file_change",
            "agreement",
            "branch_fact",
            "evaluation",
            "prompt_evaluation",
            "snapshot",
            "purge",
        ],
        progress: &["reviews/", "rules/", "outcomes/", "reflection/"],
        jobs: &["review_poll", "review_backfill", "review_rules", "co_change"],
    },
    ProductData {
        product: "documents",
        is_left_out: cfg!(not(feature = "documents")),
        profile: None,
        tables: &[|tx, memory| Ok(!tx.parked().list(memory, "", None, 1)?.is_empty())],
        shelves: &[
            "tree_entry",
            "tree_place",
            "tree_change",
            "tree_snapshot",
            "consolidation_run",
            "mirror",
            "mirror_files",
            "mirror_state",
            "document_reads",
        ],
        progress: &["tree\n", "upkeep\n"],
        jobs: &["tree_plan"],
    },
    ProductData {
        product: "operations",
        is_left_out: cfg!(not(feature = "operations")),
        profile: Some("sre"),
        tables: &[],
        shelves: &[],
        progress: &[],
        jobs: &["agent_response", "session_summary"],
    },
];

impl ProductData {
    /// Returns true for a memory with data of the product. Each check reads one row.
    fn is_in(&self, tx: &dyn ReadTx, memory: &Memory) -> loci_model::Result<bool> {
        if self.profile.is_some() && memory.settings.profile.as_deref() == self.profile {
            return Ok(true);
        }
        let id = &memory.id;
        for table in self.tables {
            if table(tx, id)? {
                return Ok(true);
            }
        }
        for word in self.shelves {
            let page = LedgerPage {
                memory: id.clone(),
                shelf: Shelf::named(word),
                actor: None,
                subject: None,
                after: None,
                limit: 1,
            };
            if !tx.ledger().list(&page)?.is_empty() {
                return Ok(true);
            }
        }
        for beginning in self.progress {
            let end = format!("{beginning}{AFTER_ALL}");
            if !tx.ledger().between(id, &Shelf::PROGRESS, (beginning, &end), 1)?.is_empty() {
                return Ok(true);
            }
        }
        for word in self.jobs {
            if tx.jobs().has_open(id, &JobKind::named(word))? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Returns the names of the products that this program was built without.
pub fn left_out() -> Vec<&'static str> {
    PRODUCTS.iter().filter(|data| data.is_left_out).map(|data| data.product).collect()
}

/// Rejects a store with data of a product that this program lacks.
///
/// # Errors
/// The error names the memory and the product; errors of the store.
pub fn check(store: &Arc<dyn Store>, left_out: &[&str]) -> Result<()> {
    let without: Vec<&'static ProductData> =
        PRODUCTS.iter().filter(|data| left_out.contains(&data.product)).collect();
    if without.is_empty() {
        return Ok(());
    }
    let read = || tokio::runtime::Builder::new_current_thread().build()?.block_on(look(store, &without));
    // The check needs its own thread, because the caller may be in a runtime, which cannot block on
    // another.
    let ended = std::thread::scope(|scope| scope.spawn(read).join());
    ended.map_err(|_| anyhow!("the look for data of other products ended early"))?
}

async fn look(store: &Arc<dyn Store>, without: &[&'static ProductData]) -> Result<()> {
    let mut after = None;
    loop {
        let (from, products) = (after.clone(), without.to_vec());
        let (found, last) = store.read(move |tx| page(tx, from.as_ref(), &products)).await?;
        if let Some((memory, product)) = found {
            bail!(
                "the memory {memory} holds data of the product {product}, which this program was built without: open the \
                 store with a program that has it, or give this one a store of its own"
            );
        }
        if last.is_none() {
            return Ok(());
        }
        after = last;
    }
}

/// The position of a memory in the list of memories.
type MemoryListPosition = (Timestamp, MemoryId);

/// The name of a memory, and the product whose data it contains.
type AbsentProductMemory = (String, &'static str);

/// Returns the first memory of a page with such data and its product, and the position of the next
/// page.
fn page(
    tx: &dyn ReadTx,
    after: Option<&MemoryListPosition>,
    without: &[&'static ProductData],
) -> loci_model::Result<(Option<AbsentProductMemory>, Option<MemoryListPosition>)> {
    let memories = tx.memories().list(after, MEMORIES)?;
    for memory in &memories {
        for data in without {
            if data.is_in(tx, memory)? {
                return Ok((Some((memory.name.clone(), data.product)), None));
            }
        }
    }
    let last = memories.last().filter(|_| memories.len() == MEMORIES);
    Ok((None, last.map(|memory| (memory.created_at, memory.id.clone()))))
}

#[cfg(all(test, feature = "coding", feature = "documents", feature = "operations"))]
mod tests {
    use std::collections::BTreeSet;
    use std::io::Read as _;
    use std::path::Path;

    use flate2::read::GzDecoder;
    use loci_model::facts::fact::FactEventKind;
    use loci_model::job::{DueRule, NewJob};
    use loci_model::ledger::LedgerEntry;
    use loci_model::ports::store::Tx;
    use loci_model::trees::parked_object::{ObjectHead, ParkedObject};
    use loci_model::{ActorId, Document, JobId};
    use loci_testkit_ports::{block_on, exposure_samples, fact_samples, samples, task_samples};

    use super::*;
    use crate::wiring::store::StorePlan;
    use crate::wiring::{WiringOptions, wire};

    const FORMER_FOLDER: &[u8] = include_bytes!("../../tests/it/former_stores/loci.db.gz");

    /// A function that writes one kind of data of a memory.
    type Noun = Box<dyn FnMut(&mut dyn Tx, &MemoryId) -> loci_model::Result<()> + Send>;

    fn open(folder: &Path) -> Result<Arc<dyn Store>> {
        StorePlan::folder_at(folder).open()
    }

    /// Returns the products with data in a store, each checked alone.
    fn held(store: &Arc<dyn Store>) -> Vec<&'static str> {
        let products = PRODUCTS.iter().map(|data| data.product);
        let is_held = |product: &&str| match check(store, &[*product]) {
            Ok(()) => false,
            Err(error) => {
                let said = error.to_string();
                assert!(said.contains(&format!("holds data of the product {product}, which")), "{said}");
                true
            }
        };
        products.filter(is_held).collect()
    }

    /// Returns the products detected in a memory without a profile that contains only this kind of
    /// data.
    fn held_with(mut noun: Noun) -> Result<Vec<&'static str>> {
        let folder = tempfile::tempdir()?;
        let store = open(folder.path())?;
        let memory = samples::memory("plain")?;
        block_on(store.write(move |tx| {
            tx.memories_mut().insert(&memory)?;
            noun(tx, &memory.id)
        }))?;
        Ok(held(&store))
    }

    fn entry(shelf: Shelf, key: &str) -> Noun {
        let key = key.to_owned();
        Box::new(move |tx, memory| {
            tx.ledger_mut().put(&LedgerEntry {
                memory: memory.clone(),
                shelf: shelf.clone(),
                key: key.clone(),
                actor: ActorId::parse("acme/shop")?,
                subject: None,
                at: samples::time(1),
                body: Document::parse("{}")?,
            })
        })
    }

    fn job(kind: JobKind) -> Noun {
        Box::new(move |tx, memory| {
            let job = NewJob {
                id: JobId::parse("j1")?,
                memory: memory.clone(),
                kind: kind.clone(),
                unique_key: "k".to_owned(),
                strategy: None,
                actor: None,
                session: None,
                due: samples::time(1),
                due_rule: DueRule::Earlier,
            };
            tx.jobs_mut().enqueue(&job, samples::time(1)).map(drop)
        })
    }

    fn parked(tx: &mut dyn Tx, memory: &MemoryId) -> loci_model::Result<()> {
        let head = ObjectHead {
            memory: memory.clone(),
            key: "state".to_owned(),
            content_type: None,
            bytes: 1,
            sha256: "0".repeat(64),
            updated_at: samples::time(1),
            expires_at: samples::time(9),
        };
        tx.parked_mut().put(&ParkedObject { head, content: vec![1] })
    }

    #[test]
    fn one_noun_of_a_table_suffices_in_any_memory() {
        let nouns: [(&str, Noun); 9] = [
            (
                "verified",
                Box::new(|tx, memory| {
                    tx.repositories_mut().put(&fact_samples::repository(memory, 1, "acme/a")?)
                }),
            ),
            (
                "verified",
                Box::new(|tx, memory| {
                    tx.records_mut().insert(&samples::record(memory, 1, "a fact")?)?;
                    tx.facts_mut().put(&fact_samples::fact(memory, 1, 1, "src/lib.rs")?)
                }),
            ),
            (
                "verified",
                Box::new(|tx, memory| {
                    let kind = FactEventKind::RejectedStore;
                    tx.fact_events_mut().append(&[fact_samples::fact_event(memory, 1, kind, None)?])
                }),
            ),
            ("coding", Box::new(|tx, memory| tx.tasks_mut().put(&task_samples::task(memory, 1)?))),
            (
                "coding",
                Box::new(|tx, memory| tx.exposures_mut().put(&exposure_samples::exposure(memory, 1)?)),
            ),
            ("coding", Box::new(|tx, memory| tx.commits_mut().put(&task_samples::commit(memory, 1)?))),
            ("coding", Box::new(|tx, memory| tx.prompts_mut().put(&task_samples::prompt(memory, 1)?))),
            (
                "coding",
                Box::new(|tx, memory| {
                    tx.task_sessions_mut().put_item(&task_samples::session_item(memory, 1, 2)?)
                }),
            ),
            ("documents", Box::new(parked)),
        ];
        for (at, (product, noun)) in nouns.into_iter().enumerate() {
            assert_eq!(held_with(noun).unwrap(), [product], "the noun {at}");
        }
    }

    #[test]
    fn one_entry_or_one_open_job_suffices() {
        for data in &PRODUCTS {
            for word in data.shelves {
                assert_eq!(held_with(entry(Shelf::named(word), "k")).unwrap(), [data.product], "{word}");
            }
            for beginning in data.progress {
                let key = format!("{beginning}acme");
                assert_eq!(held_with(entry(Shelf::PROGRESS, &key)).unwrap(), [data.product], "{key}");
            }
            for word in data.jobs {
                assert_eq!(held_with(job(JobKind::named(word))).unwrap(), [data.product], "{word}");
            }
        }
        assert!(held_with(entry(Shelf::PROGRESS, "of/the/kernel")).unwrap().is_empty());
        assert!(held_with(job(JobKind::EXTRACT)).unwrap().is_empty());
    }

    #[test]
    fn a_memory_of_a_profile_is_its_products() {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path()).unwrap();
        assert!(held(&store).is_empty());
        let mut memory = samples::memory("on-call").unwrap();
        memory.settings.profile = Some("sre".to_owned());
        block_on(store.write(move |tx| tx.memories_mut().insert(&memory))).unwrap();
        assert_eq!(held(&store), ["operations"]);
    }

    #[test]
    fn a_former_folder_is_refused_for_what_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let mut bytes = Vec::new();
        GzDecoder::new(FORMER_FOLDER).read_to_end(&mut bytes).unwrap();
        std::fs::write(folder.path().join("loci.db"), bytes).unwrap();
        let store = open(folder.path()).unwrap();
        assert_eq!(held(&store), ["verified", "coding", "documents"]);
        check(&store, &["operations"]).unwrap();
        check(&store, &[]).unwrap();
        assert!(check(&store, &["operations", "documents"]).is_err());
    }

    #[test]
    fn every_shelf_and_kind_of_job_that_is_registered_is_known() {
        let folder = tempfile::tempdir().unwrap();
        let engine = wire(WiringOptions::new(folder.path())).unwrap().engine;
        let mut shelves: BTreeSet<&str> = PRODUCTS.iter().flat_map(|data| data.shelves).copied().collect();
        shelves.extend(["progress", "conflict", "erased_source", "redacted_content"]);
        let registered = engine.products().shelves();
        assert_eq!(shelves, registered.iter().map(Shelf::as_str).collect::<BTreeSet<_>>());
        let mut kinds: BTreeSet<&str> = PRODUCTS.iter().flat_map(|data| data.jobs).copied().collect();
        // Kinds of the kernel, and those that products share and distinguish by keys.
        kinds.extend(["extract", "embed", "purge", "handover", "reflect", "hook"]);
        let registered = engine.job_kinds();
        assert_eq!(kinds, registered.iter().map(JobKind::as_str).collect::<BTreeSet<_>>());
    }
}
