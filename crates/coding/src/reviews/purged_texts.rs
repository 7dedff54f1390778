//! Removes purged texts from the reviews that contain them. The rest documents the existence of the
//! review. It is not read from the forge again, and no rules are extracted from it.

use loci_model::ledger::LedgerNoun as _;
use loci_model::ports::store::{LedgerPage, ReadTx, Tx};
use loci_model::tasks::review::Review;
use loci_model::{ActorId, MemoryId, Result, Timestamp};

/// The reason to ignore a review whose texts were purged.
pub(super) const PURGED: &str = "purged";
/// The number of reviews of one page.
const ROWS: usize = 200;

/// Returns a page of an actor's reviews, after the cursor.
pub(crate) fn of_actor(
    tx: &dyn ReadTx,
    memory: &MemoryId,
    actor: &ActorId,
    after: Option<(Timestamp, String)>,
) -> Result<Vec<Review>> {
    let page = LedgerPage {
        memory: memory.clone(),
        shelf: Review::SHELF,
        actor: Some(actor.clone()),
        subject: None,
        after,
        limit: ROWS,
    };
    tx.ledger().nouns::<Review>(&page)
}

/// Returns the reviews with these keys, if they exist.
pub(crate) fn of_keys(tx: &dyn ReadTx, memory: &MemoryId, keys: &[String]) -> Result<Vec<Review>> {
    keys.iter().filter_map(|key| tx.ledger().noun::<Review>(memory, key).transpose()).collect()
}

/// Returns the texts of a review, each with its time.
pub(crate) fn texts_of(review: &Review) -> impl Iterator<Item = (&str, Timestamp)> {
    let comments = review.comments.iter().map(|comment| (comment.body.as_str(), comment.created_at));
    std::iter::once((review.body.as_str(), review.submitted_at)).chain(comments)
}

/// Returns a review without the selected texts and their code. `meant` yields one flag for each of
/// [`texts_of`]. `None` if none is selected.
pub(crate) fn blanked(review: &Review, meant: &mut impl Iterator<Item = bool>) -> Option<Review> {
    let mut left = review.clone();
    let mut is_one = meant.next().unwrap_or_default();
    if is_one {
        left.body.clear();
    }
    for comment in &mut left.comments {
        if meant.next().unwrap_or_default() {
            comment.body.clear();
            comment.diff_hunk = None;
            is_one = true;
        }
    }
    left.left_out = Some(PURGED.to_owned());
    is_one.then_some(left)
}

/// Writes blanked reviews that have not changed since they were read. Returns their number, and the
/// keys of the reviews that changed meanwhile.
pub(crate) fn blank(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    read_and_left: &[(Review, Review)],
) -> Result<(u64, Vec<String>)> {
    let (mut blanked, mut changed) = (0_u64, Vec::new());
    for (read, left) in read_and_left {
        match tx.ledger().noun::<Review>(memory, &read.key())? {
            Some(is) if is == *read => {
                tx.ledger_mut().put_noun(left)?;
                blanked += 1;
            }
            Some(is) => changed.push(is.key()),
            None => {}
        }
    }
    Ok((blanked, changed))
}

#[cfg(test)]
mod tests {
    use loci_model::RepositoryId;
    use loci_model::tasks::review::{Authority, ForgeUser, ReviewComment, ReviewState};

    use super::*;

    fn user() -> ForgeUser {
        ForgeUser { id: 7, login: "carol".to_owned(), is_bot: false }
    }

    fn comment(id: u64) -> ReviewComment {
        ReviewComment {
            id,
            author: user(),
            path: None,
            line: None,
            diff_hunk: Some("+ code".to_owned()),
            body: format!("comment {id}"),
            in_reply_to: None,
            is_resolved: None,
            is_outdated: None,
            authority: None,
            url: None,
            created_at: Timestamp::EPOCH,
            updated_at: Timestamp::EPOCH,
        }
    }

    fn review() -> Review {
        Review {
            memory: MemoryId::parse("m-0123456789").unwrap(),
            actor: ActorId::parse("acme/shop").unwrap(),
            repository: RepositoryId::parse("0192d1e8-7b7a-7c3e-8f00-000000000000").unwrap(),
            pr: 1,
            id: 1,
            reviewer: user(),
            authority: Authority::default(),
            pr_author: user(),
            state: ReviewState::Commented,
            body: "the whole".to_owned(),
            comments: vec![comment(1), comment(2)],
            commit: None,
            url: None,
            task: None,
            left_out: None,
            is_past: false,
            submitted_at: Timestamp::EPOCH,
            updated_at: Timestamp::EPOCH,
            read_at: Timestamp::EPOCH,
        }
    }

    #[test]
    fn what_is_meant_goes_with_the_code_beside_it() {
        let check = |meant: [bool; 3], expect: Option<[&str; 3]>| {
            let left = blanked(&review(), &mut meant.into_iter());
            let texts = left.as_ref().map(|left| texts_of(left).map(|(text, _)| text).collect::<Vec<_>>());
            assert_eq!(texts, expect.map(|expect| expect.to_vec()), "{meant:?}");
            let Some(left) = left else { return };
            let codes: Vec<bool> = left.comments.iter().map(|one| one.diff_hunk.is_some()).collect();
            assert_eq!(codes, [!meant[1], !meant[2]], "{meant:?}");
            assert_eq!(left.left_out.as_deref(), Some(PURGED));
        };
        check([false, false, false], None);
        check([true, false, false], Some(["", "comment 1", "comment 2"]));
        check([false, false, true], Some(["the whole", "comment 1", ""]));
        check([true, true, true], Some(["", "", ""]));
    }
}
