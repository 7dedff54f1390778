//! Checks of listings: complete, sorted, with full paths, and bounded by whole segments of a
//! prefix.

use std::sync::Arc;

use super::check_environment::{CheckEnvironment, CheckVerdict, fault, in_words, same};
use crate::backend::prefixed_backend::namespace;
use crate::backend::stored_file::FilePrecondition;

/// A number of files above the page size of most services in a test.
const MANY: usize = 120;

/// Names that other sort orders (by words, case-insensitive, by directories) put in another order.
const NAMES: &[&str] = &["b.md", "a/c.md", "a.md", "Z.md", "a-b.md", "é.md", "a/b/d.md", "10.md", "9.md"];

pub(super) async fn sorted(it: &CheckEnvironment) -> CheckVerdict {
    for name in NAMES {
        it.write(name, name.as_bytes()).await?;
    }
    let mut expected: Vec<(String, u64)> =
        NAMES.iter().map(|name| (it.at(name), name.len() as u64)).collect();
    expected.sort();
    let found = it.list("").await?.into_iter().map(|entry| (entry.path, entry.size)).collect();
    same("full paths, sorted by their bytes, with sizes", &found, &expected)
}

pub(super) async fn prefixes(it: &CheckEnvironment) -> CheckVerdict {
    for name in ["shop/a.md", "shop/deep/b.md", "shop-web/c.md", "shop.md"] {
        it.write(name, b"text\n").await?;
    }
    let below = |names: &[&str]| names.iter().map(|name| it.at(name)).collect::<Vec<_>>();
    for (prefix, names) in [
        ("shop", &["shop/a.md", "shop/deep/b.md"][..]),
        ("shop/deep", &["shop/deep/b.md"]),
        ("shop.md", &["shop.md"]),
        ("sho", &[]),
        ("absent", &[]),
        ("shop/a.md/below", &[]),
    ] {
        same(&format!("list {prefix:?}"), &it.paths(prefix).await?, &below(names))?;
    }
    Ok(())
}

pub(super) async fn many(it: &CheckEnvironment) -> CheckVerdict {
    let mut expected = Vec::with_capacity(MANY);
    for number in 0..MANY {
        let name = format!("file-{number:04}.md");
        it.write(&name, format!("File {number} of many.\n").as_bytes()).await?;
        expected.push(it.at(&name));
    }
    let found = it.paths("").await?;
    if found == expected {
        return Ok(());
    }
    Err(fault(format!("{MANY} files, sorted, each once"), format!("{} files: {found:?}", found.len())))
}

pub(super) async fn view(it: &CheckEnvironment) -> CheckVerdict {
    let failed = |error| fault("calls of a view succeed", in_words(&error));
    let view = namespace(Arc::clone(&it.backend), &it.at("team")).map_err(failed)?;
    it.write("team/a.md", b"by the backend\n").await?;
    it.write("teammate/b.md", b"text\n").await?;
    view.write("deep/c.md", b"by the view\n", &FilePrecondition::Any).await.map_err(failed)?;
    it.holds("team/deep/c.md", Some(b"by the view\n")).await?;
    let listed = view.list("").await.map_err(failed)?.into_iter().map(|entry| entry.path).collect();
    let expected: Vec<String> = ["a.md", "deep/c.md"].map(str::to_owned).into();
    same("paths of a view", &listed, &expected)?;
    let twice = namespace(view, &it.at("team")).map_err(failed)?;
    let read = twice.read("a.md").await.map_err(failed)?.map(|file| file.bytes);
    same("a view of the same prefix, which is not prefixed twice", &read, &Some(b"by the backend\n".to_vec()))
}
