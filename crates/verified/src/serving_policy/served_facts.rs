//! Serves facts: it verifies them, withholds those that do not hold, and records the returned ones
//! before the answer is sent.

use std::collections::HashMap;
use std::sync::Arc;

use loci_api::verified::fact::OmittedFacts;
use loci_engine::memories::existing;
use loci_engine::safety::Patterns;
use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::{Fact, FactEvent, FactEventKind};
use loci_model::facts::repository::Repository;
use loci_model::facts::verdict::{Verdict, Verification};
use loci_model::memory::Memory;
use loci_model::ports::store::{ReadTx, StoreExt, Tx};
use loci_model::principal::Principal;
use loci_model::record::RecordState;
use loci_model::{RecordId, Result, Timestamp};

use super::missing_code::is_gone;
use super::prompt_block;
use super::withheld_statements::{self, WithholdingPolicy};
use crate::Verified;
use crate::facts::events::Scene;
use crate::facts::fact_record::{Remembered, digest};
use crate::facts::flags;
use crate::reads::answers::{FactList, FactView, VerifyMode};
use crate::remote_verification::reported_verdicts::ReportedVerdicts;
use crate::repositories::code_access::HEAD;
use crate::verification::state_change::{FactVerification, Origin, settle, turns};
use crate::verification::state_write;
use crate::verification::verdicts::{Checked, CodeVerdicts};
use loci_engine::calls::call_context::CallContext;

/// The options of a read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FactReadOptions {
    /// The verification mode.
    pub verify: VerifyMode,
    /// The revision. `None` is the caller's working tree, or else `HEAD`.
    pub reference: Option<String>,
    /// Requests a block for a prompt, with an optional token budget.
    pub prompt: Option<Option<u32>>,
    /// The verdicts that the caller reports, in place of a look on this server.
    pub told: Option<Arc<ReportedVerdicts>>,
    /// The maximum number of facts returned. More may be verified; operations with a limit set it
    /// themselves.
    pub most: Option<u32>,
}

impl Verified {
    /// Verifies facts and returns those that hold.
    pub(crate) async fn serve(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repository: &Repository,
        facts: Vec<Remembered>,
        serving: &FactReadOptions,
    ) -> Result<FactList> {
        self.check_verify(caller, standing, &repository.memory, serving)?;
        let serving = &self.at_revision(repository, standing, serving).await;
        let reference = serving.reference.as_deref();
        let looked = match &serving.told {
            Some(told) => self.look_posted(caller, standing, repository, told, &facts).await?,
            None => self.look(repository, standing, reference, &facts, serving.verify).await?,
        };
        self.serve_looked(caller, standing, repository, facts, serving, looked).await
    }

    /// Returns the options with the default revision if none is named.
    pub(crate) async fn at_revision(
        &self,
        repository: &Repository,
        standing: &CallContext,
        serving: &FactReadOptions,
    ) -> FactReadOptions {
        let named = serving.reference.as_deref();
        let reference = match serving.told {
            Some(_) => named.map(str::to_owned),
            None => self.revision_of(repository, standing, named).await,
        };
        FactReadOptions { reference, ..serving.clone() }
    }

