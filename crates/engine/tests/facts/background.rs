//! What the background does at new tips of the default branch, and what it leaves alone.

use loci_model::RecordId;
use loci_model::fact::FactEventKind;
use loci_model::record::RecordState;
use loci_testkit::CodeHistory;

use super::world::{CART, Shop, about, cite};

const ROUND_MS: u64 = 61_000;
const HOUR_MS: u64 = 3_600_000;

/// So many rounds, a pause before each.
fn rounds(shop: &Shop, count: usize, pause_ms: u64) {
    for _ in 0..count {
        shop.world.clock().advance_ms(pause_ms);
        shop.sweep();
    }
}

/// How often the background has written that a fact was verified, or could not be.
fn looks(shop: &Shop, id: &RecordId, kind: FactEventKind) -> usize {
    shop.events(id).iter().filter(|row| row.kind == kind && row.principal == "loci").count()
}

fn one_more(shop: &Shop) -> RecordId {
    let fact = about("MAX_REQUESTS is 120.", vec![cite("src/limits.rs", 4, 4)]);
    shop.store(fact).unwrap().view.remembered.record.id
}

#[test]
fn what_no_text_is_left_of_is_looked_at_once_at_each_tip() {
    let shop = Shop::new();
    let (id, other) = (shop.stored(), one_more(&shop));
    rounds(&shop, 1, ROUND_MS);
    let tip = shop.write("src/cart.rs", Some("\0\0 no text any more"));
    rounds(&shop, 5, ROUND_MS);
    assert_eq!(shop.verified_tip(), Some(tip), "one file holds up nothing");
    assert_eq!(looks(&shop, &id, FactEventKind::VerificationSkipped), 1);
    assert_eq!(looks(&shop, &other, FactEventKind::VerifiedValid), 2, "once at each of two tips");
    assert_eq!(shop.status(&id), RecordState::Active);
    shop.assert_replayed(&id);
}

#[test]
fn what_could_not_be_read_is_tried_again_with_longer_pauses_and_alone() {
    let shop = Shop::new();
    let (id, other) = (shop.stored(), one_more(&shop));
    let before = shop.code(|history| history.tip().commit());
    rounds(&shop, 1, ROUND_MS);
    let text = format!("// A cart.\n{CART}");
    let tip = shop.write("src/cart.rs", Some(&text));
    shop.code(|history| history.lose(CodeHistory::blob_id(&text)));
    rounds(&shop, 10, ROUND_MS);
    assert_eq!(shop.verified_tip(), before, "not yet");
    assert_eq!(looks(&shop, &id, FactEventKind::VerificationSkipped), 5, "after 0, 1, 2, 4 and 8 minutes");
    assert_eq!(looks(&shop, &other, FactEventKind::VerifiedValid), 2, "what was read is not looked at again");
    shop.code(|history| history.find(CodeHistory::blob_id(&text)));
    rounds(&shop, 7, ROUND_MS);
    assert_eq!(shop.verified_tip(), Some(tip));
    assert_eq!(looks(&shop, &id, FactEventKind::VerifiedValid), 2);
    // What stays away is let go after a day, and tried anew at the next tip.
    let text = format!("// A cart of a customer.\n{CART}");
    let tip = shop.write("src/cart.rs", Some(&text));
    shop.code(|history| history.lose(CodeHistory::blob_id(&text)));
    rounds(&shop, 50, HOUR_MS);
    assert_eq!(shop.verified_tip(), Some(tip));
    let tried = looks(&shop, &id, FactEventKind::VerificationSkipped);
    assert!((10..=12).contains(&tried), "{tried}");
    shop.write("README.md", Some("# Another\n"));
    rounds(&shop, 1, ROUND_MS);
    assert_eq!(looks(&shop, &id, FactEventKind::VerificationSkipped), tried + 1);
    shop.assert_replayed(&id);
}
