//! Infrastructure facts that answer no question. They have many words of the questions: pods,
//! memory, limits, restarts of another kind.

use serde_json::{Value, json};

use crate::seeded_random::Seeded;

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

/// Returns a fact that answers no question.
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

/// Returns a fact of a service in the format of a save.
pub(super) fn fact(service: &str, kind: &str, environment: &str, data: Value) -> Value {
    json!({"service_name": service, "knowledge_type": kind, "environment": environment, "knowledge_data": data})
}
