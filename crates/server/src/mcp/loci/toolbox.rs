//! Answers calls of tools by the engine of this process. `loci mcp` has another implementation,
//! which calls a server.

use loci_api::ErrorCode;
use std::sync::Arc;

use http::Extensions;
#[cfg(feature = "verified")]
use loci_engine::calls::call_context::CallContext;
use loci_model::ports::BoxFuture;
use loci_model::principal::Principal;
use loci_products::Loci;

use crate::mcp::provider::Caller;
use crate::tools::call::call;
use crate::tools::error::ToolError;
use crate::tools::memory_selection::PlaceAsk;
use crate::tools::table::Table;
use crate::tools::tool::{Context, ReceivedArguments, ToolOutcome, ToolRight};

/// Answers calls of tools.
pub trait ToolBox: Send + Sync {
    /// Returns the caller's scopes.
    fn scopes<'a>(&'a self, caller: &'a Caller) -> BoxFuture<'a, Result<Vec<ToolRight>, ToolError>>;
    /// Calls a tool.
    fn call<'a>(
        &'a self,
        caller: &'a Caller,
        name: &'a str,
        arguments: ReceivedArguments,
    ) -> BoxFuture<'a, ToolOutcome>;
    /// Returns the default repository of the tools, by its name on this server.
    fn repository(&self) -> Option<String> {
        None
    }
    /// Returns the names of repositories that the caller may see, at most 100, in order.
    fn repositories<'a>(&'a self, caller: &'a Caller) -> BoxFuture<'a, Result<Vec<String>, ToolError>>;
    /// Returns a mark of a repository's facts, which changes when other facts are served. It is
    /// called often, and is cheap.
    fn mark<'a>(&'a self, caller: &'a Caller, repo: &'a str) -> BoxFuture<'a, Result<String, ToolError>>;
}

/// The maximum number of repositories that are named.
#[cfg(feature = "verified")]
const REPOSITORIES_MAX: u32 = 100;

/// The engine of this process.
pub struct EngineTools {
    /// The engine and its products.
    pub engine: Loci,
    /// The tools.
    pub table: Arc<Table>,
    /// The default memory.
    pub memory: Option<String>,
}

impl EngineTools {
    fn known(caller: &Caller) -> Result<&Principal, ToolError> {
        let unknown = || ToolError::new(ErrorCode::Unauthenticated, "the caller is not known");
        caller.principal.as_ref().ok_or_else(unknown)
    }

    #[cfg(feature = "verified")]
    fn standing(&self, caller: &Caller) -> CallContext {
        CallContext {
            memory: caller.memory.clone().or_else(|| self.memory.clone()),
            ..CallContext::default()
        }
    }
}

impl ToolBox for EngineTools {
    fn scopes<'a>(&'a self, caller: &'a Caller) -> BoxFuture<'a, Result<Vec<ToolRight>, ToolError>> {
        Box::pin(async move {
            let principal = Self::known(caller)?;
            Ok(ToolRight::ALL.into_iter().filter(|scope| scope.is_held(principal)).collect())
        })
    }

    fn call<'a>(
        &'a self,
        caller: &'a Caller,
        name: &'a str,
        arguments: ReceivedArguments,
    ) -> BoxFuture<'a, ToolOutcome> {
        Box::pin(async move {
            let place = PlaceAsk {
                asked: caller.memory.clone(),
                configured: self.memory.clone(),
                user: caller.user.clone(),
                ..PlaceAsk::default()
            };
            let context = Context {
                engine: self.engine.clone(),
                caller: Self::known(caller)?.clone(),
                place,
                extensions: Extensions::new(),
            };
            call(&self.table, context, name, arguments).await
        })
    }

    fn repositories<'a>(&'a self, caller: &'a Caller) -> BoxFuture<'a, Result<Vec<String>, ToolError>> {
        #[cfg(not(feature = "verified"))]
        return Box::pin(async move { Self::known(caller).map(|_| Vec::new()) });
        #[cfg(feature = "verified")]
        Box::pin(async move {
            let (known, standing) = (Self::known(caller)?, self.standing(caller));
            let page = self.engine.verified.repository_list(known, &standing, None, REPOSITORIES_MAX).await?;
            Ok(page.items.into_iter().map(|repository| repository.key).collect())
        })
    }

    fn mark<'a>(&'a self, caller: &'a Caller, repo: &'a str) -> BoxFuture<'a, Result<String, ToolError>> {
        #[cfg(not(feature = "verified"))]
        return Box::pin(async move {
            let rule =
                format!("there is no repository {repo}: this program was built without verified memory");
            Self::known(caller).and(Err(ToolError::new(ErrorCode::RepositoryUnknown, rule)))
        });
        #[cfg(feature = "verified")]
        Box::pin(async move {
            Ok(self.engine.verified.fact_mark(Self::known(caller)?, &self.standing(caller), repo).await?)
        })
    }
}
