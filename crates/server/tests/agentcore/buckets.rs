//! The S3 interface as stock clients use it, signed: put, get, append, list, delete, in every form
//! of a body; and the rejection of foreign keys and wrong signatures.

use axum::body::Body;
use http::Request;
use loci_model::principal::{Capability, Grant, Principal};
use loci_model::{ActorId, Namespace, limits};

use crate::isolation::Server;
use crate::sign::{Pair, Payload, Signer, encoded};

/// A server with one memory, which is a bucket, and an administrator's pair.
struct Buckets {
    server: Server,
    bucket: String,
    pair: Pair,
}

impl Buckets {
    fn new() -> Self {
        let mut server = Server::bare();
        let bucket = server.make("mine");
        let pair = server.pair(Principal::administrator("tester"));
        Self { server, bucket, pair }
    }

    fn signer<'a>(&self, pair: &'a Pair) -> Signer<'a> {
        Signer { pair, service: "s3", amz_date: self.server.amz_date() }
    }

    fn path(&self, key: &str) -> String {
        let key: Vec<String> = key.split('/').map(encoded).collect();
        format!("/s3/{}/{}", self.bucket, key.join("/"))
    }

    fn send(&self, request: Request<Body>) -> (u16, String) {
        let (status, bytes) = self.server.send(request);
        (status, String::from_utf8(bytes).unwrap())
    }

    fn ask_as(&self, pair: &Pair, method: &str, target: &str, body: &str) -> (u16, String) {
        self.send(self.signer(pair).request(method, target, &[], body.as_bytes(), Payload::Hashed))
    }

    fn ask(&self, method: &str, key: &str, body: &str) -> (u16, String) {
        self.ask_as(&self.pair, method, &self.path(key), body)
    }

    /// Returns the keys of a page, and the start of the next.
    fn page(&self, pair: &Pair, query: &str) -> (Vec<String>, Option<String>) {
        let target = format!("/s3/{}?list-type=2{query}", self.bucket);
        let (status, answer) = self.ask_as(pair, "GET", &target, "");
        assert_eq!(status, 200, "{answer}");
        let between = |text: &str, name: &str| -> Vec<String> {
            let (open, close) = (format!("<{name}>"), format!("</{name}>"));
            text.split(&open)
                .skip(1)
                .filter_map(|rest| rest.split(&close).next().map(str::to_owned))
                .collect()
        };
        (between(&answer, "Key"), between(&answer, "NextContinuationToken").pop())
    }

    fn keys(&self, pair: &Pair, query: &str) -> Vec<Vec<String>> {
        let (mut pages, mut next) = (Vec::new(), None::<String>);
        loop {
            let token =
                next.map_or_else(String::new, |token| format!("&continuation-token={}", encoded(&token)));
            let (keys, more) = self.page(pair, &format!("{query}{token}"));
            pages.push(keys);
            if more.is_none() {
                return pages;
            }
            next = more;
        }
    }
}

/// Returns the code of an error.
fn code(answer: &str) -> &str {
    answer.split("<Code>").nth(1).and_then(|rest| rest.split("</Code>").next()).unwrap_or_default()
}

#[test]
fn bodies_in_every_form_come_back_as_they_were_meant() {
    let buckets = Buckets::new();
    let long = "The hive hums at noon. ".repeat(1_500);
    for (at, payload) in Payload::ALL.into_iter().enumerate() {
        for (key, text) in [
            (format!("memory/notes/bees-{at}.md"), "# Bees\n\n- They hum.\n"),
            (format!("sessions/a b/ü+{at}=.json"), long.as_str()),
            (format!("empty/{at}"), ""),
        ] {
            let request = buckets.signer(&buckets.pair).request(
                "PUT",
                &buckets.path(&key),
                &[],
                text.as_bytes(),
                payload,
            );
            let (status, answer) = buckets.send(request);
            assert_eq!((status, answer.as_str()), (200, ""), "{payload:?} {key}");
            assert_eq!(buckets.ask("GET", &key, ""), (200, text.to_owned()), "{payload:?} {key}");
        }
    }
}

#[test]
fn links_hold_as_long_as_they_say() {
    let buckets = Buckets::new();
    let path = buckets.path("sessions/link.json");
    let link = |method: &str, expires_s: u32, body: &str| {
        buckets.signer(&buckets.pair).presigned(method, &path, expires_s, body.as_bytes())
    };
    assert_eq!(buckets.send(link("PUT", 60, "{}")).0, 200);
    let (early, late) = (link("GET", 60, ""), link("GET", 60, ""));
    assert_eq!(buckets.send(early), (200, "{}".to_owned()));
    buckets.server.advance_s(61);
    let (status, answer) = buckets.send(late);
    assert_eq!((status, code(&answer)), (403, "AccessDenied"), "{answer}");
}

