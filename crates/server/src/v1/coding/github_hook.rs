//! `POST /v1/hooks/github`: checks the signature, then the headers, then the body. A wrong
//! signature leaves only a count.

use std::sync::Arc;

use axum::Json;
use axum::extract::Request;
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::{HeaderMap, StatusCode};
use loci_api::hook::HookAnswer;
use loci_api::table as api;
use loci_coding::HookDelivery;
use loci_engine::deliveries::HookTaken;
use loci_model::{DeliveryId, Error, ErrorKind, Reason, Result, limits};
use percent_encoding::percent_decode;
use sha2::{Digest, Sha256};

use crate::bodies::{Proof, check_declared};
use crate::doors::Doors;
use crate::long_body;
use crate::v1::hooks::check_names;
use crate::v1::hooks::signature::{HookKeys, Scheme};
use crate::v1::protocol::call;
use crate::v1::protocol::table::{Described, SchemaForm, Table};

const HOOK: &str = "github";
/// The signature scheme. The older digest, in another header, is ignored.
const SCHEME: Scheme = Scheme { header: "x-hub-signature-256", prefix: "sha256=" };
/// The event that tests a hook.
const PING: &str = "ping";
/// The other encoding of bodies. The signature covers the encoded form.
const FORM: &str = "application/x-www-form-urlencoded";

pub(super) fn operations(table: Table) -> Table {
    let answer = SchemaForm::json::<HookAnswer>();
    let described = Described { place: api::HOOK_DELIVER.place, request: SchemaForm::None, answer };
    table.stream(described, |doors, request| async move { take(doors, request).await })
}

async fn take(doors: Doors, request: Request) -> Result<Response> {
    let (parts, body) = request.into_parts();
    let query = call::refuse_query(&parts);
    let headers = parts.headers;
    let hook = &doors.hooks.github;
    let Some(reader) = hook.reader.as_ref().filter(|_| !hook.keys.is_empty()) else {
        let remedy =
            "no secret is configured for this hook: name its variable in coding.github.webhook_secrets_env";
        return Err(Error::unavailable(remedy));
    };
    let unsigned = || {
        doors.metrics.hook_refused(HOOK);
        Error::new(ErrorKind::Unauthenticated, "the signature is not that of this body and secret")
    };
    check_declared(&body, limits::HOOK_BODY_BYTES_MAX)?;
    if !HookKeys::may_be_signed(SCHEME, &headers) {
        return Err(unsigned());
    }
    let read = doors.bodies.read_as(Proof::Hook, body, limits::HOOK_BODY_BYTES_MAX).await?;
    let body = read.bytes;
    let (keys, sent, signed) = (hook.keys.clone(), headers.clone(), body.clone());
    let digested = long_body::run(body.len(), move || {
        keys.signed(SCHEME, &sent, &signed).then(|| hex::encode(Sha256::digest(&signed)))
    });
    let digest = digested.await?.ok_or_else(unsigned)?;
    drop(read.unverified);
    query?;
    let event = header(&headers, "x-github-event")?;
    let id = DeliveryId::parse(header(&headers, "x-github-delivery")?)
        .map_err(|error| error.on("x-github-delivery"))?;
    if event == PING {
        return Ok(answer(StatusCode::OK, &id, "pong", None));
    }
    let (reader, named, sent) = (Arc::clone(reader), event.to_owned(), headers.clone());
    let read = long_body::run(body.len(), move || {
        let payload = payload(&sent, &body)?;
        check_names(&payload)?;
        reader.read(&named, &payload)
    });
    let Some(notice) = read.await?? else {
        // An event of an organisation or an installation is sent once, and does not concern this
        // server.
        doors.metrics.hook_ignored(HOOK, 1);
        return Ok(answer(StatusCode::ACCEPTED, &id, "ignored", Some("no_repository".to_owned())));
    };
    let delivery = HookDelivery {
        hook: HOOK,
        hook_id: header(&headers, "x-github-hook-id").ok().map(str::to_owned),
        digest,
        notice,
        id: id.clone(),
    };
    let (state, reason) = match doors.engine.coding.hook_receive(delivery).await? {
        HookTaken::Queued => ("queued", None),
        HookTaken::Duplicate => ("duplicate", None),
        HookTaken::Ignored(why) => {
            doors.metrics.hook_ignored(HOOK, 1);
            ("ignored", Some(why.to_owned()))
        }
    };
    Ok(answer(StatusCode::ACCEPTED, &id, state, reason))
}

fn answer(status: StatusCode, id: &DeliveryId, state: &str, reason: Option<String>) -> Response {
    (status, Json(HookAnswer { delivery: id.to_string(), state: state.to_owned(), reason })).into_response()
}

