//! A part of a memory as a bucket: keys that are documents, other objects, appends of two writers,
//! listings, grants.

use loci_documents::bucket::{Bucket, BucketItem, BucketListing, BucketPut, BucketWritten};
use loci_documents::{NewObject, Precondition};
use loci_model::principal::{Capability, Principal};
use loci_model::{ErrorKind, Namespace, Reason, Result, limits};
use loci_testkit_ports::block_on;

use super::fixture::Shelf;

const KEY: &str = "memory/desk/topic.md";

/// The bucket below `/team`, as seen by a caller.
struct BucketView<'a> {
    shelf: &'a Shelf,
    caller: Principal,
    bucket: Bucket,
}

impl<'a> BucketView<'a> {
    fn of(shelf: &'a Shelf) -> Self {
        let bucket = Bucket { memory: shelf.memory(), namespace: shelf.tree.namespace.clone() };
        Self { shelf, caller: shelf.caller.clone(), bucket }
    }

    fn put_with(
        &self,
        key: &str,
        content: &[u8],
        change: impl FnOnce(&mut BucketPut),
    ) -> Result<BucketWritten> {
        self.shelf.world.clock().advance_ms(1_000);
        let mut put = BucketPut {
            bucket: self.bucket.clone(),
            object: NewObject { key: key.to_owned(), content_type: None, content: content.to_vec() },
            precondition: None,
            merge_appends: true,
            object_ttl_ms: None,
        };
        change(&mut put);
        block_on(self.shelf.engine.documents.bucket_put(&self.caller, put))
    }

    fn put(&self, key: &str, text: &str) -> BucketWritten {
        self.put_with(key, text.as_bytes(), |_| {}).unwrap()
    }

    fn read(&self, key: &str) -> Option<String> {
        let found =
            block_on(self.shelf.engine.documents.bucket_get(&self.caller, &self.bucket, key)).unwrap();
        found.map(|found| String::from_utf8_lossy(&found.content).into_owned())
    }

    fn delete(&self, key: &str) -> bool {
        block_on(self.shelf.engine.documents.bucket_delete(&self.caller, &self.bucket, key, None)).unwrap()
    }

    fn keys(&self, prefix: &str) -> Vec<String> {
        self.listed(prefix, None, 2)
    }

    /// Returns keys and common prefixes, read in pages of `limit`.
    fn listed(&self, prefix: &str, delimiter: Option<&str>, limit: usize) -> Vec<String> {
        let (mut keys, mut after) = (Vec::new(), None);
        loop {
            let listing = BucketListing {
                bucket: self.bucket.clone(),
                prefix: prefix.to_owned(),
                after: after.take(),
                delimiter: delimiter.map(ToOwned::to_owned),
                limit,
            };
            let page = block_on(self.shelf.engine.documents.bucket_list(&self.caller, listing)).unwrap();
            assert!(page.items.len() <= limit);
            keys.extend(page.items.into_iter().map(|item| match item {
                BucketItem::Key(entry) => entry.key,
                BucketItem::Common(common) => common,
            }));
            let Some(next) = page.next else { return keys };
            after = Some(next);
        }
    }
}

#[test]
fn memory_files_are_documents_and_all_else_is_parked() {
    let mut shelf = Shelf::new();
    let seen = BucketView::of(&shelf);
    assert!(seen.put(KEY, "# Topic\n- one\n").is_document);
    assert!(!seen.put("session/s1/state.json", "{}").is_document);
    assert!(!seen.put_with("memory/desk/bytes.md", b"\xff\x00", |_| {}).unwrap().is_document);
    assert!(!seen.put("memory/desk/long.md", &"x".repeat(limits::FILE_BYTES_MAX + 1)).is_document);
    assert!(seen.put("memory/desk/longest.md", &"x".repeat(limits::FILE_BYTES_MAX)).is_document);
    assert!(seen.put("memory/desk/empty.md", "").is_document);
    assert_eq!(seen.read(KEY).as_deref(), Some("# Topic\n- one\n"));
    assert_eq!(seen.read("memory/desk/empty.md").as_deref(), Some(""));
    assert_eq!(seen.read("session//s1/state.json").as_deref(), Some("{}"));
    assert_eq!(seen.read("memory/desk/none.md"), None);
    let all = [
        "memory/desk/bytes.md",
        "memory/desk/empty.md",
        "memory/desk/long.md",
        "memory/desk/longest.md",
        KEY,
        "session/s1/state.json",
    ];
    assert_eq!(seen.keys(""), all);
    assert_eq!(seen.keys("memory/desk/l"), ["memory/desk/long.md", "memory/desk/longest.md"]);
    assert_eq!(seen.keys("session/"), ["session/s1/state.json"]);
    // The bucket of the whole memory contains the same keys below the namespace.
    let whole = Bucket { namespace: Namespace::parse("/").unwrap(), ..seen.bucket.clone() };
    let seen = BucketView { bucket: whole, ..seen };
    assert_eq!(seen.read("team/memory/desk/topic.md").as_deref(), Some("# Topic\n- one\n"));
    assert_eq!(seen.keys("team/session"), ["team/session/s1/state.json"]);
    // The tree of the namespace contains the document.
    shelf.tree.namespace = Namespace::parse("/team/desk").unwrap();
    assert_eq!(shelf.body("knowledge/facts/topic.md"), "# Topic\n- one\n");
}

