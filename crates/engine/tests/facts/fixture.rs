//! A repository with a few files, an engine that reads it, and short forms of the calls in these
//! tests.

use std::sync::Arc;

use loci_api::verified::repository::RepositoryAdd;
use loci_coding::RepositoryChange;
use loci_engine::calls::call_context::CallContext;
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::facts::citation::{CitationInput, LineRange};
use loci_model::facts::claim::Claim;
use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{FactEvent, FactEventKind};
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::record::RecordState;
use loci_model::{CodeReason, Error, Reason, RecordId};
use loci_products::Loci;
use loci_testkit_ports::{CodeHistory, CodeShelf, block_on};
use loci_verified::{
    Correction, FactList, FactReadOptions, FactRefresh, FactStored, FactSuperseded, NewFact, VerifyAnswer,
    VerifyMode,
};

pub(super) const REPO: &str = "acme/shop";
pub(super) const DIRECTORY: &str = "/src/shop";
pub(super) const CART: &str = "use crate::money::Cents;\n\n/// What a customer is about to buy.\npub struct Cart {\n    items: Vec<Item>,\n}\n\nimpl Cart {\n    /// Adds an item; a cart holds at most MAX_ITEMS.\n    pub fn add_item(&mut self, item: Item) -> Result<(), CartFull> {\n        if self.items.len() >= MAX_ITEMS {\n            return Err(CartFull);\n        }\n        self.items.push(item);\n        Ok(())\n    }\n\n    pub fn total_price(&self) -> Cents {\n        self.items.iter().map(|item| item.price()).sum()\n    }\n}\n";
pub(super) const LIMITS: &str = "/// Items of one cart.\npub const MAX_ITEMS: usize = 50;\n/// Requests of one customer in a minute.\npub const MAX_REQUESTS: usize = 120;\n";

/// A shop's repository and an engine.
pub(super) struct Shop {
    pub(super) world: TestEngine,
    pub(super) engine: Loci,
    pub(super) shelf: CodeShelf,
    pub(super) caller: Principal,
    pub(super) standing: CallContext,
}

pub(super) fn history() -> CodeHistory {
    let mut history = CodeHistory::new();
    history.commit(&[
        ("src/cart.rs", CART),
        ("src/limits.rs", LIMITS),
        ("README.md", "# Shop\n\nSells things.\n"),
    ]);
    history
}

impl Shop {
    pub(super) fn new() -> Self {
        let shelf = CodeShelf::default();
        shelf.put(DIRECTORY, Some("git@github.com:acme/shop.git"), history());
        let world = TestEngine::with_code(Arc::new(shelf.clone())).unwrap();
        let shop = Self {
            engine: world.engine(),
            world,
            shelf,
            caller: unverified_too("tester"),
            standing: CallContext { session: Some("s1".to_owned()), ..CallContext::default() },
        };
        shop.add(DIRECTORY);
        shop
    }

    pub(super) fn add(&self, directory: &str) -> loci_verified::RepositoryAdded {
        let add = RepositoryAdd { directory: Some(directory.into()), ..RepositoryAdd::default() };
        block_on(self.engine.verified.repository_add(&self.caller, &self.standing, add)).unwrap()
    }

    /// Changes the repository.
    pub(super) fn code<T>(&self, work: impl FnOnce(&mut CodeHistory) -> T) -> T {
        self.shelf.change(DIRECTORY, work).unwrap()
    }

    pub(super) fn write(&self, path: &str, text: Option<&str>) -> ObjectId {
        self.code(|history| history.write(path, text))
    }

