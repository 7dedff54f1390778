//! Repositories, facts with citations, and fact events with all members filled in, so that tests
//! change only the relevant ones.

use std::collections::BTreeSet;

use loci_model::facts::citation::{Anchor, Citation, LineRange};
use loci_model::facts::claim::Claim;
use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{
    Fact, FactCounters, FactDetail, FactEvent, FactEventKind, FactSource, GoneSince, KeptVerdict,
    LastVerified,
};
use loci_model::facts::repository::{
    CaptureOwn, ControlParts, PreferencesOwn, ReflectionOwn, Repository, RepositorySettings, ReviewIntake,
    RulesOwn, Tiers,
};
use loci_model::facts::support::{Support, SupportReason, SupportReport};
use loci_model::facts::verdict::{
    CitationVerdict, ClaimOutcome, Method, Unverifiable, Verdict, Verification,
};
use loci_model::record::RecordState;
use loci_model::tasks::task_session::Capture;
use loci_model::{Document, MemoryId, RepositoryId, Result};

use crate::samples::{record_id, time};

/// Returns the id of the `number`th repository.
pub fn repository_id(number: u32) -> Result<RepositoryId> {
    RepositoryId::parse(format!("00000000-0000-7000-9000-{number:012x}"))
}

/// Returns the `number`th object.
pub fn object(number: u8) -> ObjectId {
    ObjectId::from_bytes(&[number; 20]).unwrap_or_else(|| object(0))
}

/// Returns the `number`th repository, never examined, with one alias of its host.
pub fn repository(memory: &MemoryId, number: u32, key: &str) -> Result<Repository> {
    Ok(Repository {
        memory: memory.clone(),
        id: repository_id(number)?,
        key: key.to_owned(),
        aliases: BTreeSet::from([format!("git.example/{key}")]),
        roots: vec![object(1)],
        places: Vec::new(),
        default_ref: Some("refs/heads/main".to_owned()),
        quorum: Some(2),
        parent: None,
        verified_tip: Some(object(2)),
        checked_at: None,
        settings: RepositorySettings {
            reviews: ReviewIntake {
                agent_logins: Some(vec!["shop-agent[bot]".to_owned()]),
                authority: Some([("alice".to_owned(), 1_000_000)].into()),
                ..ReviewIntake::default()
            },
            memory_token_budget: Some(3_000),
            tiers: Tiers { rules: Some(false), ..Tiers::default() },
            control: ControlParts { off: Some(100_000), ..ControlParts::default() },
            capture: CaptureOwn { conversation: Some(Capture::Decisions), retention_days: Some(30) },
            rules: RulesOwn { quorum_weight: Some(2_000_000), ..RulesOwn::default() },
            preferences: PreferencesOwn { implicit: Some(false) },
            reflection: ReflectionOwn { every_tasks: Some(20), every_hours: Some(48), min_episodes: Some(4) },
        },
        created_at: time(1),
        updated_at: time(2),
    })
}

/// Returns a citation of lines in a path, with a snippet.
pub fn citation(path: &str) -> Citation {
    let place = LineRange { path: path.to_owned(), line_start: 3, line_end: 4 };
    let anchor = Anchor {
        is_uncommitted: false,
        place: place.clone(),
        commit: Some(object(3)),
        blob: object(4),
        snippet_hash: format!("vm1:{:032x}", 7),
        lines: vec!["fn answer() -> u8 {".to_owned(), "42".to_owned()],
        line_hashes: vec![u64::MAX, 2],
        context_before: vec![3],
        context_after: vec![4, 5],
        packed: (u64::MAX - 1, 21),
        info: 9,
        indent_profile: 6,
        symbol: Some("answer".to_owned()),
        grounded: vec!["answer".to_owned()],
    };
    Citation { anchor, current: None, earlier_paths: Vec::new() }
}

/// Returns the fact of the `number`th record: active, with one citation of `path`, confirmed
/// `number` seconds after the start, with a retention of a year. Its content is unique for each
/// number.
pub fn fact(memory: &MemoryId, repository: u32, number: u32, path: &str) -> Result<Fact> {
    let at = time(i64::from(number));
    Ok(Fact {
        memory: memory.clone(),
        record: record_id(number)?,
        repository: repository_id(repository)?,
        content_hash: format!("{number:064x}"),
        status: RecordState::Active,
        proposed: false,
        refreshed_at: at,
        created_at: at,
        last_used_at: Some(time(i64::from(number) + 1)),
        expires_at: at.plus_days(365),
        counters: FactCounters::default(),
        detail: FactDetail {
            citations: vec![citation(path)],
            claims: vec![Claim::Contains { citation: 0, literal: "42".to_owned() }],
            source: FactSource {
                created_by: Some("reviewer".to_owned()),
                principal: "ann".to_owned(),
                agent: Some("agent".to_owned()),
                session: Some("s1".to_owned()),
                reference: Some("refs/heads/main".to_owned()),
                commit: Some(object(3)),
                kind: Some("merged".to_owned()),
            },
            flags: vec!["UNGROUNDED".to_owned()],
            last_verified: Some(LastVerified {
                at,
                by: "loci".to_owned(),
                commit: object(3),
                verdict: Verdict::Valid,
            }),
            support: Some(support()),
            gone: Some(GoneSince { at, commits: vec![object(5)] }),
            invalidated: Some(("ann".to_owned(), at)),
        },
    })
}

/// Returns the `number`th event, of the record with that number if given, `number` seconds after
/// the start.
pub fn fact_event(
    memory: &MemoryId,
    number: u32,
    kind: FactEventKind,
    record: Option<u32>,
) -> Result<FactEvent> {
    Ok(FactEvent {
        id: format!("00000000-0000-7000-a000-{number:012x}"),
        memory: memory.clone(),
        repository: repository_id(1)?,
        record: record.map(record_id).transpose()?,
        kind,
        at: time(i64::from(number)),
        principal: "ann".to_owned(),
        agent: Some("agent".to_owned()),
        session: Some("s1".to_owned()),
        duration_ms: None,
        reference: Some("refs/heads/main".to_owned()),
        commit: Some(object(3)),
        verdict: None,
        method: None,
        cause: None,
        details: Some(Document::parse(r#"{"outcome":"helped"}"#)?),
    })
}

fn support() -> SupportReport {
    SupportReport {
        found: vec!["MAX_ITEMS".to_owned()],
        missing: vec!["50".to_owned()],
        ..SupportReport::new(Support::NotChecked, SupportReason::NamesMissing)
    }
}

/// Returns a stored verification of the `number`th record at a commit.
pub fn kept_verdict(number: u32, commit: ObjectId, seconds: i64) -> Result<KeptVerdict> {
    let mut found = CitationVerdict::new(Verdict::Drifted, Method::Fuzzy);
    found.diff = Some("-a\n+b".to_owned());
    found.similarity = Some(0.75);
    Ok(KeptVerdict {
        record: record_id(number)?,
        digest: format!("{number:064x}"),
        commit,
        at: time(seconds),
        verification: Verification {
            verdict: Verdict::Drifted,
            citations: vec![found],
            claims: vec![ClaimOutcome {
                index: 0,
                holds: None,
                detail: Some("odd".to_owned()),
                unverifiable: Some(Unverifiable::TooLarge),
            }],
            support: Some(support()),
        },
    })
}
