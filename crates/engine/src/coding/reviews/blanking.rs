//! Words that were purged go from the reviews that hold them: what is left says that a review was there. It is not read from the forge again,
//! and nothing is learned from it.

use loci_model::ledger::{Shelf, Shelved as _};
use loci_model::ports::store::{LedgerPage, Tx};
use loci_model::review::Review;
use loci_model::{ActorId, MemoryId, Result, Timestamp};

/// Why nothing is learned from a review whose words were purged.
pub(super) const PURGED: &str = "purged";
/// Reviews that are read together.
const ROWS: usize = 200;

/// Erases texts of an actor's reviews, and the code beside them, where they are meant by what they say and when; how many reviews held some.
pub(crate) fn blank(
    tx: &mut dyn Tx,
    memory: &MemoryId,
    actor: &ActorId,
    is_meant: &dyn Fn(&str, Timestamp) -> bool,
) -> Result<u64> {
    let mut blanked = 0_u64;
    let mut after = None;
    loop {
        let page = LedgerPage {
            memory: memory.clone(),
            shelf: Shelf::Review,
            actor: Some(actor.clone()),
            subject: None,
            after,
            limit: ROWS,
        };
        let reviews = tx.ledger().nouns::<Review>(&page)?;
        let Some(last) = reviews.last() else { return Ok(blanked) };
        after = Some((last.at(), last.key()));
        for mut review in reviews {
            if blanked_one(&mut review, is_meant) {
                tx.ledger_mut().put_noun(&review)?;
                blanked += 1;
            }
        }
    }
}

fn blanked_one(review: &mut Review, is_meant: &dyn Fn(&str, Timestamp) -> bool) -> bool {
    let mut is_one = is_meant(&review.body, review.submitted_at);
    if is_one {
        review.body.clear();
    }
    for comment in &mut review.comments {
        if is_meant(&comment.body, comment.created_at) {
            comment.body.clear();
            comment.diff_hunk = None;
            is_one = true;
        }
    }
    if is_one {
        review.left_out = Some(PURGED.to_owned());
    }
    is_one
}
