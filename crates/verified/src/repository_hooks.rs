//! The hooks by which other products follow repositories and the facts that are stored for them.

use futures::future::BoxFuture;
use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::ports::ids::IdSource;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::{ActorId, MemoryId, Result, SessionId, Timestamp};

use crate::Verified;

/// The work of a product on repositories. By default, each method does nothing.
pub trait RepositoryHooks: Send + Sync {
    /// A repository was looked at, inside the write that notes it; `tip`: its default branch is
    /// there.
    ///
    /// # Errors
    /// Ends the write.
    fn checked(
        &self,
        _tx: &mut dyn Tx,
        _repository: &Repository,
        _tip: Option<&ObjectId>,
        _ids: &dyn IdSource,
        _now: Timestamp,
    ) -> Result<()> {
        Ok(())
    }

    /// A round over a repository is at its end; behind the write of [`Self::checked`].
    fn round_ended<'a>(
        &'a self,
        _verified: &'a Verified,
        _repository: &'a Repository,
        _now: Timestamp,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// The default branch came to a tip, before its facts are verified there. Returns whether
    /// everything could be read; otherwise a later round asks again.
    fn tip_arrived<'a>(
        &'a self,
        _verified: &'a Verified,
        _repository: &'a Repository,
        _tip: ObjectId,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async { Ok(true) })
    }

    /// Returns the session of a fact that is stored under a label, where this product knows it.
    fn session_of_label(&self, _label: &str) -> Option<SessionId> {
        None
    }

    /// Returns the reason why facts under a label are held back, if they are.
    ///
    /// # Errors
    /// Errors of the store.
    fn held_back(
        &self,
        _tx: &dyn ReadTx,
        _memory: &MemoryId,
        _actor: Option<&ActorId>,
        _label: Option<&str>,
    ) -> Result<Option<String>> {
        Ok(None)
    }
}
