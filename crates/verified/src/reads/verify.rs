//! `fact_verify`: verifies the cited code of a stored fact at a revision.

use loci_engine::memories::existing;
use loci_model::facts::code::ObjectId;
use loci_model::facts::fact::FactEvent;
use loci_model::facts::verdict::Verification;
use loci_model::ports::store::StoreExt;
use loci_model::principal::{Capability, Principal};
use loci_model::{RecordId, Result};

use super::answers::VerifyMode;
use crate::Verified;
use crate::facts::events::Scene;
use crate::facts::fact_record::Remembered;
use crate::facts::lookup::LocatedFact;
use crate::remote_verification::reported_verdicts::ReportedVerdicts;
use crate::repositories::code_access::{HEAD, check_ref};
use crate::verification::verdicts::CodeVerdicts;
use loci_engine::calls::call_context::CallContext;

/// A verification with its receipt.
#[derive(Debug, Clone, PartialEq)]
pub struct VerifyAnswer {
    /// The scope key of the repository.
    pub repo: String,
    /// The revision that the caller requested, as text.
    pub reference: String,
    /// The commit to which the requested revision resolved.
    pub commit: Option<ObjectId>,
    /// True if the working tree was read.
    pub dirty: bool,
    /// The result of the verification at the requested revision.
    pub verification: Verification,
    /// The fact, if a fact was verified.
    pub remembered: Option<Remembered>,
    /// The id of the verification. It is valid as a receipt for some minutes.
    pub receipt: String,
    /// The text of the lines where each citation was found, if it was.
    pub contents: Vec<Option<String>>,
    /// Warnings for the caller.
    pub warnings: Vec<String>,
}

impl Verified {
    /// Verifies a stored fact now.
    ///
    /// # Errors
    /// `NotFound`; `REF_NOT_FOUND` for a named revision that does not exist.
    pub async fn fact_verify(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &RecordId,
        reference: Option<&str>,
    ) -> Result<VerifyAnswer> {
        reference.map_or(Ok(()), check_ref)?;
        let located = self.locate(caller, standing, id, Capability::Read).await?;
        let (verified, _) = self.verify_located(caller, standing, &located, reference).await?;
        let at = Some(verified.reference.as_str());
        let contents =
            self.found_lines(&located.found.repository, standing, at, &verified.verification).await;
        Ok(VerifyAnswer { contents, ..verified })
    }

    /// Verifies a stored fact by a verdict that the caller reports.
    ///
    /// # Errors
    /// `NotFound`; `Invalid` for malformed verdicts.
    pub async fn fact_verify_told(
        &self,
        caller: &Principal,
        standing: &CallContext,
        id: &RecordId,
        told: &ReportedVerdicts,
    ) -> Result<VerifyAnswer> {
        let located = self.locate(caller, standing, id, Capability::Read).await?;
        let (repository, facts) = (&located.found.repository, std::slice::from_ref(&located.remembered));
        let mut looked = self.look_posted(caller, standing, repository, told, facts).await?;
        // A caller that requests this verification gets an event and a receipt, even if it reported
        // no verdict.
        looked.checked.iter_mut().for_each(|one| one.is_new = true);
        let (verified, _) = self.note_verified(caller, standing, &located, told.reference(), looked).await?;
        Ok(VerifyAnswer { contents: told.contents(id), ..verified })
    }

    /// Verifies a located fact and stores the consequences. The second value is true if the tip of
    /// the default branch was read.
    pub(crate) async fn verify_located(
        &self,
        caller: &Principal,
        standing: &CallContext,
        located: &LocatedFact,
        reference: Option<&str>,
    ) -> Result<(VerifyAnswer, bool)> {
        let facts = [located.remembered.clone()];
        let repository = &located.found.repository;
        let reference = self.revision_of(repository, standing, reference).await;
        let looked = self.look(repository, standing, reference.as_deref(), &facts, VerifyMode::Fresh).await?;
        self.note_verified(caller, standing, located, reference.as_deref().unwrap_or(HEAD), looked).await
    }

    /// Stores the result of a verification. The second value is true if the tip of the default
    /// branch was read.
    async fn note_verified(
        &self,
        caller: &Principal,
        standing: &CallContext,
        located: &LocatedFact,
        name: &str,
        looked: CodeVerdicts,
    ) -> Result<(VerifyAnswer, bool)> {
        let repository = &located.found.repository;
        let tip = looked.tip.clone();
        let scene = Scene::new(caller, standing, &repository.memory, &repository.id, self.engine.now())
            .at_revision(name, tip.as_ref().and_then(|tip| tip.commit()));
        let (verified, names) = (self.clone(), [located.remembered.record.id.clone()]);
        let (writing, checked) = (scene.clone(), looked.clone());
        let receipt = self
            .engine
            .store()
            .write(move |tx| {
                let memory = existing(tx, &writing.memory)?;
                verified.write_checked(tx, &memory, &writing, &names, &checked, checked.origin())?;
                let [id] = &names;
                let newest = tx.fact_events().newest(
                    &memory.id,
                    id,
                    crate::facts::receipts::VERIFICATIONS,
                    writing.at,
                    None,
                )?;
                Ok(newest.map(|event: FactEvent| event.id))
            })
            .await?;
        let mut warnings = Vec::new();
        if let Some(error) = &looked.error {
            warnings.push(format!("UNVERIFIABLE: {} ({})", error.detail, error.why.as_str()));
        }
        if !located.remembered.is_whole() {
            warnings.push(
                "CHANGED: the text was edited after its citations were stored: store it again".to_owned(),
            );
        }
        let is_default = tip.as_ref().is_some_and(|tip| tip.is_default);
        let verification = looked.checked.into_iter().next().map(|one| one.verification);
        let verified = VerifyAnswer {
            repo: repository.key.clone(),
            reference: name.to_owned(),
            commit: tip.as_ref().and_then(|tip| tip.commit()),
            dirty: tip.is_some_and(|tip| tip.revision.is_dirty()),
            verification: verification
                .ok_or_else(|| loci_model::Error::bug("a verification gave no verdict"))?,
            remembered: Some(located.remembered.clone()),
            receipt: receipt.unwrap_or_default(),
            contents: Vec::new(),
            warnings,
        };
        Ok((verified, is_default))
    }
}
