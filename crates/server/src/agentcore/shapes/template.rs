//! Namespace templates under their two names: `namespaces` (old) and `namespaceTemplates`.

use loci_model::NamespaceTemplate;

use crate::agentcore::constraints::Refusal;
use crate::agentcore::errors::AgentCoreFailure;

/// Returns the template given under either name. If both are given, they must be equal.
pub(crate) fn template(
    old: Option<Vec<String>>,
    new: Option<Vec<String>>,
) -> Result<Option<NamespaceTemplate>, AgentCoreFailure> {
    if let (Some(old), Some(new)) = (&old, &new)
        && old != new
    {
        return Err(Refusal::field(
            "namespaceTemplates",
            "namespaces and namespaceTemplates are given and differ: give one of them, or the same value in both",
        )
        .into());
    }
    match new.or(old).and_then(|list| list.into_iter().next()) {
        Some(text) => Ok(Some(NamespaceTemplate::parse(text)?)),
        None => Ok(None),
    }
}