    /// Returns those of some facts that hold according to a look, in their order.
    pub(crate) async fn serve_looked(
        &self,
        caller: &Principal,
        standing: &CallContext,
        repository: &Repository,
        facts: Vec<Remembered>,
        serving: &FactReadOptions,
        looked: CodeVerdicts,
    ) -> Result<FactList> {
        let names: Vec<RecordId> = facts.iter().map(|fact| fact.record.id.clone()).collect();
        let withholding = self.withholding(caller, &repository.memory, standing, serving.prompt.is_some());
        let sifted = sift(repository, facts, &looked, serving.most, withholding);
        let Sifted { mut views, withheld, mut omitted } = sifted;
        let unstated: Vec<&FactView> = withheld.iter().filter(|view| withholding.hides(view)).collect();
        let mut warnings: Vec<String> = withheld_statements::warning(unstated.len()).into_iter().collect();
        if let Some(error) = &looked.error {
            warnings.push(format!("UNVERIFIABLE: {} ({})", error.detail, error.why.as_str()));
        }
        if serving.verify == VerifyMode::None && !views.is_empty() {
            warnings.push("NOT_VERIFIED: nothing was checked, as asked for".to_owned());
        }
        let prompt = serving.prompt.map(|tokens| {
            let patterns = Patterns::in_force(self.engine.settings().patterns);
            // A block that shows places only, or facts beyond its budget, does not count the
            // others.
            let is_bare = views.is_empty() && unstated.is_empty();
            let counted = if is_bare { omitted } else { OmittedFacts::default() };
            let seed = self.engine.ids().random();
            let shown_facts = (views.as_slice(), unstated.as_slice());
            let (block, shown) = prompt_block::render(shown_facts, &counted, tokens, patterns, seed);
            let count = views.len();
            views.retain(|view| shown.contains(&view.remembered.record.id));
            omitted.budget = count.saturating_sub(views.len()) as u64;
            block
        });
        let told = serving.told.as_ref().map(|told| told.reference());
        let name = told.or(serving.reference.as_deref()).unwrap_or(HEAD);
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, self.engine.now())
            .at_revision(name, looked.tip.as_ref().and_then(|tip| tip.commit()));
        let served: Vec<RecordId> = views.iter().map(|view| view.remembered.record.id.clone()).collect();
        let (new_names, new) = looked.new_of(&names);
        self.write_served(scene, new_names, new, served).await?;
        Ok(FactList {
            repo: repository.key.clone(),
            reference: name.to_owned(),
            commit: looked.tip.as_ref().and_then(|tip| tip.commit()),
            dirty: looked.tip.as_ref().is_some_and(|tip| tip.revision.is_dirty()),
            facts: views,
            omitted,
            withheld,
            prompt,
            warnings,
        })
    }

    /// Stores the new verifications (`names` in their order) and the returned facts, in one
    /// transaction.
    async fn write_served(
        &self,
        scene: Scene,
        names: Vec<RecordId>,
        looked: CodeVerdicts,
        served: Vec<RecordId>,
    ) -> Result<()> {
        if served.is_empty() && looked.checked.is_empty() {
            return Ok(());
        }
        let verified = self.clone();
        self.engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &scene.memory)?;
                verified.note_served(tx, &memory, &scene, (names.as_slice(), &looked), &served)
            })
            .await
    }

    /// Stores the new verifications and the returned facts within a write.
    pub(crate) fn note_served(
        &self,
        tx: &mut dyn Tx,
        memory: &Memory,
        scene: &Scene,
        (names, looked): (&[RecordId], &CodeVerdicts),
        served: &[RecordId],
    ) -> Result<()> {
        self.write_checked(tx, memory, scene, names, looked, looked.origin())?;
        let event = |id| scene.event(self.engine.ids().as_ref(), FactEventKind::Retrieved, Some(id));
        let retrieved: Vec<FactEvent> = served.iter().map(event).collect();
        tx.fact_events_mut().append(&retrieved)?;
        tx.facts_mut().count_retrieved(&scene.memory, served)
    }

    /// Stores new verdicts on facts, `names` in the order of `looked.checked`. For a fact whose
    /// citations, claims or text changed meanwhile, it only records the verification, because the
    /// verdict applies to the earlier content. Returns true if there is no such fact.
    pub(crate) fn write_checked(
        &self,
        tx: &mut dyn Tx,
        memory: &Memory,
        scene: &Scene,
        names: &[RecordId],
        looked: &CodeVerdicts,
        origin: Origin,
    ) -> Result<bool> {
        let new: Vec<(&RecordId, &Checked)> =
            names.iter().zip(&looked.checked).filter(|(_, one)| one.is_new).collect();
        if new.is_empty() {
            return Ok(true);
        }
        let default_tip = looked.default_tip();
        // Verdicts that change no state need no comparison.
        let repository = match default_tip {
            Some(_) => tx.repositories().get(&memory.id, &scene.repository)?,
            None => None,
        };
        let quorum = repository.and_then(|repository| repository.quorum);
        let mut all_as_looked_at = true;
        let ids: Vec<RecordId> = new.iter().map(|(id, _)| (*id).clone()).collect();
        let facts = tx.facts().get_many(&memory.id, &ids)?;
        let records: HashMap<RecordId, _> = tx
            .records()
            .get_many(&memory.id, &ids)?
            .into_iter()
            .map(|record| (record.id.clone(), record))
            .collect();
        let facts: HashMap<RecordId, _> = facts.into_iter().map(|fact| (fact.record.clone(), fact)).collect();
        for (id, one) in new {
            let (Some(fact), Some(record)) = (facts.get(id), records.get(id)) else { continue };
            let is_as_looked_at = default_tip.is_none() || digest(record, fact, quorum)? == one.digest;
            all_as_looked_at &= is_as_looked_at;
            let decides = is_as_looked_at && !would_double(tx, fact, one.verification.verdict)?;
            let seen = FactVerification {
                verification: &one.verification,
                duration_ms: one.duration_ms,
                default_tip: default_tip.filter(|_| decides),
                origin,
            };
            let settled = settle(fact, &seen, scene, &self.parts.settings, self.engine.ids().as_ref())?;
            state_write::settled(tx, memory, record, &settled, &scene.principal, scene.at)?;
        }
        tx.verdicts_mut().put(&memory.id, &looked.to_keep(names, scene.at))?;
        Ok(all_as_looked_at)
    }
}

