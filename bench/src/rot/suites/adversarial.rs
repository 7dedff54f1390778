//! Cases of malicious or accidental damage to citations, as far as the verifier handles it. Each
//! case has one right answer. The tests of the store call cover secrets, tenants and rendering.

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use loci_model::facts::citation::{Citation, LineRange};
use loci_model::facts::claim::Claim;
use loci_model::facts::verdict::{Unverifiable, Verdict};
use loci_verified::verifier::{AnchorError, Information};

use super::super::synthetic_history::{Commit, Mode, import};
use super::super::verifier_under_test::TestedRepository;
use super::Case;

/// The repository of the cases.
struct Scene {
    under: TestedRepository,
    before: String,
    after: String,
    cases: Vec<Case>,
}

const BODY: &str = "pub fn retry_limit(settings: &Settings) -> usize {\n    let limit = settings.retries.unwrap_or(20);\n    limit.min(MAXIMUM_RETRIES)\n}\n";
const BOILERPLATE: &str = "impl Default for Reader {\n    fn default() -> Self {\n        Self::with_capacity(DEFAULT_CAPACITY)\n    }\n}\n";

/// Returns all cases.
pub(super) async fn cases(folder: &Path) -> Result<Vec<Case>> {
    let repository = folder.join("adversarial");
    let ids = import(&repository, &[before(), after()])?;
    let [before, after] = ids.as_slice() else { return Err(anyhow!("two commits")) };
    let mut scene = Scene {
        under: TestedRepository::open(&repository)?,
        before: before.clone(),
        after: after.clone(),
        cases: Vec::new(),
    };
    scene.places().await?;
    scene.contents().await?;
    scene.drift().await?;
    scene.claims().await?;
    scene.missing(folder).await?;
    Ok(scene.cases)
}

fn version(number: &str) -> Vec<u8> {
    format!("[package]\nname = \"part\"\nversion = \"{number}\"\nedition = \"2024\"\n").into_bytes()
}

fn before() -> Commit {
    let text = |text: &str| text.as_bytes().to_vec();
    let files = vec![
        ("src/limit.rs".to_owned(), text(BODY)),
        ("src/one.rs".to_owned(), text(&format!("mod one;\n\n{BOILERPLATE}"))),
        ("src/two.rs".to_owned(), text(&format!("mod two;\n\n{BOILERPLATE}"))),
        ("src/low.rs".to_owned(), text("use std::fs;\n\nfn a() {\n}\n\n    pass\n")),
        (
            "large/pointer.bin".to_owned(),
            text("version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12345\n"),
        ),
        ("image.png".to_owned(), b"\x89PNG\0\0\0\0binary".to_vec()),
        ("dist/app.min.js".to_owned(), vec![b'x'; 70_000]),
        ("huge.txt".to_owned(), text(&"a line of some length\n".repeat(500_000))),
        ("a/Cargo.toml".to_owned(), version("1.0.0")),
        ("b/Cargo.toml".to_owned(), version("1.0.0")),
        ("c/Cargo.toml".to_owned(), version("1.0.0")),
        ("d/Cargo.toml".to_owned(), version("1.0.0")),
        ("slow.txt".to_owned(), text(&format!("{}b\n", "a".repeat(30_000)))),
    ];
    let others = vec![
        ("link".to_owned(), Mode::Link, b"../../outside/secret".to_vec()),
        ("sub".to_owned(), Mode::Submodule, "1".repeat(40).into_bytes()),
    ];
    Commit { files, others, parents: Vec::new(), message: "before".to_owned(), branch: "main".to_owned() }
}

fn after() -> Commit {
    let Commit { mut files, others, .. } = before();
    for (path, bytes) in &mut files {
        match path.as_str() {
            "src/limit.rs" => *bytes = BODY.replace("20", "30").into_bytes(),
            "src/one.rs" => *bytes = b"mod one;\n".to_vec(),
            "a/Cargo.toml" | "b/Cargo.toml" | "c/Cargo.toml" => *bytes = version("1.1.0"),
            _ => {}
        }
    }
    Commit { files, others, parents: vec![0], message: "after".to_owned(), branch: "main".to_owned() }
}

