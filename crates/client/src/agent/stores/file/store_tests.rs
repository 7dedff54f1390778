//! Notes: the layout that other agents know, and four ways of losing data that the store prevents.

use std::fs::{self, OpenOptions};
use std::path::Path;
use std::task::{Context, Poll, Waker};
use std::thread;

use futures::executor::block_on;

use super::*;
use crate::agent::error::ErrorClass;
use crate::agent::tests::test_runtime::StandingClock;
use crate::agent::tests::test_store::TestStore;

fn store(directory: &Path) -> FileStore {
    let options = FileStoreOptions { directory: directory.to_owned(), ..FileStoreOptions::new("notes") };
    FileStore::new(options).unwrap()
}

fn add(store: &FileStore, content: &str) -> String {
    block_on(store.add(&NewEntry::text(content))).unwrap().id.unwrap()
}

fn file(directory: &Path, name: &str) -> String {
    fs::read_to_string(directory.join("notes").join(name)).unwrap()
}

fn search(store: &FileStore, text: &str) -> Vec<String> {
    let query = SearchQuery {
        text: text.to_owned(),
        max_results: NonZeroU32::new(3).unwrap(),
        filter: Vec::new(),
        as_of_ms: None,
        budget_tokens: None,
        relevance_min: None,
    };
    block_on(store.search(&query)).unwrap().into_iter().map(|entry| entry.content).collect()
}

#[test]
fn a_topic_is_a_file_and_a_fact_a_line() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    assert_eq!(add(&store, "# Editor theme\n- dark mode everywhere"), "editor-theme.md");
    assert_eq!(add(&store, "# Editor theme\n- large font"), "editor-theme.md");
    assert_eq!(
        file(directory.path(), "editor-theme.md"),
        "# Editor theme\n- dark mode everywhere\n- large font\n"
    );
    // A line that the file already contains is not added again.
    add(&store, "# Editor theme\n- large font\n- dark mode everywhere");
    assert_eq!(file(directory.path(), "editor-theme.md").lines().count(), 3);
    assert_eq!(add(&store, "User lives in Seattle"), "user-lives-in-seattle.md");
    assert_eq!(add(&store, "User lives in Seattle"), "user-lives-in-seattle.md");
    assert_eq!(file(directory.path(), "user-lives-in-seattle.md"), "User lives in Seattle\n");
    assert!(block_on(store.add(&NewEntry::text(" "))).is_err());
}

#[test]
fn topics_that_share_a_name_share_no_file() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let long = "The harbour office opens its doors at nine o'clock in the";
    assert_eq!(
        add(&store, &format!("{long} summer")),
        "the-harbour-office-opens-its-doors-at-nine-oclock.md"
    );
    assert_eq!(
        add(&store, &format!("{long} winter")),
        "the-harbour-office-opens-its-doors-at-nine-oclock-2.md"
    );
    assert_eq!(
        add(&store, &format!("{long} winter")),
        "the-harbour-office-opens-its-doors-at-nine-oclock-2.md"
    );
    assert_eq!(search(&store, "harbour winter").len(), 2);
}

#[test]
fn headings_in_any_script_keep_their_topic() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let tea = add(&store, "# 好み\nお茶が好き");
    let food = add(&store, "# 食べ物\n寿司が好き");
    assert_ne!(tea, food);
    assert_eq!(add(&store, "# 好み\n猫が好き"), tea);
    assert_eq!(file(directory.path(), &tea), "# 好み\nお茶が好き\n猫が好き\n");
    assert_eq!(search(&store, "寿司")[0], "寿司が好き");
}

#[test]
fn eight_writers_lose_nothing() {
    let directory = tempfile::tempdir().unwrap();
    thread::scope(|scope| {
        for writer in 0..8 {
            let store = store(directory.path());
            scope.spawn(move || {
                for number in 0..200 {
                    add(&store, &format!("# Log\n- {writer} wrote {number}"));
                }
            });
        }
    });
    let text = file(directory.path(), "log.md");
    assert_eq!(text.lines().count(), 1601);
    assert_eq!(text.lines().collect::<std::collections::BTreeSet<_>>().len(), 1601);
}

#[test]
fn files_of_others_are_read_and_appended_to() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    assert!(search(&store, "anything").is_empty());
    fs::create_dir_all(directory.path().join("notes")).unwrap();
    fs::write(directory.path().join("notes/pets.md"), "# Pets\nhas a dog named Rex").unwrap();
    fs::write(directory.path().join("notes/other.txt"), "has a dog").unwrap();
    assert_eq!(add(&store, "# Pets\nhas a cat"), "pets.md");
    assert_eq!(file(directory.path(), "pets.md"), "# Pets\nhas a dog named Rex\nhas a cat\n");
    assert_eq!(search(&store, "what is the dog called"), ["has a dog named Rex"]);
    assert_eq!(search(&store, "pets"), ["has a dog named Rex", "has a cat"]);
}

