//! Facts, verdicts and lists as the family returns them (verified-memory.md §§2.1, 6.1, 12).

use loci_model::facts::citation::{Citation, Place};
use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::FactEvent;
use loci_model::facts::support::{OtherValue, SupportReport};
use loci_model::facts::verdict::{CitationVerdict, Method, Verdict, Verification};
use loci_model::record::RecordState;
use loci_model::{RecordId, Timestamp};
use loci_verified::{FactList, FactView, ShownCode, bare_id};
use serde_json::{Map, Value, json};

/// Excerpts are cut at so many bytes.
const EXCERPT_BYTES_MAX: usize = 8_192;

/// Facts that were kept back are named up to so many; all are counted.
const WITHHELD_SHOWN: usize = 20;

/// An id as these tools return it.
pub(in crate::tools) fn id(id: &RecordId) -> Value {
    bare_id(id).into()
}

/// A point in time.
pub(in crate::tools) fn time(time: Option<Timestamp>) -> Value {
    time.map(Timestamp::to_rfc3339).into()
}

/// An object.
pub(in crate::tools) fn object(id: Option<ObjectId>) -> Value {
    id.map(|id| id.to_string()).into()
}

fn status(status: RecordState) -> &'static str {
    match status {
        RecordState::Active => "active",
        RecordState::Superseded => "superseded",
        RecordState::Invalid => "invalid",
        RecordState::Expired => "expired",
        // Held back, whatever for: reads never return these.
        RecordState::Quarantined
        | RecordState::Candidate
        | RecordState::Stale
        | RecordState::Archived
        | RecordState::RolledBack
        | RecordState::Erased => "quarantined",
    }
}

/// A fact with its citations: enough to be verified by giving them back.
pub(in crate::tools) fn fact(view: &FactView) -> Value {
    let (record, fact) = (&view.remembered.record, &view.remembered.fact);
    let mut said = json!({
        "id": id(&record.id),
        "repo": view.repo,
        "subject": view.remembered.subject(),
        "fact": record.text,
        "citations": fact.detail.citations.iter().map(citation).collect::<Vec<_>>(),
        "reason": record.description,
        "refreshed_at": fact.refreshed_at.to_rfc3339(),
        "verification_count": fact.counters.verifications,
        "status": status(fact.status),
    });
    let Some(members) = said.as_object_mut() else { return said };
    if let Some(verdict) = view.verdict() {
        members.insert("verdict".to_owned(), verdict.as_str().into());
        members.insert("assurance".to_owned(), view.assurance().as_str().into());
        members.insert("label".to_owned(), view.label().into());
    }
    if let Some(report) = view.support() {
        members.insert("support".to_owned(), support(report));
    }
    if let Some(change) = change(view) {
        members.insert("change".to_owned(), change);
    }
    if let (true, Some(members)) = (view.is_source_abandoned, said.as_object_mut()) {
        members.insert("abandoned_source".to_owned(), true.into());
    }
    if let (false, Some(members)) = (view.conflicts_with.is_empty(), said.as_object_mut()) {
        members.insert("conflicts_with".to_owned(), view.conflicts_with.iter().map(id).collect());
    }
    said
}

/// The verdict of the code on a fact.
pub(in crate::tools) fn support(report: &SupportReport) -> Value {
    let SupportReport { support, reason, found, missing, other_values } = report;
    let mut said = json!({ "verdict": support.as_str(), "reason": reason.as_str() });
    let Some(members) = said.as_object_mut() else { return said };
    for (name, list) in [("found", found), ("missing", missing)] {
        if !list.is_empty() {
            members.insert(name.to_owned(), json!(list));
        }
    }
    if !other_values.is_empty() {
        let other = |one: &OtherValue| {
            let OtherValue { name, stated, found, place } = one;
            json!({ "name": name, "stated": stated, "found": found, "place": at(place, None) })
        };
        members.insert("other_values".to_owned(), other_values.iter().map(other).collect());
    }
    said
}

