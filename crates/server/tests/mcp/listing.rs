//! Snapshots of the listing of each profile, under either name.

use loci_server::mcp::McpOptions;
use serde_json::{Value, json};

use crate::fixture::World;

fn listed(world: &World, path: &str) -> Value {
    world.modern(path, "tools/list", json!({})).json()["result"]["tools"].clone()
}

#[test]
fn profiles() {
    let world = World::with(McpOptions::default());
    for profile in ["core", "verified", "recall", "coding", "files", "sre", "full"] {
        let tools = listed(&world, &format!("/mcp/p/{profile}"));
        let text = format!("{:#}\n", tools);
        let golden = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join(format!("tests/mcp/golden/list-{profile}.json"));
        if std::env::vars().any(|(name, _)| name == "UPDATE_EXPECT") {
            std::fs::write(&golden, &text).unwrap();
        }
        assert_eq!(text, std::fs::read_to_string(&golden).unwrap(), "UPDATE_EXPECT=1 accepts the change");
        assert_eq!(tools, listed(&world, &format!("/mcp/p/{profile}")), "{profile}: the same bytes twice");
    }
}

#[test]
fn dotted_names_are_listed_instead_never_beside() {
    let world = World::with(McpOptions::default());
    let names = |path: &str| {
        let tools = listed(&world, path);
        let names = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>()
    };
    let (plain, dotted) = (names("/mcp"), names("/mcp/dotted"));
    assert_eq!(plain, dotted.iter().map(|name| name.replace('.', "_")).collect::<Vec<_>>());
    assert!(plain.iter().all(|name| !name.contains('.')));
}

#[test]
fn unlisted_tools_answer_only_where_they_may() {
    for (allow_unlisted, expect) in [(true, None), (false, Some(-32602))] {
        let world = World::with(McpOptions { allow_unlisted, ..McpOptions::default() });
        world.memory("notes");
        let call = json!({ "name": "search_memory", "arguments": { "query": "x" } });
        assert_eq!(world.modern("/mcp", "tools/call", call).code(), expect, "{allow_unlisted}");
    }
}
