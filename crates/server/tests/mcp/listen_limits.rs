//! The cost of listening: a listener polls at an interval, at any rate of changes, and one client
//! can listen to a limited number of resources.

use std::sync::Arc;

use http_body_util::BodyExt;
use loci_model::limits;
use loci_server::mcp::listen::News;
use loci_server::mcp::provider::{Caller, Endpoint};
use loci_server::mcp::stdio::StdioDoor;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

use crate::fixture::with_meta;
use crate::rounds::World;

const RESOURCE: &str = r#""uri":"memory://a""#;

/// Lets all ready tasks run.
async fn settle() {
    for _ in 0..200 {
        tokio::task::yield_now().await;
    }
}

#[test]
fn many_changes_are_one_look_a_second() {
    let world = World::new();
    let wanted = json!({ "toolsListChanged": true, "resourceSubscriptions": ["memory://a"] });
    let params = with_meta(json!({ "notifications": wanted }));
    let message = json!({ "jsonrpc": "2.0", "id": "l", "method": "subscriptions/listen", "params": params });
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "subscriptions/listen")];
    let (_, _, mut body) = world.post(&headers, &message);
    let mut told = || {
        world.runtime.block_on(async {
            tokio::select! {
                biased;
                frame = body.frame() => {
                    Some(String::from_utf8(frame.unwrap().unwrap().into_data().unwrap().to_vec()).unwrap())
                }
                () = settle() => None,
            }
        })
    };
    let hub = &world.service.mcp.hub;
    assert!(told().is_some_and(|begun| begun.contains("acknowledged")));
    assert_eq!((told(), world.looks()), (None, 1));
    // The first change is seen at once.
    hub.changed();
    assert!(told().is_some_and(|news| news.contains(RESOURCE)));
    for _ in 0..100 {
        hub.changed();
        assert_eq!((told(), world.looks()), (None, 2));
    }
    // Other notifications meanwhile neither hasten the next poll nor cancel it.
    world.clock.advance_ms(999);
    hub.tell(News::Tools);
    assert!(told().is_some_and(|news| news.contains("tools/list_changed")));
    assert_eq!((told(), world.looks()), (None, 2));
    world.clock.advance_ms(1);
    assert!(told().is_some_and(|news| news.contains(RESOURCE)));
    // All of them caused one poll.
    world.clock.advance_ms(1_000);
    assert_eq!((told(), world.looks()), (None, 3));
    // Other processes change the resource too. Without a known change it is polled ten seconds
    // after the last poll, regardless of other notifications.
    world.clock.advance_ms(8_999);
    hub.tell(News::Tools);
    assert!(told().is_some_and(|news| news.contains("tools/list_changed")));
    assert_eq!((told(), world.looks()), (None, 3));
    world.clock.advance_ms(1);
    assert!(told().is_some_and(|news| news.contains(RESOURCE)));
    assert_eq!((told(), world.looks()), (None, 4));
}

#[test]
fn a_client_listens_to_so_many_resources() {
    let max = limits::RESOURCES_MAX;
    let uri = |number: usize| format!("memory://a/{number}");
    let listen = |id: &str, count: usize| {
        let uris: Vec<_> = (0..count).map(uri).collect();
        let params = with_meta(json!({ "notifications": { "resourceSubscriptions": uris } }));
        json!({ "id": id, "method": "subscriptions/listen", "params": params })
    };
    let subscription = |method: &str, number: usize| {
        let method = format!("resources/{method}");
        json!({ "id": format!("{method} {number}"), "method": method, "params": { "uri": uri(number) } })
    };
    let cancel = |id: &str| json!({ "method": "notifications/cancelled", "params": { "requestId": id } });
    // The message, and true if it is accepted.
    let mut legacy: Vec<_> = (0..max).map(|number| (subscription("subscribe", number), Some(true))).collect();
    legacy.extend([
        (subscription("subscribe", max), Some(false)),
        (listen("no room", 1), Some(false)),
        (subscription("subscribe", 0), Some(true)),
        (subscription("unsubscribe", 7), Some(true)),
        (subscription("subscribe", max), Some(true)),
    ]);
    let modern = vec![
        (listen("too many", max + 1), Some(false)),
        (listen("most", max - 40), Some(true)),
        (listen("one more than the rest", 41), Some(false)),
        (listen("the rest", 40), Some(true)),
        (listen("nothing", 0), Some(true)),
        (subscription("subscribe", 0), Some(false)),
        (cancel("most"), None),
        (listen("in its place", max - 40), Some(true)),
    ];
    for steps in [legacy, modern] {
        let world = World::new();
        let (near, far) = tokio::io::duplex(1024 * 1024);
        let (input, output) = tokio::io::split(far);
        let door =
            StdioDoor::new(Arc::clone(&world.service), Caller::default(), Endpoint::default(), 100_000);
        world.runtime.block_on(async {
            let served = tokio::spawn(door.serve(BufReader::new(input), output));
            let (from, mut to) = tokio::io::split(near);
            let mut lines = BufReader::new(from).lines();
            for (mut message, expect) in steps {
                message["jsonrpc"] = "2.0".into();
                to.write_all(format!("{message}\n").as_bytes()).await.unwrap();
                settle().await;
                let Some(expect) = expect else { continue };
                let answer: Value = serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
                let fault = answer.pointer("/error/message").and_then(Value::as_str);
                assert_eq!(fault.is_none(), expect, "{message}: {answer}");
                assert!(
                    fault.is_none_or(|fault| fault.contains(&format!("at most {max} resources"))),
                    "{answer}"
                );
            }
            to.shutdown().await.unwrap();
            while lines.next_line().await.unwrap().is_some() {}
            served.await.unwrap().unwrap();
        });
    }
}