fn place(path: &str, line_start: u32, line_end: u32) -> LineRange {
    LineRange { path: path.to_owned(), line_start, line_end }
}

impl Scene {
    fn note(&mut self, kind: &str, name: &str, right: bool, said: String) {
        self.cases.push(Case { kind: kind.to_owned(), name: name.to_owned(), holds: None, right, said });
    }

    async fn cite(
        &self,
        place: LineRange,
        fact: &str,
    ) -> Result<std::result::Result<(Citation, Information), AnchorError>> {
        self.under.cite(&self.before, place, fact, Vec::new()).await
    }

    /// Adds paths and ranges that cannot be cited.
    async fn places(&mut self) -> Result<()> {
        for path in [
            "../etc/passwd",
            "/etc/passwd",
            ".git/config",
            "src/.GIT/config",
            "GIT~1/config",
            "a\0b",
            "a\\b",
            "c:/x",
            "",
        ] {
            let said = self.cite(place(path, 1, 1), "").await?;
            let right = matches!(said, Err(AnchorError::Path(_)));
            self.note("path", &format!("{path:?}"), right, words(&said));
        }
        for (start, end) in [(0, 1), (2, 1), (1, u32::MAX), (u32::MAX, u32::MAX)] {
            let said = self.cite(place("src/limit.rs", start, end), "").await?;
            let right =
                matches!(said, Err(AnchorError::Range | AnchorError::Span | AnchorError::OutOfRange { .. }));
            self.note("range", &format!("{start}-{end}"), right, words(&said));
        }
        let said = self.cite(place("src/none.rs", 1, 1), "").await?;
        self.note("not there", "file", matches!(said, Err(AnchorError::Missing)), words(&said));
        let said = self.cite(place("src/limit.rs", 4, 9), "").await?;
        self.note("not there", "line", matches!(said, Err(AnchorError::OutOfRange { .. })), words(&said));
        let said = self.cite(place("src/limit.rs?ref=main", 1, 1), "").await?;
        self.note("not there", "?ref=", said.is_err(), words(&said));
        Ok(())
    }

    /// Adds files that are not text, and lines without information.
    async fn contents(&mut self) -> Result<()> {
        for (path, why) in [
            ("image.png", Unverifiable::Binary),
            ("dist/app.min.js", Unverifiable::Minified),
            ("huge.txt", Unverifiable::TooLarge),
            ("sub", Unverifiable::Submodule),
        ] {
            let said = self.cite(place(path, 1, 1), "").await?;
            let right = matches!(&said, Err(AnchorError::Unreadable(error)) if error.why == why);
            self.note("no text", path, right, words(&said));
        }
        let said = self.cite(place("link", 1, 1), "").await?;
        let target = "../../outside/secret";
        let right = matches!(&said, Ok((citation, _)) if citation.anchor.lines == [target]);
        self.note("no text", "link is its target's name", right, words(&said));
        for (name, start, end) in [("}", 4, 4), ("pass", 6, 6), ("use std::fs;", 1, 1)] {
            let said = self.cite(place("src/low.rs", start, end), "Files are read by one module").await?;
            let right = matches!(said, Ok((_, Information::Low | Information::TooLow)));
            self.note("says nothing", name, right, words(&said));
        }
        let said = self.cite(place("src/limit.rs", 1, 4), "The `tokenizer` splits at `whitespace`").await?;
        let right = matches!(&said, Ok((citation, _)) if citation.anchor.grounded.is_empty());
        self.note("irrelevant", "no word of the fact is there", right, words(&said));
        let said = self.cite(place("src/limit.rs", 1, 4), "`retry_limit` is 20").await?;
        let right = matches!(&said, Ok((citation, _)) if !citation.anchor.grounded.is_empty());
        self.note("irrelevant", "a word of the fact is there", right, words(&said));
        Ok(())
    }