    pub(super) fn store(&self, fact: NewFact) -> Result<FactStored, Error> {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.verified.fact_store(&self.caller, &self.standing, fact, None))
    }

    /// Disables the reading of its history for files that change together.
    pub(super) fn reads_no_history(&self) {
        let settings = vec![("tiers.graph".to_owned(), serde_json::json!(false))];
        let change = RepositoryChange { replaces: false, settings };
        block_on(self.engine.coding.repository_configure(&self.caller, &self.standing, REPO, change))
            .unwrap();
    }

    pub(super) fn stored(&self) -> RecordId {
        self.store(limit_fact()).unwrap().view.remembered.record.id
    }

    pub(super) fn recent(&self, verify: VerifyMode) -> FactList {
        self.world.clock().advance_ms(1_000);
        let serving = FactReadOptions { verify, ..FactReadOptions::default() };
        block_on(self.engine.verified.facts_recent(&self.caller, &self.standing, REPO, 50, serving)).unwrap()
    }

    pub(super) fn verify(&self, id: &RecordId) -> VerifyAnswer {
        self.world.clock().advance_ms(1_000);
        block_on(self.engine.verified.fact_verify(&self.caller, &self.standing, id, None)).unwrap()
    }

    pub(super) fn invalidate(&self, id: &RecordId) -> Result<bool, Error> {
        self.world.clock().advance_ms(1_000);
        let reason = "it is not so any more";
        block_on(self.engine.verified.fact_invalidate(&self.caller, &self.standing, id, reason, false, None))
            .map(|done| done.changed)
    }

    pub(super) fn refresh(&self, id: &RecordId, receipt: Option<String>) -> Result<u64, Error> {
        self.world.clock().advance_ms(1_000);
        let refresh = FactRefresh { id: id.clone(), receipt, reference: None, verified_by: None };
        block_on(self.engine.verified.fact_refresh(&self.caller, &self.standing, refresh, None))
            .map(|done| done.verification_count)
    }

    pub(super) fn supersede(
        &self,
        old: &RecordId,
        fact: &str,
        citations: Option<Vec<CitationInput>>,
    ) -> Result<FactSuperseded, Error> {
        self.world.clock().advance_ms(1_000);
        let correction = Correction {
            old: old.clone(),
            fact: fact.to_owned(),
            citations,
            reason: None,
            subject: None,
            claims: None,
            created_by: None,
            reference: None,
        };
        block_on(self.engine.verified.fact_supersede(&self.caller, &self.standing, correction, None))
    }

    /// Runs the next round of background work with its jobs.
    pub(super) fn sweep(&self) {
        block_on(self.engine.sweep()).unwrap();
        let (stop, stopped) = futures::channel::oneshot::channel::<()>();
        let host = self.engine.run_jobs(Box::pin(async {
            stopped.await.ok();
        }));
        let done = async {
            let next_due = || StoreExt::read(self.engine.store().as_ref(), |tx| tx.jobs().next_due(&[]));
            while next_due().await.unwrap().is_some() {}
            stop.send(()).ok();
        };
        block_on(futures::future::join(host, done));
    }

    /// Returns the tip at which the background has verified everything.
    pub(super) fn verified_tip(&self) -> Option<ObjectId> {
        self.add(DIRECTORY).repository.verified_tip
    }

    pub(super) fn status(&self, id: &RecordId) -> RecordState {
        let view = block_on(self.engine.verified.fact_get(&self.caller, &self.standing, id)).unwrap();
        assert_eq!(view.remembered.fact.status, view.remembered.record.state, "both rows say the same");
        view.remembered.fact.status
    }

    /// Returns the events of a fact, oldest first.
    pub(super) fn events(&self, id: &RecordId) -> Vec<FactEvent> {
        let history =
            block_on(self.engine.verified.fact_history(&self.caller, &self.standing, id, 200)).unwrap();
        let mut events: Vec<_> =
            history.events.into_iter().filter(|event| event.record.as_ref() == Some(id)).collect();
        events.reverse();
        events
    }

    pub(super) fn kinds(&self, id: &RecordId) -> Vec<&'static str> {
        self.events(id).iter().map(|event| event.kind.as_str()).collect()
    }

    /// Checks that the telemetry of the memory is consistent (T1 to T7).
    pub(super) fn assert_told(&self) {
        let memory = block_on(self.engine.verified.code_memory(&self.caller, &self.standing)).unwrap();
        let report = block_on(self.engine.verified.telemetry_check(&self.caller, &memory)).unwrap();
        assert_eq!((report.violations, report.cut), (vec![], 0));
    }

    /// Checks that a replay of the events gives the state and counters of a fact (T1).
    pub(super) fn assert_replayed(&self, id: &RecordId) {
        let view = block_on(self.engine.verified.fact_get(&self.caller, &self.standing, id)).unwrap();
        let fact = view.remembered.fact;
        let mut status = None;
        let (mut verifications, mut rejections, mut applied, mut retrieved) = (0, 0, 0, 0);
        for event in self.events(id) {
            match event.kind {
                FactEventKind::Created | FactEventKind::Corrected => {
                    status = event.cause.as_deref().and_then(RecordState::parse);
                }
                FactEventKind::Refreshed => {
                    verifications += 1;
                    status = Some(RecordState::Active);
                }
                FactEventKind::Quarantined => {
                    // A hold by a person is no rejection.
                    rejections += u64::from(event.cause.as_deref() == Some("gone"));
                    status = Some(RecordState::Quarantined);
                }
                FactEventKind::ContradictionDetected | FactEventKind::Invalidated => {
                    rejections += 1;
                    status = Some(RecordState::Invalid);
                }
                FactEventKind::Restored => status = Some(RecordState::Active),
                FactEventKind::Superseded => status = Some(RecordState::Superseded),
                FactEventKind::Expired => status = Some(RecordState::Expired),
                FactEventKind::Deleted => status = Some(RecordState::Erased),
                FactEventKind::Applied => applied += 1,
                FactEventKind::Retrieved => retrieved += 1,
                FactEventKind::VerifiedValid
                | FactEventKind::VerifiedInvalid
                | FactEventKind::Reanchored
                | FactEventKind::VerificationSkipped
                | FactEventKind::ConflictDetected
                | FactEventKind::RejectedStore => {}
            }
        }
        assert_eq!(status, Some(fact.status), "{:?}", self.kinds(id));
        let counted = (
            fact.counters.verifications,
            fact.counters.rejections,
            fact.counters.applied,
            fact.counters.retrieved,
        );
        assert_eq!((verifications, rejections, applied, retrieved), counted);
        self.assert_told();
    }
}