#[test]
fn keys_that_share_a_beginning_are_one_item() {
    let shelf = Shelf::new();
    let seen = BucketView::of(&shelf);
    for key in [
        "a",
        "a/1",
        "a/2",
        "a-b",
        "memory/desk/x.md",
        "memory/desk/y.bin",
        "memory/z",
        "s/é/1",
        "s/é/2",
        "s/t",
    ] {
        seen.put(key, "- text\n");
    }
    for number in 0..1_100 {
        seen.put_with(&format!("many/{number:04}"), b"x", |_| {}).unwrap();
    }
    // The last Unicode character, which sorts after all others.
    for number in 0..1_100 {
        seen.put_with(&format!("n/\u{10ffff}{number:04}"), b"x", |_| {}).unwrap();
    }
    let check = |prefix: &str, delimiter: &str, expect: &[&str]| {
        for limit in [1, 2, 3, 100] {
            assert_eq!(seen.listed(prefix, Some(delimiter), limit), expect, "{prefix} {delimiter} {limit}");
        }
    };
    check("", "/", &["a", "a-b", "a/", "many/", "memory/", "n/", "s/"]);
    check("a", "/", &["a", "a-b", "a/"]);
    check("memory/", "/", &["memory/desk/", "memory/z"]);
    check("memory/desk/", "/", &["memory/desk/x.md", "memory/desk/y.bin"]);
    check("s/", "é/", &["s/t", "s/é/"]);
    assert_eq!(seen.listed("", Some("none"), 500), seen.listed("", None, 1_000));
}

#[test]
fn one_key_is_one_thing() {
    let shelf = Shelf::new();
    let seen = BucketView::of(&shelf);
    seen.put(KEY, "- text\n");
    let parked = seen.put_with(KEY, b"\xff", |_| {}).unwrap();
    assert_eq!((parked.is_document, parked.warnings.len()), (false, 1));
    assert_eq!((seen.keys(""), seen.read(KEY).as_deref()), (vec![KEY.to_owned()], Some("\u{fffd}")));
    assert!(seen.put(KEY, "- again\n").is_document);
    assert_eq!((seen.keys(""), seen.read(KEY).as_deref()), (vec![KEY.to_owned()], Some("- again\n")));
    // Keys differ by their bytes, tree paths do not: the second spelling is parked.
    let other = "memory/desk/Topic.md";
    assert!(!seen.put(other, "- other\n").is_document);
    assert_eq!(
        (seen.read(KEY).as_deref(), seen.read(other).as_deref()),
        (Some("- again\n"), Some("- other\n"))
    );
    assert_eq!(seen.keys(""), [other, KEY]);
    assert!(seen.delete(KEY) && seen.delete(other) && !seen.delete(KEY));
    assert_eq!((seen.keys(""), seen.read(KEY)), (Vec::new(), None));
}

#[test]
fn a_key_that_ends_in_a_slash_is_a_key_of_its_own() {
    let shelf = Shelf::new();
    let bucket = BucketView::of(&shelf);
    for key in ["trail", "trail/", "trail.", "trail/a", "memory/desk/", KEY] {
        bucket.put(key, key);
    }
    for key in ["trail", "trail/", "trail.", "trail/a", "memory/desk/", KEY] {
        assert_eq!(bucket.read(key).as_deref(), Some(key));
    }
    assert_eq!(bucket.keys("trail"), ["trail", "trail.", "trail/", "trail/a"]);
    assert_eq!(bucket.listed("", Some("/"), 2), ["memory/", "trail", "trail.", "trail/"]);
    assert_eq!(bucket.listed("trail/", Some("/"), 1), ["trail/", "trail/a"]);
    assert_eq!(bucket.keys("memory/desk/"), ["memory/desk/", KEY]);
    assert!(bucket.delete("trail/") && !bucket.delete("trail/"));
    assert_eq!(bucket.keys("trail"), ["trail", "trail.", "trail/a"]);
    assert_eq!(bucket.read("trail").as_deref(), Some("trail"));
}