#[test]
fn a_lock_that_somebody_keeps_is_waited_for_and_named() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(StandingClock::default());
    let store = store(directory.path()).with_clock(clock.clone());
    add(&store, "# Log\nbefore");
    let path = directory.path().join("notes/.lock");
    let lock = OpenOptions::new().append(true).open(&path).unwrap();
    lock.lock().unwrap();
    let entry = NewEntry::text("# Log\nafter");
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    // Other tasks on the runtime continue meanwhile.
    let waited = runtime.block_on(async {
        let mut adding = store.add(&entry);
        for _ in 0..2000 {
            if let Some(answer) = polled(&mut adding).await {
                return answer;
            }
            clock.advance(20);
        }
        panic!("it waits for ever");
    });
    let error = waited.unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "somebody else has held the lock {} for 10 s; a writer of notes holds it for one append: end the program that has the file open, \
             and leave the file",
            path.display()
        )
    );
    assert_eq!(error.class, ErrorClass::Transient);
    assert_eq!(file(directory.path(), "log.md"), "# Log\nbefore\n");
    // Reading needs no lock, and the waiting writer proceeds once the lock is released.
    assert_eq!(search(&store, "before"), ["before"]);
    let added = runtime.block_on(async {
        let mut adding = store.add(&entry);
        assert!(polled(&mut adding).await.is_none());
        drop(lock);
        loop {
            clock.advance(20);
            if let Some(answer) = polled(&mut adding).await {
                return answer;
            }
        }
    });
    assert_eq!(added.unwrap().id.as_deref(), Some("log.md"));
    assert_eq!(file(directory.path(), "log.md"), "# Log\nbefore\nafter\n");
}

/// Returns the answer if it is ready after the pending tasks ran once.
async fn polled<T>(future: &mut BoxFuture<'_, T>) -> Option<T> {
    let answer = futures::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context))).await;
    if answer.is_pending() {
        tokio::task::spawn_blocking(|| ()).await.unwrap();
        tokio::task::yield_now().await;
    }
    match answer {
        Poll::Ready(answer) => Some(answer),
        Poll::Pending => None,
    }
}

#[test]
fn an_addition_goes_on_where_its_caller_goes_away() {
    let directory = tempfile::tempdir().unwrap();
    let store = store(directory.path());
    let entry = NewEntry::text("# Log\nsaid");
    {
        let mut adding = store.add(&entry);
        let _ = adding.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    }
    let path = directory.path().join("notes/log.md");
    while fs::read_to_string(&path).map_or(true, |text| text.is_empty()) {
        thread::yield_now();
    }
    assert_eq!(file(directory.path(), "log.md"), "# Log\nsaid\n");
}

fn ask(store: &FileStore, text: &str) -> Vec<(String, Option<String>)> {
    let query = SearchQuery {
        text: text.to_owned(),
        max_results: NonZeroU32::new(3).unwrap(),
        filter: Vec::new(),
        as_of_ms: None,
        budget_tokens: None,
        relevance_min: None,
    };
    let degraded =
        |entry: &Entry| entry.metadata.get("degraded").and_then(|text| text.as_str()).map(str::to_owned);
    let found = block_on(store.search(&query)).unwrap();
    found.into_iter().map(|entry| (degraded(&entry), entry.content)).map(|(why, text)| (text, why)).collect()
}

#[test]
fn notes_are_found_by_meaning_where_a_memory_answers_and_by_words_where_not() {
    let directory = tempfile::tempdir().unwrap();
    let plain = || {
        let store = store(directory.path()).with_clock(Arc::new(StandingClock::default()));
        add(&store, "# Boat\nit is called Gull\nit leaks");
        store
    };
    let document = || vec![Entry::new("memory", "Boat\nit is called Gull\nit leaks")];
    let words = |why: &str| Some(format!("searched by words alone: the memory {why} did not answer"));
    assert!(ask(&plain(), "vessel").is_empty());
    let knows = TestStore::reading("knows").found(document());
    let kept = knows.kept.clone();
    let store = plain().with_search(Arc::new(knows));
    block_on(store.initialize()).unwrap();
    let both = [("it is called Gull".to_owned(), None), ("it leaks".to_owned(), None)];
    assert_eq!(ask(&store, "vessel"), both);
    assert_eq!((kept.questions(), kept.limits()), (vec!["vessel".to_owned()], vec![3]));
    // Unavailable from the start, or later: the word search answers and reports it.
    let away = plain().with_search(Arc::new(TestStore::reading("away").not_ready()));
    block_on(away.initialize()).unwrap();
    assert!(ask(&away, "vessel").is_empty());
    assert_eq!(ask(&away, "leaks"), [("it leaks".to_owned(), words("away"))]);
    let fails = plain().with_search(Arc::new(TestStore::reading("fails").failing("down")));
    assert_eq!(ask(&fails, "gull"), [("it is called Gull".to_owned(), words("fails"))]);
}

#[test]
fn a_memory_that_does_not_answer_is_not_waited_for_long() {
    let directory = tempfile::tempdir().unwrap();
    let clock = Arc::new(StandingClock::default());
    let store = store(directory.path())
        .with_clock(clock.clone())
        .with_search(Arc::new(TestStore::reading("hangs").hanging()));
    add(&store, "User likes tea");
    let found = thread::scope(|scope| {
        let asking = scope.spawn(|| ask(&store, "tea"));
        while !asking.is_finished() {
            clock.advance(100);
            thread::yield_now();
        }
        asking.join().unwrap()
    });
    assert_eq!((found.len(), found[0].1.is_some()), (1, true));
}

#[test]
fn names_of_stores() {
    for wrong in ["", " ", "..", ".x", "a/b", "a\\b"] {
        assert!(FileStore::new(FileStoreOptions::new(wrong)).is_err(), "{wrong}");
    }
    let options = FileStoreOptions {
        writable: false,
        extraction: Some(ExtractionConfig::default()),
        ..FileStoreOptions::new("a")
    };
    let store = FileStore::new(options).unwrap();
    assert!(store.extraction().is_none() && !store.capabilities().add);
}