fn header<'h>(headers: &'h HeaderMap, name: &'static str) -> Result<&'h str> {
    let text = headers.get(name).and_then(|value| value.to_str().ok()).filter(|text| !text.is_empty());
    text.ok_or_else(|| {
        Error::invalid(name, format!("the header {name} is missing: this is no delivery of GitHub"))
    })
}

/// Returns the JSON of a body, decoded from its form if it is one.
fn payload(headers: &HeaderMap, body: &[u8]) -> Result<Vec<u8>> {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !kind.trim().to_ascii_lowercase().starts_with(FORM) {
        return Ok(body.to_vec());
    }
    let value = body.split(|byte| *byte == b'&').find_map(|pair| pair.strip_prefix(b"payload="));
    let missing = || Error::invalid("payload", "the form has no payload").because(Reason::CannotParse);
    let value = value.ok_or_else(missing)?;
    let plain: Vec<u8> = value.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    Ok(percent_decode(&plain).collect())
}

#[cfg(test)]
mod tests {
    use hmac::{Hmac, KeyInit, Mac};
    use loci_api::verified::repository::RepositoryAdd;
    use loci_engine::calls::call_context::CallContext;
    use loci_engine_testkit::test_engine::TestEngine;
    use loci_model::ports::forge::NoticeReader;
    use loci_model::principal::Principal;
    use loci_model::tasks::forge_notifications::ForgeNotice;
    use loci_testkit_ports::SeededIds;
    use serde_json::Value;
    use tower::ServiceExt;
    use zeroize::Zeroizing;

    use super::*;
    use crate::DoorOptions;
    use crate::v1::hooks::{Hook, Hooks};

    /// A reader for bodies that already are notices. `loci-forges` knows GitHub's bodies.
    struct Plain;

    impl NoticeReader for Plain {
        fn read(&self, event: &str, body: &[u8]) -> Result<Option<ForgeNotice>> {
            if event == "installation" {
                return Ok(None);
            }
            serde_json::from_slice(body).map(Some).map_err(|_| Error::invalid("payload", "no notice"))
        }
    }

    const SECRET: &str = "It's a Secret to Everybody";
    const NEW: &str = "another";

    /// A server with the repository of the shop.
    struct Door {
        runtime: tokio::runtime::Runtime,
        world: TestEngine,
        doors: Doors,
    }

    impl Door {
        fn new(secrets: &[&str]) -> Self {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            let world = TestEngine::new().unwrap();
            let (clock, ids) = (Arc::new(world.clock()), Arc::new(SeededIds::new(2)));
            let secrets = secrets.iter().map(|secret| Zeroizing::new((*secret).to_owned())).collect();
            let github = Hook { keys: HookKeys::new(secrets).unwrap(), reader: Some(Arc::new(Plain)) };
            let doors = Doors::new(world.engine(), clock, ids, DoorOptions::default())
                .with_hooks(Hooks { github, ..Hooks::default() });
            let add =
                RepositoryAdd { name: Some("github.com/acme/shop".to_owned()), ..RepositoryAdd::default() };
            let admin = Principal::administrator("tester");
            runtime
                .block_on(world.engine().verified.repository_add(&admin, &CallContext::default(), add))
                .unwrap();
            Self { runtime, world, doors }
        }

        /// Sends a body signed with a secret, and returns status and response.
        fn send(&self, guid: &str, body: &str, secret: &str, headers: &[(&str, &str)]) -> (u16, Value) {
            self.send_to("/v1/hooks/github", guid, body, secret, headers)
        }

        fn send_to(
            &self,
            path: &str,
            guid: &str,
            body: &str,
            secret: &str,
            headers: &[(&str, &str)],
        ) -> (u16, Value) {
            let mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap().chain_update(body);
            let signature = format!("sha256={}", hex::encode(mac.finalize().into_bytes()));
            let mut request = http::Request::post(path).header(SCHEME.header, signature);
            request = request.header("x-github-delivery", guid);
            request = headers.iter().fold(request, |request, (name, value)| request.header(*name, *value));
            let request = request.body(axum::body::Body::from(body.to_owned())).unwrap();
            self.runtime.block_on(async {
                let response = crate::router(&self.doors).oneshot(request).await.unwrap();
                let status = response.status().as_u16();
                let bytes = axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap();
                (status, serde_json::from_slice(&bytes).unwrap())
            })
        }

        fn stored(&self) -> usize {
            let (engine, admin) = (self.world.engine(), Principal::administrator("tester"));
            let standing = CallContext::default();
            let listed = engine.coding.hook_deliveries(&admin, &standing, None, None, 100);
            self.runtime.block_on(listed).unwrap().items.len()
        }
    }

    fn notice(path: &str) -> String {
        // Another repository has another number. The same number with another name would be this
        // one, renamed.
        let number = path.len();
        serde_json::json!({"repository": {"host": "github.com", "id": number, "path": path}, "event": "repository.renamed",
            "news": {"kind": "named", "formerly": "acme/store"}})
        .to_string()
    }

