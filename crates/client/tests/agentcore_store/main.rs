//! `AgentCoreStore` in the conformance suite; only with the feature `agentcore`.

#[cfg(test)]
mod against_loci;