/// A fact with everything that is known of it.
pub(in crate::tools) fn whole(view: &FactView) -> Value {
    let (record, fact) = (&view.remembered.record, &view.remembered.fact);
    let (detail, source) = (&fact.detail, &fact.detail.source);
    let mut said = self::fact(view);
    let Some(members) = said.as_object_mut() else { return said };
    let last = detail.last_verified.as_ref();
    let more = json!({
        "created_at": fact.created_at.to_rfc3339(),
        "created_by": source.created_by,
        "principal": source.principal,
        "agent_id": source.agent,
        "session_id": source.session,
        "source_ref": source.reference,
        "source_commit": object(source.commit),
        "source_kind": source.kind,
        "last_verified_at": time(last.map(|last| last.at)),
        "last_verified_by": last.map(|last| last.by.clone()),
        "last_verified_commit": object(last.map(|last| last.commit)),
        "last_used_at": time(fact.last_used_at),
        "rejection_count": fact.counters.rejections,
        "applied_count": fact.counters.applied,
        "retrieved_count": fact.counters.retrieved,
        "supersedes_id": record.supersedes.first().map(id),
        "superseded_by_id": record.superseded_by.as_ref().map(id),
        "expires_at": fact.expires_at.to_rfc3339(),
        "claims": detail.claims,
        "verified_at": time(last.map(|last| last.at)),
        "verified_commit": object(last.map(|last| last.commit)),
        "flags": detail.flags,
        "status_reason": record.state_reason,
    });
    if let Value::Object(more) = more {
        members.extend(more);
    }
    if let (None, Some(last)) = (view.verdict(), last) {
        members.insert("verdict".to_owned(), last.verdict.as_str().into());
    }
    if let (None, Some(report)) = (view.support(), &detail.support) {
        members.insert("support".to_owned(), support(report));
    }
    said
}

/// A fact that was kept back, with the reason by citation, and the places to read instead. It has
/// no statement.
pub(in crate::tools) fn withheld(view: &FactView) -> Value {
    let checked = view.verification.iter().flat_map(|verification| &verification.citations);
    let wrong = checked.zip(&view.remembered.fact.detail.citations).filter_map(|(verdict, citation)| {
        let Place { path, line_start, line_end } = &citation.anchor.place;
        Some(format!("{path}:{line_start}-{line_end} {}", verdict.error_word()?))
    });
    let claims = view.verification.iter().flat_map(|verification| &verification.claims);
    let untrue = claims.filter(|claim| claim.holds == Some(false)).map(|claim| {
        format!("claim {} is false: {}", claim.index, claim.detail.as_deref().unwrap_or("it does not hold"))
    });
    let others = view.support().into_iter().flat_map(|report| &report.other_values).map(OtherValue::shown);
    let mut said = json!({
        "id": id(&view.remembered.record.id),
        "subject": view.remembered.subject(),
        "status": status(view.remembered.fact.status),
        "verdict": view.verdict().map(Verdict::as_str),
        "assurance": view.assurance().as_str(),
        "why": wrong.chain(untrue).chain(others).collect::<Vec<_>>(),
        "places": view.places_now().iter().map(|place| at(place, None)).collect::<Vec<_>>(),
    });
    if let (Some(change), Some(members)) = (change(view), said.as_object_mut()) {
        members.insert("change".to_owned(), change);
    }
    said
}

/// The short difference of changed code, with its place.
fn change(view: &FactView) -> Option<Value> {
    let (place, lines) = view.short_diff()?;
    let mut change = at(&place, None);
    change.as_object_mut()?.insert("diff".to_owned(), lines.join("\n").into());
    Some(change)
}

fn citation(citation: &Citation) -> Value {
    let anchor = &citation.anchor;
    let mut said = json!({
        "path": anchor.place.path,
        "line_start": anchor.place.line_start,
        "line_end": anchor.place.line_end,
        "snippet_hash": anchor.snippet_hash,
        "blob": anchor.blob.to_string(),
    });
    let Some(members) = said.as_object_mut() else { return said };
    if let Some(commit) = anchor.commit.filter(|_| !anchor.is_uncommitted) {
        members.insert("sha".to_owned(), commit.to_string().into());
    }
    if let Some(symbol) = &anchor.symbol {
        members.insert("symbol".to_owned(), symbol.clone().into());
    }
    if let Some((place, commit)) = &citation.current {
        members.insert("current".to_owned(), at(place, Some(*commit)));
    }
    said
}