    const EVENT: (&str, &str) = ("x-github-event", "repository");

    #[test]
    fn a51_a52_only_what_is_signed_is_stored_and_once() {
        let door = Door::new(&[SECRET, NEW]);
        let state =
            |(status, body): (u16, Value)| (status, body["state"].as_str().unwrap_or_default().to_owned());
        let shop = notice("acme/shop");
        let (status, refused) = door.send("d-1", &shop, "wrong", &[EVENT]);
        assert_eq!((status, refused["error"]["code"].as_str()), (401, Some("UNAUTHENTICATED")));
        assert_eq!(door.stored(), 0, "nothing but a count is left");
        assert!(
            door.doors.metrics.render().contains(r#"loci_hook_signatures_refused_total{hook="github"} 1"#)
        );
        assert_eq!(state(door.send("d-1", &shop, SECRET, &[EVENT])), (202, "queued".to_owned()));
        assert_eq!(state(door.send("d-1", &shop, NEW, &[EVENT])), (202, "duplicate".to_owned()));
        assert_eq!(
            state(door.send("d-2", &notice("acme/other"), NEW, &[EVENT])),
            (202, "ignored".to_owned())
        );
        let form = format!(
            "payload={}",
            percent_encoding::utf8_percent_encode(&shop, percent_encoding::NON_ALPHANUMERIC)
        );
        let kind = ("content-type", FORM);
        assert_eq!(state(door.send("d-3", &form, SECRET, &[EVENT, kind])), (202, "queued".to_owned()));
        assert_eq!(
            state(door.send("d-4", "{}", SECRET, &[("x-github-event", "ping")])),
            (200, "pong".to_owned())
        );
        assert_eq!(door.send("d-5", &shop, SECRET, &[]).0, 400);
        assert_eq!(door.send("d-6", "not JSON", SECRET, &[EVENT]).0, 400);
        let with_query = |secret: &str| {
            let (status, told) = door.send_to("/v1/hooks/github?foo=1", "d-6", &shop, secret, &[EVENT]);
            (status, told["error"]["field"].clone())
        };
        assert_eq!(with_query("wrong"), (401, Value::Null));
        assert_eq!(with_query(SECRET), (400, Value::from("query")));
        let odd = r#"{"event":{"\u0024serde_json::private::Number":"1"}}"#;
        let (status, refused) = door.send("d-6", odd, SECRET, &[EVENT]);
        let rule = refused["error"]["message"].as_str().unwrap_or_default().to_owned();
        assert!(status == 400 && rule.contains("give it another name"), "{status} {refused}");
        let (status, told) = door.send("d-7", "{}", SECRET, &[("x-github-event", "installation")]);
        assert_eq!((status, told["reason"].as_str()), (202, Some("no_repository")));
        assert!(door.doors.metrics.render().contains(r#"loci_hook_news_ignored_total{hook="github"} 2"#));
        assert_eq!(door.stored(), 3);
    }

    #[test]
    fn a51_without_a_secret_nothing_is_taken() {
        let door = Door::new(&[]);
        assert_eq!(door.send("d-1", &notice("acme/shop"), "", &[EVENT]).0, 503);
        assert_eq!(door.stored(), 0);
    }

    #[test]
    fn a51_a_body_has_at_most_so_many_bytes() {
        let door = Door::new(&[SECRET]);
        let room = loci_model::limits::HOOK_BODY_BYTES_MAX;
        let ping = [("x-github-event", "ping")];
        assert_eq!(door.send("d-1", &" ".repeat(room), SECRET, &ping).0, 200);
        assert_eq!(door.send("d-1", &" ".repeat(room + 1), SECRET, &ping).0, 413);
    }

    #[test]
    fn a51_bodies_are_json_or_forms() {
        let check = |kind: &'static str, body: &str, expect: Option<&str>| {
            let headers = HeaderMap::from_iter([(CONTENT_TYPE, http::HeaderValue::from_static(kind))]);
            let read = payload(&headers, body.as_bytes()).ok();
            assert_eq!(read.as_deref().map(String::from_utf8_lossy).as_deref(), expect, "{kind} {body}");
        };
        check("application/json", r#"{"a":"b+c"}"#, Some(r#"{"a":"b+c"}"#));
        check(
            "application/x-www-form-urlencoded",
            "payload=%7B%22a%22%3A%22b+c%22%7D",
            Some(r#"{"a":"b c"}"#),
        );
        check("Application/X-WWW-Form-urlencoded; charset=utf-8", "x=1&payload=%7B%7D&y=2", Some("{}"));
        check("application/x-www-form-urlencoded", "body=1", None);
    }
}
