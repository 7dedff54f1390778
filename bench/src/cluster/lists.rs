//! Compares lists of all servers. Each server must return the same list, and so must pages that
//! come from the servers in turn.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::servers::Servers;
use crate::wire::Wire;

/// Returns all items of a list, with the pages from these servers in turn.
async fn pages(wires: &[Wire], path: &str, body: &Value, items: &str) -> Result<Vec<Value>> {
    let mut all = Vec::new();
    let mut next = Value::Null;
    for wire in wires.iter().cycle() {
        let mut body = body.clone();
        if let Some(members) = body.as_object_mut() {
            members.insert("maxResults".to_owned(), json!(100));
            members.insert("nextToken".to_owned(), next);
        }
        let page = wire.ask("POST", path, Some(&body)).await?;
        let found = page.get(items).and_then(Value::as_array);
        all.extend(found.with_context(|| format!("no {items} in {page}"))?.iter().cloned());
        match page.get("nextToken") {
            Some(token) => next = token.clone(),
            None => break,
        }
    }
    Ok(all)
}

/// Returns a list, and fails if the servers return different ones.
pub(super) async fn everywhere(
    servers: &Servers,
    path: &str,
    body: &Value,
    items: &str,
) -> Result<Vec<Value>> {
    let running = servers.running();
    let wires: Vec<Wire> = running.iter().map(|(_, wire)| wire.clone()).collect();
    let together = pages(&wires, path, body, items).await?;
    for (number, wire) in &running {
        let alone = pages(std::slice::from_ref(wire), path, body, items).await?;
        alike(&together, &alone)
            .with_context(|| format!("{path}: server {number} beside pages from all in turns"))?;
    }
    Ok(together)
}

/// Returns a response, and fails if the servers return different ones.
pub(super) async fn answer(
    servers: &Servers,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Result<(u16, Value)> {
    let mut first: Option<(u16, Value)> = None;
    for (number, wire) in servers.running() {
        let answer = wire.send(method, path, body).await?;
        if let Some(first) = &first {
            ensure!(*first == answer, "{path}: server {number} says {answer:?}, another {first:?}");
        }
        first = Some(answer);
    }
    first.context("no server runs")
}

fn alike(one: &[Value], other: &[Value]) -> Result<()> {
    let differs = one.iter().zip(other).position(|(one, other)| one != other);
    if let Some(at) = differs {
        ensure!(false, "item {at} differs: {:?} and {:?}", one.get(at), other.get(at));
    }
    ensure!(one.len() == other.len(), "{} items and {}", one.len(), other.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_named() {
        let check = |one: &[i32], other: &[i32], expect: &str| {
            let values = |items: &[i32]| items.iter().map(|item| json!(item)).collect::<Vec<_>>();
            let said =
                alike(&values(one), &values(other)).err().map(|error| error.to_string()).unwrap_or_default();
            assert_eq!(said.split(':').next(), Some(expect), "{one:?} {other:?}");
        };
        check(&[1, 2], &[1, 2], "");
        check(&[1, 2], &[2, 1], "item 0 differs");
        check(&[1, 2], &[1], "2 items and 1");
    }
}
