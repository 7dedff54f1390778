//! `loci mcp` as a client starts it: over a folder, next to other processes, over a server that
//! ends, over a URL. Standard output contains only messages.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::fact_repository::Shop;
use crate::program::Home;

/// A running `loci mcp`, seen by a client.
pub(crate) struct Speaking {
    child: Child,
    to: Option<ChildStdin>,
    from: BufReader<ChildStdout>,
    next: u64,
}

impl Speaking {
    fn new(home: &Home, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        Self::start(home.command(&[&["mcp", "--profile", "recall"], arguments].concat()), variables)
    }

    pub(crate) fn start(mut command: Command, variables: &[(&str, &str)]) -> Self {
        command
            .envs(variables.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        let (to, from) = (child.stdin.take(), child.stdout.take().unwrap());
        Self { child, to, from: BufReader::new(from), next: 0 }
    }

    /// Returns its process id.
    #[cfg(target_os = "linux")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.to.as_mut().unwrap(), "{message}").unwrap();
    }

    fn read(&mut self) -> Value {
        let mut line = String::new();
        self.from.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.next, "method": method, "params": params }));
        let answer = self.read();
        assert_eq!(answer["id"], self.next, "{answer}");
        answer["result"].clone()
    }

    fn add(&mut self, entry: &str) -> Value {
        let call = json!({ "name": "add_memory", "arguments": { "entries": [entry] } });
        self.ask("tools/call", call)["structuredContent"].clone()
    }

    fn found(&mut self, query: &str) -> Vec<String> {
        let call =
            json!({ "name": "search_memory", "arguments": { "query": query, "maxSearchResults": 50 } });
        let answer = self.ask("tools/call", call);
        let results =
            answer["structuredContent"]["results"].as_array().unwrap_or_else(|| panic!("{answer}")).clone();
        results.iter().map(|hit| hit["content"].as_str().unwrap().to_owned()).collect()
    }

    /// Closes its input. Returns true if it ends without an error and without further output.
    pub(crate) fn ends(mut self) -> bool {
        drop(self.to.take());
        let mut rest = String::new();
        let nothing = self.from.read_line(&mut rest).unwrap() == 0;
        self.child.wait().unwrap().success() && nothing
    }
}

#[test]
fn only_messages_are_on_standard_output() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let mut speaking = Speaking::new(&home, &[], &[("LOCI_LOG_LEVEL", "trace")]);
    let began = speaking.ask("initialize", json!({ "protocolVersion": "2025-11-25", "capabilities": {} }));
    assert_eq!(began["protocolVersion"], "2025-11-25");
    speaking.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
    assert_eq!(speaking.ask("tools/list", json!({}))["tools"].as_array().unwrap().len(), 2);
    assert_eq!(speaking.add("Anna likes tea")["stored"], 1);
    assert_eq!(speaking.found("What does Anna like?"), ["Anna likes tea"]);
    speaking.send(&json!({ "jsonrpc": "2.0", "id": 90 }));
    assert_eq!(speaking.read()["error"]["code"], -32600);
    assert!(speaking.ends());
}

#[test]
fn two_processes_and_a_server_share_a_folder() {
    let home = Home::new();
    home.ok(&["memory", "create", "notes"]);
    let (mut one, mut other) = (Speaking::new(&home, &[], &[]), Speaking::new(&home, &[], &[]));
    for nth in 0..10 {
        assert_eq!(one.add(&format!("the red lamp number {nth}"))["stored"], 1);
        assert_eq!(other.add(&format!("the blue lamp number {nth}"))["stored"], 1);
    }
    let server = home.serve(&[]);
    let mut third = Speaking::new(&home, &[], &[]);
    let mut remote = Speaking::new(&home, &["--url", &server.url], &[]);
    assert_eq!(third.add("the green lamp")["stored"], 1);
    for speaking in [&mut one, &mut other, &mut third, &mut remote] {
        let found = speaking.found("the red blue green lamp number");
        assert_eq!(found.len(), 21, "{found:?}");
    }
    // The server ends. A client of its socket continues with the folder, and a client of its URL
    // reports an error.
    assert!(server.stop(), "{}", home.log());
    assert_eq!(third.add("the last lamp")["stored"], 1);
    assert!(one.found("the last lamp").contains(&"the last lamp".to_owned()));
    let gone = remote.add("nowhere");
    assert_eq!(
        (gone["code"].as_str(), gone["retryable"].as_bool()),
        (Some("INTERNAL"), Some(true)),
        "{gone}"
    );
    assert!(one.ends() && other.ends() && third.ends() && remote.ends());
}

#[test]
fn what_it_lists_and_means_is_said_by_flags_and_configuration() {
    let home = Home::new();
    home.ok(&["memory", "create", "first"]);
    home.ok(&["memory", "create", "second"]);
    let mut speaking = Speaking::new(&home, &["--memory", "second"], &[]);
    assert_eq!(speaking.add("in the second")["stored"], 1);
    let call = json!({ "name": "search_memory", "arguments": { "query": "second" } });
    assert_eq!(speaking.ask("tools/call", call)["structuredContent"]["results"][0]["storeName"], "second");
    assert!(speaking.ends());
    let mut configured = Speaking::new(&home, &[], &[("LOCI_MCP_MEMORY", "first")]);
    assert_eq!(configured.add("in the first")["stored"], 1);
    assert!(configured.ends());
    let said = home.fails(2, &["mcp", "--profile", "everything"]);
    assert!(said.contains("there are core, verified, recall, coding, files, sre, full"), "{said}");
}

#[test]
fn tools_of_a_task_mean_the_one_it_was_started_for() {
    let home = Home::new();
    let shop = Shop::new(&home, "shop");
    shop.json(&["task", "create", "--id", "t-001", "Bound the cart"]);
    let server = home.serve(&[]);
    let start = |arguments: &[&str], variables: &[(&str, &str)]| {
        let mut command = home.command(&[&["mcp", "--profile", "coding"], arguments].concat());
        command.current_dir(shop.path());
        Speaking::start(command, variables)
    };
    let call = |speaking: &mut Speaking, name: &str, arguments: Value| {
        speaking.ask("tools/call", json!({ "name": name, "arguments": arguments }))["structuredContent"]
            .clone()
    };
    let mut ours = start(&[], &[("LOCI_TASK_ID", "t-001")]);
    let listed = ours.ask("tools/list", json!({}))["tools"].clone();
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"memory_hydrate") && names.contains(&"related_files"), "{names:?}");
    let note = json!({ "text": "src/limits.rs: MAX_ITEMS bounds the cart." });
    let noted = call(&mut ours, "memory_note", note.clone());
    assert_eq!(noted["learning"]["action"], "added", "{noted}");
    let mut remote = start(&["--url", &server.url], &[("TASK_ID", "t-001")]);
    let shown = call(&mut remote, "memory_hydrate", json!({ "query": "MAX_ITEMS of the cart" }));
    assert_eq!(
        (&shown["task_id"], &shown["knowledge"][0]["id"]),
        (&json!("t-001"), &noted["learning"]["id"]),
        "{shown}"
    );
    let mut nobodys = start(&[], &[]);
    let refused = call(&mut nobodys, "memory_note", note);
    assert_eq!(refused["code"], "INVALID_ARGUMENT", "{refused}");
    assert!(refused["message"].as_str().unwrap().contains("LOCI_TASK_ID"), "{refused}");
    assert!(ours.ends() && remote.ends() && nobodys.ends());
}
