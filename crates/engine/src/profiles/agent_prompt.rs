//! What worker agents of a profile are told, where it has any (sre-memory.md §6.2). Texts beside this file, in our own words.

const SRE: &str = include_str!("sre_agent_prompt.md");

/// The part of the prompt of a profile's worker agents; none where it has no such agents.
pub fn agent_prompt(profile: &str) -> Option<&'static str> {
    (profile == "sre").then_some(SRE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_one_that_is_kept() {
        let text = agent_prompt("sre").unwrap();
        let json = text.split("```json").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let block: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(block["infrastructure_knowledge"][0]["knowledge_type"], "baseline");
        for word in ["dependency", "baseline", "config", "pattern", "passwords"] {
            assert!(text.contains(word), "{word}");
        }
        assert_eq!(agent_prompt("coding"), None);
    }
}
