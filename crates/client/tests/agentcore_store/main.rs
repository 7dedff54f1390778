//! `AgentCoreStore` over the conformance suite; with the feature `agentcore` only.

#[cfg(test)]
mod against_loci;