fn at(place: &Place, commit: Option<ObjectId>) -> Value {
    let mut said = json!({ "path": place.path, "line_start": place.line_start, "line_end": place.line_end });
    if let (Some(commit), Some(members)) = (commit, said.as_object_mut()) {
        members.insert("commit".to_owned(), commit.to_string().into());
    }
    said
}

/// A verification: the source design's members first (§6.1). `cited`: the places, in the order of the verdicts; `contents`: the
/// lines found there, where they were read.
pub(in crate::tools) fn verification(
    verification: &Verification,
    cited: &[Place],
    contents: &[Option<String>],
    commit: Option<ObjectId>,
) -> Map<String, Value> {
    let counted = |verdicts: &[Verdict]| {
        verification.citations.iter().filter(|one| verdicts.contains(&one.verdict)).count()
    };
    let citations = verification.citations.iter().zip(cited).enumerate().map(|(index, (verdict, place))| {
        checked(verdict, place, contents.get(index).and_then(Option::as_deref), commit)
    });
    let mut said = Map::new();
    said.insert("valid".to_owned(), (verification.verdict == Verdict::Valid).into());
    said.insert("citations".to_owned(), citations.collect());
    said.insert("valid_count".to_owned(), counted(&[Verdict::Valid]).into());
    let bad = [Verdict::Drifted, Verdict::Gone, Verdict::Contradicted];
    said.insert("invalid_count".to_owned(), counted(&bad).into());
    said.insert("unverifiable_count".to_owned(), counted(&[Verdict::Unverifiable]).into());
    said.insert("verdict".to_owned(), verification.verdict.as_str().into());
    if !verification.claims.is_empty() {
        said.insert("claims".to_owned(), json!(verification.claims));
    }
    if let Some(report) = &verification.support {
        said.insert("support".to_owned(), support(report));
    }
    said
}

/// The places that a fact cites.
pub(in crate::tools) fn cited(view: &FactView) -> Vec<Place> {
    let citations = &view.remembered.fact.detail.citations;
    citations.iter().map(|citation| citation.anchor.place.clone()).collect()
}

fn checked(
    verdict: &CitationVerdict,
    place: &Place,
    content: Option<&str>,
    commit: Option<ObjectId>,
) -> Value {
    let exists = match verdict.verdict {
        Verdict::Valid | Verdict::Drifted | Verdict::Contradicted => true,
        Verdict::Gone => verdict.in_bounds,
        Verdict::Unverifiable => false,
    };
    let mut said = json!({
        "path": place.path,
        "line_start": place.line_start,
        "line_end": place.line_end,
        "exists": exists,
        "verdict": verdict.verdict.as_str(),
        "method": verdict.method.as_str(),
    });
    let Some(members) = said.as_object_mut() else { return said };
    let mut add = |name: &str, value: Option<Value>| {
        if let Some(value) = value {
            members.insert(name.to_owned(), value);
        }
    };
    let shown = content.map(ShownCode::of);
    let diff = verdict.diff.as_deref().map(ShownCode::of);
    add("content", shown.as_ref().map(|shown| cut(&shown.text).into()));
    let excerpts = || shown.iter().chain(&diff);
    let is_cut = excerpts().any(|shown| shown.text.len() > EXCERPT_BYTES_MAX);
    add("truncated", is_cut.then_some(Value::Bool(true)));
    add("error", verdict.error_word().map(Value::from));
    add("similarity", verdict.similarity.map(Value::from));
    add("drift", verdict.drift.map(|drift| drift.as_str().into()));
    add("unverifiable_reason", verdict.unverifiable.map(|why| why.as_str().into()));
    add("retry_after_ms", verdict.retry_after_ms.map(Value::from));
    let moved =
        verdict.found.as_ref().filter(|found| *found != place && verdict.method != Method::Unanchored);
    add("moved_to", moved.map(|found| at(found, commit)));
    add("blob", verdict.blob.map(|blob| blob.to_string().into()));
    add("diff", diff.as_ref().map(|diff| cut(&diff.text).into()));
    excerpts().flat_map(changed).for_each(|(name, value)| add(&name, Some(value)));
    add("reindented", verdict.reindented.then_some(Value::Bool(true)));
    said
}