/// Returns true if a verdict would reactivate a fact although an equal one is active by now. The
/// fact then keeps its state.
fn would_double(tx: &dyn ReadTx, fact: &Fact, verdict: Verdict) -> Result<bool> {
    if fact.status != RecordState::Quarantined || !turns(fact, verdict) {
        return Ok(false);
    }
    Ok(tx.facts().active_with(&fact.memory, &fact.repository, &fact.content_hash)?.is_some())
}

/// Facts by outcome.
#[derive(Debug, Default)]
struct Sifted {
    /// The returned facts in order. Those that could not be verified come last.
    views: Vec<FactView>,
    /// The facts withheld because of their code.
    withheld: Vec<FactView>,
    omitted: OmittedFacts,
}

/// Divides facts into returned ones, at most `most`, and withheld ones. A fact quarantined because
/// its code was gone is returned if the code is there.
fn sift(
    repository: &Repository,
    facts: Vec<Remembered>,
    looked: &CodeVerdicts,
    most: Option<u32>,
    withholding: WithholdingPolicy,
) -> Sifted {
    let mut sifted = Sifted::default();
    let mut doubtful = Vec::new();
    let is_default = looked.default_tip().is_some() && !looked.is_told;
    for (place, mut fact) in facts.into_iter().enumerate() {
        let verification = looked.checked.get(place).map(|one| one.verification.clone());
        let verdict = verification.as_ref().map(|verification| verification.verdict);
        let (is_proposed, was_gone) = (fact.fact.proposed, is_gone(&fact.fact));
        if was_gone && is_default && verdict == Some(Verdict::Valid) {
            // The state that the store will have before this answer is sent.
            fact.fact.status = RecordState::Active;
        }
        if let (Some(verification), Some(tip)) = (&verification, &looked.tip) {
            show_where(&mut fact, verification, tip.commit());
        }
        let view = FactView {
            repo: repository.key.clone(),
            conflicts_with: flags::conflicts(&fact.fact.detail.flags),
            remembered: fact,
            verification,
            is_source_abandoned: false,
        };
        let omitted = &mut sifted.omitted;
        match verdict {
            Some(Verdict::Gone) => omitted.gone += 1,
            Some(Verdict::Contradicted) => omitted.contradicted += 1,
            Some(Verdict::Drifted) if was_gone || withholding.hides(&view) => omitted.drifted += 1,
            Some(Verdict::Valid) if withholding.hides(&view) => omitted.contradicted += 1,
            Some(Verdict::Unverifiable) if was_gone => omitted.unverifiable += 1,
            None if was_gone => continue,
            Some(Verdict::Unverifiable) | None if is_proposed => omitted.unproven += 1,
            Some(Verdict::Unverifiable) => {
                doubtful.push(view);
                continue;
            }
            Some(Verdict::Valid | Verdict::Drifted) | None => {
                sifted.views.push(view);
                continue;
            }
        }
        sifted.withheld.push(view);
    }
    sifted.views.append(&mut doubtful);
    if let Some(most) = most {
        sifted.views.truncate(most as usize);
    }
    sifted
}

/// Updates the places of valid citations in the returned fact. Only results for the default branch
/// are stored.
fn show_where(fact: &mut Remembered, verification: &Verification, commit: Option<ObjectId>) {
    let Some(commit) = commit else { return };
    for (citation, verdict) in fact.fact.detail.citations.iter_mut().zip(&verification.citations) {
        if let Some(found) = verdict.found.as_ref().filter(|_| verdict.verdict == Verdict::Valid) {
            let known = citation.current.as_ref().map_or(&citation.anchor.place, |(place, _)| place);
            if known != found {
                citation.current = (*found != citation.anchor.place).then(|| (found.clone(), commit));
            }
        }
    }
}

/// Returns the time after which a verification still counts as a receipt.
pub(crate) fn receipts_since(now: Timestamp, minutes: u32) -> Timestamp {
    now.plus_millis(-i64::from(minutes) * 60_000)
}