#[test]
fn what_is_not_there_is_no_such_key() {
    let buckets = Buckets::new();
    for key in ["memory/notes/none.md", "sessions/none"] {
        let (status, answer) = buckets.ask("GET", key, "");
        assert_eq!((status, code(&answer)), (404, "NoSuchKey"), "{answer}");
        assert_eq!(buckets.ask("HEAD", key, ""), (404, String::new()));
        assert_eq!(buckets.ask("DELETE", key, "").0, 204, "as S3 does it");
    }
    let (status, answer) = buckets.ask_as(&buckets.pair, "GET", "/s3/nobodys/x", "");
    assert_eq!((status, code(&answer)), (404, "NoSuchBucket"), "{answer}");
}

#[test]
fn appends_by_writing_all_again_lose_nothing() {
    let buckets = Buckets::new();
    let key = "memory/notes/bees.md";
    let (first, one, other) = ("- bees hum\n", "- bees hum\n- bees dance\n", "- bees hum\n- bees sting\n");
    for text in [first, one, other] {
        assert_eq!(buckets.ask("PUT", key, text).0, 200);
    }
    let (_, now) = buckets.ask("GET", key, "");
    assert!(["hum", "dance", "sting"].iter().all(|word| now.contains(word)), "{now}");
}

#[test]
fn a_bucket_of_2500_keys_is_listed_in_pages_and_emptied() {
    let buckets = Buckets::new();
    let key = |number: usize| format!("sessions/s-{number:04}.json");
    let signer = buckets.signer(&buckets.pair);
    let put = |number| signer.request("PUT", &buckets.path(&key(number)), &[], b"{}", Payload::Hashed);
    for from in (0..2_500).step_by(250) {
        assert!(
            buckets
                .server
                .send_all((from..from + 250).map(put).collect())
                .iter()
                .all(|status| *status == 200)
        );
    }
    let pages = buckets.keys(&buckets.pair, "");
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [1_000, 1_000, 500]);
    assert_eq!(pages.concat(), (0..2_500).map(key).collect::<Vec<_>>());
    let some = buckets.keys(&buckets.pair, "&prefix=sessions%2Fs-24&max-keys=30");
    assert_eq!(some.iter().map(Vec::len).collect::<Vec<_>>(), [30, 30, 30, 10]);
    let delete = |from: usize, to: usize| {
        let object = |number| format!("\n    <Object>\n        <Key>{}</Key>\n    </Object>", key(number));
        let objects: String = (from..to).map(object).collect();
        let body = format!("<Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">{objects}</Delete>");
        assert!(body.len() > limits::BODY_INLINE_BYTES_MAX, "it is read on a thread of its own");
        let target = format!("/s3/{}?delete", buckets.bucket);
        buckets.ask_as(&buckets.pair, "POST", &target, &body)
    };
    let (status, answer) = delete(0, 1_000);
    assert_eq!((status, answer.matches("<Deleted>").count()), (200, 1_000));
    assert_eq!(buckets.keys(&buckets.pair, "").concat().len(), 1_500);
    let (status, answer) = delete(1_000, 2_001);
    assert_eq!((status, code(&answer)), (400, "MalformedXML"), "{answer}");
}

