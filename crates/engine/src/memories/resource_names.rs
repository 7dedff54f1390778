//! Names, ids and ARNs of memories and strategies.

use loci_model::ports::ids::{IdSource, letters_and_digits};
use loci_model::{MemoryId, Result, StrategyId};

use crate::settings::EngineSettings;

/// Returns true for a valid name of a memory or a strategy: a letter, then up to 47 letters, digits
/// or `_`.
pub fn is_name(text: &str) -> bool {
    text.len() <= 48
        && text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic())
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns the ARN of a memory on this server.
pub fn memory_arn(settings: &EngineSettings, id: &MemoryId) -> String {
    format!("arn:aws:bedrock-agentcore:{}:{}:memory/{id}", settings.region, settings.account)
}

/// Creates an id for a new memory with this name.
pub(crate) fn memory_id(ids: &dyn IdSource, name: &str) -> Result<MemoryId> {
    MemoryId::compose(name, &letters_and_digits(ids, 10))
}

/// Creates an id for a new strategy with this name.
pub(crate) fn strategy_id(ids: &dyn IdSource, name: &str) -> Result<StrategyId> {
    StrategyId::parse(format!("{name}-{}", letters_and_digits(ids, 10)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names() {
        let check = |text: &str, expect: bool| assert_eq!(is_name(text), expect, "{text}");
        check("notes", true);
        check("n_1", true);
        check("1n", false);
        check("a-b", false);
        check("", false);
        check(&"a".repeat(48), true);
        check(&"a".repeat(49), false);
    }
}