    /// Adds copies and edits.
    async fn drift(&mut self) -> Result<()> {
        for (name, at, expect) in [
            ("copied boilerplate, the cited one deleted", place("src/one.rs", 3, 7), Verdict::Gone),
            ("copied boilerplate, the other one deleted", place("src/two.rs", 3, 7), Verdict::Valid),
            ("a number changed", place("src/limit.rs", 1, 4), Verdict::Drifted),
        ] {
            let (citation, _) = self.cite(at, "").await?.map_err(|error| anyhow!("{name}: {error:?}"))?;
            let (verdict, _) = self.under.check(&self.after, citation).await?;
            let valid = (verdict.verdict == Verdict::Valid) == (expect == Verdict::Valid);
            let right = valid && verdict.verdict.is_conclusive();
            self.note("copies and edits", name, right, verdict.verdict.as_str().to_owned());
        }
        Ok(())
    }

    /// Adds facts that contradict intact code, version bumps of some and of all packages, and
    /// unbounded patterns.
    async fn claims(&mut self) -> Result<()> {
        let bump =
            |members: [&str; 3]| members.map(|path| place(&format!("{path}/Cargo.toml"), 1, 4)).to_vec();
        let same = Claim::SameCapture {
            citations: vec![0, 1, 2],
            regexes: vec![r#"version = "([^"]+)""#.to_owned()],
        };
        let limit = |literal: &str| Claim::Equals {
            citation: 0,
            regex: r"unwrap_or\((\d+)\)".to_owned(),
            literal: literal.to_owned(),
        };
        let one = || vec![place("src/limit.rs", 1, 4)];
        let slow = Claim::Matches { citation: 0, regex: "(a*)*(a*)*(a*)*c".to_owned() };
        let (before, after) = (self.before.clone(), self.after.clone());
        for (name, at, cited, claims, expect) in [
            ("a false fact about good code", &before, one(), vec![limit("99")], Verdict::Contradicted),
            ("a true fact", &before, one(), vec![limit("20")], Verdict::Valid),
            ("a number changed", &after, one(), vec![limit("20")], Verdict::Contradicted),
            ("all three bumped", &after, bump(["a", "b", "c"]), vec![same.clone()], Verdict::Valid),
            ("two of three bumped", &after, bump(["a", "b", "d"]), vec![same], Verdict::Contradicted),
            ("a pattern without end", &before, one(), vec![slow], Verdict::Contradicted),
        ] {
            let mut citations = Vec::new();
            for place in cited {
                let cited = self.under.cite(&before, place, "", claims.clone()).await?;
                citations.push(cited.map_err(|error| anyhow!("{name}: {error:?}"))?.0);
            }
            let began = std::time::Instant::now();
            let verification = self.under.verify(at, citations, claims).await?;
            let right = verification.verdict == expect && began.elapsed().as_secs() < 5;
            self.note("claims", name, right, verification.verdict.as_str().to_owned());
        }
        Ok(())
    }

    /// Adds a clone that lacks the blob, which proves nothing.
    async fn missing(&mut self, folder: &Path) -> Result<()> {
        let repository = folder.join("lacking");
        let ids = import(&repository, &[before(), after()])?;
        let git = super::super::git::Repository::open(&repository)?;
        let said = git.git(&["rev-parse", &format!("{}:src/limit.rs", self.after)])?;
        let blob = String::from_utf8_lossy(&said).trim().to_owned();
        let under = TestedRepository::open(&repository)?;
        let first = ids.first().context("a commit")?;
        let cited = under.cite(first, place("src/limit.rs", 1, 4), "", Vec::new()).await?;
        let (citation, _) = cited.map_err(|error| anyhow!("it cannot be cited: {error:?}"))?;
        let (head, rest) = blob.split_at(2);
        std::fs::remove_file(repository.join("objects").join(head).join(rest))?;
        let under = TestedRepository::open(&repository)?;
        let (verdict, _) = under.check(&self.after, citation).await?;
        let right = verdict.unverifiable == Some(Unverifiable::PartialClone);
        self.note(
            "lacking objects",
            "the blob",
            right,
            format!("{} {:?}", verdict.verdict.as_str(), verdict.unverifiable),
        );
        Ok(())
    }
}

fn words(said: &std::result::Result<(Citation, Information), AnchorError>) -> String {
    match said {
        Ok((citation, says)) => format!("cited, {says:?}, grounded {:?}", citation.anchor.grounded),
        Err(error) => format!("{error:?}"),
    }
}
