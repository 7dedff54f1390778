//! Operations agents with a running server: a home with their memory, restarts, and people with
//! their own keys.

use serde_json::{Value, json};

use crate::native::send;
use crate::program::{Home, Server};

/// A home with a memory of the profile, and its server.
pub(crate) struct Operations {
    pub(crate) home: Home,
    pub(crate) server: Server,
    pub(crate) memory: String,
    variables: Vec<(String, String)>,
    arguments: Vec<String>,
}

impl Operations {
    /// Returns a server whose callers are this user as long as there are no keys.
    pub(crate) fn of(user: &str) -> Self {
        Self::with(&[("USER", user)])
    }

    /// Returns a server with these variables.
    pub(crate) fn with(variables: &[(&str, &str)]) -> Self {
        Self::begun(Home::new(), &[], variables)
    }

    /// Returns a server with this configuration and these variables.
    pub(crate) fn configured(config: &str, variables: &[(&str, &str)]) -> Self {
        let home = Home::new();
        let path = home.path("config.toml");
        std::fs::write(&path, config).unwrap();
        let path = path.display().to_string();
        Self::begun(home, &["--config", &path], variables)
    }

    fn begun(home: Home, arguments: &[&str], variables: &[(&str, &str)]) -> Self {
        let ensured = home.json(&["memory", "ensure", "sre_agent_memory", "--profile", "sre"]);
        let memory = ensured["memory_id"].as_str().unwrap().to_owned();
        let server = home.serve_with(arguments, variables);
        let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let variables = variables.iter().map(owned).collect();
        let arguments = arguments.iter().map(|one| (*one).to_owned()).collect();
        Self { home, server, memory, variables, arguments }
    }

    /// Kills the server and starts another one.
    pub(crate) fn restarted(self) -> Self {
        let Self { home, server, memory, variables, arguments } = self;
        server.kill();
        let named: Vec<(&str, &str)> =
            variables.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let given: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let server = home.serve_with(&given, &named);
        Self { home, server, memory, variables, arguments }
    }

    /// Sends a request with a token, or without one if it is empty.
    pub(crate) fn send(&self, token: &str, method: &str, path: &str, body: &Value) -> (u16, Value) {
        let headers =
            if token.is_empty() { String::new() } else { format!("Authorization: Bearer {token}\r\n") };
        let body = if body.is_null() { String::new() } else { body.to_string() };
        send(&self.server, method, path, &headers, &body)
    }

    /// Sends a POST request with a token, which must succeed.
    pub(crate) fn post_as(&self, token: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.send(token, "POST", path, body);
        assert!((200..300).contains(&status), "{path}: {status} {answer} to {body}");
        answer
    }

    /// Sends a POST request without a token, which must succeed.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        self.post_as("", path, body)
    }

    /// Sends a POST request to the memory.
    pub(crate) fn to_memory(&self, verb: &str, body: &Value) -> Value {
        self.post(&format!("/v1/memories/{}/{verb}", self.memory), body)
    }

    /// Returns the answer of a GET request, which must succeed.
    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, answer) = self.send("", "GET", path, &Value::Null);
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Creates a key of a team member. Returns its token.
    pub(crate) fn key(&self, name: &str, capabilities: &[&str]) -> String {
        let grant = json!({"memory": self.memory, "capabilities": capabilities}).to_string();
        let key = self.home.json(&["key", "create", name, "--grant", &grant]);
        key["token"].as_str().unwrap().to_owned()
    }

    /// Stores an event of the AgentCore wire in the format of an agent of the source design.
    pub(crate) fn wire_event(&self, actor: &str, session: &str, content: &str) -> Value {
        let said = json!({"conversational": {"content": {"text": content}, "role": "ASSISTANT"}});
        let body = json!({"actorId": actor, "sessionId": session, "eventTimestamp": 1_767_600_000, "payload": [said]});
        self.post(&format!("/memories/{}/events", self.memory), &body)
    }
}
