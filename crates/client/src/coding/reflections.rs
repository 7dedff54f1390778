//! Reflections over episodes.

use http::Method;
use loci_api::coding::reflection::{Reflect, ReflectAsked, RepositoryReflect, RepositoryReflectAsked};

use crate::call::{Client, path};
use crate::error::ClientError;

impl Client {
    /// Asks for a reflection over the newest episodes of a strategy.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn strategy_reflect(
        &self,
        memory: &str,
        strategy: &str,
        reflect: &Reflect,
    ) -> Result<ReflectAsked, ClientError> {
        let place = path(&["v1", "memories", memory, "strategies", strategy, "reflect"]);
        self.send(Method::POST, place, reflect).await
    }

    /// Looks at the newest tasks of a repository together.
    ///
    /// # Errors
    /// See [`Client::job_list`].
    pub async fn repository_reflect(
        &self,
        (owner, name): (&str, &str),
        reflect: &RepositoryReflect,
    ) -> Result<RepositoryReflectAsked, ClientError> {
        self.send(Method::POST, path(&["v1", "repos", owner, name, "reflect"]), reflect).await
    }
}
