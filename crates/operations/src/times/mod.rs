//! Times: time zones and days of people, phrases of time, and the time that a question refers to.

pub(super) mod question_time;
pub(super) mod time_phrases;
pub(super) mod time_zone;
pub(super) mod users_zone;