/// Returns an administrator who may also read unverified facts.
fn unverified_too(name: &str) -> Principal {
    let mut caller = Principal::administrator(name);
    caller.grants.iter_mut().for_each(|grant| {
        grant.capabilities.insert(Capability::Unverified);
    });
    caller
}

pub(super) fn cite(path: &str, line_start: u32, line_end: u32) -> CitationInput {
    CitationInput {
        place: LineRange { path: path.to_owned(), line_start, line_end },
        sha: None,
        snippet_hash: None,
    }
}

/// Returns a fact on `add_item` and the limit.
pub(super) fn limit_fact() -> NewFact {
    NewFact {
        repo: REPO.to_owned(),
        subject: "Carts".to_owned(),
        fact: "`add_item` refuses more than MAX_ITEMS (50) items with CartFull.".to_owned(),
        citations: vec![cite("src/cart.rs", 10, 13), cite("src/limits.rs", 2, 2)],
        ..NewFact::default()
    }
}

pub(super) fn about(fact: &str, citations: Vec<CitationInput>) -> NewFact {
    NewFact {
        repo: REPO.to_owned(),
        subject: "Shop".to_owned(),
        fact: fact.to_owned(),
        citations,
        ..NewFact::default()
    }
}

pub(super) fn contains(citation: usize, literal: &str) -> Claim {
    Claim::Contains { citation, literal: literal.to_owned() }
}

pub(super) fn reason(error: &Error) -> Option<CodeReason> {
    match error.reason {
        Some(Reason::Code(reason)) => Some(reason),
        _ => None,
    }
}
