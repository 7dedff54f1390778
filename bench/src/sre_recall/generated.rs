//! Facts of infrastructure that nobody asks about, and questions with what they must find. The facts have many of the questions' words: pods,
//! memory, limits, restarts of another kind.

use serde_json::{Value, json};

use crate::seeded::Seeded;

/// A question, and what it must find.
pub(super) struct Case {
    pub(super) question: &'static str,
    pub(super) gold: &'static [&'static str],
}

/// Nothing of what must be found has the words of its question; that of the first is the specification's.
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

const SERVICES: [&str; 12] = [
    "checkout", "billing", "search", "web", "mail", "auth", "ledger", "stock", "report", "proxy", "cart",
    "media",
];
const ENVIRONMENTS: [&str; 3] = ["prod", "staging", "dev"];
const CALM: [&str; 8] = [
    "the nightly report of this pod group takes an hour",
    "traffic doubles on Monday mornings",
    "pods are moved to the new node pool every spring",
    "the team looks at memory graphs on Fridays",
    "users ask for exports at the end of the month",
    "requests come from three regions",
    "the pod is owned by the platform team",
    "a second disk is added each quarter",
];

/// What must be found, as facts.
pub(super) fn planted() -> Vec<Value> {
    let texts = CASES.iter().flat_map(|case| case.gold);
    texts
        .zip(0..)
        .map(|(text, number)| fact(&format!("planted-{number}"), "pattern", "prod", json!({ "text": text })))
        .collect()
}

/// A fact that nobody asks about.
pub(super) fn distractor(number: u64, random: &mut Seeded) -> Value {
    let service = random.pick(&SERVICES).copied().unwrap_or("web");
    let environment = random.pick(&ENVIRONMENTS).copied().unwrap_or("prod");
    let service = format!("{service}-{number}");
    let mut amount = |least: u64, most: u64| least + random.below(most - least);
    let (kind, data) = match number % 10 {
        0 => ("config", json!({"memory_limit": format!("{}Mi", amount(64, 4096)), "memory_request": "64Mi"})),
        1 => ("baseline", json!({"cpu_usage": format!("{}m", amount(10, 4000)), "pods": amount(1, 40)})),
        2 => ("baseline", json!({"memory_usage": format!("{}Mi", amount(64, 4096))})),
        3 => (
            "dependency",
            json!({"target": format!("postgres-{}", amount(1, 400)), "protocol": "tcp", "max_connections": amount(5, 90)}),
        ),
        4 => ("config", json!({"timeout_seconds": amount(1, 60), "retries": amount(0, 9)})),
        5 => (
            "config",
            json!({"liveness_probe": "/healthz", "restart_policy": "Always", "replicas": amount(1, 20)}),
        ),
        6 => ("baseline", json!({"requests_per_second": amount(1, 9000), "p50_ms": amount(1, 300)})),
        7 => (
            "config",
            json!({"certificate": format!("{service}.example.com"), "registry": "registry.example.com"}),
        ),
        8 => ("baseline", json!({"disk_usage_gb": amount(1, 900), "queue_depth": amount(0, 50)})),
        _ => {
            let place = usize::try_from(amount(0, CALM.len() as u64)).unwrap_or(0);
            ("pattern", json!({ "text": CALM.get(place) }))
        }
    };
    fact(&service, kind, environment, data)
}

fn fact(service: &str, kind: &str, environment: &str, data: Value) -> Value {
    json!({"service_name": service, "knowledge_type": kind, "environment": environment, "knowledge_data": data})
}
