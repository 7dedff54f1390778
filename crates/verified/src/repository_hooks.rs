//! The hooks by which other products follow repositories and the facts stored for them.

use futures::future::BoxFuture;
use loci_model::facts::code::ObjectId;
use loci_model::facts::repository::Repository;
use loci_model::ports::ids::IdSource;
use loci_model::ports::store::{ReadTx, Tx};
use loci_model::{ActorId, MemoryId, Result, SessionId, Timestamp};

use crate::Verified;

/// The work of a product on repositories. By default, each method does nothing.
pub trait RepositoryHooks: Send + Sync {
    /// Runs after a check of a repository, inside the write that records it. `tip` is the tip of
    /// its default branch.
    ///
    /// # Errors
    /// An error aborts the write.
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

    /// Runs at the end of a round over a repository, after the write of [`Self::checked`].
    fn round_ended<'a>(
        &'a self,
        _verified: &'a Verified,
        _repository: &'a Repository,
        _now: Timestamp,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async { Ok(()) })
    }

    /// Runs at a new tip of the default branch, before its facts are verified there. Returns true
    /// if everything could be read; otherwise a later round repeats the call.
    fn tip_arrived<'a>(
        &'a self,
        _verified: &'a Verified,
        _repository: &'a Repository,
        _tip: ObjectId,
    ) -> BoxFuture<'a, Result<bool>> {
        Box::pin(async { Ok(true) })
    }

    /// Returns the session of a fact that is stored under a label, if this product knows it.
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