#[test]
fn wrong_signatures_are_refused() {
    let buckets = Buckets::new();
    let key = "sessions/one.json";
    assert_eq!(buckets.ask("PUT", key, "{}").0, 200);
    let path = buckets.path(key);
    let check = |request: Request<Body>, expect: &str| {
        let (status, answer) = buckets.send(request);
        assert_eq!((status, code(&answer)), (403, expect), "{answer}");
    };
    let right = buckets.signer(&buckets.pair);
    let other = Pair { secret: "other".to_owned(), ..buckets.pair.clone() };
    check(buckets.signer(&other).request("GET", &path, &[], b"", Payload::Hashed), "SignatureDoesNotMatch");
    let unknown = Pair { id: "LOCIAAAAAAAAAAAAAAAA".to_owned(), ..buckets.pair.clone() };
    check(buckets.signer(&unknown).request("GET", &path, &[], b"", Payload::Hashed), "InvalidAccessKeyId");
    check(Request::builder().uri(&path).body(Body::empty()).unwrap(), "AccessDenied");
    // Signed for another key, query, method.
    let signed = right.request("GET", &path, &[], b"", Payload::Hashed);
    let moved = |method: &str, target: &str| {
        let mut request = Request::builder().method(method).uri(target).body(Body::empty()).unwrap();
        *request.headers_mut() = signed.headers().clone();
        request
    };
    check(moved("GET", &buckets.path("sessions/two.json")), "SignatureDoesNotMatch");
    check(moved("DELETE", &path), "SignatureDoesNotMatch");
    check(moved("GET", &format!("/s3/{}?list-type=2", buckets.bucket)), "SignatureDoesNotMatch");
    // Another body, whole and in a chunk.
    for payload in [Payload::Chunks(4), Payload::ChunksAndTrailer(4)] {
        let (parts, body) = right.request("PUT", &path, &[], b"four more words", payload).into_parts();
        let bytes = buckets.server.bytes(body);
        let text = String::from_utf8(bytes).unwrap().replace("more", "less").replace(" mor", " les");
        check(Request::from_parts(parts, Body::from(text)), "SignatureDoesNotMatch");
    }
    assert_eq!(buckets.ask("GET", key, ""), (200, "{}".to_owned()), "nothing of it was written");
}

#[test]
fn keys_of_others_are_not_there() {
    let buckets = Buckets::new();
    let (alice, bob) = ("users/memory/alice/tea.md", "users/memory/bob/zebra.md");
    for (key, text) in [(alice, "green tea"), (bob, "a zebra"), ("sessions/zebra.json", "{}")] {
        assert_eq!(buckets.ask("PUT", key, text).0, 200);
    }
    let both: std::collections::BTreeSet<Capability> = [Capability::Read, Capability::Write].into();
    let part = Grant { capabilities: both, ..Grant::everything() };
    let of_place = Grant { namespace: Some(Namespace::parse("/users/alice/").unwrap()), ..part.clone() };
    let of_actor = Grant { actor: Some(ActorId::parse("alice").unwrap()), ..part.clone() };
    let of_team = Grant { metadata: [("team".to_owned(), ["red".to_owned()].into())].into(), ..part.clone() };
    let of_days = Grant { max_age_days: Some(30), ..part };
    for (name, grant, own) in [
        ("place", of_place, true),
        ("actor", of_actor, false),
        ("team", of_team, false),
        ("days", of_days, false),
    ] {
        let pair = buckets.server.pair(Principal { name: name.to_owned(), grants: vec![grant] });
        let ask =
            |method: &str, key: &str, body: &str| buckets.ask_as(&pair, method, &buckets.path(key), body);
        assert_eq!(ask("GET", alice, "").0 == 200, own, "{name}");
        for key in [bob, "sessions/zebra.json", "users/memory/bob/none.md", "sessions/none.json"] {
            let (status, answer) = ask("GET", key, "");
            assert!([403, 404].contains(&status) && !answer.contains("a zebra"), "{name} {key}: {answer}");
            assert_eq!(ask("PUT", key, "mine now").0, 403, "{name} {key}");
            assert_eq!(ask("DELETE", key, "").0, 403, "{name} {key}");
        }
        // Existing and missing keys get equal responses.
        for (there, not) in [(bob, "users/memory/bob/none.md"), ("sessions/zebra.json", "sessions/none.json")]
        {
            let said = |key: &str| {
                let (status, answer) = ask("GET", key, "");
                let before_id = answer.split("<RequestId>").next().unwrap_or_default();
                (status, before_id.replace(&buckets.path(key), "").replace(key, ""))
            };
            assert_eq!(said(there), said(not), "{name} {there}");
        }
        if ["team", "days"].contains(&name) {
            let listed = buckets.ask_as(&pair, "GET", &format!("/s3/{}?list-type=2", buckets.bucket), "");
            assert_eq!((listed.0, code(&listed.1)), (403, "AccessDenied"), "{name}");
        } else {
            let expect: &[&str] = if own { &[alice] } else { &[] };
            assert_eq!(buckets.keys(&pair, "").concat(), expect, "{name}");
        }
        let target = format!("/s3/{}?delete", buckets.bucket);
        let body = format!("<Delete><Object><Key>{bob}</Key></Object></Delete>");
        let (_, answer) = buckets.ask_as(&pair, "POST", &target, &body);
        assert!(!answer.contains("<Deleted>"), "{name}: {answer}");
    }
    assert_eq!(buckets.ask("GET", bob, ""), (200, "a zebra".to_owned()));
}