/// What was changed of code that is shown; nothing where it is shown as it is.
pub(in crate::tools) fn changed(shown: &ShownCode) -> Map<String, Value> {
    let hidden = shown.hidden.then(|| ("hidden_characters".to_owned(), true.into()));
    let masked = (!shown.masked.is_empty()).then(|| ("masked".to_owned(), json!(shown.masked)));
    hidden.into_iter().chain(masked).collect()
}

fn cut(text: &str) -> &str {
    if text.len() <= EXCERPT_BYTES_MAX {
        return text;
    }
    let end = (0..=EXCERPT_BYTES_MAX).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    text.get(..end).unwrap_or_default()
}

/// The next step where nothing is known.
fn hint(repo: &str) -> String {
    format!(
        "No facts are stored about {repo}, or none that were asked for. Store a fact with the lines that \
        prove it: memory_store, \
         or loci fact store --subject WORDS --cite PATH:FIRST-LAST \"The fact\"."
    )
}

/// What a read returns.
pub(in crate::tools) fn list(list: &FactList) -> Map<String, Value> {
    let mut said = Map::new();
    said.insert("repo".to_owned(), list.repo.clone().into());
    said.insert("ref".to_owned(), list.reference.clone().into());
    said.insert("commit".to_owned(), object(list.commit));
    said.insert("memories".to_owned(), list.facts.iter().map(fact).collect());
    if list.facts.is_empty() && list.withheld.is_empty() {
        said.insert("hint".to_owned(), hint(&list.repo).into());
    }
    let omitted = list.omitted;
    let counts = [
        ("gone", omitted.gone),
        ("contradicted", omitted.contradicted),
        ("drifted", omitted.drifted),
        ("unverifiable", omitted.unverifiable),
        ("budget", omitted.budget),
    ];
    let counts = counts.into_iter().filter(|(_, count)| *count > 0);
    said.insert(
        "omitted".to_owned(),
        Value::Object(counts.map(|(name, count)| (name.to_owned(), count.into())).collect()),
    );
    if !list.withheld.is_empty() {
        let shown = list.withheld.iter().take(WITHHELD_SHOWN);
        said.insert("withheld".to_owned(), shown.map(withheld).collect());
    }
    if let Some(prompt) = &list.prompt {
        said.insert("prompt".to_owned(), prompt.clone().into());
    }
    if list.dirty {
        said.insert("dirty".to_owned(), true.into());
    }
    if !list.warnings.is_empty() {
        said.insert("warnings".to_owned(), json!(list.warnings));
    }
    said
}

/// Something that happened.
pub(in crate::tools) fn event(event: &FactEvent) -> Value {
    let mut details = event
        .details
        .as_ref()
        .and_then(|details| details.value().ok())
        .and_then(|value| value.as_object().cloned())
        .unwrap_or_default();
    if let Some(cause) = &event.cause {
        details.insert("cause".to_owned(), cause.clone().into());
    }
    json!({
        "event": event.kind.as_str(),
        "at": event.at.to_rfc3339(),
        "memory_id": event.record.as_ref().map(id),
        "principal": event.principal,
        "agent_id": event.agent,
        "session_id": event.session,
        "ref": event.reference,
        "commit": object(event.commit),
        "verdict": event.verdict.map(|verdict| verdict.as_str()),
        "method": event.method.map(|method| method.as_str()),
        "duration_ms": event.duration_ms,
        "details": details,
    })
}
