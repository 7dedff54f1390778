//! Transcripts of standard input and output, in both kinds of revisions: `>` is sent, `<` is the
//! response.

use std::sync::Arc;

use loci_model::principal::Principal;
use loci_server::mcp::dispatch::Service;
use loci_server::mcp::loci::{EngineTools, LociOffer, ToolBox};
use loci_server::mcp::options::Naming;
use loci_server::mcp::provider::{Caller, Endpoint};
use loci_server::mcp::revision::Revision;
use loci_server::mcp::stdio::StdioDoor;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::fixture::World;

/// The longest line of these transcripts.
const LINE_MAX: usize = 4_000;

/// Returns the tools of a server.
pub(crate) fn tools(world: &World) -> EngineTools {
    let doors = &world.doors;
    EngineTools { engine: doors.engine.clone(), table: Arc::clone(&doors.tools), memory: None }
}

pub(crate) fn door(world: &World, tools: Arc<dyn ToolBox>) -> Arc<StdioDoor> {
    let doors = &world.doors;
    let service = Service {
        provider: Arc::new(LociOffer::new(Arc::clone(&doors.tools), tools, true, Arc::clone(&doors.mcp))),
        mcp: Arc::clone(&doors.mcp),
        revisions: Revision::ALL.to_vec(),
    };
    let caller = Caller { principal: Some(Principal::administrator("tester")), ..Caller::default() };
    let endpoint = Endpoint { profiles: doors.options.mcp.profiles.clone(), naming: Naming::Underscore };
    StdioDoor::new(Arc::new(service), caller, endpoint, LINE_MAX)
}

/// Returns the number of responses to a line.
fn answers(line: &str) -> usize {
    match serde_json::from_str::<Value>(line) {
        Ok(message) if message.get("method").is_some() && message.get("id").is_none() => 0,
        Ok(message) if message.get("result").is_some() => 0,
        _ => 1,
    }
}

/// Returns the fact that a response reports as stored.
fn stored(answer: &str) -> Option<String> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    let result = answer.pointer("/result/structuredContent")?;
    let id = result.get("new_memory_id").or_else(|| result.get("status").and_then(|_| result.get("id")))?;
    id.as_str().map(str::to_owned)
}

pub(crate) fn run(name: &str, golden: &str, world: &World) {
    let (near, far) = tokio::io::duplex(1024 * 1024);
    let (input, output) = tokio::io::split(far);
    let door = door(world, Arc::new(tools(world)));
    let (mut said, mut ids) = (String::new(), Vec::<String>::new());
    world.block_on(async {
        let served = tokio::spawn(door.serve(BufReader::new(input), output));
        let (from, mut to) = tokio::io::split(near);
        let mut lines = BufReader::new(from).lines();
        for line in golden.lines().filter(|line| !line.starts_with('<')) {
            said.push_str(&format!("{line}\n"));
            let Some(sent) = line.strip_prefix("> ") else { continue };
            let mut sent = sent.replace("@long", &"x".repeat(LINE_MAX));
            for (mark, id) in [("@first", ids.first()), ("@last", ids.last())] {
                sent = id.map_or(sent.clone(), |id| sent.replace(mark, id));
            }
            to.write_all(format!("{sent}\n").as_bytes()).await.unwrap();
            for _ in 0..answers(&sent) {
                let answer = lines.next_line().await.unwrap().unwrap();
                ids.extend(stored(&answer));
                said.push_str(&format!("< {answer}\n"));
            }
        }
        to.shutdown().await.unwrap();
        served.await.unwrap().unwrap();
        while let Some(line) = lines.next_line().await.unwrap() {
            said.push_str(&format!("< {line}\n"));
        }
    });
    let file = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/mcp/golden/{name}.txt"));
    if std::env::vars().any(|(name, _)| name == "UPDATE_EXPECT") {
        std::fs::write(&file, &said).unwrap();
        return;
    }
    assert_eq!(said, golden, "UPDATE_EXPECT=1 accepts the change");
}

#[test]
fn initialize_based() {
    let world = World::new();
    world.memory("notes");
    run("stdio-legacy", include_str!("golden/stdio-legacy.txt"), &world);
}

#[test]
fn newest() {
    let world = World::new();
    world.memory("notes");
    run("stdio-modern", include_str!("golden/stdio-modern.txt"), &world);
}
