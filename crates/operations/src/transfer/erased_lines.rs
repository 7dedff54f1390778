//! Lines of an import whose records were erased in this memory: by their id in the source memory,
//! or with their user. Statements made after the erasure of a user can be imported.

use loci_engine::admin::erasure::{SRE_FORMAT, Source, Tombstones, refusal};
use loci_engine::calls::idempotency::IfErased;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::services::knowledge::SreType;
use loci_model::{ActorId, Error, Namespace, Result, Timestamp};

use super::record_lines::SreLine;
use crate::records::namespace_rules;
use crate::settings::SreSettings;

/// A line and its destination.
pub(super) struct LinePlace<'a> {
    pub(super) line: &'a SreLine,
    /// The user or agent of the line.
    pub(super) actor: &'a ActorId,
    pub(super) namespace: &'a Namespace,
    pub(super) settings: &'a SreSettings,
}

impl LinePlace<'_> {
    /// Checks that nothing of the line was erased, or lifts its tombstones.
    ///
    /// # Errors
    /// `Conflict` with the date of the erasure; errors of the store and the vault.
    pub(super) fn restore_or_refuse(
        &self,
        tx: &mut dyn Tx,
        tombstones: &Tombstones<'_>,
        if_erased: IfErased,
    ) -> Result<()> {
        if if_erased != IfErased::Restore {
            return self.refuse(tx, tombstones);
        }
        let normal = self.namespace.normal();
        for source in self.sources(&normal).into_iter().flatten() {
            tombstones.lift(tx, &source)?;
        }
        Ok(())
    }

    /// Rejects a line of which something was erased.
    ///
    /// # Errors
    /// As [`LinePlace::restore_or_refuse`].
    pub(super) fn refuse(&self, tx: &dyn ReadTx, tombstones: &Tombstones<'_>) -> Result<()> {
        match self.erased_at(tx, tombstones)? {
            Some(at) => Err(refused(at)),
            None => Ok(()),
        }
    }

    fn erased_at(&self, tx: &dyn ReadTx, tombstones: &Tombstones<'_>) -> Result<Option<Timestamp>> {
        let normal = self.namespace.normal();
        for source in self.sources(&normal).into_iter().flatten() {
            if let Some(at) = tombstones.get(tx, &source)? {
                return Ok(Some(at));
            }
        }
        let owner = self.line.private_to.as_deref();
        let owner = owner
            .map(|owner| namespace_rules::actor(SreType::Preferences, owner, self.settings))
            .transpose()?;
        for actor in [Some(self.actor), owner.as_ref()].into_iter().flatten() {
            let erased = tombstones.get(tx, &Source::Actor(actor))?;
            if let Some(at) = erased.filter(|at| self.line.observed_at <= *at) {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// Returns the identifiers under which the line's record may have been erased.
    fn sources<'s>(&'s self, namespace: &'s str) -> [Option<Source<'s>>; 3] {
        let Some(record) = &self.line.record else { return [None, None, None] };
        let item = |namespace| Source::Item { format: SRE_FORMAT, id: record.as_str(), namespace };
        [Some(Source::Record(record)), Some(item(Some(namespace))), Some(item(None))]
    }
}

fn refused(at: Timestamp) -> Error {
    refusal("the record of this line", at).on("record_id")
}
