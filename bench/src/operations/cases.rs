//! Questions of operations engineers, and facts that answer them in other words.

use serde_json::{Value, json};

use super::facts::fact;

/// A question, and the facts that it must find.
pub(super) struct Case {
    pub(super) question: &'static str,
    pub(super) gold: &'static [&'static str],
}

/// The cases. No expected fact contains the words of its question.
pub(super) const CASES: &[Case] = &[
    Case {
        question: "Why is my pod crashing?",
        gold: &[
            "OOMKilled under load",
            "restart loop due to memory limit",
            "ended with exit code 137",
            "suffer from resource constraints",
        ],
    },
    Case {
        question: "Why are requests so slow?",
        gold: &[
            "connection pool exhausted at noon",
            "p99 doubles while the GC pause lasts",
            "lock contention on the orders table",
        ],
    },
    Case {
        question: "Users get TLS errors",
        gold: &["x509: unknown authority after the rotation", "cert-manager did not renew in time"],
    },
    Case {
        question: "The disk is full again, what was it?",
        gold: &["ENOSPC on the log partition", "inode exhaustion by session files"],
    },
    Case {
        question: "Name resolution does not work",
        gold: &["NXDOMAIN for internal names", "CoreDNS overloaded by ndots"],
    },
    Case {
        question: "Pods stay pending",
        gold: &["FailedScheduling: the zone has no nodes", "a taint keeps workers away"],
    },
    Case {
        question: "The kafka lag grows",
        gold: &["poison message blocks partition 3", "rebalance storm when consumers join"],
    },
    Case {
        question: "We are rate limited",
        gold: &["answers 429 from noon on", "ThrottlingException of the object store"],
    },
];

/// Returns the facts that must be found.
pub(super) fn planted() -> Vec<Value> {
    let texts = CASES.iter().flat_map(|case| case.gold);
    texts
        .zip(0..)
        .map(|(text, number)| fact(&format!("planted-{number}"), "pattern", "prod", json!({ "text": text })))
        .collect()
}
