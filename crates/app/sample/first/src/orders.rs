//! Orders, listed in pages.

/// Orders of a page.
pub const PAGE_SIZE: usize = 20;

/// Returns the first order of a page, counted from one.
pub fn first_of_page(page: usize) -> usize {
    page.saturating_sub(1) * PAGE_SIZE + 1
}