#[test]
fn b2_appends_of_two_writers_stay_through_a_bucket() {
    let shelf = Shelf::new();
    let seen = BucketView::of(&shelf);
    seen.put(KEY, "# Topic\n- zero\n");
    let read = seen.read(KEY).unwrap();
    let append = |line: &str| format!("{}\n{line}", read.trim_end());
    seen.put(KEY, &append("- one"));
    seen.put(KEY, &append("- two"));
    assert_eq!(seen.read(KEY).as_deref(), Some("# Topic\n- zero\n- one\n- two\n"));
    // A writer with an outdated read and nothing to append removes nothing.
    seen.put(KEY, &read);
    assert_eq!(seen.read(KEY).as_deref(), Some("# Topic\n- zero\n- one\n- two\n"));
    // A write that is no append, has a condition, or has merging disabled replaces the content.
    let replace = |text: &str, change: &dyn Fn(&mut BucketPut)| {
        seen.put_with(KEY, text.as_bytes(), |put| change(put)).unwrap();
        assert_eq!(seen.read(KEY).as_deref(), Some(text));
    };
    replace("# Topic\n- other\n", &|_| {});
    replace("# Topic\n- zero\n- three", &|put| put.precondition = Some(Precondition::of_tags("*")));
    replace("# Topic\n- zero\n- four", &|put| put.merge_appends = false);
}

#[test]
fn conditions_hold_for_both_kinds() {
    let shelf = Shelf::new();
    let seen = BucketView::of(&shelf);
    for key in [KEY, "session/s1.json"] {
        let put = |text: &str, precondition: Precondition| {
            let outcome = seen.put_with(key, text.as_bytes(), |put| put.precondition = Some(precondition));
            outcome.map_err(|error| error.reason)
        };
        let tag = |written: &BucketWritten| Precondition::of_tags(&format!("\"sha256:{}\"", written.sha256));
        assert_eq!(put("a", Precondition::of_tags("*")), Err(Some(Reason::StaleVersion)), "{key}");
        let first = put("a", Precondition::Absent).unwrap();
        assert_eq!(put("b", Precondition::Absent), Err(Some(Reason::StaleVersion)), "{key}");
        let second = put("b", tag(&first)).unwrap();
        assert_eq!(put("c", tag(&first)), Err(Some(Reason::StaleVersion)), "{key}");
        let delete = |tag: Precondition| {
            block_on(shelf.engine.documents.bucket_delete(&seen.caller, &seen.bucket, key, Some(tag)))
        };
        assert_eq!(delete(tag(&first)).unwrap_err().reason, Some(Reason::StaleVersion), "{key}");
        assert!(delete(tag(&second)).unwrap(), "{key}");
    }
}

#[test]
fn grants_are_those_of_trees_and_of_the_memory() {
    let shelf = Shelf::new();
    let seen = BucketView::of(&shelf);
    seen.put(KEY, "- one\n");
    seen.put("session/s1.json", "{}");
    let limited =
        BucketView { caller: shelf.writer(&[Capability::Read, Capability::Write]), ..BucketView::of(&shelf) };
    assert_eq!(limited.read(KEY).as_deref(), Some("- one\n"));
    assert_eq!(limited.keys(""), [KEY]);
    limited.put(KEY, "- one\n- two\n");
    let denied = |outcome: Result<()>| assert_eq!(outcome.unwrap_err().kind, ErrorKind::Denied);
    let engine = &shelf.engine;
    denied(
        block_on(engine.documents.bucket_get(&limited.caller, &limited.bucket, "session/s1.json")).map(drop),
    );
    denied(
        block_on(engine.documents.bucket_delete(&limited.caller, &limited.bucket, "session/s1.json", None))
            .map(drop),
    );
    denied(limited.put_with("session/s2.json", b"{}", |_| {}).map(drop));
    denied(limited.put_with(KEY, b"\xff", |_| {}).map(drop));
    assert_eq!(limited.read(KEY).as_deref(), Some("- one\n- two\n"), "what is refused changes nothing");
    let reader = BucketView { caller: shelf.writer(&[Capability::Read]), ..BucketView::of(&shelf) };
    denied(reader.put_with(KEY, b"- three\n", |_| {}).map(drop));
    let outside = Bucket { namespace: Namespace::parse("/").unwrap(), ..seen.bucket.clone() };
    let elsewhere = BucketView { caller: limited.caller.clone(), bucket: outside, shelf: &shelf };
    denied(elsewhere.put_with("memory/desk/x.md", b"x", |_| {}).map(drop));
    assert_eq!(elsewhere.keys(""), ["team/memory/desk/topic.md"]);
}

#[test]
fn parked_bytes_expire_by_their_own_time() {
    let shelf = Shelf::new();
    let seen = BucketView::of(&shelf);
    seen.put_with("session/short.json", b"{}", |put| put.object_ttl_ms = Some(60_000)).unwrap();
    seen.put("session/long.json", "{}");
    shelf.world.clock().advance_ms(61_000);
    assert_eq!(seen.read("session/short.json"), None);
    assert_eq!(seen.keys(""), ["session/long.json"]);
    assert!(!seen.delete("session/short.json"));
}
