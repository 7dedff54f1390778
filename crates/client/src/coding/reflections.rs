//! Calls that request reflections over episodes and tasks.

use loci_api::coding::reflection::{Reflect, ReflectAsked, RepositoryReflect, RepositoryReflectAsked};
use loci_api::coding::table as api;

use crate::call::Client;
use crate::call_target::at;
use crate::error::ClientError;

impl Client {
    /// Requests a reflection over the newest episodes of a strategy.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn strategy_reflect(
        &self,
        memory: &str,
        strategy: &str,
        reflect: &Reflect,
    ) -> Result<ReflectAsked, ClientError> {
        self.send(at(&api::STRATEGY_REFLECT, &[memory, strategy]), reflect).await
    }

    /// Requests a reflection over the newest tasks of a repository.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn repository_reflect(
        &self,
        (owner, name): (&str, &str),
        reflect: &RepositoryReflect,
    ) -> Result<RepositoryReflectAsked, ClientError> {
        self.send(at(&api::REPOSITORY_REFLECT, &[owner, name]), reflect).await
    }
}
