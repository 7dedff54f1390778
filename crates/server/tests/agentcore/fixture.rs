//! A server in a test: the real engine over the embedded store in a separate folder, with fixed
//! time and ids.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::body::Body;
use http::{Request, Response};
use loci_engine_testkit::test_engine::TestEngine;
use loci_model::memory::settings::MemorySettings;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::{ActorId, MemoryId, Namespace};
use loci_products::Loci;
use loci_server::agentcore::{Wire, WireSettings};
use loci_testkit_ports::SeededIds;

use crate::sign::{Pair, sign};

/// The credentials of requests.
enum Caller {
    /// Without credentials, as this principal.
    Open(Principal),
    /// Signed with a pair, late by this number of milliseconds.
    Signed { pair: Pair, late_ms: i64 },
    /// Unsigned although a signature is required.
    Unsigned,
}

pub(crate) struct World {
    runtime: tokio::runtime::Runtime,
    test: TestEngine,
    engine: Loci,
    wire: Wire,
    caller: Caller,
    pairs: Vec<(String, Pair)>,
}

impl World {
    pub(crate) fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let test = TestEngine::new().unwrap();
        let engine = test.engine();
        let wire = Wire::new(
            engine.engine.clone(),
            Arc::new(test.clock()),
            Arc::new(SeededIds::new(2)),
            WireSettings::default(),
        );
        let caller = Caller::Open(Principal::administrator("tester"));
        Self { runtime, test, engine, wire, caller, pairs: Vec::new() }
    }

    pub(crate) fn block_on<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    pub(crate) fn serve(&mut self, request: Request<Body>) -> Response<Body> {
        let (open, request) = match &self.caller {
            Caller::Open(principal) => (Some(principal.clone()), request),
            Caller::Unsigned => (None, request),
            Caller::Signed { pair, late_ms } => {
                let (parts, body) = request.into_parts();
                let bytes = self.block_on(axum::body::to_bytes(body, usize::MAX)).unwrap();
                let mut request = Request::from_parts(parts, Body::from(bytes.clone()));
                let time = self.engine.now().plus_millis(-late_ms);
                let date = time.civil().strftime("%Y%m%dT%H%M%SZ").to_string();
                sign(&mut request, &bytes, pair, &date);
                (None, request)
            }
        };
        self.block_on(self.wire.serve(Ok(open), request))
    }

    /// Executes a line `@ …`.
    pub(crate) fn direct(&mut self, directive: &str) {
        let words: Vec<&str> = directive.split(' ').collect();
        match words.as_slice() {
            ["advance", millis] => self.test.clock().advance_ms(millis.parse().unwrap()),
            ["jobs", memory] => {
                let memories = [MemoryId::parse(*memory).unwrap()];
                let outcome = self.block_on(self.engine.run_due(&memories, 10_000)).unwrap();
                assert!(outcome.complete, "{outcome:?}");
            }
            ["settings", memory, json] => {
                let settings: MemorySettings = serde_json::from_str(json).unwrap();
                let memory = MemoryId::parse(*memory).unwrap();
                let admin = Principal::administrator("tester");
                self.block_on(self.engine.memory_settings_put(&admin, &memory, settings)).unwrap();
            }
            ["as", "nobody"] => {
                self.caller = Caller::Open(Principal { name: "nobody".into(), grants: vec![] })
            }
            ["as", role, part, value] => self.caller = Caller::Open(part_of(role, part, value)),
            ["key", name] => {
                let admin = Principal::administrator("tester");
                let key =
                    self.block_on(self.engine.key_create(&admin, Principal::administrator(*name))).unwrap();
                let pair = Pair { id: key.id.to_string(), secret: key.secret.expose().to_owned() };
                self.pairs.push(((*name).to_owned(), pair));
            }
            ["signed", "nobody"] => self.caller = Caller::Unsigned,
            ["signed", name, how @ ..] => {
                let known = self.pairs.iter().find(|(known, _)| known == name).map(|(_, pair)| pair.clone());
                let stranger = || Pair { id: "AKIASTRANGER0000".into(), secret: "s".into() };
                let mut pair = known.unwrap_or_else(stranger);
                if how == ["badly"] {
                    pair.secret.push('x');
                }
                let late_ms = if how == ["late"] { 16 * 60 * 1000 } else { 0 };
                self.caller = Caller::Signed { pair, late_ms };
            }
            _ => panic!("unknown directive {directive}"),
        }
    }
}

/// Returns a principal with one grant on one part of every memory.
fn part_of(role: &str, part: &str, value: &str) -> Principal {
    let capabilities = match role {
        "reader" => BTreeSet::from([Capability::Read]),
        "writer" => BTreeSet::from([Capability::Read, Capability::Write]),
        other => panic!("unknown role {other}"),
    };
    let mut grant = Grant { capabilities, ..Grant::everything() };
    match part {
        "actor" => grant.actor = Some(ActorId::parse(value).unwrap()),
        "namespace" => grant.namespace = Some(Namespace::parse(value).unwrap()),
        other => panic!("unknown part {other}"),
    }
    Principal { name: role.to_owned(), grants: vec![grant] }
}
