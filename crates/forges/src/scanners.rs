//! The parsers of forge responses by name, for the program that measures their cost on adversarial
//! texts. The product does not use them.
//!
//! To add one: a line in the list.

use std::hint::black_box;

use http::{HeaderMap, HeaderValue};
use loci_model::Timestamp;
use loci_model::ports::forge::NoticeReader as _;
use loci_outbound::request::OutboundAnswer;

use crate::dialect::Dialect as _;
use crate::github::GitHub;
use crate::github_hook::GitHubHooks;
use crate::review_dialect::ReviewDialect as _;
use crate::{github_reviews, reviews, same_host};

const API: &str = "https://api.github.com";

/// A parser with its name.
type Named = (&'static str, fn(&str));

/// The parsers, by name.
pub const SCANNERS: &[Named] = &[
    ("a forge's tree", |text| drop(black_box(GitHub.read_tree(&answer(text))))),
    ("a forge's comparison", |text| drop(black_box(GitHub.read_comparison(&answer(text))))),
    ("a forge's repository", |text| drop(black_box(GitHub.read_repository(&answer(text))))),
    ("a forge's refusal", |text| {
        let refused = OutboundAnswer { status: 403, ..answer(text) };
        black_box(GitHub.refusal(&refused, Timestamp::EPOCH));
    }),
    ("a forge's reviews", |text| {
        let reviews = github_reviews::GitHubReviews;
        drop(black_box(reviews.read_reviews(text.as_bytes())));
        drop(black_box(reviews.read_comments(text.as_bytes())));
        drop(black_box(reviews.read_threads(text.as_bytes())));
        drop(black_box(reviews.read_commits(text.as_bytes())));
    }),
    ("a forge's event", |text| drop(black_box(GitHubHooks.read("push", text.as_bytes())))),
    ("a forge's next page", |text| {
        let link = HeaderValue::from_str(text).ok();
        drop(black_box(reviews::next_page(API, link.as_ref())));
        black_box(same_host::below(API, text).is_some());
    }),
];

fn answer(text: &str) -> OutboundAnswer {
    let body = text.as_bytes().to_vec();
    OutboundAnswer { status: 200, headers: HeaderMap::new(), body, tries: 1, elapsed_ms: 0 }
}
