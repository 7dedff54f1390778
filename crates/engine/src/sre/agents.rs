//! Names of worker agents: one agent has one place, however it is called (sre-memory.md W-9). Pure.

/// Names that stand for another.
const ALIASES: &[(&str, &str)] =
    &[("sre-agent-kubernetes", "kubernetes-agent"), ("kubernetes", "kubernetes-agent")];

/// The name under which an agent's knowledge is kept.
pub(super) fn known_as(name: &str) -> &str {
    ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, agent)| agent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_one_agent() {
        let check = |name: &str, expect: &str| assert_eq!(known_as(name), expect);
        check("sre-agent-kubernetes", "kubernetes-agent");
        check("kubernetes", "kubernetes-agent");
        check("kubernetes-agent", "kubernetes-agent");
        check("logs-agent", "logs-agent");
    }
}
